"""The reference of PageRank: known answers, NetworkX, and faults that its verifier sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
from ranking_checks import dropped_mass, squared_weights

from clgraph import Graph, pagerank
from clgraph.errors import ClgraphError, InputError
from clgraph.ranking.problem import Problem, Weighing, make_problem
from clgraph.reference.pagerank import reference_pagerank, verify_pagerank

if TYPE_CHECKING:
    from clgraph.device import Device

# a fixed point and the second iterate, published beside the graph
TAILS = [0, 1, 1, 2, 2, 2, 3, 4]
HEADS = [1, 3, 4, 0, 1, 3, 5, 5]
WEIGHTS = [0.1, 2.1, 1.1, 5.1, 3.1, 4.1, 7.2, 3.2]
FIXED = [0.091558455, 0.168392527, 0.065684981, 0.191467441, 0.120675665, 0.362220931]
SECOND = [0.0776471, 0.167637, 0.0639699, 0.220202, 0.140046, 0.330498]


def weighted_graph(**options: Any) -> Graph:
    return Graph.from_edges(TAILS, HEADS, weights=WEIGHTS, directed=True, **options)


def multigraph(directed: bool) -> tuple[Graph, Any]:
    """The same loops, parallel edges, weights and vertices without edges, here and in NetworkX."""
    rng = np.random.default_rng(8)
    tails, heads = rng.integers(0, 30, (2, 90))
    weights = rng.integers(0, 4, 90) / 2
    other: Any = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    other.add_nodes_from(range(35))
    other.add_weighted_edges_from(zip(tails.tolist(), heads.tolist(), weights.tolist(), strict=True))
    graph = Graph.from_edges(tails, heads, weights=weights, vertices=np.arange(35), directed=directed)
    return graph, other


@pytest.mark.smoke
def test_known_answers() -> None:
    graph = weighted_graph()
    # "uniform" and "personalization" are the same here: the personalization is uniform
    for dangling in ("uniform", "personalization", None):
        found = reference_pagerank(graph, damping=0.95, dangling=dangling)
        np.testing.assert_allclose(found, FIXED, atol=5e-9)
    np.testing.assert_allclose(reference_pagerank(graph, damping=0.95, iterations=2), SECOND, rtol=1e-5)
    path = Graph.from_edges([0, 1, 2], [1, 2, 3], directed=True)
    p = {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}
    found = reference_pagerank(path, personalization=p)
    np.testing.assert_allclose(found, [0.0559233, 0.159381, 0.303244, 0.481451], atol=1e-6)
    found = reference_pagerank(path, personalization=p, iterations=1)
    np.testing.assert_allclose(found, [0.03625, 0.285, 0.32125, 0.3575], atol=1e-12)


@pytest.mark.parametrize("directed", [True, False])
def test_like_networkx(directed: bool) -> None:
    """Weights, loops (of an undirected graph: one arc), dangling vertices, a start, every distribution."""
    graph, other = multigraph(directed)
    cases: list[dict[str, Any]] = [
        {},
        {"personalization": {3: 2, 7: 1}},
        {"personalization": {3: 2, 7: 1}, "dangling": {0: 1, 5: 4}},
        {"nstart": {1: 1}, "damping": 0.5},
    ]
    for options in cases:
        found = reference_pagerank(graph, **options)
        names = {"damping": "alpha"}
        want = nx.pagerank(
            other, **{names.get(k, k): v for k, v in options.items()}, tol=1e-16, max_iter=10_000
        )
        np.testing.assert_allclose(found, [want[v] for v in range(35)], atol=1e-12)


def test_without_weights_copies_count() -> None:
    """Two parallel edges of an undirected graph count twice, and so does a loop given twice."""
    ends = [0, 0, 0, 2, 2], [1, 1, 2, 2, 2]
    other = nx.MultiGraph(list(zip(*ends, strict=True)))
    want = nx.pagerank(other, tol=1e-16, max_iter=10_000)
    for options in ({}, {"weights": [9.0, 1, 1, 1, 5]}):
        graph = Graph.from_edges(*ends, **options)
        found = reference_pagerank(graph, weight=False)
        np.testing.assert_allclose(found, [want[v] for v in range(3)], atol=1e-13)


def test_drop() -> None:
    """By hand: 0 -> 1, and what stands at 1 is gone."""
    graph = Graph.from_edges([0], [1], directed=True)
    found = reference_pagerank(graph, dangling="drop")
    np.testing.assert_allclose(found, [0.075, 0.075 + 0.85 * 0.075], atol=1e-13)


@pytest.mark.parametrize(
    "options",
    [
        {"personalization": {0: -1}},
        {"personalization": [1.0, 2.0]},
        {"dangling": np.zeros(6)},
        {"nstart": {0: np.inf}},
        {"damping": 1.0},
    ],
)
def test_bad_arguments(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        reference_pagerank(weighted_graph(), **options)


# --- faults of the code that is checked -------------------------------------------------------------------


def ignored_weights(problem: Problem, graph: Graph) -> Problem:
    out = np.diff(graph.row_ptr).astype(np.float64)
    return replace(problem, weighing=Weighing(False, lambda: (None, out)))


FAULTS: list[Callable[[Problem, Graph], Problem]] = [squared_weights, dropped_mass, ignored_weights]


@pytest.mark.parametrize("fault", FAULTS)
def test_verifier_sees_faults_of_the_problem(
    device: Device, fault: Callable[[Problem, Graph], Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = weighted_graph()
    verify_pagerank(graph, pagerank(graph, device=device))

    def broken(graph: Graph, **options: Any) -> Problem:
        return fault(make_problem(graph, **options), graph)

    monkeypatch.setattr("clgraph.ranking.make_problem", broken)
    wrong = pagerank(weighted_graph(), device=device, on_nonconvergence="return")
    with pytest.raises(ClgraphError):
        verify_pagerank(graph, wrong)


def test_verifier_reads_what_was_asked(device: Device) -> None:
    """Distributions and the policy as the result records them; weights as the verifier is told."""
    graph, _ = multigraph(directed=True)
    cases: list[dict[str, Any]] = [
        {"personalization": {3: 2, 7: 1}},
        {"dangling": {0: 1, 5: 4}},
        {"dangling": "drop"},
        {"dangling": "uniform", "personalization": np.arange(35.0), "damping": 0.6},
    ]
    for options in cases:
        verify_pagerank(graph, pagerank(graph, device=device, **options))
    found = pagerank(graph, weight=False, device=device)
    verify_pagerank(graph, found, weight=False)
    with pytest.raises(ClgraphError, match="one more iteration"):
        verify_pagerank(graph, found)
