"""The functions of the backend ``clgraph``: what NetworkX reads when it is imported.

This is a separate package because NetworkX calls `get_info` at each ``import networkx``, and importing
clgraph for it would take longer (10 ms and more). The backend itself, `clgraph.networkx_backend`, which
defines the functions of this table, is loaded when it is first used.
"""

from __future__ import annotations

from typing import Any, NamedTuple

NEVER = float("inf")
DEVICE = {
    "device : str, optional": (
        'As ``clgraph.get_device`` takes it: "gpu", "cpu", a spec such as "0:1" or a part of a name. '
        "Default: ``nx.config.backends.clgraph.device``, or what clgraph chooses."
    )
}
SORTING = "`sort_neighbors` is left to NetworkX."
FORD = (
    "Only where a call names the backend: of several shortest paths it gives that of Dijkstra's algorithm, "
    "and nodes in the order of their distances. Negative weights are left to NetworkX."
)


class Function(NamedTuple):
    """A function of NetworkX that runs on a device.

    Attributes
    ----------
    name : str
    first, cached : float
        Pairs of neighbours (an undirected edge counts twice) from which the backend is faster than NetworkX
        3.6.1, for a graph to be converted and for one in the cache: measured on 2 x86-64 cores (PoCL 3.1,
        2026-11-21 and 22) by ``python benchmarks/networkx_backend.py --crossover`` with ``--edges`` from 3000
        (all pairs) to 300000: random graphs of 10 edges per node. Variants of one function share one
        measurement. NEVER: NetworkX mostly ends early, or is done before the graph is converted.
    weights : bool
        Whether it takes weights, or distances, as arguments; without them such calls are left to NetworkX.
    multigraphs, directed : bool
        Whether it takes them: NetworkX refuses the former, too.
    early_end : bool
        NetworkX's own search usually ends after a few vertices: it is faster whatever the size.
    named : bool
        It runs only where a call names the backend: its results, or their order, are not those of NetworkX.
    note : str
        What NetworkX's documentation says of the backend's function.
    """

    name: str
    first: float = NEVER
    cached: float = NEVER
    weights: bool = True
    multigraphs: bool = True
    directed: bool = True
    early_end: bool = False
    named: bool = False
    note: str = ""


