"""Breadth-first searches, as NetworkX gives them, and paths of fewest edges from them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from math import ceil, inf
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from clgraph.networkx_backend.converted import ConvertedGraph
from clgraph.networkx_backend.running import RELEASE, check_in, lazily, on_device

if TYPE_CHECKING:
    from clgraph.graph import Graph

PLACES = 1 << 25  # vertices of all searches that run at once, at most: the host holds a distance for each
SEARCHES = 64  # that run at once: the lanes of `bfs_many`
Places = npt.NDArray[Any]
By = Callable[..., Any] | None
Paths = dict[Any, list[Any]]


class Search:
    """A search on a device from some nodes.

    Parameters
    ----------
    name : str
        The function of NetworkX that it is for.
    G : ConvertedGraph
    *sources : nodes
    limit : number, optional
        The last level, as NetworkX takes it.
    reverse : bool
        Whether it follows arcs backwards.

    Attributes
    ----------
    distance : int32 array, shape (n,)
        The level of each vertex, -1 where none leads.
    """

    def __init__(
        self, name: str, G: ConvertedGraph, *sources: Any, limit: Any = None, reverse: bool = False
    ) -> None:
        from clgraph.traversal import bfs

        self.G, self._reverse = G, reverse
        self._sources = [_place(G, source) for source in sources]
        graph, depth = G.reversed if reverse and G.is_directed() else G.rows, _depth(limit)
        with on_device(name) as device:
            found = bfs(graph, self._sources, depth_limit=depth, predecessors=False, device=device)
        self.distance = found.distance

    @cached_property
    def ordered(self) -> tuple[Places, Places]:
        """Vertices and their parents in NetworkX's order; the parent of a source is -1."""
        rows = self.G.arriving if self._reverse else self.G.rows
        return in_order(rows, self.distance, np.array(self._sources))

    @property
    def nodes(self) -> list[Any]:
        """The nodes in that order."""
        found: list[Any] = self.G.nodes.names(self.ordered[0])
        return found

    def lengths(self) -> dict[Any, int]:
        """The distances of the nodes reached."""
        return dict(zip(self.nodes, self.distance[self.ordered[0]].tolist(), strict=True))

    def edges(self) -> Iterator[tuple[Any, Any]]:
        """Yield (parent, node) for each node reached but the source, in NetworkX's order."""
        return zip(self.G.nodes.names(self.ordered[1][1:]), self.nodes[1:], strict=True)

    def paths(self) -> Paths:
        """A path from the only source to each node that it reaches."""
        source = self.nodes[0]
        paths = {source: [source]}
        for parent, node in self.edges():
            paths[node] = [*paths[parent], node]
        return paths


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


def _check_sorting(sort_neighbors: Any) -> None:
    if sort_neighbors is not None:
        raise NotImplementedError("clgraph does not call sort_neighbors on a device")


def _edges(
    name: str, G: ConvertedGraph, source: Any, depth_limit: Any, sort_neighbors: Any, reverse: bool = False
) -> Iterator[tuple[Any, Any]]:
    _check_sorting(sort_neighbors)
    yield from Search(name, G, source, limit=depth_limit, reverse=reverse).edges()


@lazily
def bfs_edges(
    G: ConvertedGraph, source: Any, reverse: bool = False, depth_limit: Any = None, sort_neighbors: By = None
) -> Iterator[tuple[Any, Any]]:
    """Like `networkx.bfs_edges`."""
    return _edges("bfs_edges", G, source, depth_limit, sort_neighbors, reverse)


def bfs_tree(
    G: ConvertedGraph, source: Any, reverse: bool = False, depth_limit: Any = None, sort_neighbors: By = None
) -> Any:
    """Like `networkx.bfs_tree`."""
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(_edges("bfs_tree", G, source, depth_limit, sort_neighbors, reverse))
    return tree


@lazily
def bfs_predecessors(
    G: ConvertedGraph, source: Any, depth_limit: Any = None, sort_neighbors: By = None
) -> Iterator[tuple[Any, Any]]:
    """Like `networkx.bfs_predecessors`."""
    if RELEASE >= (3, 7):
        warnings.warn(
            "\n\nbfs_predecessors is deprecated and will be removed in NetworkX 3.9\n"
            "Use ``(t, s) for (s, t) in bfs_edges`` instead",
            DeprecationWarning,
            stacklevel=2,
        )
    for parent, child in _edges("bfs_predecessors", G, source, depth_limit, sort_neighbors):
        yield child, parent


@lazily
def bfs_successors(
    G: ConvertedGraph, source: Any, depth_limit: Any = None, sort_neighbors: By = None
) -> Iterator[tuple[Any, list[Any]]]:
    """Like `networkx.bfs_successors`."""
    _check_sorting(sort_neighbors)
    search = Search("bfs_successors", G, source, limit=depth_limit)
    children, parents = search.nodes[1:], search.ordered[1][1:]
    if not children:
        yield source, []
        return
    begins = _begins(parents)
    for parent, (begin, end) in zip(G.nodes.names(parents[begins[:-1]]), pairwise(begins), strict=True):
        yield parent, children[begin:end]


