"""What NetworkX is told about its backend ``clgraph`` when NetworkX is imported.

A package of its own beside clgraph: NetworkX calls `get_info` at each ``import networkx``, and importing
clgraph for it (NumPy, SciPy) would take longer than NetworkX itself. The backend, `clgraph.networkx_backend`,
is loaded when it is first used.
"""

from __future__ import annotations

from typing import Any

# functions that run on a device; clgraph.networkx_backend has them all
FUNCTIONS: tuple[str, ...] = (
    "all_pairs_shortest_path_length",
    "ancestors",
    "bfs_edges",
    "bfs_layers",
    "bfs_predecessors",
    "bfs_successors",
    "bfs_tree",
    "clustering",
    "condensation",
    "connected_components",
    "descendants",
    "descendants_at_distance",
    "has_path",
    "is_connected",
    "is_strongly_connected",
    "is_weakly_connected",
    "node_connected_component",
    "number_connected_components",
    "number_strongly_connected_components",
    "number_weakly_connected_components",
    "pagerank",
    "single_source_shortest_path",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
    "strongly_connected_components",
    "triangles",
    "weakly_connected_components",
)

NOTES: dict[str, str] = {
    "pagerank": (
        "Stops once the L1 difference of two iterates is below min(N * tol, 1e-3): NetworkX's own test, "
        "N * tol, cannot fail on large graphs. Alpha below 1, weights and vectors not negative."
    ),
    "clustering": "Of undirected graphs without weights.",
    "strongly_connected_components": "Components come in NetworkX's own order.",
}
SORTING = "`sort_neighbors` is left to NetworkX."


def get_info() -> dict[str, Any]:
    """The backend's metadata (entry point ``networkx.backend_info``)."""
    notes = NOTES | dict.fromkeys(("bfs_edges", "bfs_predecessors", "bfs_successors", "bfs_tree"), SORTING)
    return {
        "backend_name": "clgraph",
        "project": "pyclgraph",
        "package": "clgraph",
        "short_summary": "Runs on any OpenCL device: GPUs, CPUs, FPGAs.",
        "default_config": {"device": None},
        "functions": {name: {"additional_docs": notes.get(name, "")} for name in FUNCTIONS},
    }
