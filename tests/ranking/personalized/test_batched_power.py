"""The iterating methods: against the reference, policies, ends, options; lanes of every width, one source.

And every method on the contest's graph and sources, where it finds the top 20.
"""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from graphs import as_networkx
from personalized import CONTEST, EXACT, as_reference, close, everywhere, random_graph, skewed_graph
from ranking_checks import WITHOUT_DOUBLES

from clgraph import Graph, personalized_pagerank, read
from clgraph.csr.upload import upload_csr
from clgraph.errors import CapacityError, ConvergenceError, ConvergenceWarning
from clgraph.ranking import solver as pagerank_solver
from clgraph.ranking.personalized import batched_power, engines
from clgraph.ranking.solver import Numbers
from clgraph.reference.pagerank import reference_ppr, top_accuracy, verify_ppr

POLICIES = ("uniform", "personalization", "drop", {3: 1.0, 5: 2.0})
TO_THE_END = {"dtype": "float64", "tol": 1e-12, "norm": "l1", "max_iter": 500}


@pytest.fixture
def lanes_only(monkeypatch):
    """Lanes, also where PageRank has pipelines."""
    monkeypatch.setattr(engines, "takes", lambda *_: False)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("method", EXACT)
@pytest.mark.cross
def test_against_reference(device, method, dtype):
    for seed in range(4):
        graph = random_graph(seed, weighted=seed > 1)
        sources = list(range(0, 60, 7))
        found = as_reference(device, graph, sources, 12, method=method, dtype=dtype)
        assert found.scores.dtype == dtype
        assert found.converged is None
        assert found.iterations.tolist() == [12] * len(sources)
        verify_ppr(graph, found, sources)


@pytest.mark.parametrize("dangling", POLICIES)
@pytest.mark.parametrize(
    "method", ["power", pytest.param("coo-flat", marks=[pytest.mark.first_device, pytest.mark.slow])]
)
def test_policies(device, method, dangling):
    graph, options = random_graph(1), {"method": method, "dangling": dangling, **TO_THE_END}
    for sources in ([0, 7, 33], [{0: 1.0, 4: 3.0}, {59: 1.0}]):
        found = personalized_pagerank(graph, sources, device=device, **options)
        close(found, reference_ppr(graph, sources, dangling=dangling, tol=1e-15))
        assert found.converged.all()
        assert found.dangling == ("given" if isinstance(dangling, dict) else dangling)
        verify_ppr(graph, found, sources)


def test_like_networkx(device):
    ends = np.unique(np.random.default_rng(3).integers(0, 40, (2, 120)), axis=1)
    graph = Graph.from_edges(*ends, vertices=np.arange(40), directed=True)
    found = personalized_pagerank(graph, 5, dangling="personalization", device=device, **TO_THE_END)
    want = nx.pagerank(as_networkx(graph), personalization={5: 1}, tol=1e-15, max_iter=1000)
    close(found, np.array([[want[v] for v in range(40)]]))


@pytest.mark.parametrize("method", EXACT)
def test_skewed(device, method):
    """Rows of thousands of arcs, over many work-groups."""
    for dtype in ("float32", "float64"):
        as_reference(device, skewed_graph(), [0, 1, 3000], 10, method=method, dtype=dtype)


@pytest.mark.parametrize("method", ["power", "monte-carlo"])
def test_a_source_given_twice(device, method):
    """Two equal rows, where it stands among the others."""
    options = {"walks": 500, "seed": 1} if method == "monte-carlo" else {}
    options |= {"method": method, "device": device}
    cases = [[3, 5, 3], [{3: 1, 5: 1}, {7: 1}, {5: 2, 3: 2}]]
    # walks from a distribution given twice are drawn anew
    for sources in cases if method == "power" else cases[:1]:
        found, best = (personalized_pagerank(random_graph(1), sources, top=k, **options) for k in (None, 4))
        assert len(found.scores) == len(found.sources) == 3
        assert np.array_equal(found.scores[0], found.scores[2])
        assert not np.array_equal(found.scores[0], found.scores[1])
        assert np.array_equal(best.ids[0], best.ids[2])
        assert np.array_equal(best.scores[0], best.scores[2])