TABLE = (
    Function(
        "pagerank",
        2_000,
        600,
        note=(
            "Stops once the L1 difference of two iterates is below min(N * tol, 1e-3): NetworkX's own "
            "criterion, N * tol, is always met on large graphs. Alpha must be below 1; weights and "
            "vectors must not be negative."
        ),
    ),
    Function("connected_components", 200_000, 60_000),
    Function("number_connected_components", 200_000, 60_000),
    Function("is_connected", 200_000, 60_000),
    Function("node_connected_component", 200_000, 20_000),
    Function("weakly_connected_components", 100_000, 10_000),
    Function("number_weakly_connected_components", 100_000, 10_000),
    Function("is_weakly_connected", 100_000, 10_000),
    Function("strongly_connected_components", 3_000, 3_000, note="Components are in NetworkX's order."),
    Function("number_strongly_connected_components", 3_000, 3_000),
    Function("is_strongly_connected", NEVER, 3_000),
    Function("condensation", 3_000, 3_000),
    Function("bfs_edges", 600_000, 60_000, note=SORTING),
    Function("bfs_predecessors", 600_000, 60_000, note=SORTING),
    Function("bfs_successors", 600_000, 20_000, note=SORTING),
    Function("bfs_layers", 600_000, 20_000),
    Function("bfs_tree", 600_000, 20_000, note=SORTING),
    Function("ancestors", 600_000, 20_000),
    Function("descendants", NEVER, 20_000),
    Function("single_source_shortest_path_length", NEVER, 60_000),
    Function("single_target_shortest_path_length", NEVER, 60_000),
    Function("single_source_shortest_path", NEVER, 600_000),
    Function("all_pairs_shortest_path_length", 2_000, 2_000),
    Function("single_source_dijkstra", NEVER, 20_000),
    Function("single_source_dijkstra_path", NEVER, 20_000),
    Function("single_source_dijkstra_path_length", NEVER, 6_000),
    Function("multi_source_dijkstra", NEVER, 20_000),
    Function("multi_source_dijkstra_path", NEVER, 20_000),
    Function("multi_source_dijkstra_path_length", NEVER, 20_000),
    Function("dijkstra_predecessor_and_distance", NEVER, 20_000),
    Function("all_pairs_dijkstra", 2_000, 2_000),
    Function("all_pairs_dijkstra_path", 2_000, 2_000),
    Function("all_pairs_dijkstra_path_length", 2_000, 2_000),
    Function("dijkstra_path", early_end=True),
    Function("dijkstra_path_length", early_end=True),
    Function("bellman_ford_path_length", 6_000, 6_000),
    Function("bellman_ford_path", named=True, note=FORD),
    Function("single_source_bellman_ford", named=True, note=FORD),
    Function("single_source_bellman_ford_path", named=True, note=FORD),
    Function("single_source_bellman_ford_path_length", named=True, note=FORD),
    Function("all_pairs_bellman_ford_path", named=True, note=FORD),
    Function("all_pairs_bellman_ford_path_length", named=True, note=FORD),
    Function("triangles", 2_000, 600),
    Function("clustering", 600, 600, weights=False, multigraphs=False),
    Function("average_clustering", 2_000, 2_000, weights=False, multigraphs=False),
    Function("transitivity", 2_000, 600, multigraphs=False, directed=False, note="For undirected graphs."),
    Function("average_shortest_path_length", 2_000, 2_000),
    Function("betweenness_centrality", 600, 600, weights=False),
    Function("edge_betweenness_centrality", 600, 600, weights=False, multigraphs=False),
    Function("closeness_centrality", 2_000, 2_000, weights=False, note="Without `distance` and `sp`."),
    Function("eigenvector_centrality", 6_000, 6_000, multigraphs=False),
    Function("harmonic_centrality", 2_000, 600, weights=False),
    Function(
        "hits",
        60_000,
        20_000,
        note=(
            'Method "svd" (the only one before NetworkX 3.7) is Lanczos\'s, from a fixed start. Where '
            "the largest singular value has several vectors (components that are alike), NetworkX's "
            "depend on its start, too."
        ),
    ),
    Function("katz_centrality", 600, 600, multigraphs=False),
    Function(
        "louvain_communities",
        directed=False,
        named=True,
        note=(
            "Only where a call names the backend, since vertices move in another order than NetworkX's: a "
            "seed gives other communities, the same on every device. Undirected graphs, without `threshold` "
            "and `max_level`; the resolution is rounded to a multiple of 1/1024, the largest community comes "
            "first."
        ),
    ),
    Function(
        "leiden_communities",
        0,
        0,
        directed=False,
        note=(
            'With `metric="modularity"`, which is not the default of NetworkX 3.7; there only where a call '
            "names the backend, as vertices move in another order. Older ones have no implementation. "
            "Without `max_level` and `theta`; the resolution is rounded to a multiple of 1/1024, the largest "
            "community comes first."
        ),
    ),
    Function("core_number", 60_000, 20_000, multigraphs=False),
    Function("k_core", NEVER, 60_000, multigraphs=False),
    Function(
        "degree_assortativity_coefficient", 6_000, 2_000, weights=False, note="Of all nodes, without weights."
    ),
    Function("average_neighbor_degree", 60_000, 6_000, weights=False),
    Function(
        "shortest_path",
        note=(
            "Between two nodes it is the path that `single_source_shortest_path` gives, by weight "
            "`single_source_dijkstra_path`; NetworkX's own search from both ends may find another one of the "
            "same length."
        ),
    ),
    Function("shortest_path_length"),
    Function("has_path", early_end=True),
    Function("descendants_at_distance", early_end=True),
)
BY_NAME = {each.name: each for each in TABLE}
FUNCTIONS = tuple(sorted(BY_NAME))


def get_info() -> dict[str, Any]:
    """The backend's metadata (entry point ``networkx.backend_info``)."""
    notes = {each.name: each.note or ("" if each.weights else "Without weights.") for each in TABLE}
    return {
        "backend_name": "clgraph",
        "project": "pyclgraph",
        "package": "clgraph",
        "url": "https://pypi.org/project/pyclgraph/",
        "short_summary": "Runs on any OpenCL device: GPUs, CPUs, FPGAs.",
        "default_config": {"device": None},
        "functions": {
            name: {"additional_docs": notes[name], "additional_parameters": DEVICE} for name in FUNCTIONS
        },
    }
