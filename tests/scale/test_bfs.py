"""Breadth-first search of shards against the one in memory, by any cut, section and number of ranks."""

import numpy as np
import pytest

import clgraph
from clgraph.errors import InputError
from clgraph.scale.bfs import bfs_of_shards
from clgraph.scale.cut import write_shards


def graph_of(kind):
    rng = np.random.default_rng(6)
    if kind == "path":
        return clgraph.Graph.from_edges(np.arange(60), np.arange(1, 61))
    if kind == "star":
        return clgraph.Graph.from_edges(np.full(9000, 5), np.arange(9000))
    source, target = rng.integers(0, 9000, (2, 16000))
    return clgraph.Graph.from_edges(source * 2, target * 2, directed=kind == "directed")


@pytest.mark.parametrize("kind", ["path", "star", "random", "directed"])
@pytest.mark.parametrize("size", [1, 3])
def test_as_in_memory(device, tmp_path, kind, size):
    graph = graph_of(kind)
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=6000)
    devices = device if size == 1 else [device] * size
    for source, depth in ((graph.ids[0], None), (graph.ids[-1], 3), (graph.ids[7], 0)):
        expected = clgraph.bfs(graph, source, depth_limit=depth, device=device)
        found = bfs_of_shards(shards, source, depth_limit=depth, device=devices)
        assert np.array_equal(found.distance, expected.distance)
        assert np.array_equal(found.predecessor, expected.predecessor)
        assert (found.levels, found.reached) == (expected.levels, expected.reached)
        assert found.distance.dtype == found.predecessor.dtype == np.int32


@pytest.mark.parametrize("section", ["in", "out"])
def test_one_direction_will_do(tmp_path, section):
    graph = graph_of("directed")
    shards = write_shards(graph, tmp_path / "g.clgs", sections=["pairs", section], shard_edges=6000)
    expected = clgraph.bfs(graph, graph.ids[3])
    found = bfs_of_shards(shards, graph.ids[3], predecessors=section == "in")
    assert np.array_equal(found.distance, expected.distance)
    if section == "out":
        with pytest.raises(InputError, match="has no section in"):
            bfs_of_shards(shards, graph.ids[3])


def test_bad_input(tmp_path):
    shards = write_shards(graph_of("path"), tmp_path / "g.clgs")
    with pytest.raises(InputError, match="61 is not in the graph"):
        bfs_of_shards(shards, 61)
    with pytest.raises(InputError, match="has one source"):
        bfs_of_shards(shards, [1, 2])
    pairs = write_shards(graph_of("path"), tmp_path / "p.clgs", sections=["pairs"])
    with pytest.raises(InputError, match="has no section rows"):
        bfs_of_shards(pairs, 1)
