"""The plan of GPUs: warps that take slices, hot sources in local memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import assert_close, every_check

from clgraph import Graph
from clgraph.ranking import bins, pagerank
from clgraph.ranking.bins import BinRows
from clgraph.ranking.problem import make_problem
from clgraph.ranking.rows import Numbers
from clgraph.reference.pagerank import reference_pagerank

if TYPE_CHECKING:
    from clgraph.device import Device


@every_check
def test_variant(device: Device, check: Any) -> None:
    check(device, "bins")


@pytest.mark.slow
def test_segments(device: Device, monkeypatch: Any) -> None:
    """Long rows with arcs from every segment of hot sources, and from cold ones; pieces in several blocks."""
    shape = bins.Shape(
        local=8, width=4, groups=2, long_row=6, hot=8, segments=3, classes=(4, 16), piece_groups=2
    )
    monkeypatch.setattr(bins, "SHAPES", bins.Shapes(gpu=shape, cpu=shape, simulator=shape))
    n = 300
    rng = np.random.default_rng(1)
    tails = np.concatenate((np.tile(np.arange(n), 2), rng.integers(0, n, 900)))
    heads = np.concatenate((np.zeros(n, int), np.ones(n, int), rng.integers(0, n, 900)))
    weights = rng.random(len(tails))
    for graph in (
        Graph.from_edges(tails, heads, directed=True),
        Graph.from_edges(tails, heads, weights=weights, directed=True),
    ):
        rows = BinRows(device, graph, make_problem(graph), Numbers("float32", compensated=False), True)
        kept, balance = rows.kept, rows.kept.balance
        turns = device.download(balance.turns, np.int32, 3 * balance.groups).reshape(-1, 3)
        assert set(turns[:, 2].tolist()) == {0, 8, 16, -1}
        slices = np.concatenate([np.arange(first, last) for first, last, _ in turns])
        assert len(set(slices.tolist())) == len(slices)  # no slice is summed twice
        assert len(slices) * shape.width >= kept.num_pieces  # and none is left out
        block = device.download(balance.block_piece, np.int32, balance.blocks + 1)
        assert (block[0], block[-1]) == (0, kept.num_pieces)
        assert 0 < np.diff(block).max() <= bins.BLOCK < kept.longest_join
        for dtype in ("float32", "float64"):
            found = pagerank(graph, variant="bins", tol=0, max_iter=6, dtype=dtype, device=device)
            assert_close(found, reference_pagerank(graph, iterations=6), dtype)
