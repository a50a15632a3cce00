"""Betweenness of the backend against NetworkX's own."""

from __future__ import annotations

import pytest

nx = pytest.importorskip("networkx")

from networkx_graphs import convert, same  # noqa: E402

from clgraph import DeviceError  # noqa: E402
from clgraph import networkx_backend as backend  # noqa: E402


def test_betweenness(on, graph):
    if "HAVE_FP64" not in on.features:
        with pytest.raises(DeviceError, match="float64"):
            backend.betweenness_centrality(convert(graph))
        return
    converted = convert(graph)
    for given in (
        {},
        {"normalized": False},
        {"endpoints": True},
        {"k": 7, "seed": 3},
        {"k": 7, "seed": 3, "endpoints": True, "normalized": False},
        {"k": 1, "seed": 5},
        {"k": len(graph)},
    ):
        found, expected = (
            backend.betweenness_centrality(converted, **given),
            nx.betweenness_centrality(graph, **given),
        )
        assert list(found) == list(expected)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
        assert {type(value) for value in found.values()} == {float}
    same("betweenness_centrality", graph, k=len(graph) + 1)


def test_small_graphs(on):
    if "HAVE_FP64" in on.features:
        for n in (0, 1, 2):
            same("betweenness_centrality", nx.complete_graph(n))
            same("betweenness_centrality", nx.empty_graph(n), normalized=False)


def test_edge_betweenness(on, graph):
    if "HAVE_FP64" not in on.features:
        with pytest.raises(DeviceError, match="float64"):
            backend.edge_betweenness_centrality(convert(graph))
        return
    if graph.is_multigraph():
        assert "multigraph" in backend.can_run("edge_betweenness_centrality", (graph,), {})
        return
    converted = convert(graph)
    for given in ({}, {"normalized": False}, {"k": 7, "seed": 3}, {"k": 7, "seed": 3, "normalized": False}):
        found, expected = (
            backend.edge_betweenness_centrality(converted, **given),
            nx.edge_betweenness_centrality(graph, **given),
        )
        assert list(found) == list(expected)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert {type(value) for value in found.values()} == {float}
    same("edge_betweenness_centrality", graph, k=len(graph) + 1)
    for n in (0, 1, 2):
        same("edge_betweenness_centrality", nx.complete_graph(n))
        same("edge_betweenness_centrality", nx.empty_graph(n, nx.DiGraph), normalized=False)
