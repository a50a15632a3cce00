"""Searches and components of the backend: the same values as NetworkX's own in the same order."""

import random
import warnings

import pytest
from networkx_graphs import convert, nx, random_graph, same

from clgraph import networkx_backend as backend
from clgraph.networkx_backend import traversal
from clgraph.networkx_backend.running import RELEASE

TRAVERSALS = (
    "bfs_edges",
    "bfs_tree",
    "bfs_predecessors",
    "bfs_successors",
    "descendants",
    "ancestors",
    "single_source_shortest_path_length",
    "single_target_shortest_path_length",
    "single_source_shortest_path",
)
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
    for sources in (some, [nodes[5], nodes[2], nodes[9], nodes[2]], []):
        same("bfs_layers", graph, sources)
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
    G = nx.path_graph(3)
    for find, graph in ((nx.bfs_predecessors, G), (backend.bfs_predecessors, convert(G))):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            assert list(find(graph, 0))
        wanted = [(DeprecationWarning, __file__)] if RELEASE >= (3, 7) else []
        assert [(each.category, each.filename) for each in said] == wanted


def test_graphs_without_arcs(on):
    G = nx.empty_graph(3)
    same("connected_components", G)
    same("bfs_successors", G, 1)
    same("all_pairs_shortest_path_length", G)
    assert backend.pagerank(convert(G)) == pytest.approx(nx.pagerank(G))


@pytest.mark.parametrize("few", [0, 12, 10**9])
def test_order_of_levels_small_and_large(on, few, monkeypatch):
    monkeypatch.setattr(traversal, "FEW", few)
    rng = random.Random(5)
    G = nx.compose(nx.path_graph(300), nx.gnm_random_graph(400, 700, seed=2))
    nodes = rng.sample(list(G), len(G))
    H = nx.relabel_nodes(G, dict(zip(G, nodes, strict=True)))
    same("bfs_edges", H, 0)
    same("single_source_shortest_path", H, 7)
    same("all_pairs_shortest_path_length", nx.path_graph(70))
    D = random_graph(nx.DiGraph, list(range(200)), 260, rng)
    same("bfs_tree", D, 3)
    same("strongly_connected_components", D)
    same("condensation", D)


def test_components(on, graph):
    for kind in ("strongly_", "weakly_") if graph.is_directed() else ("",):
        same(f"{kind}connected_components", graph)
        same(f"number_{kind}connected_components", graph)
        same(f"is_{kind}connected", graph)
    if graph.is_directed():
        same("condensation", graph)
        same("condensation", graph, list(nx.strongly_connected_components(graph))[::-1])
    else:
        for node in list(graph)[:3]:
            same("node_connected_component", graph, node)


def test_components_are_given_away(on):
    G = nx.path_graph(4)
    first, *_ = backend.connected_components(convert(G))
    first.clear()
    assert list(backend.connected_components(convert(G))) == [{0, 1, 2, 3}]
