"""Edge tables of any library: columns of ids made into rows, further columns carried as attributes of edges.

Those go into tables again as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, shown, word
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.attributes import Attributes, Column, Renaming, free_names
from clgraph.graph.building import (
    Duplicates,
    check_count,
    checked_counts,
    checked_weights,
    number_vertices,
    pack,
    rows_of_edges,
    sorted_rows,
)
from clgraph.graph.exchange.common import library
from clgraph.lazy import lazy

# --- columns of ids ---
#
# A column of ids is an array of integers, or `Names`: strings by their codes. pandas and Arrow encode strings
# so quickly, and no Python loop runs over the rows.


@dataclass(frozen=True)
class Names:
    """A column of strings: row i holds ``names[codes[i]]``."""

    codes: npt.NDArray[Any]
    names: list[str]  # some may be used by no row

    def __len__(self) -> int:
        return len(self.codes)


Ids = npt.NDArray[Any] | Names


def rows_of_columns(
    source: Ids,
    target: Ids,
    *,
    weights: npt.NDArray[np.float64] | None = None,
    multiplicity: npt.NDArray[Any] | None = None,
    directed: bool,
    duplicates: Duplicates = "merge",
    vertices: Ids | None = None,
) -> Arrays:
    """The rows of a graph from two columns of ids, both of numbers or both of names."""
    directed = flag(directed, "directed")
    word(duplicates, "duplicates", get_args(Duplicates))
    groups = [group for group in (source, target, vertices) if group is not None and len(group)]
    if not any(isinstance(group, Names) for group in groups):
        ends = [np.empty(0, np.int64) if isinstance(end, Names) else end for end in (source, target)]
        extra = None if isinstance(vertices, Names) else vertices
        return rows_of_edges(ends[0], ends[1], weights, multiplicity, directed, duplicates, extra)
    numbers = next((group for group in groups if not isinstance(group, Names)), None)
    if numbers is not None:
        raise InputError(
            f"vertex id {numbers[0]} beside strings: ids are all non-negative integers, or all strings"
        )
    if multiplicity is not None and duplicates == "keep":
        raise InputError("multiplicity counts merged edges: leave duplicates='keep' out")
    nothing = Names(np.empty(0, np.int32), [])  # an empty column may be of any type
    columns = [group if isinstance(group, Names) else nothing for group in (source, target, vertices)]
    names, indices = number_names(columns)
    rows = len(source)
    return sorted_rows(
        indices[0],
        indices[1],
        len(names),
        weights=None if weights is None else checked_weights(weights, rows),
        multiplicity=None if multiplicity is None else checked_counts(multiplicity, rows),
        ids=names,
        directed=directed,
        duplicates=duplicates,
    )


def number_names(columns: list[Names]) -> tuple[npt.NDArray[Any], list[npt.NDArray[np.int32]]]:
    """Number the names that rows use, in the order of their code points.

    Returns
    -------
    names : object array, ascending
    indices : for each column an int32 array of its rows' numbers
    """
    columns = _of_one_list(columns)
    names = columns[0].names
    present = np.zeros(len(names), bool)
    for column in columns:
        present[column.codes] = True
    used = np.flatnonzero(present).tolist()
    check_count(len(used))
    used.sort(key=names.__getitem__)
    number = np.zeros(len(names), np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    ascending = np.empty(len(used), dtype=object)
    ascending[:] = [names[code] for code in used]
    return ascending, [number[column.codes] for column in columns]


def _of_one_list(columns: list[Names]) -> list[Names]:
    """The columns with codes into one list of distinct names."""
    filled = [column for column in columns if len(column)]
    lists = {id(column.names): column.names for column in filled}
    if len(lists) == 1:
        return [Names(column.codes, filled[0].names) for column in columns]
    names = list(dict.fromkeys(chain.from_iterable(lists.values())))
    place = dict(zip(names, range(len(names)), strict=True))
    numbers = {
        key: np.fromiter(map(place.__getitem__, own), np.int32, len(own)) for key, own in lists.items()
    }
    return [
        Names(numbers[id(column.names)][column.codes] if len(column) else column.codes, names)
        for column in columns
    ]


def names_or_numbers(codes: npt.NDArray[Any], distinct: npt.NDArray[Any], where: str) -> Ids:
    """A column of objects by their codes: all strings, or all integers."""
    values = distinct.tolist()
    kinds = set(map(type, values))
    if all(issubclass(kind, str) for kind in kinds):
        return Names(codes, values)
    if any(issubclass(kind, bool) or not issubclass(kind, (int, np.integer)) for kind in kinds):
        strange = [
            value for value in values if isinstance(value, bool) or not isinstance(value, (int, np.integer))
        ]
        no_text = [value for value in values if not isinstance(value, str)]
        odd = min((kind for kind in (no_text, strange) if kind), key=len)[0]  # the rarer kind
        raise InputError(f"{where} holds {shown(odd)}: ids are all non-negative integers, or all strings")
    wrong = [value for value in values if not 0 <= value < 2**63]
    if wrong:
        first = shown(wrong[0])
        raise InputError(f"{where} holds the id {first}: ids are whole numbers from 0 to {2**63 - 1}")
    return np.array(values, dtype=np.int64)[codes]


def missing(where: str, row: int) -> InputError:
    """The error for a missing id or number in a column."""
    return InputError(
        f"{where}: row {row} (counted from 0) is missing (NaN or null); drop such rows or fill them in"
    )


Ends = tuple[Ids, Ids]


class Rows:
    """The rows of a table of edges, found by the ids of an edge's ends.

    Parameters
    ----------
    ends : callable
        Gives both columns of ids; called when a row is first looked for.
    """

    def __init__(self, ends: Callable[[], Ends]) -> None:
        self._ends = ends

    @lazy
    def _index(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The ids in ascending order, and by them the rows: their keys, ascending, and their numbers."""
        source, target = map(_plain, self._ends())
        n, known, tail, head = number_vertices(source, target)
        ids = np.arange(n) if known is None else known
        key = pack(tail, head)
        order = np.argsort(key, kind="stable")
        return ids, key[order], order

    def reversed(self) -> Rows:
        """The same rows by the ends the other way."""
        return Rows(partial(_swapped, self._ends))

    def find(self, tails: Any, heads: Any, directed: bool) -> npt.NDArray[np.int64]:
        """The first row of each edge, -1 where there is none; of an undirected one, in either direction."""
        tails, heads = _ids(tails), _ids(heads)
        there = self._one_way(tails, heads)
        if directed:
            return there
        back = self._one_way(heads, tails)
        return np.where((there < 0) | ((back >= 0) & (back < there)), back, there)

    def _one_way(self, tails: npt.NDArray[Any], heads: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        ids, keys, order = self._index
        rows = np.full(len(tails), -1, np.int64)
        if not len(keys) or not len(tails):
            return rows
        ends = [np.minimum(np.searchsorted(ids, end), len(ids) - 1) for end in (tails, heads)]
        key = pack(*ends)
        at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        known = (keys[at] == key) & (ids[ends[0]] == tails) & (ids[ends[1]] == heads)
        rows[known] = order[at[known]]
        return rows


def _swapped(ends: Callable[[], Ends]) -> Ends:
    source, target = ends()
    return target, source


def _arrays(tails: list[Any], heads: list[Any]) -> Ends:
    return _ids(tails), _ids(heads)


def _ids(ids: Any) -> npt.NDArray[Any]:
    """Ids as an array: of int64, or of strings as objects."""
    return np.asarray(ids, object if len(ids) and isinstance(ids[0], str) else np.int64)


def _plain(ids: Ids) -> npt.NDArray[Any]:
    if isinstance(ids, Names):
        return np.array(ids.names, object)[ids.codes] if len(ids) else np.empty(0, object)
    return ids if ids.dtype == object else ids.astype(np.int64)


class TableColumn(Column):
    """An attribute of edges that is a column of a table, of pandas or Arrow.

    Attributes
    ----------
    label : str or column label
        Its name in the table.
    values : pyarrow.ChunkedArray or pandas.Series
    """

    def __init__(self, kind: str, rows: Rows, label: Any, values: Any) -> None:
        self.kind, self.default, self.label, self.values = kind, None, label, values
        self._rows = rows

    def value(self, key: Any) -> Any:
        """The value of an edge, given by the ids of its ends in the order of the table; None: none."""
        return self.edge_values([key[0]], [key[1]], True)[0]

    def edge_values(self, tails: Any, heads: Any, directed: bool) -> list[Any]:
        """The values of edges, None where there is none."""
        return self.listed(self.picked(tails, heads, directed))

    def edge_texts(self, tails: Any, heads: Any, directed: bool) -> list[str | None]:
        """The values of edges as text, None where there is none."""
        return [_spelled(value) for value in self.edge_values(tails, heads, directed)]

    def picked(self, tails: Any, heads: Any, directed: bool) -> Any:
        """The column's values of some edges, as its library has them."""
        rows = self._rows.find(tails, heads, directed)
        if hasattr(self.values, "iloc"):
            return self.values.reindex(rows).reset_index(drop=True)
        pa = library("pyarrow", "arrow")
        wanted = pa.array(rows, mask=rows < 0)
        try:
            return self.values.take(wanted)
        except pa.ArrowNotImplementedError:  # of strings in views, for one
            return pa.chunked_array([pa.array(self.values.to_pylist())]).take(wanted)

    def reversed(self) -> Column:
        """Of edges that point the other way."""
        return TableColumn(self.kind, self._rows.reversed(), self.label, self.values)

    def renamed(self, edges: Renaming) -> Column:
        """Of edges of other ids."""
        rows = Rows(partial(_arrays, *edges.new))
        return TableColumn(self.kind, rows, self.label, self.picked(*edges.old))

    @staticmethod
    def listed(values: Any) -> list[Any]:
        """Values of a library as Python's."""
        if hasattr(values, "iloc"):
            return values.astype(object).where(values.notna(), None).tolist()
        return values.to_pylist()


def _spelled(value: Any) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)


