"""The arguments of `bfs` and `bfs_many`: what is accepted, and ids as indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flat_list, is_one, shown
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph

Method = Literal["hybrid", "frontier"]
Lanes = Literal[32, 64]

# types of the distances of `bfs_many`, the smallest first, as OpenCL C calls them
DISTANCE_TYPES: dict[np.dtype[Any], str] = {
    np.dtype(np.int8): "char",
    np.dtype(np.int16): "short",
    np.dtype(np.int32): "int",
}


def check_distance_type(dtype: npt.DTypeLike | None) -> None:
    """Validate the type asked for."""
    if dtype is None:
        return
    try:
        known = np.dtype(dtype) in DISTANCE_TYPES
    except (TypeError, ValueError, SyntaxError):  # raised by NumPy for what is no type
        known = False
    if not known:
        raise InputError(f"dtype is {shown(dtype)}: distances are int8, int16 or int32")


def distance_type(levels: int, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    """The smallest type for distances below `levels`, or the one asked for if it holds them."""
    large_enough = [each for each in DISTANCE_TYPES if levels <= 2 ** (8 * each.itemsize - 1)]
    if dtype is None:
        return large_enough[0]
    if np.dtype(dtype) not in large_enough:
        raise InputError(f"distances reach {levels - 1}: more than {np.dtype(dtype)} holds; leave dtype out")
    return np.dtype(dtype)


def source_indices(graph: Graph | Any, source: Any) -> tuple[npt.NDArray[np.int32], bool]:
    """Indices of the sources of one search, ascending, each once; and whether several were asked for."""
    one = is_one(source)
    wanted = [source] if one else flat_list(source, "source")
    return np.unique(indices_of(graph, wanted)).astype(np.int32), not one


def indices_of(graph: Graph | Any, ids: list[Any]) -> npt.NDArray[np.int64]:
    """Indices of the sources, in the order given.

    Raises
    ------
    InputError
        If there are none, or one is not in the graph (it is named).
    """
    if not ids:
        raise InputError("no source is given: a breadth-first search starts from at least one vertex")
    try:
        return graph.indices_of(ids)
    except InputError:
        raise
    except (ValueError, TypeError, OverflowError) as error:  # raised by NumPy for ids of another type
        raise InputError(
            f"source {shown(ids[0])} is not in the graph: its ids are integers ({error})"
        ) from error
