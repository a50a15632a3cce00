"""Measures of graphs, slow and obviously right: core numbers, eigenvalues, degrees of neighbours."""

from __future__ import annotations

from math import nan, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph import Graph, as_graph
from clgraph.reference.common import directed_rows, expect

# --- Largest eigenvalues, slow and obviously right: all of them by NumPy, and how many lie above a bound ---


def _matrix(graph: Graph) -> npt.NDArray[np.float64]:
    matrix = np.zeros((graph.num_vertices, graph.num_vertices))
    matrix[graph.tails, graph.col_idx] = 1
    matrix[graph.col_idx, graph.tails] = 1
    np.fill_diagonal(matrix, 0)
    return matrix


def reference_eigenvalues(graph: Graph, count: int, matrix: str = "adjacency") -> npt.NDArray[np.float64]:
    """The largest positive eigenvalues of the undirected graph's matrix, descending.

    `matrix` is "adjacency", "laplacian" or "normalized laplacian".
    """
    graph = as_graph(graph)
    whole = _matrix(graph)
    degrees = whole.sum(axis=0)
    if matrix == "laplacian":
        whole = np.diag(degrees) - whole
    elif matrix == "normalized laplacian":
        roots = np.sqrt(np.where(degrees > 0, degrees, 1))
        whole = np.diag(1.0 * (degrees > 0)) - whole / np.outer(roots, roots)
    values = np.sort(np.linalg.eigvalsh(whole))[::-1][:count]
    return values[values > 1e-9 * max(values[:1], default=0)]


def verify_eigenvalues(graph: Graph, values: Any, rel: float = 1e-9) -> None:
    """Check eigenvalues by counting how many of the matrix lie above each, give or take a tolerance.

    Counted by Sylvester's law of inertia: pivots of a factorization have the signs of the eigenvalues.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    from scipy.linalg import ldl

    graph = as_graph(graph)
    values = np.asarray(values, np.float64)
    matrix, more = _matrix(graph), rel * values[:1]
    # at values that repeat only the first and the last are counted at
    ends = np.flatnonzero(-np.diff(values, append=-np.inf) > 4 * more)
    below = values[ends] - more
    for bound, count in zip(below, ends + 1, strict=True):
        pivots = ldl(matrix - bound * np.eye(len(matrix)))[1]
        above = int((np.linalg.eigvalsh(pivots) > 0).sum()) if len(pivots) else 0
        expect(above == count, f"{above} eigenvalues lie above {bound:.9g}, {count} were found")


# --- Degrees of neighbours, slow and obviously right: arc by arc ---


def _arcs(graph: Graph) -> list[tuple[int, int, int]]:
    graph = as_graph(graph)
    times = [1] * graph.num_arcs if graph.multiplicity is None else graph.multiplicity.tolist()
    return list(zip(graph.tails.tolist(), graph.col_idx.tolist(), times, strict=True))


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


def reference_clustering(graph: Graph, definition: str = "undirected") -> list[float]:
    """Each vertex's clustering coefficient, from all pairs of its neighbours.

    By definition "undirected" a pair counts if it is adjacent, by "ldbc" each arc between the two, and by
    "networkx" each directed triangle, in which any two of its vertices are joined by one of their arcs.
    """
    graph = as_graph(graph)
    arcs = {(u, v) for u, v, _ in _arcs(graph) if u != v}
    near = [set[int]() for _ in range(graph.num_vertices)]
    for u, v in arcs:
        near[u].add(v)
        near[v].add(u)
    ways = {(u, v): ((u, v) in arcs) + ((v, u) in arcs) for u, row in enumerate(near) for v in row}
    if not graph.directed:
        ways = dict.fromkeys(ways, 1)
    found = []
    for v, row in enumerate(near):
        pairs = [(a, b) for a in row for b in row if a < b]
        if definition == "networkx":
            # an arc in or out of the vertex with another one that is not the same neighbour's
            most = sum(ways[v, a] * ways[v, b] for a, b in pairs) * (2 if graph.directed else 1)
            count = sum(ways[v, a] * ways.get((a, b), 0) * ways[v, b] for a, b in pairs)
        else:
            both = definition == "ldbc" and graph.directed
            most = len(pairs) * (2 if both else 1)
            count = sum(ways.get(pair, 0) if both else pair in ways for pair in pairs)
        found.append(count / most if most else 0.0)
    return found


def verify_clustering(graph: Graph, found: Any, definition: str = "undirected") -> None:
    """Check clustering coefficients by products of matrices.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    import scipy.sparse as sp

    graph = as_graph(graph)
    n = graph.num_vertices
    expect(np.shape(found) == (n,), f"coefficients of shape {np.shape(found)} for {n} vertices")
    arc = sp.csr_array((np.ones(graph.num_arcs, np.int64), (graph.tails, graph.col_idx)), shape=(n, n))
    arc.setdiag(0)
    arc.eliminate_zeros()
    arc.data[:] = 1  # parallel arcs add up
    both = arc + arc.T  # numbers of arcs; of an undirected graph twice as many
    pattern = both.copy()
    pattern.data[:] = 1
    degree: Any = pattern.sum(axis=1)
    most: Any
    if definition == "networkx":
        count = ((both @ both) * both).sum(axis=1) / 2
        most = both.sum(axis=1) * (both.sum(axis=1) - 1) - 2 * (arc * arc.T).sum(axis=1)
        if not graph.directed:
            count, most = count / 4, degree * (degree - 1)
    else:
        among = arc if definition == "ldbc" else pattern
        count, most = ((pattern @ among) * pattern).sum(axis=1), degree * (degree - 1)
    want = np.divide(count, most, out=np.zeros(n), where=most > 0)
    wrong = np.flatnonzero(~np.isclose(found, want, rtol=1e-12, atol=0))
    for v in wrong[:1].tolist():
        expect(False, f"the coefficient of vertex {graph.ids[v]} is {found[v]}, not {want[v]}")


