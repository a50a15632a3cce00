"""Personalized PageRank: all methods against the reference; walks, counts and bounds; top k; options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from clgraph import Graph, read
from clgraph.errors import CapacityError, ConvergenceError, ConvergenceWarning, InputError
from clgraph.keyed import TAG_WALK, philox4x32
from clgraph.ranking import solver as pagerank_solver
from clgraph.ranking.personalized import PersonalizedResult, personalized_pagerank
from clgraph.ranking.personalized import call as ppr_call
from clgraph.ranking.personalized import lanes as ppr_lanes
from clgraph.ranking.personalized import product as ppr_product
from clgraph.ranking.personalized import single as ppr_single
from clgraph.ranking.personalized import top as ppr_top
from clgraph.ranking.personalized.problem import start_thresholds, walks_for
from clgraph.ranking.rows import Numbers
from clgraph.reference.ppr import reference_ppr, top_accuracy, verify_ppr

if TYPE_CHECKING:
    from clgraph.device import Device

Paths = Callable[[str], Path]
EXACT = ("power", "coo", "coo-flat")
# row numbers from 0 in California.mtx
CONTEST = [
    9616,
    18,
    1010,
    6016,
    3579,
    3511,
    4549,
    281,
    6465,
    2104,
    5338,
    2301,
    37,
    670,
    7544,
    7080,
    7771,
    835,
    623,
    924,
    1854,
    2048,
    9500,
    5906,
    7910,
    8488,
    6075,
    6786,
    5530,
    5677,
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
    assert found.ranks is not None
    l1 = 2e-6 if found.dtype == "float32" else 1e-11
    assert np.abs(found.ranks.astype(np.float64) - want).sum(axis=1).max() <= l1


# --- iterating methods --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("method", EXACT)
def test_against_reference(device: Device, method: Any, dtype: str) -> None:
    for seed in range(4):
        graph = random_graph(seed, weighted=seed > 1)
        sources = list(range(0, 60, 7))
        found = personalized_pagerank(
            graph, sources, method=method, dtype=dtype, tol=0, max_iter=12, device=device
        )
        close(found, reference_ppr(graph, sources, iterations=12))
        assert found.ranks is not None and found.ranks.dtype == dtype
        assert found.converged is None
        assert found.iterations.tolist() == [12] * len(sources)
        verify_ppr(graph, found, sources)


@pytest.mark.parametrize("dangling", ["uniform", "personalization", "drop", {3: 1.0, 5: 2.0}])
@pytest.mark.parametrize("method", ["power", pytest.param("coo-flat", marks=pytest.mark.first_device)])
def test_policies(device: Device, method: Any, dangling: Any) -> None:
    graph = random_graph(1)
    for sources in ([0, 7, 33], [{0: 1.0, 4: 3.0}, {59: 1.0}]):
        found = personalized_pagerank(
            graph,
            sources,
            method=method,
            dangling=dangling,
            dtype="float64",
            tol=1e-12,
            norm="l1",
            max_iter=300,
            device=device,
        )
        close(found, reference_ppr(graph, sources, dangling=dangling, tol=1e-15))
        assert found.converged is not None and found.converged.all()
        assert found.dangling == ("given" if isinstance(dangling, dict) else dangling)
        verify_ppr(graph, found, sources)


def test_like_networkx(device: Device) -> None:
    rng = np.random.default_rng(3)
    tails, heads = rng.integers(0, 40, (2, 120))
    other = nx.DiGraph()
    other.add_nodes_from(range(40))
    other.add_edges_from(zip(tails.tolist(), heads.tolist(), strict=True))
    simple = Graph.from_edges(*np.array(list(other.edges)).T, vertices=np.arange(40), directed=True)
    found = personalized_pagerank(
        simple,
        5,
        dangling="personalization",
        dtype="float64",
        tol=1e-12,
        norm="l1",
        max_iter=500,
        device=device,
    )
    want = nx.pagerank(other, personalization={5: 1}, tol=1e-15, max_iter=1000)
    close(found, np.array([[want[v] for v in range(40)]]))


@pytest.mark.parametrize("method", EXACT)
def test_skewed(device: Device, method: Any) -> None:
    """Rows of thousands of arcs, over many work-groups."""
    graph = skewed_graph()
    sources = [0, 1, 3000]
    for dtype in ("float32", "float64"):
        found = personalized_pagerank(
            graph, sources, method=method, dtype=dtype, tol=0, max_iter=10, device=device
        )
        close(found, reference_ppr(graph, sources, iterations=10))


SHAPES = {
    "teams": ppr_product.Shape((4, 8), 0, local=64, piece=16, items=1, flat_local=32, flat_arcs=2),
    "runs": ppr_product.Shape((1, 8), 5, local=1, piece=0, items=7, flat_local=1, flat_arcs=5),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("method", EXACT)
def test_shapes(device: Device, method: Any, shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The launch shapes of other kinds of devices."""
    monkeypatch.setitem(ppr_product.SHAPES, device.kind, SHAPES[shape])
    monkeypatch.setattr(ppr_lanes, "FINISH_LOCAL", {device.kind: 16})
    monkeypatch.setitem(ppr_top.TOP_LOCAL, device.kind, 32)
    graph = skewed_graph(400, 4000)
    sources = list(range(0, 400, 23))
    found = personalized_pagerank(graph, sources, method=method, tol=0, max_iter=8, device=device)
    close(found, reference_ppr(graph, sources, iterations=8))
    top = personalized_pagerank(graph, sources, method=method, tol=0, max_iter=8, top=30, device=device)
    assert top.ids is not None and found.ranks is not None
    assert np.array_equal(top.ids, np.argsort(-found.ranks, axis=1, kind="stable")[:, :30])


