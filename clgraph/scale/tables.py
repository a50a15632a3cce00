"""Edges and their ids while graph files are converted: on disk, numbered, dealt to ranges, sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from clgraph.errors import InputError
from clgraph.formats.clg import CHUNK as BYTES  # that are written at a time
from clgraph.formats.clg import Streamed, given
from clgraph.graph.arrays import Arrays
from clgraph.graph.building import INT32_MAX, check_count, sorted_rows

Column = npt.NDArray[Any]
Columns = dict[str, Column]
Lengths = npt.NDArray[Any]
Ids = npt.NDArray[np.int64]
STEP = 1 << 19  # rows that are in memory at a time: they stay in the cache
FINEST = 1024  # ranges that rows are dealt to at a time, about: with more, each gets a few rows of a part
DENSE = 1 << 27  # ids below this are always marked in a table of bytes ...
PER_ROW = 4  # ... or below this many times the number of rows
DIRECT = 1 << 24  # ids below this, or below `PER_ROW` times their number, are numbered by a table
CHUNK = 1 << 22  # marks that are looked at together


@dataclass(frozen=True)
class FileColumn:
    """Values of one type in a file, from the value `first` of the file on."""

    path: Path
    dtype: np.dtype[Any]
    first: int = 0

    def read(self, begin: int, count: int) -> Column:
        """Return some values."""
        found = np.fromfile(self.path, self.dtype, count, offset=(self.first + begin) * self.dtype.itemsize)
        if len(found) != count:
            raise InputError(
                f"{self.path}: it became shorter while it was read; convert again when it is complete"
            )
        return found

    def __getitem__(self, part: slice) -> Streamed:
        """Return some values, which are read as they are written."""
        count, step = part.stop - part.start, BYTES // self.dtype.itemsize

        def parts() -> Iterator[Column]:
            for at in range(0, count, step):
                yield self.read(part.start + at, min(step, count - at))

        return given(count, self.dtype, parts)


class Table:
    """Columns of one length, each in a file of its own; their types are those of what is appended first.

    `types` and `rows` are those of a table that is there already.
    """

    def __init__(
        self, folder: Path, name: str, types: Mapping[str, str] | None = None, rows: int = 0
    ) -> None:
        self._folder, self.name, self.rows = folder, name, rows
        self.columns: dict[str, FileColumn] = {}
        for each, kind in (types or {}).items():
            self._column(each, np.dtype(kind))

    @property
    def types(self) -> dict[str, np.dtype[Any]]:
        """The columns' types."""
        return {name: column.dtype for name, column in self.columns.items()}

    def _column(self, name: str, dtype: np.dtype[Any]) -> FileColumn:
        return self.columns.setdefault(name, FileColumn(self._folder / f"{self.name}.{name}", dtype))

    def append(self, columns: Mapping[str, Column]) -> None:
        """Add rows."""
        for name, column in columns.items():
            self.write(name, column)
        self.rows += len(next(iter(columns.values())))

    def write(self, name: str, column: Column) -> None:
        """Add values to a column alone."""
        known = self._column(name, column.dtype)
        assert known.dtype == column.dtype, (name, column.dtype)
        path = known.path
        try:
            with open(path, "ab") as file:
                file.write(np.ascontiguousarray(column).view(np.uint8).data)
        except OSError as error:
            raise InputError(
                f"cannot write {path}: {error.strerror or error}; choose a folder with room left"
            ) from error

    def parts(self, step: int = STEP) -> Iterator[Columns]:
        """Yield all rows, some at a time."""
        for first in range(0, self.rows, step):
            yield self.read(first, min(step, self.rows - first))

    def read(self, first: int = 0, count: int | None = None) -> Columns:
        """Return some rows."""
        count = self.rows - first if count is None else count
        return {name: column.read(first, count) for name, column in self.columns.items()}

    def remove(self) -> None:
        """Remove the files."""
        for column in self.columns.values():
            column.path.unlink(missing_ok=True)


