"""A .clg file, whose rows are a section of the dataset already: they are checked and cut, not sorted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.arrays import row_of
from clgraph.graph.building import checked_counts, checked_weights
from clgraph.graph.checks import check_range
from clgraph.graph.io.binary_header import damaged
from clgraph.graph.io.binary_writing import OnDisk
from clgraph.progress import Tell
from clgraph.scale.inputs import Input
from clgraph.scale.sorting import ahead
from clgraph.scale.stored import Stored
from clgraph.scale.tables import STEP, Columns, tails_between

Words = npt.NDArray[np.uint64]


class InFile(Stored):
    """The rows of a .clg file, which stay there.

    Parameters
    ----------
    source : Input
    """

    def __init__(self, source: Input) -> None:
        self._source, self._base, self._names = source, None, set(source.values)
        self._loops: list[npt.NDArray[np.int32]] = []
        self.row_ptr, self.rows = source.row_ptr, source.header.arcs

    def parts(self, step: int) -> Iterator[tuple[npt.NDArray[np.int32], Columns]]:
        """Tails, and the other columns, so many entries at a time."""
        for begin in range(0, self.rows, step):
            end = min(begin + step, self.rows)
            yield tails_between(self.row_ptr, begin, end), self._columns(begin, end)

    def some(self, first: int, last: int) -> tuple[npt.NDArray[Any], Columns]:
        """The lengths of some rows, and their columns."""
        begin, end = int(self.row_ptr[first]), int(self.row_ptr[last])
        return np.diff(self.row_ptr[first : last + 1]), self._columns(begin, end)

    def _columns(self, begin: int, end: int) -> Columns:
        names = {"head": "col_idx", **{name: name for name in self._names}}
        found = {name: self._source.read(section, begin, end - begin) for name, section in names.items()}
        check_range(found["head"], self._source.header.n, "col_idx")  # it may have been written to
        return found

    def check_unchanged(self) -> None:
        """Raise InputError if the file is not the one that was checked."""
        self._source.check_unchanged()

    def column(self, name: str, begin: int, end: int) -> OnDisk:
        """Some entries of a column."""
        section = self._source.header.sections["col_idx" if name == "head" else name]
        dtype = np.dtype(section.kind)
        first = section.offset // dtype.itemsize + begin  # sections begin at multiples of 4096 bytes
        return OnDisk(self._source.path, dtype, first, end - begin)


@dataclass(frozen=True)
class _Piece:
    """Some entries of a file, looked at.

    Attributes
    ----------
    first : int
        The row of the first of them.
    pairs : int64 array
        How many of each row from there on are not below it.
    kept : Columns
        Those, with what they carry.
    loops : int32 array
        Vertices that have themselves in their rows.
    apart : int
        Of an undirected graph: a sum over the arcs up less the same over those down, modulo 2**64.
    parallel : bool
        Whether there are parallel arcs.
    carried : (tails, values), or None
        What is added up for each row, if that is not the number of its entries.
    """

    first: int
    pairs: npt.NDArray[np.int64]
    kept: Columns
    loops: npt.NDArray[np.int32]
    apart: int
    parallel: bool
    carried: tuple[npt.NDArray[np.int32], npt.NDArray[Any]] | None


def in_order(
    source: Input, folder: Path, progress: Tell | None
) -> tuple[dict[str, Stored], npt.NDArray[np.float64]] | None:
    """The sections that a .clg file has, and the weight that leaves each vertex; None if arcs are parallel.

    Sections are "out", or of an undirected graph "rows" and "pairs", whose entries are copied to `folder`.

    Raises
    ------
    InputError
        If the file is not what it says; it is named.
    """
    n, arcs = source.header.n, source.header.arcs
    rows = InFile(source)
    pairs = None if source.directed else Stored(folder, "pairs", n, arcs)
    lengths = np.zeros(n, np.int64)
    leaving = np.zeros(n) if source.values else np.diff(source.row_ptr).astype(np.float64)
    apart, parallel = 0, False
    steps = ((source, begin, min(begin + STEP, arcs)) for begin in range(0, arcs, STEP))
    done = 0
    for piece in ahead(_looked_at, steps):
        rows.note_loops(piece.loops)
        apart, parallel = apart + piece.apart, parallel or piece.parallel
        if pairs is not None:
            pairs.extend(piece.kept)
            pairs.note_loops(piece.loops)
            lengths[piece.first : piece.first + len(piece.pairs)] += piece.pairs
        if piece.carried is not None:
            np.add.at(leaving, *piece.carried)  # one after the other, as `row_sums` does it
        done = min(done + STEP, arcs)
        if progress is not None:
            progress(4 * done, 4 * arcs)
    if (loops := rows.loops(0, n)) != source.header.loops:
        raise damaged(source.path, f"it has {loops} self-loops, but its header says {source.header.loops}")
    if apart % 2**64:
        raise damaged(
            source.path, "it is undirected, but some arcs lack their reverse, or carry other values"
        )
    if parallel:
        if pairs is not None:
            pairs.remove()
        return None
    if pairs is None:
        return {"out": rows}, leaving
    np.cumsum(lengths, out=pairs.row_ptr[1:])
    return {"pairs": pairs, "rows": rows}, leaving


def _looked_at(source: Input, begin: int, end: int) -> _Piece:
    """Some entries, checked."""
    path, row_ptr = source.path, source.row_ptr
    before = begin - min(begin, 1)  # with the entry in front
    head = source.read("col_idx", before, end - before)
    values = {name: source.read(name, begin, end - begin) for name in source.values}
    try:
        check_range(head, source.header.n, "col_idx")
        if "weights" in values:
            checked_weights(values["weights"], end - begin)
        if "multiplicity" in values:
            checked_counts(values["multiplicity"], end - begin)
    except InputError as error:
        raise damaged(path, str(error)) from error
    falls, parallel = head[1:] <= head[:-1], False
    if np.any(falls):
        starts = np.searchsorted(row_ptr, np.array([before + 1, end], row_ptr.dtype))
        falls[row_ptr[starts[0] : starts[1]] - (before + 1)] = False  # from one row to the next they may
        for at in np.flatnonzero(falls):
            if head[at + 1] == head[at]:
                parallel = True
                continue
            row = row_of(row_ptr, before + int(at))
            raise damaged(path, f"row {row} is not in ascending order: {head[at + 1]} comes after {head[at]}")
    head, tail = head[begin - before :], tails_between(row_ptr, begin, end)
    first, kept, pairs, apart = int(tail[0]), {}, np.zeros(0, np.int64), 0
    if not source.directed:
        once = tail <= head
        kept = {"head": head[once], **{name: column[once] for name, column in values.items()}}
        pairs = np.bincount(tail[once] - first)
        apart = _sum(tail[once], kept["head"], kept) - _sum(
            head[~once], tail[~once], {name: column[~once] for name, column in values.items()}
        )
        own = tail == head
        apart -= _sum(tail[own], head[own], {name: column[own] for name, column in values.items()})
    carried = values.get("weights", values.get("multiplicity"))
    return _Piece(
        first, pairs, kept, tail[tail == head], apart, parallel, None if carried is None else (tail, carried)
    )


def _sum(low: npt.NDArray[np.int32], high: npt.NDArray[np.int32], values: Columns) -> int:
    """A number that two lists of edges have in common only if they are alike, in whatever order."""
    words = low.astype(np.uint64) << np.uint64(32) | high.astype(np.uint64)
    for name in ("weights", "multiplicity"):
        if name in values:
            own = values[name]
            words = _mixed(words) ^ own.view(np.uint64 if own.itemsize == 8 else np.uint32)
    return int(_mixed(words).sum(dtype=np.uint64))


def _mixed(words: Words) -> Words:
    """SplitMix64's finisher."""
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)