# --- from tables ------------------------------------------------------------------------------------------


def of_arrow(table: Any, used: Collection[str | None], ends: Callable[[], Ends]) -> Attributes | None:
    """The further columns of an Arrow table; None if there are none."""
    types, rows = library("pyarrow", "arrow").types, Rows(ends)
    found: dict[str, Column] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name not in used and name not in found:
            found[name] = TableColumn(_arrow_kind(types, column.type), rows, name, column)
    return Attributes(edges=found) if found else None


def _arrow_kind(types: Any, kind: Any) -> str:
    if types.is_boolean(kind):
        return "boolean"
    if types.is_integer(kind):
        return "integer"
    return "number" if types.is_floating(kind) else "string"


def of_pandas(frame: Any, used: Collection[Any], ends: Callable[[], Ends]) -> Attributes | None:
    """The further columns of a data frame; None if there are none. They are not copied."""
    types, rows = library("pandas", "pandas").api.types, Rows(ends)
    found: dict[str, Column] = {}
    for number, label in enumerate(frame.columns):
        if label not in used and str(label) not in found:
            column = frame.iloc[:, number].reset_index(drop=True)
            found[str(label)] = TableColumn(_pandas_kind(types, column.dtype), rows, label, column)
    return Attributes(edges=found) if found else None


