"""Shares as integers."""

from __future__ import annotations

import numpy as np

from clgraph import Graph
from clgraph.ranking.personalized.walks import FULL, arc_limits, start_thresholds
from clgraph.ranking.problem import make_problem


def test_start_thresholds() -> None:
    for count, walks in ((1, 7), (5, 3), (7, 1000), (1000, 7), (3, 2**31 - 1)):
        bounds = start_thresholds(None, count, walks)
        want = [-(-j * (walks << 32) // count) for j in range(1, count + 1)]
        assert bounds.tolist() == want
        assert start_thresholds(np.ones(count), count, walks).tolist() == want
    assert start_thresholds(np.array([0.0, 1, 0]), 3, 10).tolist() == [0, 10 << 32, 10 << 32]


def test_arc_limits() -> None:
    """Ascending in each row up to 2**62, from the last arc with a weight on; 0 in dangling rows."""
    weights = [1, 2, 0, 0, 0, 1, 3]
    graph = Graph.from_edges(
        [0, 0, 0, 1, 1, 2, 2], [1, 2, 3, 0, 2, 0, 1], weights=weights, vertices=range(4), directed=True
    )
    limits = arc_limits(graph, make_problem(graph)).tolist()
    assert limits[0] == round(FULL / 3) and limits[1:3] == [FULL, FULL]
    assert limits[3:5] == [0, 0]
    assert limits[5:] == [FULL // 4, FULL]
