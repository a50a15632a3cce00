"""Variants "bins" (a warp takes a slice, hot sources in local memory) and "runs" (of slices)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import assert_close, every_check, skewed_graph

from clgraph import Graph
from clgraph.ranking import pagerank, spmv
from clgraph.ranking.problem import make_problem, make_stop
from clgraph.ranking.sell import Layout
from clgraph.ranking.solver import Numbers
from clgraph.ranking.spmv import MOST_RUNS, BinSolver, RunSolver
from clgraph.reference.pagerank import reference_pagerank

if TYPE_CHECKING:
    from clgraph.device import Device


STOP = make_stop(1e-6, "l1", 100, 10**6)


@every_check
@pytest.mark.parametrize("variant", ["bins", "runs"])
def test_variant(device: Device, variant: str, check: Any) -> None:
    check(device, variant)


@pytest.mark.slow
def test_segments(device: Device, monkeypatch: Any) -> None:
    """Long rows with arcs from every segment of hot sources, and from cold ones; pieces in several blocks."""
    layout = Layout(width=4, long_row=6, hot=8, segments=3, classes=(4, 16))
    shape = spmv.LaunchConfig(local=8, groups=2, piece_groups=2, layout=layout)
    monkeypatch.setattr(spmv, "BINS", spmv.LaunchTable(gpu=shape, cpu=shape, simulator=shape))
    n = 300
    rng = np.random.default_rng(1)
    tails = np.concatenate((np.tile(np.arange(n), 2), rng.integers(0, n, 900)))
    heads = np.concatenate((np.zeros(n, int), np.ones(n, int), rng.integers(0, n, 900)))
    weights = rng.random(len(tails))
    for graph in (
        Graph.from_edges(tails, heads, directed=True),
        Graph.from_edges(tails, heads, weights=weights, directed=True),
    ):
        rows = BinSolver(device, graph, make_problem(graph), STOP, Numbers(device, "float32"), True)
        sell, (groups, there) = rows.sell, rows.balance["piece"]
        turns = device.download(there, np.int32, 3 * groups).reshape(-1, 3)
        assert set(turns[:, 2].tolist()) == {0, 8, 16, -1}
        slices = np.concatenate([np.arange(first, last) for first, last, _ in turns])
        assert len(set(slices.tolist())) == len(slices)  # no slice is summed twice
        assert len(slices) * layout.width >= sell.pieces  # and none is left out
        block = device.download(sell.block_piece, np.int32, sell.blocks + 1)
        assert (block[0], block[-1]) == (0, sell.pieces)
        assert 0 < np.diff(block).max() <= layout.block < sell.longest_join
        for dtype in ("float32", "float64"):
            found = pagerank(graph, variant="bins", tol=0, max_iter=6, dtype=dtype, device=device)
            assert_close(found, reference_pagerank(graph, iterations=6), dtype)


def test_runs_take_all_slices(device: Device) -> None:
    """Each slice of rows and of pieces is in one run."""
    graph = skewed_graph(3)
    rows = RunSolver(device, graph, make_problem(graph), STOP, Numbers(device, "float32"), True)
    slices = -(-graph.num_vertices // rows.layout.width)
    count, there = rows.balance["row"]
    bound = device.download(there, np.int32, count + 1)
    assert (bound[0], bound[-1], count) == (0, slices, min(MOST_RUNS, slices))
    assert np.all(np.diff(bound) >= 0)
    assert rows.sell.pieces > 0
    count, there = rows.balance["piece"]
    bound = device.download(there, np.int32, count + 1)
    assert bound[0] == 0
    assert bound[-1] * rows.layout.width >= rows.sell.pieces
    found = pagerank(graph, variant="runs", tol=0, max_iter=4, device=device)
    assert_close(found, reference_pagerank(graph, iterations=4), "float32")
