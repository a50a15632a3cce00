"""Distances of many pairs, and centralities made of them: host half of ``cl/centrality/distances.cl``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, flat_list, one_id, shown
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.progress import Tell, with_progress
from clgraph.run import run_on

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.traversal import BFSResult
    from clgraph.traversal.many import ManySearch
    from clgraph.traversal.paths import ShortestPathsResult

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
LANES = 64  # searches side by side, a bit of a word each
FEW = 48  # levels up to here are counted one by one, all searches at once; more of them search by search
LAUNCH = LaunchTable(gpu=8, cpu=4, simulator=2)  # work-groups per compute unit


# --- on a device --------------------------------------------------------------------------------------


def distance_counts(
    dev: Device,
    graph: Graph,
    sources: npt.NDArray[np.int32],
    *,
    counted: npt.NDArray[np.bool_] | None = None,
    progress: Tell | None = None,
) -> Iterator[tuple[slice, Ints]]:
    """Batches of sources, and for each of a batch how many vertices lie at each distance.

    Parameters
    ----------
    dev : Device
    graph : Graph
    sources : int32 array
        Vertices to search from.
    counted : bool array, shape (n,), optional
        Which vertices count.
    progress : callable, optional
        Called with (done, of).

    Yields
    ------
    batch : slice
        Which sources.
    counts : int64 array, shape (batch, levels)
        Column 0 is 0: a source does not count itself.
    """
    from clgraph.traversal.many import ManySearch
    from clgraph.traversal.results import NO_LIMIT

    with ManySearch(dev, graph, LANES, len(sources)) as search:
        program = dev.program("centrality/distances", LANES=LANES, ITEMS=dev.tuning.items)
        local = min(dev.tuning.local_size, program.distances_count.limit)
        most_groups = LAUNCH.of(dev) * min(dev.compute_units, 1024)
        mask: Any = None
        masked: Any = False  # the numbering that the mask is in: it may change between batches
        for first in range(0, len(sources), LANES):
            batch = slice(first, min(first + LANES, len(sources)))
            levels = search.search(sources[batch], NO_LIMIT, deep=NO_LIMIT)
            assert levels is not None
            if counted is not None and masked is not search.renumbered:
                mask, masked = dev.upload(_renumbered(counted, search)), search.renumbered
            rows, scratch, counts = search.rows, search.scratch, dev.zeros(levels * LANES, np.uint32)
            found = {"rows": rows, "bits": scratch.bits, "seen": scratch.seen, "planes": scratch.planes}
            common = {**found, "counted": mask, "count": counts}
            # counting level by level reads all vertices for each: too often on long paths
            if levels > FEW:
                program.distances_scatter(-(-rows // dev.tuning.items) * LANES, **common)
            else:
                groups = max(1, most_groups // levels)
                program.distances_count.exact((groups * local, levels), local=(local, 1), **common, first=0)
            each = dev.download(counts, np.uint32, levels * LANES).reshape(levels, LANES).T.astype(np.int64)
            # the source itself
            each[:, 0] = 0
            yield batch, each[: batch.stop - first]
            if progress:
                progress(batch.stop, len(sources))


def _renumbered(counted: npt.NDArray[np.bool_], search: ManySearch) -> npt.NDArray[np.uint8]:
    """Mask of the vertices that count, in the numbering of the searches."""
    mask = counted.astype(np.uint8)
    if search.renumbered is None:
        return mask
    turned = np.zeros(search.n, np.uint8)  # numbered by degree; vertices without arcs have no row
    turned[search.renumbered.position] = mask
    return turned[: search.rows]


# --- public -------------------------------------------------------------------------------------------


def shortest_path(
    graph: Any, source: Any, target: Any, *, weights: bool = False, device: Device | str | None = None
) -> Any:
    """Return a path with the fewest arcs, or of the least weight, from one vertex to another.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    source, target : vertex ids
    weights : bool
        Whether the sum of weights is to be the least, as in `clgraph.shortest_paths`, instead of the number
        of arcs.
    device : Device or str, optional
        As in `clgraph.get_device`.

    Returns
    -------
    array of ids
        From source to target, both included. Of several shortest paths it is the one that takes, seen from
        the target, the smallest vertex at each step (by weight: the predecessors of `shortest_paths`): the
        same on every device.

    Raises
    ------
    InputError
        If an id is not in the graph, or no path leads there; if weights count, also if one is negative, NaN
        or infinite.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.shortest_path(clgraph.Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 3]), 0, 2)
    array([0, 1, 2])
    """
    from clgraph.traversal.results import path_to

    whole = as_graph(graph)
    found, v = _search(whole, source, target, weights, device, predecessors=True)
    assert found.predecessor is not None
    return whole.ids[path_to(v, found.predecessor)]


def shortest_path_length(
    graph: Any, source: Any, target: Any, *, weights: bool = False, device: Device | str | None = None
) -> float:
    """Return the number of arcs on a shortest path from one vertex to another, or the sum of their weights.

    Parameters and errors are those of `shortest_path`. `clgraph.bfs` gives the distances of all vertices from
    one, `clgraph.bfs_many` those from many.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.shortest_path_length(clgraph.Graph.from_edges([0, 1, 2], [1, 2, 3]), 0, 3)
    3
    """
    found, v = _search(as_graph(graph), source, target, weights, device, predecessors=False)
    distance: float = found.distance[v].item()
    return distance


def _search(
    graph: Graph, source: Any, target: Any, weights: Any, device: Any, *, predecessors: bool
) -> tuple[BFSResult | ShortestPathsResult, int]:
    """A search from the source that reaches the target, and the target's index."""
    from clgraph.traversal import bfs
    from clgraph.traversal.paths import shortest_paths

    weights = flag(weights, "weights")
    first, last = graph.indices_of([one_id(source, "source"), one_id(target, "target")]).tolist()
    start, common = graph.ids[[first]], {"predecessors": predecessors, "device": device}
    found: BFSResult | ShortestPathsResult
    found = shortest_paths(graph, start[0], **common) if weights else bfs(graph, start, **common)
    if not 0 <= found.distance[last] < np.inf:
        raise InputError(f"no path leads from {shown(source)} to {shown(target)}")
    return found, last


