"""The iterating methods in lanes: against the reference, policies, ends, widths, options."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from graphs import as_networkx
from personalized import EXACT, as_reference, close, everywhere, random_graph, skewed_graph

from clgraph import Graph, personalized_pagerank
from clgraph.device import Device
from clgraph.errors import CapacityError, ConvergenceError, ConvergenceWarning
from clgraph.ranking import solver as pagerank_solver
from clgraph.ranking.personalized import batched_power, engines
from clgraph.ranking.solver import Numbers
from clgraph.reference.pagerank import reference_ppr, verify_ppr


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("method", EXACT)
@pytest.mark.cross
def test_against_reference(device: Device, method: Any, dtype: str) -> None:
    for seed in range(4):
        graph = random_graph(seed, weighted=seed > 1)
        sources = list(range(0, 60, 7))
        found = as_reference(device, graph, sources, 12, method=method, dtype=dtype)
        assert found.scores.dtype == dtype
        assert found.converged is None
        assert found.iterations.tolist() == [12] * len(sources)
        verify_ppr(graph, found, sources)


TO_THE_END: dict[str, Any] = {"dtype": "float64", "tol": 1e-12, "norm": "l1", "max_iter": 500}


@pytest.mark.parametrize("dangling", ["uniform", "personalization", "drop", {3: 1.0, 5: 2.0}])
@pytest.mark.parametrize(
    "method", ["power", pytest.param("coo-flat", marks=[pytest.mark.first_device, pytest.mark.slow])]
)
def test_policies(device: Device, method: Any, dangling: Any) -> None:
    graph = random_graph(1)
    for sources in ([0, 7, 33], [{0: 1.0, 4: 3.0}, {59: 1.0}]):
        options: dict[str, Any] = {"method": method, "dangling": dangling, **TO_THE_END}
        found = personalized_pagerank(graph, sources, device=device, **options)
        close(found, reference_ppr(graph, sources, dangling=dangling, tol=1e-15))
        assert found.converged.all()
        assert found.dangling == ("given" if isinstance(dangling, dict) else dangling)
        verify_ppr(graph, found, sources)


def test_like_networkx(device: Device) -> None:
    ends = np.unique(np.random.default_rng(3).integers(0, 40, (2, 120)), axis=1)
    graph = Graph.from_edges(*ends, vertices=np.arange(40), directed=True)
    found = personalized_pagerank(graph, 5, dangling="personalization", device=device, **TO_THE_END)
    want = nx.pagerank(as_networkx(graph), personalization={5: 1}, tol=1e-15, max_iter=1000)
    close(found, np.array([[want[v] for v in range(40)]]))


@pytest.mark.parametrize("method", EXACT)
def test_skewed(device: Device, method: Any) -> None:
    """Rows of thousands of arcs, over many work-groups."""
    for dtype in ("float32", "float64"):
        as_reference(device, skewed_graph(), [0, 1, 3000], 10, method=method, dtype=dtype)


@pytest.mark.parametrize("method", ["power", "monte-carlo"])
def test_a_source_given_twice(device: Device, method: Any) -> None:
    """Two equal rows, where it stands among the others."""
    options: dict[str, Any] = {"walks": 500, "seed": 1} if method == "monte-carlo" else {}
    graph = random_graph(1)
    options |= {"method": method, "device": device}
    cases: list[list[Any]] = [[3, 5, 3]]
    if method == "power":  # walks from a distribution given twice are drawn anew
        cases.append([{3: 1, 5: 1}, {7: 1}, {5: 2, 3: 2}])
    for sources in cases:
        found, best = (personalized_pagerank(graph, sources, top=top, **options) for top in (None, 4))
        assert len(found.scores) == len(found.sources) == 3
        assert np.array_equal(found.scores[0], found.scores[2])
        assert not np.array_equal(found.scores[0], found.scores[1])
        assert np.array_equal(best.ids[0], best.ids[2])
        assert np.array_equal(best.scores[0], best.scores[2])


def test_more_sources_than_fit(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many lanes as the device has room for, one batch after the other; the plan says so."""
    monkeypatch.setattr(engines, "takes", lambda *_: False)  # lanes, also where PageRank has pipelines
    graph = skewed_graph()
    wide, narrow = 16, 8
    shape = replace(batched_power.LAUNCH["cpu"], widths=(narrow, wide))
    monkeypatch.setattr(batched_power, "LAUNCH", everywhere(shape))
    # of value and next; the wider: 4
    monkeypatch.setitem(vars(device), "global_memory", 3 * 4 * 5000 * narrow)
    sources = list(range(wide))
    found = personalized_pagerank(graph, sources, tol=0, max_iter=5, top=9, device=device)
    assert f"{wide} sources, {narrow} at a time" in " ".join(found.plan)
    verify_ppr(graph, found, sources)
    monkeypatch.setitem(vars(device), "global_memory", 4 * 5000 * narrow)
    with pytest.raises(CapacityError, match="bytes are needed"):
        personalized_pagerank(graph, sources, tol=0, max_iter=5, top=9, device=device)


