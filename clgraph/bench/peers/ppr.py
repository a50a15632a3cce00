"""Personalized PageRank by other libraries, one source at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from clgraph.bench.peers.graphs import igraph_graph, networkx_graph

if TYPE_CHECKING:
    from clgraph.graph import Graph

Run = Callable[[int], Any]


def _networkx(graph: Graph) -> Run:
    import networkx as nx

    made, n = networkx_graph(graph), graph.num_vertices
    uniform = dict.fromkeys(range(n), 1.0)

    def run(source: int) -> Any:
        ranks = nx.pagerank(made, personalization={source: 1}, dangling=uniform, tol=1e-6 / n, max_iter=1000)
        return np.fromiter(ranks.values(), np.float64, n)

    return run


def _igraph(graph: Graph) -> Run:
    made = igraph_graph(graph, arcs=True)
    # its dangling mass goes back to the source
    return lambda source: np.array(made.personalized_pagerank(reset_vertices=[source]))


def _sknetwork(graph: Graph) -> Run:
    from sknetwork.ranking import PageRank

    matrix = sp.csr_matrix(graph.to_scipy().astype(np.float64))  # it refuses SciPy's newer arrays
    return lambda source: PageRank(solver="piteration", n_iter=100, tol=1e-6).fit_predict(matrix, {source: 1})


MAKERS: dict[str, Any] = {"networkx": _networkx, "igraph": _igraph, "scikit-network": _sknetwork}
