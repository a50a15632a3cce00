"""Arrow tables, a row for each edge; `clgraph.formats.arrow` keeps them in Parquet and Feather files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.attributes import Attributes
from clgraph.graph.building import Duplicates
from clgraph.graph.exchange.carried import (
    Ids,
    Names,
    into_arrow,
    missing,
    names_or_numbers,
    of_arrow,
    rows_of_columns,
)
from clgraph.graph.exchange.common import library, listed

METADATA = b"clgraph"  # of the schema: {"directed": true}


def from_arrow(
    table: Any,
    source: str,
    target: str,
    weight: str | None,
    *,
    multiplicity: str | None,
    directed: bool | None,
    duplicates: Duplicates,
    vertices: Any,
) -> tuple[Arrays, Attributes | None]:
    """See `clgraph.Graph.from_arrow`."""
    pa = library("pyarrow", "arrow")
    table = _as_table(pa, table)
    used = source, target, weight, multiplicity
    checked(table, used)
    if directed is None:
        directed = bool(noted_direction(table))
    more = None
    if vertices is not None:
        try:
            whole = pa.chunked_array([pa.array(vertices)])
            whole.validate(full=True)
            more = _ids(pa, whole, "vertices")
        except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
            raise InputError(f"vertices: {error}; ids are integers or strings") from error
    tail, head, weights, counts = plain_columns(table, *used)
    rows = rows_of_columns(
        tail,
        head,
        weights=weights,
        multiplicity=counts,
        directed=directed,
        duplicates=duplicates,
        vertices=more,
    )
    return rows, further_columns(table, used)


def further_columns(table: Any, used: Sequence[Any]) -> Attributes | None:
    """The attributes of a table's edges: its columns but those used, the first two of which are the ids."""
    further = [name for name in table.column_names if name not in used]
    checked(table, further)
    return of_arrow(table, used, partial(_ends_of, table.select(list(dict.fromkeys(used[:2]))), *used[:2]))


def _ends_of(table: Any, source: str, target: str) -> tuple[Ids, Ids]:
    return plain_columns(table, source, target, None, None)[:2]


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


def checked(table: Any, names: Iterable[str | None]) -> Any:
    """The table, after a full look at the columns of these names: offsets, dictionary indices, UTF-8.

    Damaged ones would send Arrow out of bounds.
    """
    pa = library("pyarrow", "arrow")
    wanted = {name for name in names if isinstance(name, str)}
    try:
        own = table.column_names
    except UnicodeDecodeError as error:
        raise InputError(f"the table has a column whose name is no UTF-8 ({error}); rename it") from error
    for name, column in zip(own, table.columns, strict=True):
        if name in wanted:
            try:
                column.validate(full=True)
            except pa.ArrowException as error:
                raise InputError(f"column {name!r} is damaged: {error}; write the table again") from error
    return table


def noted_direction(table: Any) -> bool | None:
    """Whether the table says that its graph is directed; None if it says nothing."""
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


def _column(table: Any, name: str, argument: str) -> Any:
    places = [
        place for place, known in enumerate(table.column_names) if isinstance(name, str) and known == name
    ]
    if not places:
        raise InputError(
            f"the table has no column {shown(name)}: its columns are {listed(table.column_names)}; "
            f"name one with {argument}="
        )
    if len(places) > 1:
        raise InputError(f"the table has several columns {name!r}: rename all but one of them")
    return table.column(places[0])


def _check_whole(column: Any, where: str) -> None:
    if column.null_count:
        raise missing(where, int(np.argmax(column.is_null().to_numpy())))


def _is_text(pa: Any, column: Any) -> bool:
    kind = pa.types
    return (
        kind.is_string(column.type) or kind.is_large_string(column.type) or kind.is_string_view(column.type)
    )


def _ends(pa: Any, source: Any, source_where: str, target: Any, target_where: str) -> tuple[Ids, Ids]:
    """Both columns of ids; two columns of text share one list of names."""
    if not (_is_text(pa, source) and _is_text(pa, target)):
        return _ids(pa, source, source_where), _ids(pa, target, target_where)
    _check_whole(source, source_where)
    _check_whole(target, target_where)
    if not len(source):  # a column without chunks cannot be combined into one
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return names_of(pa, source, target)


def plain_columns(
    table: Any, source: str, target: str, weight: str | None, multiplicity: str | None
) -> tuple[Ids, Ids, npt.NDArray[np.float64] | None, npt.NDArray[Any] | None]:
    """The rows of a table as they are: ids of both ends, weights and counts."""
    pa = library("pyarrow", "arrow")
    checked(table, [source, target, weight, multiplicity])
    ends = _ends(
        pa,
        _column(table, source, "source"),
        f"column {source!r}",
        _column(table, target, "target"),
        f"column {target!r}",
    )
    weights = None if weight is None else _weights(pa, _column(table, weight, "weight"), weight)
    counts = None
    if multiplicity is not None:
        counts = _counts(pa, _column(table, multiplicity, "multiplicity"), multiplicity)
    return *ends, weights, counts


