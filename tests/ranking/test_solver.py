"""PageRank: distributions, stops, known answers and real graphs against the reference, NetworkX and LDBC."""

import warnings
from dataclasses import replace
from itertools import cycle, product

import networkx as nx
import numpy as np
import pytest
import ranking_checks as known
from devices import needs_float64
from graphs import as_networkx
from ranking_checks import (
    VARIANTS,
    as_reference,
    assert_close,
    every_check,
    mixed_graph,
    skewed_graph,
    usable,
)
from samplers import launch_otherwise
from transfers import transfers

from clgraph import Graph, personalized_pagerank, powerlaw_graph, read, rmat_graph
from clgraph.device.launch import record_launches
from clgraph.errors import ClgraphError, ConvergenceError, ConvergenceWarning, InputError
from clgraph.ranking import pagerank, reproducible_solver, solver
from clgraph.ranking.solver import iterations_until
from clgraph.reference.pagerank import reference_pagerank, verify_pagerank


@pytest.mark.smoke
@every_check
def test_auto(device, check):
    check(device, "auto")


# --- against the definition ---------------------------------------------------------------------------


def on_first(variant):
    """A parameter for the first of the devices only."""
    return pytest.param(variant, marks=pytest.mark.first_device)


P = {0: 1.0, 3: 2.5, 7: 0}
OPTIONS = {
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
@pytest.mark.parametrize("variant", ["auto", "runs", *map(on_first, ("subgroup", "pull", "serial"))])
def test_options(device, variant, options):
    for seed in (1, 3):
        graph = mixed_graph(seed, weighted=seed == 3)
        verify_pagerank(graph, as_reference(device, graph, 7, variant=variant, **options))


def test_arrays_like_dicts(device):
    graph = mixed_graph(1)
    as_array = np.zeros(60)
    as_array[list(P)] = list(P.values())
    given = [dict.fromkeys(("personalization", "dangling", "nstart"), p) for p in (P, as_array)]
    one, other = (pagerank(graph, device=device, **options) for options in given)
    assert one.scores.tobytes() == other.scores.tobytes()


def test_no_float64(device, monkeypatch):
    monkeypatch.setattr(type(device), "features", property(lambda self: frozenset()))
    with pytest.raises(InputError, match="no float64 arithmetic"):
        pagerank(mixed_graph(1), dtype="float64", device=device)
    assert "compensated" in pagerank(mixed_graph(1), variant="serial", device=device).plan[-1]


# --- when it stops ------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["l1", "l2", "linf", "nx"])
@pytest.mark.parametrize("variant", ["auto", "runs", on_first("contribution")])
def test_stops_where_the_reference_does(device, norm, variant):
    graph = mixed_graph(1)
    x, tol, residual, count = np.full(60, 1 / 60), 3e-7, np.inf, 0
    order = {"l2": 2, "linf": np.inf}.get(norm, 1)
    while residual >= (60 * tol if norm == "nx" else tol):
        before, x = x, reference_pagerank(graph, iterations=1, nstart=x)
        residual, count = np.linalg.norm(x - before, order), count + 1
    found = pagerank(graph, norm=norm, tol=tol, dtype="float64", variant=variant, max_iter=500, device=device)
    assert found.iterations == count
    assert found.residual == pytest.approx(residual, rel=1e-6)
    assert found.converged is True
    np.testing.assert_allclose(found.scores, x, rtol=1e-12)
    assert np.abs(found.scores - reference_pagerank(graph)).sum() <= found.error_bound


def test_exactly_max_iter(device):
    graph = mixed_graph(1)
    for count in (1, 2, 7, 8, 9, 300):
        found = pagerank(graph, tol=0, max_iter=count, device=device)
        assert (found.iterations, found.converged) == (count, None)
    for count in (1, 8, 11):
        found = pagerank(graph, tol=1e-6, max_iter=count, on_nonconvergence="return", device=device)
        assert (found.iterations, found.converged) == (count, False)
        assert_close(found, reference_pagerank(graph, iterations=count), "float32")


@pytest.mark.smoke
def test_not_converged(device):
    graph = mixed_graph(1)
    with pytest.raises(ConvergenceError, match="after 3 iterations") as caught:
        pagerank(graph, max_iter=3, device=device)
    assert caught.value.result.iterations == 3
    assert_close(caught.value.result, reference_pagerank(graph, iterations=3), "float32")
    with pytest.warns(ConvergenceWarning, match="max_iter") as warned:
        found = pagerank(graph, max_iter=3, on_nonconvergence="warn", device=device)
    assert found.converged is False
    assert warned[0].filename == __file__  # the line that called, not one of clgraph's own
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pagerank(graph, max_iter=3, on_nonconvergence="return", device=device)


@pytest.mark.parametrize("variant", ["auto", "serial", "runs", "fixed"])
def test_cycle_of_roundings(device, variant):
    """Where roundings alone move the ranks by more than the tolerance, no number of iterations helps."""
    if variant == "fixed":
        needs_float64(device)
    star = Graph.from_edges(np.zeros(38, int), np.arange(1, 39))
    call = {"damping": 0.97, "variant": variant, "device": device}
    with pytest.raises(ConvergenceError, match=r"roundings of float32 scores.* dtype='float64'") as caught:
        pagerank(star, tol=1e-6, max_iter=100_000, **call)
    found = caught.value.result
    assert 1e-6 < found.residual < 8 * 2**-24 / 0.03 and 100 < found.iterations < 2000
    assert found.converged is False
    assert np.abs(found.scores - reference_pagerank(star, damping=0.97)).sum() <= found.error_bound
    assert pagerank(star, tol=1e-5, max_iter=2000, **call).converged
    assert pagerank(star, tol=0, max_iter=5000, **call).iterations == 5000
    if "HAVE_FP64" in device.features:
        assert pagerank(star, tol=1e-6, max_iter=2000, dtype="float64", **call).converged


@pytest.mark.parametrize("variant", ["auto", "fixed"])
def test_what_converges_is_not_taken_for_a_cycle(device, monkeypatch, variant):
    if variant == "fixed":
        needs_float64(device)
    graphs = [skewed_graph(seed, n=30 + 9 * seed, arcs=99 + 50 * seed) for seed in range(8)]
    graphs += [graph.undirected for graph in graphs]
    call = {"max_iter": 3000, "on_nonconvergence": "return", "device": device}

    def ranked():
        pairs = product(graphs, (0.95, 0.97, 0.99))
        return [pagerank(graph, damping=damping, variant=variant, **call) for graph, damping in pairs]

    found = ranked()
    for module in (solver, reproducible_solver):
        monkeypatch.setattr(module, "noise", lambda *args: 0.0)
    for one, other in zip(found, ranked(), strict=True):
        assert one.converged == other.converged
        assert not one.converged or one.scores.tobytes() == other.scores.tobytes()


@pytest.mark.smoke
def test_error_bound(device):
    graph = skewed_graph(4)
    exact = reference_pagerank(graph)
    for dtype, tol in (("float32", 1e-3), ("float32", 1e-6), ("float64", 1e-11)):
        found = pagerank(graph, dtype=dtype, tol=tol, device=device)
        error = np.abs(found.scores.astype(np.float64) - exact).sum()
        assert error <= found.error_bound <= 10 * tol + 1e-5 * (dtype == "float32")


# --- graphs at the border -----------------------------------------------------------------------------


def test_weight_zero_dangles(device):
    ends, weights = ([0, 1, 1, 2], [1, 0, 2, 0]), [0, 1, 2, 0]
    graph = Graph.from_edges(*ends, weights=weights, directed=True)
    for variant in VARIANTS:
        as_reference(device, graph, 9, variant=variant)
    without = pagerank(graph, weight=False, device=device, tol=0, max_iter=9)
    plain = Graph.from_edges(*ends, directed=True)
    assert_close(without, reference_pagerank(plain, iterations=9), "float32")


def test_huge_weights(device):
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 0, 0], weights=[1.7e308, 1.7e308, 1e-300, 1], directed=True)
    # 1e-300 beside 1.7e308 is no weight that a float64 ratio can hold; vertex 1 has it alone, or dangles
    found = pagerank(graph, device=device, tol=0, max_iter=20)
    assert np.isfinite(found.scores).all()
    assert abs(found.scores.sum() - 1) < 1e-5
    assert found.scores.shape == (3,)


