"""Graphs generated into shards: the graph of one device in memory, the same bytes for any number of ranks."""

from functools import partial

import numpy as np
import pytest

import clgraph
from clgraph.graph.models import PowerLaw, RMat
from clgraph.scale import generate
from clgraph.scale.generate import generate_shards
from clgraph.scale.manifest import NAME

SHARES = (0.57, 0.19, 0.19)
rmat = partial(clgraph.rmat_graph, 13, edge_factor=4, seed=5)
power_law = partial(clgraph.powerlaw_graph, 20000, average_degree=5.0, exponent=2.71, seed=3)
MODELS = {
    "power law": (PowerLaw(20000, 5.0, 2.71, 3), power_law),
    "R-MAT": (RMat(13, 4, SHARES, 5, False, True), rmat),
    "directed R-MAT": (RMat(13, 4, SHARES, 5, True, False), partial(rmat, directed=True, scramble=False)),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_graph_of_one_device(device, tmp_path, name):
    model, make = MODELS[name]
    graph = make()
    shards = generate_shards(model, tmp_path / "g.clgs", shard_edges=12000, device=device)
    assert all(len(each.shards) > 1 for each in shards.manifest.sections.values())
    expected = clgraph.write_shards(graph, tmp_path / "e.clgs")
    assert np.array_equal(shards.leaving, expected.leaving)
    for section in expected.manifest.sections:
        parts, whole = list(shards.rows(section)), next(iter(expected.rows(section)))
        assert np.array_equal(np.concatenate([each.col_idx for each in parts]), whole.col_idx)
        assert np.array_equal(
            np.concatenate([np.diff(each.row_ptr) for each in parts]), np.diff(whole.row_ptr)
        )
        if section == "pairs" and graph.directed:
            assert np.array_equal(np.concatenate([each.values["way"] for each in parts]), whole.values["way"])


def test_the_same_bytes_for_any_ranks(tmp_path, monkeypatch):
    model = MODELS["directed R-MAT"][0]
    how = {"sections": ["pairs", "in"], "shard_edges": 12000}
    one = generate_shards(model, tmp_path / "one.clgs", **how)
    monkeypatch.setattr(generate.Draws.__init__, "__defaults__", (False,))  # made anew for each shard
    three = generate_shards(model, tmp_path / "three.clgs", device=[None] * 3, **how)
    assert one.fingerprint == three.fingerprint and list(one.manifest.sections) == how["sections"]
    assert one.leaving.sum() == one.section("in").edges
    for file in (tmp_path / "one.clgs").iterdir():
        assert file.name == NAME or file.read_bytes() == (tmp_path / "three.clgs" / file.name).read_bytes()