@with_progress("mean distance")
def average_shortest_path_length(
    graph: Any, *, weights: bool = False, device: Device | str | None = None, progress: Tell | None = None
) -> float:
    """Return the mean distance over all ordered pairs of distinct vertices.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
        Connected; strongly, if it is directed. (`clgraph.quality` estimates the mean of large graphs, and
        that of connected pairs, from a part of the vertices.)
    weights : bool
        Whether distances are sums of weights, as in `clgraph.shortest_paths`, instead of numbers of arcs.
    device : Device or str, optional
        As in `clgraph.get_device`.
    progress : callable or True, optional
        Called with (done, of): vertices searched from. True shows a bar.

    Returns
    -------
    float
        A quotient of whole numbers, or of a sum in a fixed order: the same on every device; 0 for a single
        vertex.

    Raises
    ------
    InputError
        If the graph is empty, or some pair has no path; if weights count, also if one is negative, NaN or
        infinite.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> import clgraph
    >>> round(clgraph.average_shortest_path_length(clgraph.Graph.from_edges([0, 1, 2], [1, 2, 3])), 6)
    1.666667
    """
    whole = as_graph(graph)
    n = whole.num_vertices
    weights = flag(weights, "weights")
    if n == 0:
        raise InputError("the graph is empty: it has no distances")

    def disconnected() -> InputError:
        kind = "strongly connected" if whole.directed else "connected"
        return InputError(
            f"the graph is not {kind}: some pairs have no distance (clgraph.largest_component has the "
            "largest part)"
        )

    run = run_on(device)
    with run.lock, run:
        if weights:
            from clgraph.traversal.paths import mean_distance

            return mean_distance(run.device, whole, progress, disconnected=disconnected)
        total, every = 0, np.arange(n, dtype=np.int32)
        for _, counts in distance_counts(run.device, whole, every, progress=progress):
            if counts.sum() < len(counts) * (n - 1):
                raise disconnected()
            total += int((counts @ np.arange(counts.shape[1])).sum())
    return total / (n * (n - 1)) if n > 1 else 0.0


