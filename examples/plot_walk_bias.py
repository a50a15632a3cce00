"""
The bias of a random walk, and its weights
==========================================

A random walk visits vertices of high degree more often. Its weights correct for that.

    python examples/plot_walk_bias.py

Needs matplotlib: pip install 'pyclgraph[plot]'.
"""

import matplotlib.pyplot as plt
import numpy as np

import clgraph

graph = clgraph.largest_component(clgraph.powerlaw_graph(20_000, seed=1))
truth = graph.degrees.mean()
plain, weighted = [], []
for walk in clgraph.sample(graph, "rw", size="5%", seed=1, seeds=200):
    plain.append(graph.degrees[np.flatnonzero(np.isin(graph.ids, walk.vertices))].mean())
    weighted.append(walk.mean(graph.degrees)[0])
plt.hist([plain, weighted], bins=40, label=["mean of the vertices visited", "with the walk's weights"])
plt.axvline(truth, color="black", label="the graph's mean degree")
plt.xlabel("mean degree, over 200 seeds")
plt.legend()
plt.show()
print(f"truth {truth:.2f}; plain {np.mean(plain):.2f}; weighted {np.mean(weighted):.2f}")
