"""Degrees of neighbours, slow and obviously right: arc by arc."""

from __future__ import annotations

from math import nan, sqrt

from clgraph.graph import Graph, as_graph


def _arcs(graph: Graph) -> list[tuple[int, int, int]]:
    graph = as_graph(graph)
    times = [1] * graph.num_arcs if graph.multiplicity is None else graph.multiplicity.tolist()
    return list(zip(graph.rows.tolist(), graph.col_idx.tolist(), times, strict=True))


def _degrees(graph: Graph, which: str) -> list[int]:
    found = [0] * graph.num_vertices
    for tail, head, times in _arcs(graph):
        if not graph.directed:
            found[tail] += times * (1 + (tail == head))
            continue
        if "out" in which:
            found[tail] += times
        if "in" in which:
            found[head] += times
    return found


def reference_average_neighbor_degree(graph: Graph, source: str = "out", target: str = "out") -> list[float]:
    """The sum of each vertex's neighbours' degrees over its own degree."""
    own, other = _degrees(graph, source), _degrees(graph, target)
    total = [0] * graph.num_vertices
    for tail, head, _ in _arcs(graph):
        if not graph.directed or "out" in source:
            total[tail] += other[head]
        if graph.directed and "in" in source:
            total[head] += other[tail]
    return [t / d if d else 0.0 for t, d in zip(total, own, strict=True)]


def reference_degree_assortativity(graph: Graph, x: str = "out", y: str = "in") -> float:
    """The correlation of the degrees at the ends of all arcs, from the list of them."""
    tails, heads = _degrees(graph, x), _degrees(graph, y)
    pairs = [(tails[u], heads[v]) for u, v, times in _arcs(graph) for _ in range(times)]
    if not pairs:
        return nan
    mean_x, mean_y = (sum(each) / len(pairs) for each in zip(*pairs, strict=True))
    var_x, var_y = (sum((a - mean_x) ** 2 for a, _ in pairs), sum((b - mean_y) ** 2 for _, b in pairs))
    if not (var_x > 1e-9 and var_y > 1e-9):
        return nan
    return sum((a - mean_x) * (b - mean_y) for a, b in pairs) / sqrt(var_x * var_y)
