"""What cases of several subjects share: a graph, and launches of another shape."""

from dataclasses import replace

import numpy as np

from clgraph import Graph


def tangle(**options):
    """50 vertices and 170 pairs: hubs, loops and parallel edges."""
    ends = (np.random.default_rng(6).random((2, 170)) ** 2 * 50).astype(int)
    return Graph.from_edges(*ends, vertices=np.arange(50), **options)


def reshape(module, **shape):
    """Give a kernel family's launches other tunables, as long as the case's process lives."""
    module.LAUNCH = replace(module.LAUNCH, simulator=replace(module.LAUNCH.simulator, **shape))