# --- known answers ------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_known_weighted(device):
    graph = known.published_graph()
    found = pagerank(graph, damping=0.95, tol=1e-10, max_iter=1000, dtype="float64", device=device)
    np.testing.assert_allclose(found.scores, known.FIXED, atol=1e-8)
    for variant in VARIANTS:
        found = pagerank(graph, damping=0.95, tol=0, max_iter=2, variant=variant, device=device)
        np.testing.assert_allclose(found.scores, known.SECOND, rtol=3e-6)


@pytest.mark.smoke
def test_known_personalized(device):
    for variant in VARIANTS:
        options = {"personalization": known.P, "variant": variant, "device": device}
        found = pagerank(known.PATH, **options, max_iter=300)
        np.testing.assert_allclose(found.scores, known.FIXED_OF_P, rtol=1e-5)
        found = pagerank(known.PATH, **options, tol=0, max_iter=1)
        np.testing.assert_allclose(found.scores, known.FIRST_OF_P, rtol=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("name", "directed"), [("directed", True), ("undirected", False)])
def test_ldbc(device, data_path, name, directed, variant):
    graph = read(data_path(f"ldbc/example-{name}.e"), format="ldbc", directed=directed)
    answer = np.loadtxt(data_path(f"ldbc/example-{name}-PR"))
    index, options = graph.indices_of(answer[:, 0].astype(int)), {"dangling": "uniform", "variant": variant}
    for dtype, near in (("float32", 1e-6), ("float64", 1e-12)):
        found = pagerank(graph, tol=0, max_iter=2, dtype=dtype, device=device, **options)
        np.testing.assert_allclose(found.scores[index], answer[:, 1], rtol=near, atol=near)