@pytest.mark.usefixtures("lanes_only")
def test_more_sources_than_fit(device, monkeypatch):
    """As many lanes as the device has room for, one batch after the other; the plan says so."""
    # by the device's own table; there is room only without what is cached of other graphs
    monkeypatch.setitem(vars(device), "global_memory", 60 * 4 * 3 * 10)
    graph, sources = random_graph(1), list(range(20))
    found = personalized_pagerank(graph, sources, top=3, device=device)
    assert "20 sources, 8 at a time" in " ".join(found.plan)
    verify_ppr(graph, found, sources)
    graph, wide, narrow = skewed_graph(), 16, 8
    shape = replace(batched_power.LAUNCH["cpu"], widths=(4, narrow, wide))
    monkeypatch.setattr(batched_power, "LAUNCH", everywhere(shape))
    # of value and next; the wider: 4
    monkeypatch.setitem(vars(device), "global_memory", 3 * 4 * 5000 * narrow)
    sources, call = list(range(wide)), {"tol": 0, "max_iter": 5, "top": 9, "device": device}
    found = personalized_pagerank(graph, sources, **call)
    assert f"{wide} sources, {narrow} at a time" in " ".join(found.plan)
    verify_ppr(graph, found, sources)
    monkeypatch.setitem(vars(device), "global_memory", 4 * 5000 * 4)
    with pytest.raises(CapacityError, match="bytes are needed"):
        personalized_pagerank(graph, sources, **call)


@pytest.mark.slow
@pytest.mark.first_device
@pytest.mark.parametrize("method", EXACT)
def test_compensated(device, method, monkeypatch):
    """As on a device without float64."""
    monkeypatch.setattr(pagerank_solver, "Numbers", lambda *_: Numbers(WITHOUT_DOUBLES, "float32"))
    as_reference(device, skewed_graph(), [0, 5, 77], 10, method=method)


@pytest.mark.slow
@pytest.mark.parametrize("norm", ["l1", "l2", "linf", "nx"])
def test_lanes_end_by_themselves(device, norm):
    """More sources than lanes: each ends at its own iteration, as if it were alone."""
    graph = random_graph(1, n=300, arcs=500)
    sources, tol = list(range(0, 300, 6)), 1e-9 if norm == "nx" else 1e-7
    call = {"norm": norm, "tol": tol, "dtype": "float64", "device": device}
    found = personalized_pagerank(graph, sources, **call)
    assert len(set(found.iterations.tolist())) > 3
    assert (found.residuals < (tol * 300 if norm == "nx" else tol)).all()
    for i in (0, 7, 49):
        alone = personalized_pagerank(graph, sources[i : i + 1], **call)
        assert alone.iterations[0] == found.iterations[i]
        np.testing.assert_allclose(found.scores[i], alone.scores[0], rtol=1e-10, atol=1e-16)
    verify_ppr(graph, found, sources)


def test_same_bytes(device):
    graph = skewed_graph()
    for method in EXACT:
        one, other = (personalized_pagerank(graph, [0, 9], method=method, device=device) for _ in range(2))
        assert one.scores.tobytes() == other.scores.tobytes()


def test_not_converged(device):
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
def test_cycle_of_roundings(device, method):
    """A source whose ranks roundings keep from the tolerance stops; others go on."""
    graph = Graph.from_edges(np.zeros(38, int), np.arange(1, 39), vertices=np.arange(60))
    call = {"damping": 0.98, "dangling": "personalization", "norm": "l1"}
    call |= {"method": method, "device": device}
    with pytest.raises(ConvergenceError, match=r"roundings of float32 scores.* dtype='float64'") as caught:
        personalized_pagerank(graph, [0, 59, 1], tol=1e-6, max_iter=100_000, **call)
    found = caught.value.result
    assert found.ended == ["round-off", "tol", "round-off"] and found.iterations.max() < 3000
    verify_ppr(graph, found, [0, 59, 1])
    if "HAVE_FP64" in device.features:
        wide = personalized_pagerank(graph, [0, 1], tol=1e-6, max_iter=3000, dtype="float64", **call)
        assert wide.ended == ["tol", "tol"]


