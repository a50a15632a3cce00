"""Triangles at every vertex, and what follows from them: host half of ``cl/measures/triangle_count.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.graph import Graph, as_graph, build_csr

if TYPE_CHECKING:
    from clgraph.device import Device

# consecutive arcs a work-item; small numbers for the simulator, so that 50 vertices take several work-groups
RUNS = {"gpu": 4, "cpu": 512, "emulator": 512, "fpga": 512, "simulator": 8}
SKEW = {"simulator": 2}  # a list so many times longer than the other is searched (others: 16)


def simple_view(graph: Any) -> Graph:
    """The undirected graph without self-loops in which each pair of neighbours is one edge.

    Parameters
    ----------
    graph : Graph or SciPy sparse array

    Raises
    ------
    InputError
        If it is neither.
    """
    view = as_graph(graph).undirected.simple
    if not view.has_copies:
        return view
    upper = view.rows < view.col_idx
    ids = None if view.has_identity_ids else view.ids
    return build_csr(
        view.rows[upper], view.col_idx[upper], view.num_vertices, ids=ids, directed=False, duplicates="merge"
    )


def triangles(graph: Any, device: Device | str | None = None) -> npt.NDArray[np.int64]:
    """The number of triangles that each vertex is a corner of.

    The arcs' directions, self-loops and parallel edges play no part. The forward algorithm [1]_ finds each
    triangle once: time goes with the number of edges times at most the root of it.

    Parameters
    ----------
    graph : Graph or SciPy sparse array
    device : Device or str, optional
        As in `clgraph.get_device`.

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
    view = simple_view(graph)
    n, arcs = view.num_vertices, view.num_arcs
    if arcs == 0:
        return np.zeros(n, np.int64)
    from clgraph.csr.upload import upload_csr
    from clgraph.device import get_device

    dev = get_device(device)
    csr = upload_csr(dev, view)
    run = RUNS[dev.kind]
    prog = dev.program("measures/triangle_count", RUN=run, SKEW=SKEW.get(dev.kind, 16), **csr.defines)
    runs = -(-arcs // run)
    size = np.dtype(csr.offset).itemsize
    dev.reserve({"runs": (4 + size) * runs, "rows": (4 + size + 8) * n, "turned arcs": 2 * arcs})
    in_run, in_row = dev.empty(runs, np.int32), dev.zeros(n, np.int32)
    prog.triangles_turn_count(runs, np.int32(n), np.int64(arcs), csr.row_ptr, csr.col_idx, in_run, in_row)
    before = _starts(dev.download(in_run, np.int32, runs), csr.offset)
    up_ptr = dev.upload(_starts(dev.download(in_row, np.int32, n), csr.offset))
    up_idx = dev.empty(arcs // 2, np.int32)
    prog.triangles_turn(
        runs, np.int32(n), np.int64(arcs), csr.row_ptr, csr.col_idx, dev.upload(before[:-1]), up_idx
    )
    count = dev.zeros(n, np.int64)
    prog.triangles_count(-(-arcs // 2 // run), np.int32(n), np.int64(arcs // 2), up_ptr, up_idx, count)
    return dev.download(count, np.int64, n)


def clustering(graph: Any, device: Device | str | None = None) -> npt.NDArray[np.float64]:
    """The local clustering coefficient of every vertex: which share of its neighbours' pairs are neighbours.

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
    view = simple_view(graph)
    return local_clustering(triangles(view, device), view.degrees)


def local_clustering(
    corner_of: npt.NDArray[np.int64], degrees: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Local clustering coefficients from triangles and degrees, shape (n,)."""
    pairs = degrees * (degrees - 1) // 2
    return np.divide(corner_of, pairs, out=np.zeros(len(pairs)), where=pairs > 0)


def _starts(counts: npt.NDArray[np.int32], dtype: type) -> npt.NDArray[Any]:
    """Sums of all counts before each one, and the whole sum: shape (k + 1,)."""
    starts: npt.NDArray[Any] = np.zeros(len(counts) + 1, dtype)
    np.cumsum(counts, out=starts[1:])
    return starts
