"""Triangles at every vertex, and local clustering: host half of ``cl/measures/triangle_count.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.shapes import Shapes
from clgraph.graph import Graph, as_graph, build_csr

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class Shape:
    """Launch choices.

    Attributes
    ----------
    run : int
        Consecutive arcs per work-item.
    skew : int
        A list that is this many times longer than the other is searched; otherwise both are walked.
    """

    run: int
    skew: int = 16


SHAPES = Shapes(gpu=Shape(run=4), cpu=Shape(run=512), simulator=Shape(run=8, skew=2))


def simple_view(graph: Any) -> Graph:
    """The undirected graph without self-loops in which each pair of neighbours is one edge.

    Parameters
    ----------
    graph : Graph, SciPy sparse array, NetworkX or igraph graph, pandas or Arrow edge table

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

    Directions of arcs, self-loops and parallel edges are ignored. The forward algorithm [1]_ finds each
    triangle once, in time O(m^1.5) at most for m edges.

    Parameters
    ----------
    graph : Graph, SciPy sparse array, NetworkX or igraph graph, pandas or Arrow edge table
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
    with dev.alone():
        csr = upload_csr(dev, view)
        shape = SHAPES.of(dev)
        prog = dev.program("measures/triangle_count", RUN=shape.run, SKEW=shape.skew, **csr.defines)
        runs = -(-arcs // shape.run)
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
        prog.triangles_count(
            -(-arcs // 2 // shape.run), np.int32(n), np.int64(arcs // 2), up_ptr, up_idx, count
        )
        return dev.download(count, np.int64, n)


def clustering(graph: Any, device: Device | str | None = None) -> npt.NDArray[np.float64]:
    """The local clustering coefficient of every vertex: which share of pairs of its neighbours are adjacent.

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
