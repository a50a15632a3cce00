"""Slices laid out on the host, and their arcs put there by a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import arcs_of_graph, arcs_of_slices

from clgraph import Graph
from clgraph.ranking.layout import balanced, make_slices
from clgraph.ranking.problem import make_problem
from clgraph.ranking.shares import graph_shares
from clgraph.ranking.slices import place_sorted

if TYPE_CHECKING:
    from clgraph.device import Device


@pytest.mark.parametrize("segments", [1, 3])
@pytest.mark.parametrize(("weighted", "real"), [(False, np.float32), (True, np.float32), (True, np.float64)])
def test_arcs(device: Device, weighted: bool, real: Any, segments: int) -> None:
    """Every arc once, with its share, in the row of its head; long rows in pieces by segment."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        tails, heads = (rng.random((2, 1200)) ** 3 * 150).astype(int)
        weights = rng.integers(1, 9, 1200) / 3 if weighted else None
        graph = Graph.from_edges(
            tails, heads, weights=weights, vertices=np.arange(170), directed=True, duplicates="keep"
        )
        shares = graph_shares(graph, make_problem(graph))
        made = make_slices(
            graph.row_ptr,
            graph.col_idx,
            shares,
            width=4,
            hot=8,
            long_row=6,
            classes=(4, 16),
            segments=segments,
        )
        args = place_sorted(device, made, real)
        assert arcs_of_slices(device, made, args, real if weighted else None) == arcs_of_graph(
            graph, shares, real
        )
        assert len(made.kinds) == segments + 2
        assert made.pieces > segments


def test_layout() -> None:
    """Popular sources first, within a class by length; rows of a slice padded to the longest."""
    tails = [3, 3, 3, 1, 1, 0]
    heads = [0, 1, 2, 0, 2, 4]
    graph = Graph.from_edges(tails, heads, vertices=range(5), directed=True)
    made = make_slices(graph.row_ptr, graph.col_idx, None, width=2, hot=1, long_row=9, classes=())
    assert made.order.tolist() == [3, 0, 1, 2, 4]  # out-degrees 3; 1 and 2 (rows of 2 and 1 arcs); 0
    assert made.hot_rows.tolist() == [0, 1, 2, 2]  # arcs from vertex 3 in rows -, 0; 1, 2; 4
    assert made.cold_rows.tolist() == [0, 1, 2, 3]
    assert (made.sources, made.arcs, made.hot_arcs, made.pieces) == (3, 6, 3, 0)
    assert made.padding == 2 * 5 / 6


def test_balanced() -> None:
    cost = np.array([0, 10, 10, 10, 20, 30, 40])
    assert balanced(cost, 4).tolist() == [0, 1, 4, 5, 6]
    assert balanced(cost, 99)[[0, -1]].tolist() == [0, 6]
    assert balanced(np.array([0]), 3).tolist() == [0, 0]
