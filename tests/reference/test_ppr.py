"""The reference of personalized PageRank: known answers, NetworkX, sources, faults that its verifier sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from ranking_checks import dropped_mass, squared_weights

from clgraph import Graph, personalized_pagerank
from clgraph.errors import ClgraphError, InputError
from clgraph.ranking.problem import Problem, make_problem
from clgraph.reference.pagerank import reference_ppr, top_accuracy, verify_ppr

if TYPE_CHECKING:
    from clgraph.device import Device


def some_graph() -> Graph:
    """Weights, loops, parallel arcs, dangling vertices; ids that are no indices."""
    rng = np.random.default_rng(2)
    tails, heads = (rng.random((2, 120)) ** 2 * 40).astype(int)
    weights = rng.integers(1, 9, 120) / 3
    graph = Graph.from_edges(tails, heads, weights=weights, vertices=np.arange(40), directed=True)
    return graph.with_ids(np.arange(40) * 10)


@pytest.mark.smoke
def test_known_answers() -> None:
    """The path 0 -> 1 -> 2 -> 3, personalization .1, .2, .3, .4, which dangling mass goes back to."""
    path = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=True)
    p = np.array([[0.1, 0.2, 0.3, 0.4]])
    found = reference_ppr(path, p, dangling="personalization")
    np.testing.assert_allclose(found, [[0.0559233, 0.159381, 0.303244, 0.481451]], atol=1e-6)
    # from p, by hand: 0.15 p + 0.85 (what arrives + 0.4 p)
    once = reference_ppr(path, p, dangling="personalization", iterations=1)
    want = 0.15 * p + 0.85 * (np.array([[0, 0.1, 0.2, 0.3]]) + 0.4 * p)
    np.testing.assert_allclose(once, want, atol=1e-15)


def test_a_dangling_source() -> None:
    """Put into the recurrence: x = e_s (personalization), (1-d) e_s (drop), (1-d) e_s + d g (uniform)."""
    path = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=True)
    np.testing.assert_allclose(reference_ppr(path, 3, dangling="personalization"), [[0, 0, 0, 1]])
    np.testing.assert_allclose(reference_ppr(path, 3, dangling="drop"), [[0, 0, 0, 0.15]])
    other = nx.path_graph(4, create_using=nx.DiGraph)
    g = nx.pagerank(other, tol=1e-16, max_iter=1000)
    want = 0.85 * np.array([g[v] for v in range(4)]) + 0.15 * np.eye(4)[3]
    np.testing.assert_allclose(reference_ppr(path, 3), [want], atol=1e-12)


def test_like_networkx() -> None:
    graph = some_graph()
    other = nx.MultiDiGraph()
    other.add_nodes_from(graph.ids.tolist())
    tails, heads = graph.ids[graph.tails].tolist(), graph.ids[graph.col_idx].tolist()
    assert graph.weights is not None
    other.add_weighted_edges_from(zip(tails, heads, graph.weights.tolist(), strict=True))
    uniform = dict.fromkeys(graph.ids.tolist(), 1)
    for source in (0, 130, {50: 1.0, 60: 3.0}):
        p = source if isinstance(source, dict) else {source: 1}
        for dangling, theirs in (("personalization", p), ("uniform", uniform), ({10: 2}, {10: 2})):
            want = nx.pagerank(other, personalization=p, dangling=theirs, tol=1e-16, max_iter=10_000)
            found = reference_ppr(graph, source, dangling=dangling)
            np.testing.assert_allclose(found[0], [want[v] for v in graph.ids.tolist()], atol=1e-11)


def test_forms_of_sources() -> None:
    graph = some_graph()
    want = reference_ppr(graph, [30, 0])
    rows = np.zeros((2, 40))
    rows[0, 3], rows[1, 0] = 5, 1
    forms: list[Any] = [np.array([30, 0]), (30, 0), rows, list(rows), sp.csr_array(rows), [{30: 2}, {0: 1}]]
    for sources in forms:
        np.testing.assert_allclose(reference_ppr(graph, sources), want, atol=1e-15)
    np.testing.assert_allclose(reference_ppr(graph, 30), want[:1], atol=1e-15)
    np.testing.assert_allclose(reference_ppr(graph, {30: 7}), want[:1], atol=1e-15)
    words = Graph.from_edges(["a", "b"], ["b", "c"], directed=True)
    np.testing.assert_allclose(reference_ppr(words, "a"), reference_ppr(words, ["a"]))
    bad: list[Any] = [[], [99], {}, {0: -1.0}, np.zeros((1, 40)), np.ones((1, 9))]
    for sources in bad:
        with pytest.raises((InputError, ValueError)):
            reference_ppr(graph, sources)


def test_top_accuracy() -> None:
    ranks = np.array([0.4, 0.2, 0.1, 0.1 * (1 + 1e-12), 0.1, 0.05, 0.0])
    assert top_accuracy([0, 1, 2], ranks, 3) == 1
    assert top_accuracy([0, 1, 4], ranks, 3) == 1
    assert top_accuracy([0, 2, 3], ranks, 3) == pytest.approx(2 / 3)
    assert top_accuracy([2, 3, 4], ranks, 3) == pytest.approx(1 / 3)
    assert top_accuracy(range(7), ranks, 20) == 1
    assert top_accuracy([0, 1, 3], ranks, 3, rule="contest") == 1
    assert top_accuracy([0, 1, 2], ranks, 3, rule="contest") == pytest.approx(2 / 3)


def test_verifier_sees_faults(device: Device) -> None:
    graph = some_graph()
    found = personalized_pagerank(graph, [0, 10], device=device)
    with pytest.raises(ClgraphError, match="reference"):
        verify_ppr(graph, replace(found, scores=found.scores[::-1].copy()), [0, 10])
    top = personalized_pagerank(graph, [0, 10], top=5, device=device)
    assert top.ids is not None
    with pytest.raises(ClgraphError, match="order"):
        verify_ppr(graph, replace(top, ids=top.ids[:, ::-1], scores=top.scores[:, ::-1]), [0, 10])


@pytest.mark.parametrize(
    ("method", "fault"),
    [
        *(
            (method, fault)
            for method in ("power", "coo", "coo-flat")
            for fault in (squared_weights, dropped_mass)
        ),
        ("monte-carlo", squared_weights),  # walks see by themselves where rows end
    ],
)
def test_verifier_sees_faults_of_the_problem(
    device: Device, method: Any, fault: Callable[[Problem, Graph], Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights and dangling vertices that production reads wrong do not pass --verify."""
    options: dict[str, Any] = {"method": method, "device": device}
    if method == "monte-carlo":
        options |= {"walks": 300_000, "seed": 1}
    verify_ppr(some_graph(), personalized_pagerank(some_graph(), [0, 130], **options), [0, 130])

    def broken(graph: Graph, **options: Any) -> Problem:
        return fault(make_problem(graph, **options), graph)

    monkeypatch.setattr("clgraph.ranking.personalized.make_problem", broken)
    graph = some_graph()
    wrong = personalized_pagerank(graph, [0, 130], on_nonconvergence="return", **options)
    with pytest.raises(ClgraphError):
        verify_ppr(graph, wrong, [0, 130])
