"""What verifiers share: a graph and a result that can be looked at, and arcs some at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph

SLICE = 1 << 24  # arcs looked at in one go: what is made of them takes hundreds of megabytes


def check_result(graph: Any, result: Any, of: str, **arrays: tuple[str, int]) -> Graph:
    """The graph, or an InputError unless both can be looked at; whether they are right the verifier says.

    Parameters
    ----------
    graph, result
        What a caller gave.
    of : str
        The function that makes such results.
    **arrays : (str, int)
        The result's arrays: their kind (as in NumPy; of several letters each will do, ``"?"`` allows None)
        and their number of dimensions.
    """
    whole = as_graph(graph)
    for name, (kinds, dimensions) in arrays.items():
        value = getattr(result, name, result)
        if value is None and "?" in kinds:
            continue
        if value is result:
            raise InputError(f"a result of {of} is needed, not {shown(result)}")
        if not isinstance(value, np.ndarray):
            raise InputError(f'{name} is {shown(value)}: a result with arrays="host" is needed')
        if value.ndim != dimensions or value.dtype.kind not in kinds:
            raise InputError(
                f"{name} is an array of {value.dtype} with {value.ndim} dimensions: no result of {of}"
            )
    return whole


def arc_slices(graph: Graph) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
    """Tails (ascending) and heads of all arcs, `SLICE` of them at a time."""
    for begin in range(0, graph.num_arcs, SLICE):
        end = min(begin + SLICE, graph.num_arcs)
        first, last = np.searchsorted(graph.row_ptr, [begin, end - 1], side="right") - 1
        rows = np.arange(first, last + 1, dtype=np.int32)
        arcs = np.minimum(graph.row_ptr[rows + 1], end) - np.maximum(graph.row_ptr[rows], begin)
        yield np.repeat(rows, arcs), graph.col_idx[begin:end]