REAL = ("karate.mtx", "facebook_combined.txt", "cit-DBLP.edges", "Wiki-Vote.txt", "west0067.mtx", "abs west")


def real_graph(name, data_path):
    if name == "abs west":
        graph = read(data_path("west0067.mtx"), weights=True)
        return Graph(graph.row_ptr, graph.col_idx, weights=np.abs(graph.weights), directed=graph.directed)
    return read(data_path(name), directed=name in ("cit-DBLP.edges", "Wiki-Vote.txt") or None)


@pytest.mark.parametrize("name", REAL)
def test_like_networkx(device, data_path, name):
    graph = real_graph(name, data_path)
    theirs, matrix = as_networkx(graph), graph.to_scipy().tocoo()
    arcs = zip(matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist(), strict=True)
    theirs.add_weighted_edges_from(arcs)
    n, tol = graph.num_vertices, 1e-12
    want = nx.pagerank(theirs, tol=tol, max_iter=1000)
    their_bound = 0.85 * n * tol / 0.15
    call = {"norm": "nx", "tol": tol, "max_iter": 1000, "dtype": "float64", "device": device}
    for variant in ("auto", "contribution"):
        found = pagerank(graph, variant=variant, **call)
        verify_pagerank(graph, found)
        difference = np.abs(found.scores - np.fromiter(want.values(), float, n)).sum()
        assert difference <= found.error_bound + their_bound
    for variant in usable(device, graph):
        small = pagerank(graph, variant=variant, tol=1e-5, device=device)
        verify_pagerank(graph, small)
        assert np.abs(small.scores - found.scores).sum() <= small.error_bound + found.error_bound
        if small.iterations == found.iterations:
            assert_close(small, found, "float32")
    for dtype in ("float32", "float64"):
        for variant in usable(device, graph, dtype):
            as_reference(device, graph, 20, dtype, variant=variant)


def test_verifier():
    graph = mixed_graph(1)
    right = pagerank(graph)
    verify_pagerank(graph, right)
    moved = right.scores.copy()
    moved[[0, 1]] += [1e-4, -1e-4]
    factors = np.array([1.001, -1, np.nan], np.float32)
    for wrong in (moved, right.scores[1:], *(right.scores * factor for factor in factors)):
        with pytest.raises(ClgraphError):
            verify_pagerank(graph, replace(right, scores=wrong))
    with pytest.raises(ClgraphError):
        verify_pagerank(graph, replace(right, residual=1.0))


@pytest.mark.parametrize(
    ("residual", "rate", "iterations"),
    [(1, 0.5, 1), (1, 0.99, 1), (2.1, 0.5, 2), (90, 0.1, 2), (1e9, 0.9, 8), (5, 0, 8), (5, 1.5, 8)],
)
def test_the_end_is_foreseen(residual, rate, iterations):
    """As many iterations as bring a residual to 1, one at least, and no more than without a rate."""
    assert iterations_until(1.0, residual, rate) == iterations


