"""Centralities and distances, slow and obviously right: one queue for each vertex, NumPy's solvers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph import Graph, as_graph
from clgraph.reference.common import arc_rows, expect, hops

# --- distances and shortest paths ---


def reference_average_shortest_path_length(graph: Graph) -> float:
    """The mean distance of ordered pairs; nan if some pair has none."""
    rows = arc_rows(graph)
    n = len(rows)
    if n < 2:
        return 0.0
    found = [hops(rows, v) for v in range(n)]
    if any(len(each) < n for each in found):
        return float("nan")
    return float(Fraction(sum(sum(each.values()) for each in found), n * (n - 1)))


def reference_closeness(
    graph: Graph, improved: bool = True, vertices: Sequence[int] | None = None
) -> list[float]:
    """Closeness centrality of every vertex, or of some, by index."""
    back = arc_rows(graph, reverse=True)
    n, values = len(back), []
    for v in range(n) if vertices is None else vertices:
        found = hops(back, v)
        total, others = sum(found.values()), len(found) - 1
        value = Fraction(others, total) if total else Fraction(0)
        values.append(float(value * Fraction(others, n - 1) if improved and total else value))
    return values


def reference_harmonic(
    graph: Graph, sources: set[int] | None = None, vertices: Sequence[int] | None = None
) -> list[float]:
    """Harmonic centrality of every vertex, or of some, by index."""
    back = arc_rows(graph, reverse=True)
    return [
        float(
            sum(
                Fraction(1, distance)
                for u, distance in hops(back, v).items()
                if distance and (sources is None or u in sources)
            )
        )
        for v in (range(len(back)) if vertices is None else vertices)
    ]


def verify_distances(graph: Graph, measure: str, found: Sequence[float], vertices: list[int]) -> None:
    """Check the closeness or harmonic centrality of some vertices, by index.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph = as_graph(graph)
    expect(len(found) == graph.num_vertices, f"{len(found)} values for {graph.num_vertices} vertices")
    reference: Any = reference_closeness if measure == "closeness" else reference_harmonic
    for v, want in zip(vertices, reference(graph, vertices=vertices), strict=True):
        expect(
            abs(found[v] - want) <= 1e-9 * max(1, want),
            f"{measure} of vertex {graph.ids[v]} is {found[v]!r}, not {want!r}",
        )


