"""
Sample on the CPU
=================

Sample a graph on the CPU with PoCL, a free OpenCL driver for CPUs (Debian: apt-get install pocl-opencl-icd).

    python examples/cpu_pocl.py [GRAPH]

Without GRAPH, a power-law graph of 100 000 vertices is generated.
"""

import sys

import clgraph

try:
    device = clgraph.get_device("pocl")
except clgraph.DeviceError as error:
    sys.exit(f"This example needs PoCL.\n{error}")

if len(sys.argv) > 1:
    try:
        graph = clgraph.read(sys.argv[1])
    except clgraph.InputError as error:
        sys.exit(f"cannot read the graph: {error}")
else:
    graph = clgraph.powerlaw_graph(100_000, seed=1)

sample = clgraph.sample(graph, "drv", size="50%", seed=7, device=device)

print(f"device   {device.name}, {device.compute_units} compute units, driver {device.driver_version}")
for name, shown in (("graph", graph), ("sample", sample.graph)):
    print(f"{name:8} {shown.num_vertices} vertices, {shown.num_edges} edges")
print(f"work     {sample.iterations} batches in {sample.seconds['sample']:.3f} s")
