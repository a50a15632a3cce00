"""Paths of the backend, by steps and by weight, against NetworkX's own, with ties in NetworkX's way."""

import random
from itertools import pairwise

import pytest
from networkx_graphs import convert, nx, same, whole

from clgraph import Graph
from clgraph import networkx_backend as backend
from clgraph.networkx_backend import traversal
from clgraph.networkx_backend.paths import FEW, _joined
from clgraph.networkx_backend.running import RELEASE

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


# --- by weight --------------------------------------------------------------------------------------------

# weights of edges: with ties, steps of nothing, sums that are rounded, and integers beside floats
WEIGHTS = {
    "some": (0, 1, 2.5),
    "small": (1, 2),
    "zeros": (0, 0, 3),
    "tenths": tuple(i / 10 for i in range(12)),
    "absorbed": (1e17, 1.0, 0.5, 0),
    "floats": (1.0, 2.0, 3.0),
}
SINGLE = (
    "single_source_dijkstra",
    "single_source_dijkstra_path",
    "single_source_dijkstra_path_length",
    "dijkstra_predecessor_and_distance",
)
MULTI = ("multi_source_dijkstra", "multi_source_dijkstra_path", "multi_source_dijkstra_path_length")
ALL = ("all_pairs_dijkstra", "all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length")


def weighted(graph, name):
    """A copy whose edges have these weights; a few have none."""
    G, rng = graph.copy(), random.Random(len(graph))
    for *_, data in G.edges(data=True):
        data["w"] = rng.choice(WEIGHTS[name])
        if rng.random() < 0.1:
            del data["w"]
    return G


@pytest.mark.parametrize("name", WEIGHTS)
def test_dijkstra(on, graph, name):
    G = weighted(graph, name)
    nodes = list(G)
    converted = convert(G)  # once: NetworkX has it in the graph's cache
    for source in nodes[:2]:
        for function in SINGLE:
            same(function, G, source, cutoff=1.5, weight="w")
            ours = getattr(backend, function)(converted, source, weight="w")
            theirs = getattr(nx, function)(G, source, weight="w")
            assert repr(whole(ours)) == repr(whole(theirs))  # 1 is not 1.0
        for target in nodes[:5]:
            same("single_source_dijkstra", G, source, target, weight="w")
    for function in ("dijkstra_path", "dijkstra_path_length"):
        same(function, G, nodes[0], nodes[7], weight="w")
    for sources in (set(nodes[:9]), [nodes[4], nodes[2], nodes[4]], nodes):
        for function in MULTI:
            same(function, G, sources, cutoff=None if function == MULTI[0] else 2, weight="w")
    same("multi_source_dijkstra", G, nodes[3:6], nodes[-1], weight="w")


@pytest.mark.parametrize("name", ["some", "tenths"])
def test_all_pairs(on, graph, name, monkeypatch):
    monkeypatch.setattr(traversal, "SEARCHES", 17)
    G = weighted(graph, name)
    same(ALL[0], G, cutoff=2, weight="w")
    for function in ALL[1:]:
        same(function, G, weight="w")
    for function in NAMES:
        if RELEASE >= (3, 5):
            same(function, G, weight="w")
        for node in list(G)[:2]:
            same(function, G, node, weight="w")
            same(function, G, None, node, weight="w")
            for target in list(G)[:3]:
                same("shortest_path_length", G, node, target, weight="w")
    same("average_shortest_path_length", G, weight="w")


@pytest.mark.parametrize("name", ["some", "floats", "small"])
@pytest.mark.parametrize("method", [None, "dijkstra", "unweighted"])
def test_the_mean_length_by_weight(on, name, method):
    for G in (nx.connected_watts_strogatz_graph(70, 4, 0.3, seed=1), nx.cycle_graph(20, nx.DiGraph)):
        found = same("average_shortest_path_length", weighted(G, name), weight="w", method=method)
        assert found > 1


def test_many_at_one_distance(on):
    G = weighted(nx.gnm_random_graph(400, 3000, seed=3, directed=True), "small")
    assert len(G.edges) > 9 * FEW
    for function in SINGLE:
        same(function, G, 5, weight="w")
        same(function, G, 5)  # no edge has the attribute "weight"


