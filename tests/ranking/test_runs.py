"""The plan of CPUs: runs of slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from ranking_checks import assert_close, every_check, skewed_graph

from clgraph.ranking import pagerank
from clgraph.ranking.problem import make_problem
from clgraph.ranking.rows import Numbers
from clgraph.ranking.runs import RUNS, RunRows
from clgraph.reference.pagerank import reference_pagerank

if TYPE_CHECKING:
    from clgraph.device import Device


@every_check
def test_variant(device: Device, check: Any) -> None:
    check(device, "runs")


def test_runs_take_all_slices(device: Device) -> None:
    """Each slice of rows and of pieces is in one run."""
    graph = skewed_graph(3)
    rows = RunRows(device, graph, make_problem(graph), Numbers("float32", compensated=False), True)
    slices = -(-graph.num_vertices // rows.width)
    runs = rows.kept.balance.rows
    bound = device.download(runs.bound, np.int32, runs.count + 1)
    assert (bound[0], bound[-1], runs.count) == (0, slices, min(RUNS, slices))
    assert np.all(np.diff(bound) >= 0)
    assert rows.kept.num_pieces > 0
    pieces = rows.kept.balance.pieces
    bound = device.download(pieces.bound, np.int32, pieces.count + 1)
    assert bound[0] == 0
    assert bound[-1] * rows.width >= rows.kept.num_pieces
    found = pagerank(graph, variant="runs", tol=0, max_iter=4, device=device)
    assert_close(found, reference_pagerank(graph, iterations=4), "float32")
