"""Shortest paths between one, some or all nodes, and their lengths, as NetworkX gives them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from clgraph.errors import InputError
from clgraph.networkx_backend import traversal
from clgraph.networkx_backend.converted import ConvertedGraph
from clgraph.networkx_backend.running import check_in, lazily, on_device
from clgraph.networkx_backend.traversal import in_order

Paths = dict[Any, list[Any]]


def shortest_path(
    G: ConvertedGraph, source: Any = None, target: Any = None, weight: Any = None, method: Any = "dijkstra"
) -> Any:
    """As `networkx.shortest_path` without weights.

    Between two nodes it is the path to the target that `networkx.single_source_shortest_path` gives:
    NetworkX's own search from both ends may find another one of the same length.
    """
    if source is None:
        return _all_paths(G) if target is None else _paths_to(G, target)
    if target is None:
        return traversal.found_paths("shortest_path", G, source)
    return _path(G, source, target)


def shortest_path_length(
    G: ConvertedGraph, source: Any = None, target: Any = None, weight: Any = None, method: Any = "dijkstra"
) -> Any:
    """As `networkx.shortest_path_length` without weights."""
    if source is None:
        if target is None:
            return traversal.all_lengths("shortest_path_length", G)
        check_in(G, Source=target)  # NetworkX searches the reversed graph from it, and says so
        return traversal.found_lengths("shortest_path_length", G, target, turned=True)
    if target is None:
        check_in(G, Source=source)
        return traversal.found_lengths("shortest_path_length", G, source)
    check_in(G, Source=source, Target=target)
    length = int(traversal.distances("shortest_path_length", G, source)[G.nodes.find(target)])
    if length < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return length


def average_shortest_path_length(G: ConvertedGraph, weight: Any = None, method: Any = None) -> float:
    """As `networkx.average_shortest_path_length` without weights."""
    from clgraph.centrality import average_shortest_path_length as mean

    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if len(G) == 1:
        return 0
    with on_device("average_shortest_path_length") as device:
        try:
            return mean(G.rows, device=device)
        except InputError as error:
            kind = "strongly connected" if G.is_directed() else "connected"
            raise nx.NetworkXError(f"Graph is not {kind}.") from error


# --- shared -------------------------------------------------------------------------------------------


def _path(G: ConvertedGraph, source: Any, target: Any) -> list[Any]:
    """The path to one node."""
    check_in(G, Source=source, Target=target)
    distance = traversal.distances("shortest_path", G, source)
    v = G.nodes.find(target)
    assert v is not None
    if distance[v] < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    near = np.where(distance <= distance[v], distance, -1)
    found, parents = in_order(G.rows, near, np.array([G.nodes.find(source)]))
    parent = dict(zip(found.tolist(), parents.tolist(), strict=True))
    path = [v]
    while path[-1] >= 0:
        path.append(parent[path[-1]])
    names: list[Any] = G.nodes.names(np.array(path[-2::-1]))
    return names


def _paths_to(G: ConvertedGraph, target: Any) -> Paths:
    """A path from every node that has one."""
    found = traversal.found_paths("shortest_path", G, target, turned=True)
    for path in found.values():
        path.reverse()
    return found


def _all_paths(G: ConvertedGraph) -> Iterator[tuple[Any, Paths]]:
    """Of each node the paths to all others, one node after the other."""

    def rows() -> Iterator[tuple[Any, Paths]]:
        for node in G.nodes.objects:
            yield node, traversal.found_paths("shortest_path", G, node)

    return lazily(rows)
