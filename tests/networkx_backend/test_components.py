"""Components of the backend against NetworkX's own: the same values in the same order."""

from __future__ import annotations

import pytest

nx = pytest.importorskip("networkx")

from networkx_graphs import convert, same  # noqa: E402

from clgraph import networkx_backend as backend  # noqa: E402


def test_components(on, graph):
    kinds = ("strongly_", "weakly_") if graph.is_directed() else ("",)
    for kind in kinds:
        same(f"{kind}connected_components", graph)
        same(f"number_{kind}connected_components", graph)
        same(f"is_{kind}connected", graph)
    if graph.is_directed():
        same("condensation", graph)
        parts = list(nx.strongly_connected_components(graph))[::-1]
        same("condensation", graph, parts)
    else:
        for node in list(graph)[:3]:
            same("node_connected_component", graph, node)


def test_components_are_given_away(on):
    G = nx.path_graph(4)
    first, *_ = backend.connected_components(convert(G))
    first.clear()
    assert list(backend.connected_components(convert(G))) == [{0, 1, 2, 3}]
