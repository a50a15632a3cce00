"""PageRank: every variant, kind of graph, distribution and stop against the reference, NetworkX and LDBC."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from clgraph import Graph, read
from clgraph.errors import ClgraphError, ConvergenceError, ConvergenceWarning, InputError
from clgraph.ranking import PageRankResult, pagerank
from clgraph.ranking import solver as solver_module
from clgraph.ranking.deal import class_numbers, window_bounds
from clgraph.ranking.rows import Numbers
from clgraph.reference.pagerank import reference_pagerank, verify_pagerank

if TYPE_CHECKING:
    from clgraph.device import Device

Paths = Callable[[str], Path]
VARIANTS = ("auto", "serial", "pull", "contribution", "subgroup", "small", "runs", "bins")


def random_graph(seed: int, weighted: bool = False, n: int = 60) -> Graph:
    """Small, with loops, parallel arcs, isolated and dangling vertices; directed by turns."""
    rng = np.random.default_rng(seed)
    tails, heads = (rng.random((2, 3 * n)) ** 2 * n).astype(int)
    weights = rng.integers(0, 9, 3 * n) / 3 if weighted else None
    return Graph.from_edges(
        tails,
        heads,
        weights=weights,
        vertices=np.arange(n),
        directed=bool(seed % 2),
        duplicates=("merge", "keep")[seed // 2 % 2],
    )


def skewed_graph(seed: int = 0, n: int = 20_000, arcs: int = 150_000) -> Graph:
    """Some very long rows, and very popular sources."""
    rng = np.random.default_rng(seed)
    ends = (rng.random((2, arcs)) ** 5 * n).astype(int)
    return Graph.from_edges(*ends, vertices=np.arange(n), directed=True)


def close(one: PageRankResult, other: Any, dtype: str) -> None:
    """The agreement that the issue asks for, between results at the same iteration."""
    ranks = other.ranks if isinstance(other, PageRankResult) else other
    l1, relative = (1e-6, 1e-5) if dtype == "float32" else (1e-12, 1e-11)
    assert np.abs(one.ranks.astype(np.float64) - ranks).sum() <= l1
    np.testing.assert_allclose(one.ranks, ranks, rtol=relative, atol=0 if dtype == "float32" else 1e-15)


def usable(device: Device, graph: Graph, dtype: str = "float32") -> list[str]:
    """The variants, without "small" where the graph does not fit a GPU's local memory."""
    try:
        pagerank(graph, variant="small", tol=0, max_iter=1, dtype=dtype, device=device)
    except InputError as error:
        assert device.kind == "gpu"
        assert "local memory" in str(error)
        return [variant for variant in VARIANTS if variant != "small"]
    return list(VARIANTS)


# --- against the definition ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_random(device: Device, variant: Any, dtype: str) -> None:
    for seed in range(4):
        graph = random_graph(seed, weighted=seed > 1)
        found = pagerank(graph, variant=variant, dtype=dtype, tol=0, max_iter=15, device=device)
        close(found, reference_pagerank(graph, iterations=15), dtype)
        assert found.ranks.dtype == dtype
        assert (found.iterations, found.converged) == (15, None)
        assert variant in ("auto", found.variant)
        verify_pagerank(graph, found)


