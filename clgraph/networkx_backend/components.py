"""Connected components, as NetworkX gives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from clgraph.building import row_ptr_of
from clgraph.networkx_backend.converted import ConvertedGraph
from clgraph.networkx_backend.running import chosen_device, on_device

if TYPE_CHECKING:
    from clgraph.components import Components, Connection
    from clgraph.device import Device
    from clgraph.graph import Graph

SAMPLED = 2  # arcs of each vertex that are read at first
EMPTY = "Connectivity is undefined for the null graph."


def connected_components(G: ConvertedGraph) -> Iterator[set[Any]]:
    """As `networkx.connected_components`."""
    return _sets_lazily("connected_components", G)


def number_connected_components(G: ConvertedGraph) -> int:
    """As `networkx.number_connected_components`."""
    return _find("number_connected_components", G).count if len(G) else 0


def is_connected(G: ConvertedGraph) -> bool:
    """As `networkx.is_connected`."""
    return _is_one("is_connected", G)


def node_connected_component(G: ConvertedGraph, n: Any) -> set[Any]:
    """As `networkx.node_connected_component`."""
    place = G.nodes.find(n)
    if place is None:
        raise KeyError(n)
    labels = _find("node_connected_component", G).labels
    return set(_members(G, labels == labels[place]))


def weakly_connected_components(G: ConvertedGraph) -> Iterator[set[Any]]:
    """As `networkx.weakly_connected_components`."""
    return _sets_lazily("weakly_connected_components", G)


def number_weakly_connected_components(G: ConvertedGraph) -> int:
    """As `networkx.number_weakly_connected_components`."""
    return _find("number_weakly_connected_components", G).count if len(G) else 0


def is_weakly_connected(G: ConvertedGraph) -> bool:
    """As `networkx.is_weakly_connected`."""
    return _is_one("is_weakly_connected", G)


def strongly_connected_components(G: ConvertedGraph) -> Iterator[set[Any]]:
    """As `networkx.strongly_connected_components`."""
    return _sets_lazily("strongly_connected_components", G, "strong")


def number_strongly_connected_components(G: ConvertedGraph) -> int:
    """As `networkx.number_strongly_connected_components`."""
    return _find("number_strongly_connected_components", G, "strong").count if len(G) else 0


def is_strongly_connected(G: ConvertedGraph) -> bool:
    """As `networkx.is_strongly_connected`."""
    return _is_one("is_strongly_connected", G, "strong")


def condensation(G: ConvertedGraph, scc: Iterable[Any] | None = None) -> Any:
    """As `networkx.condensation`."""
    made = nx.DiGraph()
    made.graph["mapping"] = mapping = {}
    if len(G) == 0:
        return made
    members = list(_sets("condensation", G, "strong") if scc is None else scc)
    for i, component in enumerate(members):
        mapping.update(dict.fromkeys(component, i))
    made.add_nodes_from((i, {"members": component}) for i, component in enumerate(members))
    of_vertex = np.fromiter(map(mapping.__getitem__, G.nodes.objects), np.int64, len(G))
    tail, head = of_vertex[G.rows.rows], of_vertex[G.rows.col_idx]
    between = tail != head
    key = tail[between] * len(members) + head[between]
    _, first = np.unique(key, return_index=True)
    key = key[np.sort(first)]  # in NetworkX's order: by the first arc between two components
    made.add_edges_from(zip((key // len(members)).tolist(), (key % len(members)).tolist(), strict=True))
    return made


# --- shared -------------------------------------------------------------------------------------------


def _find(name: str, G: ConvertedGraph, connection: Connection = "weak") -> Components:
    from clgraph.components import connected_components

    with on_device(name) as device:
        graph = G.rows if connection == "strong" else _links(G, device)
        return connected_components(graph, connection=connection, device=device)


def _links(G: ConvertedGraph, device: Device) -> Graph:
    """A graph with the weak components of this one, read from few of NetworkX's arcs.

    Python dicts are slow to read, so the thought of Afforest [1]_ is used on them: two arcs of each vertex
    connect most of them; of the vertices outside the largest component so found, all arcs are read (in and
    out). An arc between two vertices within it connects nothing new.

    References
    ----------
    .. [1] M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph
       Sampling", IPDPS 2018.
    """
    from clgraph.components import connected_components
    from clgraph.graph import Graph, build_csr

    if G.is_read:
        return G.rows
    if G.links is not None:
        return G.links
    nodes, adjacency = G.nodes, G.adjacency
    lengths = np.minimum(np.diff(adjacency.row_ptr), SAMPLED)
    few = chain.from_iterable(map(islice, adjacency.rows, repeat(SAMPLED)))
    sample = Graph(row_ptr_of(lengths), nodes.numbers(few, int(lengths.sum())), directed=True)
    outside = np.flatnonzero(connected_components(sample, device=device).labels)
    if len(outside) == 0:
        G.links = sample
        return sample
    tails, heads = [sample.rows], [sample.col_idx]
    sides = [[adjacency.rows[v] for v in outside.tolist()]]
    if G.predecessors is not None:
        sides.append([G.predecessors[node] for node in nodes.names(outside)])
    for rows in sides:
        lengths = np.fromiter(map(len, rows), np.int64, len(rows))
        tails.append(np.repeat(outside, lengths).astype(np.int32))
        heads.append(nodes.numbers(chain.from_iterable(rows), int(lengths.sum())))
    G.links = build_csr(np.concatenate(tails), np.concatenate(heads), len(nodes), directed=True)
    return G.links


def _is_one(name: str, G: ConvertedGraph, connection: Connection = "weak") -> bool:
    if len(G) == 0:
        raise nx.NetworkXPointlessConcept(EMPTY)
    return _find(name, G, connection).count == 1


def _sets_lazily(name: str, G: ConvertedGraph, connection: Connection = "weak") -> Iterator[set[Any]]:
    if len(G):
        chosen_device()  # a missing device is reported at the call, when NetworkX can still take over
    return _sets(name, G, connection)


def _sets(name: str, G: ConvertedGraph, connection: Connection) -> Iterator[set[Any]]:
    """The components in NetworkX's order, as sets of nodes."""
    if len(G) == 0:
        return
    found = _find(name, G, connection)
    # the largest one, number 0, is most of the graph as a rule, and need not be sorted
    largest = found.labels == 0
    others = np.flatnonzero(~largest)
    others = others[np.argsort(found.labels[others], kind="stable")]
    ends = np.cumsum(found.sizes[1:])
    begins = ends - found.sizes[1:]
    if connection == "strong":
        # a search leaves a component by the vertex that it came in by
        leaving = [G.completion[largest].max()]
        if len(begins):
            leaving += np.maximum.reduceat(G.completion[others], begins).tolist()
    else:
        leaving = [np.argmax(largest), *others[begins].tolist()]  # its first node
    names = G.nodes.names(others)
    bounds = [(-1, -1), *zip(begins.tolist(), ends.tolist(), strict=True)]
    for number in np.argsort(leaving).tolist():
        begin, end = bounds[number]
        yield set(names[begin:end] if number else _members(G, largest))


def _members(G: ConvertedGraph, chosen: npt.NDArray[np.bool_]) -> list[Any]:
    """The nodes chosen by a mask."""
    return G.nodes.objects if chosen.all() else G.nodes.names(np.flatnonzero(chosen))
