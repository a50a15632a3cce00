"""Breadth-first search, one at a time or many at once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, flat_list, hints, is_one, whole, word
from clgraph.errors import InputError
from clgraph.progress import with_progress
from clgraph.results import Arrays
from clgraph.run import opened, run_on
from clgraph.traversal.results import NO_LIMIT, BFSResult, ManyBFSResult, distance_type

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

__all__ = ["BFSResult", "ManyBFSResult", "bfs", "bfs_many"]

Method = Literal["hybrid", "frontier"]
Lanes = Literal[32, 64]
NO_SOURCE = "no source is given: a breadth-first search starts from at least one vertex"


@hints
def bfs(
    graph: Graph | Any,
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
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table, or Shards
        Of `Shards` each level reads the shards that can add to it, at worst all: shards on disk are not for
        grids and roads. They need the section rows (undirected) or in (directed; without `predecessors` and
        with one id, out will do).
    source : vertex id, or a list or array of ids
        Several sources make one frontier: distances are those from the nearest one. An id given twice counts
        once.
    method : {"hybrid", "frontier"}
        "hybrid" is direction-optimising [1]_: it pushes from a queue while the frontier is small, pulls
        through bitmaps while it is large, and does runs of small levels in one launch. On a directed graph it
        makes ``graph.reverse`` when it first pulls. "frontier" is Algorithm 5 of the COPRA thesis (after
        [2]_): every level looks at every vertex. Both give the same arrays on every device.
    depth_limit : int, optional
        Largest distance, in arcs; 0 leaves only the sources (as in NetworkX).
    predecessors : bool
        Whether to find predecessors; it is a little faster without them.
    arrays : {"host", "device"}
        "device" leaves distances, predecessors and sources on the device, as ``pyopencl.array.Array`` on its
        own queue (``get_device(...).queue``), for kernels of your own: nothing is downloaded.
    device : Device or str, optional
        As in `clgraph.get_device`; of `Shards` also several, which share the work.

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
    word(method, "method", get_args(Method))
    last = NO_LIMIT if depth_limit is None else min(whole(depth_limit, "depth_limit"), NO_LIMIT)
    predecessors = flag(predecessors, "predecessors")
    same = "only the default, which gives the same arrays, is"
    graph, stays = opened(graph, arrays, method=(method, ("hybrid",), same))
    several = not is_one(source)
    if not (ids := flat_list(source, "source") if several else [source]):
        raise InputError(NO_SOURCE)
    sources = np.unique(graph.indices_of(ids)).astype(np.int32)
    sections = (("in", "out") if graph.directed else ("rows",)) if method == "hybrid" and not stays else ()
    run = run_on(device, graph, *sections, start=start)
    with run.lock, run:
        if run.blocks is not None:
            from clgraph.traversal.blocks import search_blocks

            found, facts = search_blocks(run.blocks, sources, last, predecessors, device=run.device)
        else:
            from clgraph.traversal.search import Search

            owners = len(sources) > 1 or (several and stays)
            search = Search(run.device, graph, method, predecessors, owners, run.lap)
            levels, reached = search.run(sources, last)
            found = search.take(on_device=stays)
            facts = {"levels": levels, "reached": reached, "seconds": run.seconds, "method": method}
            facts["device"] = run.device.name
        distance, predecessor, source_of = found
        if several and source_of is None:
            source_of = np.where(distance >= 0, sources[0], np.int32(-1))
        facts |= {"depth_limit": depth_limit, "provenance": run.provenance}
        return BFSResult(distance, predecessor, source_of, sources, **facts)


@with_progress("searching")
def bfs_many(
    graph: Graph | Any,
    sources: Sequence[Any] | npt.NDArray[Any],
    *,
    depth_limit: int | None = None,
    dtype: npt.DTypeLike | None = None,
    lanes: Lanes = 64,
    arrays: Arrays = "host",
    device: Device | str | None = None,
    progress: Any = None,
) -> ManyBFSResult:
    """Run breadth-first searches from many vertices, 32 or 64 at a time, a bit each (MS-BFS [1]_).

    It pays if searches soon share their frontiers, as in small-world graphs. In grids and chains they hardly
    do: searches of more than 48 levels are done one after the other (the distances are the same either way).

    On a CPU the 64th search of a large graph with skewed degrees makes a second copy of the arcs, numbered by
    degree. It stays on the device with the graph, and making it takes about as long as two to four batches.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table, or Shards
        Of `Shards` a level reads those that can add to it once for all searches of a batch. That takes 3
        bytes per vertex and lane; where half of the device's memory has no room for them, there are 32 lanes,
        or the searches are made one after the other, as those of more than 127 levels are.
    sources : ids of vertices
        One search each; an id given twice makes two equal rows.
    depth_limit : int, optional
        Largest distance, in arcs.
    dtype : {int8, int16, int32}, optional
        Type of the distances; by default the smallest that holds them all.
    lanes : {64, 32}
        Searches to a batch.
    arrays : {"host", "device"}
        "device" leaves the distances on the device, as ``pyopencl.array.Array``.
    device : Device or str, optional
        As in `clgraph.get_device`.
    progress : callable or bool, optional
        Called with (searches done, of how many); True shows a bar.

    Returns
    -------
    ManyBFSResult

    Raises
    ------
    InputError
        If a source is not in the graph (it is named), an option is wrong, or a distance does not fit `dtype`.
    DeviceError, BuildError, CapacityError
        If the device fails, or graph and distances do not fit on it.

    References
    ----------
    .. [1] M. Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal", VLDB 2014.

    Examples
    --------
    >>> from clgraph import Graph, bfs_many
    >>> bfs_many(Graph.from_edges([0, 1], [1, 2]), [0, 2]).distance
    array([[0, 1, 2],
           [2, 1, 0]], dtype=int8)
    """
    start = time.perf_counter()
    last = NO_LIMIT if depth_limit is None else min(whole(depth_limit, "depth_limit"), NO_LIMIT)
    word(lanes, "lanes", get_args(Lanes))
    distance_type(1, dtype)  # refuses what is no type of distances before a device is used
    graph, stays = opened(graph, arrays)
    if not (ids := flat_list(sources, "sources")):
        raise InputError(NO_SOURCE)
    index = graph.indices_of(ids).astype(np.int32)
    sections = () if stays else ("in", "out") if graph.directed else ("rows",)
    run = run_on(device, graph, *sections, start=start)
    with run.lock, run:
        dev = run.device
        if run.blocks is not None:
            from clgraph.traversal.blocks import search_blocks_often

            found = search_blocks_often(run.blocks, index, last, dtype, lanes, dev, progress)
            distance, levels, seconds, name = found
        else:
            from clgraph.traversal.many import search_often

            distance, levels = search_often(
                dev, graph, index, last, dtype, lanes, progress, run.lap, stays=stays
            )
            seconds, name = run.seconds, dev.name
        return ManyBFSResult(distance, index, levels, depth_limit, seconds, name, provenance=run.provenance)
