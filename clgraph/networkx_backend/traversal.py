"""Breadth-first searches, paths of fewest edges and their lengths, as NetworkX gives them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import ceil, inf
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.networkx_backend.converted import ConvertedGraph
from clgraph.networkx_backend.running import RELEASE, check_in, lazily, on_device

if TYPE_CHECKING:
    from clgraph.graph import Graph

PLACES = 1 << 25  # vertices of all searches that run at once, at most: the host holds a distance for each
SEARCHES = 64  # that run at once: the lanes of `bfs_many`
Places = npt.NDArray[Any]


def bfs_edges(
    G: ConvertedGraph,
    source: Any,
    reverse: bool = False,
    depth_limit: Any = None,
    sort_neighbors: Callable[..., Any] | None = None,
) -> Iterator[tuple[Any, Any]]:
    """Like `networkx.bfs_edges`."""
    return lazily(_edges, "bfs_edges", G, source, reverse, depth_limit, sort_neighbors)


def bfs_tree(
    G: ConvertedGraph,
    source: Any,
    reverse: bool = False,
    depth_limit: Any = None,
    sort_neighbors: Callable[..., Any] | None = None,
) -> Any:
    """Like `networkx.bfs_tree`."""
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(_edges("bfs_tree", G, source, reverse, depth_limit, sort_neighbors))
    return tree


def bfs_predecessors(
    G: ConvertedGraph, source: Any, depth_limit: Any = None, sort_neighbors: Callable[..., Any] | None = None
) -> Iterator[tuple[Any, Any]]:
    """Like `networkx.bfs_predecessors`."""

    def pairs() -> Iterator[tuple[Any, Any]]:
        if RELEASE >= (3, 7):
            warnings.warn(
                "\n\nbfs_predecessors is deprecated and will be removed in NetworkX 3.9\n"
                "Use ``(t, s) for (s, t) in bfs_edges`` instead",
                DeprecationWarning,
                stacklevel=2,
            )
        for parent, child in _edges("bfs_predecessors", G, source, False, depth_limit, sort_neighbors):
            yield child, parent

    return lazily(pairs)


def bfs_successors(
    G: ConvertedGraph, source: Any, depth_limit: Any = None, sort_neighbors: Callable[..., Any] | None = None
) -> Iterator[tuple[Any, list[Any]]]:
    """Like `networkx.bfs_successors`."""

    def groups() -> Iterator[tuple[Any, list[Any]]]:
        _check_sorting(sort_neighbors)
        vertices, parents = _search("bfs_successors", G, [_place(G, source)], depth_limit)
        children, parents = vertices[1:], parents[1:]
        if not len(children):
            yield source, []
            return
        begins = np.concatenate(([0], np.flatnonzero(parents[1:] != parents[:-1]) + 1))
        names = G.nodes.names(children)
        ends = [*begins[1:].tolist(), len(names)]
        for parent, begin, end in zip(G.nodes.names(parents[begins]), begins.tolist(), ends, strict=True):
            yield parent, names[begin:end]

    return lazily(groups)


def bfs_layers(G: ConvertedGraph, sources: Any) -> Iterator[list[Any]]:
    """Like `networkx.bfs_layers`."""

    def layers() -> Iterator[list[Any]]:
        first = [sources] if sources in G else list(sources)
        if RELEASE >= (3, 5):  # the order of the first layer is that of this set, in NetworkX too
            first = list(set(first))
        for source in first:
            if source not in G:
                raise nx.NetworkXError(f"The node {source} is not in the graph.")
        if first:
            yield from _layers("bfs_layers", G, first)

    return lazily(layers)


def descendants_at_distance(G: ConvertedGraph, source: Any, distance: Any) -> set[Any]:
    """Like `networkx.descendants_at_distance`."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if not (isinstance(distance, (int, float)) and 0 <= distance < len(G) and distance == int(distance)):
        return set()  # NetworkX counts levels up to this number, and never meets it
    found = distances("descendants_at_distance", G, source, distance)
    return set(G.nodes.names(np.flatnonzero(found == int(distance))))


