"""Saved forests: parts in any order are the same bytes, samples of them the same, damage is found."""

import json
import os
import re
import zlib

import numpy as np
import pytest
from graph_files import limited_memory

import clgraph
from clgraph.errors import InputError
from clgraph.sampling.shards import passes
from clgraph.sampling.shards.saved import numbers_of, open_forest, spelled
from clgraph.scale.loading import Loading
from clgraph.scale.writing import write_shards


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
    fails, count = False, len(shards.section("pairs").shards)
    seen.clear()
    clgraph.save_forest(shards, tmp_path / "f", "drv", device=[None] * 2, **ways)
    assert 0 not in seen[:count] and 6 in seen[:count] and not folder.exists()
    made = clgraph.sample(shards, size="50%", device=[None] * 2, **ways)
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
    damaged = [bytearray(data) for _ in range(40)]
    for changed in damaged:
        changed[rng.integers(0, len(data))] ^= 1 << int(rng.integers(0, 8))
    for changed in (*damaged, data[:-8]):
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
        (lambda: open_forest(os.devnull), "is not a forest"),
        (lambda: numbers_of("3-1", 9, "--shards"), "give numbers from 0 to 8"),
    ):
        with pytest.raises(InputError, match=message):
            call()
    assert spelled(numbers_of("5,0-2,1", 9, "x")) == "0-2,5"


def test_a_work_folder_of_somebody_else(shards, tmp_path):
    """Links are not followed, and files that have other names neither used nor removed."""
    ways = {"seed": 3, "device": [None], "checkpoint": tmp_path / "work"}
    clgraph.save_forest(shards, tmp_path / "mine.forest", seed=3)
    for link, target in ((tmp_path / "work", "other"), (tmp_path / "work/0-01234567.forest", "mine.forest")):
        (tmp_path / "other").mkdir(exist_ok=True)
        link.symlink_to(tmp_path / target)
        with pytest.raises(InputError, match="is a symbolic link"):
            clgraph.sample(shards, size="50%", **ways)
        assert os.listdir(tmp_path / "other") == []
        link.unlink()
        (tmp_path / "work").mkdir(exist_ok=True)
    (tmp_path / "work/mine.forest").write_bytes((tmp_path / "mine.forest").read_bytes())
    (tmp_path / "work/thesis.txt").touch()
    clgraph.sample(shards, size="50%", **ways)
    assert sorted(os.listdir(tmp_path / "work")) == ["mine.forest", "thesis.txt"]


def forged(path, **head):
    """A forest without edges that says what it likes."""
    known = {"dataset": "0" * 64, "vertices": 10, "method": "drv", "seed": 1}
    data = json.dumps(known | {"of": 1, "shards": "0", "edges": 0} | head).encode() + b"\n"
    path.write_bytes(b"clgraph-forest 1 %08x\n" % zlib.crc32(data) + data)
    return path


def test_heads_are_believed_for_nothing_that_is_allocated(tmp_path):
    clgraph.merge_forests([forged(tmp_path / "g")], tmp_path / "out")  # kernels are built
    too_many = "of of its head is 2147483647: a whole number from 0 to"
    for head, told in (
        ({"of": 2**31 - 1}, too_many),
        ({"of": 2**31 - 1, "shards": "0-2147483646"}, too_many),
        ({"of": 800_000, "shards": "0-799999", "edges": 2**40}, "bytes long"),
        ({"vertices": 2**31 - 1}, "announces 2147483647 vertices in only .* max_vertices="),
        ({"vertices": 10**8}, "announces 100000000 vertices in only .* max_vertices="),
    ):
        with limited_memory(100 << 20), pytest.raises(InputError, match=told):
            clgraph.merge_forests([forged(tmp_path / "f", **head)], tmp_path / "out")
    forest = forged(tmp_path / "f", of=800_000, shards="0-9,11,799999")
    with limited_memory(100 << 20):
        made = clgraph.merge_forests([forest], tmp_path / "out")
    assert made.missing[:2] == [10, 12] and len(made.missing) == 800_000 - 12
    more = forged(tmp_path / "f", vertices=5_000_000)
    assert clgraph.merge_forests([more], tmp_path / "out", max_vertices=5_000_000).about.vertices == 5_000_000
