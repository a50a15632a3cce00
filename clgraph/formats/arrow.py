"""Edge tables in Parquet and in Arrow's own files (.arrow, also known as Feather version 2).

Columns are named as by `Graph.to_arrow`, or as in edge lists with a header; a table without such names
has the source in its first column and the target in its second.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write
from clgraph.formats.common import Loaded, Options, counted, few, fill, reading
from clgraph.formats.edges import WEIGHT_NAMES, named_columns
from clgraph.formats.packed import check_ratio, is_suspicious
from clgraph.graph.arrays import aligned_empty
from clgraph.graph.exchange.arrow import METADATA, checked, noted_direction, plain_columns
from clgraph.graph.exchange.common import library, listed
from clgraph.graph.graph import Graph

CELLS = 16  # bytes of a row in memory, at least: two ids
WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 12, "FLOAT": 4, "DOUBLE": 8}  # bytes of a value
BATCH = 1 << 20  # rows of a Parquet file with text that are read at a time
MAGIC = b"ARROW1"  # ends Arrow files
DICTIONARY = 2  # the type of a message that holds a dictionary


@dataclass(frozen=True)
class EdgeTable:
    """An Arrow table, of which the columns below have been checked, and what it says about its edges."""

    table: Any
    source: str
    target: str
    weight: str | None  # this and the next: if wanted and there
    multiplicity: str | None
    directed: bool
    unread: tuple[str, ...]  # a note on weights that are not read

    @property
    def rows(self) -> str:
        """Number of rows and unread weights, for a summary."""
        return "; ".join((counted(self.table.num_rows, "row"), *self.unread))


def parquet_table(path: Path, options: Options) -> EdgeTable:
    """The edge table in a Parquet file."""
    parquet = parquet_library(path)
    with _undamaged(path, "a Parquet") as pa:
        with parquet.ParquetFile(str(path)) as file:
            _check_parquet(path, file.metadata, options)
            schema, about = file.schema_arrow, file.metadata
            leaves = map(about.schema.column, range(about.num_columns))
            # text is read as dictionaries first: a page may repeat one long word millions of times
            text = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
        with parquet.ParquetFile(str(path), read_dictionary=text, page_checksum_verification=True) as file:
            if text and _may_be_long(path, file, text, options):
                table = pa.Table.from_batches(_spelled(path, file, schema, options), schema)
            else:
                table = parquet.read_table(str(path), page_checksum_verification=True)
    return _edge_table(path, table, options)


def arrow_table(path: Path, options: Options) -> EdgeTable:
    """The edge table in an Arrow or Feather file.

    The file is read, not mapped: it may become shorter meanwhile (see `clgraph.formats.clg`).
    """
    with _undamaged(path, "an Arrow") as pa, open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = aligned_empty(size, np.uint8)
        fill(path, file.fileno(), data.data, 0, size)
        # before pyarrow makes room for what the buffers say they unpack to
        check_ratio(path, size + _unpacked(data.data), size, options.max_ratio)
        table = pa.ipc.open_file(pa.BufferReader(pa.py_buffer(data))).read_all()
        check_ratio(path, CELLS * table.num_rows, size, options.max_ratio)
    return _edge_table(path, table, options)


@contextmanager
def _undamaged(path: Path, kind: str) -> Iterator[Any]:
    """Give pyarrow, and turn its errors within the block into an InputError that names the file."""
    pa = _pyarrow(path)
    with reading(path):
        try:
            yield pa
        except InputError:
            raise
        except (pa.ArrowException, ValueError, MemoryError, OverflowError, KeyError, struct.error) as error:
            raise InputError(f"{path}: not {kind} file, or damaged: {error}") from error


def _check_parquet(path: Path, about: Any, options: Options) -> None:
    """Raise InputError where the columns of a Parquet file are suspiciously long for its size."""
    # not by column chunk: at some damaged ones pyarrow 26 ends the process (it lets an exception through)
    leaves = [about.schema.column(column) for column in range(about.num_columns)]
    groups = [about.row_group(group) for group in range(about.num_row_groups)]
    rows = max(about.num_rows, sum(group.num_rows for group in groups))
    values = rows * sum(WIDTHS.get(leaf.physical_type, leaf.length) for leaf in leaves)
    pages = sum(group.total_byte_size for group in groups)
    most = max(CELLS * rows, values, pages)
    check_ratio(path, most, path.stat().st_size, options.max_ratio)


def _may_be_long(path: Path, file: Any, text: list[str], options: Options) -> bool:
    """True if the text of a Parquet file could be suspiciously long: all of it as long as the longest word.

    The words of a group of rows are at its beginning, once each.
    """
    pa, compute, total = _pyarrow(path), library("pyarrow.compute", "arrow"), 0
    for group in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(group).num_rows
        for batch in islice(file.iter_batches(1, row_groups=[group], columns=text), 1):
            for column in batch.columns:
                if pa.types.is_dictionary(column.type):  # not in lists
                    lengths = compute.binary_length(column.dictionary)
                    total += rows * (compute.max(lengths).as_py() or 0)
    return is_suspicious(total, path.stat().st_size, options.max_ratio)


def _spelled(path: Path, file: Any, schema: Any, options: Options) -> Iterator[Any]:
    """The batches of a Parquet file whose text is read as dictionaries, as plain columns.

    A page may say one long text for each of millions of rows: how much that is, is known before it is made.
    """
    pa, compute = _pyarrow(path), library("pyarrow.compute", "arrow")
    total = 0
    for batch in file.iter_batches(BATCH):
        for column in batch.columns:
            if pa.types.is_dictionary(column.type):
                lengths = compute.binary_length(column.dictionary).take(column.indices)
                total += compute.sum(lengths).as_py() or 0
            else:
                total += column.nbytes
        check_ratio(path, total, path.stat().st_size, options.max_ratio)
        columns = [each.cast(field.type) for each, field in zip(batch.columns, schema, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)


def _unpacked(data: memoryview) -> int:
    """Return how many bytes the compressed buffers of an Arrow file unpack to: each begins with that.

    The footer lists the messages, and each message, a flatbuffer, its buffers (Arrow's Footer.fbs and
    Message.fbs). Nothing else says it before pyarrow makes room for them.
    """
    if bytes(data[-len(MAGIC) :]) != MAGIC:
        return 0  # pyarrow says so

    def number(kind: str, at: int) -> int:
        return int(struct.unpack_from("<" + kind, data, at)[0])

    def field(table: int, place: int) -> int:
        """Return the position of a table's field; 0 if it has none."""
        known = table - number("i", table)
        offset = number("H", known + 4 + 2 * place) if 4 + 2 * place < number("H", known) else 0
        return table + offset if offset else 0

    def inner(table: int, place: int) -> int:
        """Return the position of the table or vector that a field leads to; 0 if there is none."""
        at = field(table, place)
        return at + number("I", at) if at else 0

    def structs(table: int, place: int, size: int) -> range:
        at = inner(table, place)
        return range(at + 4, at + 4 + size * number("I", at), size) if at else range(0)

    end = len(data) - len(MAGIC) - 4
    footer = end - number("i", end)
    footer += number("I", footer)
    total = 0
    for at in chain(structs(footer, 2, 24), structs(footer, 3, 24)):
        begin = number("q", at)
        body = begin + number("i", at + 8)
        begin += 8 if number("I", begin) == 0xFFFFFFFF else 4
        message = begin + number("I", begin)
        batch = inner(message, 2)
        if number("B", field(message, 1)) == DICTIONARY:
            batch = inner(batch, 1)
        if not inner(batch, 3):  # not compressed
            continue
        for buffer in structs(batch, 2, 16):
            if number("q", buffer + 8):
                total += max(number("q", body + number("q", buffer)), 0)
    return total


