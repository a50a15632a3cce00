"""Breadth-first search and connected components on the host: references and verifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from clgraph import keyed
from clgraph.arguments import given_ids, whole, word
from clgraph.errors import ClgraphError
from clgraph.graph import as_graph
from clgraph.reference.common import arc_slices, below, check_result, expect, require, words

if TYPE_CHECKING:
    from clgraph.components import Components
    from clgraph.components.finder import Connection
    from clgraph.graph import Graph
    from clgraph.traversal import BFSResult

FAR = np.iinfo(np.int32).max


def reference_bfs(
    graph: Graph, sources: Any, *, depth_limit: int | None = None
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Search level by level, by the definition.

    Parameters
    ----------
    graph : Graph
    sources : vertex id or ids
    depth_limit : int, optional
        Levels below the sources.

    Returns
    -------
    distance, predecessor, source_of : int32 arrays, shape (n,)
        As in `clgraph.bfs.BFSResult`.
    """
    graph = as_graph(graph)
    if depth_limit is not None:
        depth_limit = whole(depth_limit, "depth_limit")
    n = graph.num_vertices
    start = np.unique(graph.indices_of(given_ids(sources, "sources")))
    distance, predecessor, source_of = (np.full(n, -1, np.int32) for _ in range(3))
    distance[start], source_of[start] = 0, start
    frontier, level = start, 0
    while len(frontier) and (depth_limit is None or level < depth_limit):
        count = graph.row_ptr[frontier + 1] - graph.row_ptr[frontier]
        tail = np.repeat(frontier, count)
        place = np.arange(len(tail)) - np.repeat(np.cumsum(count) - count, count) + graph.row_ptr[tail]
        head = graph.col_idx[place]
        new = distance[head] < 0
        tail, head = tail[new], head[new]
        smallest, owner = np.full(n, FAR, np.int32), np.full(n, FAR, np.int32)
        np.minimum.at(smallest, head, tail.astype(np.int32))
        np.minimum.at(owner, head, source_of[tail])
        frontier = np.unique(head).astype(np.int64)
        level += 1
        distance[frontier] = level
        predecessor[frontier], source_of[frontier] = smallest[frontier], owner[frontier]
    return distance, predecessor, source_of


def verify_bfs(graph: Graph, result: BFSResult) -> None:
    """Check a search against the definition, arc by arc.

    Sources are at 0 and nothing else is. No arc leads more than one level up, nor from a reached vertex to
    one that is not (past a depth limit it may). Every other reached vertex has an arc from one level above;
    the smallest of them is its predecessor, and the smallest source among theirs is its own. The counts are
    right. Together that makes the distances the shortest ones and the reached set the right one. One pass
    over the arcs in slices: 100 M arcs take seconds.

    Parameters
    ----------
    graph : Graph
    result : BFSResult

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    ClgraphError
        With the first vertex or arc that is wrong.
    """
    optional = ("i?", 1)
    graph = check_result(
        graph, result, "bfs", distance=("i", 1), predecessor=optional, source_of=optional, sources=("i", 1)
    )
    n, distance = graph.num_vertices, result.distance
    limit = FAR if result.depth_limit is None else result.depth_limit
    for name in ("predecessor", "source_of"):
        array = getattr(result, name)
        require(
            array is None or array.shape == (n,), f"{name} does not have a value for each of {n} vertices"
        )
    right = distance.shape == (n,) and distance.dtype == np.int32
    require(right, f"distance is {distance.dtype} {distance.shape} for {n} vertices")
    _all(distance >= -1, "vertex {}: distance below -1")
    _all(distance <= limit, f"vertex {{}}: beyond the depth limit {limit}")
    at_0 = np.flatnonzero(distance == 0)
    require(np.array_equal(at_0, result.sources), "the vertices at distance 0 are not the sources")
    # the smallest vertex, and the smallest source, one level up
    smallest = np.full(n, FAR, np.int32)
    owner = None if result.source_of is None else np.full(n, FAR, np.int32)
    for tail, head in arc_slices(graph):
        here, there = distance[tail], distance[head]
        wrong = (here >= 0) & (here < limit) & ((there < 0) | (there > here + 1))
        if np.any(wrong):
            at = int(np.argmax(wrong))
            raise ClgraphError(
                f"arc {tail[at]} -> {head[at]} leads from distance {here[at]} to {there[at]} (-1: none)"
            )
        up = (here >= 0) & (there == here + 1)
        head, tail = head[up], tail[up]
        # tails ascend: assigned backwards, the smallest stays
        earlier = smallest[head]
        smallest[head[::-1]] = tail[::-1]
        np.minimum.at(smallest, head[earlier < FAR], earlier[earlier < FAR])
        if owner is not None and result.source_of is not None:
            np.minimum.at(owner, head, result.source_of[tail])
    reached = distance > 0
    _all(~reached | (smallest < FAR), "vertex {}: no arc arrives from one level above")
    smallest[~reached] = -1
    if result.predecessor is not None:
        _all(result.predecessor == smallest, "vertex {}: the predecessor is not the smallest valid one")
    if owner is not None:
        owner[~reached] = -1
        owner[result.sources] = result.sources
        _all(result.source_of == owner, "vertex {}: source_of is not the smallest of the nearest sources")
    many, levels = int(np.count_nonzero(distance >= 0)), int(distance.max(initial=-1)) + 1
    for name, counted in (("reached", many), ("levels", levels)):
        found = getattr(result, name)
        require(found == counted, f"{name} is {found}, not {counted}")


