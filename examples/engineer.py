"""
An OpenCL engineer's first hour
===============================

For OpenCL engineers: which devices work, how long does each kernel take, and is the result right?

    python examples/engineer.py [--device DEVICE] [--scale N]
"""

import sys
from argparse import ArgumentParser

import clgraph

parser = ArgumentParser()
parser.add_argument("--device")
parser.add_argument("--scale", type=int, default=16, help="the graph has 2 ** N vertices")
options = parser.parse_args()

for each in clgraph.devices():
    print(f"{each.spec}  {each.name}, {each.kind}, driver {each.driver_version}")
try:
    device = clgraph.get_device(options.device)
except clgraph.ClgraphError as error:
    sys.exit(f"This example needs an OpenCL device.\n{error}")
print(f"using {device.spec}, with {', '.join(sorted(device.features)) or 'no optional features'}")

graph = clgraph.rmat_graph(options.scale, seed=1, device=device)  # generated on the device, stays there
source = int(graph.degrees.argmax())
with clgraph.profile(device) as measured:
    searched = clgraph.bfs(graph, source, device=device)
    found = clgraph.connected_components(graph, device=device)
    ranked = clgraph.pagerank(graph, tol=1e-6, device=device)
print(measured)

clgraph.verify_bfs(graph, searched)
clgraph.verify_components(graph, found)
clgraph.verify_pagerank(graph, ranked)
print(
    f"verified: {searched.reached} vertices reached, {found.count} components, {ranked.iterations} iterations"
)