def parquet_parts(
    path: Path, options: Options, rows: int
) -> tuple[bool, Iterator[tuple[Any, ...]], list[str]]:
    """Return whether a Parquet file says directed, its edges, `rows` at a time, and what is not read.

    Edges are sources, targets, weights and multiplicities or None; ids that are text are no arrays, but
    `Names`.
    """
    parquet = parquet_library(path)
    with _undamaged(path, "a Parquet"):
        file = parquet.ParquetFile(str(path), page_checksum_verification=True)
        _check_parquet(path, file.metadata, options)
        empty = file.schema_arrow.empty_table()
    edges = _edge_table(path, empty, options)
    columns = edges.source, edges.target, edges.weight, edges.multiplicity
    wanted = list(dict.fromkeys(name for name in columns if name is not None))

    def parts() -> Iterator[tuple[Any, ...]]:
        with file, _undamaged(path, "a Parquet"):
            for batch in file.iter_batches(rows, columns=wanted):
                yield plain_columns(batch, *columns)

    further = [name for name in edges.table.column_names if name not in wanted]
    left = [f"left out: {', '.join(few(further))}"] if further else []
    return edges.directed, parts(), [*edges.unread, *left]


def _pyarrow(path: Path) -> Any:
    try:
        return library("pyarrow", "arrow")
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def parquet_library(path: Path) -> Any:
    """pyarrow's module; an InputError that names the file where it is missing."""
    _pyarrow(path)
    return library("pyarrow.parquet", "arrow")


