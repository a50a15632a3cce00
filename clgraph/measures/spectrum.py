"""The largest eigenvalues of an adjacency matrix (SciPy)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

if TYPE_CHECKING:
    from clgraph.graph import Graph

COUNT = 20
DENSE = 200  # vertices up to which the whole spectrum is cheaper
MANY = 1_000_000  # vertices beyond which eigenvalues take minutes, and are computed on request only


def largest_eigenvalues(graph: Graph, count: int = COUNT) -> tuple[npt.NDArray[np.float64], str | None]:
    """The largest (algebraic) positive eigenvalues, descending, or why there are none.

    Parameters
    ----------
    graph : Graph
        Undirected, simple; weights are ignored.
    count : int
        At most this many.
    """
    none: npt.NDArray[np.float64] = np.zeros(0)
    n = graph.num_vertices
    if graph.num_arcs == 0:
        return none, "no vertex has a neighbour: all eigenvalues are 0"
    matrix = sp.csr_array((np.ones(graph.num_arcs), graph.col_idx, graph.row_ptr), shape=(n, n))
    if n <= max(DENSE, count + 1):
        values = np.linalg.eigvalsh(matrix.toarray())
    else:
        from scipy.sparse.linalg import ArpackNoConvergence, eigsh
        from threadpoolctl import threadpool_limits

        # a fixed start vector: all ones would miss antisymmetric eigenvectors, and SciPy's random one
        # would not be reproducible
        start = np.random.Generator(np.random.Philox(1)).random(n) + 0.5
        try:
            # its many small products are faster on one core than on two that wait for each other
            with threadpool_limits(1, "blas"):
                values = eigsh(matrix, k=count, which="LA", v0=start, tol=1e-6, return_eigenvectors=False)
        except ArpackNoConvergence as error:
            found = len(error.eigenvalues)
            return none, f"SciPy's eigsh found only {found} of {count} eigenvalues in {10 * n} iterations"
    values = np.sort(values)[::-1]
    return values[values > 1e-9 * values[0]][:count], None
