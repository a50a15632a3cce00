"""Connected components for benchmarks/traversal.py: ours, the peers, and the bytes that must move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Run = Callable[[], Any]


def ours(graph: Graph, device: Device, connection: str = "weak") -> Run:
    """A whole call; of its result's `seconds`, "components" is first launch to last kernel finished."""
    from clgraph.components import connected_components

    return lambda: connected_components(graph, connection=connection, device=device)  # type: ignore[arg-type]


def peers(graph: Graph, connection: str = "weak") -> Iterator[tuple[str, Run]]:
    """Name and call of each peer that is installed, its own form of the graph made beforehand."""
    strong = connection == "strong"
    yield "scipy", _scipy(graph, connection)
    for name, make in (
        ("networkit", _networkit), ("igraph", _igraph), ("cupy", _cupy),
    ):  # fmt: skip
        try:
            run = make(graph, strong)
        except ImportError:
            continue
        yield name, run


def _scipy(graph: Graph, connection: str) -> Run:
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    n = graph.num_vertices
    ones = np.ones(graph.num_arcs, np.int8)
    matrix = sp.csr_array((ones, graph.col_idx, graph.row_ptr), shape=(n, n))
    return lambda: connected_components(matrix, directed=graph.directed, connection=connection)


def _networkit(graph: Graph, strong: bool) -> Run:
    import networkit as nk
    import scipy.sparse as sp

    half = graph.directed | (graph.rows <= graph.col_idx)  # an undirected edge is given once
    ends = (graph.rows[half], graph.col_idx[half])
    n = graph.num_vertices
    made = nk.GraphFromCoo(
        sp.coo_matrix((np.ones(len(ends[0])), ends), shape=(n, n)), n=n, directed=graph.directed
    )
    if strong and graph.directed:
        return lambda: nk.components.StronglyConnectedComponents(made).run()
    if graph.directed:
        return lambda: nk.components.WeaklyConnectedComponents(made).run()
    return lambda: nk.components.ParallelConnectedComponents(made).run()


def _igraph(graph: Graph, strong: bool) -> Run:
    import igraph

    half = graph.directed | (graph.rows <= graph.col_idx)
    ends = np.stack((graph.rows[half], graph.col_idx[half]), axis=1)
    made = igraph.Graph(n=graph.num_vertices, edges=ends, directed=graph.directed)
    return lambda: made.connected_components(mode="strong" if strong else "weak").membership


def _cupy(graph: Graph, strong: bool) -> Run:
    import cupy
    import pylibcugraph  # noqa: F401 (CuPy's connected_components is cuGraph's)
    from cupyx.scipy.sparse import csr_matrix
    from cupyx.scipy.sparse.csgraph import connected_components

    n = graph.num_vertices
    ones = cupy.ones(graph.num_arcs, cupy.float32)
    arrays = (ones, cupy.asarray(graph.col_idx), cupy.asarray(graph.row_ptr))
    matrix = csr_matrix(arrays, shape=(n, n))
    connection = "strong" if strong else "weak"

    def run() -> Any:
        found = connected_components(matrix, directed=graph.directed, connection=connection)
        cupy.cuda.Device().synchronize()
        return found

    return run


def bytes_moved(graph: Graph, sector: int) -> int:
    """Least traffic of the weak components' kernels, for the share of the bandwidth limit.

    Labels and hints once per pass (init, start, two compresses, link, rest, finish: 11 words a vertex),
    `row_ptr` once, and one memory sector (64 bytes on CPUs, 32 on GPUs) per row that is not empty; label
    look-ups that hit a cache are not counted. On a directed graph all of `col_idx` instead of a sector a row.
    """
    rows = int(np.count_nonzero(graph.degrees))
    arcs = 4 * graph.num_arcs if graph.directed else sector * rows
    return 4 * 12 * graph.num_vertices + arcs
