"""Edge tables in Parquet and in Arrow's own files (.arrow, also known as Feather version 2).

Columns are named as by `Graph.to_arrow`, or as in edge lists with a header; a table without such names
has the source in its first column and the target in its second.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clgraph.errors import InputError
from clgraph.graph.aligned import aligned_empty
from clgraph.graph.exchange.arrow import METADATA, checked, noted_direction, plain_columns
from clgraph.graph.exchange.common import library, listed
from clgraph.graph.graph import Graph
from clgraph.graph.io.atomic import atomic_write
from clgraph.graph.io.common import Loaded, Options, counted, reading
from clgraph.graph.io.edges import SOURCE_NAMES, TARGET_NAMES, WEIGHT_NAMES, isolated_note
from clgraph.graph.io.packed import check_ratio

CELLS = 16  # bytes of a row in memory, at least: two ids


@dataclass(frozen=True)
class EdgeTable:
    """An Arrow table, of which the columns below have been checked, and what it says about its edges.

    Attributes
    ----------
    table : pyarrow.Table
    source, target : str
        Columns of ids.
    weight, multiplicity : str or None
        Those that are wanted and there.
    directed : bool
    told : str
        What is to be said of the rows.
    """

    table: Any
    source: str
    target: str
    weight: str | None
    multiplicity: str | None
    directed: bool
    told: str


def read_parquet(path: Path, options: Options) -> Loaded:
    """Read an edge table from a Parquet file (see `clgraph.read`)."""
    return _loaded(parquet_table(path, options), options)


def read_arrow(path: Path, options: Options) -> Loaded:
    """Read an edge table from an Arrow or Feather file (see `clgraph.read`)."""
    return _loaded(arrow_table(path, options), options)


def parquet_table(path: Path, options: Options) -> EdgeTable:
    """The edge table in a Parquet file."""
    parquet = parquet_library(path)

    def read_table() -> Any:
        with parquet.ParquetFile(str(path)) as file:
            check_ratio(path, CELLS * file.metadata.num_rows, path.stat().st_size, options.max_ratio)
        return parquet.read_table(str(path), page_checksum_verification=True)

    return _opened(path, options, read_table, "a Parquet")


def arrow_table(path: Path, options: Options) -> EdgeTable:
    """The edge table in an Arrow or Feather file.

    The file is read, not mapped: it may become shorter meanwhile (see `clgraph.graph.io.binary`).
    """
    pa = _pyarrow(path)

    def read_table() -> Any:
        with open(path, "rb") as file:
            data = aligned_empty(os.fstat(file.fileno()).st_size, np.uint8)
            if file.readinto(data.data) < len(data):
                raise InputError(
                    f"{path}: it became shorter while it was read; read it again when it is complete"
                )
        return pa.ipc.open_file(pa.BufferReader(pa.py_buffer(data))).read_all()

    return _opened(path, options, read_table, "an Arrow")


def parquet_parts(path: Path, options: Options, rows: int) -> tuple[bool, Iterator[tuple[Any, ...]]]:
    """The edges of a Parquet file, so many rows at a time.

    Returns
    -------
    directed : bool
    parts : iterator of (source, target, weights or None, multiplicity or None)
        Ids that are text are no arrays, but `Names`.
    """
    pa, parquet = _pyarrow(path), parquet_library(path)
    damaged = pa.ArrowException, ValueError, MemoryError, OverflowError, KeyError
    with reading(path):
        try:
            file = parquet.ParquetFile(str(path), page_checksum_verification=True)
            empty = file.schema_arrow.empty_table()
        except damaged as error:
            raise InputError(f"{path}: not a Parquet file, or damaged: {error}") from error
    source, target, weight = _columns(path, empty, options)
    noted = "multiplicity" in empty.column_names and METADATA in _noted(empty)
    counts = "multiplicity" if noted and options.duplicates != "keep" else None
    wanted = list(dict.fromkeys(name for name in (source, target, weight, counts) if name is not None))

    def parts() -> Iterator[tuple[Any, ...]]:
        with file, reading(path):
            try:
                for batch in file.iter_batches(rows, columns=wanted):
                    yield plain_columns(pa.Table.from_batches([batch]), source, target, weight, counts)
            except InputError:
                raise
            except damaged as error:
                raise InputError(f"{path}: damaged: {error}") from error

    return options.direction(noted_direction(empty)), parts()


def _pyarrow(path: Path) -> Any:
    try:
        return library("pyarrow", "arrow")
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def parquet_library(path: Path) -> Any:
    """pyarrow's module; an InputError that names the file where it is missing."""
    _pyarrow(path)
    return library("pyarrow.parquet", "arrow")


