"""Personalized PageRank by other libraries, one source at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from clgraph.graph import Graph

Run = Callable[[int], Any]


def _networkx(graph: Graph) -> Run:
    import networkx as nx

    n = graph.num_vertices
    if graph.num_arcs > 4_000_000:  # 3.2 million: 15 s to build, 18 s a query, 1.5 GB
        raise ImportError("more than 4 million arcs take it half a minute and more a query")
    made = nx.DiGraph()
    made.add_nodes_from(range(n))
    made.add_edges_from(zip(graph.rows.tolist(), graph.col_idx.tolist(), strict=True))
    uniform = dict.fromkeys(range(n), 1.0)

    def run(source: int) -> Any:
        ranks = nx.pagerank(made, personalization={source: 1}, dangling=uniform, tol=1e-6 / n, max_iter=1000)
        return np.fromiter(ranks.values(), np.float64, n)

    return run


def _igraph(graph: Graph) -> Run:
    import igraph

    ends = np.stack((graph.rows, graph.col_idx), axis=1)
    made = igraph.Graph(n=graph.num_vertices, edges=ends, directed=True)
    # its dangling mass goes back to the source
    return lambda source: np.array(made.personalized_pagerank(reset_vertices=[source]))


def _sknetwork(graph: Graph) -> Run:
    from sknetwork.ranking import PageRank

    matrix = sp.csr_matrix(graph.to_scipy().astype(np.float64))  # it refuses SciPy's newer arrays
    return lambda source: PageRank(solver="piteration", n_iter=100, tol=1e-6).fit_predict(matrix, {source: 1})


MAKERS: dict[str, Any] = {"networkx": _networkx, "igraph": _igraph, "scikit-network": _sknetwork}
