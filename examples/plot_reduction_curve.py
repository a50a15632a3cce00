"""
A reduction curve
=================

How vertices, edges and average degree of a graph fall while vertices or edges are deleted one by one.

    python examples/plot_reduction_curve.py

Needs matplotlib: pip install 'pyclgraph[plot]'.
"""

import matplotlib.pyplot as plt

import clgraph

graph = clgraph.largest_component(clgraph.powerlaw_graph(20_000, seed=1))
figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for place, method in zip(axes, ("drv", "dre"), strict=True):
    curve = clgraph.reduction_curve(graph, method, 1)
    place.plot(100 * curve.vertices / graph.num_vertices, 2 * curve.edges / curve.vertices)
    place.set(title=method, xlabel="vertices left, %", ylabel="average degree")
    print(method, "at a half:", curve.at(graph.num_vertices // 2))
plt.show()
