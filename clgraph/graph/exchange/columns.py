"""Columns of ids, as tables of any library hold them, made into rows.

A column of ids is an array of integers, or `Names`: strings by their codes. pandas and Arrow encode strings
so quickly, and no Python loop runs over the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, shown, word
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.building import (
    Duplicates,
    check_count,
    checked_counts,
    checked_weights,
    rows_of_edges,
    sorted_rows,
)


@dataclass(frozen=True)
class Names:
    """A column of strings: row i holds ``names[codes[i]]``."""

    codes: npt.NDArray[Any]
    names: list[str]  # some may be used by no row

    def __len__(self) -> int:
        return len(self.codes)


Column = npt.NDArray[Any] | Names


def rows_of_columns(
    source: Column,
    target: Column,
    *,
    weights: npt.NDArray[np.float64] | None = None,
    multiplicity: npt.NDArray[Any] | None = None,
    directed: bool,
    duplicates: Duplicates = "merge",
    vertices: Column | None = None,
) -> Arrays:
    """The rows of a graph from two columns of ids, both of numbers or both of names."""
    directed = flag(directed, "directed")
    word(duplicates, "duplicates", get_args(Duplicates))
    groups = [group for group in (source, target, vertices) if group is not None and len(group)]
    if not any(isinstance(group, Names) for group in groups):
        ends = [np.empty(0, np.int64) if isinstance(end, Names) else end for end in (source, target)]
        return rows_of_edges(
            ends[0],
            ends[1],
            weights=weights,
            multiplicity=multiplicity,
            directed=directed,
            duplicates=duplicates,
            vertices=None if isinstance(vertices, Names) else vertices,
        )
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


def names_or_numbers(codes: npt.NDArray[Any], distinct: npt.NDArray[Any], where: str) -> Column:
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