@lazily
def bfs_layers(G: ConvertedGraph, sources: Any) -> Iterator[list[Any]]:
    """Like `networkx.bfs_layers`."""
    first = [sources] if sources in G else list(sources)
    if RELEASE >= (3, 5):  # the order of the first layer is that of this set, in NetworkX too
        first = list(set(first))
    for source in first:
        if source not in G:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if first:
        search = Search("bfs_layers", G, *first)
        nodes = search.nodes
        for begin, end in pairwise(_begins(search.distance[search.ordered[0]])):
            yield nodes[begin:end]


def _begins(values: Places) -> list[int]:
    """Where runs of equal values begin, and the end of the last one."""
    return [0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), len(values)]


def descendants_at_distance(G: ConvertedGraph, source: Any, distance: Any) -> set[Any]:
    """Like `networkx.descendants_at_distance`."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the graph.")
    if not (isinstance(distance, (int, float)) and 0 <= distance < len(G) and distance == int(distance)):
        return set()  # NetworkX counts levels up to this number, and never meets it
    found = Search("descendants_at_distance", G, source, limit=distance).distance
    return set(G.nodes.names(np.flatnonzero(found == int(distance))))


def descendants(G: ConvertedGraph, source: Any) -> set[Any]:
    """Like `networkx.descendants`."""
    return set(G.nodes.names(np.flatnonzero(Search("descendants", G, source).distance > 0)))


def ancestors(G: ConvertedGraph, source: Any) -> set[Any]:
    """Like `networkx.ancestors`."""
    return set(G.nodes.names(np.flatnonzero(Search("ancestors", G, source, reverse=True).distance > 0)))


def single_source_shortest_path_length(G: ConvertedGraph, source: Any, cutoff: Any = None) -> dict[Any, int]:
    """Like `networkx.single_source_shortest_path_length`."""
    check_in(G, Source=source)
    return Search("single_source_shortest_path_length", G, source, limit=cutoff).lengths()


def single_target_shortest_path_length(G: ConvertedGraph, target: Any, cutoff: Any = None) -> Any:
    """Like `networkx.single_target_shortest_path_length`: a dict, before NetworkX 3.5 an iterator."""
    check_in(G, Target=target)
    name = "single_target_shortest_path_length"
    found = Search(name, G, target, limit=cutoff, reverse=True).lengths()
    return found if RELEASE >= (3, 5) else iter(found.items())


def all_pairs_shortest_path_length(
    G: ConvertedGraph, cutoff: Any = None
) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Like `networkx.all_pairs_shortest_path_length`."""
    return all_lengths("all_pairs_shortest_path_length", G, cutoff)


def together(n: int) -> Iterator[Places]:
    """Yield the sources of searches from all n vertices that run at once."""
    size = max(1, min(SEARCHES, PLACES // max(n, 1)))
    for begin in range(0, n, size):
        yield np.arange(begin, min(begin + size, n))


@lazily
def all_lengths(name: str, G: ConvertedGraph, cutoff: Any = None) -> Iterator[tuple[Any, dict[Any, int]]]:
    """Yield the lengths from each node, computed for 64 nodes at a time."""
    from clgraph.traversal import bfs_many

    n, depth = len(G), _depth(cutoff)
    for sources in together(n):
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


def single_source_shortest_path(G: ConvertedGraph, source: Any, cutoff: Any = None) -> Paths:
    """Like `networkx.single_source_shortest_path`."""
    return paths_from("single_source_shortest_path", G, source, cutoff)


def paths_from(
    name: str, G: ConvertedGraph, source: Any, cutoff: Any = None, *, reverse: bool = False
) -> Paths:
    """A path from one node to each that it reaches."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    return Search(name, G, source, limit=cutoff, reverse=reverse).paths()


def distance_to(name: str, G: ConvertedGraph, source: Any, target: Any) -> tuple[Places, int]:
    """Levels of a search that reaches a node, and the node's place."""
    distance, v = Search(name, G, source).distance, _place(G, target)
    if distance[v] < 0:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return distance, v


def has_path(G: ConvertedGraph, source: Any, target: Any) -> bool:
    """Like `networkx.has_path`."""
    check_in(G, Source=source, Target=target)
    return bool(Search("has_path", G, source).distance[G.nodes.find(target)] >= 0)


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
        following = np.flatnonzero(distance[head] == level)
        head = head[following]
        # a vertex is found by the first arc that leads to it: written in reverse, the first arc wins
        place = np.arange(len(head), dtype=np.int32)
        rank[head[::-1]] = place[::-1]
        new = np.flatnonzero(rank[head] == place)
        parents.append(front[np.searchsorted(end, following[new], side="right")])
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