def _pandas_kind(types: Any, kind: Any) -> str:
    if types.is_bool_dtype(kind):
        return "boolean"
    if types.is_integer_dtype(kind):
        return "integer"
    return "number" if types.is_float_dtype(kind) else "string"


# --- into tables ------------------------------------------------------------------------------------------


def into_arrow(
    attributes: Attributes, taken: Collection[str], tails: Any, heads: Any, directed: bool
) -> dict[str, Any]:
    """Columns of an Arrow table: the attributes of its edges, under names that are not taken."""
    pa = library("pyarrow", "arrow")
    made = {}
    for name, column in free_names(attributes.edges, taken).items():
        values = column.picked(tails, heads, directed) if isinstance(column, TableColumn) else None
        if values is None:
            values = column.edge_values(tails, heads, directed)
        elif hasattr(values, "iloc"):
            values = TableColumn.listed(values)
        if isinstance(values, list):
            try:
                values = pa.array(values)
            except (pa.ArrowException, TypeError, ValueError, OverflowError):  # of several types
                values = pa.array([_spelled(value) for value in values], pa.string())
        made[name] = values
    return made


def into_pandas(
    attributes: Attributes, taken: Collection[Any], tails: Any, heads: Any, directed: bool
) -> dict[Any, Any]:
    """Columns of a data frame: the attributes of its edges, under names that are not taken."""
    pd = library("pandas", "pandas")
    made: dict[Any, Any] = {}
    for name, column in free_names(attributes.edges, taken).items():
        label, values = name, None
        if isinstance(column, TableColumn):
            label = column.label if column.label not in taken else name
            values = column.picked(tails, heads, directed)
            values = values if hasattr(values, "iloc") else values.to_pandas()
        made[label] = pd.Series(column.edge_values(tails, heads, directed)) if values is None else values
    return made