def verify_betweenness(graph: Graph, found: Sequence[float]) -> None:
    """Check normalized betweenness of all sources by its sum: a path of length d passes d - 1 vertices.

    Also that no vertex has less than 0 or more than 1, and that one on no path between two others has 0.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph = as_graph(graph)
    rows, back = arc_rows(graph), arc_rows(graph, reverse=True)
    n = len(rows)
    expect(len(found) == n, f"{len(found)} values for {n} vertices")
    want = 0
    for v, value in enumerate(found):
        expect(-1e-12 <= value <= 1 + 1e-9, f"betweenness of vertex {graph.ids[v]} is {value!r}")
        arriving, leaving = set(back[v]) - {v}, set(rows[v]) - {v}
        passed = len(arriving | leaving) > 1 and arriving and leaving
        expect(
            passed or abs(value) <= 1e-12,
            f"no path passes vertex {graph.ids[v]}, and its betweenness is {value!r}",
        )
        near = hops(rows, v)
        want += sum(near.values()) - (len(near) - 1)
    # each path of length d passes d - 1 vertices, so that both sums count the same
    total = float(sum(found)) * ((n - 1) * (n - 2) if n > 2 else 1)
    expect(abs(total - want) <= 1e-6 * max(1, want), f"the sums over all pairs are {total:.9g}, not {want}")


def reference_betweenness(
    graph: Graph, sources: list[int] | None = None, endpoints: bool = False
) -> list[float]:
    """For each vertex the sum over sources s and targets t of the share of shortest paths that pass it.

    Counted pair by pair from the numbers of paths, in fractions; loops and parallel arcs play no part.
    """
    rows = [sorted(set(row) - {v}) for v, row in enumerate(arc_rows(graph))]
    n = len(rows)
    distance, paths = [hops(rows, source) for source in range(n)], []
    for source, near in enumerate(distance):
        count = dict.fromkeys(near, 0)
        count[source] = 1
        for v in near:  # by distance: those of all ways to v are counted before its own go on
            for w in rows[v]:
                if near[w] == near[v] + 1:
                    count[w] += count[v]
        paths.append(count)
    total = [Fraction(0)] * n
    for s in range(n) if sources is None else sources:
        for t in distance[s]:
            for v in distance[s] if t != s else ():
                inner = v not in (s, t)
                if (inner or endpoints) and distance[s][v] + distance[v].get(t, n + 1) == distance[s][t]:
                    total[v] += Fraction(paths[s][v] * paths[v][t], paths[s][t])
    return [float(each) for each in total]


def reference_edge_betweenness(graph: Graph, sources: list[int] | None = None) -> list[float]:
    """For each edge, in the order of `Graph.to_edges`, the share of shortest paths that pass it, summed up.

    Counted path by path: all of them are listed. Each of several parallel edges has an equal part.
    """
    graph = as_graph(graph)
    rows = [sorted(set(row) - {v}) for v, row in enumerate(arc_rows(graph))]
    near = [hops(rows, v) for v in range(len(rows))]
    passed: dict[tuple[int, int], Fraction] = {}

    def paths(s: int, t: int) -> list[list[tuple[int, int]]]:
        if s == t:
            return [[]]
        before = [v for v in near[s] if t in rows[v] and near[s][v] + 1 == near[s][t]]
        return [[*path, (v, t)] for v in before for path in paths(s, v)]

    for s in range(len(rows)) if sources is None else sources:
        for t in near[s]:
            all_paths = paths(s, t)
            for path in all_paths:
                for pair in path:
                    passed[pair] = passed.get(pair, Fraction(0)) + Fraction(1, len(all_paths))
    edges = list(zip(*(each.tolist() for each in graph.edge_indices()[:2]), strict=True))
    found = []
    for u, v in edges:
        value = passed.get((u, v), Fraction(0))
        if not graph.directed:
            value += passed.get((v, u), Fraction(0))
        found.append(float(value / edges.count((u, v))))
    return found


def verify_edge_betweenness(graph: Graph, found: Sequence[float]) -> None:
    """Check normalized edge betweenness of all sources by its sums: a path of length d passes d edges.

    Also that bridges to a leaf have as many paths as there are pairs of the leaf and another vertex.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph = as_graph(graph)
    rows, edges = (
        arc_rows(graph),
        list(zip(*(each.tolist() for each in graph.edge_indices()[:2]), strict=True)),
    )
    n = len(rows)
    expect(len(found) == len(edges), f"{len(found)} values for {len(edges)} edges")
    near = [hops(rows, v) for v in range(n)]
    pairs = max(n * (n - 1), 1)
    want, total = sum(sum(each.values()) for each in near), float(sum(found)) * pairs
    expect(abs(total - want) <= 1e-6 * max(1, want), f"the sums over all pairs are {total:.9g}, not {want}")
    for (u, v), value in zip(edges, found, strict=True):
        expect(
            -1e-12 <= value <= 1 + 1e-9, f"betweenness of edge {graph.ids[u]}, {graph.ids[v]} is {value!r}"
        )
        expect(u != v or value == 0, f"betweenness of the loop at {graph.ids[u]} is {value!r}")
        if not graph.directed and min(rows[u].count(v), len(rows[u])) == len(rows[u]) == 1:
            reached = 2 * (len(near[u]) - 1)
            expect(
                abs(value * pairs - reached) <= 1e-6 * reached,
                f"the only edge of {graph.ids[u]} has {value * pairs:.9g} paths, not {reached}",
            )


# --- centralities of the matrix ---

Floats = npt.NDArray[np.float64]


def _matrix(graph: Graph, weight: bool) -> Floats:
    """All entries: A[u, v] is the sum of the weights of the arcs u -> v, or their number."""
    graph = as_graph(graph)
    made = np.zeros((graph.num_vertices,) * 2)
    np.add.at(made, (graph.tails, graph.col_idx), _entries(graph, weight))
    return made


def _entries(graph: Graph, weight: bool) -> Any:
    """The weights if there are any and they count, else how often each arc occurred."""
    each = graph.weights if weight and graph.weights is not None else graph.multiplicity
    return 1.0 if each is None else each