@with_progress("closeness")
def closeness_centrality(
    graph: Any,
    vertices: Any = None,
    *,
    improved: bool = True,
    weights: bool = False,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Floats:
    """Compute closeness: the reciprocal of the mean distance to each vertex from those that reach it.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    vertices : list of ids, optional
        Vertices to compute it for; by default all.
    improved : bool
        Whether that is multiplied by the share of the others that reach the vertex [1]_, so that vertices of
        small components are not the most central (as in NetworkX's ``wf_improved``).
    weights : False
        Distances are numbers of arcs; True is refused (`clgraph.shortest_paths` has distances by weight).
    device : Device or str, optional
        As in `clgraph.get_device`.
    progress : callable or True, optional
        Called with (done, of): vertices done. True shows a bar.

    Returns
    -------
    float64 array, shape (n,) or one for each of `vertices`
        Along the arcs of a directed graph distances *to* the vertex count. 0 where no other vertex reaches
        it. The same on every device.

    Raises
    ------
    InputError
        If it is no graph, an id is not in it, or weights are to count.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    .. [1] S. Wasserman, K. Faust, "Social Network Analysis", Cambridge University Press, 1994, p. 201.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.closeness_centrality(clgraph.Graph.from_edges([0, 1], [1, 2]))
    array([0.66666667, 1.        , 0.66666667])
    """
    whole = as_graph(graph)
    improved = flag(improved, "improved")
    refuse_weights(weights, "closeness")
    chosen = chosen_of(whole, vertices)
    found, others = np.zeros(len(chosen)), whole.num_vertices - 1
    run = run_on(device)
    with run.lock, run:
        for batch, counts in distance_counts(run.device, whole.reverse, chosen, progress=progress):
            reached = counts.sum(axis=1).astype(np.float64)
            total = (counts @ np.arange(counts.shape[1])).astype(np.float64)
            close = np.divide(reached, total, out=np.zeros(len(total)), where=total > 0)
            found[batch] = close * (reached / others) if improved and others else close
    return found


@with_progress("harmonic centrality")
def harmonic_centrality(
    graph: Any,
    vertices: Any = None,
    *,
    sources: Any = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Floats:
    """Compute harmonic centrality: the sum of reciprocal distances to each vertex from all others [1]_.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    vertices : list of ids, optional
        Vertices to compute it for; by default all.
    sources : list of ids, optional
        The vertices whose distances count; by default all.
    device, progress
        As in `closeness_centrality`.

    Returns
    -------
    float64 array, shape (n,) or one for each of `vertices`
        Along the arcs of a directed graph distances *to* the vertex count. Summed up from the nearest to the
        farthest: the same on every device.

    Raises
    ------
    InputError
        If it is no graph, or an id is not in it.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    .. [1] P. Boldi, S. Vigna, "Axioms for Centrality", Internet Mathematics 10, 2014.

    Examples
    --------
    >>> import clgraph
    >>> clgraph.harmonic_centrality(clgraph.Graph.from_edges([0, 1], [1, 2]))
    array([1.5, 2. , 1.5])
    """
    whole = as_graph(graph)
    chosen = chosen_of(whole, vertices)
    counted = None
    if sources is not None:
        counted = np.zeros(whole.num_vertices, bool)
        counted[chosen_of(whole, sources, "sources")] = True
    found = np.zeros(len(chosen))
    run = run_on(device)
    with run.lock, run:
        about: dict[str, Any] = {"counted": counted, "progress": progress}
        for batch, counts in distance_counts(run.device, whole.reverse, chosen, **about):
            for distance in range(1, counts.shape[1]):
                found[batch] += counts[:, distance] / distance
    return found


def refuse_weights(weights: Any, what: str) -> None:
    """Raise an InputError if weights are to count in a centrality of paths, whose distances count arcs."""
    if flag(weights, "weights"):
        raise InputError(
            f"weights is True: {what} is offered for paths of the fewest arcs only; clgraph.shortest_paths "
            "has the distances by weight from any vertices"
        )


def chosen_of(graph: Graph, vertices: Any, name: str = "vertices") -> npt.NDArray[np.int32]:
    """Return the indices of the given vertices; of all by default."""
    from clgraph.traversal import NO_SOURCE

    if vertices is None:
        return np.arange(graph.num_vertices, dtype=np.int32)
    if not (ids := flat_list(vertices, name)):
        raise InputError(NO_SOURCE)
    return graph.indices_of(ids).astype(np.int32)
