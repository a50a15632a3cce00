"""Edge indices, as PyTorch Geometric has them: two rows, the tails and the heads of arcs."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, whole, word
from clgraph.errors import InputError
from clgraph.graph.arrays import Arrays
from clgraph.graph.building import INT32_MAX, Duplicates, check_count, checked_weights, sorted_rows
from clgraph.graph.checks import check_range


class EdgeIndex(NamedTuple):
    """Arcs by vertex index, in the order of the graph's arrays: what `Graph.to_edge_index` gives.

    Attributes
    ----------
    edge_index : int64 array, shape (2, arcs)
        Tails and heads; an undirected edge is there in both directions, a loop once.
    weights : float64 array, shape (arcs,), or None
    multiplicity : int32 array, shape (arcs,), or None
    """

    edge_index: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64] | None
    multiplicity: npt.NDArray[np.int32] | None


def to_edge_index(graph: Arrays) -> EdgeIndex:
    """See `clgraph.Graph.to_edge_index`."""
    index = np.empty((2, graph.num_arcs), np.int64)
    index[0], index[1] = graph.tails(), graph.col_idx
    # the graph's own are read-only, which PyTorch does not have
    weights = None if graph.weights is None else graph.weights.copy()
    counts = None if graph.multiplicity is None else graph.multiplicity.copy()
    return EdgeIndex(index, weights, counts)


def from_edge_index(
    edge_index: Any, weights: Any, num_vertices: Any, directed: Any, duplicates: Any
) -> Arrays:
    """See `clgraph.Graph.from_edge_index`."""
    word(duplicates, "duplicates", get_args(Duplicates))
    directed = flag(directed, "directed")
    ends = _ends(edge_index)
    least = int(ends.max()) + 1 if ends.size else 0
    n = least if num_vertices is None else whole(num_vertices, "num_vertices", 0, INT32_MAX)
    check_count(n)
    for number, end in enumerate(ends):
        if end.size:
            check_range(end, n, f"edge_index[{number}]")
    tail, head = (end.astype(np.int32) for end in ends)
    values = None if weights is None else checked_weights(_array(weights, "weights"), len(tail))
    if not directed:
        keep = _each_edge_once(tail, head, values)
        tail, head, values = tail[keep], head[keep], None if values is None else values[keep]
    values = None if values is None else np.ascontiguousarray(values)
    return sorted_rows(tail, head, n, weights=values, directed=directed, duplicates=duplicates)


def _array(values: Any, name: str) -> npt.NDArray[Any]:
    """An array of what may be a tensor."""
    try:
        return np.asarray(values)
    except (RuntimeError, TypeError, ValueError, OverflowError) as error:  # on a GPU, or with a gradient
        raise InputError(
            f"{name} is no array: {error}; use an array or a tensor on the CPU (tensor.detach().cpu())"
        ) from error


def _ends(edge_index: Any) -> npt.NDArray[Any]:
    """The checked ends, shape (2, arcs)."""
    ends = _array(edge_index, "edge_index")
    if ends.ndim != 2 or ends.shape[0] != 2:
        raise InputError(f"edge_index has shape {ends.shape}: it has two rows, tails and heads")
    if ends.size == 0 and ends.dtype.kind == "f":  # NumPy makes floats of an empty list
        ends = ends.astype(np.int64)
    if ends.dtype.kind not in "iu":
        raise InputError(f"edge_index is of type {ends.dtype}: it holds numbers of vertices")
    return ends


def _each_edge_once(
    tail: npt.NDArray[np.int32], head: npt.NDArray[np.int32], weights: npt.NDArray[np.float64] | None
) -> npt.NDArray[np.bool_]:
    """Which columns make the undirected graph: those from the smaller vertex on, or all if each edge is once.

    Raises
    ------
    InputError
        If some edges are there in both directions and others in one, or weights differ.
    """
    up, down = tail < head, tail > head
    if not np.any(up) or not np.any(down):
        return np.ones(len(tail), bool)
    key = np.minimum(tail, head).astype(np.int64) << 32 | np.maximum(tail, head)
    found = []
    for some in (up, down):
        value = np.zeros(np.count_nonzero(some)) if weights is None else weights[some]
        order = np.lexsort((value, key[some]))
        found.append((key[some][order], value[order]))
    (one, one_value), (other, other_value) = found
    if np.array_equal(one, other):
        differ = np.flatnonzero(one_value != other_value)
        if differ.size:
            u, v = divmod(int(one[differ[0]]), 1 << 32)
            raise InputError(
                f"edge_index has other weights from {u} to {v} than back: use directed=True, or make them "
                "equal"
            )
        keep: npt.NDArray[np.bool_] = ~down
        return keep
    if not np.intersect1d(one, other).size:
        return np.ones(len(tail), bool)
    few = min(len(one), len(other))
    at = np.flatnonzero(one[:few] != other[:few])
    where = int(at[0]) if at.size else few
    ends = [int(each[where]) for each in (one, other) if where < len(each)]
    u, v = divmod(min(ends), 1 << 32)
    raise InputError(
        f"edge_index is not symmetric: the edge of {u} and {v} is not there as often in one direction as in "
        "the other, and other edges have both; use directed=True, or torch_geometric.utils.to_undirected"
    )
