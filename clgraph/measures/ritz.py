"""The projected matrices of Lanczos's method with thick restarts, for several graphs at once, on the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.measures.spectrum_host import ZERO, blas
from clgraph.system import cores, thread_pool

COUNT = 20  # eigenvalues
KEPT = 28  # vectors that a restart keeps: some more than are wanted, or the last ones converge slowly
STEPS = 48  # vectors of a basis
EXACT = 1e-10  # error at which an eigenvalue is found, as a share of it
ROUNDING = 1e-13  # residual, as a share of the largest eigenvalue, that does not get smaller
SAME = 1e-9
# between two passes over the whole basis vectors may lose their being orthogonal from the one to the other
LEAST, MOST = 1e-15, 1e-7
LEAST_SHARE = 8  # matrices that are worth a thread
LONGEST = 10  # steps from one pair of passes to the next

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class Ritz:
    """What is known of the eigenvalues of several graphs.

    Attributes
    ----------
    values : list of float64 array
        The largest, descending.
    done : bool array
    fresh : bool array
        The graphs whose next cycle begins with a random vector: at first; when all that was wanted is found,
        to see whether one of the eigenvalues occurs once more (from one vector Lanczos's method finds each
        once); and where the basis cannot grow.
    turn : float64 array, shape (graphs, STEPS, KEPT)
        The next basis: combinations of the vectors as they are stored.
    scale : float64 array, shape (STEPS + 1, graphs)
        Of the next basis.
    """

    def __init__(self, graphs: int) -> None:
        self.graphs = graphs
        self.values: list[Floats] = [np.zeros(0)] * graphs
        self.done = np.zeros(graphs, bool)
        self.fresh = np.ones(graphs, bool)
        self.turn = np.zeros((graphs, STEPS, KEPT))
        self.scale = np.ones((STEPS + 1, graphs))
        self._before: list[Floats | None] = [None] * graphs
        self._kept = np.zeros((graphs, KEPT))  # their eigenvalues
        self._valid = np.zeros((graphs, KEPT), bool)
        self._period = np.full(graphs, 2)

    def flags(self, kept: int) -> npt.NDArray[np.int32]:
        """For each step, which graphs make its vector orthogonal to all: two in a row of a period.

        A last row has those that begin with a random vector.
        """
        step = np.arange(STEPS)[:, None] - kept
        return np.vstack((step % self._period < 2, self.fresh)).astype(np.int32)

    def take(self, kept: int, alpha: Floats, coupling: Floats, norm: Floats, sizes: Any) -> None:
        """What a cycle found: diagonal, the first new vector's products with the kept ones, lengths."""
        going = np.flatnonzero(~self.done)
        matrix, valid = self._projected(going, kept, alpha, coupling, norm)
        found, vectors = _eigh(matrix)
        found, vectors = found[:, ::-1], vectors[:, :, ::-1]
        residual = norm[STEPS, going][:, None] * np.abs(vectors[:, -1, :])
        count = valid.sum(1)
        right, positive = _settled(found, residual, count)
        scale = np.ones((len(going), STEPS))
        lengths = norm[kept:STEPS, going].T
        scale[:, kept:] = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        with np.errstate(divide="ignore"):
            spread = found[:, 0] - found[np.arange(len(going)), count - 1]
            growth = 2 * spread / norm[kept + 1 :, going].min(0)
        period = 1 + np.log(MOST / LEAST) / np.log(np.maximum(growth, 2))
        self._period[going] = np.clip(period, 2, LONGEST).astype(int)
        for at, g in enumerate(going.tolist()):
            self.fresh[g] = False
            if right[at]:
                values = found[at, :COUNT][positive[at]]
                before, self._before[g] = self._before[g], values
                self.values[g] = values
                same = before is not None and len(before) == len(values)
                self.done[g] = count[at] >= sizes[g] or (
                    same and bool((np.abs(values - before) <= SAME * values[:1]).all())
                )
                self.fresh[g] = True
            some = min(COUNT if self.fresh[g] else KEPT, int(count[at]))
            self.turn[g] = 0
            self.turn[g, :, :some] = scale[at][:, None] * vectors[at, :, :some]
            self._kept[g] = found[at, :KEPT]
            self._valid[g] = np.arange(KEPT) < some
        self.scale[KEPT, going] = 1

    def _projected(
        self, going: npt.NDArray[np.intp], kept: int, alpha: Floats, coupling: Floats, norm: Floats
    ) -> tuple[Floats, Flags]:
        """The matrices, and which of their rows there are; the others stand apart, below all eigenvalues."""
        k, rows = kept, np.arange(STEPS)
        matrix = np.zeros((len(going), STEPS, STEPS))
        matrix[:, rows[:k], rows[:k]] = self._kept[going, :k]
        matrix[:, rows[k:], rows[k:]] = alpha[k:STEPS, going].T
        if k:
            matrix[:, k, :k] = matrix[:, :k, k] = coupling[:k, going].T
        matrix[:, rows[k:-1], rows[k + 1 :]] = matrix[:, rows[k + 1 :], rows[k:-1]] = norm[
            k + 1 : STEPS, going
        ].T
        valid = np.ones((len(going), STEPS), bool)
        valid[:, :k] = self._valid[going, :k]
        valid[:, k:] = np.logical_and.accumulate(norm[k:STEPS, going] > 0, axis=0).T
        for at in np.flatnonzero(~valid.all(1)).tolist():
            none = ~valid[at]
            matrix[at, none, :] = matrix[at, :, none] = 0
            matrix[at, none, none] = -3 * np.abs(matrix[at]).max() - 1
        return matrix, valid


def _eigh(matrix: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors of each of several small matrices."""
    threads = min(cores(), len(matrix) // LEAST_SHARE)
    # the threads of BLAS would wait for each other at matrices this small; ours have some each
    with blas().limit(limits=1, user_api="blas"), thread_pool(max(1, threads), "clgraph-eigh") as pool:
        parts = list(pool.map(np.linalg.eigh, np.array_split(matrix, max(1, threads))))
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _settled(found: Floats, residual: Floats, count: npt.NDArray[np.intp]) -> tuple[Flags, Flags]:
    """Whether all wanted eigenvalues are found, and which of the first COUNT are positive.

    The error of an eigenvalue is at most its residual, and at most the residual's square over the distance to
    the others.
    """
    top, left = found[:, :COUNT], residual[:, :COUNT]
    gap = top - (found + residual)[:, 1 : COUNT + 1]
    gap[:, 1:] = np.minimum(gap[:, 1:], (top - left)[:, :-1] - top[:, 1:])
    error = np.minimum(left, np.divide(left * left, gap, out=left.copy(), where=gap > 0))
    there = np.arange(COUNT) < count[:, None]
    wanted = there & (top + left > ZERO * top[:, :1])
    right: Flags = ~wanted | (error <= EXACT * top) | (left <= ROUNDING * top[:, :1])
    return np.all(right, axis=1), there & (top > ZERO * top[:, :1])