def _opened(path: Path, options: Options, read_table: Callable[[], Any], kind: str) -> EdgeTable:
    pa = _pyarrow(path)
    with reading(path):
        try:
            table = read_table()
            table.column_names  # noqa: B018 - which may be no UTF-8
        except InputError:
            raise
        except (pa.ArrowException, ValueError, MemoryError, OverflowError, KeyError) as error:
            raise InputError(f"{path}: not {kind} file, or damaged: {error}") from error
    source, target, weight = wanted = _columns(path, table, options)
    for name in wanted:
        if table.column_names.count(name) > 1:
            raise InputError(f"{path}: several columns {name!r}; rename all but one of them")
    checked(table, [source, target, weight, "multiplicity"])
    text = any(_is_text(pa, table, name) for name in (source, target))
    if options.ids == "str" and not text:
        for name in (source, target):
            at = table.column_names.index(name)
            try:
                table = table.set_column(at, name, table.column(at).cast(pa.string()))
            except pa.ArrowException as error:
                raise InputError(
                    f"{path}: column {name!r} holds {table.column(at).type} values: ids are integers or "
                    "strings"
                ) from error
    elif options.ids == "int" and text:
        raise InputError(
            f"{path}: the ids in columns {source!r} and {target!r} are text; read with ids='str'"
        )
    counts = "multiplicity" if "multiplicity" in table.column_names and METADATA in _noted(table) else None
    told = counted(table.num_rows, "row")
    unread = (
        None if options.weights else next((n for n in table.column_names if n.lower() in WEIGHT_NAMES), None)
    )
    if unread is not None:
        told += "; weights not read (use --weights)"
    left = {unread}
    if options.duplicates == "keep":
        left, counts = left | {counts}, None
    table = table.drop_columns([name for name in dict.fromkeys(table.column_names) if name in left])
    return EdgeTable(table, source, target, weight, counts, options.direction(noted_direction(table)), told)


def _loaded(edges: EdgeTable, options: Options) -> Loaded:
    graph = Graph.from_arrow(
        edges.table,
        edges.source,
        edges.target,
        edges.weight,
        multiplicity=edges.multiplicity,
        directed=edges.directed,
        duplicates=options.duplicates,
    )
    return Loaded(graph, edges.told)


def _noted(table: Any) -> dict[bytes, bytes]:
    return table.schema.metadata or {}


def _is_text(pa: Any, table: Any, name: str) -> bool:
    kind = table.schema.field(name).type
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _columns(path: Path, table: Any, options: Options) -> tuple[str, str, str | None]:
    """Names of the columns of source, target and, if asked for, weight."""
    names = table.column_names
    if len(names) < 2:
        raise InputError(f"{path}: an edge table has two columns of ids; this one has {listed(names)}")
    source, target, weight = (
        next((name for name in names if name.lower() in known), None)
        for known in (SOURCE_NAMES, TARGET_NAMES, WEIGHT_NAMES)
    )
    if source is None or target is None:
        source, target = names[:2]
    if not options.weights:
        return source, target, None
    if weight is None:
        rest = [name for name in names if name not in (source, target, "multiplicity")]
        if not rest:
            raise InputError(f"{path}: no column of weights among {listed(names)}; leave weights=True out")
        weight = rest[0]
    return source, target, weight


def write_parquet(graph: Graph, path: Path) -> list[str]:
    """Write an edge table to a Parquet file; returns notes on what it does not hold."""
    parquet = parquet_library(path)
    table = graph.to_arrow()
    with atomic_write(path) as file:
        parquet.write_table(table, file)
    return isolated_note(graph)


def write_arrow(graph: Graph, path: Path) -> list[str]:
    """Write an edge table to an Arrow file; returns notes on what it does not hold."""
    pa = _pyarrow(path)
    table = graph.to_arrow()
    with atomic_write(path) as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return isolated_note(graph)
