"""What the tests of personalized PageRank share: methods, graphs, a comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import ranking_checks

from clgraph import Graph, PersonalizedResult, personalized_pagerank
from clgraph.device import Device
from clgraph.device.launch_config import LaunchTable
from clgraph.reference.pagerank import reference_ppr

EXACT = ("power", "coo", "coo-flat")
# row numbers from 0 in California.mtx
CONTEST = [
    *[9616, 18, 1010, 6016, 3579, 3511, 4549, 281, 6465, 2104, 5338, 2301, 37, 670, 7544, 7080, 7771],
    *[835, 623, 924, 1854, 2048, 9500, 5906, 7910, 8488, 6075, 6786, 5530, 5677],
]


def random_graph(seed: int, weighted: bool = False, n: int = 60, arcs: int = 150) -> Graph:
    """A mixed graph, as small as these tests want it."""
    return ranking_checks.mixed_graph(seed, weighted, n, arcs)


def skewed_graph(n: int = 5000, arcs: int = 60_000) -> Graph:
    """Some very long rows, and very popular sources."""
    return ranking_checks.skewed_graph(0, n, arcs)


def close(found: PersonalizedResult, want: Any) -> None:
    l1 = 2e-6 if found.dtype == "float32" else 1e-11
    assert np.abs(found.scores.astype(np.float64) - want).sum(axis=1).max() <= l1


def as_reference(
    device: Device, graph: Graph, sources: Any, count: int, dangling: Any = "uniform", **options: Any
) -> PersonalizedResult:
    """The result of so many iterations, whose scores are those of the reference."""
    call: Any = {"tol": 0, "max_iter": count, "dangling": dangling, "device": device, **options}
    found = personalized_pagerank(graph, sources, **call)
    close(found, reference_ppr(graph, sources, dangling=dangling, iterations=count))
    return found


def everywhere(shape: Any) -> LaunchTable[Any]:
    """A launch table that gives every kind of device this shape."""
    return LaunchTable(gpu=shape, cpu=shape, simulator=shape)