def _neighbours(graph: Graph) -> list[list[int]]:
    """Each vertex's neighbours without loops; of a directed graph by arcs out, then by arcs in."""
    out, back = (directed_rows(graph, direction) for direction in ("out", "in"))
    pairs = zip(out, back, strict=True)
    return [[*sorted(set(a)), *(sorted(set(b)) if graph.directed else ())] for a, b in pairs]


def reference_core_numbers(graph: Graph) -> npt.NDArray[np.int32]:
    """Core numbers by the definition, on the host, shape (n,)."""
    graph = as_graph(graph)
    near = _neighbours(graph)
    left = {v: len(row) for v, row in enumerate(near)}
    core = np.zeros(graph.num_vertices, np.int32)
    k = 0
    while left:
        v = min(left, key=lambda each: (left[each], each))
        k = max(k, left.pop(v))
        core[v] = k
        for u in near[v]:
            if u in left:
                left[u] -= 1
    return core


def verify_core_numbers(graph: Graph, core: Any) -> None:
    """Check core numbers: each vertex has that many neighbours of its number or more, and no larger one fits.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph = as_graph(graph)
    core = np.asarray(core)
    n = graph.num_vertices
    expect(core.shape == (n,), f"{core.shape} core numbers for {n} vertices")
    near = _neighbours(graph)
    for v, row in enumerate(near):
        higher = sum(core[u] >= core[v] for u in row)
        expect(
            higher >= core[v], f"vertex {graph.ids[v]}: {higher} neighbours in its core, {core[v]} are needed"
        )
    # no larger numbers are possible: level by level everything above peels away
    for k in range(int(core.max(initial=0)) + 1):
        stays = {v for v in range(n) if len(near[v]) > k}
        while gone := {v for v in stays if sum(u in stays for u in near[v]) <= k}:
            stays -= gone
        expect(all(core[v] > k for v in stays), f"a vertex of the {k + 1}-core has the number {k}")
