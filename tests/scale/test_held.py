"""Graphs whose arcs exceed the largest buffer of a device: the same bytes from several buffers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from transfers import transfers

import clgraph
from clgraph.errors import CapacityError

N = 30_000
MOST = 480_000  # bytes of a buffer: 16 a vertex, and less than the arcs


def graph_of(kind):
    rng = np.random.default_rng(4)
    ends = rng.integers(0, N, (2, 140_000))
    ends[1, :3000] = ends[0, :3000] // 100  # hubs
    ends[:, 3000:3010] = 7  # loops
    options = {"directed": kind != "plain", "vertices": np.arange(N) * 3}
    if kind == "weighted":
        options["weights"] = rng.random(140_000)
    return clgraph.Graph.from_edges(*ends * 3, **options)


def calls(graph, device):
    """Name -> what must be equal."""

    def sampled(method):
        made = clgraph.sample(graph, method, sizes=["70%", "10%", "70%"], seed=5, device=device, mode="exact")
        return [
            part
            for each in made
            for part in (each.vertices, each.edges, each.graph.col_idx, each.graph.weights, each.notes)
        ], made[0].pieces

    def curve(method):
        found = clgraph.reduction_curve(graph, method, 5, size="20%", device=device)
        return [found.deletions, found.vertices, found.edges], found.pieces

    def searched():
        found = clgraph.bfs(graph, [21, 300], device=device)
        return [found.distance, found.predecessor, found.source_of, found.levels], found.pieces

    def many():
        found = clgraph.bfs_many(graph, [21, 300], device=device)
        return [found.distance], found.pieces

    def components():
        found = clgraph.connected_components(graph, device=device)
        return [found.labels, found.sizes], found.pieces

    def ranked():
        found = clgraph.pagerank(graph, variant="fixed", tol=0, max_iter=3, device=device)
        return [found.ranks], found.pieces

    yield from ((f"sample {method}", lambda m=method: sampled(m)) for method in ("drv", "dre"))
    yield from ((f"curve {method}", lambda m=method: curve(m)) for method in ("drv", "dre"))
    yield from (("bfs", searched), ("bfs_many", many), ("components", components), ("pagerank", ranked))


@pytest.mark.parametrize("kind", ["plain", "directed", "weighted"])
def test_as_in_one_buffer(device, monkeypatch, kind):
    graph = graph_of(kind)
    expected = {name: call() for name, call in calls(graph, device)}
    assert all(pieces == 1 for _, pieces in expected.values())
    graph = graph_of(kind)  # not on the device yet
    hardware = replace(device.hardware, max_buffer=MOST)
    monkeypatch.setattr(device, "hardware", hardware)
    monkeypatch.setattr(device.memory, "_hardware", hardware)
    for name, call in calls(graph, device):
        found, pieces = call()
        assert pieces > 1, name
        for one, other in zip(found, expected[name][0], strict=True):
            assert np.array_equal(one, other), name
    with transfers() as seen:  # the device has the arcs already
        assert np.array_equal(clgraph.bfs(graph, [21, 300], device=device).distance, expected["bfs"][0][0])
    up = [nbytes for nbytes, name, _ in seen if name in ("upload", "write")]
    assert 0 < sum(up) < graph.num_arcs
    with pytest.raises(CapacityError, match="the largest possible is 480000 bytes"):
        clgraph.bfs(graph, 21, method="frontier", device=device)
