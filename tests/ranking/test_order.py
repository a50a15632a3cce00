"""The row order that calls on the same graph share: made and uploaded once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ranking_checks import VARIANTS, mixed_graph
from transfers import transfers

from clgraph import Graph, pagerank
from clgraph.device import Device
from clgraph.ranking.plan import KINDS, choose
from clgraph.ranking.problem import make_problem, make_stop
from clgraph.ranking.solver import Numbers, gather, leaving


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_second_call_uploads_nothing(device: Device, variant: str, weighted: bool) -> None:
    graph = mixed_graph(1 + 2 * weighted, weighted)
    options: dict[str, Any] = {"variant": variant, "device": device, "tol": 0, "max_iter": 5}
    first = pagerank(graph, **options)

    def uploaded(**more: Any) -> tuple[int, Any]:
        with transfers() as moved:
            scores = pagerank(graph, **options, **more).scores
        return sum(size for size, method, _ in moved if method in ("upload", "write")), scores

    size, scores = uploaded()
    assert size == 0
    assert first.scores.tobytes() == scores.tobytes()
    given = 2 * graph.num_vertices * first.scores.itemsize  # what the caller gave
    assert uploaded(personalization={1: 1}, nstart={3: 1})[0] == given
    there = pagerank(graph, **options, arrays="device").scores
    np.testing.assert_array_equal(there.get(), first.scores)
    assert uploaded(arrays="device")[0] == 0


def test_no_recomputing(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second call does not look at the graph's arrays."""
    graph = mixed_graph(3, weighted=True)
    pagerank(graph, device=device)

    def never(graph: Graph) -> Any:
        raise AssertionError("the tails of all arcs were computed again")

    monkeypatch.setattr(Graph, "tails", property(never))
    for name in ("row_ptr", "col_idx", "weights"):
        monkeypatch.setattr(graph, name, None)
    monkeypatch.setattr(Graph, "num_vertices", 60)
    monkeypatch.setattr(Graph, "num_arcs", property(lambda self: 180))
    assert pagerank(graph, device=device).converged


@pytest.mark.parametrize("weight", [False, True])
def test_order(device: Device, weight: bool) -> None:
    """The permutation, its inverse, and 1 / W by position; the same object at each call."""
    graph = mixed_graph(3, weighted=True)
    problem = make_problem(graph, weight=weight)
    numbers, stop = Numbers(device, "float32"), make_stop(1e-6, "l1", 100, 60)
    for plan in ("serial", "runs", "bins", choose(device, graph, numbers)):
        solver = KINDS[plan](device, graph, problem, stop, numbers, weight)
        at: dict[str, Any] = {"plan": solver.plan, "order": solver.order, "inverse": True}
        one, again = (leaving(device, graph, problem, np.float32, weight, **at) for _ in range(2))
        assert one is again
        n = graph.num_vertices
        order = np.arange(n) if solver.order is None else device.download(solver.order, np.int32, n)
        inverse = device.download(one, np.float32, n)
        scale = (problem.out > 0) if problem.weights is not None else problem.out
        with np.errstate(divide="ignore"):
            wanted = np.where(problem.out > 0, 1 / scale, 0)[order].astype(np.float32)
        np.testing.assert_array_equal(inverse, wanted)
        values = np.random.default_rng(1).random(n)
        there = solver.to_rows(values)
        np.testing.assert_array_equal(device.download(there, np.float32, n), values[order].astype(np.float32))
        if solver.order is not None:
            there = gather(device, np.float32, n, solver.number, there)
        np.testing.assert_array_equal(device.download(there, np.float32, n), values.astype(np.float32))
        few = np.array([3, 0, 17])
        entries = device.download(solver.entries(few, values[few]), np.float32, n)
        wanted = np.zeros(n, np.float32)
        wanted[few] = values[few]
        np.testing.assert_array_equal(entries, wanted[order])