P = {0: 1.0, 3: 2.5, 7: 0}
OPTIONS: dict[str, dict[str, Any]] = {
    "uniform": {"dangling": "uniform"},
    "drop": {"dangling": "drop"},
    "personal": {"personalization": P},
    "personal, uniform": {"personalization": P, "dangling": "uniform"},
    "personal, drop": {"personalization": P, "dangling": "drop"},
    "dangling": {"dangling": {5: 1}},
    "personal, dangling": {"personalization": P, "dangling": {5: 1, 6: 3}},
    "start": {"nstart": {2: 1, 50: 1}, "damping": 0.6},
    "damping 0": {"damping": 0},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize(
    "variant",
    [
        "auto",
        "runs",
        *(pytest.param(v, marks=pytest.mark.first_device) for v in ("subgroup", "pull", "serial")),
    ],
)
def test_options(device: Device, variant: Any, options: dict[str, Any]) -> None:
    for seed in (1, 3):
        graph = random_graph(seed, weighted=seed == 3)
        found = pagerank(graph, variant=variant, tol=0, max_iter=7, device=device, **options)
        close(found, reference_pagerank(graph, iterations=7, **options), "float32")
        verify_pagerank(graph, found)


def test_arrays_like_dicts(device: Device) -> None:
    graph = random_graph(1)
    as_array = np.zeros(60)
    for v, value in P.items():
        as_array[v] = value
    one, other = (
        pagerank(graph, personalization=p, dangling=p, nstart=p, device=device) for p in (P, as_array)
    )
    assert one.ranks.tobytes() == other.ranks.tobytes()


@pytest.mark.parametrize("variant", VARIANTS[1:])
def test_skewed(device: Device, variant: Any) -> None:
    """Rows of tens of thousands of arcs: plain float32 sums would be off by 5e-4."""
    graph = skewed_graph()
    want = reference_pagerank(graph, iterations=12)
    for dtype in ("float32", "float64"):
        if variant in usable(device, graph, dtype):
            found = pagerank(graph, variant=variant, dtype=dtype, tol=0, max_iter=12, device=device)
            close(found, want, dtype)


def test_more_sources_than_a_slice_has_bits_for(device: Device) -> None:
    """Dealt arcs count sources from their slice's first: 2**17 of them at most, however few their arcs."""
    n = 300_000
    ends = np.random.default_rng(6).integers(0, n, (2, 90_000))
    graph = Graph.from_edges(*ends, vertices=np.arange(n), directed=True)
    found = pagerank(graph, variant="runs", tol=0, max_iter=3, device=device)
    close(found, reference_pagerank(graph, iterations=3), "float32")


def test_classes_and_windows() -> None:
    """Who counts as hot, without sorting by degree; and windows that keep to the classes."""
    rng = np.random.default_rng(8)
    for out in (rng.integers(0, 9, 200), rng.zipf(1.5, 500) % 1000, np.zeros(7, int), np.ones(3, int)):
        sources = int(np.count_nonzero(out))
        place = np.empty(len(out), int)
        place[np.argsort(-out, kind="stable")] = np.arange(len(out))
        for bounds in ([sources], sorted({min(5, sources), min(17, sources), sources})):
            reached = class_numbers(out, bounds)
            np.testing.assert_array_equal(reached, np.searchsorted(bounds, place, side="right"))
            begins = window_bounds(np.bincount(reached, minlength=len(bounds) + 1), 64)
            assert {0, *bounds, len(out)} <= set(begins.tolist())
            assert np.all((np.diff(begins) > 0) & (np.diff(begins) <= 64))


@pytest.mark.parametrize("variant", VARIANTS)
def test_compensated(device: Device, variant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a device without float64."""
    monkeypatch.setattr(
        solver_module, "choose_numbers", lambda device, dtype: Numbers("float32", compensated=True)
    )
    graph = skewed_graph(1, n=3000, arcs=60_000)
    found = pagerank(graph, variant=variant, tol=0, max_iter=12, device=device)
    close(found, reference_pagerank(graph, iterations=12), "float32")
    stopped = pagerank(graph, variant=variant, device=device, norm="l2", tol=1e-7)
    assert 0 < stopped.residual < 1e-7
    verify_pagerank(graph, stopped)


def test_no_float64(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(device), "features", property(lambda self: frozenset()))
    with pytest.raises(InputError, match="no float64 arithmetic"):
        pagerank(random_graph(1), dtype="float64", device=device)
    assert "compensated" in pagerank(random_graph(1), variant="serial", device=device).plan[-1]


@pytest.mark.parametrize("variant", VARIANTS)
def test_same_bytes_twice(device: Device, variant: Any) -> None:
    for make in (lambda: skewed_graph(2), lambda: random_graph(3, weighted=True)):
        if variant not in usable(device, make()):
            continue
        one, other = (pagerank(make(), variant=variant, device=device, tol=1e-5) for _ in range(2))
        assert one.ranks.tobytes() == other.ranks.tobytes()
        assert (one.iterations, one.residual) == (other.iterations, other.residual)


@pytest.mark.parametrize("variant", VARIANTS)
def test_large_offsets(device: Device, variant: Any) -> None:
    graph = random_graph(0)  # undirected: its own reverse
    wide = Graph(graph.row_ptr.astype(np.int64), graph.col_idx, multiplicity=graph.multiplicity)
    close(
        pagerank(wide, variant=variant, tol=0, max_iter=5, device=device),
        reference_pagerank(graph, iterations=5),
        "float32",
    )


# --- when it stops ------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["l1", "l2", "linf", "nx"])
@pytest.mark.parametrize(
    "variant", ["auto", "runs", pytest.param("contribution", marks=pytest.mark.first_device)]
)
def test_stops_where_the_reference_does(device: Device, norm: Any, variant: Any) -> None:
    graph = random_graph(1)
    x, tol = np.full(60, 1 / 60), 3e-7
    count = 0
    while True:
        count += 1
        before, x = x, reference_pagerank(graph, iterations=1, nstart=x)
        difference = np.abs(x - before)
        residual = {"l2": np.sqrt((difference**2).sum()), "linf": difference.max()}.get(
            norm, difference.sum()
        )
        if residual < (60 * tol if norm == "nx" else tol):
            break
    found = pagerank(graph, norm=norm, tol=tol, dtype="float64", variant=variant, max_iter=500, device=device)
    assert found.iterations == count
    assert found.residual == pytest.approx(residual, rel=1e-6)
    assert found.converged is True
    np.testing.assert_allclose(found.ranks, x, rtol=1e-12)
    assert np.abs(found.ranks - reference_pagerank(graph)).sum() <= found.error_bound


def test_exactly_max_iter(device: Device) -> None:
    graph = random_graph(1)
    for count in (1, 2, 7, 8, 9, 300):
        found = pagerank(graph, tol=0, max_iter=count, device=device)
        assert (found.iterations, found.converged) == (count, None)
    for count in (1, 8, 11):
        found = pagerank(graph, tol=1e-6, max_iter=count, on_nonconvergence="return", device=device)
        assert (found.iterations, found.converged) == (count, False)
        close(found, reference_pagerank(graph, iterations=count), "float32")


def test_not_converged(device: Device) -> None:
    graph = random_graph(1)
    with pytest.raises(ConvergenceError, match="after 3 iterations") as caught:
        pagerank(graph, max_iter=3, device=device)
    assert caught.value.result.iterations == 3
    close(caught.value.result, reference_pagerank(graph, iterations=3), "float32")
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        found = pagerank(graph, max_iter=3, on_nonconvergence="warn", device=device)
    assert found.converged is False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pagerank(graph, max_iter=3, on_nonconvergence="return", device=device)


def test_error_bound(device: Device) -> None:
    graph = skewed_graph(4)
    exact = reference_pagerank(graph)
    for dtype, tol in (("float32", 1e-3), ("float32", 1e-6), ("float64", 1e-11)):
        found = pagerank(graph, dtype=dtype, tol=tol, device=device)
        error = np.abs(found.ranks.astype(np.float64) - exact).sum()
        assert error <= found.error_bound <= 10 * tol + 1e-5 * (dtype == "float32")


# --- graphs at the border -----------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_arcs(device: Device, variant: Any) -> None:
    graph = Graph.from_edges([], [], vertices=range(5), directed=True)
    np.testing.assert_allclose(pagerank(graph, variant=variant, device=device).ranks, 0.2)
    found = pagerank(
        graph, variant=variant, personalization={2: 1}, dangling="uniform", max_iter=300, device=device
    )
    close(found, reference_pagerank(graph, personalization={2: 1}, dangling="uniform"), "float32")
    dropped = pagerank(graph, variant=variant, dangling="drop", device=device)
    np.testing.assert_allclose(dropped.ranks, 0.03, rtol=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_vertex(device: Device, variant: Any) -> None:
    for ends in ([], [9]):
        graph = Graph.from_edges(ends, ends, vertices=[9], directed=True)
        found = pagerank(graph, variant=variant, device=device)
        assert found.ranks.tolist() == [1]
        assert found.top(3) == [(9, 1.0)]


def test_self_loop_counts_once(device: Device) -> None:
    graph = Graph.from_edges([0, 0], [0, 1])
    want = nx.pagerank(nx.Graph([(0, 0), (0, 1)]), tol=1e-13)
    found = pagerank(graph, dtype="float64", tol=1e-12, max_iter=500, device=device)
    np.testing.assert_allclose(found.ranks, [want[0], want[1]], atol=1e-11)


def test_multiplicities_count(device: Device) -> None:
    tails, heads = [0, 0, 0, 1, 2, 2], [1, 1, 2, 2, 0, 0]
    want = nx.pagerank(nx.MultiDiGraph(list(zip(tails, heads, strict=True))), tol=1e-13)
    for duplicates in ("merge", "keep"):
        graph = Graph.from_edges(tails, heads, directed=True, duplicates=duplicates)
        found = pagerank(graph, dtype="float64", tol=1e-12, max_iter=500, device=device)
        np.testing.assert_allclose(found.ranks, [want[v] for v in range(3)], atol=1e-11)


def test_weight_zero_dangles(device: Device) -> None:
    ends, weights = ([0, 1, 1, 2], [1, 0, 2, 0]), [0, 1, 2, 0]
    graph = Graph.from_edges(*ends, weights=weights, directed=True)
    for variant in VARIANTS:
        found = pagerank(graph, variant=variant, device=device, tol=0, max_iter=9)
        close(found, reference_pagerank(graph, iterations=9), "float32")
    without = pagerank(graph, weight=False, device=device, tol=0, max_iter=9)
    plain = Graph.from_edges(*ends, directed=True)
    close(without, reference_pagerank(plain, iterations=9), "float32")


def test_huge_weights(device: Device) -> None:
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 0, 0], weights=[1.7e308, 1.7e308, 1e-300, 1], directed=True)
    want = reference_pagerank(Graph.from_edges([0, 0, 1, 2], [1, 2, 0, 0], directed=True), iterations=20)
    # 1e-300 beside 1.7e308 is no weight that a float64 ratio can hold; vertex 1 has it alone, or dangles
    found = pagerank(graph, device=device, tol=0, max_iter=20)
    assert np.isfinite(found.ranks).all()
    assert abs(found.ranks.sum() - 1) < 1e-5
    assert want.shape == found.ranks.shape


# --- known answers ------------------------------------------------------------------------------------


def test_known_weighted(device: Device) -> None:
    graph = Graph.from_edges(
        [0, 1, 1, 2, 2, 2, 3, 4],
        [1, 3, 4, 0, 1, 3, 5, 5],
        weights=[0.1, 2.1, 1.1, 5.1, 3.1, 4.1, 7.2, 3.2],
        directed=True,
    )
    fixed = [0.091558455, 0.168392527, 0.065684981, 0.191467441, 0.120675665, 0.362220931]
    found = pagerank(graph, damping=0.95, tol=1e-10, max_iter=1000, dtype="float64", device=device)
    np.testing.assert_allclose(found.ranks, fixed, atol=1e-8)
    second = [0.0776471, 0.167637, 0.0639699, 0.220202, 0.140046, 0.330498]
    for variant in VARIANTS:
        found = pagerank(graph, damping=0.95, tol=0, max_iter=2, variant=variant, device=device)
        np.testing.assert_allclose(found.ranks, second, rtol=3e-6)


def test_known_personalized(device: Device) -> None:
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=True)
    p = [0.1, 0.2, 0.3, 0.4]
    for variant in VARIANTS:
        options: dict[str, Any] = {"personalization": p, "variant": variant, "device": device}
        found = pagerank(graph, **options, max_iter=300)
        np.testing.assert_allclose(found.ranks, [0.0559233, 0.159381, 0.303244, 0.481451], rtol=1e-5)
        found = pagerank(graph, **options, tol=0, max_iter=1)
        np.testing.assert_allclose(found.ranks, [0.03625, 0.285, 0.32125, 0.3575], rtol=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("name", "directed"), [("directed", True), ("undirected", False)])
def test_ldbc(device: Device, data_path: Paths, name: str, directed: bool, variant: Any) -> None:
    vertices = np.loadtxt(data_path(f"ldbc/example-{name}.v"), dtype=np.int64)
    edges = np.loadtxt(data_path(f"ldbc/example-{name}.e"), dtype=str)[:, :2].astype(np.int64)
    answer = np.loadtxt(data_path(f"ldbc/example-{name}-PR"))
    graph = Graph.from_edges(edges[:, 0], edges[:, 1], directed=directed, vertices=vertices)
    for dtype, close_to in (("float32", 1e-6), ("float64", 1e-12)):
        found = pagerank(
            graph, dangling="uniform", tol=0, max_iter=2, dtype=dtype, variant=variant, device=device
        )
        np.testing.assert_allclose(
            found.ranks[graph.index(answer[:, 0].astype(int))], answer[:, 1], rtol=close_to, atol=close_to
        )


REAL = ("karate.mtx", "facebook_combined.txt", "cit-DBLP.edges", "Wiki-Vote.txt", "west0067.mtx", "abs west")


def real_graph(name: str, data_path: Paths) -> Graph:
    if name == "abs west":
        graph = read(data_path("west0067.mtx"), weights=True)
        assert graph.weights is not None
        return Graph(graph.row_ptr, graph.col_idx, weights=np.abs(graph.weights), directed=graph.directed)
    directed = True if name in ("cit-DBLP.edges", "Wiki-Vote.txt") else None
    return read(data_path(name), directed=directed)


@pytest.mark.parametrize("name", REAL)
def test_like_networkx(device: Device, data_path: Paths, name: str) -> None:
    graph = real_graph(name, data_path)
    theirs: Any = nx.DiGraph() if graph.directed else nx.Graph()
    theirs.add_nodes_from(range(graph.num_vertices))
    matrix = graph.to_scipy().tocoo()
    theirs.add_weighted_edges_from(
        zip(*map(np.ndarray.tolist, (matrix.row, matrix.col, matrix.data)), strict=True)
    )
    n, tol = graph.num_vertices, 1e-12
    want = nx.pagerank(theirs, tol=tol, max_iter=1000)
    their_bound = 0.85 * n * tol / 0.15
    for variant in ("auto", "contribution"):
        found = pagerank(
            graph, variant=variant, norm="nx", tol=tol, max_iter=1000, dtype="float64", device=device
        )
        verify_pagerank(graph, found)
        difference = np.abs(found.ranks - np.fromiter(want.values(), float, n)).sum()
        assert difference <= found.error_bound + their_bound
    for variant in usable(device, graph):
        small = pagerank(graph, variant=variant, tol=1e-5, device=device)
        verify_pagerank(graph, small)
        assert np.abs(small.ranks - found.ranks).sum() <= small.error_bound + found.error_bound
        if small.iterations == found.iterations:
            close(small, found, "float32")


@pytest.mark.parametrize("name", REAL[1:4])
def test_variants_agree(device: Device, data_path: Paths, name: str) -> None:
    graph = real_graph(name, data_path)
    for dtype in ("float32", "float64"):
        want = reference_pagerank(graph, iterations=20)
        for variant in usable(device, graph, dtype):
            close(
                pagerank(graph, tol=0, max_iter=20, variant=variant, dtype=dtype, device=device), want, dtype
            )


# --- bad input ----------------------------------------------------------------------------------------

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "nan": ({"personalization": [1, np.nan, 1]}, "personalization of vertex 20 is nan"),
    "infinite": ({"nstart": [1, np.inf, 1]}, "nstart of vertex 20 is inf"),
    "negative": ({"dangling": {10: 1, 30: -1}}, "dangling of vertex 30 is -1"),
    "zero": ({"personalization": {10: 0}}, "zero everywhere"),
    "empty": ({"personalization": {}}, "empty dict"),
    "no such id": ({"personalization": {11: 1}}, "personalization: vertex 11 is not in the graph"),
    "id of another type": ({"nstart": {"x": 1}}, "nstart: .*'x'.* is not in the graph"),
    "shape": ({"personalization": [1, 2]}, r"shape \(2,\); the graph has 3"),
    "words": ({"personalization": ["a", "b", "c"]}, "no number"),
    "policy": ({"dangling": "ignore"}, "use 'personalization', 'uniform', 'drop'"),
    "damping 1": ({"damping": 1}, "damping is 1"),
    "damping nan": ({"damping": float("nan")}, "finite"),
    "damping negative": ({"damping": -0.1}, "at least 0 and below 1"),
    "damping text": ({"damping": "0.85"}, "a number is needed"),
    "tol negative": ({"tol": -1e-6}, "tol is -1e-06"),
    "tol nan": ({"tol": float("nan")}, "finite"),
    "tol too small": ({"tol": 1e-7}, "below the round-off of float32.*float64"),
    "tol too small, l2": ({"tol": 1e-7, "norm": "l2"}, "round-off"),
    "tol too small, linf": ({"tol": 1e-7, "norm": "linf"}, "round-off"),
    "tol too small, nx": ({"tol": 1e-7, "norm": "nx"}, "round-off"),
    "tol too small, float64": ({"tol": 1e-17, "dtype": "float64"}, "round-off of float64"),
    "vacuous": ({"tol": 2}, "cannot fail"),
    "vacuous, nx": ({"tol": 0.7, "norm": "nx"}, "cannot fail"),
    "vacuous, linf": ({"tol": 1, "norm": "linf"}, "cannot fail"),
    "norm": ({"norm": "l3"}, "norm is 'l3'"),
    "max_iter": ({"max_iter": 0}, "max_iter is 0"),
    "max_iter float": ({"max_iter": 10.0}, "max_iter is 10.0"),
    "variant": ({"variant": "fast"}, "variant is 'fast'"),
    "dtype": ({"dtype": "float16"}, "dtype is 'float16'"),
    "what then": ({"on_nonconvergence": "ignore"}, "on_nonconvergence"),
    "weight": ({"weight": "yes"}, "weight is 'yes'"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_input(options: dict[str, Any], message: str) -> None:
    graph = Graph.from_edges([10, 20, 20], [20, 30, 10], directed=True)
    with pytest.raises(InputError, match=message):
        pagerank(graph, **options)


def test_bad_graphs() -> None:
    with pytest.raises(InputError, match="no vertices"):
        pagerank(Graph.from_edges([], []))
    for bad in (-1.0, np.nan, np.inf):
        graph = Graph.from_edges([10, 20], [20, 30], weights=[1, 1], directed=True)
        assert graph.weights is not None
        graph.weights[1] = bad
        with pytest.raises(InputError, match=f"the arc 20 -> 30 is {bad}"):
            pagerank(graph)
    assert pagerank(graph, weight=False).converged


# --- the result ---------------------------------------------------------------------------------------


def test_top(device: Device) -> None:
    graph = Graph.from_edges(["a", "b", "c", "d", "e"], ["c", "c", "a", "e", "d"], directed=True)
    found = pagerank(graph, max_iter=500, device=device)
    names = [name for name, _ in found.top(10)]
    assert sorted(names) == list("abcde")
    assert names[0] == "c"
    assert names.index("d") < names.index("e")  # equal ranks: the smaller index first
    values = [rank for _, rank in found.top(4)]
    assert values == sorted(values, reverse=True)
    assert len(values) == 4
    assert found.top(0) == []
    for bad in (-1, 1.5, True):
        with pytest.raises(InputError, match="k is"):
            found.top(bad)  # type: ignore[arg-type]


def test_top_ties() -> None:
    graph = Graph.from_edges(np.arange(50), (np.arange(50) + 1) % 50, directed=True)
    assert [v for v, _ in pagerank(graph).top(7)] == list(range(7))


def test_result_tells_all(device: Device) -> None:
    found = pagerank(random_graph(1), device=device, dangling="uniform")
    assert {"build", "upload", "compile", "iterate", "download", "total"} <= set(found.seconds)
    assert found.plan
    assert all(isinstance(line, str) for line in found.plan)
    assert (found.device, found.dangling, found.norm, found.dtype) == (
        device.name,
        "uniform",
        "l1",
        "float32",
    )
    assert 0 < found.residual < 1e-6 <= found.error_bound


def test_verifier() -> None:
    from dataclasses import replace

    graph = random_graph(1)
    right = pagerank(graph)
    verify_pagerank(graph, right)
    moved = right.ranks.copy()
    moved[[0, 1]] += [1e-4, -1e-4]
    for wrong in (
        replace(right, ranks=moved),
        replace(right, ranks=right.ranks * np.float32(1.001)),
        replace(right, ranks=-right.ranks),
        replace(right, ranks=right.ranks * np.float32(np.nan)),
        replace(right, ranks=right.ranks[1:]),
        replace(right, residual=1.0),
    ):
        with pytest.raises(ClgraphError):
            verify_pagerank(graph, wrong)
