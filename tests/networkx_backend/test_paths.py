"""Shortest paths and their lengths of the backend against NetworkX's own."""

from __future__ import annotations

import pytest

nx = pytest.importorskip("networkx")

from networkx_graphs import convert, same  # noqa: E402

from clgraph import networkx_backend as backend  # noqa: E402
from clgraph.networkx_backend.traversal import RELEASE  # noqa: E402

NAMES = ("shortest_path", "shortest_path_length")


def test_paths(on, graph):
    nodes = list(graph)
    for name in NAMES:
        for node in nodes[:3]:
            same(name, graph, node)
            same(name, graph, None, node)
        if RELEASE >= (3, 5):
            same(name, graph)
    converted = convert(graph)
    for target in nodes[:8]:
        same("shortest_path_length", graph, nodes[4], target)
        if nx.has_path(graph, nodes[4], target):
            path = backend.shortest_path(converted, nodes[4], target)
            assert path == nx.single_source_shortest_path(graph, nodes[4])[target]
        else:
            same("shortest_path_length", graph, nodes[4], target)
    same("average_shortest_path_length", graph)  # mostly an error


def test_the_mean_length(on):
    for G in (
        nx.connected_watts_strogatz_graph(90, 4, 0.3, seed=1),
        nx.cycle_graph(30, create_using=nx.DiGraph),
        nx.Graph(),
        nx.empty_graph(1),
        nx.MultiGraph([(0, 1), (0, 1), (1, 2)]),
    ):
        same("average_shortest_path_length", G)
        same("average_shortest_path_length", G, method="unweighted")


def test_errors_are_networkx_own(on):
    for G in (nx.empty_graph(3), nx.DiGraph([(0, 1)])):
        for ends in ((1, 0), ("missing", 0), (0, "missing"), ("missing",), (None, "missing")):
            for name in NAMES:
                same(name, G, *ends)
