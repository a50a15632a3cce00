"""The NetworkX backend ``clgraph``: NetworkX's own functions, run on an OpenCL device.

Not imported by `clgraph` itself: NetworkX finds it by its entry point (``networkx.backends``) and loads it
when it is first used. It is chosen by a call (``nx.pagerank(G, backend="clgraph")``), or for all calls where
it is faster (``NETWORKX_BACKEND_PRIORITY=clgraph``, ``nx.config.backend_priority = ["clgraph"]``). The device
is ``nx.config.backends.clgraph.device``, or what `clgraph.get_device` chooses.
"""

from clgraph.networkx_backend.cluster import clustering, triangles
from clgraph.networkx_backend.components import (
    condensation,
    connected_components,
    is_connected,
    is_strongly_connected,
    is_weakly_connected,
    node_connected_component,
    number_connected_components,
    number_strongly_connected_components,
    number_weakly_connected_components,
    strongly_connected_components,
    weakly_connected_components,
)
from clgraph.networkx_backend.converted import ConvertedGraph, convert_from_nx, convert_to_nx
from clgraph.networkx_backend.link_analysis import pagerank
from clgraph.networkx_backend.rules import can_run, should_run
from clgraph.networkx_backend.running import call_counts
from clgraph.networkx_backend.traversal import (
    all_pairs_shortest_path_length,
    ancestors,
    bfs_edges,
    bfs_layers,
    bfs_predecessors,
    bfs_successors,
    bfs_tree,
    descendants,
    descendants_at_distance,
    has_path,
    single_source_shortest_path,
    single_source_shortest_path_length,
    single_target_shortest_path_length,
)

__all__ = [
    "ConvertedGraph",
    "all_pairs_shortest_path_length",
    "ancestors",
    "bfs_edges",
    "bfs_layers",
    "bfs_predecessors",
    "bfs_successors",
    "bfs_tree",
    "call_counts",
    "can_run",
    "clustering",
    "condensation",
    "connected_components",
    "convert_from_nx",
    "convert_to_nx",
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
    "should_run",
    "single_source_shortest_path",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
    "strongly_connected_components",
    "triangles",
    "weakly_connected_components",
]