@pytest.mark.parametrize("method", ["power", "monte-carlo"])
def test_a_source_given_twice(device: Device, method: Any) -> None:
    """Two equal rows, where it stands among the others."""
    options: dict[str, Any] = {"walks": 500, "seed": 1} if method == "monte-carlo" else {}
    graph = random_graph(1)
    cases: list[list[Any]] = [[3, 5, 3]]
    if method == "power":  # walks from a distribution given twice are drawn anew
        cases.append([{3: 1, 5: 1}, {7: 1}, {5: 2, 3: 2}])
    for sources in cases:
        found = personalized_pagerank(graph, sources, method=method, device=device, **options)
        best = personalized_pagerank(graph, sources, method=method, device=device, top=4, **options)
        assert found.ranks is not None and best.ids is not None and best.scores is not None
        assert len(found.ranks) == len(found.sources) == 3
        assert np.array_equal(found.ranks[0], found.ranks[2])
        assert not np.array_equal(found.ranks[0], found.ranks[1])
        assert np.array_equal(best.ids[0], best.ids[2])
        assert np.array_equal(best.scores[0], best.scores[2])


def test_more_sources_than_fit(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many lanes as the device has room for, one batch after the other; the plan says so."""
    monkeypatch.setattr(ppr_call, "takes", lambda *_: False)  # lanes, also where PageRank has pipelines
    graph = skewed_graph()
    wide, narrow = ppr_product.SHAPES["cpu"].widths[-1], ppr_product.SHAPES["cpu"].widths[-2]
    shape = replace(ppr_product.SHAPES["cpu"], widths=(narrow, wide))
    monkeypatch.setitem(ppr_product.SHAPES, device.kind, shape)
    monkeypatch.setattr(device, "global_memory", 3 * 4 * 5000 * narrow)  # of value and next; the wider: 4
    sources = list(range(wide))
    found = personalized_pagerank(graph, sources, tol=0, max_iter=5, top=9, device=device)
    assert f"{wide} sources, {narrow} at a time" in " ".join(found.plan)
    verify_ppr(graph, found, sources)
    monkeypatch.setattr(device, "global_memory", 4 * 5000 * narrow)
    with pytest.raises(CapacityError, match="bytes are needed"):
        personalized_pagerank(graph, sources, tol=0, max_iter=5, top=9, device=device)


@pytest.mark.first_device
@pytest.mark.parametrize("method", EXACT)
def test_compensated(device: Device, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a device without float64."""
    monkeypatch.setattr(
        pagerank_solver, "choose_numbers", lambda device, dtype: Numbers("float32", compensated=True)
    )
    graph = skewed_graph()
    found = personalized_pagerank(graph, [0, 5, 77], method=method, tol=0, max_iter=10, device=device)
    close(found, reference_ppr(graph, [0, 5, 77], iterations=10))


@pytest.mark.parametrize("plan", ["bins", "runs", None])
def test_single_source(device: Device, plan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One source on PageRank's own rows, and in a lane."""
    monkeypatch.setattr(ppr_single, "PLAN", {device.kind: plan} if plan else {})
    graph = skewed_graph()
    for dangling in ("uniform", "personalization", "drop", {3: 1.0, 5: 2.0}):
        for source in (3, {7: 1.0, 2: 0.5}):
            options: dict[str, Any] = {"dangling": dangling, "device": device}
            found = personalized_pagerank(graph, source, tol=0, max_iter=9, **options)
            close(found, reference_ppr(graph, source, dangling=dangling, iterations=9))
            assert found.iterations.tolist() == [9]
            top = personalized_pagerank(graph, source, top=7, tol=0, max_iter=9, **options)
            assert top.ids is not None and found.ranks is not None
            assert top.ids[0].tolist() == np.argsort(-found.ranks[0], kind="stable")[:7].tolist()
            verify_ppr(graph, top, source)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf", "nx"])
def test_lanes_end_by_themselves(device: Device, norm: Any) -> None:
    """More sources than lanes: each ends at its own iteration, as if it were alone."""
    graph = random_graph(1, n=300, arcs=500)
    sources = list(range(0, 300, 6))
    tol = 1e-9 if norm == "nx" else 1e-7
    found = personalized_pagerank(graph, sources, norm=norm, tol=tol, dtype="float64", device=device)
    assert len(set(found.iterations.tolist())) > 3
    assert found.ranks is not None
    threshold = tol * 300 if norm == "nx" else tol
    assert (found.residuals < threshold).all()
    for i in (0, 7, 49):
        alone = personalized_pagerank(
            graph, sources[i : i + 1], norm=norm, tol=tol, dtype="float64", device=device
        )
        assert alone.ranks is not None
        assert alone.iterations[0] == found.iterations[i]
        np.testing.assert_allclose(found.ranks[i], alone.ranks[0], rtol=1e-10, atol=1e-16)
    verify_ppr(graph, found, sources)


def test_same_bytes(device: Device) -> None:
    graph = skewed_graph()
    for method in EXACT:
        one, other = (
            personalized_pagerank(graph, [0, 9], method=method, device=device)  # type: ignore[arg-type]
            for _ in range(2)
        )
        assert one.ranks is not None and other.ranks is not None
        assert one.ranks.tobytes() == other.ranks.tobytes()


# --- sources --------------------------------------------------------------------------------------------


def test_forms_of_sources(device: Device) -> None:
    graph = random_graph(1).with_ids(np.arange(60) * 10)
    several = personalized_pagerank(graph, [30, 0, 30], device=device)
    assert several.sources == [30, 0, 30]
    assert several.ranks is not None
    assert several.ranks[0].tobytes() == several.ranks[2].tobytes()
    alone = personalized_pagerank(graph, 30, device=device)
    assert alone.ranks is not None and alone.ranks.shape == (1, 60)
    rows = np.zeros((2, 60))
    rows[0, 3], rows[1, 0] = 5, 1
    for given in (rows, sp.csr_array(rows), [{30: 2}, {0: 1}]):
        found = personalized_pagerank(graph, given, device=device)
        assert found.ranks is not None
        np.testing.assert_allclose(found.ranks, several.ranks[:2], atol=2e-7)
        assert found.sources == ["distribution 0", "distribution 1"]
    words = Graph.from_edges(["a", "b"], ["b", "c"], directed=True)
    found = personalized_pagerank(words, "a", top=3, device=device)
    assert found.ids is not None and found.sources == ["a"]
    assert found.ids[0].tolist() == ["c", "b", "a"]
    verify_ppr(words, found, "a")


@pytest.mark.parametrize(
    ("sources", "word"),
    [
        ([], "no source"),
        ([0, 99], "99 is not in the graph"),
        ("x", "integers"),
        ([0.5], "ids of vertices"),
        ({}, "empty dict"),
        ({0: -1.0}, "not negative"),
        ({0: float("nan")}, "not negative"),
        ({0: 0.0}, "zero everywhere"),
        (np.zeros((2, 60)), "source 0 is zero everywhere"),
        (np.ones((2, 9)), "60 vertices"),
        (sp.csr_array(np.ones((2, 9))), "(k, 60)"),
        (np.zeros((0, 60)), "no source"),
    ],
)
def test_bad_sources(sources: Any, word: str) -> None:
    with pytest.raises(InputError) as caught:
        personalized_pagerank(random_graph(1), sources)
    assert word in str(caught.value)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"method": "mc"}, "method is"),
        ({"top": 0}, "top is 0"),
        ({"top": 61}, "from 1 to 60"),
        ({"walks": 5}, "monte-carlo"),
        ({"seed": 5}, "monte-carlo"),
        ({"epsilon": 0.1}, "monte-carlo"),
        ({"method": "monte-carlo", "walks": 0}, "walks is 0"),
        ({"method": "monte-carlo", "walks": 2**31}, "at most"),
        ({"method": "monte-carlo", "walks": 5, "epsilon": 0.1}, "both"),
        ({"method": "monte-carlo", "epsilon": 0.0}, "above 0 and below 1"),
        ({"method": "monte-carlo", "epsilon": 1.0}, "above 0 and below 1"),
        ({"method": "monte-carlo", "epsilon": 1e-6}, "32-bit"),
        ({"method": "monte-carlo", "epsilon": 0.1, "confidence": 1.0}, "confidence"),
        ({"method": "monte-carlo", "stored": True}, "iterating"),
        ({"check_every": 0}, "check_every"),
        ({"squared": True, "norm": "l1"}, "squared"),
        ({"stable_top": 2}, "needs top"),
        ({"stable_top": 2, "top": 3, "tol": 0}, "max_iter"),
        ({"tol": 1e-12}, "round-off"),
        ({"damping": 1}, "damping"),
        ({"dangling": "nowhere"}, "dangling"),
        ({"dtype": "int8"}, "dtype"),
        ({"on_nonconvergence": "hope"}, "on_nonconvergence"),
    ],
)
def test_bad_options(options: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError) as caught:
        personalized_pagerank(random_graph(1), [0], **options)
    assert word in str(caught.value)


