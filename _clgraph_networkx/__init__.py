"""Information about the backend ``clgraph`` that NetworkX reads when it is imported.

This is a separate package because NetworkX calls `get_info` at each ``import networkx``, and importing
clgraph with NumPy and SciPy for it would take longer than importing NetworkX. The backend itself,
`clgraph.networkx_backend`, is loaded when it is first used.
"""

from __future__ import annotations

from typing import Any

# functions that run on a device; clgraph.networkx_backend defines them
FUNCTIONS: tuple[str, ...] = (
    "all_pairs_shortest_path_length",
    "ancestors",
    "average_clustering",
    "average_neighbor_degree",
    "average_shortest_path_length",
    "betweenness_centrality",
    "bfs_edges",
    "bfs_layers",
    "bfs_predecessors",
    "bfs_successors",
    "bfs_tree",
    "closeness_centrality",
    "clustering",
    "condensation",
    "connected_components",
    "core_number",
    "degree_assortativity_coefficient",
    "descendants",
    "descendants_at_distance",
    "eigenvector_centrality",
    "harmonic_centrality",
    "has_path",
    "hits",
    "is_connected",
    "is_strongly_connected",
    "is_weakly_connected",
    "k_core",
    "katz_centrality",
    "node_connected_component",
    "number_connected_components",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "pagerank",
    "shortest_path",
    "shortest_path_length",
    "single_source_shortest_path",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
    "strongly_connected_components",
    "transitivity",
    "triangles",
    "weakly_connected_components",
)

NOTES: dict[str, str] = {
    "pagerank": (
        "Stops once the L1 difference of two iterates is below min(N * tol, 1e-3): NetworkX's own criterion, "
        "N * tol, is always met on large graphs. Alpha must be below 1; weights and vectors must not be "
        "negative."
    ),
    "clustering": "For undirected graphs without weights.",
    "average_clustering": "For undirected graphs without weights.",
    "transitivity": "For undirected graphs.",
    "hits": (
        'Method "svd" (the only one before NetworkX 3.7) is Lanczos\'s, from a fixed start. Where the '
        "largest singular value has several vectors (components that are alike), NetworkX's depend on its "
        "start, too."
    ),
    "shortest_path": (
        "Without weights. Between two nodes it is the path that `single_source_shortest_path` gives; "
        "NetworkX's own search from both ends may find another one of the same length."
    ),
    "closeness_centrality": "Without `distance` and `sp`.",
    "degree_assortativity_coefficient": "Of all nodes, without weights.",
    "strongly_connected_components": "Components are in NetworkX's order.",
}
UNWEIGHTED = (
    "average_neighbor_degree",
    "average_shortest_path_length",
    "betweenness_centrality",
    "harmonic_centrality",
    "shortest_path_length",
)
SORTING = "`sort_neighbors` is left to NetworkX."


def get_info() -> dict[str, Any]:
    """The backend's metadata (entry point ``networkx.backend_info``)."""
    notes = NOTES | dict.fromkeys(("bfs_edges", "bfs_predecessors", "bfs_successors", "bfs_tree"), SORTING)
    notes |= dict.fromkeys(UNWEIGHTED, "Without weights.")
    return {
        "backend_name": "clgraph",
        "project": "pyclgraph",
        "package": "clgraph",
        "short_summary": "Runs on any OpenCL device: GPUs, CPUs, FPGAs.",
        "default_config": {"device": None},
        "functions": {name: {"additional_docs": notes.get(name, "")} for name in FUNCTIONS},
    }
