"""Samples that grow, slow and obviously right: diffusion, expansion, spanning trees, shortest paths."""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

import numpy as np

from clgraph import keyed
from clgraph.arguments import target_size
from clgraph.graph import Graph
from clgraph.reference.common import (
    ReferenceSample,
    Rows,
    below,
    by_priority,
    check_arrivals,
    check_kept,
    clock,
    expect,
    given_starts,
    hops,
    inside_of,
    num_starts,
    start_order,
    words,
)
from clgraph.reference.traversal import first_start

# --- diffusion by Dijkstra's search, and expansion by sets ---


def reference_growth(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Grow a sample by the definition, on the host; arguments as in `clgraph.sample`."""
    rows = Rows(graph)
    starts = list(dict.fromkeys(given_starts(graph, options) or [first_start(graph, seed)]))
    target = min(target_size(options["size"], rows.n), rows.n)
    came, parent = (diffuse if method == "diffusion" else expand)(rows.near, seed, starts, target)
    return rows.draw_kept(came, options.get("keep", "induced"), target, parent)


def diffuse(
    near: list[list[int]], seed: int, starts: list[int], target: int
) -> tuple[list[int], dict[int, int]]:
    """Take the vertices nearest to the starts; if no more can be reached, go on from the next start."""
    came: list[int] = []
    parent: dict[int, int] = {}
    while len(came) < target:
        waiting: list[tuple[int, int, int]] = []
        for v in starts:
            heappush(waiting, (0, v, v))
        while waiting and len(came) < target:
            time, v, by = heappop(waiting)
            if v in parent:
                continue
            came.append(v)
            parent[v] = by
            for j, u in enumerate(near[v]):
                a, _ = words(seed, v, u, near[v][:j].count(u), keyed.TAG_ARC)
                heappush(waiting, (time + (clock(a) >> 16) * len(near[v]), u, v))
        starts = [v for v in start_order(len(near), seed) if v not in parent][:1]
    return came, parent


def expand(
    near: list[list[int]], seed: int, starts: list[int], target: int
) -> tuple[list[int], dict[int, int]]:
    """Repeatedly take the neighbour of the sample that has most neighbours outside it."""
    n = len(near)
    order = by_priority(range(n), seed)
    rank = {v: i for i, v in enumerate(order)}
    came: list[int] = []
    parent: dict[int, int] = {}
    frontier: set[int] = set()
    starts = list(starts)
    while len(came) < target:
        elsewhere = set(range(n)) - frontier - set(came)
        if starts:
            v = starts.pop(0)
        elif frontier:
            v = min(frontier, key=lambda u: (-len(set(near[u]) & elsewhere), rank[u]))
        else:
            v = next(u for u in order if u in elsewhere)
        parent.setdefault(v, v)
        frontier.discard(v)
        came.append(v)
        for u in near[v]:
            if u not in parent:
                parent[u] = v
                frontier.add(u)
    return came, parent


def verify_growth(graph: Graph, sample: Any) -> None:
    """Check a sample that grew: its size and edges, and that all but starts have a neighbour before them.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    order = sample.order
    expect(sorted(order.tolist()) == list(range(len(sample.vertices))), "its order is no permutation")
    check_arrivals(graph, sample)
    check_kept(graph, sample, graph.num_vertices)
    if sample.method == "xsn":
        _best(Rows(graph).near, graph.indices_of(sample.vertices)[np.argsort(order)].tolist())


def _best(near: list[list[int]], came: list[int]) -> None:
    """Each vertex that xsn took from its frontier had most neighbours elsewhere."""
    rows = [set(row) for row in near]
    inside: set[int] = set()
    frontier: set[int] = set()
    # each step looks at all of the frontier: on large graphs the first steps have to do
    for v in came[: max(1, 200_000 // len(near))]:
        if v in frontier:
            gains = {u: len(rows[u] - inside - frontier) for u in frontier}
            expect(
                gains[v] == max(gains.values()),
                f"{v} was taken, and another vertex had more neighbours elsewhere",
            )
        inside.add(v)
        frontier = (frontier | rows[v]) - inside


# --- uniform spanning trees: Wilson's walks, one by one, with loops erased ---


def reference_tree(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Grow a tree by the definition, on the host; arguments as in `clgraph.sample`."""
    rows = Rows(graph)
    near, n = rows.near, rows.n
    roots = given_starts(graph, options) or [first_start(graph, seed)]
    reached = {u for v in roots for u in hops(near, v)}
    for v in start_order(n, seed):
        if v not in reached:
            reached |= hops(near, v).keys()
            roots.append(v)
    parent = wilson(near, roots, seed)
    size = options.get("size")
    target = n if size is None else min(target_size(size, n), n)
    came: list[int] = []
    inside: set[int] = set()
    for v in by_priority(range(n), seed):
        branch = []
        while v not in inside and v not in branch:
            branch.append(v)
            v = parent[v]
        came += branch[::-1]
        inside |= set(branch)
    return rows.draw_kept(came[:target], options.get("keep", "tree"), target, parent)


def wilson(near: list[list[int]], roots: list[int], seed: int) -> dict[int, int]:
    """The parent of each vertex; roots: themselves. The i-th walk out of v goes by v's i-th arrow."""
    parent = {v: v for v in roots}
    used = [0] * len(near)
    for v in range(len(near)):
        path = [v]
        while path[-1] not in parent:
            u = path[-1]
            a, _ = words(seed, u, used[u], 0, keyed.TAG_STEP)
            used[u] += 1
            u = near[u][below(a, len(near[u]))]
            path = path[: path.index(u) + 1] if u in path else [*path, u]
        parent |= dict(pairwise(path))
    return parent


def verify_tree(graph: Graph, sample: Any) -> None:
    """Check a spanning tree's sample: edges of the graph, no cycle, one root a component.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    rows = Rows(graph)
    check_kept(graph, sample, rows.n)
    index, parents = graph.indices_of(sample.vertices).tolist(), graph.indices_of(sample.parent).tolist()
    up = dict(zip(index, parents, strict=True))
    expect(up.keys() >= set(parents), "a parent is not in the sample")
    expect(all(v == u or u in rows.near[v] for v, u in up.items()), "a parent is not a neighbour")
    roots = [v for v, u in up.items() if u == v]
    children: list[list[int]] = [[] for _ in range(rows.n)]
    for v, u in up.items():
        children[u].append(v)
    expect(len({v for root in roots for v in hops(children, root)}) == len(up), "there is a cycle")
    components, starts = {min(hops(rows.near, v)) for v in roots}, num_starts(sample.selection.request)
    expect(len(roots) < len(components) + starts, "a component has several roots")


# --- shortest paths between random pairs: a breadth-first search for each pair ---


def reference_paths(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Draw paths by the definition, on the host; arguments as in `clgraph.sample`."""
    rows = Rows(graph)
    near = rows.near
    target = min(target_size(options["size"], rows.n), sum(1 for row in near if row))
    use: Counter[tuple[int, int]] = Counter()
    pairs, end = 0, target
    while True:
        while pairs < end:
            use.update(path(near, seed, pairs))
            pairs += 1
        touched = {v for edge in use for v in edge}
        if len(touched) >= target or end == 100 * target:
            break
        end = min(2 * end, 100 * target)
    order = sorted(use, key=lambda e: (-use[e], words(seed, e[0], e[1], 0, keyed.TAG_EDGE)[0], e))
    came: list[int] = []
    taken: set[tuple[int, int, int]] = set()
    for u, v in order:
        more = [each for each in (u, v) if each not in came]
        if len(came) + len(more) > target:
            break
        came += more
        taken.add((u, v, 0))
    return rows.draw_kept(came, options.get("keep", "induced"), target, {}, taken)


def path(near: list[list[int]], seed: int, pair: int) -> list[tuple[int, int]]:
    """The edges of a shortest path between the two vertices of a pair; none if there is no path."""
    a, b = words(seed, pair, 0, 0, keyed.TAG_DRAW)
    s, v = below(a, len(near)), below(b, len(near))
    level = hops(near, s)
    edges = []
    while v in level and level[v] > 0:
        before = [u for u in near[v] if level.get(u) == level[v] - 1]
        u = min(before, key=lambda u: words(seed, v, u, pair, keyed.TAG_ARC)[0])
        edges.append((min(u, v), max(u, v)))
        v = u
    return edges


def verify_paths(graph: Graph, sample: Any) -> None:
    """Check a sample of paths: not too large, of edges of the graph that touch each of its vertices.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    inside, most = inside_of(graph, sample), sample.selection.request.target
    many = np.count_nonzero(inside)
    expect(many <= most, f"{many} vertices instead of at most {most}")
    tails, heads, _ = sample.selection.ends(sample.at)
    expect(
        np.array_equal(np.unique(np.append(tails, heads)), np.flatnonzero(inside)),
        "its paths do not touch just its vertices",
    )
    check_kept(graph, sample)
    if sample.selection.request.keep != "induced":
        expect(len(sample.edges) == len(tails), "its edges are not those on its paths")
