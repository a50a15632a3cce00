"""A .clg file, whose rows are a section of the dataset already: they are checked and cut, not sorted."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.clg import Streamed, damaged, on_disk
from clgraph.graph.arrays import row_of, tails_between
from clgraph.graph.building import checked_counts, checked_weights
from clgraph.progress import Tell
from clgraph.scale.inputs import Input
from clgraph.scale.sorting import ahead
from clgraph.scale.stored import Rows, Stored
from clgraph.scale.tables import STEP, Columns

Words = npt.NDArray[np.uint64]


class InFile(Rows):
    """The rows of a .clg file, which stay there.

    Parameters
    ----------
    source : Input
    """

    def __init__(self, source: Input) -> None:
        super().__init__(source.row_ptr, source.header.arcs)
        self._source, self._names = source, set(source.values)

    def _columns(self, begin: int, end: int) -> Columns:
        source, count = self._source, end - begin
        values = {name: source.read(name, begin, count) for name in source.values}
        return {"head": source.heads(begin, count), **values}  # checked again: it may have been written to

    def check_unchanged(self) -> None:
        """Raise InputError if the file is not the one that was checked."""
        self._source.check_unchanged()

    def column(self, name: str, begin: int, end: int) -> Streamed:
        """Some entries of a column."""
        section = self._source.header.sections["col_idx" if name == "head" else name]
        dtype = np.dtype(section.kind)
        first = section.offset // dtype.itemsize + begin  # sections begin at multiples of 4096 bytes
        return on_disk(self._source.path, dtype, first, end - begin)


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
) -> tuple[dict[str, Rows], npt.NDArray[np.float64]] | None:
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
    head = source.heads(before, end - before)
    values = {name: source.read(name, begin, end - begin) for name in source.values}
    try:
        if "weights" in values:
            checked_weights(values["weights"], end - begin)
        if "multiplicity" in values:
            checked_counts(values["multiplicity"], end - begin)
    except InputError as error:
        raise damaged(path, str(error)) from error
    same = head[1:] == head[:-1]
    falls = head[1:] < head[:-1]
    if np.any(same | falls):
        starts = np.searchsorted(row_ptr, np.array([before + 1, end], row_ptr.dtype))
        border = row_ptr[starts[0] : starts[1]] - (before + 1)
        same[border] = falls[border] = False  # from one row to the next
    if np.any(falls):
        at = int(np.argmax(falls))
        row = row_of(row_ptr, before + at)
        raise damaged(path, f"row {row} is not in ascending order: {head[at + 1]} comes after {head[at]}")
    head, tail = head[begin - before :], tails_between(row_ptr, begin, end)
    first, kept, pairs, apart = int(tail[0]), {}, np.zeros(0, np.int64), 0
    if not source.directed:
        once, up, down = tail <= head, tail < head, tail > head
        kept = {"head": head[once], **{name: column[once] for name, column in values.items()}}
        pairs = np.bincount(tail[once] - first)
        apart = _sum(tail, head, values, up) - _sum(head, tail, values, down)
    carried = values.get("weights", values.get("multiplicity"))
    added = None if carried is None else (tail, carried)
    return _Piece(first, pairs, kept, tail[tail == head], apart, bool(np.any(same)), added)


def _sum(
    low: npt.NDArray[np.int32], high: npt.NDArray[np.int32], values: Columns, which: npt.NDArray[np.bool_]
) -> int:
    """A number that two lists of edges have in common only if they are alike, in whatever order."""
    words = low[which].astype(np.uint64) << np.uint64(32) | high[which].astype(np.uint64)
    for column in values.values():
        own = column[which]
        words = _mixed(words) ^ own.view(np.uint64 if own.itemsize == 8 else np.uint32)
    return int(_mixed(words).sum(dtype=np.uint64))


def _mixed(words: Words) -> Words:
    """SplitMix64's finisher."""
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)
