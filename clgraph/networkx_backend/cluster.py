"""Triangles and clustering coefficients, as NetworkX gives them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from clgraph.networkx_backend.converted import ConvertedGraph
from clgraph.networkx_backend.running import on_device


def triangles(G: ConvertedGraph, nodes: Any = None) -> Any:
    """As `networkx.triangles`."""
    return _of_nodes(G, nodes, _count("triangles", G).tolist())


def clustering(G: ConvertedGraph, nodes: Any = None, weight: Any = None) -> Any:
    """As `networkx.clustering` without weights, for undirected graphs."""
    count = _count("clustering", G)
    loops = np.zeros(len(G), np.int64)
    loops[G.rows.rows[G.rows.rows == G.rows.col_idx]] = 1
    degree = np.diff(G.rows.row_ptr) - loops
    found = [2 * t / (d * (d - 1)) if t else 0 for t, d in zip(count.tolist(), degree.tolist(), strict=True)]
    return _of_nodes(G, nodes, found)


def _count(name: str, G: ConvertedGraph) -> npt.NDArray[np.int64]:
    from clgraph.measures.triangle_count import triangles as count

    if len(G) == 0:
        return np.zeros(0, np.int64)
    with on_device(name) as device:
        return count(G.ascending, device=device)


def _of_nodes(G: ConvertedGraph, nodes: Any, values: list[Any]) -> Any:
    """A dict of all nodes' values, or of some, or one node's value."""
    if nodes is None:
        return dict(zip(G.nodes.objects, values, strict=True))
    if nodes in G:
        return values[G.nodes.find(nodes) or 0]
    if not isinstance(nodes, Iterable):
        raise nx.NetworkXError(f"Node {nodes} is not in the graph.")
    found = {}
    for node in nodes:  # nodes that are not in the graph are left out
        try:
            place = G.nodes.find(node)
        except TypeError as error:
            raise nx.NetworkXError(f"Node {node} in sequence nbunch is not a valid node.") from error
        if place is not None:
            found[node] = values[place]
    return found
