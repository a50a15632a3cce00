"""A graph in other libraries' own forms: what several peers make of it before they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from clgraph.graph import Graph


def scipy_matrix(graph: Graph, dtype: Any = np.int8) -> Any:
    """The arcs as a SciPy array of ones."""
    import scipy.sparse as sp

    n = graph.num_vertices
    return sp.csr_array((np.ones(graph.num_arcs, dtype), graph.col_idx, graph.row_ptr), shape=(n, n))


def cupy_matrix(graph: Graph) -> Any:
    """The arcs as a CuPy matrix of ones, float32."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    n = graph.num_vertices
    ones = cupy.ones(graph.num_arcs, cupy.float32)
    return csr_matrix((ones, cupy.asarray(graph.col_idx), cupy.asarray(graph.row_ptr)), shape=(n, n))


def _ends(graph: Graph, arcs: bool) -> tuple[Any, Any, bool]:
    """Tails, heads, whether they are directed: an undirected edge once, or (`arcs`) as two arcs."""
    if arcs or graph.directed:
        return graph.rows, graph.col_idx, True
    once = graph.rows <= graph.col_idx
    return graph.rows[once], graph.col_idx[once], False


def networkit_graph(graph: Graph, *, arcs: bool = False) -> Any:
    """NetworKit's graph."""
    import networkit as nk
    import scipy.sparse as sp

    tail, head, directed = _ends(graph, arcs)
    n = graph.num_vertices
    coo = sp.coo_matrix((np.ones(len(tail)), (tail, head)), shape=(n, n))
    return nk.GraphFromCoo(coo, n=n, directed=directed)


def igraph_graph(graph: Graph, *, arcs: bool = False) -> Any:
    """igraph's graph."""
    import igraph

    tail, head, directed = _ends(graph, arcs)
    return igraph.Graph(n=graph.num_vertices, edges=np.stack((tail, head), axis=1), directed=directed)


def networkx_graph(graph: Graph) -> Any:
    """NetworkX's graph of the arcs."""
    import networkx as nx

    if graph.num_arcs > 4_000_000:  # 3.2 million: 15 s to build, 18 s a query, 1.5 GB
        raise ImportError("more than 4 million arcs take it half a minute and more a query")
    made = nx.DiGraph()
    made.add_nodes_from(range(graph.num_vertices))
    made.add_edges_from(zip(graph.rows.tolist(), graph.col_idx.tolist(), strict=True))
    return made
