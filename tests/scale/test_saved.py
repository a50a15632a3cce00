"""Saved forests: parts in any order are the same bytes, samples of them the same, damage is found."""

import os
import re

import numpy as np
import pytest

import clgraph
from clgraph.errors import InputError
from clgraph.scale import passes
from clgraph.scale.cut import write_shards
from clgraph.scale.loading import Loading
from clgraph.scale.saved import numbers_of, open_forest, spelled


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    rng = np.random.default_rng(5)
    graph = clgraph.Graph.from_edges(*rng.integers(0, 90, (2, 300)) * 3)
    return write_shards(graph, tmp_path_factory.mktemp("saved") / "g.clgs", shard_edges=40)


@pytest.mark.smoke
@pytest.mark.parametrize("method", ["drv", "dre"])
def test_parts_in_any_order(device, shards, tmp_path, method):
    ways = {"method": method, "seed": 9}
    whole = clgraph.save_forest(shards, tmp_path / "whole", device=[device] * 2, **ways)
    assert whole.missing == [] and whole.about.of == len(shards.section("pairs").shards) > 5
    count = whole.about.of
    parts = ([4, 2, 2], [0, 1], list(range(3, count)))
    for name, which in zip("abc", parts, strict=True):
        made = clgraph.save_forest(shards, tmp_path / name, which=which, device=device, **ways)
        assert made.shards == tuple(sorted(set(which)))
    for order in ("abc", "cba", "bccab"):
        clgraph.merge_forests([tmp_path / name for name in order], tmp_path / "m", device=device)
        assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
    expected = clgraph.sample(shards, method, sizes=["60%", 5], seed=9, device=device)
    for group in (device, [device] * 3):
        found = clgraph.sample(shards, method, sizes=["60%", 5], forest=tmp_path / "m", device=group)
        for one, other in zip(found, expected, strict=True):
            assert np.array_equal(one.vertices, other.vertices)
            assert (one.num_edges, one.seed) == (other.num_edges, 9)
    curve = clgraph.reduction_curve(shards, method, forest=whole, device=device)
    assert np.array_equal(curve.edges, clgraph.reduction_curve(shards, method, 9, device=device).edges)


def test_an_interrupted_pass_goes_on(shards, tmp_path, monkeypatch):
    """Of a pass that fails half-way what was found is not looked for again, whoever goes on."""
    monkeypatch.setattr(passes, "SAVE_EVERY", 0)
    load, seen = Loading._load, []

    def some(self, name, number):
        seen.append(number)
        if number == 6 and fails:
            raise InputError("the disk is gone")
        return load(self, name, number)

    monkeypatch.setattr(Loading, "_load", some)
    folder, ways = tmp_path / "work", {"seed": 3, "checkpoint": tmp_path / "work"}
    fails = True
    for group in ([None] * 2, [None], [None] * 3):  # each time a bit more
        with pytest.raises(InputError, match="the disk is gone"):
            clgraph.sample(shards, size="50%", device=group, **ways)
    assert {number for name in folder.iterdir() for number in open_forest(name).shards} >= {0, 1, 2}
    fails = False
    for number, call in enumerate(
        (
            lambda group: clgraph.save_forest(shards, tmp_path / "f", "drv", device=group, **ways).path,
            lambda group: clgraph.sample(shards, size="50%", device=group, **ways),
        )
    ):
        seen.clear()
        made = call([None] * 2)
        pass_over = seen[: len(shards.section("pairs").shards)]
        assert number == 1 or (0 not in pass_over and 6 in pass_over)
        assert not folder.exists()
    expected = clgraph.sample(shards, size="50%", seed=3)
    assert np.array_equal(made.vertices, expected.vertices) and made.num_edges == expected.num_edges
    clgraph.save_forest(shards, tmp_path / "g", seed=3)
    assert (tmp_path / "f").read_bytes() == (tmp_path / "g").read_bytes()


def test_damage_and_bad_input(shards, tmp_path):
    path = tmp_path / "f"
    clgraph.save_forest(shards, path, seed=1)
    data = path.read_bytes()
    rng = np.random.default_rng(2)
    for at in (*rng.integers(0, len(data), 40).tolist(), None):
        changed = bytearray(data)
        if at is None:
            changed = changed[:-8]
        else:
            changed[at] ^= 1 << int(rng.integers(0, 8))
        path.write_bytes(changed)
        with pytest.raises(InputError, match=re.escape(str(path))):
            clgraph.sample(shards, size=5, forest=path)
    path.write_bytes(data)
    other = tmp_path / "o"
    clgraph.save_forest(shards, other, "dre", seed=1, which=[1])
    for call, message in (
        (lambda: clgraph.sample(shards, size=5, seed=2, forest=path), "a forest of seed 1, not of 2"),
        (lambda: clgraph.sample(shards, "dre", size=5, forest=path), "of method 'drv', not of 'dre'"),
        (lambda: clgraph.sample(shards, size=5, forest=path, seeds=2), "a forest of one seed, and 2 runs"),
        (lambda: clgraph.sample(shards, "dre", size=5, forest=other), "has 1 of .* shards .0,2-"),
        (lambda: clgraph.merge_forests([path, other], path), "a forest of method 'dre', not of 'drv'"),
        (lambda: clgraph.merge_forests([], path), "give a list of names"),
        (lambda: clgraph.save_forest(shards, path, which=[99]), "the dataset has"),
        (lambda: clgraph.save_forest(shards, path, "cre"), "'cre' is not offered"),
        (lambda: clgraph.save_forest(shards, tmp_path / "no" / "f"), "no"),
        (lambda: open_forest(tmp_path / "none"), "none: cannot be read"),
        (lambda: open_forest(os.devnull), "is no forest"),
        (lambda: numbers_of("3-1", 9, "--shards"), "give numbers from 0 to 8"),
    ):
        with pytest.raises(InputError, match=message):
            call()
    assert spelled(numbers_of("5,0-2,1", 9, "x")) == "0-2,5"