@pytest.mark.slow
@pytest.mark.first_device
@pytest.mark.parametrize("method", EXACT)
def test_compensated(device: Device, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a device without float64."""
    without: Any = SimpleNamespace(features=frozenset())
    monkeypatch.setattr(pagerank_solver, "Numbers", lambda device, dtype: Numbers(without, "float32"))
    as_reference(device, skewed_graph(), [0, 5, 77], 10, method=method)


@pytest.mark.slow
@pytest.mark.parametrize("norm", ["l1", "l2", "linf", "nx"])
def test_lanes_end_by_themselves(device: Device, norm: Any) -> None:
    """More sources than lanes: each ends at its own iteration, as if it were alone."""
    graph = random_graph(1, n=300, arcs=500)
    sources = list(range(0, 300, 6))
    tol = 1e-9 if norm == "nx" else 1e-7
    call: dict[str, Any] = {"norm": norm, "tol": tol, "dtype": "float64", "device": device}
    found = personalized_pagerank(graph, sources, **call)
    assert len(set(found.iterations.tolist())) > 3
    threshold = tol * 300 if norm == "nx" else tol
    assert (found.residuals < threshold).all()
    for i in (0, 7, 49):
        alone = personalized_pagerank(graph, sources[i : i + 1], **call)
        assert alone.iterations[0] == found.iterations[i]
        np.testing.assert_allclose(found.scores[i], alone.scores[0], rtol=1e-10, atol=1e-16)
    verify_ppr(graph, found, sources)


def test_same_bytes(device: Device) -> None:
    graph = skewed_graph()
    for method in EXACT:
        one, other = (personalized_pagerank(graph, [0, 9], method=method, device=device) for _ in range(2))
        assert one.scores.tobytes() == other.scores.tobytes()


def test_not_converged(device: Device) -> None:
    graph = random_graph(1)
    with pytest.raises(ConvergenceError, match="source 0") as caught:
        personalized_pagerank(graph, [0, 1], max_iter=2, device=device)
    assert caught.value.result.iterations.tolist() == [2, 2]
    with pytest.warns(ConvergenceWarning) as warned:
        found = personalized_pagerank(graph, [0], max_iter=2, on_nonconvergence="warn", device=device)
    assert warned[0].filename == __file__
    assert found.ended == ["max_iter"]
    verify_ppr(graph, found, [0])


@pytest.mark.parametrize("method", EXACT)
def test_cycle_of_roundings(device: Device, method: Any) -> None:
    """A source whose ranks roundings keep from the tolerance stops; others go on."""
    graph = Graph.from_edges(np.zeros(38, int), np.arange(1, 39), vertices=np.arange(60))
    call: dict[str, Any] = {"damping": 0.98, "dangling": "personalization", "norm": "l1"}
    call |= {"method": method, "device": device}
    with pytest.raises(ConvergenceError, match=r"roundings of float32 scores.* dtype='float64'") as caught:
        personalized_pagerank(graph, [0, 59, 1], tol=1e-6, max_iter=100_000, **call)
    found = caught.value.result
    assert found.ended == ["round-off", "tol", "round-off"] and found.iterations.max() < 3000
    verify_ppr(graph, found, [0, 59, 1])
    if "HAVE_FP64" in device.features:
        wide = personalized_pagerank(graph, [0, 1], tol=1e-6, max_iter=3000, dtype="float64", **call)
        assert wide.ended == ["tol", "tol"]


def test_check_every(device: Device) -> None:
    graph = random_graph(1, n=300, arcs=500)
    sources = [0, 4, 8]
    each = personalized_pagerank(graph, sources, device=device)
    some = personalized_pagerank(graph, sources, check_every=5, device=device)
    for a, b in zip(each.iterations.tolist(), some.iterations.tolist(), strict=True):
        assert a <= b < a + 5 and b % 5 == 0
    call: dict[str, Any] = {"max_iter": 7, "tol": 0, "dtype": "float64", "device": device}
    last = personalized_pagerank(graph, sources, check_every=5, **call)
    assert last.iterations.tolist() == [7] * 3 and (last.residuals > 0).all()
    verify_ppr(graph, last, sources)


def test_squared(device: Device) -> None:
    graph = random_graph(1)
    plain, squared = (personalized_pagerank(graph, [0, 4], squared=s, device=device) for s in (False, True))
    assert np.abs(plain.iterations - squared.iterations).max() <= 1
    assert (squared.residuals < 1e-6).all()


def test_stable_top(device: Device) -> None:
    graph = skewed_graph()
    sources = [0, 5, 4000]
    whole = personalized_pagerank(graph, sources, top=10, tol=1e-7, device=device)
    early = personalized_pagerank(graph, sources, top=10, tol=1e-7, stable_top=2, device=device)
    assert "top" in early.ended
    assert early.converged.all()
    assert (early.iterations <= whole.iterations).all() and (early.iterations < whole.iterations).any()
    assert (early.error_bounds >= whole.error_bounds).all()
    verify_ppr(graph, early, sources)


def test_too_many_lanes_for_the_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "takes", lambda *_: False)  # lanes, also where PageRank has pipelines
    graph = random_graph(1)
    monkeypatch.setitem(vars(device), "global_memory", 60 * 4 * 3 * 10)
    found = personalized_pagerank(graph, list(range(20)), top=3, device=device)
    assert any("20 sources, 8 at a time" in line for line in found.plan)
    verify_ppr(graph, found, list(range(20)))
