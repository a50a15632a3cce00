"""Weak components by other libraries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from clgraph.bench.peers.gapbs import gapbs
from clgraph.bench.peers.graphs import cupy_matrix, igraph_graph, networkit_graph, scipy_matrix

if TYPE_CHECKING:
    from clgraph.graph import Graph

Run = Callable[[], Any]


def _scipy(graph: Graph) -> Run:
    from scipy.sparse.csgraph import connected_components

    matrix = scipy_matrix(graph)
    return lambda: connected_components(matrix, directed=graph.directed, connection="weak")


def _networkit(graph: Graph) -> Run:
    import networkit as nk

    made = networkit_graph(graph)
    if graph.directed:
        return lambda: nk.components.WeaklyConnectedComponents(made).run()
    return lambda: nk.components.ParallelConnectedComponents(made).run()


def _igraph(graph: Graph) -> Run:
    made = igraph_graph(graph)
    return lambda: made.connected_components(mode="weak").membership


def _cupy(graph: Graph) -> Run:
    import cupy
    import pylibcugraph  # noqa: F401 (CuPy's connected_components is cuGraph's)
    from cupyx.scipy.sparse.csgraph import connected_components

    matrix = cupy_matrix(graph)

    def run() -> Any:
        found = connected_components(matrix, directed=graph.directed, connection="weak")
        cupy.cuda.Device().synchronize()
        return found

    return run


MAKERS: dict[str, Any] = {
    "scipy": _scipy,
    "networkit": _networkit,
    "igraph": _igraph,
    "gapbs": partial(gapbs, "cc"),
    "cupy": _cupy,
}
