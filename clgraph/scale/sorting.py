"""Some edges sorted by row, and merged, while graph files are converted; by SciPy, which sorts row by row."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from clgraph import system
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.building import sorted_rows
from clgraph.scale.tables import Columns

T = TypeVar("T")
Lengths = npt.NDArray[Any]


def ahead(work: Callable[..., T], given: Iterable[tuple[Any, ...]]) -> Iterator[T]:
    """What `work` makes of each of some arguments, in order; as many at a time as there are cores."""
    with system.thread_pool(system.cores(), "clgraph-sort") as pool:
        waiting: deque[Future[T]] = deque()
        for each in given:
            waiting.append(pool.submit(work, *each))
            if len(waiting) > system.cores():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def merged(first: int, last: int, edges: Columns, n: int) -> Arrays:
    """Rows `first` to `last` of a graph of `n` vertices, parallel edges merged as `sorted_rows` does it."""
    row, head = edges["row"] - np.int32(first), edges["head"]
    if len(edges) == 2:
        made = _sorted(row, head, np.ones(len(head), np.int32), last - first, n)
        several = made.nnz < len(head)
        counts = made.data if several else None
        return Arrays(made.indptr, made.indices, multiplicity=counts, directed=True)
    weights, multiplicity = edges.get("weights"), edges.get("multiplicity")
    try:
        return sorted_rows(
            row, head, n, weights=weights, multiplicity=multiplicity, directed=True, rows=last - first
        )
    except InputError as error:
        raise InputError(f"{error} (vertices by number here, tails from {first} on)") from error


def by_row(first: int, last: int, edges: Columns, n: int) -> tuple[Lengths, Columns]:
    """The lengths of rows `first` to `last`, and their entries, sorted.

    No edge is there twice, but where there are ways: then the two arcs of a pair become one.
    """
    row, head = edges["row"] - np.int32(first), edges["head"]
    values = {name: column for name, column in edges.items() if name not in ("row", "head")}
    ways = values.pop("way", None)
    # where each entry was, if that is asked for; ways 1 and 2 add up to 3
    data = ways if ways is not None else np.arange(len(head)) if values else np.ones(len(head), np.int8)
    made = _sorted(row, head, data, last - first, n)
    found = {name: column[made.data] for name, column in values.items()}
    if ways is not None:
        found["way"] = made.data
    return np.diff(made.indptr), {"head": made.indices, **found}


def behind(counts: Lengths, found: Columns, own_counts: Lengths, own: Columns) -> tuple[Lengths, Columns]:
    """Rows, by their lengths and entries, each with one of `own` behind it."""
    lengths = np.column_stack((counts, own_counts)).ravel()
    own_places = np.repeat(np.arange(len(lengths)) % 2 == 1, lengths)
    places, whole = ~own_places, {}
    for name, column in own.items():
        whole[name] = np.empty(len(own_places), column.dtype)
        whole[name][places] = found.get(name, [])  # none of it where no arc came
        whole[name][own_places] = column
    return counts + own_counts, whole


def _sorted(row: Any, head: Any, data: Any, rows: int, n: int) -> Any:
    made = csr_array((data, (row, head)), shape=(rows, n))
    made.indices = made.indices.astype(np.int32, copy=False)
    return made
