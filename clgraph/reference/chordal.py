"""Chordal subgraphs, slow and obviously right: cliques as sets, one vertex after the other."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from clgraph import keyed
from clgraph.graph import Graph
from clgraph.reference.common import ReferenceSample, Rows, expect, hops, words

METHODS = ("chordal", "quasi-chordal")
# pairs of vertices tried, at most, to see that a subgraph is maximal: each may cost a search of all of it
MAXIMAL = 3000
Near = list[set[int]]


def reference_chordal(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Draw by the definition, on the host; arguments as in `clgraph.sample`."""
    rows = Rows(graph)
    near = [set(row) for row in rows.near]
    priority = priorities(rows.n, seed)
    if method == "quasi-chordal":
        part = parts_of(near, priority, options.get("parts", 16))
        inner = [{u for u in near[v] if part[u] == part[v]} for v in range(rows.n)]
        cliques, _ = by_largest_clique(inner, priority)
        return _made(rows, _with_triangles(near, joined(cliques), part), None)
    if options.get("mode", "auto") == "exact":
        cliques, taken = by_largest_clique(near, priority)
    else:
        taken = sorted(range(rows.n), key=lambda v: (-len(rows.near[v]), priority[v], v))
        cliques = by_order(near, taken)
    kept = joined(cliques)
    return _made(rows, {(u, v) for u in range(rows.n) for v in kept[u] if u < v}, taken)


def _with_triangles(near: Near, kept: Near, part: list[Any]) -> set[tuple[int, int]]:
    """The edges kept inside parts, and those between parts that close a triangle with one of them."""
    return {
        (u, v)
        for u, row in enumerate(near)
        for v in row
        if u < v and (v in kept[u] if part[u] == part[v] else kept[u] & near[v] or kept[v] & near[u])
    }


def priorities(n: int, seed: int) -> list[int]:
    """The priority of each vertex."""
    return [words(seed, v, 0, 0, keyed.TAG_VERTEX)[0] for v in range(n)]


def by_order(near: Near, order: list[int]) -> Near:
    """The clique of each vertex: of its earlier neighbours those whose own cliques contain it so far."""
    when = {v: i for i, v in enumerate(order)}
    clique: Near = [set() for _ in near]
    for v in order:
        for w in sorted((w for w in near[v] if when[w] < when[v]), key=when.__getitem__):
            if clique[v] <= clique[w]:
                clique[v].add(w)
    return clique


def by_largest_clique(near: Near, priority: list[int]) -> tuple[Near, list[int]]:
    """Vertices taken by largest clique, which they then join the cliques of neighbours with."""
    clique: Near = [set() for _ in near]
    left, taken = set(range(len(near))), []
    while left:
        v = min(left, key=lambda u: (-len(clique[u]), priority[u], u))
        left.remove(v)
        taken.append(v)
        for u in near[v] & left:
            if clique[u] <= clique[v]:
                clique[u].add(v)
    return clique, taken


def parts_of(near: Near, priority: list[int], parts: Any) -> list[Any]:
    """The part of each vertex: by its place in breadth-first order, or as given."""
    n = len(near)
    if np.ndim(parts):
        return list(np.asarray(parts).tolist())
    order: list[int] = []
    seen: set[int] = set()
    for start in sorted(range(n), key=lambda v: (priority[v], v)):
        if start not in seen:
            level = hops(near, start)
            seen |= level.keys()
            order += sorted(level, key=lambda v: (level[v], v))
    part = [0] * n
    for rank, v in enumerate(order):
        part[v] = rank * int(parts) // n
    return part


def joined(cliques: Near) -> Near:
    """The neighbours that a vertex has by its clique and those that it is in."""
    kept = [set(clique) for clique in cliques]
    for v, clique in enumerate(cliques):
        for w in clique:
            kept[w].add(v)
    return kept


def _made(rows: Rows, edges: set[tuple[int, int]], taken: list[int] | None) -> ReferenceSample:
    stays = np.array([pair in edges for pair in rows.ends], bool)
    order = None
    if taken is not None:
        order = np.empty(rows.n, np.int64)
        order[taken] = np.arange(rows.n)
    return ReferenceSample(rows.graph.ids, rows.edges.rank[stays], 0, order)


