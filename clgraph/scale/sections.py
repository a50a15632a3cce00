"""Rows of a section while graph files are converted, in files of ours or in a .clg file.

A .clg file's rows are a section of the dataset already: they are checked and cut, not sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.clg import damaged
from clgraph.graph.arrays import row_of, tails_between, tails_of
from clgraph.graph.building import INT32_MAX, checked_counts, checked_weights
from clgraph.progress import Tell
from clgraph.scale.inputs import Input
from clgraph.scale.shards import VALUES
from clgraph.scale.tables import STEP, Columns, Table
from clgraph.system import ahead

Words = npt.NDArray[np.uint64]


def turned(name: str, tail: npt.NDArray[np.int32], part: Columns) -> Columns:
    """Return some of the base's entries as another section needs them."""
    head = part.pop("head")
    if name == "in":
        return {"row": head, "head": tail, **part}
    if name == "pairs":
        way = np.where(tail == head, 3, np.where(tail < head, 1, 2)).astype(np.uint8)
        return {"row": np.minimum(tail, head), "head": np.maximum(tail, head), "way": way}
    apart = tail != head  # the arcs back; those forth are the base's own rows
    return {"row": head[apart], "head": tail[apart]} | {each: part[each][apart] for each in part}


class Rows(Table):
    """The rows of a section, `n` with `most` entries at most, that are added one range after the other.

    `base` is another section of the same graph, which has the same self-loops.

    Attributes
    ----------
    row_ptr : int32 or int64 array, shape (n + 1,)
        Where each row begins, and the number of entries.
    columns : dict of str to FileColumn
        "head", and what else entries have.
    """

    def __init__(self, folder: Path, name: str, n: int, most: int, base: Rows | None = None) -> None:
        super().__init__(folder, f"section-{name}")
        self.row_ptr: npt.NDArray[Any] = np.zeros(n + 1, np.int32 if most <= INT32_MAX else np.int64)
        self._base = base
        self._loops: list[npt.NDArray[np.int32]] = []

    def note_loops(self, vertices: npt.NDArray[np.int32]) -> None:
        """Note vertices that have themselves in their rows."""
        self._loops.append(vertices)

    def check_unchanged(self) -> None:
        """Raise InputError if the rows are not those that were checked; those in files of ours are."""

    def loops(self, first: int, last: int) -> int:
        """Count the rows, of some, that hold their own vertex."""
        if self._base is not None:
            return self._base.loops(first, last)
        return sum(int(np.count_nonzero((each >= first) & (each < last))) for each in self._loops)

    def entries(self) -> Iterator[tuple[npt.NDArray[np.int32], Columns]]:
        """Yield tails and the other columns, some entries at a time."""
        for begin in range(0, self.rows, STEP):
            count = min(STEP, self.rows - begin)
            yield tails_between(self.row_ptr, begin, begin + count), self.read(begin, count)

    def some(self, first: int, last: int) -> tuple[npt.NDArray[Any], Columns]:
        """Return the lengths of some rows, and their columns."""
        begin, end = int(self.row_ptr[first]), int(self.row_ptr[last])
        return np.diff(self.row_ptr[first : last + 1]), self.read(begin, end - begin)

    def add(
        self, row_ptr: npt.NDArray[Any], col_idx: npt.NDArray[np.int32], first: int, values: dict[str, Any]
    ) -> None:
        """Add the rows that follow, the first of them of vertex `first`."""
        last = first + len(row_ptr) - 1
        self.row_ptr[first : last + 1] = row_ptr
        self.row_ptr[first : last + 1] += self.rows
        if self._base is None:
            tails = tails_of(row_ptr, first)
            self.note_loops(tails[tails == col_idx])
        self.extend({"head": col_idx, **values})

    def extend(self, columns: Mapping[str, npt.NDArray[Any] | None]) -> None:
        """Add entries whose rows come in another way."""
        col_idx = columns["head"]
        assert col_idx is not None
        self.write("head", col_idx)
        for name in VALUES:
            column = columns.get(name)
            if column is not None and name not in self.columns:
                for begin in range(0, self.rows, STEP):  # multiplicities: those so far were 1
                    self.write(name, np.ones(min(STEP, self.rows - begin), column.dtype))
            if column is not None or name in self.columns:
                self.write(name, np.ones(len(col_idx), np.int32) if column is None else column)
        self.rows += len(col_idx)


