"""The references of PageRank: known answers, NetworkX, sources, and faults that their verifiers see."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import as_multigraph
from personalized import EXACT
from ranking_checks import (
    FIRST_OF_P,
    FIXED,
    FIXED_OF_P,
    PATH,
    SECOND,
    P,
    dropped_mass,
    published_graph,
    squared_weights,
)

from clgraph import Graph, pagerank, personalized_pagerank
from clgraph.errors import ClgraphError, InputError
from clgraph.ranking.problem import Problem, Weighing, make_problem
from clgraph.reference.pagerank import (
    reference_pagerank,
    reference_ppr,
    top_accuracy,
    verify_pagerank,
    verify_ppr,
)

Fault = Callable[[Problem, Graph], Problem]
# so that NetworkX's ranks are as near as doubles get
EXACTLY = {"tol": 1e-16, "max_iter": 10_000}


def multigraph(directed):
    """The same loops, parallel edges, weights and vertices without edges, here and in NetworkX."""
    rng = np.random.default_rng(8)
    ends, weights = rng.integers(0, 30, (2, 90)), rng.integers(0, 4, 90) / 2
    graph = Graph.from_edges(*ends, weights=weights, vertices=np.arange(35), directed=directed)
    # from the rows, not from our graph: so it shows what that made of them
    other = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    other.add_nodes_from(range(35))
    other.add_weighted_edges_from(zip(*ends.tolist(), weights.tolist(), strict=True))
    return graph, other


@pytest.mark.smoke
def test_known_answers():
    graph = published_graph()
    # "uniform" and "personalization" are the same here: the personalization is uniform
    for dangling in ("uniform", "personalization", None):
        found = reference_pagerank(graph, damping=0.95, dangling=dangling)
        np.testing.assert_allclose(found, FIXED, atol=5e-9)
    np.testing.assert_allclose(reference_pagerank(graph, damping=0.95, iterations=2), SECOND, rtol=1e-5)
    # the path 0 -> 1 -> 2 -> 3, and the personalization, which dangling mass goes back to
    p = dict(enumerate(P))
    np.testing.assert_allclose(reference_pagerank(PATH, personalization=p), FIXED_OF_P, atol=1e-6)
    once = reference_pagerank(PATH, personalization=p, iterations=1)
    np.testing.assert_allclose(once, FIRST_OF_P, atol=1e-12)
    row, back = np.array([P]), {"dangling": "personalization"}
    np.testing.assert_allclose(reference_ppr(PATH, row, **back), [FIXED_OF_P], atol=1e-6)
    # from p, by hand: 0.15 p + 0.85 (what arrives + 0.4 p)
    want = 0.15 * row + 0.85 * (np.array([[0, 0.1, 0.2, 0.3]]) + 0.4 * row)
    np.testing.assert_allclose(reference_ppr(PATH, row, **back, iterations=1), want, atol=1e-15)


@pytest.mark.parametrize("directed", [True, False])
def test_like_networkx(directed):
    """Weights, loops (of an undirected graph: one arc), dangling vertices, a start, every distribution."""
    graph, other = multigraph(directed)
    for damping, options in (
        (0.85, {}),
        (0.85, {"personalization": {3: 2, 7: 1}}),
        (0.85, {"personalization": {3: 2, 7: 1}, "dangling": {0: 1, 5: 4}}),
        (0.5, {"nstart": {1: 1}}),
    ):
        found = reference_pagerank(graph, damping=damping, **options)
        want = nx.pagerank(other, damping, **options, **EXACTLY)
        np.testing.assert_allclose(found, [want[v] for v in range(35)], atol=1e-12)


def test_without_weights_copies_count():
    """Two parallel edges of an undirected graph count twice, and so does a loop given twice."""
    ends = [0, 0, 0, 2, 2], [1, 1, 2, 2, 2]
    other = nx.MultiGraph(list(zip(*ends, strict=True)))
    want = nx.pagerank(other, **EXACTLY)
    for options in ({}, {"weights": [9.0, 1, 1, 1, 5]}):
        graph = Graph.from_edges(*ends, **options)
        found = reference_pagerank(graph, weight=False)
        np.testing.assert_allclose(found, [want[v] for v in range(3)], atol=1e-13)


def test_drop():
    """By hand: 0 -> 1, and what stands at 1 is gone."""
    graph = Graph.from_edges([0], [1], directed=True)
    found = reference_pagerank(graph, dangling="drop")
    np.testing.assert_allclose(found, [0.075, 0.075 + 0.85 * 0.075], atol=1e-13)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("personalization", value) for value in ({0: -1}, [1.0, 2.0])),
        *(("dangling", np.zeros(6)), ("nstart", {0: np.inf}), ("damping", 1.0)),
    ],
)
def test_bad_arguments(option, value):
    with pytest.raises(InputError):
        reference_pagerank(published_graph(), **{option: value})


# --- from sources ----------------------------------------------------------------------------------------


def some_graph():
    """Weights, loops, parallel arcs, dangling vertices; ids that are no indices."""
    rng = np.random.default_rng(2)
    ends, weights = (rng.random((2, 120)) ** 2 * 40).astype(int), rng.integers(1, 9, 120) / 3
    graph = Graph.from_edges(*ends, weights=weights, vertices=np.arange(40), directed=True)
    return graph.with_ids(np.arange(40) * 10)


def test_a_dangling_source():
    """Put into the recurrence: x = e_s (personalization), (1-d) e_s (drop), (1-d) e_s + d g (uniform)."""
    np.testing.assert_allclose(reference_ppr(PATH, 3, dangling="personalization"), [[0, 0, 0, 1]])
    np.testing.assert_allclose(reference_ppr(PATH, 3, dangling="drop"), [[0, 0, 0, 0.15]])
    g = nx.pagerank(nx.path_graph(4, create_using=nx.DiGraph), **EXACTLY)
    want = 0.85 * np.array([g[v] for v in range(4)]) + 0.15 * np.eye(4)[3]
    np.testing.assert_allclose(reference_ppr(PATH, 3), [want], atol=1e-12)


def test_sources_like_networkx():
    graph = some_graph()
    other = nx.relabel_nodes(as_multigraph(graph), dict(enumerate(graph.ids.tolist())))
    uniform = dict.fromkeys(other, 1)
    for source in (0, 130, {50: 1.0, 60: 3.0}):
        p = source if isinstance(source, dict) else {source: 1}
        for dangling, theirs in (("personalization", p), ("uniform", uniform), ({10: 2}, {10: 2})):
            want = nx.pagerank(other, personalization=p, dangling=theirs, **EXACTLY)
            found = reference_ppr(graph, source, dangling=dangling)
            np.testing.assert_allclose(found[0], [want[v] for v in other], atol=1e-11)


def test_forms_of_sources():
    graph = some_graph()
    want = reference_ppr(graph, [30, 0])
    rows = np.zeros((2, 40))
    rows[0, 3], rows[1, 0] = 5, 1
    for sources in (np.array([30, 0]), (30, 0), rows, list(rows), sp.csr_array(rows), [{30: 2}, {0: 1}]):
        np.testing.assert_allclose(reference_ppr(graph, sources), want, atol=1e-15)
    np.testing.assert_allclose(reference_ppr(graph, 30), want[:1], atol=1e-15)
    np.testing.assert_allclose(reference_ppr(graph, [30, 0], rule="contest"), want, atol=1e-5)
    np.testing.assert_allclose(reference_ppr(graph, {30: 7}), want[:1], atol=1e-15)
    words = Graph.from_edges(["a", "b"], ["b", "c"], directed=True)
    np.testing.assert_allclose(reference_ppr(words, "a"), reference_ppr(words, ["a"]))
    for sources in ([], [99], {}, {0: -1.0}, np.zeros((1, 40)), np.ones((1, 9))):
        with pytest.raises((InputError, ValueError)):
            reference_ppr(graph, sources)


def test_top_accuracy():
    ranks = np.array([0.4, 0.2, 0.1, 0.1 * (1 + 1e-12), 0.1, 0.05, 0.0])
    for found, accuracy in (([0, 1, 2], 1), ([0, 1, 4], 1), ([0, 2, 3], 2 / 3), ([2, 3, 4], 1 / 3)):
        assert top_accuracy(found, ranks, 3) == pytest.approx(accuracy)
    assert top_accuracy(range(7), ranks, 20) == 1
    assert top_accuracy([0, 1, 3], ranks, 3, rule="contest") == 1
    assert top_accuracy([0, 1, 2], ranks, 3, rule="contest") == pytest.approx(2 / 3)


# --- faults of the code that is checked -------------------------------------------------------------------


def ignored_weights(problem, graph):
    out = np.diff(graph.row_ptr).astype(np.float64)
    return replace(problem, weighing=Weighing(False, lambda: (None, out)))


def break_problems(monkeypatch, module, fault):
    """From now on a module reads the weights or the dangling vertices of graphs wrong."""

    def broken(graph, **options):
        return fault(make_problem(graph, **options), graph)

    monkeypatch.setattr(f"{module}.make_problem", broken)


@pytest.mark.parametrize("fault", [squared_weights, dropped_mass, ignored_weights])
def test_verifier_sees_faults_of_the_problem(device, fault, monkeypatch):
    graph = published_graph()
    verify_pagerank(graph, pagerank(graph, device=device))
    break_problems(monkeypatch, "clgraph.ranking", fault)
    wrong = pagerank(published_graph(), device=device, on_nonconvergence="return")
    with pytest.raises(ClgraphError):
        verify_pagerank(graph, wrong)


@pytest.mark.parametrize(
    ("method", "fault"),
    [
        *product(EXACT, (squared_weights, dropped_mass)),
        ("monte-carlo", squared_weights),  # walks see by themselves where rows end
    ],
)
def test_verifier_of_sources_sees_faults_of_the_problem(device, method, fault, monkeypatch):
    """Weights and dangling vertices that production reads wrong do not pass --verify."""
    walks = {"walks": 300_000, "seed": 1} if method == "monte-carlo" else {}
    ranked = partial(personalized_pagerank, sources=[0, 130], method=method, device=device, **walks)
    verify_ppr(some_graph(), ranked(some_graph()), [0, 130])
    break_problems(monkeypatch, "clgraph.ranking.personalized", fault)
    graph = some_graph()
    with pytest.raises(ClgraphError):
        verify_ppr(graph, ranked(graph, on_nonconvergence="return"), [0, 130])


def test_verifier_reads_what_was_asked(device):
    """Distributions and the policy as the result records them; weights as the verifier is told."""
    graph, _ = multigraph(directed=True)
    for options in (
        {"personalization": {3: 2, 7: 1}},
        {"dangling": {0: 1, 5: 4}},
        {"dangling": "drop"},
        {"dangling": "uniform", "personalization": np.arange(35.0), "damping": 0.6},
    ):
        verify_pagerank(graph, pagerank(graph, device=device, **options))
    found = pagerank(graph, weight=False, device=device)
    verify_pagerank(graph, found, weight=False)
    with pytest.raises(ClgraphError, match="one more iteration"):
        verify_pagerank(graph, found)


def test_verifier_of_sources_sees_faults(device):
    graph = some_graph()
    found = personalized_pagerank(graph, [0, 10], device=device)
    with pytest.raises(ClgraphError, match="reference"):
        verify_ppr(graph, replace(found, scores=found.scores[::-1].copy()), [0, 10])
    top = personalized_pagerank(graph, [0, 10], top=5, device=device)
    with pytest.raises(ClgraphError, match="order"):
        verify_ppr(graph, replace(top, ids=top.ids[:, ::-1], scores=top.scores[:, ::-1]), [0, 10])
