"""Weak components by other libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from clgraph.graph import Graph

Run = Callable[[], Any]


def _scipy(graph: Graph) -> Run:
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    n = graph.num_vertices
    ones = np.ones(graph.num_arcs, np.int8)
    matrix = sp.csr_array((ones, graph.col_idx, graph.row_ptr), shape=(n, n))
    return lambda: connected_components(matrix, directed=graph.directed, connection="weak")


def _networkit(graph: Graph) -> Run:
    import networkit as nk
    import scipy.sparse as sp

    half = graph.directed | (graph.rows <= graph.col_idx)  # an undirected edge is given once
    ends = (graph.rows[half], graph.col_idx[half])
    n = graph.num_vertices
    made = nk.GraphFromCoo(
        sp.coo_matrix((np.ones(len(ends[0])), ends), shape=(n, n)), n=n, directed=graph.directed
    )
    if graph.directed:
        return lambda: nk.components.WeaklyConnectedComponents(made).run()
    return lambda: nk.components.ParallelConnectedComponents(made).run()


def _igraph(graph: Graph) -> Run:
    import igraph

    half = graph.directed | (graph.rows <= graph.col_idx)
    ends = np.stack((graph.rows[half], graph.col_idx[half]), axis=1)
    made = igraph.Graph(n=graph.num_vertices, edges=ends, directed=graph.directed)
    return lambda: made.connected_components(mode="weak").membership


def _cupy(graph: Graph) -> Run:
    import cupy
    import pylibcugraph  # noqa: F401 (CuPy's connected_components is cuGraph's)
    from cupyx.scipy.sparse import csr_matrix
    from cupyx.scipy.sparse.csgraph import connected_components

    n = graph.num_vertices
    ones = cupy.ones(graph.num_arcs, cupy.float32)
    arrays = (ones, cupy.asarray(graph.col_idx), cupy.asarray(graph.row_ptr))
    matrix = csr_matrix(arrays, shape=(n, n))

    def run() -> Any:
        found = connected_components(matrix, directed=graph.directed, connection="weak")
        cupy.cuda.Device().synchronize()
        return found

    return run


MAKERS: dict[str, Any] = {
    "scipy": _scipy, "networkit": _networkit, "igraph": _igraph, "cupy": _cupy,
}  # fmt: skip
