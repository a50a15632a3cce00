"""Results of searches, and the types of their distances."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.results import RunsOn

NO_LIMIT = 2**32 - 2  # above all levels, and level + 1 still fits the kernels' uint

# types of the distances of `bfs_many`, the smallest first, as OpenCL C calls them
DISTANCE_TYPES: dict[np.dtype[Any], str] = {
    np.dtype(np.int8): "char",
    np.dtype(np.int16): "short",
    np.dtype(np.int32): "int",
}


def path_to(vertex: int, predecessor: npt.NDArray[np.int32]) -> list[int]:
    """Return the vertices on the path of a search to one that it reached, from the source on."""
    path = [vertex]
    while (vertex := int(predecessor[vertex])) >= 0:
        path.append(vertex)
    return path[::-1]


def distance_type(levels: int, dtype: npt.DTypeLike | None) -> np.dtype[Any]:
    """Return the smallest type for distances below `levels`, or the requested one if it holds them."""
    large_enough = [each for each in DISTANCE_TYPES if levels <= 2 ** (8 * each.itemsize - 1)]
    if dtype is None:
        return large_enough[0]
    try:
        kind = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):  # raised by NumPy for what is no type
        kind = None
    if kind not in DISTANCE_TYPES:
        raise InputError(f"dtype is {shown(dtype)}: distances are int8, int16 or int32")
    if kind not in large_enough:
        raise InputError(f"distances reach {levels - 1}: more than {kind} holds; leave dtype out")
    return kind


def one_by_one(
    search: Callable[[npt.NDArray[np.int32]], tuple[npt.NDArray[np.int32], int, int]],
    sources: Iterable[np.int32],
    dtype: npt.DTypeLike | None,
) -> tuple[npt.NDArray[Any], int]:
    """Search from one source after another: distances (k, n), and the number of levels."""
    rows, levels = [], 0
    for source in sources:
        distance, deepest, _ = search(np.array([source]))
        rows.append(distance.astype(distance_type(deepest, dtype), copy=False))
        levels = max(levels, deepest)
    return np.stack(rows), levels


@dataclass(frozen=True, repr=False)
class BFSResult(RunsOn):
    """Result of a breadth-first search. Vertices are indices; ``graph.ids[...]`` gives their ids.

    With arrays="device" the arrays of all vertices are ``pyopencl.array.Array`` objects.

    Attributes
    ----------
    distance : int32 array, shape (n,)
        Arcs on a shortest path from the nearest source; -1 where there is none (within the depth limit).
    predecessor : int32 array, shape (n,), or None
        The smallest vertex that precedes this one on a shortest path; -1 at sources and at vertices that were
        not reached. None if predecessors were not asked for.
    source_of : int32 array, shape (n,), or None
        The nearest source (the smallest of several), -1 where not reached; None if one id was asked for.
    sources : int32 array
        The sources, ascending, each once.
    levels : int
        Distances that occur: the largest one + 1.
    reached : int
        Vertices reached, sources included.
    depth_limit : int or None
    seconds : dict of float
        Time by phase: "upload" (almost 0 if the graph is on the device already), "compile", "bfs" (from the
        first launch to the end of the last kernel), "download", "total".
    device, method : str
    """

    distance: npt.NDArray[np.int32]
    predecessor: npt.NDArray[np.int32] | None
    source_of: npt.NDArray[np.int32] | None
    sources: npt.NDArray[np.int32]
    levels: int
    reached: int
    depth_limit: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    device: str = ""
    method: str = "hybrid"

    def to_pandas(self, graph: Any = None) -> Any:
        """Return a data frame with a row per vertex: "vertex", "distance"; if known "predecessor", "source".

        Parameters
        ----------
        graph : Graph, optional
            The graph that was searched, whose ids name the vertices then; without it they are indices.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        given = {"distance": self.distance, "predecessor": self.predecessor, "source": self.source_of}
        columns = {"vertex": np.arange(len(self.distance))} | {
            name: values for name, values in given.items() if values is not None
        }
        return frame_of(columns, graph, [name for name in columns if name != "distance"])

    def _facts(self) -> dict[str, Any]:
        return {
            "vertices": len(self.distance),
            "reached": self.reached,
            "levels": self.levels,
            "sources": len(self.sources),
            "method": self.method,
            "device": self.device,
        }


@dataclass(frozen=True, repr=False)
class ManyBFSResult(RunsOn):
    """Distances of many searches.

    Attributes
    ----------
    distance : int8, int16 or int32 array, shape (k, n)
        Row i: arcs on a shortest path from source i; -1 where there is none (within the depth limit).
    sources : int32 array, shape (k,)
        Vertex indices, in the order given.
    levels : int
        Distances that occur in any search: the largest one + 1.
    depth_limit : int or None
    seconds : dict of float
        Time by phase: "upload", "compile", "bfs", "download", "total".
    device : str
    """

    distance: npt.NDArray[Any]
    sources: npt.NDArray[np.int32]
    levels: int
    depth_limit: int | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    device: str = ""

    def to_pandas(self, graph: Any = None) -> Any:
        """Return a data frame with a row per source and vertex: "source", "vertex", "distance".

        Parameters
        ----------
        graph : Graph, optional
            The graph that was searched, whose ids name the vertices then; without it they are indices.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        from clgraph.graph.frames import frame_of

        k, n = self.distance.shape
        ends = {"source": np.repeat(self.sources, n), "vertex": np.tile(np.arange(n), k)}
        return frame_of(ends | {"distance": self.distance.ravel()}, graph, ends)

    def _facts(self) -> dict[str, Any]:
        return {
            "searches": len(self.sources),
            "vertices": self.distance.shape[1],
            "levels": self.levels,
            "device": self.device,
        }
