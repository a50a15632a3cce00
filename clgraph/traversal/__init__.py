"""Breadth-first search: the call and its result. `clgraph.traversal.search` is the host half of ``cl/bfs*.cl``."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.results import Arrays, RunsOn, on_device

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Method = Literal["hybrid", "frontier"]


@dataclass(frozen=True)
class BFSResult(RunsOn):
    """What a breadth-first search found. Vertices are indices throughout; ``graph.ids[...]`` names them.

    With arrays="device" the arrays of all vertices are ``pyopencl.array.Array`` objects.

    Attributes
    ----------
    distance : int32 array, shape (n,)
        Arcs on a shortest path from the nearest source; -1 where there is none (within the depth limit).
    predecessor : int32 array, shape (n,), or None
        The smallest vertex that stands before this one on a shortest path; -1 at sources and where not
        reached.
    source_of : int32 array, shape (n,), or None
        The nearest source (of several the smallest), -1 where not reached; None if one id was asked for.
    sources : int32 array
        The sources, ascending, each once.
    levels : int
        Distances that occur: the largest one + 1.
    reached : int
        Vertices reached, sources included.
    depth_limit : int or None
    seconds : dict of float
        Time by phase: "upload" (next to nothing where the graph was there already), "compile", "bfs" (from
        the
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


def bfs(
    graph: Graph,
    source: Any,
    *,
    method: Method = "hybrid",
    depth_limit: int | None = None,
    predecessors: bool = True,
    arrays: Arrays = "host",
    device: Device | str | None = None,
) -> BFSResult:
    """Breadth-first search along the arcs of a graph.

    Parameters
    ----------
    graph : Graph
    source : vertex id, or a list or array of ids
        Several sources make one frontier: distances are those from the nearest one. The same id twice counts
        once.
    method : {"hybrid", "frontier"}
        "hybrid" is direction-optimising [1]_ (push from a queue while the frontier is small, pull through
        bitmaps
        while it is large, runs of small levels in one launch); on a directed graph it makes
        ``graph.reverse`` when it
        first pulls. "frontier" is Algorithm 5 of the COPRA thesis after [2]_: every level looks at every
        vertex. Both
        give the same arrays, on every device.
    depth_limit : int, optional
        Go no further than so many arcs; 0 leaves the sources alone (as in NetworkX).
    predecessors : bool
        Whether predecessors are wanted; without them it is a little faster.
    arrays : {"host", "device"}
        "device" leaves distances, predecessors and sources where they are, as ``pyopencl.array.Array`` on
        the device's own queue (``get_device(...).queue``), for kernels of your own: nothing is downloaded.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    BFSResult

    Raises
    ------
    InputError
        If a source is not in the graph (it is named), none is given, or an option is not one of the above.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    .. [1] S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
    .. [2] P. Harish, P. J. Narayanan, "Accelerating Large Graph Algorithms on the GPU Using CUDA", HiPC 2007.

    Examples
    --------
    >>> from clgraph import Graph, bfs
    >>> found = bfs(Graph.from_edges([0, 1, 3], [1, 2, 4]), 0)
    >>> found.distance, found.predecessor
    (array([ 0,  1,  2, -1, -1], dtype=int32), array([-1,  0,  1, -1, -1], dtype=int32))
    """
    start = time.perf_counter()
    if method not in get_args(Method):
        raise InputError(f"method is {method!r}: use 'hybrid' or 'frontier'")
    check_depth(depth_limit)
    stays = on_device(arrays)
    sources, several = source_indices(graph, source)
    from clgraph.device import get_device
    from clgraph.traversal.search import Search

    dev = get_device(device)
    how = dev.watch()
    search = Search(dev, graph, method, predecessors, owners=len(sources) > 1 or (several and stays))
    levels, reached = search.run(sources, depth_limit)
    distance, predecessor, source_of = search.take(on_device=stays)
    if several and source_of is None:
        source_of = np.where(distance >= 0, sources[0], np.int32(-1))
    search.seconds["total"] = time.perf_counter() - start
    return BFSResult(
        distance=distance,
        predecessor=predecessor,
        source_of=source_of,
        sources=sources,
        levels=levels,
        reached=reached,
        depth_limit=depth_limit,
        seconds=search.seconds,
        device=dev.name,
        method=method,
        **how(),
    )


def check_depth(depth_limit: int | None) -> None:
    """Refuse what is no depth limit."""
    if depth_limit is None:
        return
    if isinstance(depth_limit, bool) or not isinstance(depth_limit, (int, np.integer)) or depth_limit < 0:
        raise InputError(
            f"depth_limit is {depth_limit!r}: use a whole number of at least 0, or None for no limit"
        )


def source_indices(graph: Graph, source: Any) -> tuple[npt.NDArray[np.int32], bool]:
    """Indices of the sources, ascending and each once, and whether several were asked for."""
    several = not (np.isscalar(source) or isinstance(source, str) or np.ndim(source) == 0)
    wanted = list(source) if several else [source]
    if not wanted:
        raise InputError("no source is given: a breadth-first search starts from at least one vertex")
    return np.unique(indices_of(graph, wanted)).astype(np.int32), several


def indices_of(graph: Graph, ids: list[Any]) -> npt.NDArray[np.int64]:
    """Indices of ids; whatever is no id of this graph is named."""
    try:
        return graph.index(ids)
    except InputError:
        raise
    except (ValueError, TypeError, OverflowError) as error:  # NumPy's word on ids of another type
        raise InputError(f"source {ids[0]!r} is not in the graph: its ids are integers ({error})") from error
