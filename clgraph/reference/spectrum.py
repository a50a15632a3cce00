"""Largest eigenvalues, slow and obviously right: all of them by NumPy, and how many lie above a bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph import Graph, as_graph


def _matrix(graph: Graph) -> npt.NDArray[np.float64]:
    matrix = np.zeros((graph.num_vertices, graph.num_vertices))
    matrix[graph.rows, graph.col_idx] = 1
    matrix[graph.col_idx, graph.rows] = 1
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
    """Check that exactly so many eigenvalues lie above each value less a little, and above it and a little.

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
        if above != count:
            raise AssertionError(f"{above} eigenvalues lie above {bound:.9g}, {count} were found")
