"""Centralities of a graph's matrix, slow and obviously right: of all its entries, by NumPy's solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph import Graph, as_graph

Floats = npt.NDArray[np.float64]


def _entries(graph: Graph, weight: bool) -> Any:
    """The weights if there are any and they count, else how often each arc occurred."""
    return graph.weights if weight and graph.weights is not None else graph.multiplicity


def _matrix(graph: Graph, weight: bool) -> Floats:
    """All entries: A[u, v] is the sum of the weights of the arcs u -> v, or their number."""
    graph = as_graph(graph)
    made = np.zeros((graph.num_vertices,) * 2)
    each = _entries(graph, weight)
    values = np.ones(graph.num_arcs) if each is None else each
    for tail, head, value in zip(graph.tails.tolist(), graph.col_idx.tolist(), values.tolist(), strict=True):
        made[tail, head] += value
    return made


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
    if abs(np.linalg.norm(x) - 1) > 1e-6:
        raise AssertionError(f"the vector has length {np.linalg.norm(x):.6g}, not 1")
    after = _product(graph, x, weight) + x
    off = float(np.abs(after / np.linalg.norm(after) - x).sum())
    if off > 2 * len(x) * tol:
        raise AssertionError(f"one more step moves it by {off:.3g} (L1), more than {2 * len(x) * tol:.3g}")


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
    if not scale > 0:
        raise AssertionError("x - alpha A^T x is not positive")
    off = float(np.abs(rest / scale - 1).sum())
    if off > 2 * len(x) * tol:
        raise AssertionError(f"x - alpha A^T x is off by {off:.3g} (L1), more than {2 * len(x) * tol:.3g}")


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
        if off > tol:
            raise AssertionError(f"the {name} are off by {off:.3g}, more than {tol:.3g}")


def _vector(graph: Graph, found: Any) -> Floats:
    """What was found, if it is a finite number for each vertex."""
    n, x = as_graph(graph).num_vertices, np.asarray(found, np.float64)
    if x.shape != (n,) or not np.isfinite(x).all():
        raise AssertionError(f"a finite number for each of {n} vertices is needed")
    return x


def _product(graph: Graph, x: Floats, weight: bool, *, turned: bool = False) -> Floats:
    """A^T x, or A x if turned, arc by arc."""
    each = _entries(graph, weight)
    tails, heads = graph.tails, graph.col_idx
    if turned:
        tails, heads = heads, tails
    values = x[tails] if each is None else x[tails] * each
    return np.bincount(heads, weights=values, minlength=graph.num_vertices).astype(np.float64)