def descendants(G: ConvertedGraph, source: Any) -> set[Any]:
    """Like `networkx.descendants`."""
    _place(G, source)
    return set(G.nodes.names(np.flatnonzero(distances("descendants", G, source) > 0)))


def ancestors(G: ConvertedGraph, source: Any) -> set[Any]:
    """Like `networkx.ancestors`."""
    _place(G, source)
    return set(G.nodes.names(np.flatnonzero(distances("ancestors", G, source, turned=True) > 0)))


def single_source_shortest_path_length(G: ConvertedGraph, source: Any, cutoff: Any = None) -> dict[Any, int]:
    """Like `networkx.single_source_shortest_path_length`."""
    check_in(G, Source=source)
    return found_lengths("single_source_shortest_path_length", G, source, cutoff)


def single_target_shortest_path_length(G: ConvertedGraph, target: Any, cutoff: Any = None) -> Any:
    """Like `networkx.single_target_shortest_path_length`: a dict, before NetworkX 3.5 an iterator."""
    check_in(G, Target=target)
    found = found_lengths("single_target_shortest_path_length", G, target, cutoff, turned=True)
    return found if RELEASE >= (3, 5) else iter(found.items())


def all_pairs_shortest_path_length(
    G: ConvertedGraph, cutoff: Any = None
) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Like `networkx.all_pairs_shortest_path_length`."""

    return all_lengths("all_pairs_shortest_path_length", G, cutoff)


def all_lengths(name: str, G: ConvertedGraph, cutoff: Any = None) -> Iterator[tuple[Any, dict[Any, int]]]:
    """The lengths from each node, 64 nodes at a time."""

    def rows() -> Iterator[tuple[Any, dict[Any, int]]]:
        from clgraph.traversal import bfs_many

        n, depth = len(G), _depth(cutoff)
        together = max(1, min(SEARCHES, PLACES // max(n, 1)))
        for begin in range(0, n, together):
            sources = np.arange(begin, min(begin + together, n))
            with on_device(name) as device:
                found = bfs_many(G.rows, sources, depth_limit=depth, device=device).distance
            distance = found.reshape(-1)
            places, _ = in_order(G.rows, distance, np.arange(len(sources)) * n + sources)
            # 64 searches fit in 8 bits, which NumPy sorts by radix
            search = (places // n).astype(np.uint8)
            places = places[np.argsort(search, kind="stable")]
            ends = np.cumsum(np.bincount(search, minlength=len(sources))).tolist()
            names, lengths = G.nodes.names(places % n), distance[places].tolist()
            start = 0
            for source, end in zip(G.nodes.names(sources), ends, strict=True):
                yield source, dict(zip(names[start:end], lengths[start:end], strict=True))
                start = end

    return lazily(rows)


def single_source_shortest_path(G: ConvertedGraph, source: Any, cutoff: Any = None) -> dict[Any, list[Any]]:
    """Like `networkx.single_source_shortest_path`."""
    return found_paths("single_source_shortest_path", G, source, cutoff)


def found_paths(
    name: str, G: ConvertedGraph, source: Any, cutoff: Any = None, *, turned: bool = False
) -> dict[Any, list[Any]]:
    """A path from one node to each that it reaches."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    vertices, parents = _search(name, G, [_place(G, source)], cutoff, turned=turned)
    paths = {source: [source]}
    for node, parent in zip(G.nodes.names(vertices[1:]), G.nodes.names(parents[1:]), strict=True):
        paths[node] = [*paths[parent], node]
    return paths


def has_path(G: ConvertedGraph, source: Any, target: Any) -> bool:
    """Like `networkx.has_path`."""
    check_in(G, Source=source, Target=target)
    return bool(distances("has_path", G, source)[G.nodes.find(target)] >= 0)


# --- shortest paths between one, some or all nodes ---

Paths = dict[Any, list[Any]]


def shortest_path(
    G: ConvertedGraph, source: Any = None, target: Any = None, weight: Any = None, method: Any = "dijkstra"
) -> Any:
    """Like `networkx.shortest_path` without weights.

    Between two nodes it is the path to the target that `networkx.single_source_shortest_path` gives:
    NetworkX's own search from both ends may find another one of the same length.
    """
    if source is None:
        return _all_paths(G) if target is None else _paths_to(G, target)
    if target is None:
        return found_paths("shortest_path", G, source)
    return _path(G, source, target)


