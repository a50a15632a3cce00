"""What the tests of personalized PageRank share: methods, graphs, a comparison."""

import numpy as np
import ranking_checks

from clgraph import personalized_pagerank
from clgraph.device.launch_config import LaunchTable
from clgraph.reference.pagerank import reference_ppr

EXACT = ("power", "coo", "coo-flat")
# row numbers from 0 in California.mtx
CONTEST = [
    *[9616, 18, 1010, 6016, 3579, 3511, 4549, 281, 6465, 2104, 5338, 2301, 37, 670, 7544, 7080, 7771],
    *[835, 623, 924, 1854, 2048, 9500, 5906, 7910, 8488, 6075, 6786, 5530, 5677],
]


def random_graph(seed, weighted=False, n=60, arcs=150):
    """A mixed graph, as small as these tests want it."""
    return ranking_checks.mixed_graph(seed, weighted, n, arcs)


def skewed_graph(n=5000, arcs=60_000):
    """Some very long rows, and very popular sources."""
    return ranking_checks.skewed_graph(0, n, arcs)


def close(found, want):
    l1 = 2e-6 if found.dtype == "float32" else 1e-11
    assert np.abs(found.scores.astype(np.float64) - want).sum(axis=1).max() <= l1


def as_reference(device, graph, sources, count, dangling="uniform", **options):
    """The result of so many iterations, whose scores are those of the reference."""
    call = {"tol": 0, "max_iter": count, "dangling": dangling, "device": device, **options}
    found = personalized_pagerank(graph, sources, **call)
    close(found, reference_ppr(graph, sources, dangling=dangling, iterations=count))
    return found


def everywhere(shape):
    """A launch table that gives every kind of device this shape."""
    return LaunchTable(gpu=shape, cpu=shape, simulator=shape)