def is_chordal(near: Near) -> bool:
    """True if every cycle of 4 or more has a chord: by maximum cardinality (Tarjan, Yannakakis 1984)."""
    before: Near = [set() for _ in near]
    heap = [(0, v) for v in range(len(near))]
    heapify(heap)
    seen: set[int] = set()
    when: dict[int, int] = {}
    while heap:
        _, v = heappop(heap)
        if v in seen:
            continue
        seen.add(v)
        when[v] = len(when)
        if before[v]:
            last = max(before[v], key=when.__getitem__)
            if not before[v] - {last} <= near[last]:
                return False
        for u in near[v] - seen:
            before[u].add(v)
            heappush(heap, (-len(before[u]), u))
    return True


def may_join(kept: Near, u: int, v: int) -> bool:
    """True if an edge more leaves a chordal graph chordal: the common neighbours separate its ends."""
    seen = {u} | (kept[u] & kept[v])
    stack = [u]
    while stack:
        for w in kept[stack.pop()] - seen:
            if w == v:
                return False
            seen.add(w)
            stack.append(w)
    return True


def verify_chordal(graph: Graph, sample: Any) -> None:
    """Check a chordal subgraph: it is one, by the rule of its method and order; exact ones are maximal.

    That no edge more could be added is tried for `MAXIMAL` edges only, evenly spread.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    rows = Rows(graph)
    n = rows.n
    expect(len(sample.vertices) == n, f"{len(sample.vertices)} vertices instead of all {n}")
    near = [set(row) for row in rows.near]
    stays = np.isin(rows.edges.rank, sample.edges)
    kept: Near = [set() for _ in range(n)]
    for u, v in zip(rows.edges.low[stays].tolist(), rows.edges.high[stays].tolist(), strict=True):
        kept[u].add(v)
        kept[v].add(u)
    expect(
        np.count_nonzero(stays) == sum(v in kept[u] for u, v in rows.ends),
        "of parallel edges some are in it and others are not",
    )
    priority = priorities(n, sample.seed)
    if sample.method == "quasi-chordal":
        _verify_parts(near, kept, priority, sample)
        return
    expect(is_chordal(kept), "a cycle of 4 or more has no chord")
    order = np.argsort(sample.order).tolist()
    expect(sorted(sample.order.tolist()) == list(range(n)), "its order is no permutation")
    cliques = by_order(near, order)
    expect(
        cliques == [{w for w in kept[v] if sample.order[w] < sample.order[v]} for v in range(n)],
        "its edges are not those of cliques grown in its order",
    )
    if sample.mode == "ordered":
        wanted = sorted(range(n), key=lambda v: (-len(rows.near[v]), priority[v], v))
        expect(order == wanted, "its order is not by degree and priority")
        return
    _verify_exact_order(cliques, order, priority)
    _verify_maximal(near, kept)


def _verify_exact_order(cliques: Near, order: list[int], priority: list[int]) -> None:
    joins: Near = [set() for _ in cliques]
    for v, clique in enumerate(cliques):
        for w in clique:
            joins[w].add(v)
    size = [0] * len(order)
    heap = [(0, priority[v], v) for v in range(len(order))]
    heapify(heap)
    taken: set[int] = set()
    for v in order:
        while -heap[0][0] != size[heap[0][2]] or heap[0][2] in taken:
            heappop(heap)
        first = heap[0][2]
        expect(first == v, f"vertex number {v} was taken before {first}, whose clique comes first")
        taken.add(v)
        for u in joins[v]:
            size[u] += 1
            heappush(heap, (-size[u], priority[u], u))


def _verify_maximal(near: Near, kept: Near) -> None:
    missing = [(u, v) for u in range(len(near)) for v in near[u] - kept[u] if u < v]
    for u, v in missing[:: max(1, len(missing) // MAXIMAL)]:
        expect(not may_join(kept, u, v), f"the edge of vertices number {u} and {v} could be added")


def _verify_parts(near: Near, kept: Near, priority: list[int], sample: Any) -> None:
    request = sample.selection.request
    part = parts_of(near, priority, request.parts if request.labels is None else request.labels)
    expect(sample.parts.tolist() == part, "its parts are not those of the definition")
    inner, whole = (
        [{u for u in row if part[u] == part[v]} for v, row in enumerate(each)] for each in (kept, near)
    )
    expect(is_chordal(inner), "a part is not chordal")
    _verify_maximal(whole, inner)
    expect(
        {(u, v) for u, row in enumerate(kept) for v in row if u < v} == _with_triangles(near, inner, part),
        "edges between parts are not those that close triangles",
    )
