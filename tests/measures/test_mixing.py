"""Assortativity against NetworkX."""

import networkx as nx
import pytest
from graphs import tangle, to_networkx

from clgraph import Graph, powerlaw_graph
from clgraph.measures.pack import Pack, simple_view
from clgraph.measures.tally import assortativity, degree_histograms, degree_products


@pytest.mark.smoke
def test_equals_networkx(device):
    graphs = [simple_view(tangle(seed, n=40 + 60 * seed)) for seed in range(3)] + [
        powerlaw_graph(2000, seed=3)
    ]
    pack = Pack.of(device, graphs)
    for graph, degrees, products in zip(graphs, degree_histograms(pack), degree_products(pack), strict=True):
        whole = to_networkx(graph)
        d = dict(whole.degree)
        assert products == 2 * sum(d[u] * d[v] for u, v in whole.edges)
        found, why = assortativity(degrees, products)
        assert why is None
        assert found == pytest.approx(nx.degree_assortativity_coefficient(whole), abs=1e-12)


def test_where_there_is_none(device):
    for graph, why in (
        (Graph.from_edges([0, 1, 2], [1, 2, 0]), "same degree"),
        (Graph.from_edges([], [], vertices=[1]), "no vertex has a neighbour"),
        (Graph.from_edges([], []), "no vertex has a neighbour"),
    ):
        pack = Pack.of(device, [graph])
        found, reason = assortativity(degree_histograms(pack)[0], degree_products(pack)[0])
        assert found is None and why in reason
    import numpy as np

    huge = np.array([3_000_000]), np.array([1])
    assert "64 bits" in assortativity(huge, 0)[1]
