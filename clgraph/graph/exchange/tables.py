"""Edge tables of any library: columns of ids made into rows, further columns carried as attributes of edges.

What is to be done is here, in terms of `EdgeTable`; how a library does it is in its adaptor (`arrow.py`,
`pandas.py`). Further columns go into tables again as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.attributes import Attributes, Column, free_names
from clgraph.graph.building import Duplicates, Names, number_vertices, pack, rows_of_edges
from clgraph.graph.exchange.common import listed
from clgraph.lazy import lazy

Ids = npt.NDArray[Any] | Names


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

    # sorted at the first look only: most graphs of tables are never asked for the attributes
    @lazy
    def _index(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The ids in ascending order, and by them the rows: their keys, ascending, and their numbers."""
        n, known, tail, head = number_vertices(*self._ends())
        ids = np.arange(n) if known is None else known
        key = pack(tail, head)
        order = np.argsort(key, kind="stable")
        return ids, key[order], order

    def reversed(self) -> Rows:
        """Return the same rows with their ends exchanged."""
        return Rows(partial(_swapped, self._ends))

    def find(self, tails: Any, heads: Any, directed: bool) -> npt.NDArray[np.int64]:
        """The first row of each edge, -1 where there is none; of an undirected one, in either direction."""
        tails, heads = _ids(tails), _ids(heads)
        forward = self._one_way(tails, heads)
        if directed:
            return forward
        # the table may hold either direction, or both; the earlier row counts
        back = self._one_way(heads, tails)
        return np.where((forward < 0) | ((back >= 0) & (back < forward)), back, forward)

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


class TableColumn(Column):
    """An attribute of edges that is a column of a table.

    Attributes
    ----------
    label : str or column label
        Its name in the table.
    values : column of the library
    table : EdgeTable
        How to take values from it.
    """

    def __init__(self, table: EdgeTable, rows: Rows, label: Any, values: Any) -> None:
        self.kind, self.default, self.label, self.values = table.kind(values), None, label, values
        self.table, self._rows = table, rows

    def value(self, key: Any) -> Any:
        """The value of an edge, given by the ids of its ends in the order of the table; None: none."""
        return self.edge_values([key[0]], [key[1]], True)[0]

    def edge_values(self, tails: Any, heads: Any, directed: bool) -> list[Any]:
        """The values of edges, None where there is none."""
        return self.table.listed(self.picked(tails, heads, directed))

    def edge_texts(self, tails: Any, heads: Any, directed: bool) -> list[str | None]:
        """The values of edges as text, None where there is none."""
        return [spelled(value) for value in self.edge_values(tails, heads, directed)]

    def picked(self, tails: Any, heads: Any, directed: bool) -> Any:
        """The column's values of some edges, as its library has them."""
        return self.table.take(self.values, self._rows.find(tails, heads, directed))

    def reversed(self) -> Column:
        """Return the attribute for edges that point the other way."""
        return TableColumn(self.table, self._rows.reversed(), self.label, self.values)

    def renamed(self, old: Any, new: Any, directed: bool) -> Column:
        """Return the attribute for the same edges under other ids of their ends."""
        return TableColumn(
            self.table, Rows(partial(_arrays, *new)), self.label, self.picked(old[0], old[1], directed)
        )


def spelled(value: Any) -> str | None:
    """A value as text."""
    if value is None:
        return None
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)


