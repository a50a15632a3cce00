"""The row order that calls on the same graph share: made and uploaded once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from ranking_checks import VARIANTS, mixed_graph

from clgraph import Graph, pagerank
from clgraph.ranking.order import inverse_permutation
from clgraph.ranking.plan import KINDS, choose
from clgraph.ranking.problem import make_problem
from clgraph.ranking.rows import Numbers

if TYPE_CHECKING:
    from clgraph.device import Device


class Uploads:
    """Counts the values that a device is given."""

    def __init__(self, device: Device, patch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        for name in ("upload", "write"):
            self._watch(device, name, patch)

    def _watch(self, device: Device, name: str, patch: pytest.MonkeyPatch) -> None:
        real = getattr(device, name)

        def watched(*args: Any, **options: Any) -> Any:
            self.sizes += [array.size for array in args if isinstance(array, np.ndarray)]
            return real(*args, **options)

        patch.setattr(device, name, watched)


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
    assert first.ranks.tobytes() == again.ranks.tobytes()
    pagerank(graph, **options, personalization={1: 1}, nstart={3: 1})
    assert uploads.sizes == [graph.num_vertices] * 2  # what the caller gave
    there = pagerank(graph, **options, arrays="device").ranks
    np.testing.assert_array_equal(there.get(), first.ranks)
    uploads.sizes.clear()
    pagerank(graph, **options, arrays="device")
    assert uploads.sizes == []


def test_no_recomputing(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second call does not look at the graph's arrays."""
    graph = mixed_graph(3, weighted=True)
    pagerank(graph, device=device)

    def never(graph: Graph) -> Any:
        raise AssertionError("the tails of all arcs were computed again")

    monkeypatch.setattr(Graph, "rows", property(never))
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
    numbers = Numbers("float32", compensated=False)
    for plan in ("serial", "runs", "bins", choose(device, graph, numbers)):
        rows = KINDS[plan](device, graph, problem, numbers, weight)
        made = rows.row_order()
        assert made is KINDS[plan](device, graph, problem, numbers, weight).row_order()
        n = graph.num_vertices
        order = np.arange(n) if made.order is None else made.order
        inverse = device.download(made.inverse_out, np.float32, n)
        scale = (problem.out > 0) if problem.weights is not None else problem.out
        with np.errstate(divide="ignore"):
            wanted = np.where(problem.out > 0, 1 / scale, 0)[order].astype(np.float32)
        np.testing.assert_array_equal(inverse, wanted)
        if made.order is not None:
            assert made.position is not None
            np.testing.assert_array_equal(made.order[made.position], np.arange(n))
            for buffer, array in ((made.order_buffer, made.order), (made.position_buffer, made.position)):
                np.testing.assert_array_equal(device.download(buffer, np.int32, n), array)


def test_inverse_permutation() -> None:
    order = np.array([2, 0, 3, 1], np.int32)
    assert inverse_permutation(order).tolist() == [1, 3, 0, 2]