def names_of(pa: Any, source: Any, target: Any) -> tuple[Names, Names]:
    """Two columns of text, neither empty, as codes into one list of names."""
    chunks = [chunk.cast(pa.large_string()) for column in (source, target) for chunk in column.chunks]
    whole = pa.chunked_array(chunks, pa.large_string()).dictionary_encode().combine_chunks()
    # sorted by the bytes of UTF-8, which is by code point: Python need not sort them again, and reads them
    # in the order of memory
    order = library("pyarrow.compute", "arrow").sort_indices(whole.dictionary)
    number = np.empty(len(order), np.int32)
    number[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    codes, names = number[whole.indices.to_numpy()], whole.dictionary.take(order).to_pylist()
    return Names(codes[: len(source)], names), Names(codes[len(source) :], names)


def _ids(pa: Any, column: Any, where: str) -> Ids:
    kind = pa.types
    _check_whole(column, where)
    if kind.is_integer(column.type):
        return column.to_numpy()
    if not len(column) and (
        _is_text(pa, column) or kind.is_dictionary(column.type) or kind.is_null(column.type)
    ):
        return np.empty(0, np.int64)
    if _is_text(pa, column):
        column = column.cast(pa.large_string()).dictionary_encode()
    if kind.is_dictionary(column.type):
        whole = column.unify_dictionaries().combine_chunks()
        codes, distinct = whole.indices.to_numpy(), whole.dictionary
        if kind.is_integer(distinct.type):
            return distinct.to_numpy()[codes]
        return names_or_numbers(codes, np.array(distinct.to_pylist(), dtype=object), where)
    hint = "; cast it to pyarrow.int64()" if kind.is_floating(column.type) else ""
    raise InputError(f"{where} holds {column.type} values: ids are integers or strings{hint}")


def _weights(pa: Any, column: Any, name: str) -> npt.NDArray[np.float64]:
    kind, where = pa.types, f"column {name!r}"
    if not (kind.is_integer(column.type) or kind.is_floating(column.type) or kind.is_decimal(column.type)):
        raise InputError(f"{where} holds {column.type} values: weights are real numbers")
    _check_whole(column, where)
    numbers: npt.NDArray[np.float64] = column.cast(pa.float64(), safe=False).to_numpy()
    finite = np.isfinite(numbers)
    if not finite.all():
        row = int(np.argmin(finite))
        raise InputError(f"{where}: row {row} (counted from 0) is {numbers[row]}, not finite")
    return numbers


def _counts(pa: Any, column: Any, name: str) -> npt.NDArray[Any]:
    if not pa.types.is_integer(column.type):
        raise InputError(f"column {name!r} holds {column.type} values: multiplicities are whole numbers")
    _check_whole(column, f"column {name!r}")
    return column.to_numpy()


def to_arrow(graph: Arrays, source: str, target: str, attributes: Attributes | None) -> Any:
    """See `clgraph.Graph.to_arrow`."""
    tail, head, weights, multiplicity = graph.edges()
    columns = edge_columns(graph.ids, tail, head, weights, multiplicity, source, target)
    if attributes is not None:
        names = graph.all_ids()
        columns |= into_arrow(attributes, columns, names[tail], names[head], graph.directed)
    return edge_table(columns, graph.directed)


def edge_columns(
    ids: npt.NDArray[Any] | None,
    tail: npt.NDArray[np.int32],
    head: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float64] | None,
    multiplicity: npt.NDArray[np.int32] | None,
    source: str = "source",
    target: str = "target",
) -> dict[str, Any]:
    """The columns of an edge table, of edges by number; `ids` None: the numbers are the ids."""
    pa = library("pyarrow", "arrow")
    if ids is None:
        ends = [pa.array(end.astype(np.int64)) for end in (tail, head)]
    else:
        try:
            named = pa.array(ids, pa.string() if ids.dtype == object else pa.int64())
        except UnicodeEncodeError as error:
            raise InputError(
                f"vertex id {error.object[:80]!r} holds a lone surrogate, which UTF-8 has not; rename it"
            ) from error
        ends = [named.take(pa.array(end)) for end in (tail, head)]
    columns = {source: ends[0], target: ends[1]}
    if weights is not None:
        columns["weight"] = pa.array(weights)
    if multiplicity is not None:
        columns["multiplicity"] = pa.array(multiplicity)
    return columns


def edge_table(columns: dict[str, Any], directed: bool) -> Any:
    """An edge table that tells whether its graph is directed."""
    noted = {METADATA: json.dumps({"directed": directed}).encode()}
    return library("pyarrow", "arrow").table(columns).replace_schema_metadata(noted)
