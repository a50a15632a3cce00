"""Arrow tables, a row for each edge; `clgraph.formats.arrow` keeps them in Parquet and Feather files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.attributes import Attributes
from clgraph.graph.building import Duplicates, Names
from clgraph.graph.exchange.common import library
from clgraph.graph.exchange.tables import EdgeTable, Ends, spelled

METADATA = b"clgraph"  # of the schema: {"directed": true}


class ArrowTable(EdgeTable):
    """Read and build edge tables of Arrow."""

    noun = "table"

    # looked up at each use, as modules cannot be pickled and attributes hold the adaptor
    @property
    def pa(self) -> Any:
        """The library; an InputError says how to install it."""
        return library("pyarrow", "arrow")

    @property
    def types(self) -> Any:
        """Its predicates on types of columns."""
        return self.pa.types

    def columns(self, table: Any) -> Iterable[tuple[str, Any]]:
        """Names and columns of a table."""
        return zip(table.column_names, table.columns, strict=True)

    def type(self, column: Any) -> Any:
        """The type of a column's values."""
        return column.type

    def kind(self, column: Any) -> str:
        """Kind of the values: "boolean", "integer", "number" or "string"."""
        if self.types.is_boolean(column.type):
            return "boolean"
        if self.types.is_integer(column.type):
            return "integer"
        return "number" if self.types.is_floating(column.type) else "string"

    def is_real(self, column: Any) -> bool:
        """True if its values are real numbers."""
        return self.kind(column) in ("integer", "number") or self.types.is_decimal(column.type)

    def missing(self, column: Any) -> Any:
        """Mask of the missing values; None if there are none."""
        return column.is_null().to_numpy() if column.null_count else None

    def floats(self, column: Any) -> npt.NDArray[np.float64]:
        """Real numbers without gaps as an array."""
        return column.cast(self.pa.float64(), safe=False).to_numpy()

    def integers(self, column: Any) -> npt.NDArray[Any]:
        """Whole numbers without gaps as an array."""
        return column.to_numpy()

    def _is_text(self, column: Any) -> bool:
        types, kind = self.types, column.type
        return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)

    def encoded(self, column: Any, where: str) -> tuple[Any, Any] | str:
        """Codes and distinct values of a column of objects without gaps; or a hint, if it holds no ids."""
        types, kind, text = self.types, column.type, self._is_text(column)
        if not len(column) and (text or types.is_dictionary(kind) or types.is_null(kind)):
            return np.empty(0, np.int32), np.empty(0, np.int64)
        if text:
            column = column.cast(self.pa.large_string()).dictionary_encode()
        if not types.is_dictionary(column.type):
            return "; cast it to pyarrow.int64()" if types.is_floating(kind) else ""
        whole = column.unify_dictionaries().combine_chunks()
        codes, distinct = whole.indices.to_numpy(), whole.dictionary
        if types.is_integer(distinct.type):
            return codes, distinct.to_numpy()
        return codes, np.array(distinct.to_pylist(), dtype=object)

    def joint_names(self, source: Any, target: Any) -> Ends | None:
        """Two columns of text as codes into one list of names; None if they are something else."""
        # a column without chunks cannot be combined into one
        if not (self._is_text(source) and self._is_text(target) and len(source)):
            return None
        text = self.pa.large_string()
        chunks = [chunk.cast(text) for column in (source, target) for chunk in column.chunks]
        whole = self.pa.chunked_array(chunks, text).dictionary_encode().combine_chunks()
        # sorted by the bytes of UTF-8, which is by code point: Python need not sort them again, and reads
        # them in the order of memory
        order = library("pyarrow.compute", "arrow").sort_indices(whole.dictionary)
        number = np.empty(len(order), np.int32)
        number[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
        codes, names = number[whole.indices.to_numpy()], whole.dictionary.take(order).to_pylist()
        return Names(codes[: len(source)], names), Names(codes[len(source) :], names)

    def chunked(self, values: Any) -> Any:
        """Convert whatever Arrow makes an array of to a column."""
        column = self.pa.array(values)
        return column if isinstance(column, self.pa.ChunkedArray) else self.pa.chunked_array([column])

    def take(self, values: Any, rows: npt.NDArray[Any]) -> Any:
        """The values of some rows; a missing value for each -1."""
        # a masked number takes nothing, and gives a missing value
        # (only where there is one: Arrow shares an array without a mask, and copies one with it)
        missing = rows < 0
        wanted = self.pa.array(rows, mask=missing if missing.any() else None)
        try:
            return values.take(wanted)
        except self.pa.ArrowNotImplementedError:  # of strings in views, for one
            return self.chunked(values.to_pylist()).take(wanted)

    def listed(self, values: Any) -> list[Any]:
        """A column's values as Python's; None for missing ones."""
        return values.to_pylist()

    def of(self, array: npt.NDArray[Any]) -> Any:
        """A column of an array of numbers, or of str objects."""
        return self.pa.array(array, self.pa.string() if array.dtype == object else None)

    def of_values(self, values: list[Any]) -> Any:
        """A column of Python's values, None for missing ones; of several types: as text."""
        try:
            return self.pa.array(values)
        except (self.pa.ArrowException, TypeError, ValueError, OverflowError):
            return self.pa.array([spelled(value) for value in values], self.pa.string())


def from_arrow(
    table: Any, used: tuple[Any, ...], directed: bool | None, duplicates: Duplicates, vertices: Any
) -> tuple[Arrays, Attributes | None]:
    """See `clgraph.Graph.from_arrow`."""
    tables = ArrowTable()
    table = checked(_as_table(tables.pa, table))
    if directed is None:
        directed = bool(noted_direction(table))
    more = None
    if vertices is not None:
        try:
            whole = tables.chunked(vertices)
            whole.validate(full=True)
            more = tables.ids(whole, "vertices")
        except (tables.pa.ArrowException, ValueError, TypeError, OverflowError) as error:
            raise InputError(f"vertices: {error}; ids are integers or strings") from error
    return tables.read(table, used, directed, duplicates, more)


def further_columns(table: Any, used: Sequence[Any]) -> Attributes | None:
    """The attributes of a table's edges: its columns but those used, the first two of which are the ids."""
    return ArrowTable().further(checked(table), used)


def plain_columns(table: Any, *names: Any) -> tuple[Any, ...]:
    """The rows of a table or batch as they are: ids, weights and counts; see `EdgeTable.plain`."""
    tables = ArrowTable()
    return tables.plain(checked(_as_table(tables.pa, table), names), names)


def _as_table(pa: Any, table: Any) -> Any:
    if isinstance(table, pa.Table):
        return table
    if isinstance(table, pa.RecordBatch):  # before its C stream, in which pyarrow 20 crashes on string views
        return pa.Table.from_batches([table])
    if hasattr(table, "__arrow_c_stream__"):
        try:
            return pa.table(table)
        except (pa.ArrowException, ValueError) as error:
            raise InputError(f"the table cannot be taken over by Arrow: {error}") from error
    raise InputError(
        f"an Arrow table is needed, or what speaks Arrow's C stream, not {type(table).__name__}: "
        "pyarrow.table({...}) makes one"
    )


def checked(table: Any, names: Iterable[str | None] | None = None) -> Any:
    """The table, after a full look at all columns or those of some names: offsets, dictionary indices, UTF-8.

    Damaged ones would send Arrow out of bounds.
    """
    pa = library("pyarrow", "arrow")
    wanted = set() if names is None else {name for name in names if isinstance(name, str)}
    try:
        own = table.column_names
    except UnicodeDecodeError as error:
        raise InputError(f"the table has a column whose name is no UTF-8 ({error}); rename it") from error
    for name, column in zip(own, table.columns, strict=True):
        if names is None or name in wanted:
            try:
                column.validate(full=True)
            except pa.ArrowException as error:
                raise InputError(f"column {name!r} is damaged: {error}; write the table again") from error
    return table


def noted_direction(table: Any) -> bool | None:
    """True if the table says that its graph is directed; None if it says nothing."""
    noted = (table.schema.metadata or {}).get(METADATA)
    if noted is None:
        return None
    try:
        says = json.loads(noted)["directed"]
    except (ValueError, KeyError, TypeError, RecursionError):
        says = None
    if not isinstance(says, bool):
        raise InputError(
            f"the table's metadata {METADATA.decode()!r} is {noted[:80]!r}, not as clgraph writes it: "
            "take it out (table.replace_schema_metadata())"
        )
    return says


def to_arrow(graph: Arrays, source: str, target: str, attributes: Attributes | None) -> Any:
    """See `clgraph.Graph.to_arrow`."""
    return edge_table(ArrowTable().made(graph, source, target, attributes), graph.directed)


def edge_table(columns: dict[str, Any], directed: bool) -> Any:
    """An edge table that says whether its graph is directed."""
    noted = {METADATA: json.dumps({"directed": directed}).encode()}
    return library("pyarrow", "arrow").table(columns).replace_schema_metadata(noted)
