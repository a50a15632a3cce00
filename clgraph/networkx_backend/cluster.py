"""Triangles, clustering coefficients and cores, as NetworkX gives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from clgraph.networkx_backend.converted import ConvertedGraph, convert_to_nx
from clgraph.networkx_backend.running import on_device


def triangles(G: ConvertedGraph, nodes: Any = None) -> Any:
    """Like `networkx.triangles`."""
    return of_nodes(G, nodes, _count("triangles", G).tolist())


def clustering(G: ConvertedGraph, nodes: Any = None, weight: Any = None) -> Any:
    """Like `networkx.clustering` without weights, for undirected graphs."""
    return of_nodes(G, nodes, _coefficients("clustering", G))


def average_clustering(
    G: ConvertedGraph, nodes: Any = None, weight: Any = None, count_zeros: bool = True
) -> Any:
    """Like `networkx.average_clustering` without weights, for undirected graphs."""
    found = of_nodes(G, nodes, _coefficients("average_clustering", G)).values()
    if not count_zeros:
        found = [value for value in found if value]
    return sum(found) / len(found)


def transitivity(G: ConvertedGraph) -> Any:
    """Like `networkx.transitivity`, for undirected graphs."""
    count = 2 * int(_count("transitivity", G).sum())
    degree = _degrees(G)
    return count / int((degree * (degree - 1)).sum()) if count else 0


def _coefficients(name: str, G: ConvertedGraph) -> list[Any]:
    """The local clustering coefficients."""
    count = _count(name, G)
    degree = _degrees(G)
    return [2 * t / (d * (d - 1)) if t else 0 for t, d in zip(count.tolist(), degree.tolist(), strict=True)]


def _degrees(G: ConvertedGraph) -> npt.NDArray[np.int64]:
    """Numbers of neighbours, loops left out."""
    loops = np.zeros(len(G), np.int64)
    loops[G.rows.tails[G.rows.tails == G.rows.col_idx]] = 1
    return np.diff(G.rows.row_ptr) - loops


def _count(name: str, G: ConvertedGraph) -> npt.NDArray[np.int64]:
    from clgraph.measures.triangle_count import triangles as count

    if len(G) == 0:
        return np.zeros(0, np.int64)
    with on_device(name) as device:
        return count(G.ascending, device=device)


def of_nodes(G: ConvertedGraph, nodes: Any, values: list[Any]) -> Any:
    """Return a dict of all nodes' values or of some, or one node's value."""
    if nodes is None:
        return dict(zip(G.nodes.objects, values, strict=True))
    if nodes in G:
        return values[G.nodes.find(nodes) or 0]
    return {node: values[place] for node, place in found_nodes(G, nodes)}


def found_nodes(G: ConvertedGraph, nbunch: Any) -> Iterator[tuple[Any, int]]:
    """Yield the nodes of an nbunch and their places; nodes that are not in the graph are skipped."""
    if nbunch in G:
        nbunch = [nbunch]
    elif not isinstance(nbunch, Iterable):
        raise nx.NetworkXError(f"Node {nbunch} is not in the graph.")
    for node in nbunch:
        try:
            place = G.nodes.find(node)
        except TypeError as error:
            raise nx.NetworkXError(f"Node {node} in sequence nbunch is not a valid node.") from error
        if place is not None:
            yield node, place


# --- cores --------------------------------------------------------------------------------------------------

LOOPS = (
    "Input graph has self loops which is not permitted; "
    "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
)


def core_number(G: ConvertedGraph) -> dict[Any, int]:
    """Like `networkx.core_number`."""
    return _numbers("core_number", G)


def k_core(G: ConvertedGraph, k: Any = None, core_number: Mapping[Any, Any] | None = None) -> Any:
    """Like `networkx.k_core`: a NetworkX graph, with the attributes of the nodes and edges that are left."""
    core = _numbers("k_core", G) if core_number is None else core_number
    if k is None:
        k = max(core.values())
    whole = convert_to_nx(G) if G.original is None else G.original
    return whole.subgraph(node for node in core if core[node] >= k).copy()


def _numbers(name: str, G: ConvertedGraph) -> dict[Any, int]:
    from clgraph.measures.cores import core_numbers

    rows = G.rows
    if np.any(rows.tails == rows.col_idx):
        raise nx.NetworkXNotImplemented(LOOPS)
    if len(G) == 0:
        return {}
    with on_device(name) as device:
        core = core_numbers(G.ascending, device)
    return G.by_node(core)