def length_of(G, path):
    steps = [G[u][v].values() if G.is_multigraph() else [G[u][v]] for u, v in pairwise(path)]
    return sum(min(data.get("w", 1) for data in edges) for edges in steps)


def test_lengths_between_two(on, graph):
    """Paths have the length of NetworkX's; which of several they are may differ."""
    G = weighted(graph, "tenths")
    converted, nodes = convert(G), list(G)
    for target in nodes[:4]:
        same("bellman_ford_path_length", G, nodes[1], target, weight="w")
        same("shortest_path_length", G, nodes[1], target, weight="w", method="bellman-ford")
        for name, *method in (("shortest_path",), ("shortest_path", "bellman-ford"), ("bellman_ford_path",)):
            call = nodes[1], target, "w", *method
            try:
                theirs = getattr(nx, name)(G, *call)
            except nx.NetworkXNoPath:
                same(name, G, *call)
                continue
            ours = getattr(backend, name)(converted, *call)
            assert (ours[0], ours[-1]) == (nodes[1], target)
            assert length_of(G, ours) == pytest.approx(length_of(G, theirs), rel=1e-12)


def test_bellman_ford(on, graph):
    G = weighted(graph, "some")
    converted, source = convert(G), next(iter(G))
    theirs = nx.single_source_bellman_ford_path_length(G, source, weight="w")
    assert backend.single_source_bellman_ford_path_length(converted, source, weight="w") == theirs
    lengths, paths = backend.single_source_bellman_ford(converted, source, weight="w")
    assert lengths == theirs and paths == nx.single_source_dijkstra_path(G, source, weight="w")
    assert paths == backend.single_source_bellman_ford_path(converted, source, weight="w")
    of_all = dict(backend.all_pairs_bellman_ford_path_length(converted, weight="w"))
    assert of_all == dict(nx.all_pairs_bellman_ford_path_length(G, weight="w"))
    assert dict(backend.all_pairs_bellman_ford_path(converted, weight="w"))[source] == paths
    for name in ("single_source_bellman_ford", "bellman_ford_path_length", "bellman_ford_path"):
        same(name, G, source, source)
        same(name, G, "missing", "missing")
        same(name, G, "missing", source)
        same(name, nx.empty_graph(2), 0, 1)


def test_errors_are_networkx_own(on):
    for G in (nx.empty_graph(3), nx.DiGraph([(0, 1)])):
        for name in ("single_source_dijkstra", "dijkstra_path", "dijkstra_path_length"):
            for ends in ((1, 0), ("missing", 0), (0, "missing"), ("missing", "missing"), (0, 0)):
                same(name, G, *ends)
        for name in SINGLE:
            same(name, G, "missing")
        for name in MULTI:
            same(name, G, [])
            same(name, G, [0, "missing"])
        for ends in ((1, 0), ("missing", 0), (0, "missing"), ("missing",), (None, "missing")):
            for name in NAMES:
                same(name, G, *ends)
                for method in ("dijkstra", "bellman-ford"):
                    same(name, G, *ends, weight="weight", method=method)


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 2**52, 10**400, "1", None, True])
def test_other_weights_are_left_to_networkx(on, value):
    G = nx.path_graph(4)
    G[1][2]["w"] = value
    for make in (nx.Graph, nx.MultiDiGraph):
        with pytest.raises(NotImplementedError, match="clgraph"):
            backend.single_source_dijkstra(convert(make(G)), 0, weight="w")
    with pytest.raises(NotImplementedError, match="lengths of paths"):
        backend.all_pairs_dijkstra_path(convert(nx.MultiGraph(G)), weight="w")


def test_rows_joined_for_several_nodes_have_offsets_like_their_reverse():
    """Kernels are built for one type of offset, and devices without 64-bit atomics read both."""
    rows = Graph.from_edges([0, 1, 2], [1, 2, 3])
    joined = _joined(rows, [0, 3])
    assert joined.row_ptr.dtype == joined.reverse.row_ptr.dtype == rows.row_ptr.dtype
    assert joined.row_ptr.tolist() == [*rows.row_ptr.tolist(), rows.num_arcs + 2]
