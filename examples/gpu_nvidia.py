"""
Sample on an NVIDIA GPU
=======================

Sample a graph on an NVIDIA GPU by three methods, and print where the time goes.

    python examples/gpu_nvidia.py [GRAPH]

All you need is NVIDIA's driver, no CUDA toolkit. Without GRAPH, a power-law graph of a million vertices is
generated.
"""

import sys

import clgraph

try:
    device = clgraph.get_device("nvidia")
except clgraph.DeviceError as error:
    sys.exit(f"This example needs an NVIDIA GPU.\n{error}")

if len(sys.argv) > 1:
    try:
        graph = clgraph.read(sys.argv[1])
    except clgraph.InputError as error:
        sys.exit(f"cannot read the graph: {error}")
else:
    graph = clgraph.powerlaw_graph(1_000_000, seed=1)

print(f"device   {device.name}, {device.global_memory >> 30} GiB, driver {device.driver_version}")
print(f"graph    {graph.num_vertices} vertices, {graph.num_edges} edges")
for method in ("drv", "dre", "drve"):
    # the first call uploads the graph; the others find it on the device
    sample = clgraph.sample(graph, method, size="50%", seed=7, device=device)
    phases = ", ".join(f"{phase} {seconds:.3f}" for phase, seconds in sample.seconds.items())
    print(f"{method:8} {len(sample.vertices)} vertices, {len(sample.edges)} edges (seconds: {phases})")
