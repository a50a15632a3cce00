"""Breadth-first search by other libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from clgraph.bench.peers.gapbs import gapbs
from clgraph.bench.peers.graphs import cupy_matrix, igraph_graph, networkit_graph, scipy_matrix

if TYPE_CHECKING:
    from clgraph.graph import Graph

Run = Callable[[int], Any]


def _scipy(graph: Graph) -> Run:
    from scipy.sparse.csgraph import breadth_first_order

    matrix = scipy_matrix(graph)
    return lambda source: breadth_first_order(matrix, source, directed=True, return_predecessors=True)


def _networkit(graph: Graph) -> Run:
    import networkit as nk

    made = networkit_graph(graph)

    def run(source: int) -> Any:
        search = nk.distance.BFS(made, source, True, False)
        search.run()
        return search

    return run


def _igraph(graph: Graph) -> Run:
    made = igraph_graph(graph)
    return lambda source: made.bfs(source)


def _graphblas(graph: Graph) -> Run:
    import graphblas as gb

    n = graph.num_vertices
    adjacency = gb.io.from_scipy_sparse(graph.to_scipy().astype(bool))

    def run(source: int) -> Any:
        """Push by masked vector-matrix products (GraphBLAS changes direction by itself)."""
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
    from cupyx.scipy.sparse.csgraph import breadth_first_order

    matrix = cupy_matrix(graph)

    def run(source: int) -> Any:
        found = breadth_first_order(matrix, source)
        cupy.cuda.Device().synchronize()
        return found

    return run


def _gapbs(graph: Graph) -> Run:
    search = gapbs("bfs", graph)
    return lambda source: search("-r", str(source))


MAKERS: dict[str, Any] = {
    "scipy": _scipy,
    "networkit": _networkit,
    "igraph": _igraph,
    "graphblas": _graphblas,
    "gapbs": _gapbs,
    "cupy": _cupy,
}
