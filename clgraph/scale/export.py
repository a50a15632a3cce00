"""Datasets of shards written as one graph file, some rows at a time: the bytes of the graph in memory.

Memory holds the ids, the offsets of a shard (for .clg those of all rows), and a few hundred thousand entries.
Edge lists and Parquet are made of the pairs, or of the arcs by tail, .clg of all rows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import file_name
from clgraph.files.summary import naming_output, size_text, write_with_summary, written_text
from clgraph.formats.arrow import parquet_library
from clgraph.formats.atomic import atomic_write
from clgraph.formats.cells import cells, id_cells, weight_cells, write_cells, writing
from clgraph.formats.clg import Header, Streamed, given, id_arrays, write_sections
from clgraph.formats.common import counted
from clgraph.formats.edges import has_commas, head_of, name_in
from clgraph.formats.table import find_format
from clgraph.graph.building import INT32_MAX
from clgraph.graph.exchange.arrow import ArrowTable, edge_table
from clgraph.progress import Tell
from clgraph.scale.shards import ShardRows, Shards
from clgraph.scale.writing import join_shards
from clgraph.system import ahead

STEP = 1 << 18  # entries that are in memory at a time; a longer row is whole
ROW_GROUP = 1 << 20  # rows of a group in a Parquet file, as pyarrow writes it
Cells = npt.NDArray[Any]


def write_joined(
    shards: Shards, path: str | os.PathLike[str], *, format: str | None = None, progress: Tell | None = None
) -> str:
    """Write a dataset as a graph file, and say what was written; other formats are written from memory.

    So are edge lists, Parquet and .clg of a dataset without the section that has the rows.
    """
    file = file_name(path)
    kind = find_format(file, format).name
    base = "out" if shards.directed else "pairs"
    name, write = {
        "edges": (base, _write_edges),
        "parquet": (base, _write_parquet),
        "clg": ("out" if shards.directed else "rows", _write_binary),
    }.get(kind, ("", None))
    if write is None or name not in shards.manifest.sections:
        return write_with_summary(join_shards(shards), path, format=format, progress=progress)
    with naming_output(path):
        notes = write(_Entries(shards, name, progress), file)
    size = size_text(shards.directed, shards.manifest.weights, shards.num_vertices, shards.num_edges)
    return written_text(path, size, notes)


class _Entries:
    """The rows of a section, some at a time, and what was seen of them."""

    def __init__(self, shards: Shards, name: str, progress: Tell | None) -> None:
        self.shards, self.section, self.name = shards, shards.section(name), name
        self._progress = progress
        self.weighted, self.counted = shards.manifest.weights, shards.manifest.multiplicity
        self._touched = np.zeros(shards.num_vertices, bool)
        self._extra = 0

    def parts(self) -> Iterator[ShardRows]:
        """Yield all rows, some at a time."""
        done = 0
        for number in range(len(self.section.shards)):
            for rows in self.shards.parts(self.name, number, STEP):
                yield rows
                done += len(rows.col_idx)
                if self._progress is not None:
                    self._progress(done, self.section.edges)

    def edges(self) -> Iterator[tuple[ShardRows, npt.NDArray[np.int32]]]:
        """Yield all rows, with the tails of their entries."""
        for rows in self.parts():
            lengths = np.diff(rows.row_ptr)
            first = rows.first_row
            tails = np.repeat(np.arange(first, first + len(lengths), dtype=np.int32), lengths)
            self._touched[first : first + len(lengths)] |= lengths > 0
            self._touched[rows.col_idx] = True
            if "multiplicity" in rows.values:
                self._extra += int(rows.values["multiplicity"].sum(dtype=np.int64)) - len(tails)
            yield rows, tails

    def lost(self, *, counts: bool) -> list[str]:
        """Return notes on what a list of these edges lacks; `counts` if it has multiplicities."""
        isolated = len(self._touched) - int(np.count_nonzero(self._touched))
        notes = [f"{counted(isolated, 'vertex', 'vertices')} without edges left out"] if isolated else []
        if self.counted and not counts:
            notes.append(f"{self._extra} merged parallel edges written once")
        return notes

    def column(self, name: str, dtype: Any) -> Streamed | None:
        """Return a column of all entries."""
        if name != "col_idx" and not getattr(self.shards.manifest, name):
            return None

        def parts() -> Iterator[npt.NDArray[Any]]:
            for rows in self.parts():
                known = {"col_idx": rows.col_idx, **rows.values}
                yield known[name] if name in known else np.ones(len(rows.col_idx), dtype)

        return given(self.section.edges, np.dtype(dtype), parts)


def _write_edges(entries: _Entries, path: Path) -> list[str]:
    """`clgraph.formats.edges.write_edges`."""
    shards, comma = entries.shards, has_commas(path)
    separator = b"," if comma else b"\t"
    end = separator if entries.weighted else b"\n"
    ids, identity = shards.ids, shards.manifest.ids is None
    text: dict[bytes, Cells] = {}
    if ids.dtype == object:
        text = {mark: id_cells(shards.named, mark, partial(name_in, path)) for mark in {separator, end}}

    def spelt(index: npt.NDArray[Any], mark: bytes) -> Cells:
        if text:
            return text[mark][index]
        return cells(index if identity else ids[index], mark)

    def columns(rows: ShardRows, tails: npt.NDArray[np.int32]) -> list[Cells]:
        lengths, first = np.diff(rows.row_ptr), rows.first_row
        some = spelt(np.arange(first, first + len(lengths)), separator)
        found = [np.repeat(some, lengths, axis=0), spelt(rows.col_idx, end)]
        return [*found, weight_cells(rows.values["weights"], b"\n")] if entries.weighted else found

    with writing(path) as file:
        file.write(head_of(path, entries.weighted, shards.num_edges))
        for found in ahead(columns, entries.edges()):
            if len(found[0]):
                write_cells(file, *found)
    return entries.lost(counts=False)


def _write_parquet(entries: _Entries, path: Path) -> list[str]:
    """`clgraph.formats.arrow.write_parquet`."""
    shards, parquet = entries.shards, parquet_library(path)
    from pyarrow import concat_tables  # type: ignore[import-untyped]

    def table(*columns: Any) -> Any:
        return edge_table(ArrowTable().edge_columns(shards.own_ids(), columns), shards.directed)

    none: npt.NDArray[np.int32] = np.empty(0, np.int32)
    left = table(none, none, np.empty(0) if entries.weighted else None, none if entries.counted else None)
    with atomic_write(path) as file, parquet.ParquetWriter(file, left.schema) as writer:
        for rows, tails in entries.edges():
            counts = rows.values.get("multiplicity")
            if entries.counted and counts is None:
                counts = np.ones(len(tails), np.int32)
            weights = rows.values.get("weights")
            left = concat_tables([left, table(tails, rows.col_idx, weights, counts)])
            # in one piece, as pyarrow writes a table: how values are cut into chunks shows in the bytes
            while left.num_rows >= ROW_GROUP:
                writer.write_table(left.slice(0, ROW_GROUP).combine_chunks(), ROW_GROUP)
                left = left.slice(ROW_GROUP)
        if left.num_rows or not entries.section.edges:
            writer.write_table(left.combine_chunks(), ROW_GROUP)
    return entries.lost(counts=True)


def _write_binary(entries: _Entries, path: Path) -> list[str]:
    """`clgraph.formats.clg.write_clg`."""
    shards, section, n = entries.shards, entries.section, entries.shards.num_vertices
    offset = np.int32 if section.edges <= INT32_MAX else np.int64
    row_ptr: npt.NDArray[Any] = np.zeros(n + 1, offset)
    for number, shard in enumerate(section.shards):
        first, last = shard.first_row, shard.first_row + shard.rows
        row_ptr[first : last + 1] = shards.offsets(entries.name, number)
        row_ptr[first : last + 1] += shard.first_edge
    arrays: dict[str, Any] = {
        "row_ptr": row_ptr,
        "col_idx": entries.column("col_idx", np.int32),
        "weights": entries.column("weights", np.float64),
        "multiplicity": entries.column("multiplicity", np.int32),
    }
    if shards.manifest.ids is not None:
        arrays |= id_arrays(shards.ids, path)
    with atomic_write(path) as file:
        write_sections(file, Header(shards.directed, n, section.edges, section.loops, {}), arrays)
    return []