@pytest.mark.parametrize("variant", ["bins", "runs", "contribution"])
def test_glances(device, monkeypatch, variant):
    """As on GPUs, which work on while the host looks, and put ranks in order before it knows the end."""
    graph, sources = skewed_graph(), [3, 5]
    options = [{}, {"max_iter": 5}, {"max_iter": 12}, {"tol": 1e-3}, {"norm": "linf"}]

    def found():
        common = {"variant": variant, "on_nonconvergence": "return", "device": device}
        ranks = [pagerank(graph, **common, **each) for each in options]
        there = pagerank(graph, arrays="device", **common)
        several = personalized_pagerank(graph, sources, method="power", device=device)
        top = personalized_pagerank(graph, sources, method="power", top=4, device=device)
        arrays = [*(each.scores for each in ranks), there.scores.get(), several.scores, top.scores]
        return [each.tobytes() for each in arrays] + [str(each.iterations).encode() for each in ranks]

    usual, graph = found(), skewed_graph()
    monkeypatch.setattr(solver, "GLANCES", (device.kind,))
    monkeypatch.setattr(device, "shares_memory", False)
    for look in (2, 3, 8):
        monkeypatch.setattr(solver, "LOOK", look)
        assert found() == usual
    for guesses in ([1], [1, 8], [8, 1]):  # that are wrong
        given = cycle(guesses)
        monkeypatch.setattr(solver, "iterations_until", lambda *_, given=given: next(given))
        assert found() == usual


@pytest.mark.parametrize("local", [1, 8])
def test_iterations_that_the_next_one_ends(device, monkeypatch, local):
    """The same bytes as if each had a launch of its own for that, as before each look."""
    launch_otherwise(monkeypatch, solver, device, local=local)
    graph, found = rmat_graph(11, seed=1), set()
    for look in (1, 3, 8):
        monkeypatch.setattr(solver, "LOOK", look)
        for norm in ("l1", "l2", "linf"):
            made = pagerank(graph, variant="bins", norm=norm, device=device)
            assert " 0 pieces" not in str(made.plan)
            found.add((norm, made.iterations, made.residual, made.scores.tobytes()))
    assert len(found) == 3


def test_launches_of_iterations(device):
    """Two for each where rows have pieces; a later call works in the same buffers."""
    graph = rmat_graph(11, seed=1)
    for _ in range(2):
        with record_launches() as launches:
            pagerank(graph, variant="bins", tol=0, max_iter=3, device=device)
    names = [each.kernel.removeprefix("pagerank_") for each in launches]
    assert names == ["start", *["bin_pieces", "bins"] * 3, "finish", "order_gather"]
    assert len(device.cached(graph, "ranking-ends", list)) == 1


@pytest.mark.parametrize("directed", [False, True])
def test_scalars_cross_the_bus(device, directed):
    """A graph on the device is ranked there: nothing of its size moves, and again scalars alone."""
    if device.has_pipeline("ranking/solver"):
        pytest.skip("what pipelines start from is made on the host: a board may have no other kernels")
    if directed:
        graph = rmat_graph(15, edge_factor=2, seed=3, directed=True, device=device)
    else:
        graph = powerlaw_graph(20_000, seed=3, device=device)
    options = {"variant": "bins", "arrays": "device", "device": device}
    with transfers() as moved:
        first = pagerank(graph, **options)
    assert sum(size for size, *_ in moved) < 8000
    assert not {"row_ptr", "col_idx", "ids"} & vars(graph).keys()
    with transfers() as moved:
        again = pagerank(graph, **options)
    assert not {"upload", "write"} & {method for _, method, _ in moved}
    looks, rest = divmod(sum(size for size, *_ in moved), 16 + 24)  # the state and the sums
    assert rest == 0
    assert looks <= again.iterations // 8 + 3  # one in 8 iterations, and a few where the end is foreseen
    for most in (np.inf, 4000):  # the second call brings nothing of the graph's size
        with transfers() as moved:
            personalized_pagerank(graph, [17], method="power", top=5, device=device)
        assert sum(size for size, *_ in moved) < most
    assert first.top(3) == again.top(3)
    assert first.scores.get().tobytes() == again.scores.get().tobytes()
    assert pagerank(graph, variant="bins", device=device).scores.tobytes() == again.scores.get().tobytes()


def test_areas_are_lent_to_one_call(device):
    """What a result has is not worked in by later calls."""
    for variant in ("serial", "runs", "bins", "small"):
        graph = mixed_graph(3)
        options = {"variant": variant, "tol": 0, "max_iter": 9, "device": device}
        host, there = pagerank(graph, **options), pagerank(graph, arrays="device", **options)
        wanted = host.scores.copy()
        pagerank(graph, personalization={3: 1}, **options)
        pagerank(graph, personalization={3: 1}, arrays="device", **options)
        assert host.scores.tobytes() == there.scores.get().tobytes() == wanted.tobytes()
