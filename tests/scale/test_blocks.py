"""Graphs whose arcs exceed the largest buffer of a device: the same bytes from several buffers."""

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
    options = {"directed": "directed" in kind, "vertices": np.arange(N) * 3}
    if "weighted" in kind:
        options["weights"] = rng.random(140_000)
    return clgraph.Graph.from_edges(*ends * 3, **options)


def calls(graph, device):
    """Name -> what must be equal."""

    def sampled(method):
        made = clgraph.sample(graph, method, sizes=["70%", "10%", "70%"], seed=5, device=device, mode="exact")
        return [
            part
            for each in made
            for part in (
                each.vertices,
                each.edges,
                each.num_edges,
                each.notes,
                *(getattr(each.graph, name) for name in ("row_ptr", "col_idx", "weights", "multiplicity")),
            )
        ], made[0].provenance.get("pieces", 1)

    def curve(method):
        found = clgraph.reduction_curve(graph, method, 5, size="20%", device=device)
        return [found.deletions, found.vertices, found.edges], found.provenance.get("pieces", 1)

    def searched():
        found = clgraph.bfs(graph, [21, 300], device=device)
        return [found.distance, found.predecessor, found.source_of, found.levels], found.provenance.get(
            "pieces", 1
        )

    def many():
        found = clgraph.bfs_many(graph, [21, 300], device=device)
        return [found.distance], found.provenance.get("pieces", 1)

    def components():
        found = clgraph.connected_components(graph, device=device)
        return [found.labels, found.sizes], found.provenance.get("pieces", 1)

    def ranked():
        found = clgraph.pagerank(graph, variant="fixed", tol=0, max_iter=3, device=device)
        return [found.scores], found.provenance.get("pieces", 1)

    yield from ((f"sample {method}", lambda m=method: sampled(m)) for method in ("drv", "dre"))
    yield from ((f"curve {method}", lambda m=method: curve(m)) for method in ("drv", "dre"))
    yield from (("bfs", searched), ("bfs_many", many), ("components", components), ("pagerank", ranked))


def lower(device, monkeypatch, most, **more):
    """Let a device's largest buffer be smaller, and more of it be otherwise."""
    for name, value in {"max_buffer": most, **more}.items():
        monkeypatch.setattr(device, name, value)


@pytest.mark.parametrize("kind", ["plain", "directed", "weighted", "directed and weighted"])
def test_as_in_one_buffer(device, monkeypatch, kind):
    graph = graph_of(kind)
    expected = {name: call() for name, call in calls(graph, device)}
    assert all(pieces == 1 for _, pieces in expected.values())
    graph = graph_of(kind)  # not on the device yet
    lower(device, monkeypatch, MOST)
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


def test_hubs_side_by_side(device, monkeypatch):
    """A few rows that together exceed a buffer: shards may end at any row."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 20_000, 100_000), 20_000 + rng.integers(0, 500, 100_000)
    graph = clgraph.Graph.from_edges(*ends, vertices=np.arange(20_500))
    expected = {name: call() for name, call in calls(graph, device)}
    graph = clgraph.Graph.from_edges(*ends, vertices=np.arange(20_500))
    lower(device, monkeypatch, 330_000)
    for name, call in calls(graph, device):
        found, pieces = call()
        assert pieces > 2, name
        for one, other in zip(found, expected[name][0], strict=True):
            assert np.array_equal(one, other), name


def test_what_stays_on_the_device(device, monkeypatch):
    """Each column once, whatever the calls; `Graph.free` gives all of it back."""
    lower(device, monkeypatch, MOST, shares_memory=False)
    graph = graph_of("weighted")
    before = device.allocated
    made = [call()[0] for _, call in calls(graph, device)]
    (held,) = (held for where, held in graph.memory_usage().items() if where != "host")
    shards = sum(nbytes for name, nbytes in held.items() if name.startswith("shard"))
    assert 12 * graph.num_arcs < shards <= 16 * graph.num_arcs + 5 * N
    del made
    graph.free(device)
    device.finish()
    assert device.allocated <= before


def test_less_memory_than_arcs(device, monkeypatch):
    """What the device has no room for goes up again in each pass."""
    graph = graph_of("plain")
    expected = {name: call() for name, call in calls(graph, device)}
    graph = graph_of("plain")
    lower(device, monkeypatch, MOST, shares_memory=False, global_memory=12_000_000)
    for name, call in calls(graph, device):
        for one, other in zip(call()[0], expected[name][0], strict=True):
            assert np.array_equal(one, other), name


def test_samples_take_their_own_memory(device, monkeypatch):
    graph = graph_of("plain")
    lower(device, monkeypatch, MOST)
    small = clgraph.sample(graph, "drv", size=3000, seed=1, device=device)
    base = small.graph.col_idx
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert small.provenance["pieces"] > 1 and base.nbytes < 200_000
