"""Vertex ids numbered without all edges in memory: what is kept are the ids that have occurred."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph.building import INT32_MAX, check_count

DENSE = 1 << 27  # ids below this are always marked in a table of bytes ...
PER_ROW = 4  # ... or below so many times the number of rows
DIRECT = 1 << 24  # ids below this are always numbered by a table, or below so many times the number of ids
PIECE = 1 << 22  # marks that are looked at together
Ids = npt.NDArray[np.int64]


def _distinct(ids: Ids) -> Ids:
    """Each value once, ascending; sorts in place. (NumPy's `unique` takes ten times as long.)"""
    ids.sort()
    keep = np.ones(len(ids), bool)
    np.not_equal(ids[1:], ids[:-1], out=keep[1:])
    return ids[keep]


def _marked(marks: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Where the marks are, as int32 if that will do."""
    kind, at = np.int32 if len(marks) <= INT32_MAX else np.int64, 0
    found: npt.NDArray[Any] = np.empty(np.count_nonzero(marks), kind)
    for begin in range(0, len(marks), PIECE):
        some = np.flatnonzero(marks[begin : begin + PIECE])
        found[at : at + len(some)] = some + begin
        at += len(some)
    return found


class Numbering:
    """The ids that occur, and afterwards their numbers in ascending order.

    Attributes
    ----------
    n : int
        Vertices; after `finish`.
    ids : int32 or int64 array, shape (n,), or None
        None where they are 0 .. n - 1; after `finish`.
    """

    def __init__(self) -> None:
        self._rows = 0
        self._marks: npt.NDArray[np.bool_] | None = np.zeros(1 << 16, bool)
        self._sorted: Ids = np.empty(0, np.int64)
        self._runs: list[Ids] = []
        self.n = 0
        self.ids: npt.NDArray[Any] | None = None
        self._number: npt.NDArray[np.int32] | None = None

    def add(self, *ends: npt.NDArray[np.integer]) -> None:
        """Ids of some rows, all at least 0."""
        for ids in ends:
            if not len(ids):
                continue
            self._rows += len(ids)
            highest = int(ids.max())
            if self._marks is not None and highest >= len(self._marks):
                self._grow(highest)
            if self._marks is not None:
                self._marks[ids] = True
                continue
            self._runs.append(_distinct(ids.astype(np.int64)))
            if sum(map(len, self._runs)) > max(len(self._sorted), DIRECT // 4):
                self._merge()

    def _grow(self, highest: int) -> None:
        assert self._marks is not None
        if highest < max(DENSE, PER_ROW * self._rows):
            longer = np.zeros(max(highest + 1, 2 * len(self._marks)), bool)
            longer[: len(self._marks)] = self._marks
            self._marks = longer
        else:
            self._sorted, self._marks = np.flatnonzero(self._marks), None

    def _merge(self) -> None:
        self._sorted = _distinct(np.concatenate([self._sorted, *self._runs]))
        self._runs = []

    def finish(self) -> None:
        """Number what has been added."""
        marks, self._marks = self._marks, None
        if marks is None:
            self._merge()
            ids: npt.NDArray[Any] = self._sorted
        else:
            ids = _marked(marks)
        self._sorted = np.empty(0, np.int64)
        self.n = n = len(ids)
        check_count(n)
        highest = int(ids[-1]) if n else -1
        if highest == n - 1:
            return
        self.ids = ids.astype(np.int32, copy=False) if highest <= INT32_MAX else ids
        if highest < max(DIRECT, PER_ROW * n):
            if marks is None:
                marks = np.zeros(highest + 1, bool)
                marks[ids] = True
            self._number = np.cumsum(marks[: highest + 1], dtype=np.int32)
            self._number -= 1

    def numbers(self, ids: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
        """The numbers of ids that have been added."""
        if self.ids is None:
            return ids.astype(np.int32, copy=False)
        if self._number is not None:
            return self._number[ids]
        order = np.argsort(ids)  # searches in ascending order stay in the cache
        found = np.empty(len(ids), np.int32)
        found[order] = np.searchsorted(self.ids, ids[order].astype(self.ids.dtype, copy=False))
        return found

    def forget(self) -> None:
        """Free what only `numbers` needs."""
        self._number = None
