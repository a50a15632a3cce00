"""The row order that calls on the same graph share: made and uploaded once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import VARIANTS, mixed_graph

from clgraph import Graph, pagerank
from clgraph.ranking.plan import KINDS, choose
from clgraph.ranking.problem import make_problem, make_stop
from clgraph.ranking.solver import Numbers, gather, leaving

if TYPE_CHECKING:
    from clgraph.device import Device


class Uploads:
    """Counts the values that a device is given."""

    def __init__(self, device: Device, patch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        self._inside = False  # an upload may write
        for name in ("upload", "write"):
            self._watch(device, name, patch)

    def _watch(self, device: Device, name: str, patch: pytest.MonkeyPatch) -> None:
        real = getattr(device, name)

        def watched(*args: Any, **options: Any) -> Any:
            if self._inside:
                return real(*args, **options)
            self.sizes += [array.size for array in args if isinstance(array, np.ndarray)]
            self._inside = True
            try:
                return real(*args, **options)
            finally:
                self._inside = False

        patch.setitem(vars(device), name, watched)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_second_call_uploads_nothing(
    device: Device, variant: Any, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = mixed_graph(1 + 2 * weighted, weighted)
    options: dict[str, Any] = {"variant": variant, "device": device, "tol": 0, "max_iter": 5}
    first = pagerank(graph, **options)
    uploads = Uploads(device, monkeypatch)
    again = pagerank(graph, **options)
    assert uploads.sizes == []
    assert first.scores.tobytes() == again.scores.tobytes()
    pagerank(graph, **options, personalization={1: 1}, nstart={3: 1})
    assert sum(uploads.sizes) == 2 * graph.num_vertices  # what the caller gave
    there = pagerank(graph, **options, arrays="device").scores
    np.testing.assert_array_equal(there.get(), first.scores)
    uploads.sizes.clear()
    pagerank(graph, **options, arrays="device")
    assert uploads.sizes == []


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
