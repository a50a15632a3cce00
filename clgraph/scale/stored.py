"""Rows of a section on disk while graph files are converted: added range by range, cut into shards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph.io.binary import OnDisk
from clgraph.scale.cut import cuts
from clgraph.scale.manifest import BLOCK, Section
from clgraph.scale.tables import STEP, Columns, Table, tails_between
from clgraph.scale.writing import Writer, summed

VALUES = ("weights", "multiplicity", "way")


def turned(name: str, base: Stored) -> Iterator[Columns]:
    """The base's rows as another section wants them dealt."""
    for tail, part in base.parts():
        head = part.pop("head")
        if name == "in":
            yield {"row": head, "head": tail, **part}
        elif name == "pairs":
            way = np.where(tail == head, 3, np.where(tail < head, 1, 2)).astype(np.uint8)
            yield {"row": np.minimum(tail, head), "head": np.maximum(tail, head), "way": way}
        else:
            apart = tail != head
            yield {"row": tail, "head": head, **part}
            back = {each: column[apart] for each, column in part.items()}
            yield {"row": head[apart], "head": tail[apart], **back}


class Stored:
    """The rows of a section in long files.

    Attributes
    ----------
    rows : int
        Entries.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._table = Table(folder, f"section-{name}")
        self._counts: list[npt.NDArray[np.int32]] = []
        self._loops: list[npt.NDArray[np.bool_]] = []
        self._names: set[str] = set()
        self.rows = 0

    def add(
        self, row_ptr: npt.NDArray[Any], col_idx: npt.NDArray[np.int32], first: int, values: dict[str, Any]
    ) -> None:
        """Add the rows that follow, the first of them of vertex `first`."""
        counts = np.diff(row_ptr)
        tails = np.repeat(np.arange(first, first + len(counts), dtype=np.int32), counts)
        loops = np.zeros(len(counts), bool)
        loops[tails[tails == col_idx] - first] = True
        self._counts.append(counts.astype(np.int32))
        self._loops.append(loops)
        self._table.write("head", col_idx)
        for name in VALUES:
            column = values.get(name)
            if column is not None and name not in self._names:
                self._names.add(name)
                for begin in range(0, self.rows, STEP):  # multiplicities: those so far were 1
                    self._table.write(name, np.ones(min(STEP, self.rows - begin), column.dtype))
            if name in self._names:
                self._table.write(name, np.ones(len(col_idx), np.int32) if column is None else column)
        self.rows += len(col_idx)
        self._table.rows = self.rows

    def has(self, name: str) -> bool:
        """Whether there is a column of this name."""
        return name in self._names

    def offsets(self) -> npt.NDArray[np.int64]:
        """Where each row begins, and the number of entries."""
        row_ptr, at = np.zeros(sum(map(len, self._counts)) + 1, np.int64), 1
        for counts in self._counts:
            row_ptr[at : at + len(counts)] = counts
            at += len(counts)
        return np.cumsum(row_ptr, out=row_ptr)

    def loops(self) -> npt.NDArray[np.bool_]:
        """Which rows hold their own vertex."""
        return np.concatenate([np.empty(0, bool), *self._loops])

    def parts(self) -> Iterator[tuple[npt.NDArray[np.int32], Columns]]:
        """Tails, and the other columns, so many entries at a time."""
        row_ptr = self.offsets()
        for begin in range(0, self.rows, STEP):
            end = min(begin + STEP, self.rows)
            yield tails_between(row_ptr, begin, end), self._table.read(begin, end - begin)

    def column(self, name: str, begin: int, end: int) -> OnDisk:
        """Some entries of a column."""
        return OnDisk(self._table.path(name), self._table.type_of(name), begin, end - begin)


def _from_zero(row_ptr: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
    """The offsets of a shard's rows, in the type that is stored."""
    narrow = np.int32 if row_ptr[-1] - row_ptr[0] < 2**31 else np.int64
    offsets: npt.NDArray[Any] = np.empty(len(row_ptr), narrow)
    return np.subtract(row_ptr, row_ptr[0], out=offsets, casting="unsafe")


def cut_shards(writer: Writer, name: str, stored: Stored, shard_edges: int) -> Section:
    """Write a section's shards."""
    row_ptr, loops, made = stored.offsets(), stored.loops(), []
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
                loops=int(np.count_nonzero(loops[first:last])),
            )
        )
    return summed(made)
