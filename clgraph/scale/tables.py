"""Tables of edges on disk: columns that are appended to, read in pieces, and dealt by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError

Column = npt.NDArray[Any]
Columns = dict[str, Column]
STEP = 1 << 22  # rows that are in memory at a time
FINEST = 1024  # tables that one is dealt to at a time


def tails_between(row_ptr: Column, begin: int, end: int) -> npt.NDArray[np.int32]:
    """The rows of the entries from `begin` to `end`."""
    first = int(np.searchsorted(row_ptr, begin, side="right")) - 1
    last = int(np.searchsorted(row_ptr, end, side="left"))
    lengths = np.diff(np.clip(row_ptr[first : last + 1], begin, end))
    return np.repeat(np.arange(first, last, dtype=np.int32), lengths)


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
    """Rows of a graph dealt to tables by ranges of vertices.

    Parameters
    ----------
    folder : Path
    name : str
    first, last : int
        The vertices.
    wanted : int
        How many ranges.
    """

    def __init__(self, folder: Path, name: str, first: int, last: int, wanted: int) -> None:
        self._folder, self._name, self._first, self._last = folder, name, first, last
        count = max(1, min(wanted, last - first, FINEST))
        self._width = -(-(last - first) // count)
        count = -(-(last - first) // self._width)
        self._tables = [Table(folder, f"{name}-{number}") for number in range(count)]

    def add(self, columns: Columns) -> None:
        """Add rows; the column "row" says to which vertex each belongs. Of a range they stay in order."""
        number = ((columns["row"].astype(np.int64) - self._first) // self._width).astype(np.uint16)
        order = np.argsort(number, kind="stable")
        ends = np.cumsum(np.bincount(number, minlength=len(self._tables)))
        sorted_columns = {name: column[order] for name, column in columns.items()}
        begin = 0
        for table, end in zip(self._tables, ends.tolist(), strict=True):
            if end > begin:
                table.append({name: column[begin:end] for name, column in sorted_columns.items()})
            begin = end

    def groups(self, most: int) -> Iterator[tuple[int, int, list[Table]]]:
        """Ranges of vertices with at most so many rows each, if more than one vertex has them.

        Yields (first vertex, last vertex + 1, tables), in order, without gaps.
        """
        held: list[Table] = []
        begin = first = self._first
        for number, table in enumerate(self._tables):
            last = min(first + self._width, self._last)
            if held and sum(each.rows for each in held) + table.rows > most:
                yield begin, first, held
                held, begin = [], first
            if table.rows > most and last - first > 1:
                finer = Dealt(self._folder, f"{self._name}-{number}", first, last, 4 * table.rows // most)
                for part in table.parts(min(STEP, most)):
                    finer.add(part)
                table.remove()
                yield from finer.groups(most)
                begin = last
            else:
                held.append(table)
            first = last
        if begin < self._last:
            yield begin, self._last, held
