"""Breadth-first search of shards against the one in memory, by any cut, section and number of ranks."""

import numpy as np
import pytest
from mixed_calls import equal
from sharded_calls import values

import clgraph
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError
from clgraph.scale.writing import write_shards
from clgraph.traversal import blocks


def graph_of(kind):
    rng = np.random.default_rng(6)
    if kind == "path":
        return clgraph.Graph.from_edges(np.arange(60), np.arange(1, 61))
    if kind == "star":
        return clgraph.Graph.from_edges(np.full(9000, 5), np.arange(9000))
    source, target = rng.integers(0, 9000, (2, 16000))
    return clgraph.Graph.from_edges(source * 2, target * 2, directed=kind == "directed")


@pytest.mark.cross
@pytest.mark.parametrize("kind", ["path", "star", "random", "directed"])
@pytest.mark.parametrize(("size", "cut"), [(1, False), (3, False), (2, True)])
def test_as_in_memory(device, tmp_path, monkeypatch, kind, size, cut):
    if cut:  # rows that many work-items share, as on GPUs
        monkeypatch.setattr(blocks, "ENTRIES", LaunchTable(gpu=2, cpu=2, simulator=2))
    graph = graph_of(kind)
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=6000)
    devices = device if size == 1 else [device] * size
    for source, depth in (
        (graph.ids[0], None),
        (graph.ids[-1], 3),
        (graph.ids[7], 0),
        (graph.ids[[30, 7, 30, 50]], None),
        (graph.ids[[7]], 2),
    ):
        expected = clgraph.bfs(graph, source, depth_limit=depth, device=device)
        found = clgraph.bfs(shards, source, depth_limit=depth, device=devices)
        assert equal(values(found), values(expected))
        assert np.array_equal(found.sources, expected.sources)
        assert found.distance.dtype == found.predecessor.dtype == np.int32


@pytest.mark.parametrize(("kind", "searches"), [("directed", 70), ("random", 40), ("path", 33), ("star", 3)])
def test_many_searches(device, tmp_path, monkeypatch, kind, searches):
    """Batches of 64 and 32 lanes on one rank and on two; too deep, and no room: one by one."""
    graph = graph_of(kind)
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=6000)
    sources = np.resize(graph.ids[np.random.default_rng(3).permutation(graph.num_vertices)], searches)
    ways = [(1, 64, None, None), (2, 32, 3, np.int32)]
    ways += [(2, 64, None, np.int16)] if kind != "star" else []
    for ranks, lanes, depth, dtype in ways:
        told = []
        wanted = {"depth_limit": depth, "dtype": dtype, "lanes": lanes}
        expected = clgraph.bfs_many(graph, sources, device=device, **wanted)
        wanted["progress"] = lambda *at, told=told: told.append(at)
        found = clgraph.bfs_many(shards, sources, device=[device] * ranks, **wanted)
        assert np.array_equal(found.distance, expected.distance)
        assert found.distance.dtype == expected.distance.dtype and found.levels == expected.levels
        assert np.array_equal(found.sources, expected.sources)
        assert told[-1] == (searches, searches)
        assert len(told) == -(-searches // (lanes if searches > 32 else 32))
    monkeypatch.setattr(blocks, "DEEP", 2)
    expected = clgraph.bfs_many(graph, sources[:3], device=device)
    for room, ranks in ((blocks.BYTES, 2), (1 << 50, 1)):
        monkeypatch.setattr(blocks, "BYTES", room)
        found = clgraph.bfs_many(shards, sources[:3], device=[device] * ranks)
        assert np.array_equal(found.distance, expected.distance) and found.levels == expected.levels


@pytest.mark.parametrize("section", ["in", "out"])
def test_one_direction_will_do(tmp_path, section):
    graph = graph_of("directed")
    shards = write_shards(graph, tmp_path / "g.clgs", sections=["pairs", section], shard_edges=6000)
    expected = clgraph.bfs(graph, graph.ids[3])
    found = clgraph.bfs(shards, graph.ids[3], predecessors=section == "in")
    assert np.array_equal(found.distance, expected.distance)
    if section == "out":
        with pytest.raises(InputError, match="has no section in"):
            clgraph.bfs(shards, graph.ids[3])


def test_bad_input(tmp_path):
    shards = write_shards(graph_of("path"), tmp_path / "g.clgs")
    with pytest.raises(InputError, match="61 is not in the graph"):
        clgraph.bfs(shards, 61)
    with pytest.raises(InputError, match="method 'frontier' is not offered for a graph in shards"):
        clgraph.bfs(shards, 1, method="frontier")
    pairs = write_shards(graph_of("path"), tmp_path / "p.clgs", sections=["pairs"])
    with pytest.raises(InputError, match="has no section rows"):
        clgraph.bfs(pairs, 1)
