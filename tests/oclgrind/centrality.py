"""Distances counted level by level and search by search, degrees of neighbours."""

import numpy as np

import clgraph
from clgraph.centrality.betweenness import dependencies
from clgraph.reference import centrality, measures
from oclgrind.shared import tangle

GRAPH = tangle(directed=True)
SOME = np.array([1, 2, 7, 49], np.int32)


def case_distances(device):
    """A tangle, of some vertices, and a path with more levels than are counted one by one."""
    path = clgraph.Graph.from_edges(np.arange(60), np.arange(1, 61))
    found = clgraph.closeness_centrality(path, device=device)
    assert np.allclose(found, centrality.reference_closeness(path), rtol=1e-14)
    found = clgraph.harmonic_centrality(GRAPH, sources=[1, 2, 49], device=device)
    assert np.allclose(found, centrality.reference_harmonic(GRAPH, {1, 2, 49}), rtol=1e-14)


def case_betweenness(device):
    """Paths counted forth and dependencies back, level by level, with endpoints, and scaled."""
    found = dependencies(device, GRAPH, SOME, endpoints=True, scale=(0.5, 4))
    expected = 4 * np.asarray(centrality.reference_betweenness(GRAPH, SOME.tolist(), endpoints=True))
    expected[SOME] /= 2
    assert np.allclose(found, expected, rtol=1e-12)


def case_edge_betweenness(device):
    """Arcs that span several runs, both directions."""
    found = dependencies(device, GRAPH, SOME, by_arc=True)
    assert np.allclose(found, centrality.reference_edge_betweenness(GRAPH, SOME.tolist()), rtol=1e-12)


def case_matrix(device):
    """Rows summed by a group, vectors combined, sums of chunks; Lanczos's steps."""
    how = {"alpha": 0.02, "tol": 1e-3}
    centrality.verify_katz(GRAPH, clgraph.katz_centrality(GRAPH, device=device, **how), **how)
    hubs, _ = clgraph.hits(GRAPH, tol=1e-4, device=device)
    assert np.allclose(hubs, centrality.reference_hits(GRAPH)[0], atol=1e-3)


def case_neighbours(device):
    """Rows that span several runs, merged arcs."""
    found = clgraph.average_neighbor_degree(GRAPH, device=device).tolist()
    assert found == measures.reference_average_neighbor_degree(GRAPH)
    found = clgraph.degree_assortativity_coefficient(GRAPH, device=device)
    assert abs(found - measures.reference_degree_assortativity(GRAPH)) < 1e-12
