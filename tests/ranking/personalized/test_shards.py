"""Shards joined on a device: the graph that the host joins."""

from unittest.mock import Mock

import numpy as np
import pytest

import clgraph
from clgraph.device.memory import Memory
from clgraph.errors import CapacityError
from clgraph.ranking.personalized import shards as on_device
from clgraph.ranking.personalized.shards import join_on


def graph_of(kind):
    rng = np.random.default_rng(4)
    tail, head = rng.integers(0, 3000, (2, 9000))
    if kind != "loops":
        tail, head = tail[tail != head], head[tail != head]
    ends = np.unique(np.sort(np.stack((tail, head)), axis=0), axis=1)  # no edge twice
    tail, head = np.where(rng.random(ends.shape[1]) < 0.5, ends, ends[::-1])
    weights = rng.random(len(tail)) if kind == "weights" else None
    if kind == "names":
        return clgraph.Graph.from_edges([f"v{each}" for each in tail], [f"v{each}" for each in head])
    step = 7 if kind == "ids" else 1
    directed = kind.startswith("directed")
    return clgraph.Graph.from_edges(
        tail * step, head * step, weights=weights, directed=directed, vertices=np.arange(5000) * step
    )


@pytest.mark.parametrize(
    "kind", ["plain", "directed", "directed, in", "ids", "names", "loops", "weights", "empty"]
)
@pytest.mark.cross
def test_as_on_the_host(device, tmp_path, kind, monkeypatch):
    graph = clgraph.Graph.from_edges([], [], vertices=[3, 4]) if kind == "empty" else graph_of(kind)
    sections = ["pairs", "in"] if kind == "directed, in" else None
    shards = clgraph.write_shards(graph, tmp_path / "g.clgs", shard_edges=1000, sections=sections)
    expected = clgraph.join_shards(shards)
    by_host = Mock(return_value=expected)
    monkeypatch.setattr(on_device, "join_shards", by_host)
    found = join_on(device, shards)
    assert by_host.called == (kind in ("loops", "weights", "empty"))
    for name in ("row_ptr", "col_idx", "ids", "directed", "num_self_loops"):
        assert np.array_equal(getattr(found, name), getattr(expected, name))


def test_no_room_there(device, tmp_path, monkeypatch):
    shards = clgraph.write_shards(graph_of("plain"), tmp_path / "g.clgs")
    monkeypatch.setattr(Memory, "reserve", Mock(side_effect=CapacityError("no room")))
    assert np.array_equal(join_on(device, shards).col_idx, graph_of("plain").col_idx)
