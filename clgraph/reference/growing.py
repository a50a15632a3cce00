"""Diffusion and expansion snowballs, slow and obviously right: by Dijkstra's search, and by sets."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any

import numpy as np

from clgraph import keyed
from clgraph.graph import Graph
from clgraph.reference.numbers import clock, words
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
from clgraph.sizes import target_size

METHODS = ("diffusion", "xsn")


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
    index, order = graph.index(sample.vertices), sample.order
    if len(index) != min(wish.target, n) or sorted(order.tolist()) != list(range(len(index))):
        raise AssertionError(f"{len(index)} vertices instead of {min(wish.target, n)}, or no order")
    check_arrivals(graph, sample, index, len(set(wish.start)) if wish.start is not None else 1)
    check_kept(graph, sample, np.isin(np.arange(n), index))
    if sample.method == "xsn":
        _best(graph.undirected.simple, index[np.argsort(order)])


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
