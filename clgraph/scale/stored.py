"""Rows of a section on disk while graph files are converted: added range by range, cut into shards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.formats.clg import Streamed, on_disk
from clgraph.graph.arrays import tails_between, tails_of
from clgraph.graph.building import INT32_MAX
from clgraph.scale.cut import cuts
from clgraph.scale.manifest import BLOCK, Section
from clgraph.scale.shards import VALUES
from clgraph.scale.tables import STEP, Columns, Table
from clgraph.scale.writing import Writer, summed


def turned(name: str, tail: npt.NDArray[np.int32], part: Columns) -> Columns:
    """Some of the base's entries as another section wants them dealt."""
    head = part.pop("head")
    if name == "in":
        return {"row": head, "head": tail, **part}
    if name == "pairs":
        way = np.where(tail == head, 3, np.where(tail < head, 1, 2)).astype(np.uint8)
        return {"row": np.minimum(tail, head), "head": np.maximum(tail, head), "way": way}
    apart = tail != head  # the arcs back; those forth are the base's own rows
    return {"row": head[apart], "head": tail[apart]} | {each: part[each][apart] for each in part}


class Rows:
    """The rows of a section, in files.

    Attributes
    ----------
    rows : int
        Entries.
    row_ptr : int32 or int64 array, shape (n + 1,)
        Where each row begins, and the number of entries.
    """

    def __init__(self, row_ptr: npt.NDArray[Any], rows: int, base: Rows | None = None) -> None:
        self.row_ptr, self.rows, self._base = row_ptr, rows, base
        self._loops: list[npt.NDArray[np.int32]] = []
        self._names: set[str] = set()

    def note_loops(self, vertices: npt.NDArray[np.int32]) -> None:
        """Note vertices that have themselves in their rows."""
        self._loops.append(vertices)

    def check_unchanged(self) -> None:
        """Raise InputError if the rows are not those that were checked; those in files of ours are."""

    def has(self, name: str) -> bool:
        """Whether there is a column of this name."""
        return name in self._names

    def loops(self, first: int, last: int) -> int:
        """How many of some rows hold their own vertex."""
        if self._base is not None:
            return self._base.loops(first, last)
        return sum(int(np.count_nonzero((each >= first) & (each < last))) for each in self._loops)

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
        raise NotImplementedError

    def column(self, name: str, begin: int, end: int) -> Streamed:
        """Some entries of a column."""
        raise NotImplementedError


class Stored(Rows):
    """Rows that are added one range after the other.

    Parameters
    ----------
    folder : Path
    name : str
    n : int
        Rows.
    most : int
        Entries, at most.
    base : Rows, optional
        Another section of the same graph, which has the same self-loops.
    """

    def __init__(self, folder: Path, name: str, n: int, most: int, base: Rows | None = None) -> None:
        super().__init__(np.zeros(n + 1, np.int32 if most <= INT32_MAX else np.int64), 0, base)
        self._table = Table(folder, f"section-{name}")

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
        """Add entries, whose rows are told another way."""
        col_idx = columns["head"]
        assert col_idx is not None
        self._table.write("head", col_idx)
        for name in VALUES:
            column = columns.get(name)
            if column is not None and name not in self._names:
                self._names.add(name)
                for begin in range(0, self.rows, STEP):  # multiplicities: those so far were 1
                    self._table.write(name, np.ones(min(STEP, self.rows - begin), column.dtype))
            if name in self._names:
                self._table.write(name, np.ones(len(col_idx), np.int32) if column is None else column)
        self.rows += len(col_idx)
        self._table.rows = self.rows

    def remove(self) -> None:
        """Remove the files."""
        self._table.remove()

    def _columns(self, begin: int, end: int) -> Columns:
        return self._table.read(begin, end - begin)

    def column(self, name: str, begin: int, end: int) -> Streamed:
        """Some entries of a column."""
        return on_disk(self._table.path(name), self._table.type_of(name), begin, end - begin)


def _from_zero(row_ptr: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The offsets of a shard's rows, in the type that is stored."""
    narrow = np.int32 if row_ptr[-1] - row_ptr[0] <= INT32_MAX else np.int64
    if row_ptr[0] == 0:
        return row_ptr.astype(narrow, copy=False)
    offsets: npt.NDArray[Any] = np.empty(len(row_ptr), narrow)
    return np.subtract(row_ptr, row_ptr[0], out=offsets, casting="unsafe")


def cut_shards(writer: Writer, name: str, stored: Rows, shard_edges: int) -> Section:
    """Write a section's shards."""
    row_ptr, made = stored.row_ptr, []
    for number, (first, last) in enumerate(cuts(row_ptr, shard_edges, 1 if name == "pairs" else BLOCK)):
        begin, end = int(row_ptr[first]), int(row_ptr[last])
        values = {each: stored.column(each, begin, end) for each in VALUES if stored.has(each)}
        made.append(
            writer.shard(
                name,
                number,
                first,
                _from_zero(row_ptr[first : last + 1]),
                stored.column("head", begin, end) if end > begin else np.empty(0, np.int32),
                values,
                loops=stored.loops(first, last),
            )
        )
    return summed(made)
