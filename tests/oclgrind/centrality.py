"""Distances counted level by level and search by search, degrees of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np


def _tangle() -> Any:
    from clgraph.graph import Graph

    ends = (np.random.default_rng(6).random((2, 170)) ** 2 * 50).astype(int)
    return Graph.from_edges(*ends, vertices=np.arange(50), directed=True)


def case_distances(device: Any) -> None:
    """A tangle, of some vertices, and a path with more levels than are counted one by one."""
    from clgraph import Graph, closeness_centrality, harmonic_centrality
    from clgraph.reference.centrality import reference_closeness, reference_harmonic

    path = Graph.from_edges(np.arange(60), np.arange(1, 61))
    assert np.allclose(closeness_centrality(path, device=device), reference_closeness(path), rtol=1e-14)
    graph, some = _tangle(), [1, 2, 49]
    found = harmonic_centrality(graph, sources=some, device=device)
    assert np.allclose(found, reference_harmonic(graph, set(some)), rtol=1e-14)


def case_betweenness(device: Any) -> None:
    """Paths counted forth and dependencies back, level by level, with endpoints, and scaled."""
    from clgraph.centrality.betweenness import dependencies
    from clgraph.reference.centrality import reference_betweenness

    graph, some = _tangle(), np.array([1, 2, 7, 49], np.int32)
    found = dependencies(device, graph, some, endpoints=True, scale=(0.5, 4))
    expected = 4 * np.asarray(reference_betweenness(graph, some.tolist(), endpoints=True))
    expected[some] /= 2
    assert np.allclose(found, expected, rtol=1e-12)


def case_edge_betweenness(device: Any) -> None:
    """Arcs that span several runs, both directions."""
    from clgraph.centrality.betweenness import dependencies
    from clgraph.reference.centrality import reference_edge_betweenness

    graph, some = _tangle(), np.array([1, 2, 7, 49], np.int32)
    found = dependencies(device, graph, some, by_arc=True)
    assert np.allclose(found, reference_edge_betweenness(graph, some.tolist()), rtol=1e-12)


def case_matrix(device: Any) -> None:
    """Rows summed by a group, vectors combined, sums of chunks; Lanczos's steps."""
    from clgraph import hits, katz_centrality
    from clgraph.reference.centrality import reference_hits, verify_katz

    graph = _tangle()
    verify_katz(graph, katz_centrality(graph, alpha=0.02, tol=1e-3, device=device), alpha=0.02, tol=1e-3)
    hubs, _ = hits(graph, tol=1e-4, device=device)
    assert np.allclose(hubs, reference_hits(graph)[0], atol=1e-3)


def case_neighbours(device: Any) -> None:
    """Rows that span several runs, merged arcs."""
    from clgraph import average_neighbor_degree, degree_assortativity_coefficient
    from clgraph.reference.measures import reference_average_neighbor_degree, reference_degree_assortativity

    graph = _tangle()
    assert average_neighbor_degree(graph, device=device).tolist() == reference_average_neighbor_degree(graph)
    found = degree_assortativity_coefficient(graph, device=device)
    assert abs(found - reference_degree_assortativity(graph)) < 1e-12
