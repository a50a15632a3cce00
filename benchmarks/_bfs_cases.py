"""Breadth-first search for benchmarks/traversal.py: ours, the peers, and the bytes that must move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Run = Callable[[int], Any]
PEERS = ("scipy", "networkit", "igraph", "graphblas", "cupy")


def ours(graph: Graph, device: Device, method: str = "hybrid") -> Run:
    """A whole call; of its result's `seconds`, "bfs" is first launch to last kernel finished."""
    from clgraph.bfs import bfs

    return lambda source: bfs(graph, source, method=method, device=device)  # type: ignore[arg-type]


def many(graph: Graph, device: Device) -> Callable[[Any], Any]:
    """All sources in one call."""
    from clgraph.bfs_many import bfs_many

    return lambda sources: bfs_many(graph, sources, device=device)


def bytes_needed(graph: Graph) -> int:
    """What any search of the whole graph that gives distances and predecessors moves at least.

    Every arc's head, every row's start, distance and predecessor written once. A search that stops at the
    first hit
    of a row moves less: the share of the bandwidth limit is then of what it would have had to move.
    """
    return 4 * graph.num_arcs + graph.row_ptr.itemsize * graph.num_vertices + 8 * graph.num_vertices


def peers(graph: Graph) -> Iterator[tuple[str, Run | None]]:
    """Name and call of each peer (None: not installed); its own form of the graph is made beforehand."""
    for name, make in zip(PEERS, (_scipy, _networkit, _igraph, _graphblas, _cupy), strict=True):
        try:
            run = make(graph)
        except ImportError:
            run = None
        yield name, run


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
