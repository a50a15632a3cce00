"""Breadth-first search by other libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from clgraph.graph import Graph

Run = Callable[[int], Any]


def _scipy(graph: Graph) -> Run:
    import scipy.sparse as sp
    from scipy.sparse.csgraph import breadth_first_order

    n = graph.num_vertices
    matrix = sp.csr_array((np.ones(graph.num_arcs, np.int8), graph.col_idx, graph.row_ptr), shape=(n, n))
    return lambda source: breadth_first_order(matrix, source, directed=True, return_predecessors=True)


def _half(graph: Graph) -> Any:
    """The arcs, an undirected edge once."""
    return graph.directed | (graph.rows <= graph.col_idx)


def _networkit(graph: Graph) -> Run:
    import networkit as nk
    import scipy.sparse as sp

    half, n = _half(graph), graph.num_vertices
    ends = (graph.rows[half], graph.col_idx[half])
    coo = sp.coo_matrix((np.ones(len(ends[0])), ends), shape=(n, n))
    made = nk.GraphFromCoo(coo, n=n, directed=graph.directed)

    def run(source: int) -> Any:
        search = nk.distance.BFS(made, source, True, False)
        search.run()
        return search

    return run


def _igraph(graph: Graph) -> Run:
    import igraph

    half = _half(graph)
    ends = np.stack((graph.rows[half], graph.col_idx[half]), axis=1)
    made = igraph.Graph(n=graph.num_vertices, edges=ends, directed=graph.directed)
    return lambda source: made.bfs(source)


def _graphblas(graph: Graph) -> Run:
    import graphblas as gb

    n = graph.num_vertices
    adjacency = gb.io.from_scipy_sparse(graph.to_scipy().astype(bool))

    def run(source: int) -> Any:
        """Push by masked vector-matrix products (GraphBLAS turns round by itself)."""
        parent = gb.Vector.from_coo([source], [source], size=n, dtype=int)
        frontier = parent.dup()
        while frontier.nvals:
            frontier(~parent.S, replace=True) << gb.semiring.min_firsti(frontier @ adjacency)
            parent(frontier.S) << frontier
        return parent

    return run


def _cupy(graph: Graph) -> Run:
    import cupy
    import pylibcugraph  # noqa: F401 (CuPy's breadth_first_order is cuGraph's)
    from cupyx.scipy.sparse import csr_matrix
    from cupyx.scipy.sparse.csgraph import breadth_first_order

    n = graph.num_vertices
    ones = cupy.ones(graph.num_arcs, cupy.float32)
    matrix = csr_matrix((ones, cupy.asarray(graph.col_idx), cupy.asarray(graph.row_ptr)), shape=(n, n))

    def run(source: int) -> Any:
        found = breadth_first_order(matrix, source)
        cupy.cuda.Device().synchronize()
        return found

    return run


MAKERS: dict[str, Any] = {
    "scipy": _scipy, "networkit": _networkit, "igraph": _igraph, "graphblas": _graphblas, "cupy": _cupy,
}  # fmt: skip
