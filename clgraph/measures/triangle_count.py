"""Triangles at every vertex, and local clustering: host half of ``cl/measures/triangle_count.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.graph import Graph, as_graph
from clgraph.measures.pack import measured_view
from clgraph.results import Arrays, on_device
from clgraph.run import run_on

if TYPE_CHECKING:
    from clgraph.device import Device


# consecutive arcs per work-item, and how many times longer than the other a list must be to be searched
# rather than walked
LAUNCH = LaunchTable(gpu=(4, 16), cpu=(512, 16), simulator=(8, 2))


def triangles(
    graph: Any, device: Device | str | None = None, *, arrays: Arrays = "host"
) -> npt.NDArray[np.int64]:
    """Count the triangles that contain each vertex.

    Directions of arcs, self-loops and parallel edges are ignored. The forward algorithm [1]_ finds each
    triangle once, in time O(m^1.5) at most for m edges.

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table
    device : Device or str, optional
        As in `clgraph.get_device`.
    arrays : {"host", "device"}
        "device": the result stays there, as ``pyopencl.array.Array``.

    Returns
    -------
    int64 array, shape (n,)
        In index order; the same on every device. A third of its sum is the number of triangles.

    Raises
    ------
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    .. [1] T. Schank, D. Wagner, "Finding, Counting and Listing all Triangles in Large Graphs", WEA 2005.

    Examples
    --------
    >>> from clgraph import Graph, triangles
    >>> triangles(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3]))
    array([1, 1, 1, 0])
    """
    stays = on_device(arrays)
    whole = as_graph(graph)
    run = run_on(device)
    with run.lock, run:
        dev = run.device
        view = measured_view(dev, whole)
        found, n = count_triangles(dev, view), view.num_vertices
        return dev.array(found, np.int64, n) if stays else dev.download(found, np.int64, n)


def count_triangles(dev: Device, view: Graph) -> Any:
    """The triangles at each vertex of a simple graph: int64 device buffer, shape (n,); does not wait."""
    n, arcs = view.num_vertices, view.num_arcs
    count = dev.zeros(n, np.int64)
    if arcs == 0:
        return count
    # arcs are turned to the end of larger degree, which bounds every row by sqrt(2 m)
    csr = upload_csr(dev, view)
    run, skew = LAUNCH.of(dev)
    prog = dev.program("measures/triangle_count", RUN=run, SKEW=skew, **csr.defines)
    runs = -(-arcs // run)
    size = np.dtype(csr.offset).itemsize
    dev.reserve({"runs": (4 + size) * runs, "rows": (4 + size + 8) * n, "turned arcs": 2 * arcs})
    in_run, in_row = dev.empty(runs, np.int32), dev.zeros(n, np.int32)
    whole = {"n": n, "arcs": arcs, **csr.buffers}
    prog.triangles_turn_count(runs, **whole, in_run=in_run, in_row=in_row)
    before = running_sums(dev, in_run, runs, into=csr.offset)
    up_ptr, up_idx = running_sums(dev, in_row, n, into=csr.offset), dev.empty(arcs // 2, np.int32)
    prog.triangles_turn(runs, **whole, before=before, up_idx=up_idx)
    upward = {"up_ptr": up_ptr, "up_idx": up_idx}
    prog.triangles_count(-(-arcs // 2 // run), n=n, arcs=arcs // 2, **upward, count=count)
    return count


def clustering(graph: Any, device: Device | str | None = None) -> npt.NDArray[np.float64]:
    """Return each vertex's local clustering coefficient: the share of adjacent pairs among its neighbours.

    Parameters and errors are those of `triangles`.

    Returns
    -------
    float64 array, shape (n,)
        0 for vertices with fewer than two neighbours.

    Examples
    --------
    >>> from clgraph import Graph, clustering
    >>> clustering(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3]))
    array([1.        , 1.        , 0.33333333, 0.        ])
    """
    corner_of, pairs = _corners_and_pairs(graph, device)
    return np.divide(corner_of, pairs, out=np.zeros(len(pairs)), where=pairs > 0)


def average_clustering(graph: Any, device: Device | str | None = None) -> float:
    """Return the mean of all vertices' local clustering coefficients.

    Parameters and errors are those of `triangles`; an empty graph has no mean, which is an InputError.

    Examples
    --------
    >>> from clgraph import Graph, average_clustering
    >>> round(average_clustering(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3])), 6)
    0.583333
    """
    local = clustering(graph, device)
    if not len(local):
        raise InputError("the graph is empty: it has no mean clustering coefficient")
    return float(local.mean())


def transitivity(graph: Any, device: Device | str | None = None) -> float:
    """Return the transitivity: three times the triangles over the pairs of edges that meet.

    Parameters and errors are those of `triangles`. Without two edges that meet it is 0.

    Examples
    --------
    >>> from clgraph import Graph, transitivity
    >>> transitivity(Graph.from_edges([0, 1, 2, 2], [1, 2, 0, 3]))
    0.6
    """
    corner_of, pairs = _corners_and_pairs(graph, device)
    found = int(corner_of.sum())
    return found / int(pairs.sum()) if found else 0.0


def _corners_and_pairs(
    graph: Any, device: Device | str | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The triangles at each vertex, and the pairs of its neighbours."""
    whole = as_graph(graph)
    run = run_on(device)
    with run.lock, run:
        dev = run.device
        view = measured_view(dev, whole)
        corner_of = dev.download(count_triangles(dev, view), np.int64, view.num_vertices)
        degrees = view.degrees
    return corner_of, degrees * (degrees - 1) // 2
