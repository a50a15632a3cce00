"""Weighted shortest paths on the host: Dijkstra's algorithm from the definition, and a verifier."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import given_ids
from clgraph.errors import ClgraphError, InputError
from clgraph.graph import as_graph
from clgraph.reference.common import check_result, require

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.traversal.paths import ShortestPathsResult

FAR = np.iinfo(np.int32).max


def reference_shortest_paths(
    graph: Graph, sources: Any, *, weights: bool = True, cutoff: float | None = None, dtype: str = "float64"
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Find shortest paths by Dijkstra's algorithm, one arc at a time, and predecessors by their rule.

    Parameters
    ----------
    graph : Graph
    sources : vertex id or ids
    weights, cutoff, dtype
        As in `clgraph.shortest_paths`.

    Returns
    -------
    distance : float array, shape (n,) or (k, n)
    predecessor : int32 array of the same shape
    """
    graph = as_graph(graph)
    kind = np.dtype(dtype).type
    each = np.ones(graph.num_arcs) if not weights or graph.weights is None else graph.weights
    rows: list[list[tuple[int, Any]]] = [[] for _ in range(graph.num_vertices)]
    for tail, head, weight in zip(graph.tails.tolist(), graph.col_idx.tolist(), each.tolist(), strict=True):
        if not 0 <= weight < np.inf:
            raise InputError(f"arc {tail} -> {head} has weight {weight}")
        rows[tail].append((head, kind(weight)))
    ids = given_ids(sources, "sources")
    found = [_dijkstra(rows, source, kind, cutoff) for source in graph.indices_of(ids).tolist()]
    distance = np.array([each for each, _ in found], kind)
    predecessor = np.array([each for _, each in found], np.int32)
    alone = np.isscalar(sources) or np.ndim(sources) == 0
    return (distance[0], predecessor[0]) if alone else (distance, predecessor)


def _dijkstra(
    rows: list[list[tuple[int, Any]]], source: int, kind: Any, cutoff: float | None
) -> tuple[list[Any], list[int]]:
    distance = [kind(np.inf)] * len(rows)
    distance[source] = kind(0)
    waiting, done = [(kind(0), source)], set()
    with np.errstate(over="ignore"):
        while waiting:
            _, u = heapq.heappop(waiting)
            if u in done:
                continue
            done.add(u)
            for v, weight in rows[u]:
                length = distance[u] + weight
                if length < distance[v] and (cutoff is None or length <= cutoff):
                    distance[v] = length
                    heapq.heappush(waiting, (length, v))
        if cutoff is None:
            for u in sorted(done):
                for v, _ in rows[u]:
                    if distance[v] == np.inf:
                        raise InputError(f"arc {u} -> {v}: the sum of weights overflows")
        return distance, _predecessors(rows, distance, source)


def _predecessors(rows: list[list[tuple[int, Any]]], distance: list[Any], source: int) -> list[int]:
    nearer: dict[int, list[int]] = {}  # those before a vertex on a shortest path: nearer to the source,
    level: dict[int, list[int]] = {}  # or as near
    for u, row in enumerate(rows):
        for v, weight in row:
            if distance[u] < np.inf and distance[u] + weight == distance[v] and v != source:
                (nearer if distance[u] < distance[v] else level).setdefault(v, []).append(u)
    before = [-1] * len(rows)
    for v, found in nearer.items():
        before[v] = min(found)
    reached = {source, *nearer}
    while True:
        new = {
            v: min(known)
            for v, found in level.items()
            if v not in reached and (known := [u for u in found if u in reached])
        }
        if not new:
            return before
        for v, u in new.items():
            before[v] = u
        reached |= new.keys()


def verify_shortest_paths(graph: Graph, result: ShortestPathsResult, *, weights: bool = True) -> None:
    """Check shortest paths against the definition, arc by arc.

    The source is at 0, and no arc leads to a vertex that is farther than the arc makes it (past the cutoff it
    may). So no distance is too large. Every other reached vertex has an arc whose tail's distance and weight
    sum up to its own, from a nearer vertex or by arcs that add nothing from one that has such an arc: so no
    distance is too small. The smallest such vertex, of the fewest steps that add nothing, is the predecessor.

    Parameters
    ----------
    graph : Graph
    result : ShortestPathsResult
    weights : bool
        Whether weights counted.

    Raises
    ------
    InputError
        If it is no such result.
    ClgraphError
        With the first vertex or arc that is wrong.
    """
    dimensions = 2 if getattr(getattr(result, "distance", None), "ndim", 1) == 2 else 1
    rows, optional = ("f", dimensions), ("i?", dimensions)
    arrays = {"distance": rows, "predecessor": optional, "sources": ("i", 1)}
    graph = check_result(graph, result, "shortest_paths", **arrays)
    n, distance, predecessor = graph.num_vertices, result.distance, result.predecessor
    shape = (len(result.sources), n) if dimensions == 2 else (n,)
    require(distance.shape == shape, f"distance has shape {distance.shape}, not {shape}")
    fits = predecessor is None or predecessor.shape == shape
    require(fits, f"predecessor does not have shape {shape}")
    inside = (result.sources >= 0) & (result.sources < n)
    require(
        np.all(inside) and (dimensions == 2 or len(inside) == 1), "the sources are not vertices, or not one"
    )
    each = graph.weights if weights else None
    lengths = (np.ones(graph.num_arcs) if each is None else each).astype(distance.dtype)
    for row, source in enumerate(result.sources.tolist()):
        before = None if predecessor is None else np.atleast_2d(predecessor)[row]
        _verify(graph, np.atleast_2d(distance)[row], before, source, lengths, result.cutoff)
    reached = int(np.count_nonzero(distance < np.inf))
    require(result.reached == reached, f"reached is {result.reached}, not {reached}")


def _verify(
    graph: Graph, distance: Any, before: Any, source: int, lengths: Any, cutoff: float | None
) -> None:
    tails, heads = graph.tails, graph.col_idx
    require(distance[source] == 0, f"source {source} is at {distance[source]}")
    _all(distance >= 0, f"from {source}: vertex {{}} has no distance from 0 on")
    if cutoff is not None:
        cutoff = min(cutoff, float(np.finfo(distance.dtype).max))
        _all((distance <= cutoff) | (distance == np.inf), f"from {source}: vertex {{}} is beyond the cutoff")
    with np.errstate(over="ignore"):
        along = distance[tails] + lengths
    wrong = distance[heads] > along
    if cutoff is not None:
        wrong &= along <= cutoff
    if np.any(wrong):
        at = int(np.argmax(wrong))
        raise ClgraphError(
            f"from {source}: arc {tails[at]} -> {heads[at]} makes it {along[at]}, not {distance[heads[at]]}"
        )
    tight = (along == distance[heads]) & (along < np.inf) & (heads != source)
    nearer = tight & (distance[tails] < distance[heads])
    smallest = np.full(len(distance), FAR, np.int32)
    np.minimum.at(smallest, heads[nearer], tails[nearer])
    done = smallest < FAR
    done[source] = True
    tails, heads = tails[tight & ~nearer], heads[tight & ~nearer]
    while np.any(new := done[tails] & ~done[heads]):
        np.minimum.at(smallest, heads[new], tails[new])
        done[heads[new]] = True
    _all(done | (distance == np.inf), f"from {source}: vertex {{}} is not reached by its distance")
    smallest[smallest == FAR] = -1
    if before is not None:
        _all(before == smallest, f"from {source}: the predecessor of vertex {{}} is not the one of the rule")


def _all(right: Any, message: str) -> None:
    if not np.all(right):
        raise ClgraphError(message.format(int(np.argmin(right))))
