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
from clgraph.reference.numbers import below, clock, words
from clgraph.reference.races import Rows
from clgraph.reference.sampling import ReferenceSample
from clgraph.reference.walks import (
    check_arrivals,
    check_kept,
    first_start,
    given_starts,
    made_of,
    start_order,
)

# --- diffusion by Dijkstra's search, and expansion by sets ---


def reference_growth(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Grow a sample by the definition, on the host; arguments as in `clgraph.sample`."""
    near = Rows(graph).near
    starts = list(dict.fromkeys(given_starts(graph, options) or [first_start(graph, seed)]))
    target = min(target_size(options["size"], len(near)), len(near))
    came, parent = (diffuse if method == "diffusion" else expand)(near, seed, starts, target)
    keep = options.get("keep", "induced")
    return made_of(graph, came, "tree" if keep == "visited" else keep, parent, set(), target)


def diffuse(
    near: list[list[int]], seed: int, starts: list[int], target: int
) -> tuple[list[int], dict[int, int]]:
    """The nearest vertices to the starts; where no more can be reached, from the next start."""
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
    """Again and again the neighbour of the sample that has most neighbours elsewhere."""
    n = len(near)
    order = sorted(range(n), key=lambda v: (words(seed, v, 0, 0, keyed.TAG_VERTEX)[0], v))
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
    wish, n = sample.wish, graph.num_vertices
    index, order = graph.indices_of(sample.vertices), sample.order
    if len(index) != min(wish.target, n) or sorted(order.tolist()) != list(range(len(index))):
        raise AssertionError(f"{len(index)} vertices instead of {min(wish.target, n)}, or no order")
    check_arrivals(graph, sample, index, len(set(wish.start)) if wish.start is not None else 1)
    check_kept(graph, sample, np.isin(np.arange(n), index))
    if sample.method == "xsn":
        _best(graph.undirected.without_self_loops, index[np.argsort(order)])


def _best(simple: Graph, came: Any) -> None:
    """Each vertex that xsn took from its frontier had most neighbours elsewhere."""
    n = simple.num_vertices
    rows = [
        set(simple.col_idx[a:b].tolist()) for a, b in zip(simple.row_ptr, simple.row_ptr[1:], strict=False)
    ]
    inside: set[int] = set()
    frontier: set[int] = set()
    for v in came.tolist()[: max(1, 200_000 // n)]:  # each step looks at all
        if v in frontier:
            gains = {u: len(rows[u] - inside - frontier) for u in frontier}
            if gains[v] < max(gains.values()):
                raise AssertionError(f"{v} was taken, and another vertex had more neighbours elsewhere")
        inside.add(v)
        frontier = (frontier | rows[v]) - inside


# --- uniform spanning trees: Wilson's walks, one by one, with loops erased ---


def reference_tree(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Grow a tree by the definition, on the host; arguments as in `clgraph.sample`."""
    near = Rows(graph).near
    n = len(near)
    roots = given_starts(graph, options) or [first_start(graph, seed)]
    component = components(near)
    reached = {component[v] for v in roots}
    for v in start_order(n, seed):
        if component[v] not in reached:
            reached.add(component[v])
            roots.append(v)
    parent = wilson(near, roots, seed)
    order = sorted(range(n), key=lambda v: (words(seed, v, 0, 0, keyed.TAG_VERTEX)[0], v))
    size = options.get("size")
    target = n if size is None else min(target_size(size, n), n)
    came: list[int] = []
    inside: set[int] = set()
    for v in order:
        branch = []
        while v not in inside and v not in branch:
            branch.append(v)
            v = parent[v]
        came += branch[::-1]
        inside |= set(branch)
    keep = options.get("keep", "tree")
    return made_of(graph, came[:target], "tree" if keep == "visited" else keep, parent, set(), target)


def components(near: list[list[int]]) -> list[int]:
    """A number for each vertex, the same within a component."""
    found = [-1] * len(near)
    for v in range(len(near)):
        waiting = [v] if found[v] < 0 else []
        while waiting:
            u = waiting.pop()
            if found[u] < 0:
                found[u] = v
                waiting += near[u]
    return found


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
    wish, n = sample.wish, graph.num_vertices
    index = graph.indices_of(sample.vertices)
    wanted = n if wish.target is None else min(wish.target, n)
    if len(index) != wanted:
        raise AssertionError(f"{len(index)} vertices instead of {wanted}")
    parent = graph.indices_of(sample.parent)
    if not np.all(np.isin(parent, index)):
        raise AssertionError("a parent is not in the sample")
    up = np.arange(n)
    up[index] = parent
    far = up
    for _ in range(n.bit_length()):
        far = far[far]
    if np.any(up[far] != far):
        raise AssertionError("there is a cycle")
    pairs = set(zip(graph.undirected.tails.tolist(), graph.undirected.col_idx.tolist(), strict=True))
    if any(
        pair not in pairs for pair in zip(index.tolist(), parent.tolist(), strict=True) if pair[0] != pair[1]
    ):
        raise AssertionError("a parent is not a neighbour")
    component = np.array(components(Rows(graph).near))
    starts = len(set(wish.start)) if wish.start is not None else 1
    roots = index[parent == index]
    if len(roots) > len(np.unique(component[roots])) + starts - 1:
        raise AssertionError("a component has several roots")
    if wish.keep == "tree" and len(sample.edges) != np.count_nonzero(parent != index):
        raise AssertionError("a tree has one edge for each vertex that is no root")


# --- shortest paths between random pairs: a breadth-first search for each pair ---


def reference_paths(graph: Graph, method: str, *, seed: int, **options: Any) -> ReferenceSample:
    """Draw paths by the definition, on the host; arguments as in `clgraph.sample`."""
    near = Rows(graph).near
    n = len(near)
    asked = target_size(options["size"], n)
    target = min(asked, sum(1 for row in near if row))
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
    return made_of(graph, came, options.get("keep", "induced"), {}, taken, target)


def path(near: list[list[int]], seed: int, pair: int) -> list[tuple[int, int]]:
    """The edges of a shortest path between the two vertices of a pair; none if there is no path."""
    a, b = words(seed, pair, 0, 0, keyed.TAG_DRAW)
    s, v = below(a, len(near)), below(b, len(near))
    level = {s: 0}
    wave = [s]
    while wave and v not in level:
        wave = list(dict.fromkeys(u for w in wave for u in near[w] if u not in level))
        level |= dict.fromkeys(wave, level[s] + max(level.values()) + 1)
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
    index = graph.indices_of(sample.vertices)
    if len(index) > sample.wish.target:
        raise AssertionError(f"{len(index)} vertices instead of at most {sample.wish.target}")
    tails, heads, _ = sample.selection.ends(sample.at)
    if not np.array_equal(np.unique(np.concatenate((tails, heads))), index):
        raise AssertionError("its paths do not touch just its vertices")
    simple = graph.undirected.without_self_loops
    inside = np.isin(np.arange(graph.num_vertices), index)
    both = np.count_nonzero(np.repeat(inside, simple.degrees) & inside[simple.col_idx]) // 2
    if len(sample.edges) != (both if sample.wish.keep == "induced" else len(tails)):
        raise AssertionError("its edges are not those among its vertices, or on its paths")