def test_not_converged(device: Device) -> None:
    graph = random_graph(1)
    with pytest.raises(ConvergenceError, match="source 0") as caught:
        personalized_pagerank(graph, [0, 1], max_iter=2, device=device)
    assert caught.value.result.iterations.tolist() == [2, 2]
    with pytest.warns(ConvergenceWarning):
        found = personalized_pagerank(graph, [0], max_iter=2, on_nonconvergence="warn", device=device)
    assert found.ended == ["max_iter"]
    verify_ppr(graph, found, [0])


# --- options --------------------------------------------------------------------------------------------


def test_check_every(device: Device) -> None:
    graph = random_graph(1, n=300, arcs=500)
    sources = [0, 4, 8]
    each = personalized_pagerank(graph, sources, device=device)
    some = personalized_pagerank(graph, sources, check_every=5, device=device)
    for a, b in zip(each.iterations.tolist(), some.iterations.tolist(), strict=True):
        assert a <= b < a + 5 and b % 5 == 0
    last = personalized_pagerank(
        graph, sources, check_every=5, max_iter=7, tol=0, dtype="float64", device=device
    )
    assert last.iterations.tolist() == [7] * 3 and (last.residuals > 0).all()
    verify_ppr(graph, last, sources)


def test_squared(device: Device) -> None:
    graph = random_graph(1)
    plain, squared = (personalized_pagerank(graph, [0, 4], squared=s, device=device) for s in (False, True))
    assert np.abs(plain.iterations - squared.iterations).max() <= 1
    assert (squared.residuals < 1e-6).all()