class Dealt:
    """Rows of a graph dealt to ranges of vertices: what is added is sorted by range, and kept in a table.

    The vertices are those from `first` to `last`, in `wanted` ranges at least. `beside` has offsets of rows
    that `groups` counts, too: those that are sorted already.
    """

    def __init__(
        self, folder: Path, name: str, first: int, last: int, wanted: int, beside: Column | None = None
    ) -> None:
        self._folder, self._name, self._first, self._last = folder, name, first, last
        self._beside = beside
        count = max(1, min(wanted, last - first, FINEST))
        self._shift = max((last - first) // count, 1).bit_length() - 1
        self._count = -(-(last - first) >> self._shift)
        self._kind = np.uint8 if self._count <= 1 << 8 else np.uint16  # one byte is sorted in less time
        self._table = Table(folder, name)
        self._begins: list[npt.NDArray[np.int64]] = []  # of the ranges, in what was added at a time
        self._finer: list[Dealt] = []

    def sorted(self, columns: Columns) -> tuple[Columns, npt.NDArray[np.int64]]:
        """Return rows in order of their ranges, and how many there are of each; "row" has their vertices."""
        number: npt.NDArray[np.unsignedinteger[Any]]
        number = ((columns["row"] - np.int32(self._first)) >> self._shift).astype(self._kind)
        order = np.argsort(number, kind="stable")
        counts = np.bincount(number, minlength=self._count)
        return {name: column[order] for name, column in columns.items()}, counts

    def append(self, columns: Columns, counts: npt.NDArray[np.int64]) -> None:
        """Add what `sorted` gave."""
        begins = np.full(self._count + 1, self._table.rows, np.int64)
        begins[1:] += np.cumsum(counts)
        self._begins.append(begins)
        self._table.append(columns)

    def groups(self, most: int) -> Iterator[tuple[int, int, Callable[[], Columns]]]:
        """Yield ranges of vertices with at most `most` rows each, if more than one vertex has them.

        Yields (first vertex, last vertex + 1, what reads their rows), in order, without gaps.
        """
        counts = sum((np.diff(each) for each in self._begins), np.zeros(self._count, np.int64))
        total = since = 0
        begin = self._first
        for number, count in enumerate(counts.tolist()):
            first = self._first + (number << self._shift)
            last = min(first + (1 << self._shift), self._last)
            rows = count
            if self._beside is not None:
                rows += int(self._beside[last]) - int(self._beside[first])
            if number > since and total + rows > most:
                yield begin, first, partial(self._read, since, number)
                total, since, begin = 0, number, first
            if rows > most and last - first > 1:
                name, wanted = f"{self._name}-{number}", 4 * rows // most
                finer = Dealt(self._folder, name, first, last, wanted, self._beside)
                self._finer.append(finer)
                for at, end in self._places(number, number + 1):
                    for place in range(at, end, STEP):
                        finer.append(*finer.sorted(self._table.read(place, min(STEP, end - place))))
                yield from finer.groups(most)
                since, begin = number + 1, last
            else:
                total += rows
        if begin < self._last:
            yield begin, self._last, partial(self._read, since, self._count)

    def remove(self) -> None:
        """Remove the files."""
        self._table.remove()
        for each in self._finer:
            each.remove()

    def _places(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield where rows of some ranges begin and end, in order."""
        for begins in self._begins:
            if begins[first] < begins[last]:
                yield int(begins[first]), int(begins[last])

    def _read(self, first: int, last: int) -> Columns:
        found = [self._table.read(begin, end - begin) for begin, end in self._places(first, last)]
        if not found:
            return {"row": np.empty(0, np.int32), "head": np.empty(0, np.int32)}
        return {name: np.concatenate([each[name] for each in found]) for name in found[0]}


# --- ids ---


def _distinct(ids: Ids) -> Ids:
    """Return each value once, ascending; sorts in place. (NumPy's `unique` takes ten times as long.)"""
    ids.sort()
    keep = np.ones(len(ids), bool)
    np.not_equal(ids[1:], ids[:-1], out=keep[1:])
    return ids[keep]


def _marked(marks: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return the positions of the marks, as int32 if that will do."""
    kind, at = np.int32 if len(marks) <= INT32_MAX else np.int64, 0
    found: npt.NDArray[Any] = np.empty(np.count_nonzero(marks), kind)
    for begin in range(0, len(marks), CHUNK):
        some = np.flatnonzero(marks[begin : begin + CHUNK])
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
        """Add ids of some rows, all at least 0."""
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
        """Return the numbers of ids that have been added."""
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


# --- sorting, by SciPy, which sorts row by row ---


def merged(first: int, last: int, edges: Columns, n: int) -> Arrays:
    """Return rows `first` to `last` of a graph of `n` vertices, parallel edges merged as by `sorted_rows`."""
    row, head = edges["row"] - np.int32(first), edges["head"]
    if len(edges) == 2:
        made = _sorted(row, head, np.ones(len(head), np.int32), last - first, n)
        several = made.nnz < len(head)
        counts = made.data if several else None
        return Arrays(made.indptr, made.indices, multiplicity=counts, directed=True)
    weights, multiplicity = edges.get("weights"), edges.get("multiplicity")
    try:
        return sorted_rows(
            row, head, n, weights=weights, multiplicity=multiplicity, directed=True, rows=last - first
        )
    except InputError as error:
        raise InputError(f"{error} (vertices by number here, tails from {first} on)") from error


def by_row(first: int, last: int, edges: Columns, n: int) -> tuple[Lengths, Columns]:
    """Return the lengths of rows `first` to `last`, and their entries, sorted.

    No edge is there twice, but where there are ways: then the two arcs of a pair become one.
    """
    row, head = edges["row"] - np.int32(first), edges["head"]
    values = {name: column for name, column in edges.items() if name not in ("row", "head")}
    ways = values.pop("way", None)
    # where each entry was, if that is asked for; ways 1 and 2 add up to 3
    data = ways if ways is not None else np.arange(len(head)) if values else np.ones(len(head), np.int8)
    made = _sorted(row, head, data, last - first, n)
    found = {name: column[made.data] for name, column in values.items()}
    if ways is not None:
        found["way"] = made.data
    return np.diff(made.indptr), {"head": made.indices, **found}


def behind(counts: Lengths, found: Columns, own_counts: Lengths, own: Columns) -> tuple[Lengths, Columns]:
    """Return rows, by their lengths and entries, each with the one of `own` behind it."""
    lengths = np.column_stack((counts, own_counts)).ravel()
    own_places = np.repeat(np.arange(len(lengths)) % 2 == 1, lengths)
    places, whole = ~own_places, {}
    for name, column in own.items():
        whole[name] = np.empty(len(own_places), column.dtype)
        whole[name][places] = found.get(name, [])  # none of it where no arc came
        whole[name][own_places] = column
    return counts + own_counts, whole


def _sorted(row: Any, head: Any, data: Any, rows: int, n: int) -> Any:
    made = csr_array((data, (row, head)), shape=(rows, n))
    made.indices = made.indices.astype(np.int32, copy=False)
    return made
