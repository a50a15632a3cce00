"""The backend's device, and the count of its calls."""

from __future__ import annotations

import pytest

import clgraph

nx = pytest.importorskip("networkx")

from networkx_graphs import convert  # noqa: E402

from clgraph import networkx_backend as backend  # noqa: E402


def test_only_calls_that_launch_kernels_count(on):
    def counted(name):
        return backend.call_counts().get(name, 0)

    G = convert(nx.DiGraph([(0, 1), (1, 0), (1, 2)]))
    before = counted("condensation"), counted("pagerank"), counted("bfs_edges")
    parts = list(backend.strongly_connected_components(G))
    backend.condensation(G, parts)
    with pytest.raises(nx.PowerIterationFailedConvergence):
        backend.pagerank(G, max_iter=0)
    assert before == (counted("condensation"), counted("pagerank"), counted("bfs_edges"))
    backend.condensation(G)
    backend.pagerank(G)
    list(backend.bfs_edges(G, 0))
    assert (counted("condensation"), counted("pagerank"), counted("bfs_edges")) == tuple(
        b + 1 for b in before
    )


def test_without_a_device(monkeypatch):
    monkeypatch.setenv("CLGRAPH_DEVICE", "a device that is not there")
    G = convert(nx.path_graph(3))
    calls = [
        lambda: backend.bfs_edges(G, 0),
        lambda: backend.connected_components(G),
        lambda: backend.pagerank(G),
        lambda: backend.has_path(G, 0, 1),
        lambda: backend.all_pairs_shortest_path_length(G),
    ]
    for call in calls:
        with pytest.raises(clgraph.DeviceError, match="a device that is not there"):
            call()
    with nx.config(fallback_to_nx=True):
        for call in calls:
            with pytest.raises(NotImplementedError, match="clgraph has no device"):
                call()
