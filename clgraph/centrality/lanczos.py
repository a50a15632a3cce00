"""The leading right singular vector of a graph's matrix, by Lanczos's method with restarts.

The vectors stay on the device; the host has the small projected matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from typing import Any

import numpy as np

from clgraph.centrality.power import Floats, Vectors
from clgraph.errors import InputError

LITTLE = 1e-4  # of a vector's squares
ROUND_OFF = 1e-14  # of the largest singular value's square: residuals do not get smaller


def leading(
    vectors: Vectors,
    start: Floats,
    steps: int,
    restarts: int,
    tol: float,
    progress: Callable[[int, int | None], None] | None = None,
) -> tuple[Any, float]:
    """The vector, on the device, and about how far it is from the exact one.

    Parameters
    ----------
    vectors : Vectors
    start : float64 array of length 1
    steps : int
        Of each cycle: products with the matrix and its transpose.
    restarts : int
        Cycles at most.
    tol : float
        Distance that is small enough.
    progress : callable, optional
        Called with (cycles, None).
    """
    first, half = vectors.vector(start), vectors.vector()
    off = inf
    basis = [first, *(vectors.vector() for _ in range(min(steps, vectors.n)))]
    for cycle in range(restarts):
        diagonal: list[float] = []
        beside: list[float] = []
        for j in range(len(basis) - 1):
            x, y = basis[j], basis[j + 1]
            vectors.multiply(x, half)
            vectors.multiply(half, y, turned=True)
            length = _orthogonalise(vectors, basis, j, diagonal)
            if length <= ROUND_OFF * max(map(abs, diagonal)):
                beside.append(0.0)
                break  # the space is closed
            beside.append(length)
            vectors.combine(y, 1 / length, x)
        k = len(diagonal)
        if not np.all(np.isfinite(diagonal + beside)):
            raise InputError(
                "weights are so large that products of them exceed numbers of 64 bits: scale them"
            )
        values, small = np.linalg.eigh(
            np.diag(diagonal) + np.diag(beside[: k - 1], 1) + np.diag(beside[: k - 1], -1)
        )
        top = values[-1]
        residual = beside[k - 1] * abs(small[-1, -1])
        gap = top - values[-2] if k > 1 else top
        off = 0.0 if residual <= ROUND_OFF * top else residual / gap if gap > 0 else inf
        for i, share in enumerate(small[:, -1].tolist()):
            if i == 0:
                vectors.combine(first, share, basis[1])
            else:
                vectors.combine(first, 1.0, basis[i], share)
        length = sqrt(vectors.combine(first, 1.0, basis[1]).squares)
        vectors.combine(first, 1 / (length or 1.0), basis[1])
        if progress:
            progress(cycle + 1, None)
        if off <= tol:
            break
    return first, off


def _orthogonalise(vectors: Vectors, basis: list[Any], j: int, diagonal: list[float]) -> float:
    """Take from vector j + 1 what it has of those before, in exact arithmetic only of two; its length.

    What it has of vector j is the next number of the diagonal. Where little is left, roundings are much of
    it: then once more.
    """
    y, along = basis[j + 1], 0.0
    for turn in range(2):
        whole = 0.0
        for i in range(j, -1, -1):
            sums = vectors.combine(y, 1.0, basis[i])
            if i == j:
                whole, along = sums.squares, sums.product
                if turn == 0:
                    diagonal.append(along)
            length = sqrt(vectors.combine(y, 1.0, basis[i], -sums.product).squares)
        if length * length > LITTLE * whole:
            break
    return length