def shortest_path_length(
    G: ConvertedGraph, source: Any = None, target: Any = None, weight: Any = None, method: Any = "dijkstra"
) -> Any:
    """Like `networkx.shortest_path_length` without weights."""
    if source is None:
        if target is None:
            return all_lengths("shortest_path_length", G)
        check_in(G, Source=target)  # NetworkX searches the reversed graph from it, and says so
        return found_lengths("shortest_path_length", G, target, turned=True)
    if target is None:
        check_in(G, Source=source)
        return found_lengths("shortest_path_length", G, source)
    check_in(G, Source=source, Target=target)
    length = int(distances("shortest_path_length", G, source)[G.nodes.find(target)])
    if length < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return length


def average_shortest_path_length(G: ConvertedGraph, weight: Any = None, method: Any = None) -> float:
    """Like `networkx.average_shortest_path_length` without weights."""
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


def _path(G: ConvertedGraph, source: Any, target: Any) -> list[Any]:
    """The path to one node."""
    check_in(G, Source=source, Target=target)
    distance = distances("shortest_path", G, source)
    v = G.nodes.find(target)
    assert v is not None
    if distance[v] < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    # what is farther away than the target need not be put in order
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
    found = found_paths("shortest_path", G, target, turned=True)
    for path in found.values():
        path.reverse()
    return found


def _all_paths(G: ConvertedGraph) -> Iterator[tuple[Any, Paths]]:
    """Yield the paths from each node to all others, one node after the other."""

    def rows() -> Iterator[tuple[Any, Paths]]:
        for node in G.nodes.objects:
            yield node, found_paths("shortest_path", G, node)

    return lazily(rows)


# --- shared -------------------------------------------------------------------------------------------


def _edges(
    name: str, G: ConvertedGraph, source: Any, reverse: bool, depth_limit: Any, sort_neighbors: Any
) -> Iterator[tuple[Any, Any]]:
    _check_sorting(sort_neighbors)
    vertices, parents = _search(name, G, [_place(G, source)], depth_limit, turned=reverse)
    yield from zip(G.nodes.names(parents[1:]), G.nodes.names(vertices[1:]), strict=True)


def _check_sorting(sort_neighbors: Any) -> None:
    if sort_neighbors is not None:
        raise NotImplementedError("clgraph does not call sort_neighbors on a device")


def _place(G: ConvertedGraph, node: Any) -> int:
    place = G.nodes.find(node)
    if place is None:
        raise nx.NetworkXError(f"The node {node} is not in the {'di' if G.is_directed() else ''}graph.")
    return place


def _depth(limit: Any) -> int | None:
    """The last level for a limit as NetworkX takes it: it expands levels while they are below the limit."""
    if limit is None or limit == inf:
        return None
    return min(ceil(limit), 2**31 - 1) if limit > 0 else 0


def _reach(
    name: str, G: ConvertedGraph, sources: list[int], depth: int | None, turned: bool
) -> npt.NDArray[np.int32]:
    from clgraph.traversal import bfs

    graph = G.turned if turned and G.is_directed() else G.rows
    with on_device(name) as device:
        return bfs(graph, sources, depth_limit=depth, predecessors=False, device=device).distance


def distances(
    name: str, G: ConvertedGraph, source: Any, limit: Any = None, *, turned: bool = False
) -> npt.NDArray[np.int32]:
    """Levels of a search from one node."""
    return _reach(name, G, [_place(G, source)], _depth(limit), turned)


def _search(
    name: str, G: ConvertedGraph, sources: list[int], limit: Any = None, *, turned: bool = False
) -> tuple[Places, Places]:
    """Vertices and their parents in NetworkX's order."""
    distance = _reach(name, G, sources, _depth(limit), turned)
    return in_order(G.arriving if turned else G.rows, distance, np.array(sources))


