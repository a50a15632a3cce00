"""Connected components, as NetworkX gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from clgraph.graph.arrays import Arrays
from clgraph.graph.building import row_ptr_of, stable_argsort
from clgraph.networkx_backend.converted import ConvertedGraph
from clgraph.networkx_backend.running import lazily, on_device

if TYPE_CHECKING:
    from clgraph.components import Components
    from clgraph.components.finder import Connection
    from clgraph.device import Device
    from clgraph.graph import Graph

# arcs per vertex, on average, that are read first: the longest rows of so many connect most vertices of a
# graph, and few have to be read for the rest
READ = 3
EMPTY = "Connectivity is undefined for the null graph."


def node_connected_component(G: ConvertedGraph, n: Any) -> set[Any]:
    """Like `networkx.node_connected_component`."""
    place = G.nodes.find(n)
    if place is None:
        raise KeyError(n)
    labels = _find("node_connected_component", "weak", G).labels
    return _members(G, labels == labels[place])


def condensation(G: ConvertedGraph, scc: Iterable[Any] | None = None) -> Any:
    """Like `networkx.condensation`."""
    made = nx.DiGraph()
    made.graph["mapping"] = mapping = {}
    if len(G) == 0:
        return made
    members = list(_sets("condensation", "strong", G) if scc is None else scc)
    for i, component in enumerate(members):
        mapping.update(dict.fromkeys(component, i))
    made.add_nodes_from((i, {"members": component}) for i, component in enumerate(members))
    of_vertex = np.fromiter(map(mapping.__getitem__, G.nodes.objects), np.int64, len(G))
    tail, head = of_vertex[G.rows.tails], of_vertex[G.rows.col_idx]
    between = tail != head
    key = tail[between] * len(members) + head[between]
    _, first = np.unique(key, return_index=True)
    key = key[np.sort(first)]  # in NetworkX's order: by the first arc between two components
    made.add_edges_from(zip((key // len(members)).tolist(), (key % len(members)).tolist(), strict=True))
    return made


# --- shared -------------------------------------------------------------------------------------------


def _find(name: str, connection: Connection, G: ConvertedGraph) -> Components:
    from clgraph.components import connected_components

    with on_device(name) as device:
        graph = G.rows if connection == "strong" else _links(G, device)
        return connected_components(graph, connection=connection, device=device)


def _links(G: ConvertedGraph, device: Device) -> Graph:
    """A graph with the weak components of this one, read from few of NetworkX's rows.

    Python dicts are slow to read, so the idea of Afforest [1]_ is applied to them: the longest rows connect
    most vertices. Then all arcs (in and out) of the vertices outside the largest component found so far are
    read; an arc between two vertices inside it connects nothing new.

    References
    ----------
    .. [1] M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph
       Sampling", IPDPS 2018.
    """
    if G.is_read or G.num_arcs <= READ * len(G):
        return G.rows
    if G.links is None:
        G.links = _few_links(G, device)
    return G.links


def _few_links(G: ConvertedGraph, device: Device) -> Graph:
    from clgraph.components import connected_components
    from clgraph.graph import Graph

    n, rows = len(G), G.adjacency.rows
    lengths = np.diff(G.adjacency.row_ptr)
    longest = stable_argsort(lengths)[::-1]
    read = np.zeros(n, bool)
    read[longest[np.cumsum(lengths[longest], dtype=np.int64) <= READ * n]] = True
    chosen = [rows[v] for v in np.flatnonzero(read).tolist()]
    few = row_ptr_of(np.where(read, lengths, 0))
    part = Graph._from_arrays(Arrays(few, G.read(chosen, lengths[read]), directed=True))
    labels = connected_components(part, device=device).labels

    # each vertex gets an arc to one vertex of the component known so far, then the arcs not read yet
    outside = np.flatnonzero(labels)
    tails = outside[~read[outside]]
    unread = [rows[v] for v in tails.tolist()]
    if G.predecessors is not None:
        tails = np.concatenate((tails, outside))
        unread += map(G.predecessors.__getitem__, G.nodes.names(outside))
    order = np.argsort(tails, kind="stable")
    unread = [unread[i] for i in order.tolist()]
    more = np.fromiter(map(len, unread), np.int64, len(unread))
    row_ptr = row_ptr_of(1 + np.bincount(tails[order], weights=more, minlength=n).astype(np.int64))
    root = np.empty(n, np.int32)
    root[labels[::-1]] = np.arange(n - 1, -1, -1)  # the first vertex of a component: it is written last
    heads = np.empty(row_ptr[-1], np.int32)
    known = np.zeros(len(heads), bool)
    known[row_ptr[:-1]] = True
    heads[known] = root[labels]
    heads[~known] = G.read(unread, more)
    return Graph._from_arrays(Arrays(row_ptr, heads, directed=True))


def _is_one(name: str, connection: Connection, G: ConvertedGraph) -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(EMPTY)
    return _find(name, connection, G).count == 1


def _count(name: str, connection: Connection, G: ConvertedGraph) -> int:
    return _find(name, connection, G).count if len(G) else 0


def _sets_lazily(name: str, connection: Connection, G: ConvertedGraph) -> Iterator[set[Any]]:
    return lazily(_sets)(name, connection, G) if len(G) else iter(())


def _sets(name: str, connection: Connection, G: ConvertedGraph) -> Iterator[set[Any]]:
    """Yield the components as sets of nodes, in NetworkX's order."""
    found = _find(name, connection, G)
    # the largest component, number 0, is usually most of the graph, and need not be sorted
    largest = found.labels == 0
    others = np.flatnonzero(~largest)
    others = others[np.argsort(found.labels[others], kind="stable")]
    ends = np.cumsum(found.sizes[1:])
    begins = ends - found.sizes[1:]
    if connection == "strong" and len(begins):
        # a depth-first search leaves a component at the vertex where it entered
        leaving = [G.completion[largest].max()]
        leaving += np.maximum.reduceat(G.completion[others], begins).tolist()
    else:
        leaving = [np.argmax(largest), *others[begins].tolist()]  # its first node
    names = G.nodes.names(others)
    bounds = [(-1, -1), *zip(begins.tolist(), ends.tolist(), strict=True)]
    for number in np.argsort(leaving).tolist():
        begin, end = bounds[number]
        yield set(names[begin:end]) if number else _members(G, largest)


def _members(G: ConvertedGraph, chosen: npt.NDArray[np.bool_]) -> set[Any]:
    """Return the set of nodes selected by a mask."""
    # of most nodes it is cheaper to copy the set of all and take out the few
    absent = np.flatnonzero(~chosen)
    if 2 * len(absent) > len(G):
        return set(G.nodes.names(np.flatnonzero(chosen)))
    found = set(G.nodes.every)  # of most nodes: copying a set hashes nothing
    found.difference_update(G.nodes.names(absent))
    return found


#: NetworkX's functions that differ in the connection and the answer alone, by name
FUNCTIONS: dict[str, Callable[[ConvertedGraph], Any]] = {
    (name := pattern.format(kind)): partial(answer, name, "strong" if kind == "strongly_" else "weak")
    for kind in ("", "weakly_", "strongly_")
    for pattern, answer in (
        ("{}connected_components", _sets_lazily),
        ("number_{}connected_components", _count),
        ("is_{}connected", _is_one),
    )
}
