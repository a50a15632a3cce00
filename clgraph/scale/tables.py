"""Tables of edges on disk: columns that are appended to, read in pieces, and dealt by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError

Column = npt.NDArray[Any]
Columns = dict[str, Column]
STEP = 1 << 19  # rows that are in memory at a time: they stay in the cache
FINEST = 1024  # ranges that rows are dealt to at a time, about: with more, each gets a few rows of a part


class Table:
    """Columns of one length, each in a file of its own; their types are those of what is appended first.

    Parameters
    ----------
    folder : Path
    name : str

    Attributes
    ----------
    rows : int
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._types: dict[str, np.dtype[Any]] = {}
        self.rows = 0

    @staticmethod
    def known(folder: Path, name: str, types: dict[str, str], rows: int) -> Table:
        """The table that had these `facts`."""
        found = Table(folder, name)
        found._types, found.rows = {each: np.dtype(kind) for each, kind in types.items()}, rows
        return found

    def facts(self) -> dict[str, object]:
        """What `known` needs."""
        types = {name: dtype.str for name, dtype in self._types.items()}
        return {"name": self._name, "types": types, "rows": self.rows}

    def takes(self, columns: Mapping[str, Column]) -> bool:
        """Whether `append` does."""
        return {name: column.dtype for name, column in columns.items()} == self._types

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(sorted(self._types))

    def type_of(self, column: str) -> np.dtype[Any]:
        """The type of a column's values."""
        return self._types[column]

    def path(self, column: str) -> Path:
        """A column's file."""
        return self._folder / f"{self._name}.{column}"

    def paths(self) -> list[Path]:
        """All files."""
        return [self.path(name) for name in self._types]

    def append(self, columns: Mapping[str, Column]) -> None:
        """Add rows."""
        for name, column in columns.items():
            self._types.setdefault(name, column.dtype)
            assert self._types[name] == column.dtype, (name, column.dtype)
            self.write(name, column)
        self.rows += len(next(iter(columns.values())))

    def write(self, name: str, column: Column) -> None:
        """Add values to a column alone."""
        self._types.setdefault(name, column.dtype)
        path = self.path(name)
        try:
            with open(path, "ab") as file:
                file.write(np.ascontiguousarray(column).view(np.uint8).data)
        except OSError as error:
            raise InputError(
                f"cannot write {path}: {error.strerror or error}; choose a folder with room left"
            ) from error

    def parts(self, step: int = STEP) -> Iterator[Columns]:
        """All rows, so many at a time."""
        for first in range(0, self.rows, step):
            yield self.read(first, min(step, self.rows - first))

    def read(self, first: int = 0, count: int | None = None) -> Columns:
        """Some rows."""
        count = self.rows - first if count is None else count
        found: Columns = {}
        for name, dtype in self._types.items():
            found[name] = np.fromfile(self.path(name), dtype, count, offset=first * dtype.itemsize)
            if len(found[name]) != count:
                raise InputError(f"{self.path(name)}: became shorter; begin again")
        return found

    def remove(self) -> None:
        """Remove the files."""
        for name in self._types:
            self.path(name).unlink(missing_ok=True)


class Dealt:
    """Rows of a graph dealt to ranges of vertices: what is added is sorted by range, and kept in a table.

    Parameters
    ----------
    folder : Path
    name : str
    first, last : int
        The vertices.
    wanted : int
        How many ranges, at least, if there are so many vertices.
    beside : int array, shape (n + 1,), optional
        Offsets of rows that `groups` counts, too: what has been sorted already.
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
        """Rows in order of their ranges, and how many there are of each; "row" says whose each one is."""
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
        """Ranges of vertices with at most so many rows each, if more than one vertex has them.

        Yields (first vertex, last vertex + 1, what reads their rows), in order, without gaps.
        """
        counts = sum((np.diff(each) for each in self._begins), np.zeros(self._count, np.int64))
        held = since = 0
        begin = self._first
        for number, count in enumerate(counts.tolist()):
            first = self._first + (number << self._shift)
            last = min(first + (1 << self._shift), self._last)
            rows = count + self._rows_beside(first, last)
            if number > since and held + rows > most:
                yield begin, first, partial(self._read, since, number)
                held, since, begin = 0, number, first
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
                held += rows
        if begin < self._last:
            yield begin, self._last, partial(self._read, since, self._count)

    def remove(self) -> None:
        """Remove the files."""
        self._table.remove()
        for each in self._finer:
            each.remove()

    def _places(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Where rows of some ranges begin and end, in order."""
        for begins in self._begins:
            if begins[first] < begins[last]:
                yield int(begins[first]), int(begins[last])

    def _read(self, first: int, last: int) -> Columns:
        found = [self._table.read(begin, end - begin) for begin, end in self._places(first, last)]
        if not found:
            return {"row": np.empty(0, np.int32), "head": np.empty(0, np.int32)}
        return {name: np.concatenate([each[name] for each in found]) for name in found[0]}

    def _rows_beside(self, first: int, last: int) -> int:
        return 0 if self._beside is None else int(self._beside[last]) - int(self._beside[first])