@pytest.mark.parametrize("dangling", ["uniform", "personalization", "drop", {3: 1.0, 5: 2.0}])
@pytest.mark.parametrize("top", [None, 5])
def test_stored(device: Device, dangling: Any, top: int | None) -> None:
    graph = random_graph(1, n=100, arcs=120)
    ends = np.flatnonzero(graph.degrees == 0)
    both = [{int(ends[0]): 1.0, int(ends[1]): 2.0}]
    for sources in ([int(ends[0]), 0, int(ends[3])], both):
        found = personalized_pagerank(
            graph, sources, dangling=dangling, stored=True, top=top, dtype="float64", device=device
        )
        assert found.ended[0] == "store"
        assert found.ended[1:2] in ([], ["tol"])
        verify_ppr(graph, found, sources)


def test_stable_top(device: Device) -> None:
    graph = skewed_graph()
    sources = [0, 5, 4000]
    whole = personalized_pagerank(graph, sources, top=10, tol=1e-7, device=device)
    early = personalized_pagerank(graph, sources, top=10, tol=1e-7, stable_top=2, device=device)
    assert "top" in early.ended
    assert early.converged is not None and early.converged.all()
    assert (early.iterations <= whole.iterations).all() and (early.iterations < whole.iterations).any()
    assert (early.error_bounds >= whole.error_bounds).all()
    verify_ppr(graph, early, sources)


