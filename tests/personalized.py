"""What the tests of personalized PageRank share: methods, graphs, a comparison."""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph import Graph, PersonalizedResult
from clgraph.device.launch_config import LaunchTable

EXACT = ("power", "coo", "coo-flat")
# row numbers from 0 in California.mtx
CONTEST = [
    *[9616, 18, 1010, 6016, 3579, 3511, 4549, 281, 6465, 2104, 5338, 2301, 37, 670, 7544, 7080, 7771],
    *[835, 623, 924, 1854, 2048, 9500, 5906, 7910, 8488, 6075, 6786, 5530, 5677],
]


def random_graph(seed: int, weighted: bool = False, n: int = 60, arcs: int = 150) -> Graph:
    """Small, with loops, parallel arcs, isolated and dangling vertices; directed by turns."""
    rng = np.random.default_rng(seed)
    tails, heads = (rng.random((2, arcs)) ** 2 * n).astype(int)
    weights = rng.integers(0, 9, arcs) / 3 if weighted else None
    return Graph.from_edges(
        tails,
        heads,
        weights=weights,
        vertices=np.arange(n),
        directed=bool(seed % 2),
        duplicates=("merge", "keep")[seed // 2 % 2],
    )


def skewed_graph(n: int = 5000, arcs: int = 60_000) -> Graph:
    """Some very long rows, and very popular sources."""
    ends = (np.random.default_rng(0).random((2, arcs)) ** 5 * n).astype(int)
    return Graph.from_edges(*ends, vertices=np.arange(n), directed=True)


def close(found: PersonalizedResult, want: Any) -> None:
    l1 = 2e-6 if found.dtype == "float32" else 1e-11
    assert np.abs(found.scores.astype(np.float64) - want).sum(axis=1).max() <= l1


def everywhere(shape: Any) -> LaunchTable[Any]:
    """A launch table that gives every kind of device this shape."""
    return LaunchTable(gpu=shape, cpu=shape, simulator=shape)
