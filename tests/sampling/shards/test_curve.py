"""Curves of shards against those in memory, by any cut, room, size and number of ranks."""

import numpy as np
import pytest

import clgraph
from clgraph.errors import InputError
from clgraph.sampling.shards import passes
from clgraph.sampling.shards.samples import curve_of_shards
from clgraph.scale.writing import write_shards


def graph_of(rng, case):
    """Random graphs, stars, loops, isolated vertices, equal parts, no edge, one vertex."""
    n = int(rng.integers(1, 60)) if case else 1
    source, target = rng.integers(0, n, (2, int(rng.integers(0, 3 * n))))
    if case == 3:
        source[:] = source[0]
    if case == 4:  # two equal parts
        source, target = np.concatenate((source, source + n)), np.concatenate((target, target + n))
        n *= 2
    return clgraph.Graph.from_edges(source, target, directed=case % 2 == 1, vertices=np.arange(n))


@pytest.mark.parametrize("method", ["drv", "dre"])
def test_as_in_memory(device, tmp_path, monkeypatch, method):
    rng = np.random.default_rng(11)
    for case in range(8):
        if case == 5:  # each of three ranks makes the whole forest
            monkeypatch.setattr(passes, "all_alike", lambda ranks, *_: ranks.size > 1)
        graph = graph_of(rng, case)
        shards = write_shards(graph, tmp_path / f"{case}.clgs", shard_edges=(1, 13, 1000)[case % 3])
        for size in (1, "50%", graph.num_vertices):
            expected = clgraph.reduction_curve(graph, method, case, size=size, device=device)
            room = None if case == 5 else (None, 1, 30)[case % 3]
            ways = {"device": [device] * (1 + case % 3), "room": room}
            found = clgraph.ReductionCurve(*curve_of_shards(shards, method, case, size=size, **ways))
            for name in ("deletions", "vertices", "edges"):
                one, other = getattr(found, name), getattr(expected, name)
                assert one.dtype == np.int64 and np.array_equal(one, other), (case, size, name)


def test_bad_input(tmp_path):
    shards = write_shards(clgraph.Graph.from_edges([0, 1], [1, 2]), tmp_path / "g.clgs")
    found = clgraph.reduction_curve(shards, "DRE", 3)
    assert (found.method, found.mode, found.seed, found.at(2)[1]) == ("dre", "exact", 3, 2)
    for options, message in (
        ({"method": "cre"}, "'cre' is not offered for shards"),
        ({"mode": "batched"}, "mode 'batched' is not offered for a graph in shards"),
        ({"mix": 0.5}, "mix 0.5 is not offered"),
        ({"size": "x"}, "size"),
    ):
        with pytest.raises(InputError, match=message):
            clgraph.reduction_curve(shards, **options)
