"""Distances and centralities made of them, slow and obviously right: one queue for each vertex."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from fractions import Fraction

from clgraph.graph import Graph, as_graph


def _rows(graph: Graph) -> list[list[int]]:
    """The heads of each vertex's arcs, by index."""
    graph = as_graph(graph)
    rows: list[list[int]] = [[] for _ in range(graph.num_vertices)]
    for tail, head in zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True):
        rows[tail].append(head)
    return rows


def _turned(rows: list[list[int]]) -> list[list[int]]:
    back: list[list[int]] = [[] for _ in rows]
    for tail, heads in enumerate(rows):
        for head in heads:
            back[head].append(tail)
    return back


def _distances(rows: list[list[int]], source: int) -> dict[int, int]:
    found, waiting = {source: 0}, deque([source])
    while waiting:
        v = waiting.popleft()
        for w in rows[v]:
            if w not in found:
                found[w] = found[v] + 1
                waiting.append(w)
    return found


def reference_average_shortest_path_length(graph: Graph) -> float:
    """The mean distance of ordered pairs; nan if some pair has none."""
    rows = _rows(graph)
    n = len(rows)
    if n < 2:
        return 0.0
    found = [_distances(rows, v) for v in range(n)]
    if any(len(each) < n for each in found):
        return float("nan")
    return float(Fraction(sum(sum(each.values()) for each in found), n * (n - 1)))


def reference_closeness(graph: Graph, improved: bool = True) -> list[float]:
    """Closeness centrality of every vertex, by index."""
    back = _turned(_rows(graph))
    n, values = len(back), []
    for v in range(n):
        found = _distances(back, v)
        total, others = sum(found.values()), len(found) - 1
        value = Fraction(others, total) if total else Fraction(0)
        values.append(float(value * Fraction(others, n - 1) if improved and total else value))
    return values


def reference_harmonic(graph: Graph, sources: set[int] | None = None) -> list[float]:
    """Harmonic centrality of every vertex, by index."""
    back = _turned(_rows(graph))
    return [
        float(
            sum(
                Fraction(1, distance)
                for u, distance in _distances(back, v).items()
                if distance and (sources is None or u in sources)
            )
        )
        for v in range(len(back))
    ]


def verify_distances(graph: Graph, measure: str, found: Sequence[float], vertices: list[int]) -> None:
    """Check the closeness or harmonic centrality of some vertices, by index.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    back = _turned(_rows(graph))
    n = len(back)
    if len(found) != n:
        raise AssertionError(f"{len(found)} values for {n} vertices")
    for v in vertices:
        near = _distances(back, v)
        total, others = sum(near.values()), len(near) - 1
        if measure == "closeness":
            want = others / total * others / (n - 1) if total else 0.0
        else:
            want = sum(1 / each for each in near.values() if each)
        if abs(found[v] - want) > 1e-9 * max(1, want):
            raise AssertionError(f"{measure} of vertex {graph.ids[v]} is {found[v]!r}, not {want!r}")


def verify_betweenness(graph: Graph, found: Sequence[float]) -> None:
    """Check normalized betweenness of all sources by its sum: a path of length d passes d - 1 vertices.

    Also that no vertex has less than 0 or more than 1, and that one on no path between two others has 0.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    rows = _rows(graph)
    n = len(rows)
    if len(found) != n:
        raise AssertionError(f"{len(found)} values for {n} vertices")
    back = _turned(rows)
    for v, value in enumerate(found):
        if not -1e-12 <= value <= 1 + 1e-9:
            raise AssertionError(f"betweenness of vertex {graph.ids[v]} is {value!r}")
        arriving, leaving = set(back[v]) - {v}, set(rows[v]) - {v}
        ends = len(arriving | leaving) < 2 or not arriving or not leaving
        if ends and abs(value) > 1e-12:
            raise AssertionError(f"no path passes vertex {graph.ids[v]}, and its betweenness is {value!r}")
    want = 0
    for v in range(n):
        near = _distances(rows, v)
        want += sum(near.values()) - (len(near) - 1)
    pairs = (n - 1) * (n - 2) if n > 2 else 1
    if abs(float(sum(found)) * pairs - want) > 1e-6 * max(1, want):
        raise AssertionError(f"the sums over all pairs are {float(sum(found)) * pairs:.9g}, not {want}")


def reference_betweenness(
    graph: Graph, sources: list[int] | None = None, endpoints: bool = False
) -> list[float]:
    """For each vertex the sum over sources s and targets t of the share of shortest paths that pass it.

    Counted pair by pair from the numbers of paths, in fractions; loops and parallel arcs play no part.
    """
    rows = [sorted(set(row) - {v}) for v, row in enumerate(_rows(graph))]
    n = len(rows)
    distance, paths = [], []
    for source in range(n):
        near = _distances(rows, source)
        count = dict.fromkeys(near, 0)
        count[source] = 1
        for v in sorted(near, key=lambda each: near[each]):
            for w in rows[v]:
                if near[w] == near[v] + 1:
                    count[w] += count[v]
        distance.append(near)
        paths.append(count)
    total = [Fraction(0)] * n
    for s in range(n) if sources is None else sources:
        for t in distance[s]:
            if t == s:
                continue
            for v in distance[s]:
                inner = v not in (s, t)
                if (inner or endpoints) and distance[s][v] + distance[v].get(t, n + 1) == distance[s][t]:
                    total[v] += Fraction(paths[s][v] * paths[v][t], paths[s][t])
    return [float(each) for each in total]
