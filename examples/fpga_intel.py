"""Sample a graph on an Intel FPGA, or on Intel's FPGA emulator (pip install 'clgraph[fpga-emulator]').

    python examples/fpga_intel.py [GRAPH]

A board builds no kernels at run time: compile cl/*.cl with the vendor's offline compiler and set
CLGRAPH_BINARIES to the folder of the .aocx files. The emulator runs on the CPU: it proves that kernels are
right, and says nothing about a board's speed. Without GRAPH a power-law graph of 5 000 vertices is made.
"""

import sys

import clgraph

try:
    device = clgraph.get_device("fpga")
except clgraph.DeviceError as error:
    sys.exit(f"This example needs an Intel FPGA or its emulator.\n{error}")

if len(sys.argv) > 1:
    try:
        graph = clgraph.read(sys.argv[1])
    except clgraph.InputError as error:
        sys.exit(f"cannot read the graph: {error}")
else:
    graph = clgraph.powerlaw_graph(5_000, seed=1)

# what suits a board: breadth-first search by arrays, and the far side of an edge found by a plain scan
sample = clgraph.sample(
    graph, "drve", size="50%", seed=7, device=device, components="bfs", far_scan=True
)  # fmt: skip

kind = "a board" if device.kind == "fpga" else "the emulator: its speed is not a board's"
print(f"device   {device.name} ({kind}), driver {device.driver_version}")
print(f"graph    {graph.num_vertices} vertices, {graph.num_edges} edges")
print(f"sample   {len(sample.vertices)} vertices, {len(sample.edges)} edges, {sample.iterations} batches")
