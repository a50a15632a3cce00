"""How central vertices are, distances between them, and the degrees of their neighbours."""

from __future__ import annotations

from clgraph.centrality.betweenness import betweenness_centrality
from clgraph.centrality.distances import (
    average_shortest_path_length,
    closeness_centrality,
    harmonic_centrality,
    shortest_path,
    shortest_path_length,
)
from clgraph.centrality.eigen import eigenvector_centrality, hits, katz_centrality
from clgraph.centrality.neighbours import average_neighbor_degree, degree_assortativity_coefficient

__all__ = [
    "average_neighbor_degree",
    "average_shortest_path_length",
    "betweenness_centrality",
    "closeness_centrality",
    "degree_assortativity_coefficient",
    "eigenvector_centrality",
    "harmonic_centrality",
    "hits",
    "katz_centrality",
    "shortest_path",
    "shortest_path_length",
]