def _edge_table(path: Path, table: Any, options: Options) -> EdgeTable:
    pa = _pyarrow(path)
    with _undamaged(path, "an Arrow"):
        table.column_names  # noqa: B018 - which may be no UTF-8
    source, target, weight = columns_of(path, table.column_names, options.weights)
    checked(table, [source, target, weight, "multiplicity"])
    for column in (table.column(name) for name in (source, target)):
        if pa.types.is_string_view(column.type):  # rows may share their bytes
            views = (np.frombuffer(chunk.buffers()[1], "<i4")[4 * chunk.offset :] for chunk in column.chunks)
            total = sum(int(view[: 4 * len(column) : 4].sum(dtype=np.int64)) for view in views)
            check_ratio(path, total, path.stat().st_size, options.max_ratio)
    kinds = [table.schema.field(name).type for name in (source, target)]
    kinds = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in kinds]
    known = pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view
    text = any(is_text(kind) for kind in kinds for is_text in known)
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
    # a column of another tool's that is called so need not hold counts
    noted = "multiplicity" in table.column_names and METADATA in (table.schema.metadata or {})
    counts = "multiplicity" if noted and options.duplicates != "keep" else None
    weights = [name for name in table.column_names if name.lower() in WEIGHT_NAMES and not options.weights]
    left = {*weights[:1], *(["multiplicity"] if noted and counts is None else [])}
    table = table.drop_columns([name for name in dict.fromkeys(table.column_names) if name in left])
    directed = options.direction(noted_direction(table))
    unread = ("weights not read (use --weights)",) if weights else ()
    return EdgeTable(table, source, target, weight, counts, directed, unread)


def _read(table_of: Callable[[Path, Options], EdgeTable], path: Path, options: Options) -> Loaded:
    """Read an edge table from a file (see `clgraph.read`)."""
    edges = table_of(path, options)
    graph = Graph.from_arrow(
        edges.table,
        edges.source,
        edges.target,
        edges.weight,
        multiplicity=edges.multiplicity,
        directed=edges.directed,
        duplicates=options.duplicates,
    )
    return Loaded(graph, edges.rows)


read_parquet, read_arrow = partial(_read, parquet_table), partial(_read, arrow_table)


def columns_of(where: str | Path, names: list[Any], weighted: bool) -> tuple[str, str, str | None]:
    """Return the names of the columns of source, target and, if asked for, weight."""
    if len(names) < 2:
        raise InputError(f"{where}: an edge table has two columns of ids; this one has {listed(names)}")
    source, target, weight = (None if i is None else names[i] for i in named_columns(names))
    if source is None or target is None:
        source, target = names[:2]
    if not weighted:
        weight = None
    elif weight is None:
        # a column of counts holds no weights
        rest = [name for name in names if name not in (source, target, "multiplicity")]
        if not rest:
            raise InputError(f"{where}: no column of weights among {listed(names)}; leave weights=True out")
        weight = rest[0]
    for name in (source, target, weight):
        if names.count(name) > 1:
            raise InputError(f"{where}: several columns {name!r}; rename all but one of them")
    return source, target, weight


def write_parquet(graph: Graph, path: Path) -> None:
    """Write an edge table to a Parquet file."""
    parquet = parquet_library(path)
    table = graph.to_arrow()
    with atomic_write(path) as file:
        parquet.write_table(table, file)


def write_arrow(graph: Graph, path: Path) -> None:
    """Write an edge table to an Arrow file."""
    pa = _pyarrow(path)
    table = graph.to_arrow()
    with atomic_write(path) as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
