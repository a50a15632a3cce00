"""Degrees of neighbours on every device against the reference and NetworkX."""

import math
from itertools import product

import networkx as nx
import numpy as np
import pytest
from graphs import as_multigraph, tangle
from samplers import awkward_graphs

import clgraph
from clgraph import Graph, InputError
from clgraph.centrality.neighbours import _dot, correlation
from clgraph.reference.measures import reference_average_neighbor_degree, reference_degree_assortativity


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
def test_equals_reference_and_networkx(device, directed):
    for graph in (tangle(1, 60, 300, directed=directed), tangle(2, directed=directed)):
        other = as_multigraph(graph)
        for source, target in product(("out", "in", "in+out") if directed else ("out",), repeat=2):
            found = clgraph.average_neighbor_degree(graph, source=source, target=target, device=device)
            expected = reference_average_neighbor_degree(graph, source, target)
            assert found.dtype == np.float64 and found.tolist() == expected
            assert found.tolist() == list(nx.average_neighbor_degree(other, source, target).values())
        for x, y in product(("out", "in"), repeat=2):
            one = clgraph.degree_assortativity_coefficient(graph, x=x, y=y, device=device)
            assert one == pytest.approx(reference_degree_assortativity(graph, x, y), abs=1e-12)
            assert one == pytest.approx(nx.degree_assortativity_coefficient(other, x, y), abs=1e-9)


def test_awkward_graphs(device):
    for graph in (tangle(1, 60, 300, duplicates="keep"), *awkward_graphs()):
        found = clgraph.average_neighbor_degree(graph, device=device)
        assert found.tolist() == reference_average_neighbor_degree(graph)
        one = clgraph.degree_assortativity_coefficient(graph, device=device)
        assert one == pytest.approx(reference_degree_assortativity(graph), abs=1e-12, nan_ok=True)


def test_sums_are_exact_where_floats_are_not():
    """Degrees of 10**6 at 10**6 ends: squares of 10**24."""
    many = np.full(3, 10**9)
    assert _dot(many, many, many) == 3 * 10**27
    assert correlation(2, (2 * 10**9 + 1, 2 * 10**9 + 1), (2 * 10**18 + 2 * 10**9 + 1,) * 2, 10**18 * 2) < 0
    assert math.isnan(correlation(2, (2, 4), (2, 8), 4))


def test_wrong_words():
    graph = Graph.from_edges([0], [1])
    with pytest.raises(InputError, match="'out', 'in' or 'in\\+out'"):
        clgraph.average_neighbor_degree(graph, source="both")
    with pytest.raises(InputError, match="'out' or 'in'"):
        clgraph.degree_assortativity_coefficient(graph, y="in+out")
