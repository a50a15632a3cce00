"""Core numbers on every device against the reference and NetworkX."""

import networkx as nx
import numpy as np
import pytest
from graphs import tangle, to_networkx
from samplers import awkward_graphs

from clgraph import Graph, InputError, core_numbers
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.measures import reference_core_numbers, verify_core_numbers


@pytest.mark.parametrize("options", [{}, {"duplicates": "keep"}, {"directed": True}], ids=str)
def test_equals_reference_and_networkx(device, options):
    for seed in range(3):
        graph = tangle(seed, **options)
        found = core_numbers(graph, device)
        assert found.dtype == np.int32
        assert found.tolist() == reference_core_numbers(graph).tolist()
        other = to_networkx(graph)
        if graph.directed:
            other = nx.DiGraph()
            other.add_nodes_from(range(graph.num_vertices))
            arcs = zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True)
            other.add_edges_from((u, v) for u, v in arcs if u != v)
        assert found.tolist() == [nx.core_number(other)[v] for v in range(graph.num_vertices)]
        verify_core_numbers(graph, found)


def test_awkward_graphs(device):
    for graph in [*awkward_graphs(), powerlaw_graph(800, seed=1)]:
        found = core_numbers(graph, device)
        assert found.tolist() == reference_core_numbers(graph).tolist()


@pytest.mark.smoke
def test_known_graphs(device):
    clique = Graph.from_edges(*np.triu_indices(40, 1))
    assert core_numbers(clique, device).tolist() == [39] * 40
    assert core_numbers(Graph.from_edges([], [], vertices=[1, 2]), device).tolist() == [0, 0]
    assert core_numbers(Graph.from_edges([], []), device).tolist() == []


def test_the_verifier_sees_what_is_wrong():
    graph = powerlaw_graph(100, seed=2)
    right = reference_core_numbers(graph)
    verify_core_numbers(graph, right)
    for change in (1, -1):
        wrong = right.copy()
        wrong[int(np.argmax(right))] += change
        with pytest.raises(AssertionError):
            verify_core_numbers(graph, wrong)


def test_no_graph():
    with pytest.raises(InputError, match="Graph"):
        core_numbers(7)