def test_too_many_lanes_for_the_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ppr_call, "takes", lambda *_: False)  # lanes, also where PageRank has pipelines
    graph = random_graph(1)
    monkeypatch.setattr(device, "global_memory", 60 * 4 * 3 * 10)
    found = personalized_pagerank(graph, list(range(20)), top=3, device=device)
    assert any("20 sources, 8 at a time" in line for line in found.plan)
    verify_ppr(graph, found, list(range(20)))


# --- top k ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_top_is_that_of_the_ranks(device: Device, dtype: str) -> None:
    for graph in (random_graph(1), skewed_graph(), random_graph(3, n=1000, arcs=300)):
        n = graph.num_vertices
        for method in ("power", "coo-flat", "monte-carlo"):
            options: dict[str, Any] = {"method": method, "dtype": dtype, "device": device}
            if method == "monte-carlo":
                options |= {"seed": 3, "walks": 500}
            ranks = personalized_pagerank(graph, [0, 17], **options).ranks
            assert ranks is not None
            for k in (1, 20, min(n, 60)):
                found = personalized_pagerank(graph, [0, 17], top=k, **options)
                assert found.ids is not None and found.scores is not None and found.ranks is None
                for i in range(2):
                    order = np.argsort(-ranks[i], kind="stable")[:k]  # ties to the smaller index
                    assert found.ids[i].tolist() == order.tolist()
                    assert found.scores[i].tolist() == ranks[i][order].tolist()


# --- walks ----------------------------------------------------------------------------------------------


def python_walks(graph: Graph, source: int, walks: int, seed: int, damping: float) -> tuple[Any, int]:
    """What ``cl/ranking/personalized/walks.cl`` does, one walk after the other, by plain integers."""
    visits, lost = np.zeros(graph.num_vertices, np.int64), 0
    heads = graph.col_idx[graph.row_ptr[source] : graph.row_ptr[source + 1]]
    until = start_thresholds(None, len(heads), walks).tolist()
    for walk in range(walks):
        position = walk << 32 | int(philox4x32(source, walk, 0, TAG_WALK, seed)[0][0])
        v = int(heads[sum(bound <= position for bound in until)])
        step = 1
        while True:
            visits[v] += 1
            a, b, c, d = (int(word[0]) for word in philox4x32(source, walk, step, TAG_WALK, seed))
            step += 1
            if (b << 32 | a) >= int(damping * 2**64):
                break
            begin, end = int(graph.row_ptr[v]), int(graph.row_ptr[v + 1])
            if begin == end:
                lost += 1
                break
            v = int(graph.col_idx[begin + ((d << 32 | c) * (end - begin) >> 64)])
    return visits, lost


