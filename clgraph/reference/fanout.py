"""Layered neighbours, slow and obviously right: one vertex after another, one draw after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import floor
from typing import Any, NamedTuple

import numpy as np

from clgraph.graph import Graph
from clgraph.reference.common import below, check_result, expect, words

TAG_NEIGHBOR, TAG_HEAVY = 40, 43


class Batch(NamedTuple):
    """What one batch has: lists by hop, as in `clgraph.NeighborSample`."""

    vertices: list[int]
    hops: list[int]
    row: list[list[int]]
    col: list[list[int]]
    edge: list[list[int]]
    root: list[int]


def _arcs(graph: Graph, direction: str) -> list[list[tuple[int, int]]]:
    """The neighbours of each vertex, in ascending order, with the places of the arcs in the graph."""
    rows: list[list[tuple[int, int]]] = [[] for _ in range(graph.num_vertices)]
    inwards = graph.directed and direction == "in"
    for place, (tail, head) in enumerate(zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True)):
        rows[head if inwards else tail].append((tail if inwards else head, place))
    return [sorted(row) for row in rows]


def _drawn(degree: int, fanout: int, replace: bool, seed: int, vertex: int, root: int, hop: int) -> list[int]:
    """Which arcs of a row of this length are drawn, in order."""

    def number(i: int) -> int:
        return words(seed, vertex, root, hop * 2**16 + i // 2, TAG_NEIGHBOR)[i % 2]

    if fanout == -1 or degree == 0 or (degree <= fanout and not replace):
        return list(range(degree))
    if replace:
        return [below(number(i), degree) for i in range(fanout)]
    chosen: list[int] = []
    for i, last in enumerate(range(degree - fanout, degree)):
        candidate = below(number(i), last + 1)
        chosen.append(last if candidate in chosen else candidate)
    return chosen


def _drawn_by_weight(
    weight: list[int], fanout: int, replace: bool, seed: int, vertex: int, root: int, hop: int
) -> list[int]:
    """Which arcs of a row with these weights are drawn, in order."""
    some = [i for i, w in enumerate(weight) if w > 0]
    if fanout == -1 or not some or (len(some) <= fanout and not replace):
        return some

    def where(y: int, left: list[int]) -> int:
        for i, w in enumerate(left):
            if y < w:
                return i
            y -= w
        raise AssertionError("beyond the sum")

    chosen: list[int] = []
    for i in range(fanout):
        a, b = words(seed, vertex, root, hop * 2**16 + i, TAG_HEAVY)
        arc = where(below(a, sum(weight)), weight)
        if arc in chosen and not replace:
            left = [0 if j in chosen else w for j, w in enumerate(weight)]
            arc = where(below(b, sum(left)), left)
        chosen.append(arc)
    return chosen


def reference_neighbors(
    graph: Graph,
    seeds: Sequence[int],
    fanouts: Sequence[int],
    *,
    replace: bool = False,
    weighted: bool = False,
    direction: str = "in",
    disjoint: bool = False,
    seed: int = 0,
) -> Batch:
    """Layered neighbours of one batch of vertices, given by index."""
    arcs = _arcs(graph, direction)
    if weighted:
        assert graph.weights is not None
        top = max(graph.weights.tolist(), default=0) or 1
        weights = [0 if w == 0 else max(1, floor(w / top * 2**40 + 0.5)) for w in graph.weights.tolist()]
    trees = [[v] for v in seeds] if disjoint else [list(seeds)]
    found = Batch([], [], [], [], [], [])
    at: dict[tuple[int, int], int] = {}  # (tree, vertex) -> position

    def reach(tree: int, vertex: int, hop: int) -> bool:
        if (tree, vertex) in at:
            return False
        at[tree, vertex] = len(found.vertices)
        found.vertices.append(vertex)
        found.hops.append(hop)
        found.root.append(tree)
        return True

    frontier = [(t, v) for t, tree in enumerate(trees) for v in tree]
    for t, v in frontier:
        reach(t, v, 0)
    for hop, fanout in enumerate(fanouts):
        reached = []
        for column in (found.row, found.col, found.edge):
            column.append([])
        for t, v in frontier:
            root = t + 1 if disjoint else 0
            key = seed, v, root, hop
            if weighted:
                drawn = _drawn_by_weight([weights[place] for _, place in arcs[v]], fanout, replace, *key)
            else:
                drawn = _drawn(len(arcs[v]), fanout, replace, *key)
            for i in drawn:
                u, place = arcs[v][i]
                if reach(t, u, hop + 1):
                    reached.append((t, u))
                found.row[-1].append(at[t, u])
                found.col[-1].append(at[t, v])
                found.edge[-1].append(place)
        frontier = reached
    return found


def _relabelled(found: Any) -> Any:
    """The same sample with positions for vertex numbers, and the vertices that the last hop reached."""
    vertices, row, col, sizes = [], [], [], np.diff(found.vertex_offsets, axis=1)
    for b in range(len(sizes)):
        one = found.batch(b)
        at: dict[int, int] = {}
        for v in (*one.vertices.tolist(), *one.row.tolist()):
            at.setdefault(v, len(at))
        sizes[b, -1] = len(at) - len(one.vertices)
        vertices += list(at)
        row += [at[v] for v in one.row.tolist()]
        col += [at[v] for v in one.col.tolist()]
    offsets = np.cumsum(np.append(0, sizes.ravel()))
    begin = np.arange(len(sizes))[:, None] * sizes.shape[1] + np.arange(sizes.shape[1] + 1)
    arrays = {"vertices": vertices, "row": row, "col": col}
    return replace(
        found,
        **{name: np.array(each, np.int32) for name, each in arrays.items()},
        vertex_offsets=offsets[begin],
        relabel=True,
    )


def verify_neighbors(
    graph: Any,
    found: Any,
    fanouts: Sequence[int],
    *,
    replace: bool = False,
    weighted: bool = False,
    direction: str = "in",
) -> None:
    """Check layered neighbours against their definition, whatever the draws.

    Raises
    ------
    AssertionError
        If something is wrong.
    """
    arrays = dict.fromkeys(("vertices", "row", "col", "edge"), ("i", 1))
    whole = check_result(graph, found, "clgraph.sample_neighbors", **arrays, root=("i?", 1))
    if not getattr(found, "relabel", True):
        found = _relabelled(found)
    tails, heads = whole.tails, whole.col_idx
    ends = heads if direction == "in" else tails
    if weighted:
        assert whole.weights is not None
        expect(np.all(whole.weights[found.edge] > 0), "an arc of weight 0 was drawn")
        ends = ends[whole.weights > 0]
    degree = np.bincount(ends, minlength=whole.num_vertices)
    hops = len(fanouts)
    expect(found.vertex_offsets.shape[1:] == (hops + 2,), "the offsets of vertices have another shape")
    expect(found.edge_offsets.shape[1:] == (hops + 1,), "the offsets of edges have another shape")
    for offsets, array in ((found.vertex_offsets, found.vertices), (found.edge_offsets, found.row)):
        flat = offsets.ravel()
        right = flat[0] == 0 and flat[-1] == len(array) and np.all(np.diff(flat) >= 0)
        expect(
            right and np.array_equal(offsets[1:, 0], offsets[:-1, -1]), "the offsets do not cover the arrays"
        )
    expect(len(found.row) == len(found.col) == len(found.edge), "arrays over edges differ in length")
    for b in range(len(found.vertex_offsets)):
        one = found.batch(b)
        root = np.zeros(len(one.vertices), np.int64) if one.root is None else one.root
        names = set(zip(root.tolist(), one.vertices.tolist(), strict=True))
        expect(len(names) == len(one.vertices), f"batch {b}: a vertex appears twice")
        for h, fanout in enumerate(fanouts):
            part = slice(*one.edge_offsets[0, h : h + 2])
            row, col, edge = one.row[part], one.col[part], one.edge[part]
            first, last, after = one.vertex_offsets[0, h : h + 3].tolist()
            where = f"batch {b}, hop {h + 1}"
            expect(
                np.all((col >= first) & (col < last)), f"{where}: it draws for a vertex outside the frontier"
            )
            expect(np.all(np.diff(col) >= 0), f"{where}: the edges are not in the frontier's order")
            expect(np.all((row >= 0) & (row < after)), f"{where}: it draws a vertex that is not there")
            u, v = one.vertices[row], one.vertices[col]
            inwards = whole.directed and direction == "in"
            tail, head = (u, v) if inwards else (v, u)
            right = np.array_equal(tails[edge], tail) and np.array_equal(heads[edge], head)
            expect(right, f"{where}: an edge is another one")
            expect(np.array_equal(root[row], root[col]), f"{where}: an edge joins two trees")
            d = degree[one.vertices[first:last]]
            wanted = d if fanout < 0 else np.where(d > 0, fanout, 0) if replace else np.minimum(d, fanout)
            drawn = np.bincount(col - first, minlength=last - first)
            expect(np.array_equal(drawn, wanted), f"{where}: a vertex has another number of draws")
            if not replace or fanout < 0:
                pairs = np.stack([col, edge])
                expect(np.unique(pairs, axis=1).shape == pairs.shape, f"{where}: an arc was drawn twice")
            new, at = np.unique(row[row >= last], return_index=True)
            expect(np.array_equal(new, np.arange(last, after)), f"{where}: a vertex was reached by no edge")
            expect(np.all(np.diff(at) > 0), f"{where}: new vertices are not in the order of the draws")
