"""Shortest paths and their lengths, by weight or by the number of edges, as NetworkX gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.networkx_backend.converted import ConvertedGraph
from clgraph.networkx_backend.running import RELEASE, check_in, lazily, on_device, with_doubles
from clgraph.networkx_backend.traversal import (
    Paths,
    Places,
    Search,
    all_lengths,
    distance_to,
    in_order,
    paths_from,
    together,
)

if TYPE_CHECKING:
    from clgraph.graph import Graph

FEW = 64  # arcs into vertices at one distance that Python sorts sooner than NumPy


class WeightedSearch:
    """A search by weight on a device from some nodes.

    Parameters
    ----------
    name : str
        The function of NetworkX that it is for.
    G : ConvertedGraph
    weight : name of an edge attribute
    sources : collection of nodes
        All at distance 0.
    cutoff : number, optional
    reverse : bool
        Whether it follows arcs backwards.
    """

    def __init__(
        self,
        name: str,
        G: ConvertedGraph,
        weight: Any,
        sources: Iterable[Any],
        *,
        cutoff: Any = None,
        reverse: bool = False,
    ) -> None:
        places = [_place(G, source) for source in dict.fromkeys(sources)]
        rows, floats = G.lengths(weight, reverse=reverse)
        graph, source = (rows, places[0]) if len(places) == 1 else (_joined(rows, places), len(G))
        distance = _distances(name, graph, source, cutoff)[: len(G)]
        self.found = Settled(G, rows, floats, distance, places, cutoff)


def _distances(name: str, graph: Graph, sources: Any, cutoff: Any = None) -> npt.NDArray[np.float64]:
    from clgraph.traversal.paths import shortest_paths

    limit = None if cutoff is None or cutoff == inf else cutoff
    with on_device(name) as device:
        found = shortest_paths(graph, sources, cutoff=limit, predecessors=False, device=with_doubles(device))
    return found.distance


def _place(G: ConvertedGraph, node: Any) -> int:
    place = G.nodes.find(node) if node in G else None
    if place is None:
        raise nx.NodeNotFound(f"Node {node} not found in graph")
    return place


def _joined(rows: Graph, sources: list[int]) -> Graph:
    """Return the rows and one more, whose arcs of length 0 lead to the sources: a search from there."""
    from clgraph.graph import Graph
    from clgraph.graph.arrays import Arrays
    from clgraph.graph.building import row_ptr_of

    weights = np.ones(rows.num_arcs) if rows.weights is None else rows.weights
    return Graph._from_arrays(
        Arrays(
            row_ptr_of(np.append(rows.degrees, len(sources))),
            np.append(rows.col_idx, np.array(sources, np.int32)),
            weights=np.append(weights, np.zeros(len(sources))),
            directed=True,
        )
    )


class Settled:
    """The vertices that a search reached, in the order in which NetworkX's Dijkstra settles them.

    Its heap gives the nearest vertex, of equally near ones that which was put in first; it is put in for the
    last time by the first vertex settled that gives it its distance. So distances and the order of the arcs
    decide, and a device need find no more than distances.

    Attributes
    ----------
    order : int64 array
        The vertices reached.
    parent, arc : int64 array, shape (n,)
        The vertex before each on NetworkX's path to it, and the arc from there; -1: none.
    """

    def __init__(
        self,
        G: ConvertedGraph,
        rows: Graph,
        floats: npt.NDArray[np.bool_] | None,
        distance: npt.NDArray[np.float64],
        sources: list[int],
        cutoff: Any = None,
    ) -> None:
        self.G, self.rows, self.distance, self.sources, self.cutoff = G, rows, distance, sources, cutoff
        self._floats = floats
        n, tails, heads = len(distance), rows.tails, rows.col_idx
        from_ = distance[tails]
        #: the distance that each arc would give its head
        self.along = from_ + (1.0 if rows.weights is None else rows.weights)
        tight = np.flatnonzero((self.along == distance[heads]) & (from_ < inf))
        self.tight = tight
        tail, head = tails[tight].astype(np.int64), heads[tight].astype(np.int64)
        nearer = distance[tail] < distance[head]
        reached = np.flatnonzero(distance < inf)
        order = reached[np.argsort(distance[reached], kind="stable")]
        rank = np.full(n, n)
        rank[order] = np.arange(len(order))
        value = distance[order]
        begins = np.flatnonzero(np.append(True, value[1:] != value[:-1]))
        sizes = np.diff(np.append(begins, len(order)))
        # arcs from nearer vertices, in the order of their heads' distances
        by = np.argsort(rank[head[nearer]], kind="stable")
        low_tail, low_head, low_arc = (each[nearer][by] for each in (tail, head, tight))
        first = np.searchsorted(rank[low_head], np.append(begins, len(order)))
        level: dict[int, list[int]] = {}  # arcs that add nothing
        for u, v in zip(tail[~nearer].tolist(), head[~nearer].tolist(), strict=True):
            level.setdefault(u, []).append(v)
        parent, arc = np.full(n, -1), np.full(n, -1)
        # a single vertex at its distance has its place; others are put in order, nearer ones before
        for group in np.flatnonzero(sizes > 1).tolist():
            begin, end = int(begins[group]), int(begins[group] + sizes[group])
            part = slice(int(first[group]), int(first[group + 1]))
            queue = (
                sources[:] if group == 0 else _in_turn(rank[low_tail[part]], low_arc[part], low_head[part])
            )
            if len(queue) < end - begin:
                known = set(queue)
                for u in queue:  # which grows
                    for v in level.get(u, ()):
                        if v not in known:
                            known.add(v)
                            parent[v] = u
                            queue.append(v)
            order[begin:end] = queue
            rank[queue] = np.arange(begin, end)
        best = np.full(n, n)
        np.minimum.at(best, low_head, rank[low_tail])
        found = best < n
        parent[found] = order[best[found]]
        chosen = parent[head] == tail
        arc[head[chosen]] = tight[chosen]
        self.order, self.parent, self.arc = order, parent, arc

    @cached_property
    def nodes(self) -> list[Any]:
        """The nodes in that order."""
        found: list[Any] = self.G.nodes.names(self.order)
        return found

    @cached_property
    def numbers(self) -> list[Any]:
        """Their distances, integers where all weights on the path are."""
        found = self.distance[self.order]
        if self._floats is None:
            whole: list[Any] = found.astype(np.int64).tolist()
            return whole
        values = found.tolist()
        real = np.zeros(len(self.distance), bool)
        arcs, parents = self.arc[self.order].tolist(), self.parent[self.order].tolist()
        for i, (v, before, arc) in enumerate(zip(self.order.tolist(), parents, arcs, strict=True)):
            if before >= 0 and (self._floats[arc] or real[before]):
                real[v] = True
            else:
                values[i] = int(values[i])
        return values

    def lengths(self) -> dict[Any, Any]:
        """The distances of the nodes reached."""
        return dict(zip(self.nodes, self.numbers, strict=True))

    def paths(self) -> Paths:
        """A path to each node reached, from a source on."""
        name = dict(zip(self.order.tolist(), self.nodes, strict=True))
        parents = self.parent[self.order].tolist()
        path: dict[int, list[Any]] = {}
        for v, before in zip(self.order.tolist(), parents, strict=True):
            path[v] = [name[v]] if before < 0 else [*path[before], name[v]]
        # before NetworkX 3.6, in the order in which it saw them first
        order = self.order.tolist() if RELEASE >= (3, 6) else self.seen
        return {name[v]: path[v] for v in order}

    def to(self, target: Any) -> tuple[Any, list[Any]] | None:
        """The distance of a node and a path to it; None if none leads there."""
        v = self.G.nodes.find(target) if target in self.G else None
        if v is None or not self.distance[v] < inf:
            return None
        path = [v]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        length = float(self.distance[v])
        if self._floats is None or not self._floats[self.arc[path[:-1]]].any():
            return int(length), self.G.nodes.names(np.array(path[::-1]))
        return length, self.G.nodes.names(np.array(path[::-1]))

    @cached_property
    def arcs(self) -> npt.NDArray[np.int64]:
        """The arcs in the order in which NetworkX follows them, but those past the cutoff."""
        start = self.rows.row_ptr[self.order].astype(np.int64)
        count = self.rows.row_ptr[self.order + 1] - start
        end = np.cumsum(count)
        arcs = np.arange(end[-1]) + np.repeat(start - (end - count), count)
        return arcs if self.cutoff is None else arcs[self.along[arcs] <= self.cutoff]

    @cached_property
    def seen(self) -> list[int]:
        """The vertices in the order in which NetworkX sees them first."""
        return list(dict.fromkeys([*self.sources, *self.rows.col_idx[self.arcs].tolist()]))

    def predecessors(self) -> dict[Any, list[Any]]:
        """For each node reached those before it on all shortest paths."""
        name = dict(zip(self.order.tolist(), self.nodes, strict=True))
        found: dict[int, list[Any]] = {v: [] for v in self.seen}
        arcs = self.arcs[np.isin(self.arcs, self.tight)]
        for u, v in zip(self.rows.tails[arcs].tolist(), self.rows.col_idx[arcs].tolist(), strict=True):
            found[v].append(name[u])
        return {name[v]: each for v, each in found.items()}


def _in_turn(rank: Places, arc: Places, head: Places) -> list[int]:
    """Heads of arcs, each once, by the ranks of the tails and then by the arcs."""
    if len(arc) < FEW:
        each = sorted(zip(rank.tolist(), arc.tolist(), head.tolist(), strict=True))
        return list(dict.fromkeys(v for *_, v in each))
    in_turn = head[np.lexsort((arc, rank))]
    first: Places = np.unique(in_turn, return_index=True)[1]
    found: list[int] = in_turn[np.sort(first)].tolist()
    return found


# --- Dijkstra's algorithm ---


def multi_source_dijkstra(
    G: ConvertedGraph, sources: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """Like `networkx.multi_source_dijkstra`."""
    return _dijkstra("multi_source_dijkstra", G, sources, target, cutoff, weight)


def _dijkstra(name: str, G: ConvertedGraph, sources: Any, target: Any, cutoff: Any, weight: Any) -> Any:
    """Distances and paths of all nodes, or of the target."""
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        _place(G, source)
    if target in sources:
        return 0, [target]
    found = WeightedSearch(name, G, weight, sources, cutoff=cutoff).found
    if target is None:
        return found.lengths(), found.paths()
    if (at := found.to(target)) is None:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return at


def _lengths(name: str, G: ConvertedGraph, sources: Any, cutoff: Any, weight: Any) -> dict[Any, Any]:
    if not sources:
        raise ValueError("sources must not be empty")
    return WeightedSearch(name, G, weight, sources, cutoff=cutoff).found.lengths()


def multi_source_dijkstra_path(
    G: ConvertedGraph, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> Paths:
    """Like `networkx.multi_source_dijkstra_path`."""
    paths: Paths = _dijkstra("multi_source_dijkstra_path", G, sources, None, cutoff, weight)[1]
    return paths


def multi_source_dijkstra_path_length(
    G: ConvertedGraph, sources: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Like `networkx.multi_source_dijkstra_path_length`."""
    return _lengths("multi_source_dijkstra_path_length", G, sources, cutoff, weight)


