"""The largest eigenvalues on the host: of small graphs, and for devices without float64."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
DENSE = 100  # vertices up to which the whole spectrum is cheaper
NO_LANCZOS = 1000  # the same, where SciPy is the other way: less than a second
ZERO = 1e-9  # shares of the largest eigenvalue up to which others are rounding errors


@cache
def blas() -> Any:
    """What limits the threads of BLAS; it looks for the libraries once, which takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def positive(values: Floats, count: int) -> Floats:
    """The largest of some eigenvalues, descending, without those that are not positive."""
    values = np.sort(values)[::-1]
    return values[values > ZERO * values[0]][:count]


def matrix_of(row_ptr: npt.NDArray[np.integer], col_idx: npt.NDArray[np.int32], matrix: str) -> Any:
    """The adjacency matrix or a Laplacian of some rows, sparse."""
    import scipy.sparse as sp

    n = len(row_ptr) - 1
    adjacency = sp.csr_array((np.ones(len(col_idx)), col_idx, row_ptr), shape=(n, n))
    if matrix == "adjacency":
        return adjacency
    return sp.csgraph.laplacian(adjacency, normed=matrix == "normalized laplacian")


def dense_eigenvalues(
    row_ptr: npt.NDArray[np.integer], col_idx: npt.NDArray[np.int32], count: int, matrix: str = "adjacency"
) -> Floats:
    """Of a small graph, by NumPy."""
    whole = matrix_of(row_ptr, col_idx, matrix).toarray()
    return positive(np.linalg.eigvalsh(whole).astype(np.float64), count)


def scipy_eigenvalues(
    row_ptr: npt.NDArray[np.integer], col_idx: npt.NDArray[np.int32], count: int, matrix: str = "adjacency"
) -> tuple[Floats, str | None]:
    """By SciPy's eigsh, of small graphs by NumPy; or why there are none.

    It may find an eigenvalue of a large graph that repeats too seldom, as it begins with one vector.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    n = len(row_ptr) - 1
    if n <= NO_LANCZOS:
        return dense_eigenvalues(row_ptr, col_idx, count, matrix), None
    whole = matrix_of(row_ptr, col_idx, matrix)
    # a fixed start vector: all ones would miss antisymmetric eigenvectors, and SciPy's random one
    # would not be reproducible
    start = np.random.Generator(np.random.Philox(1)).random(n) + 0.5
    try:
        # its many small products are faster on one core than on two that wait for each other
        with blas().limit(limits=1, user_api="blas"):
            values = eigsh(whole, k=count, which="LA", v0=start, return_eigenvectors=False)
    except ArpackNoConvergence as error:
        found = len(error.eigenvalues)
        return np.zeros(0), f"SciPy's eigsh found only {found} of {count} eigenvalues in {10 * n} iterations"
    return positive(values, count), None