class InFile(Rows):
    """The rows of a .clg file, which stay there."""

    def __init__(self, source: Input) -> None:
        super().__init__(source.path.parent, "", 0, 0)
        names = {"head": "col_idx"} | {name: name for name in source.values}
        self.columns = {name: source.columns[section] for name, section in names.items()}
        self.row_ptr, self.rows, self._source = source.row_ptr, source.header.arcs, source

    def read(self, first: int = 0, count: int | None = None) -> Columns:
        """Return some entries; heads are checked again, as the file may have been written to."""
        count = self.rows - first if count is None else count
        return super().read(first, count) | {"head": self._source.heads(first, count)}

    def check_unchanged(self) -> None:
        """Raise InputError if the file is not the one that was checked."""
        self._source.check_unchanged()


class _Part(NamedTuple):
    """Some entries of a file, looked at."""

    first: int  # the row of the first of them
    pairs: npt.NDArray[np.int64]  # how many of each row from there on are not below it ...
    entries: Columns  # ... and these, with what they carry
    loops: npt.NDArray[np.int32]  # vertices that have themselves in their rows
    apart: int  # of an undirected graph: a sum over the arcs up less the same over those down, modulo 2**64
    parallel: bool  # whether there are parallel arcs
    carried: tuple[npt.NDArray[np.int32], npt.NDArray[Any]] | None  # what is added up for each row, if not 1


def in_order(
    source: Input, folder: Path, progress: Tell | None
) -> tuple[dict[str, Rows], npt.NDArray[np.float64]] | None:
    """Return the sections of a .clg file and the weight that leaves each vertex; None if arcs are parallel.

    Sections are "out", or of an undirected graph "rows" and "pairs", whose entries are copied to `folder`.

    Raises
    ------
    InputError
        If the file is not what it says; it is named.
    """
    n, arcs = source.header.n, source.header.arcs
    rows = InFile(source)
    pairs = None if source.directed else Rows(folder, "pairs", n, arcs)
    lengths = np.zeros(n, np.int64)
    leaving = np.zeros(n) if source.values else np.diff(source.row_ptr).astype(np.float64)
    apart, parallel = 0, False
    steps = ((source, begin, min(begin + STEP, arcs)) for begin in range(0, arcs, STEP))
    done = 0
    for part in ahead(_looked_at, steps):
        rows.note_loops(part.loops)
        apart, parallel = apart + part.apart, parallel or part.parallel
        if pairs is not None:
            pairs.extend(part.entries)
            pairs.note_loops(part.loops)
            lengths[part.first : part.first + len(part.pairs)] += part.pairs
        if part.carried is not None:
            np.add.at(leaving, *part.carried)  # one after the other, as `row_sums` does it
        done = min(done + STEP, arcs)
        if progress is not None:
            progress(4 * done, 4 * arcs)
    if (loops := rows.loops(0, n)) != source.header.loops:
        raise damaged(source.path, f"it has {loops} self-loops, but its header says {source.header.loops}")
    # equal sums mean that every arc has its reverse, but for a chance of 2**-64
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


def _looked_at(source: Input, begin: int, end: int) -> _Part:
    """Check some entries."""
    path, row_ptr = source.path, source.row_ptr
    before = begin - min(begin, 1)  # with the entry in front
    head = source.heads(before, end - before)
    values = {name: source.columns[name].read(begin, end - begin) for name in source.values}
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
    return _Part(first, pairs, kept, tail[tail == head], apart, bool(np.any(same)), added)


def _sum(
    low: npt.NDArray[np.int32], high: npt.NDArray[np.int32], values: Columns, which: npt.NDArray[np.bool_]
) -> int:
    """Return a number that two lists of edges share only if they are equal, in whatever order."""
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
