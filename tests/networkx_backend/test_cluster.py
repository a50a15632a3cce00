"""Triangles and clustering of the backend against NetworkX's own: the same values in the same order."""

from __future__ import annotations

import pytest

nx = pytest.importorskip("networkx")

from networkx_graphs import same  # noqa: E402

from clgraph import networkx_backend as backend  # noqa: E402


def test_triangles(on, graph):
    if graph.is_directed():
        assert "directed" in backend.can_run("transitivity", (graph,), {})
        if graph.is_multigraph():
            assert "multigraph" in backend.can_run("clustering", (graph,), {})
            return
        graph.add_edges_from((u, v) for u in list(graph)[:6] for v in list(graph)[3:8])
        for name in ("clustering", "average_clustering"):
            assert backend.can_run(name, (graph,), {}) is True
            same(name, graph)
            same(name, graph, list(graph)[3:9])
        same("clustering", graph, next(iter(graph)))
        same("clustering", nx.DiGraph())
        same("average_clustering", nx.DiGraph())
        return
    graph.add_edges_from((u, v) for u in list(graph)[:6] for v in list(graph)[3:8])  # loops too
    same("triangles", graph)
    if graph.is_multigraph():
        assert "multigraph" in backend.can_run("clustering", (graph,), {})
        assert "multigraph" in backend.can_run("triangles", (graph, [1]), {})
        return
    nodes = list(graph)
    same("transitivity", graph)
    same("average_clustering", graph, count_zeros=False)
    same("average_clustering", graph, nodes[3:9])
    same("average_clustering", graph, [])
    for name in ("triangles", "clustering", "average_clustering"):
        same(name, graph)
    for name in ("triangles", "clustering"):
        same(name, graph, nodes[0])
        same(name, graph, [nodes[4], nodes[2], "nobody", nodes[4]])
        if not nx.__version__.startswith("3.4"):  # whose word for it is another one
            same(name, graph, 10**9)
    for name in ("triangles", "transitivity", "average_clustering"):
        same(name, nx.Graph())
    assert "weight" in backend.can_run("clustering", (graph,), {"weight": "weight"})
