"""Further columns of edge tables: attributes of edges, which go into tables again as they were."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph.attributes import Attributes, Column, Renaming, free_names
from clgraph.graph.building import number_vertices, pack
from clgraph.graph.exchange.columns import Column as Ids
from clgraph.graph.exchange.columns import Names
from clgraph.graph.exchange.common import library
from clgraph.lazy import lazy

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
    return np.asarray(ids, object if _are_text(ids) else np.int64)


def _are_text(ids: Any) -> bool:
    return len(ids) > 0 and isinstance(ids[0], str)


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
