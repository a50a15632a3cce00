"""
A shared queue
==============

Run clgraph on a queue of your program: commands of both run in the order in which they are enqueued.

    python examples/shared_queue.py [DEVICE]

DEVICE is a device as `clgraph.get_device` takes it (default: the best one).
"""

import sys

import numpy as np
import pyopencl as cl
import pyopencl.array

import clgraph

try:
    raw = clgraph.get_device(sys.argv[1] if len(sys.argv) > 1 else None).raw
except clgraph.ClgraphError as error:
    sys.exit(f"This example needs an OpenCL device.\n{error}")

queue = cl.CommandQueue(cl.Context([raw]))  # the program's own
graph = clgraph.powerlaw_graph(100_000, seed=1, device=queue)
result = clgraph.pagerank(graph, device=queue, arrays="device")

kernel = (
    cl.Program(
        queue.context, "kernel void scale(const float by, global float *x) { x[get_global_id(0)] *= by; }"
    )
    .build()
    .scale
)
scores = pyopencl.array.empty_like(result.scores)
scores[:] = result.scores  # clgraph's arrays are read-only: write to a copy
kernel(queue, (graph.num_vertices,), None, np.float32(graph.num_vertices), scores.data)

print(f"the mean of {graph.num_vertices} scores is {float(scores.get().mean()):.3f}")
with clgraph.profile(queue) as measured:  # while it profiles, clgraph uses a queue of its own with timers
    clgraph.pagerank(graph, device=queue)
print(f"clgraph's kernels took {measured.seconds:.4f} s:")
for row in measured.table[:3]:
    print(f"    {row['name']}: {row['calls']} calls")
