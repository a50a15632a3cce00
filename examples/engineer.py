"""
An OpenCL engineer's first hour
===============================

An OpenCL engineer's first hour: which devices work, how fast, what does each kernel cost, is it right?

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
print(f"taken: {device.spec}, with {', '.join(sorted(device.features)) or 'the least that OpenCL has'}")

graph = clgraph.rmat_graph(options.scale, seed=1, device=device)  # made on the device, stays there
source = int(graph.degrees.argmax())
with clgraph.profile(device) as measured:
    searched = clgraph.bfs(graph, source, device=device)
    found = clgraph.connected_components(graph, device=device)
    ranked = clgraph.pagerank(graph, tol=1e-6, device=device)
print(measured)

clgraph.verify_bfs(graph, searched)
clgraph.verify_components(graph, found)
clgraph.verify_pagerank(graph, ranked)
print(f"right: {searched.reached} vertices reached, {found.count} components, {ranked.iterations} iterations")