def _all(right: Any, message: str) -> None:
    if not np.all(right):
        raise ClgraphError(message.format(int(np.argmin(right))))


# --- connected components ---


def reference_components(
    graph: Graph, *, connection: Connection = "weak"
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Find components by SciPy, and number them as clgraph does.

    Returns
    -------
    labels : int32 array, shape (n,)
        0 is the largest component; of equal ones the one with the smallest vertex comes first.
    sizes : int64 array, shape (k,)
    """
    graph = as_graph(graph)
    word(connection, "connection", ("weak", "strong"))
    count, found = _scipy_components(graph, connection)
    sizes = np.bincount(found, minlength=count)
    smallest = np.full(count, graph.num_vertices)
    np.minimum.at(smallest, found, np.arange(graph.num_vertices))
    order = np.lexsort((smallest, -sizes))
    number = np.empty(count, np.int32)
    number[order] = np.arange(count)
    return number[found], sizes[order].astype(np.int64)


def in_largest_component(graph: Graph) -> npt.NDArray[np.bool_]:
    """Mask of the largest weak component (of equal ones that with the smallest vertex)."""
    return reference_components(graph)[0] == 0


def first_start(graph: Graph, seed: int) -> int:
    """Draw the start of a search that is given none: a uniform vertex of the largest component."""
    inside = np.flatnonzero(in_largest_component(graph.undirected)).tolist()
    return int(inside[below(words(seed, 0, 0, 0, keyed.TAG_DRAW)[0], len(inside))])


def verify_components(graph: Graph, result: Components) -> None:
    """Check components against their definition.

    Weak: both ends of every arc have one label (a class is a union of components), and there are as many
    classes as SciPy finds components (so a class is one of them). Strong: the classes are SciPy's. Both:
    sizes and numbering are right. Takes no more memory than SciPy does; a graph of 100 M arcs takes seconds.

    Parameters
    ----------
    graph : Graph
    result : Components

    Raises
    ------
    InputError
        If it is no such result, or its arrays are on a device.
    AssertionError
        At the first error; the message says which vertex, arc or component.
    """
    graph = check_result(graph, result, "connected_components", labels=("i", 1), larger=("i", 1))
    n, labels, larger = graph.num_vertices, result.labels, result.larger
    expect(labels.shape == (n,), f"labels have shape {labels.shape}, the graph has {n} vertices")
    fits = (
        len(larger) <= n and larger.min(initial=2) >= 2 and larger.max(initial=0) <= n and larger.sum() <= n
    )
    expect(fits, f"larger has not the sizes of components of two or more of {n} vertices")
    sizes = result.sizes
    count = len(sizes)
    least, most = labels.min(initial=0), labels.max(initial=-1)
    expect(least >= 0 and most < count, f"labels reach from {least} to {most}, not 0 to {count - 1}")
    _check_numbering(labels, sizes)
    strong = result.connection == "strong" and graph.directed
    for tails, heads in () if strong else arc_slices(graph):
        wrong = np.flatnonzero(labels[tails] != labels[heads])
        if len(wrong):
            u, v = int(tails[wrong[0]]), int(heads[wrong[0]])
            raise AssertionError(f"arc {u} -> {v} joins components {labels[u]} and {labels[v]}")
    expected, found = _scipy_components(graph, result.connection)
    expect(expected == count, f"{count} components, SciPy finds {expected}")
    if strong:
        of_class = np.zeros(expected, labels.dtype)
        of_class[found] = labels
        for v in np.flatnonzero(of_class[found] != labels).tolist():
            raise AssertionError(
                f"vertex {v} is in component {labels[v]}, but not all of its strong component is"
            )


def _check_numbering(labels: npt.NDArray[np.int32], sizes: npt.NDArray[np.int64]) -> None:
    count = len(sizes)
    counted = np.bincount(labels, minlength=count)
    smallest = np.empty(count, np.int64)
    smallest[labels[::-1]] = np.arange(len(labels))[::-1]  # the last to write is the smallest vertex
    for c in np.flatnonzero(counted != sizes):
        raise AssertionError(f"component {c} has {counted[c]} vertices, its size says {sizes[c]}")
    for c in np.flatnonzero(counted == 0):
        raise AssertionError(f"component {c} has no vertex")
    for c in np.flatnonzero(np.diff(sizes) > 0):
        raise AssertionError(f"component {c + 1} is larger than the one before it")
    for c in np.flatnonzero((np.diff(sizes) == 0) & (np.diff(smallest) < 0)):
        raise AssertionError(f"components {c} and {c + 1} are equal and not in order of their first vertex")


def _scipy_components(graph: Graph, connection: Connection) -> tuple[int, npt.NDArray[Any]]:
    n = graph.num_vertices
    if n == 0:
        return 0, np.empty(0, np.int32)
    ones = np.ones(graph.num_arcs, np.int8)
    pattern = sp.csr_array((ones, graph.col_idx, graph.row_ptr), shape=(n, n))
    count, found = connected_components(pattern, directed=graph.directed, connection=connection)
    return int(count), found
