"""Graphs whose arcs exceed the largest buffer of a device: the same bytes from several buffers."""

from functools import partial

import numpy as np
import pytest
from sharded_calls import engine_calls, values
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


def results(graph, device):
    """(name, what must be equal, in how many pieces) of each call."""
    calls = engine_calls(graph, device, 5)
    del calls["walks"]  # they need no pieces
    for name, call in calls.items():
        if "sample" in name:
            call = partial(call, sizes=["70%", "10%", "70%"], mode="exact")
        found = call(size="20%") if "curve" in name else call()
        whole = values(found)
        for each in found if "sample" in name else ():
            whole += [each.edges, each.graph.row_ptr, each.graph.col_idx]
            whole += [each.graph.weights, each.graph.multiplicity]
        first = found[0] if "sample" in name else found
        yield name, whole, first.provenance.get("pieces", 1)


def lower(device, monkeypatch, most, **more):
    """Let a device's largest buffer be smaller, and more of it be otherwise."""
    for name, value in {"max_buffer": most, **more}.items():
        monkeypatch.setattr(device, name, value)


def as_before(graph, device, expected, pieces):
    """All results are those expected, made in at least so many pieces."""
    for name, found, many in results(graph, device):
        assert many >= pieces, name
        for one, other in zip(found, expected[name], strict=True):
            assert np.array_equal(one, other), name


@pytest.mark.parametrize("kind", ["plain", "directed", "weighted", "directed and weighted"])
def test_as_in_one_buffer(device, monkeypatch, kind):
    expected = {}
    for name, found, pieces in results(graph_of(kind), device):
        expected[name] = found
        assert pieces == 1
    graph = graph_of(kind)  # not on the device yet
    lower(device, monkeypatch, MOST)
    as_before(graph, device, expected, 2)
    sources = graph.ids[:: N // 3][:3].tolist()
    with transfers() as seen:  # the device has the arcs already
        found = clgraph.bfs(graph, sources, device=device)
    assert np.array_equal(found.distance, expected["bfs, several"][0])
    up = [nbytes for nbytes, name, _ in seen if name in ("upload", "write")]
    assert 0 < sum(up) < graph.num_arcs
    with pytest.raises(CapacityError, match="the largest possible is 480000 bytes"):
        clgraph.bfs(graph, 21, method="frontier", device=device)
    if kind == "plain":  # what the device has no room for goes up again in each pass
        lower(device, monkeypatch, MOST, shares_memory=False, global_memory=12_000_000)
        as_before(graph_of(kind), device, expected, 1)


def test_hubs_side_by_side(device, monkeypatch):
    """A few rows that together exceed a buffer: shards may end at any row."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 20_000, 100_000), 20_000 + rng.integers(0, 500, 100_000)
    graphs = [clgraph.Graph.from_edges(*ends, vertices=np.arange(20_500)) for _ in range(2)]
    expected = {name: found for name, found, _ in results(graphs[0], device)}
    lower(device, monkeypatch, 330_000)
    as_before(graphs[1], device, expected, 3)


def test_what_stays_on_the_device(device, monkeypatch):
    """Each column once, whatever the calls; `Graph.free` gives all of it back."""
    lower(device, monkeypatch, MOST, shares_memory=False)
    graph = graph_of("weighted")
    before = device.allocated
    made = list(results(graph, device))
    (held,) = (held for where, held in graph.memory_usage().items() if where != "host")
    shards = sum(nbytes for name, nbytes in held.items() if name.startswith("shard"))
    assert 12 * graph.num_arcs < shards <= 16 * graph.num_arcs + 5 * N
    del made
    graph.free(device)
    device.finish()
    assert device.allocated <= before


def test_samples_take_their_own_memory(device, monkeypatch):
    graph = graph_of("plain")
    lower(device, monkeypatch, MOST)
    small = clgraph.sample(graph, "drv", size=3000, seed=1, device=device)
    base = small.graph.col_idx
    while isinstance(base.base, np.ndarray):
        base = base.base
    assert small.provenance["pieces"] > 1 and base.nbytes < 200_000
