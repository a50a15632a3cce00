"""Searches and paths of the backend against NetworkX's own: the same values in the same order."""

from __future__ import annotations

import warnings

import pytest

nx = pytest.importorskip("networkx")

from networkx_graphs import TRAVERSALS, convert, same  # noqa: E402

from clgraph import networkx_backend as backend  # noqa: E402
from clgraph.networkx_backend.running import RELEASE  # noqa: E402

DEPRECATED = pytest.mark.filterwarnings(
    r"ignore:\s*(bfs_predecessors is|single_target_shortest_path_length will)"
)


@DEPRECATED
def test_traversals(on, graph):
    nodes = list(graph)
    for source in nodes[:3]:
        for name in TRAVERSALS:
            same(name, graph, source)
    some = nodes[4]
    for limit in (0, 1, 2, 2.5, -1, float("inf")):
        for name in ("bfs_edges", "bfs_successors", "bfs_predecessors"):
            same(name, graph, some, depth_limit=limit)
        for name in ("single_source_shortest_path_length", "single_source_shortest_path"):
            same(name, graph, some, cutoff=limit)
        same("descendants_at_distance", graph, some, limit)
    same("bfs_edges", graph, some, reverse=True)
    same("bfs_tree", graph, some, reverse=True, depth_limit=2)
    same("bfs_layers", graph, some)
    same("bfs_layers", graph, [nodes[5], nodes[2], nodes[9], nodes[2]])
    same("bfs_layers", graph, [])
    for target in nodes[:6]:
        same("has_path", graph, some, target)
    same("all_pairs_shortest_path_length", graph)
    same("all_pairs_shortest_path_length", graph, cutoff=2)


@DEPRECATED
def test_errors_are_networkx_own(on):
    for make in (nx.Graph, nx.DiGraph):
        G = nx.path_graph(4, create_using=make)
        for name in (*TRAVERSALS, "bfs_layers"):
            same(name, G, "missing")
        same("bfs_layers", G, ["missing"])
        same("has_path", G, 0, "missing")
        same("has_path", G, "missing", 0)
        same("descendants_at_distance", G, "missing", 1)
        same("bfs_edges", G, [0])
        with pytest.raises(TypeError):
            list(backend.bfs_edges(convert(G), 0, depth_limit="deep"))
        for distance in (1.5, "far", float("nan"), 10**30):
            same("descendants_at_distance", G, 0, distance)
    same("node_connected_component", nx.path_graph(4), "missing")
    same("condensation", nx.path_graph(4, create_using=nx.DiGraph), [{0, 1}])
    with pytest.raises(NotImplementedError, match="sort_neighbors"):
        list(backend.bfs_edges(convert(G), 0, sort_neighbors=sorted))


def test_a_warning_of_networkx_is_ours_too(on):
    for find in (nx.bfs_predecessors, backend.bfs_predecessors):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            assert list(
                find(nx.path_graph(3) if find is nx.bfs_predecessors else convert(nx.path_graph(3)), 0)
            )
        assert [(each.category, each.filename) for each in said] == [
            (DeprecationWarning, __file__) for _ in range(RELEASE >= (3, 7))
        ]


def test_graphs_without_arcs(on):
    G = nx.empty_graph(3)
    same("connected_components", G)
    same("bfs_successors", G, 1)
    same("all_pairs_shortest_path_length", G)
    assert backend.pagerank(convert(G)) == pytest.approx(nx.pagerank(G))