def test_check_every(device):
    graph, sources = random_graph(1, n=300, arcs=500), [0, 4, 8]
    each = personalized_pagerank(graph, sources, device=device)
    some = personalized_pagerank(graph, sources, check_every=5, device=device)
    for a, b in zip(each.iterations.tolist(), some.iterations.tolist(), strict=True):
        assert a <= b < a + 5 and b % 5 == 0
    call = {"max_iter": 7, "tol": 0, "dtype": "float64", "device": device}
    last = personalized_pagerank(graph, sources, check_every=5, **call)
    assert last.iterations.tolist() == [7] * 3 and (last.residuals > 0).all()
    verify_ppr(graph, last, sources)


def test_squared(device):
    graph = random_graph(1)
    plain, squared = (personalized_pagerank(graph, [0, 4], squared=s, device=device) for s in (False, True))
    assert np.abs(plain.iterations - squared.iterations).max() <= 1
    assert (squared.residuals < 1e-6).all()


def test_stable_top(device):
    graph, sources = skewed_graph(), [0, 5, 4000]
    call = {"top": 10, "tol": 1e-7, "device": device}
    whole, early = (personalized_pagerank(graph, sources, stable_top=k, **call) for k in (0, 2))
    assert "top" in early.ended
    assert early.converged.all()
    assert (early.iterations <= whole.iterations).all() and (early.iterations < whole.iterations).any()
    assert (early.error_bounds >= whole.error_bounds).all()
    verify_ppr(graph, early, sources)


# --- engines: one source, and lanes of any width ----------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.parametrize("plan", ["bins", "runs", None])
def test_single_source(device, plan, monkeypatch):
    """One source on PageRank's own rows, and in a lane."""
    monkeypatch.setattr(engines, "LAUNCH", everywhere(plan))
    graph = skewed_graph()
    for dangling in POLICIES:
        for source in (3, {7: 1.0, 2: 0.5}):
            options = {"dangling": dangling, "device": device}
            found = as_reference(graph=graph, sources=source, count=9, **options)
            assert found.iterations.tolist() == [9]
            # words of str's own type: the command's JSON has them
            assert found.ended == ["max_iter"] and type(found.ended[0]) is str
            top = personalized_pagerank(graph, source, top=7, tol=0, max_iter=9, **options)
            assert top.ids[0].tolist() == np.argsort(-found.scores[0], kind="stable")[:7].tolist()
            verify_ppr(graph, top, source)


# widths of the lanes, and who takes rows: five runs of them, or teams, those of more than 16 arcs in pieces
RUNS = [{"runs": 5, "teams": False, "widths": widths} for widths in ((1, 8), (8, 16))]
TEAMS = [{"teams": True, "group": 64, "piece": 16, "widths": widths} for widths in ((4, 8), (16,))]


@pytest.fixture(params=[*RUNS, *(pytest.param(each, marks=pytest.mark.slow) for each in TEAMS)], ids=str)
def lanes(request, lanes_only, monkeypatch):
    options = {**request.param}
    config = batched_power.LaunchConfig(options.pop("widths"), local=16, **options)
    monkeypatch.setattr(batched_power, "LAUNCH", everywhere(config))


@pytest.mark.usefixtures("lanes")
def test_lanes(device):
    """Lanes that are given new sources; empty lanes; long rows."""
    graph = skewed_graph(400, 4000)
    sources = list(range(0, 400, 23))
    found = as_reference(device, graph, sources, 8)
    top = personalized_pagerank(graph, sources, tol=0, max_iter=8, top=30, device=device)
    assert np.array_equal(top.ids, np.argsort(-found.scores, axis=1, kind="stable")[:, :30])