def reference_eigenvector(graph: Graph, weight: bool = False) -> Floats:
    """The eigenvector of the transposed matrix's largest eigenvalue: of length 1, of positive sum."""
    values, columns = np.linalg.eig(_matrix(graph, weight).T)
    found = columns[:, int(np.argmax(values.real))].real
    return np.asarray(found / np.linalg.norm(found) * np.sign(found.sum()), np.float64)


def reference_katz(
    graph: Graph, alpha: float = 0.1, beta: float | Floats = 1.0, weight: bool = False
) -> Floats:
    """The solution of x = alpha A^T x + beta, as it is."""
    n = graph.num_vertices
    system = np.eye(n) - alpha * _matrix(graph, weight).T
    found = np.linalg.solve(system, np.broadcast_to(np.asarray(beta, np.float64), (n,)))
    return found.astype(np.float64)


def reference_hits(graph: Graph, weight: bool = True) -> tuple[Floats, Floats]:
    """Hubs and authorities, each of sum 1, from the singular value decomposition."""
    left, _, right = np.linalg.svd(_matrix(graph, weight))
    hubs, authorities = left[:, 0], right[0]
    return hubs / hubs.sum(), authorities / authorities.sum()


def verify_eigenvector(graph: Graph, found: Floats, *, tol: float = 1e-6, weight: bool = False) -> None:
    """Check that a vector of length 1 is one of A^T: that A^T x is x times a number, nearly.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph, x = as_graph(graph), _vector(graph, found)
    length = np.linalg.norm(x)
    expect(abs(length - 1) <= 1e-6, f"the vector has length {length:.6g}, not 1")
    after = _product(graph, x, weight) + x
    _near("one more step moves it", np.abs(after / np.linalg.norm(after) - x), tol)


def verify_katz(
    graph: Graph, found: Floats, *, alpha: float = 0.1, tol: float = 1e-6, weight: bool = False
) -> None:
    """Check a normalized Katz vector for beta 1: x - alpha A^T x is the same number everywhere, nearly.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph, x = as_graph(graph), _vector(graph, found)
    rest = x - alpha * _product(graph, x, weight)
    scale = float(rest.mean())
    expect(scale > 0, "x - alpha A^T x is not positive")
    _near("x - alpha A^T x is off", np.abs(rest / scale - 1), tol)


def _near(what: str, off: Floats, tol: float) -> None:
    """Check the L1 norm of a vector of deviations; `tol` is per vertex, as in the iterations."""
    total, most = float(off.sum()), 2 * len(off) * tol
    expect(total <= most, f"{what} by {total:.3g} (L1), more than {most:.3g}")


def verify_hits(
    graph: Graph, hubs: Floats, authorities: Floats, *, tol: float = 1e-6, weight: bool = True
) -> None:
    """Check normalized hubs and authorities: h is A a scaled to sum 1, and a is A^T h scaled so, nearly.

    Raises
    ------
    AssertionError
        What does not hold.
    """
    graph, h, a = as_graph(graph), _vector(graph, hubs), _vector(graph, authorities)
    for name, have, want in (
        ("hubs", h, _product(graph, a, weight, turned=True)),
        ("authorities", a, _product(graph, h, weight)),
    ):
        off = float(np.abs(have - want / want.sum()).max())
        expect(off <= tol, f"the {name} are off by {off:.3g}, more than {tol:.3g}")


def _vector(graph: Graph, found: Any) -> Floats:
    """Check that a result is a finite number for each vertex, and return it as an array."""
    n, x = as_graph(graph).num_vertices, np.asarray(found, np.float64)
    expect(x.shape == (n,) and np.isfinite(x).all(), f"a finite number for each of {n} vertices is needed")
    return x


def _product(graph: Graph, x: Floats, weight: bool, *, turned: bool = False) -> Floats:
    """A^T x, or A x if turned, arc by arc."""
    tails, heads = (graph.col_idx, graph.tails) if turned else (graph.tails, graph.col_idx)
    values = x[tails] * _entries(graph, weight)
    return np.bincount(heads, weights=values, minlength=graph.num_vertices).astype(np.float64)
