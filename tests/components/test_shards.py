"""Components of shards against those in memory, by any cut and number of ranks."""

import numpy as np
import pytest

from clgraph import Graph, connected_components
from clgraph.scale.writing import write_shards

GRAPHS = {
    "no vertex": lambda rng: Graph.from_edges([], []),
    "isolated": lambda rng: Graph.from_edges([], [], vertices=[3, 1, 8]),
    "star": lambda rng: Graph.from_edges([77] * 200, np.arange(200)),
    "path": lambda rng: Graph.from_edges(np.arange(300), np.arange(1, 301)),
    "path backwards": lambda rng: Graph.from_edges(np.arange(1, 301)[::-1], np.arange(300)[::-1]),
    "few edges": lambda rng: Graph.from_edges(*rng.integers(0, 400, (2, 200)), vertices=np.arange(400)),
    "random": lambda rng: Graph.from_edges(*rng.integers(0, 300, (2, 400))),
    "directed": lambda rng: Graph.from_edges(*rng.integers(0, 300, (2, 250)), directed=True),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.cross
def test_as_in_memory(device, tmp_path, name):
    graph = GRAPHS[name](np.random.default_rng(5))
    expected = connected_components(graph, device=device)
    for shard_edges in (1000, 37):
        shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=shard_edges)
        found = connected_components(shards, device=device)
        assert np.array_equal(found.labels, expected.labels) and np.array_equal(found.sizes, expected.sizes)
        assert found.labels.dtype == np.int32 and found.sizes.dtype == np.int64


@pytest.mark.parametrize("size", [2, 3, 5])
def test_ranks(tmp_path, size):
    graph = GRAPHS["few edges"](np.random.default_rng(size))
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=40)
    expected = connected_components(graph)
    found = connected_components(shards, device=[None] * size)
    assert np.array_equal(found.labels, expected.labels) and np.array_equal(found.sizes, expected.sizes)