def single_source_dijkstra(
    G: ConvertedGraph, source: Any, target: Any = None, cutoff: Any = None, weight: Any = "weight"
) -> Any:
    """Like `networkx.single_source_dijkstra`."""
    return _dijkstra("single_source_dijkstra", G, {source}, target, cutoff, weight)


def single_source_dijkstra_path(
    G: ConvertedGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> Paths:
    """Like `networkx.single_source_dijkstra_path`."""
    paths: Paths = _dijkstra("single_source_dijkstra_path", G, {source}, None, cutoff, weight)[1]
    return paths


def single_source_dijkstra_path_length(
    G: ConvertedGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Like `networkx.single_source_dijkstra_path_length`."""
    return _lengths("single_source_dijkstra_path_length", G, {source}, cutoff, weight)


def dijkstra_path(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Like `networkx.dijkstra_path`."""
    return _dijkstra("dijkstra_path", G, {source}, target, None, weight)[1]


def dijkstra_path_length(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Like `networkx.dijkstra_path_length`."""
    _place(G, source)
    if source == target:
        return 0
    at = WeightedSearch("dijkstra_path_length", G, weight, {source}).found.to(target)
    if at is None:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return at[0]


def dijkstra_predecessor_and_distance(
    G: ConvertedGraph, source: Any, cutoff: Any = None, weight: Any = "weight"
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    """Like `networkx.dijkstra_predecessor_and_distance`."""
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} is not found in the graph")
    found = WeightedSearch("dijkstra_predecessor_and_distance", G, weight, {source}, cutoff=cutoff).found
    return found.predecessors(), found.lengths()


def all_pairs_dijkstra(
    G: ConvertedGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, tuple[dict[Any, Any], Paths]]]:
    """Like `networkx.all_pairs_dijkstra`."""
    return _all("all_pairs_dijkstra", G, weight, lambda found: (found.lengths(), found.paths()), cutoff)


def all_pairs_dijkstra_path(
    G: ConvertedGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, Paths]]:
    """Like `networkx.all_pairs_dijkstra_path`."""
    return _all("all_pairs_dijkstra_path", G, weight, Settled.paths, cutoff)


def all_pairs_dijkstra_path_length(
    G: ConvertedGraph, cutoff: Any = None, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Like `networkx.all_pairs_dijkstra_path_length`."""
    return _all("all_pairs_dijkstra_path_length", G, weight, Settled.lengths, cutoff)


def _all(
    name: str, G: ConvertedGraph, weight: Any, of: Callable[[Settled], Any], cutoff: Any = None
) -> Iterator[tuple[Any, Any]]:
    """Yield what is wanted `of` the search from each node; weights are read, and refused, at the call."""
    G.lengths(weight)
    return _each(name, G, weight, of, cutoff)


@lazily
def _each(
    name: str, G: ConvertedGraph, weight: Any, of: Callable[[Settled], Any], cutoff: Any
) -> Iterator[tuple[Any, Any]]:
    rows, floats = G.lengths(weight)
    for sources in together(len(G)):
        distance = _distances(name, rows, sources, cutoff)
        for row, source in zip(distance, sources.tolist(), strict=True):
            yield G.nodes.objects[source], of(Settled(G, rows, floats, row, [source], cutoff))


# --- Bellman and Ford's algorithm: where no weight is negative the lengths are the same ---


def single_source_bellman_ford(
    G: ConvertedGraph, source: Any, target: Any = None, weight: Any = "weight"
) -> Any:
    """Like `networkx.single_source_bellman_ford`, with the paths and the order of Dijkstra's."""
    return _bellman_ford("single_source_bellman_ford", G, source, target, weight)


def _bellman_ford(name: str, G: ConvertedGraph, source: Any, target: Any, weight: Any) -> Any:
    if source == target:
        if source not in G:
            raise nx.NodeNotFound(f"Node {source} is not found in the graph")
        return 0, [source]
    found = _ford(name, G, source, weight)
    if target is None:
        return found.lengths(), found.paths()
    if (at := found.to(target)) is None:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return at


def _ford(name: str, G: ConvertedGraph, source: Any, weight: Any) -> Settled:
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} not in G")
    return WeightedSearch(name, G, weight, [source]).found


def single_source_bellman_ford_path(G: ConvertedGraph, source: Any, weight: Any = "weight") -> Paths:
    """Like `networkx.single_source_bellman_ford_path`, with Dijkstra's paths."""
    paths: Paths = _bellman_ford("single_source_bellman_ford_path", G, source, None, weight)[1]
    return paths


def single_source_bellman_ford_path_length(
    G: ConvertedGraph, source: Any, weight: Any = "weight"
) -> dict[Any, Any]:
    """Like `networkx.single_source_bellman_ford_path_length`, in the order of the lengths."""
    return _ford("single_source_bellman_ford_path_length", G, source, weight).lengths()


def bellman_ford_path(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Like `networkx.bellman_ford_path`, with Dijkstra's path."""
    return _bellman_ford("bellman_ford_path", G, source, target, weight)[1]


def bellman_ford_path_length(G: ConvertedGraph, source: Any, target: Any, weight: Any = "weight") -> Any:
    """Like `networkx.bellman_ford_path_length`."""
    if source == target:
        _place(G, source)
        return 0
    at = _ford("bellman_ford_path_length", G, source, weight).to(target)
    if at is None:
        raise nx.NetworkXNoPath(f"node {target} not reachable from {source}")
    return at[0]


def all_pairs_bellman_ford_path(G: ConvertedGraph, weight: Any = "weight") -> Iterator[tuple[Any, Paths]]:
    """Like `networkx.all_pairs_bellman_ford_path`, with Dijkstra's paths."""
    return _all("all_pairs_bellman_ford_path", G, weight, Settled.paths)


def all_pairs_bellman_ford_path_length(
    G: ConvertedGraph, weight: Any = "weight"
) -> Iterator[tuple[Any, dict[Any, Any]]]:
    """Like `networkx.all_pairs_bellman_ford_path_length`, in the order of the lengths."""
    return _all("all_pairs_bellman_ford_path_length", G, weight, Settled.lengths)


# --- between one, some or all nodes ---


def shortest_path(
    G: ConvertedGraph, source: Any = None, target: Any = None, weight: Any = None, method: Any = "dijkstra"
) -> Any:
    """Like `networkx.shortest_path`.

    Between two nodes it is the path to the target that `networkx.single_source_shortest_path` gives, or
    `networkx.single_source_dijkstra_path`: NetworkX's own search from both ends may find another one of the
    same length.
    """
    name = "shortest_path"
    if source is None and target is None:
        return _all_paths(G) if weight is None else _all(name, G, weight, Settled.paths)
    if source is None:
        found = _some_paths(G, target, weight, method, reverse=True)
        for path in found.values():
            path.reverse()
        return found
    if target is None:
        return _some_paths(G, source, weight, method)
    if weight is not None:
        if method == "bellman-ford":
            return _bellman_ford(name, G, source, target, weight)[1]
        check_in(G, Source=source, Target=target)
        if (at := WeightedSearch(name, G, weight, [source]).found.to(target)) is None:
            raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
        return at[1]
    check_in(G, Source=source, Target=target)
    distance, v = distance_to(name, G, source, target)
    # what is farther away than the target need not be put in order
    near = np.where(distance <= distance[v], distance, -1)
    vertices, parents = in_order(G.rows, near, np.array([G.nodes.find(source)]))
    parent = dict(zip(vertices.tolist(), parents.tolist(), strict=True))
    path = [v]
    while path[-1] >= 0:
        path.append(parent[path[-1]])
    return G.nodes.names(np.array(path[-2::-1]))


def _some_paths(G: ConvertedGraph, end: Any, weight: Any, method: Any, *, reverse: bool = False) -> Paths:
    """Paths from one node, or backwards to it."""
    if weight is None:
        return paths_from("shortest_path", G, end, reverse=reverse)
    return _from_end("shortest_path", G, end, weight, method, reverse).paths()


def _from_end(name: str, G: ConvertedGraph, end: Any, weight: Any, method: Any, reverse: bool) -> Settled:
    if method == "bellman-ford" and end not in G:
        raise nx.NodeNotFound(f"Source {end} not in G")
    return WeightedSearch(name, G, weight, [end], reverse=reverse).found


@lazily
def _all_paths(G: ConvertedGraph) -> Iterator[tuple[Any, Paths]]:
    """Yield the paths from each node to all others, one node after the other."""
    for node in G.nodes.objects:
        yield node, paths_from("shortest_path", G, node)


def shortest_path_length(
    G: ConvertedGraph, source: Any = None, target: Any = None, weight: Any = None, method: Any = "dijkstra"
) -> Any:
    """Like `networkx.shortest_path_length`."""
    name = "shortest_path_length"
    if source is None and target is None:
        return all_lengths(name, G) if weight is None else _all(name, G, weight, Settled.lengths)
    if source is None or target is None:
        end, reverse = (target, True) if source is None else (source, False)
        if weight is not None:
            return _from_end(name, G, end, weight, method, reverse).lengths()
        check_in(G, Source=end)  # NetworkX searches the reversed graph from the target, and says so
        return Search(name, G, end, reverse=reverse).lengths()
    if weight is not None:
        length = bellman_ford_path_length if method == "bellman-ford" else dijkstra_path_length
        return length(G, source, target, weight)
    check_in(G, Source=source)
    check_in(G, Target=target)
    distance, v = distance_to(name, G, source, target)
    return int(distance[v])


def average_shortest_path_length(G: ConvertedGraph, weight: Any = None, method: Any = None) -> float:
    """Like `networkx.average_shortest_path_length`."""
    from clgraph.centrality.distances import average_shortest_path_length as mean

    n, name = len(G), "average_shortest_path_length"
    if n == 0:
        raise nx.NetworkXPointlessConcept(
            "the null graph has no paths, thus there is no average shortest path length"
        )
    if n == 1:
        return 0
    kind = "strongly connected" if G.is_directed() else "connected"
    if weight is not None and method != "unweighted":

        def numbers(found: Settled) -> list[Any]:
            if len(found.order) < n:
                raise nx.NetworkXError(f"Graph is not {kind}.")
            return found.numbers

        # one sum in NetworkX's order, which decides how it is rounded
        each = (some for _, some in _all(name, G, weight, numbers))
        return sum(chain.from_iterable(each)) / (n * (n - 1))
    with on_device(name) as device:
        try:
            return mean(G.rows, device=device)
        except InputError as error:
            raise nx.NetworkXError(f"Graph is not {kind}.") from error