@pytest.mark.usefixtures("lanes")
def test_distributions(device):
    """A vector for each lane, arc weights, every policy."""
    graph = random_graph(3, weighted=True)
    sources = [{0: 1.0, 4: 3.0}, {59: 1.0}, {7: 1.0, 8: 1.0}]
    for dangling in POLICIES:
        options = {"dangling": dangling, "dtype": "float64", "norm": "linf", "tol": 1e-9}
        found = personalized_pagerank(graph, sources, **options, device=device)
        verify_ppr(graph, found, sources)


@pytest.mark.parametrize("lanes", RUNS, indirect=True, ids=str)
@pytest.mark.usefixtures("lanes")
def test_more_runs_than_rows(device, monkeypatch):
    config = replace(batched_power.LAUNCH["cpu"], runs=1000)
    monkeypatch.setattr(batched_power, "LAUNCH", everywhere(config))
    as_reference(device, random_graph(1), [0, 5], 9)


@pytest.mark.slow
def test_places(device):
    """Every row has a place, by decreasing length; the pieces of a long one cover its arcs."""
    graph = skewed_graph(400, 4000)
    lengths = np.diff(graph.row_ptr)
    places = SimpleNamespace(**batched_power.make_places(device, upload_csr(device, graph), piece=16))
    order = device.download(places.order, np.int32, 400)
    assert order.tolist() == np.argsort(-lengths, kind="stable").tolist()
    assert places.long_rows == np.count_nonzero(lengths > 16)
    assert places.filled == np.count_nonzero(lengths)
    first = device.download(places.first_piece, np.int32, places.long_rows + 1)
    offset, pieces = graph.row_ptr.dtype, (places.piece_begin, places.piece_end)
    begin, end = (device.download(buffer, offset, places.pieces) for buffer in pieces)
    assert (end - begin).max() <= 16 and (end > begin).all()
    assert places.longest_join == np.diff(first).max()
    for place, row in enumerate(order[: places.long_rows].tolist()):
        own = slice(first[place], first[place + 1])
        assert begin[own][0] == graph.row_ptr[row] and end[own][-1] == graph.row_ptr[row + 1]
        assert np.array_equal(begin[own][1:], end[own][:-1])


# --- the contest ------------------------------------------------------------------------------------------


@cache
def contest(path):
    """The graph, the sources, and their ranks."""
    graph = read(path)
    sources = graph.ids[CONTEST]
    return graph, sources, reference_ppr(graph, sources)


def mean_accuracy(found, graph, want):
    pairs = zip(found.ids, want, strict=True)
    return float(np.mean([top_accuracy(graph.indices_of(ids), ranks) for ids, ranks in pairs]))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize(
    "options", [{}, {"check_every": 3, "squared": True, "stored": True}], ids=["plain", "heuristics"]
)
def test_california(device, data_path, method, options):
    graph, sources, want = contest(data_path("California.mtx"))
    found = personalized_pagerank(graph, sources, method=method, top=20, device=device, **options)
    assert mean_accuracy(found, graph, want) == 1
    assert found.ended.count("store") == (14 if options else 0)
    for ids, scores, ranks in zip(found.ids, found.scores, want, strict=True):
        assert np.abs(ranks[graph.indices_of(ids)] - scores).sum() <= found.error_bounds.max()


def test_california_by_walks(device, data_path):
    graph, sources, want = contest(data_path("California.mtx"))

    def accuracy(**options):
        call = {"method": "monte-carlo", "seed": 1, "top": 20, "device": device}
        return mean_accuracy(personalized_pagerank(graph, sources, **call, **options), graph, want)

    by_default = accuracy()
    assert by_default >= 0.95
    assert accuracy(walks=20_000) < by_default
    assert accuracy(walks=200) < accuracy(walks=20_000)