def _layers(name: str, G: ConvertedGraph, sources: list[Any]) -> Iterator[list[Any]]:
    places = [_place(G, source) for source in sources]
    distance = _reach(name, G, places, None, False)
    vertices, _ = in_order(G.rows, distance, np.array(places))
    levels = distance[vertices]
    names = G.nodes.names(vertices)
    begins = [0, *(np.flatnonzero(levels[1:] != levels[:-1]) + 1).tolist(), len(names)]
    for begin, end in pairwise(begins):
        yield names[begin:end]


def found_lengths(
    name: str, G: ConvertedGraph, source: Any, cutoff: Any = None, *, turned: bool = False
) -> dict[Any, int]:
    """Lengths of paths from one node, or (turned) to it."""
    place = _place(G, source)
    distance = _reach(name, G, [place], _depth(cutoff), turned)
    vertices, _ = in_order(G.arriving if turned else G.rows, distance, np.array([place]))
    return dict(zip(G.nodes.names(vertices), distance[vertices].tolist(), strict=True))


# --- NetworkX's order, from levels --------------------------------------------------------------------------
#
# NetworkX visits a level in the order in which it was found: by the position of a vertex's predecessor, then
# by the position of the arc in that predecessor's adjacency. A device gives the levels; here each level is
# ordered at once, from the arcs that leave the level before.

# levels of fewer vertices are ordered one vertex at a time: NumPy's calls would take longer
FEW = 12


def in_order(
    rows: Graph, distance: npt.NDArray[Any], first: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Vertices reached, in NetworkX's order, and the vertex that each was reached from.

    Parameters
    ----------
    rows : Graph
        Rows in the order of NetworkX's adjacency.
    distance : integer array, shape (k * n,)
        Levels of k searches, one after the other; -1 where not reached. Position ``s * n + v`` is vertex v
        of search s.
    first : integer array
        The positions of all sources, in their order.

    Returns
    -------
    reached, parents : int64 arrays
        Positions, level by level; the parent of a source is -1.
    """
    n = rows.num_vertices
    row_ptr, heads = rows.row_ptr, rows.col_idx
    last = int(distance.max(initial=0))
    rank = np.empty(len(distance), np.int32)  # only positions of reached vertices are touched
    front = first.astype(np.int64)
    reached, parents = [front], [np.full(len(front), -1)]
    level = 0
    while level < last and len(front):
        if len(front) < FEW:
            front, found, by, level = _one_by_one(rows, distance, front, level)
            reached.append(found)
            parents.append(by)
            continue
        vertex = front if n == len(distance) else front % n
        start = row_ptr[vertex].astype(np.int64)
        count = row_ptr[vertex + 1] - start
        end = np.cumsum(count)
        arc = np.arange(end[-1])
        arc += np.repeat(start - (end - count), count)
        head = heads[arc].astype(np.int64)
        if n != len(distance):
            head += np.repeat(front - vertex, count)
        level += 1
        kept = np.flatnonzero(distance[head] == level)
        head = head[kept]
        # a vertex is found by the first arc that leads to it: written in reverse, the first arc wins
        place = np.arange(len(head), dtype=np.int32)
        rank[head[::-1]] = place[::-1]
        new = np.flatnonzero(rank[head] == place)
        parents.append(front[np.searchsorted(end, kept[new], side="right")])
        front = head[new]
        reached.append(front)
    return np.concatenate(reached), np.concatenate(parents)


def _one_by_one(
    rows: Graph, distance: npt.NDArray[Any], front: npt.NDArray[Any], level: int
) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], int]:
    """Levels of few vertices, until one has more or none: the last level, all found, their parents."""
    n = rows.num_vertices
    # memoryviews: NumPy takes three times as long to give a single number
    ends, heads, levels = (array.data for array in (rows.row_ptr, rows.col_idx, distance))
    here, found, by = front.tolist(), [], []
    while here and len(here) < FEW:
        level += 1
        there: list[int] = []
        known = set()
        for place in here:
            v = place % n
            base = place - v
            for arc in range(ends[v], ends[v + 1]):
                w = base + heads[arc]
                if levels[w] == level and w not in known:
                    known.add(w)
                    there.append(w)
                    by.append(place)
        found += there
        here = there
    return np.array(here, dtype=np.int64), np.array(found, np.int64), np.array(by, np.int64), level
