"""Weighted shortest paths, and the mean of their lengths."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from math import fsum
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, flat_list, is_one, is_word, real, shown, word
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.progress import with_progress
from clgraph.results import Arrays, RunsOn, on_device
from clgraph.run import run_on
from clgraph.traversal.weighted import FLOATS, DType, WeightedSearch, lengths_of, searched

if TYPE_CHECKING:
    from clgraph.device import Device


def mean_distance(
    dev: Device,
    graph: Graph,
    progress: Any = None,
    *,
    sources: npt.NDArray[np.int32] | None = None,
    disconnected: Callable[[], InputError] | None = None,
) -> float:
    """Return the mean weighted distance from the sources (all vertices) to all others that they reach.

    Sums are of `SPAN` vertices in their order, whose exact sum is rounded once. It is 0 if none is reached;
    `disconnected` makes the error to raise if one is not.
    """
    n, pairs = graph.num_vertices, 0
    if n <= 1:
        return 0.0
    sources = np.arange(n, dtype=np.int32) if sources is None else sources
    search = WeightedSearch(dev, graph, lengths_of(dev, graph, True, "float64"), len(sources))
    total: list[Any] = []
    for batch, _ in searched(search, sources, progress):
        each, reached = search.sums()
        if disconnected and reached < (batch.stop - batch.start) * n:
            raise disconnected()
        pairs += reached - (batch.stop - batch.start)
        total.append(fsum(each) if search.numbers.wide else sum(each))
    return (fsum(total) if search.numbers.wide else sum(total)) / pairs if pairs else 0.0


@dataclass(frozen=True, repr=False)
class ShortestPathsResult(RunsOn):
    """Weighted shortest paths. Vertices are indices; ``graph.ids[...]`` gives their ids.

    Attributes
    ----------
    distance : float64 or float32 array, shape (n,), or (k, n) from a list of k sources
        The least sum of weights on a path from the source; infinity where there is none (within the cutoff).
    predecessor : int32 array of the same shape, or None
        The vertex before this one on a shortest path; -1 at the source and where none leads. None if
        predecessors were not asked for.
    sources : int32 array, shape (k,)
        Vertex indices, in the order given.
    reached : int
        Vertices reached, sources included, over all sources.
    cutoff : float or None
    seconds : dict of float
        Time by phase: "upload", "compile", "search", "download", "total".
    device : str
    """

    distance: npt.NDArray[Any]
    predecessor: npt.NDArray[np.int32] | None
    sources: npt.NDArray[np.int32]
    reached: int
    cutoff: float | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    device: str = ""

    def to_pandas(self, graph: Any = None) -> Any:
        """Return a data frame with a row per source and vertex.

        Its columns are "source", "vertex", "distance" and, if known, "predecessor".

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

        n, k = self.distance.shape[-1], len(self.sources)
        columns: dict[str, Any] = {
            "source": np.repeat(self.sources, n),
            "vertex": np.tile(np.arange(n), k),
            "distance": self.distance.ravel(),
        }
        if self.predecessor is not None:
            columns["predecessor"] = self.predecessor.ravel()
        return frame_of(columns, graph, [name for name in columns if name != "distance"])

    def _facts(self) -> dict[str, Any]:
        return {
            "vertices": self.distance.shape[-1],
            "sources": len(self.sources),
            "reached": self.reached,
            "dtype": self.distance.dtype.name,
            "device": self.device,
        }


