"""Degrees of neighbours of the backend against NetworkX's own."""

from __future__ import annotations

import warnings

import pytest

nx = pytest.importorskip("networkx")

from networkx_graphs import convert, same  # noqa: E402

from clgraph import networkx_backend as backend  # noqa: E402

WORDS = ("in", "out", "in+out")


def test_degrees_of_neighbours(on, graph):
    graph.add_edge(*[next(iter(graph))] * 2)
    nodes = list(graph)
    for source in WORDS:
        for target in WORDS:
            same("average_neighbor_degree", graph, source, target)
    same("average_neighbor_degree", graph, nodes=[nodes[4], nodes[2], nodes[4], "nobody"])
    same("average_neighbor_degree", graph, "outside")
    converted = convert(graph)
    for x in WORDS[:2]:
        for y in WORDS[:2]:
            expected = nx.degree_assortativity_coefficient(graph, x, y)
            found = backend.degree_assortativity_coefficient(converted, x, y)
            assert type(found) is float and found == pytest.approx(expected, abs=1e-9)


def test_where_there_is_no_correlation(on):
    for G in (nx.cycle_graph(5), nx.empty_graph(2)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = nx.degree_assortativity_coefficient(G)
        found = backend.degree_assortativity_coefficient(convert(G))
        assert found == pytest.approx(expected, nan_ok=True)
