"""The priority forest by Kruskal's algorithm (1956), and a check by the definition."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.reference.numbers import words

Edge = tuple[int, int]
Words = npt.NDArray[np.uint64]


def _timed(edges: Iterable[Edge], seed: int, method: str) -> list[tuple[int, int, int]]:
    """(time, a, b) of each edge that is no loop, each once."""
    found = set()
    for u, v in edges:
        if u == v:
            continue
        u, v = min(u, v), max(u, v)
        if method == "dre":
            found.add((words(seed, u, v, 0, keyed.TAG_EDGE)[0], u, v))
        elif method == "drv":
            ends = sorted((words(seed, w, 0, 0, keyed.TAG_VERTEX)[0], w) for w in (u, v))
            found.add((ends[0][0], ends[0][1], ends[1][1]))
        else:
            raise ValueError(f"{method}: drv or dre")
    return sorted(found)


def reference_forest(n: int, edges: Iterable[Edge], seed: int, method: str) -> Words:
    """The maximum spanning forest by (time, a, b), as ascending words ``a << 32 | b``.

    Parameters
    ----------
    n : int
        Vertices.
    edges : pairs of vertices
        In any order and direction, also several times; loops do not count.
    seed : int
    method : {"drv", "dre"}
    """
    parent = list(range(n))

    def root(v: int) -> int:
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    kept = []
    for _, a, b in reversed(_timed(edges, seed, method)):
        if root(a) != root(b):
            parent[root(a)] = root(b)
            kept.append(a << 32 | b)
    return np.array(sorted(kept), np.uint64)


def verify_forest(n: int, edges: Iterable[Edge], seed: int, method: str, words: Any) -> None:
    """Check a forest by its definition; an AssertionError says what is wrong.

    Its words are edges, without circles; every other edge closes a circle in which it is the first to go.
    """
    timed = {(a, b): (t, a, b) for t, a, b in _timed(edges, seed, method)}
    listed = [(int(word) >> 32, int(word) & 0xFFFFFFFF) for word in words]
    assert listed == sorted(set(listed)), "the words do not ascend"
    beside: dict[int, list[tuple[int, tuple[int, int, int]]]] = {v: [] for v in range(n)}
    for a, b in listed:
        assert (a, b) in timed, f"({a}, {b}) is no edge of the graph in deletion order"
        beside[a].append((b, timed[a, b]))
        beside[b].append((a, timed[a, b]))
    first_on_way: dict[int, dict[int, tuple[int, int, int] | None]] = {}
    seen: set[int] = set()
    for start in range(n):
        if start in seen:
            continue
        tree, arcs, stack = {start}, 0, [start]
        while stack:
            v = stack.pop()
            for u, _ in beside[v]:
                arcs += 1
                if u not in tree:
                    tree.add(u)
                    stack.append(u)
        assert arcs == 2 * (len(tree) - 1), f"there is a circle in the tree of vertex {start}"
        seen |= tree
    for (a, b), time in timed.items():
        if a not in first_on_way:
            way: dict[int, tuple[int, int, int] | None] = {a: None}
            stack = [a]
            while stack:
                v = stack.pop()
                for u, t in beside[v]:
                    if u not in way:
                        before = way[v]
                        way[u] = t if before is None else min(before, t)
                        stack.append(u)
            first_on_way[a] = way
        assert b in first_on_way[a], f"({a}, {b}) joins two trees of the forest"
        least = first_on_way[a][b]
        assert least is not None and least >= time, f"({a}, {b}) lives longer than an edge of the forest"