@with_progress("searching")
def shortest_paths(
    graph: Any,
    sources: Any,
    *,
    weights: bool = True,
    delta: float | Literal["auto"] = "auto",
    cutoff: float | None = None,
    predecessors: bool = True,
    dtype: DType = "float64",
    arrays: Arrays = "host",
    device: Device | str | None = None,
    progress: Any = None,
) -> ShortestPathsResult:
    """Find shortest paths by weight from one vertex or from many.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        Its weights are finite and not negative; zero is allowed. Without weights each arc has length 1. Of
        parallel arcs the lightest counts (where they were merged, their weights have been added up).
    sources : vertex id, or a list or array of ids
        One search each; those of a list are made side by side.
    weights : bool
        Whether weights count; else every arc has length 1.
    delta : float or "auto"
        Vertices are taken up in the order of their distances, so much at a time [1]_ [2]_. It decides how
        long a search takes, and nothing else; "auto" begins narrow and widens as the searches thin out.
    cutoff : float, optional
        The largest distance, rounded to `dtype` as weights are: vertices beyond it count as not reached.
    predecessors : bool
        Whether to find predecessors.
    dtype : {"float64", "float32"}
        What distances are computed in, and returned in. Weights are rounded to it first. (Whole numbers are
        computed in 32-bit integers where no distance can exceed 2^31, of float32 2^24.)
    arrays : {"host", "device"}
        "device" leaves distances and predecessors there, as ``pyopencl.array.Array``.
    device : Device or str, optional
        As in `clgraph.get_device`.
    progress : callable or bool, optional
        Called with (searches done, of how many); True shows a bar.

    Returns
    -------
    ShortestPathsResult
        The least rounded sums of all paths, added up from the source on: the same bytes on every device, and
        for every delta. (From a to b the sum is made in another order than from b to a, so that in an
        undirected graph both may differ in the last digit.) The predecessor of a vertex is the smallest that
        is nearer and whose distance plus the arc's weight gives the vertex's own. A vertex that has none,
        as steps to it add nothing, is reached from those that have one, or from the source, in the fewest
        such steps, from the smallest vertex. So predecessors always lead back to the source.

    Raises
    ------
    InputError
        If a source is not in the graph (it is named), none is given, a weight is negative, NaN or infinite or
        a sum of weights overflows (the edge is named), or an option is not one of the above.
    DeviceError, BuildError, CapacityError
        If the device fails, has no float64 where that is needed, or the graph does not fit on it.

    References
    ----------
    .. [1] U. Meyer, P. Sanders, "Delta-Stepping: A Parallelizable Shortest Path Algorithm", J. Algorithms
       49(1), 2003.
    .. [2] A. Davidson, S. Baxter, M. Garland, J. D. Owens, "Work-Efficient Parallel GPU Methods for
       Single-Source Shortest Paths", IPDPS 2014.

    Examples
    --------
    >>> from clgraph import Graph, shortest_paths
    >>> graph = Graph.from_edges([0, 0, 1, 3], [1, 2, 2, 4], weights=[1, 5, 2.5, 1])
    >>> found = shortest_paths(graph, 0)
    >>> found.distance, found.predecessor
    (array([0. , 1. , 3.5, inf, inf]), array([-1,  0,  1, -1, -1], dtype=int32))
    """
    start = time.perf_counter()
    weights, predecessors = flag(weights, "weights"), flag(predecessors, "predecessors")
    word(dtype, "dtype", tuple(FLOATS))
    width = None if is_word(delta, "auto") else real(delta, "delta")
    if width is not None and width <= 0:
        raise InputError(f"delta is {shown(delta)}: use a positive number or 'auto'")
    last = None if cutoff is None else real(cutoff, "cutoff")
    if last is not None and last < 0:
        raise InputError(f"cutoff is {shown(cutoff)}: use a number from 0 on")
    stays = on_device(arrays)
    whole = as_graph(graph)
    one = is_one(sources)
    if not (ids := [sources] if one else flat_list(sources, "sources")):
        raise InputError("no source is given: a search starts from a vertex")
    index = whole.indices_of(ids).astype(np.int32)
    n, shape = whole.num_vertices, (len(index), whole.num_vertices)
    run = run_on(device, start=start)
    with run.lock, run:
        dev = run.device
        lengths = lengths_of(dev, whole, weights, dtype)
        # as NumPy compares distances with it
        limit = None if last is None else float(np.dtype(dtype).type(min(last, float(np.finfo(dtype).max))))
        search = WeightedSearch(
            dev, whole, lengths, len(index), delta=width, cutoff=limit, pulls=predecessors
        )
        run.lap("upload")
        search.build()
        run.lap("compile")
        # one batch is written where it stays; others on the host are put together there
        k, reached = len(index), 0
        whole_there = stays or search.lanes >= k
        dev.reserve({"distances": np.dtype(dtype).itemsize * n * (k if whole_there else search.lanes)})
        there = dev.output(n * (k if whole_there else search.lanes), dtype)
        distance = None if whole_there else np.empty(shape, dtype)
        before: Any = None
        if predecessors:
            before = dev.output(k * n, np.int32) if stays else np.empty(shape, np.int32)
        for batch, some in searched(search, index, progress):
            run.lap("search")
            reached += search.results(there, batch.start * n if whole_there else 0)
            if distance is not None:
                distance[batch] = dev.download(there, dtype, len(some) * n).reshape(-1, n)
            if predecessors:
                for lane, source in enumerate(some.tolist()):
                    found = search.predecessors(lane, source)
                    if stays:
                        dev.copy(before, found, 4 * n, offset=4 * n * (batch.start + lane))
                    else:
                        before[batch.start + lane] = dev.download(found, np.int32, n)
            run.lap("download")
        hand = dev.array if stays else dev.take
        if distance is None:
            distance = hand(there, np.dtype(dtype), k * n).reshape(k, n)
        if stays:
            before = None if before is None else dev.array(before, np.int32, k * n).reshape(k, n)
            dev.finish()
        run.lap("download")
        if one:
            distance, before = distance[0], None if before is None else before[0]
        facts = {"seconds": run.seconds, "device": dev.name, "provenance": run.provenance}
        return ShortestPathsResult(distance, before, index, reached, last, **facts)