def test_walks_by_hand(device: Device) -> None:
    graph = random_graph(3)
    source = int(np.argmax(graph.degrees))
    found = personalized_pagerank(
        graph,
        source,
        method="monte-carlo",
        walks=300,
        seed=2**40 + 7,
        dangling="drop",
        dtype="float64",
        device=device,
    )
    assert found.visits is not None and found.lost is not None and found.ranks is not None
    visits, lost = python_walks(graph, source, 300, 2**40 + 7, 0.85)
    assert found.visits[0].tolist() == visits.tolist()
    assert found.lost[0] == lost
    want = 0.15 * 0.85 * visits / 300
    want[source] += 0.15
    np.testing.assert_allclose(found.ranks[0], want, rtol=1e-12)


def test_counts_do_not_depend_on_the_launch(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures are of all devices: whoever changes them changes what a seed means."""
    from clgraph.ranking.personalized import walks as ppr_walks

    graph = skewed_graph()
    found = []
    for each in (1, 7, 512):
        monkeypatch.setitem(ppr_walks.WALKS_EACH, device.kind, each)
        result = personalized_pagerank(graph, [3, 0], method="monte-carlo", walks=5000, seed=1, device=device)
        assert result.visits is not None and result.lost is not None
        found.append((result.visits.tobytes(), result.lost.tolist()))
        digest = (result.visits.astype(np.int64) * np.arange(1, 5001)).sum(axis=1) % 1_000_003
        assert digest.tolist() == DIGEST
    assert found[0] == found[1] == found[2]


DIGEST = [76839, 955840]


@pytest.mark.parametrize("dangling", ["uniform", "personalization", "drop", {3: 1.0, 5: 2.0}])
@pytest.mark.parametrize("weighted", [False, True])
def test_unbiased(device: Device, dangling: Any, weighted: bool) -> None:
    """Close to the reference at many walks, under every policy; weights, loops, copies, dangling sources."""
    graph = random_graph(3, weighted=weighted)
    ends = np.flatnonzero(graph.degrees == 0)
    for sources in ([0, 1, int(ends[0])], [{0: 1.0, int(ends[0]): 2.0, 4: 0.5}, {int(ends[0]): 1}]):
        found = personalized_pagerank(
            graph,
            sources,
            method="monte-carlo",
            walks=100_000,
            seed=5,
            dangling=dangling,
            dtype="float64",
            device=device,
        )
        verify_ppr(graph, found, sources)
        want = reference_ppr(graph, sources, dangling=dangling)
        assert found.ranks is not None
        assert np.abs(found.ranks - want).max() < 0.006
        assert np.abs(found.ranks - want)[1 if isinstance(sources[0], dict) else 2].sum() < 1e-8


def test_error_shrinks_as_the_root_of_walks(device: Device) -> None:
    graph = skewed_graph()
    want = reference_ppr(graph, [3])[0]
    rms = []
    for walks in (1000, 16_000):
        errors = [
            personalized_pagerank(graph, 3, method="monte-carlo", walks=walks, seed=s, device=device).ranks[0]
            - want
            for s in range(12)
        ]
        rms.append(float(np.sqrt(np.mean(np.square(errors)))))
        # the sum of all variances is at most (1 + d) / walks
        assert np.mean(np.square(errors).sum(axis=1)) <= 1.85 / walks
    assert 3.0 < rms[0] / rms[1] < 5.3  # 4 but for chance


def test_epsilon_holds(device: Device) -> None:
    graph = skewed_graph()
    epsilon, confidence = 0.02, 0.8
    within = 0
    want = reference_ppr(graph, [3])[0]
    for seed in range(20):
        found = personalized_pagerank(
            graph, 3, method="monte-carlo", epsilon=epsilon, confidence=confidence, seed=seed, device=device
        )
        assert found.ranks is not None and found.walks is not None
        assert found.walks == walks_for(epsilon, confidence, 0.85, 5000)
        within += np.abs(found.ranks[0] - want).max() <= epsilon
    assert within >= 16
    assert (found.epsilon, found.confidence) == (epsilon, confidence)


def test_walks_for() -> None:
    assert walks_for(0.01, 0.95, 0.85, 10**6) == pytest.approx(3.7 * np.log(40) / 1e-4, rel=0.05)
    assert walks_for(0.01, 0.5, 0.85, 10**6) <= 1.85 / (1e-4 * 0.5)
    assert walks_for(0.005, 0.95, 0.85, 100) > 3.9 * walks_for(0.01, 0.95, 0.85, 100)
    assert walks_for(0.01, 0.99, 0.85, 100) > walks_for(0.01, 0.95, 0.85, 100)
    assert walks_for(0.01, 0.95, 0.85, 100, "personalization") > 100 * walks_for(0.01, 0.95, 0.85, 100)


def test_standard_errors(device: Device) -> None:
    """They cover what is seen over seeds, and are of its size."""
    graph = skewed_graph()
    found = [
        personalized_pagerank(graph, 3, method="monte-carlo", walks=2000, seed=s, top=3, device=device)
        for s in range(25)
    ]
    first = found[0].ids[0][0]  # type: ignore[index]
    scores = [f.scores[0][f.ids[0].tolist().index(first)] for f in found if first in f.ids[0]]  # type: ignore[index]
    assert found[0].standard_errors is not None
    assert np.std(scores) <= 1.3 * found[0].standard_errors[0][0]
    assert found[0].standard_errors.shape == (1, 3) and found[0].visits.shape == (1, 3)  # type: ignore[union-attr]


def test_start_thresholds() -> None:
    for count, walks in ((1, 7), (5, 3), (7, 1000), (1000, 7), (3, 2**31 - 1)):
        bounds = start_thresholds(None, count, walks)
        want = [-(-j * (walks << 32) // count) for j in range(1, count + 1)]
        assert bounds.tolist() == want
        assert start_thresholds(np.ones(count), count, walks).tolist() == want
    assert start_thresholds(np.array([0.0, 1, 0]), 3, 10).tolist() == [0, 10 << 32, 10 << 32]


def test_seed_is_recorded(device: Device) -> None:
    graph = random_graph(1)
    found = personalized_pagerank(graph, 0, method="monte-carlo", walks=50, device=device)
    again = personalized_pagerank(graph, 0, method="monte-carlo", walks=50, seed=found.seed, device=device)
    assert found.ranks is not None and again.ranks is not None
    assert found.ranks.tobytes() == again.ranks.tobytes()


# --- accuracy -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def california() -> tuple[Graph, Any, Any, Any]:
    import os

    folder = os.environ.get("CLGRAPH_TEST_DATA")
    if not folder:
        pytest.skip("CLGRAPH_TEST_DATA is not set")
    graph = read(Path(folder, "California.mtx"))
    sources = graph.ids[CONTEST]
    return graph, sources, reference_ppr(graph, sources), reference_ppr(graph, sources, rule="contest")


def mean_accuracy(found: PersonalizedResult, graph: Graph, want: Any, **rule: Any) -> float:
    assert found.ids is not None
    pairs = zip(found.ids, want, strict=True)
    return float(np.mean([top_accuracy(graph.index(ids), ranks, **rule) for ids, ranks in pairs]))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize(
    "options", [{}, {"check_every": 3, "squared": True, "stored": True}], ids=["plain", "heuristics"]
)
def test_california(device: Device, california: Any, method: Any, options: dict[str, Any]) -> None:
    graph, sources, want, _ = california
    found = personalized_pagerank(graph, sources, method=method, top=20, device=device, **options)
    assert mean_accuracy(found, graph, want) == 1
    assert found.ended.count("store") == (14 if options else 0)
    assert found.ids is not None and found.scores is not None
    for ids, scores, ranks in zip(found.ids, found.scores, want, strict=True):
        assert np.abs(ranks[graph.index(ids)] - scores).sum() <= found.error_bounds.max()


def test_california_by_walks(device: Device, california: Any) -> None:
    graph, sources, want, _ = california

    def accuracy(**options: Any) -> float:
        found = personalized_pagerank(
            graph, sources, method="monte-carlo", seed=1, top=20, device=device, **options
        )
        return mean_accuracy(found, graph, want)

    by_default = accuracy()
    assert by_default >= 0.95
    assert accuracy(walks=20_000) < by_default
    assert accuracy(walks=200) < accuracy(walks=20_000)