class EdgeTable:
    """Base of the adaptors: read and build the edge tables of a library.

    Attributes
    ----------
    noun : str
        What it calls them.
    columns : callable
        A table's labels and columns, in pairs. A column is an object of the library.
    type, kind, is_real : callable
        The type of a column's values, for messages; "boolean", "integer", "number" or "string", for
        attributes; whether they are real numbers.
    missing : callable
        Which values of a column are missing, as a bool array; None if none are.
    floats, integers : callable
        Real or whole numbers without gaps as an array.
    encoded : callable
        Codes and distinct values of a column of objects without gaps (the second argument names it in
        messages); or a hint, if it holds no ids.
    joint_names : callable
        Two columns of text as codes into one list of names; None if they are something else.
    take : callable
        The values of some rows; a missing value for each -1.
    listed : callable
        A column's values as Python's; None for missing ones.
    of, of_values : callable
        A column of an array of numbers or of str objects; of Python's values, None for missing ones.
    adopted : callable
        A column of a column of another library.
    """

    noun: str
    columns: Any
    type: Any
    kind: Any
    is_real: Any
    missing: Any
    floats: Any
    integers: Any
    encoded: Any
    joint_names: Any
    take: Any
    listed: Any
    of: Any
    of_values: Any

    def column(self, table: Any, name: Any, argument: str) -> Any:
        """The column of this name."""
        columns = list(self.columns(table))
        found = [column for label, column in columns if _alike(label, name)]
        if not found:
            raise InputError(
                f"the {self.noun} has no column {shown(name)}: its columns are "
                f"{listed(label for label, _ in columns)}; name one with {argument}="
            )
        if len(found) > 1:
            raise InputError(f"the {self.noun} has several columns {name!r}: rename all but one of them")
        return found[0]

    def check_whole(self, column: Any, where: str) -> None:
        """Raise InputError for the first value that is missing."""
        missing = self.missing(column)
        if missing is not None and np.any(missing):
            row = int(np.argmax(missing))
            raise InputError(
                f"{where}: row {row} (counted from 0) is missing (NaN or null); drop such rows or fill "
                "them in"
            )

    def ids(self, column: Any, where: str) -> Ids:
        """A column of ids."""
        self.check_whole(column, where)
        if self.kind(column) == "integer":
            return self.integers(column)
        found = self.encoded(column, where)
        if isinstance(found, str):
            raise InputError(f"{where} holds {self.type(column)} values: ids are integers or strings{found}")
        codes, distinct = found
        return distinct[codes] if distinct.dtype.kind in "iu" else names_or_numbers(codes, distinct, where)

    def ends(self, columns: Sequence[Any], where: Sequence[str]) -> Ends:
        """Both columns of ids."""
        for column, place in zip(columns, where, strict=True):
            self.check_whole(column, place)
        found = self.joint_names(*columns)
        return found or (self.ids(columns[0], where[0]), self.ids(columns[1], where[1]))

    def weights(self, table: Any, name: Any) -> npt.NDArray[np.float64] | None:
        """A column of weights; None for no name."""
        if name is None:
            return None
        column, where = self.column(table, name, "weight"), f"column {name!r}"
        if not self.is_real(column):
            raise InputError(f"{where} holds {self.type(column)} values: weights are real numbers")
        self.check_whole(column, where)
        numbers = self.floats(column)
        finite = np.isfinite(numbers)
        if not finite.all():
            row = int(np.argmin(finite))
            raise InputError(f"{where}: row {row} (counted from 0) is {numbers[row]}, not finite")
        return numbers

    def counts(self, table: Any, name: Any) -> npt.NDArray[Any] | None:
        """A column of multiplicities; None for no name."""
        if name is None:
            return None
        column, where = self.column(table, name, "multiplicity"), f"column {name!r}"
        if self.kind(column) != "integer":
            raise InputError(f"{where} holds {self.type(column)} values: multiplicities are whole numbers")
        self.check_whole(column, where)
        return self.integers(column)

    def _ends_of(self, table: Any, names: Sequence[Any]) -> tuple[list[Any], list[str]]:
        """The columns of the ids, and what messages call them."""
        arguments = ("source", "target")
        columns = [self.column(table, *each) for each in zip(names, arguments, strict=False)]
        return columns, [f"column {name!r}" for name in names[:2]]

    def plain(self, table: Any, names: Sequence[Any]) -> tuple[Any, ...]:
        """The rows of a table as they are: ids of both ends, weights and counts (None: no such column).

        Parameters
        ----------
        table
        names : (source, target, weight or None, multiplicity or None)
        """
        ends = self.ends(*self._ends_of(table, names))
        return *ends, self.weights(table, names[2]), self.counts(table, names[3])

    def further(self, table: Any, used: Sequence[Any]) -> Attributes | None:
        """The columns but those used, the first two of which are the ids, as attributes of edges.

        They are not copied.
        """
        rows = Rows(partial(self.ends, *self._ends_of(table, used)))
        found: dict[str, Column] = {}
        for label, column in self.columns(table):
            if label not in used and str(label) not in found:
                found[str(label)] = TableColumn(self, rows, label, column)
        return Attributes(edges=found) if found else None

    def read(
        self, table: Any, used: Sequence[Any], directed: bool, duplicates: Duplicates, vertices: Ids | None
    ) -> tuple[Arrays, Attributes | None]:
        """The arrays and attributes of a graph; `used` as the names of `plain`."""
        source, target, weights, counts = self.plain(table, used)
        arrays = rows_of_edges(source, target, weights, counts, directed, duplicates, vertices)
        return arrays, self.further(table, used)

    def edge_columns(
        self, ids: Any, edges: Iterable[Any], source: Any = "source", target: Any = "target"
    ) -> dict[Any, Any]:
        """The columns of an edge table, of edges by number; `ids` None: the numbers are the ids."""
        tail, head, weights, multiplicity = edges
        if ids is None:
            ends = [self.of(end.astype(np.int64)) for end in (tail, head)]
        else:
            try:
                named = self.of(ids)
            except UnicodeEncodeError as error:
                raise InputError(
                    f"vertex id {error.object[:80]!r} holds a lone surrogate, which UTF-8 has not; rename it"
                ) from error
            ends = [self.take(named, end) for end in (tail, head)]
        columns = {source: ends[0], target: ends[1], "weight": weights, "multiplicity": multiplicity}
        return {
            name: self.of(each) if isinstance(each, np.ndarray) else each
            for name, each in columns.items()
            if each is not None
        }

    def made(self, graph: Arrays, source: Any, target: Any, attributes: Attributes | None) -> dict[Any, Any]:
        """The columns of the edge table of a graph, with the attributes of its edges."""
        edges = graph.edges()
        columns = self.edge_columns(graph.ids, edges, source, target)
        if attributes is None:
            return columns
        ids, taken = graph.all_ids(), set(columns)
        ends = ids[edges.source], ids[edges.target], graph.directed
        for name, column in free_names(attributes.edges, taken).items():
            if not isinstance(column, TableColumn):
                columns[name] = self.of_values(column.edge_values(*ends))
            elif type(column.table) is type(self):
                # pandas has labels that are no text
                columns[column.label if column.label not in taken else name] = column.picked(*ends)
            else:
                columns[name] = self.adopted(column.table, column.picked(*ends))
        return columns

    def adopted(self, table: EdgeTable, values: Any) -> Any:
        """A column of another library's values."""
        return self.of_values(table.listed(values))


def _alike(label: Any, name: Any) -> bool:
    try:
        return label is name or bool(label == name)
    except (TypeError, ValueError):  # of arrays
        return False
