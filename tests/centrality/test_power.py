"""Eigenvector and Katz centrality, hubs and authorities on every device, against the reference."""

import networkx as nx
import numpy as np
import pytest
from graphs import as_networkx, tangle

import clgraph
from clgraph import ConvergenceError, Graph, InputError
from clgraph.graph.arrays import Arrays
from clgraph.reference import centrality as reference


def weighted(directed):
    graph = tangle(4, 80, 500, directed=directed)
    both = np.random.default_rng(1).random(80)
    weights = both[graph.tails] * both[graph.col_idx]
    counts = graph.multiplicity
    return Graph(graph.row_ptr, graph.col_idx, weights=weights, multiplicity=counts, directed=directed)


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
def test_equals_reference(doubles, directed):
    graph = weighted(directed)
    for weight in (False, True):
        options = {"weight": weight, "device": doubles}
        found = clgraph.eigenvector_centrality(graph, tol=1e-13, max_iter=5000, **options)
        assert found == pytest.approx(reference.reference_eigenvector(graph, weight), abs=1e-9)
        reference.verify_eigenvector(graph, found, weight=weight)
        found = clgraph.katz_centrality(graph, alpha=0.005, tol=1e-14, normalized=False, **options)
        assert found == pytest.approx(reference.reference_katz(graph, 0.005, weight=weight), abs=1e-10)
        beta = np.linspace(-1, 2, 80)
        given = {"alpha": 0.005, "beta": beta, "nstart": beta, "tol": 1e-14, "normalized": False}
        found = clgraph.katz_centrality(graph, **given, **options)
        assert found == pytest.approx(reference.reference_katz(graph, 0.005, beta, weight), abs=1e-10)
        found = clgraph.katz_centrality(graph, alpha=0.005, **options)
        reference.verify_katz(graph, found, alpha=0.005, weight=weight)
        assert np.linalg.norm(found) == pytest.approx(1)
        hubs, authorities = clgraph.hits(graph, **options)
        expected = reference.reference_hits(graph, weight)
        np.testing.assert_allclose((hubs, authorities), expected, rtol=0, atol=1e-8)
        reference.verify_hits(graph, hubs, authorities, weight=weight)


def test_the_same_iterates_as_networkx(doubles):
    graph = tangle(5, 60, 300, directed=True)
    other = as_networkx(graph)
    alone = Graph(graph.row_ptr, graph.col_idx, directed=True)
    for tol in (1e-3, 1e-6):
        expected = nx.eigenvector_centrality(other, tol=tol, max_iter=1000)
        found = clgraph.eigenvector_centrality(alone, tol=tol, max_iter=1000, device=doubles)
        assert found == pytest.approx(list(expected.values()), abs=1e-13)
        expected = nx.katz_centrality(other, 0.01, tol=tol)
        found = clgraph.katz_centrality(alone, alpha=0.01, tol=tol, device=doubles)
        assert found == pytest.approx(list(expected.values()), abs=1e-13)


def test_long_rows_and_slow_convergence(doubles):
    """A star's row is summed by a whole group; a grid's singular values are close together."""
    star = Graph.from_edges(np.zeros(2500, int), np.arange(1, 2501))
    found = clgraph.eigenvector_centrality(star, max_iter=2000, device=doubles)
    assert found[0] == pytest.approx(0.5**0.5, abs=1e-3)
    hubs, _ = clgraph.hits(star, nstart=np.arange(2501), device=doubles)
    assert hubs[1:] == pytest.approx(hubs[1], rel=1e-9)
    side = np.arange(900).reshape(30, 30)
    ends = np.r_[side[1:].ravel(), side[:, 1:].ravel()], np.r_[side[:-1].ravel(), side[:, :-1].ravel()]
    grid = Graph.from_edges(*ends)
    shape = np.sin(np.pi * np.arange(1, 31) / 31)
    expected = np.outer(shape, shape).ravel()  # bipartite: double value, the even start sees both sides
    hubs, _ = clgraph.hits(grid, device=doubles)
    assert hubs == pytest.approx(expected / expected.sum(), abs=1e-7)


def test_same_bytes_again(doubles):
    graph = weighted(True)
    for call, options in (
        (clgraph.katz_centrality, {"alpha": 0.005}),
        (clgraph.eigenvector_centrality, {"max_iter": 1000}),
        (clgraph.hits, {}),
    ):
        one, two = (np.array(call(graph, device=doubles, **options)) for _ in range(2))
        assert one.tobytes() == two.tobytes()


def test_not_converged(doubles):
    graph = weighted(False)
    for call, options in (
        (clgraph.eigenvector_centrality, {"max_iter": 2}),
        (clgraph.katz_centrality, {"alpha": 0.5, "max_iter": 20}),
        (clgraph.hits, {"max_iter": 0}),
    ):
        with pytest.raises(ConvergenceError, match="did not converge") as caught:
            call(graph, device=doubles, **options)
        assert np.shape(caught.value.result)[-1] == 80


def test_what_is_refused(doubles):
    graph = Graph.from_edges(["a", "b"], ["b", "c"])
    empty = Graph.from_edges([], [])
    huge = Graph(graph.row_ptr, graph.col_idx, weights=[1e200] * 4)
    heavy = Graph._from_arrays(Arrays(graph.row_ptr, graph.col_idx, weights=np.array([1, 1, np.inf, np.inf])))
    for call, given, options, words in (
        (clgraph.eigenvector_centrality, empty, {}, "empty"),
        (clgraph.eigenvector_centrality, graph, {"nstart": [1, -1, 0]}, "sums to 0"),
        (clgraph.katz_centrality, graph, {"beta": {"a": 1}}, "for vertex b"),
        (clgraph.katz_centrality, graph, {"beta": {"x": 1}}, "beta: vertex x"),
        (clgraph.katz_centrality, graph, {"nstart": [1, 2]}, r"shape \(2,\)"),
        (clgraph.katz_centrality, graph, {"beta": "much"}, "beta is 'much'"),
        (clgraph.hits, graph, {"nstart": [0, 0, 0]}, "0 everywhere"),
        (clgraph.hits, heavy, {}, "is inf: finite weights"),
        (clgraph.hits, huge, {}, "so large that their products"),
        (clgraph.hits, Graph.from_edges([], [], vertices=[1]), {}, "no arc"),
    ):
        with pytest.raises(InputError, match=words):
            call(given, **options, device=doubles)
    assert clgraph.katz_centrality(empty, device=doubles).tolist() == []
    wrong, even = np.array([0.6, 0.8, 0]), np.ones(3) / 3
    for verify, values, words in (
        (reference.verify_eigenvector, [wrong], "one more step"),
        (reference.verify_katz, [wrong], "is off by"),
        (reference.verify_hits, [even, even], "hubs are off"),
    ):
        with pytest.raises(AssertionError, match=words):
            verify(graph, *values)
