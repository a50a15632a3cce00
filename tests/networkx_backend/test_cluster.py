"""Triangles, cores and degrees of neighbours of the backend: NetworkX's own values in the same order.

Communities: partitions as good as NetworkX's own, since seeds need not agree.
"""

import random
import warnings

import pytest
from networkx_graphs import convert, nx, same

from clgraph import networkx_backend as backend


def test_triangles(on, graph):
    if graph.is_directed():
        assert "directed" in backend.can_run("transitivity", (graph,), {})
    if graph.is_directed() and graph.is_multigraph():
        assert "multigraph" in backend.can_run("clustering", (graph,), {})
        return
    nodes = list(graph)
    graph.add_edges_from((u, v) for u in nodes[:6] for v in nodes[3:8])  # loops too
    if graph.is_directed():
        for name in ("clustering", "average_clustering"):
            assert backend.can_run(name, (graph,), {}) is True
            same(name, graph)
            same(name, graph, nodes[3:9])
            same(name, nx.DiGraph())
        same("clustering", graph, nodes[0])
        return
    same("triangles", graph)
    if graph.is_multigraph():
        assert "multigraph" in backend.can_run("clustering", (graph,), {})
        assert "multigraph" in backend.can_run("triangles", (graph, [1]), {})
        return
    same("transitivity", graph)
    same("average_clustering", graph, count_zeros=False)
    for some in (nodes[3:9], [], None):
        same("average_clustering", graph, some)
    for name in ("triangles", "clustering"):
        same(name, graph)
        same(name, graph, nodes[0])
        same(name, graph, [nodes[4], nodes[2], "nobody", nodes[4]])
        if not nx.__version__.startswith("3.4"):  # whose word for it is another one
            same(name, graph, 10**9)
    for name in ("triangles", "transitivity", "average_clustering"):
        same(name, nx.Graph())
    assert "weight" in backend.can_run("clustering", (graph,), {"weight": "weight"})


def test_cores(on, graph):
    if graph.is_multigraph():
        assert "multigraph" in backend.can_run("core_number", (graph,), {})
        return
    graph.add_edge(*[next(iter(graph))] * 2)
    same("core_number", graph)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    same("core_number", graph)
    for node in graph:
        graph.nodes[node]["place"] = str(node)
    preserved = ("preserve_edge_attrs", "preserve_node_attrs", "preserve_graph_attrs")
    whole = backend.convert_from_nx(graph, **dict.fromkeys(preserved, True))
    for k in (None, 0, 2, 99):
        found, expected = backend.k_core(whole, k), nx.k_core(graph, k)
        assert nx.utils.graphs_equal(found, expected) and type(found) is type(graph)
        bare = backend.k_core(backend.convert_from_nx(graph), k)
        assert set(bare.edges) == set(found.edges) or not graph.is_directed()
        assert bare.number_of_edges() == found.number_of_edges()
    given = dict.fromkeys(graph, 3)
    assert nx.utils.graphs_equal(backend.k_core(whole, 3, given), nx.k_core(graph, 3, given))
    # the weights are there if another function asks for them
    assert backend.pagerank(whole) == pytest.approx(nx.pagerank(graph))


def test_cores_of_empty_graphs(on):
    same("core_number", nx.Graph())
    same("k_core", nx.Graph())
    same("core_number", nx.empty_graph(2))


def test_degrees_of_neighbours(on, graph):
    graph.add_edge(*[next(iter(graph))] * 2)
    nodes, converted = list(graph), convert(graph)
    for source in ("in", "out", "in+out"):
        for target in ("in", "out", "in+out"):
            same("average_neighbor_degree", graph, source, target)
            if "in+out" not in (source, target):
                expected = nx.degree_assortativity_coefficient(graph, source, target)
                found = backend.degree_assortativity_coefficient(converted, source, target)
                assert type(found) is float and found == pytest.approx(expected, abs=1e-9)
    same("average_neighbor_degree", graph, nodes=[nodes[4], nodes[2], nodes[4], "nobody"])
    same("average_neighbor_degree", graph, "outside")


def test_where_there_is_no_correlation(on):
    for G in (nx.cycle_graph(5), nx.empty_graph(2)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = nx.degree_assortativity_coefficient(G)
        found = backend.degree_assortativity_coefficient(convert(G))
        assert found == pytest.approx(expected, nan_ok=True)


# --- communities ------------------------------------------------------------------------------------------

METHODS = ("louvain_communities", "leiden_communities")


@pytest.mark.parametrize("name", METHODS)
def test_partitions(on, graph, name):
    if graph.is_directed():
        assert "directed" in backend.can_run(name, (graph,), {})
        return
    modularity = {"metric": "modularity"} if name == "leiden_communities" else {}
    assert backend.can_run(name, (graph,), {"seed": 1} | modularity) is True
    for weight in ("weight", None):
        given = {"weight": weight, "resolution": 0.75}
        converted, before = convert(graph, weight), backend.call_counts().get(name, 0)
        found = getattr(backend, name)(converted, seed=3, **given)
        assert backend.call_counts()[name] == before + 1
        assert nx.community.is_partition(graph, found) and all(found)
        assert sorted(map(len, found), reverse=True) == list(map(len, found))
        assert {type(each) for each in found} == {set}
        for seed in (3, random.Random(3)):
            assert getattr(backend, name)(converted, seed=seed, **given) == found
        own = nx.community.louvain_communities(graph, seed=3, **given)
        quality = [nx.community.modularity(graph, each, **given) for each in (found, own)]
        assert quality[0] > quality[1] - 0.03
        if name == "leiden_communities":
            edges = graph.edges(keys=True) if graph.is_multigraph() else graph.edges
            heavy = [each for each in edges if not weight or graph.edges[each].get("weight", 1) > 0]
            weighed = graph.edge_subgraph(heavy)
            assert all(len(each) == 1 or nx.is_connected(weighed.subgraph(each)) for each in found)


@pytest.mark.parametrize("name", METHODS)
def test_corners(on, name):
    call = getattr(backend, name)
    assert call(convert(nx.Graph(), "weight")) == []
    assert call(convert(nx.empty_graph(3), "weight")) == [{0}, {1}, {2}]
    assert call(convert(nx.path_graph(2), "weight"), seed=None) == [{0, 1}]
    two = nx.disjoint_union(nx.complete_graph(5), nx.complete_graph(4))
    assert call(convert(two, "weight"), resolution=0.5) == [{0, 1, 2, 3, 4}, {5, 6, 7, 8}]
    two.add_edge(0, 1, weight=-1)
    with pytest.raises(NotImplementedError, match="not negative"):
        call(convert(two, "weight"))
    assert len(call(convert(two), weight=None)) == 2
