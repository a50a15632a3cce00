"""Core numbers and cores of the backend against NetworkX's own."""

from __future__ import annotations

import pytest

nx = pytest.importorskip("networkx")

from networkx_graphs import same  # noqa: E402

from clgraph import networkx_backend as backend  # noqa: E402


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
    whole = backend.convert_from_nx(
        graph, preserve_edge_attrs=True, preserve_node_attrs=True, preserve_graph_attrs=True
    )
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


def test_empty_graphs(on):
    same("core_number", nx.Graph())
    same("k_core", nx.Graph())
    same("core_number", nx.empty_graph(2))
