"""Shortest paths between random pairs, slow and obviously right: a breadth-first search for each pair."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from clgraph import keyed
from clgraph.graph import Graph
from clgraph.reference.numbers import below, words
from clgraph.reference.races import Rows
from clgraph.reference.sampling import ReferenceSample
from clgraph.reference.walks import made_of
from clgraph.sizes import target_size

METHODS = ("sp",)


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
    index = graph.index(sample.vertices)
    if len(index) > sample.wish.target:
        raise AssertionError(f"{len(index)} vertices instead of at most {sample.wish.target}")
    tails, heads, _ = sample._ends
    if not np.array_equal(np.unique(np.concatenate((tails, heads))), index):
        raise AssertionError("its paths do not touch just its vertices")
    simple = graph.undirected.simple
    inside = np.isin(np.arange(graph.num_vertices), index)
    both = np.count_nonzero(np.repeat(inside, simple.degrees) & inside[simple.col_idx]) // 2
    if len(sample.edges) != (both if sample.wish.keep == "induced" else len(tails)):
        raise AssertionError("its edges are not those among its vertices, or on its paths")
