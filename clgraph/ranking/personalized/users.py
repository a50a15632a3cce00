"""Sources that are lists of items, a list for each user. Host only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from clgraph.arguments import flat_list, shown
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph


def users_of(sources: Any) -> tuple[list[Any], list[Any]] | None:
    """The users' names and what each has; None if the sources are of another form.

    A dict of users to lists of ids, or to dicts of ids to numbers; or a list of lists of ids, whose users are
    called by their positions. Rows of numbers with a fraction are distributions over all vertices instead.
    """
    if isinstance(sources, Mapping):
        if sources and all(_is_list(one) or isinstance(one, Mapping) for one in sources.values()):
            return list(sources), list(sources.values())
        return None
    if isinstance(sources, Sequence) and len(sources) and _is_list(sources[0]):
        if all(map(_is_list, sources)):
            return list(range(len(sources))), list(sources)
        other = next(one for one in sources if not _is_list(one))
        raise InputError(f"sources are lists of ids, but one of them is {shown(other)}")
    return None


def _is_list(one: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.ndim == 1 and one.dtype.kind in "iuUO"
    return isinstance(one, (list, tuple, set, frozenset)) and not any(
        isinstance(item, (float, np.floating)) for item in one
    )


def items_matrix(graph: Graph, names: list[Any], rows: list[Any]) -> Any:
    """Each user's distribution as a row, shape (users, n): even over the items, one given twice counts twice.

    Raises
    ------
    InputError
        If a user has no items, or one that is not in the graph; both are named.
    """
    for name, row in zip(names, rows, strict=True):
        if not flat_list(row, f"sources of user {shown(name)}"):
            raise InputError(
                f"sources: user {shown(name)} has no items: at least one is needed to start from"
            )
    where = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    try:
        index = graph.index(list(chain.from_iterable(rows)))
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"sources: {_first_wrong(graph, names, rows) or error}") from error
    counts = sp.csr_array((np.ones(len(index)), (where, index)), shape=(len(rows), graph.num_vertices))
    counts.data /= np.repeat(np.asarray(counts.sum(axis=1)).ravel(), np.diff(counts.indptr))
    return counts


def _first_wrong(graph: Graph, names: list[Any], rows: list[Any]) -> str | None:
    for name, row in zip(names, rows, strict=True):
        for item in row:
            try:
                graph.index([item])
            except (ValueError, TypeError, OverflowError):
                return f"user {shown(name)} has the item {shown(item)}, which is not an id of this graph"
    return None
