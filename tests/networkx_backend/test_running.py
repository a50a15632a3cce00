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


def test_a_call_names_its_device(device, monkeypatch):
    """As NetworkX calls it, with the keyword of the backend."""
    monkeypatch.setenv("CLGRAPH_DEVICE", "a device that is not there")
    G, spec = convert(nx.path_graph(5)), device.spec
    assert backend.can_run("pagerank", (G,), {"device": spec}) is True
    assert backend.should_run("number_connected_components", (G,), {"device": spec}) is not None
    for _ in range(2):
        assert len(backend.pagerank(G, device=spec)) == 5
        edges = backend.bfs_edges(G, 0, device=spec)  # a generator: the device is that of all its steps
        assert next(edges) == (0, 1)
        with pytest.raises(clgraph.DeviceError, match="a device that is not there"):
            backend.has_path(G, 0, 1)  # and of no call between them
        assert list(edges) == [(1, 2), (2, 3), (3, 4)]
    with pytest.raises(clgraph.DeviceError, match="nowhere"):
        backend.pagerank(G, device="nowhere")


def test_networkx_passes_the_device_on(device):
    if "clgraph" not in nx.utils.backends.backends:
        pytest.skip("needs an installed clgraph: NetworkX finds backends by their entry points")
    G = nx.path_graph(5)
    assert nx.number_connected_components(G, backend="clgraph", device=device.spec) == 1
    assert next(nx.bfs_edges(nx.path_graph(5), 0, backend="clgraph", device=device.spec)) == (0, 1)
    assert "device : str, optional" in nx.pagerank.__doc__
