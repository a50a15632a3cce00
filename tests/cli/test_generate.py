"""``clgraph generate``: the models that are made on devices, and their mistakes."""

from __future__ import annotations

import pytest
from models import same

import clgraph


@pytest.mark.smoke
def test_models(run, tmp_path, device):
    on = {"seed": 5, "device": device}
    for line, wanted in (
        ("ba --vertices 300 --edges-each 3", clgraph.barabasi_albert_graph(300, 3, **on)),
        ("er --vertices 300 --edges 900", clgraph.erdos_renyi_graph(300, 900, **on)),
        ("ws --vertices 300 --degree 4 --probability 0.2", clgraph.watts_strogatz_graph(300, 4, 0.2, **on)),
        ("configuration --vertices 300 --min-degree 2", clgraph.configuration_graph(300, min_degree=2, **on)),
        ("static --vertices 300 --alpha 0.9", clgraph.static_model_graph(300, alpha=0.9, **on)),
        ("lfr --vertices 300 --mixing 0.4", clgraph.lfr_graph(300, mixing=0.4, **on).graph),
    ):
        out = tmp_path / "graph.clg"
        done = run("generate", *line.split(), "--seed", 5, "--device", device.spec, "-o", out)
        assert done.status == 0, done.err
        assert f"{line.split()[0]}, seed 5: " in done.err
        assert same(clgraph.read(out), wanted)


def test_communities(run, tmp_path, device):
    names = "-o", tmp_path / "graph.clg", "--communities", tmp_path / "of.txt"
    done = run("generate", "lfr", "--vertices", 200, "--seed", 2, "--device", device.spec, *names)
    assert done.status == 0
    wanted = clgraph.lfr_graph(200, seed=2, device=device).community
    found = [line.split("\t") for line in (tmp_path / "of.txt").read_text().splitlines()]
    assert [[int(a), int(b)] for a, b in found] == list(map(list, enumerate(wanted.tolist())))


def test_mistakes(run, tmp_path, device):
    out = "--device", device.spec, "-o", tmp_path / "x.txt"
    for line, words in (
        ("ba --vertices 3 --edges-each 3", "give at least 4 vertices"),
        ("er --vertices 3 --edges 4", "give at most 3 edges"),
        ("ws --vertices 9 --degree 3 --probability 0.1", "give an even number"),
        ("configuration --vertices 5 --min-degree 3 --max-degree 3", "the sum of the degrees is odd"),
        ("static --vertices 5 --average-degree 9", "5 vertices allow 0 to 4"),
        ("lfr --vertices 200 --mixing 2", "give a number from 0 to 1"),
        ("lfr --vertices 200 --communities none/of.txt", "none"),
    ):
        done = run("generate", *line.split(), *out)
        assert done.status == 1
        assert done.err.splitlines()[-1].startswith("clgraph: error: ")
        assert words in done.err
    assert not list(tmp_path.iterdir())


def test_shards(run, tmp_path, device):
    line = ["generate", "rmat", "--scale", 9, "--directed", "--seed", 3]
    both = ["--device", f"{device.spec},{device.spec}", "--sections", "pairs,in"]
    done = run(*line, *both, "-o", tmp_path / "g.clgs")
    assert done.status == 0 and "rmat, seed 3: wrote " in done.err, done.err
    made = clgraph.rmat_graph(9, seed=3, directed=True)
    assert same(clgraph.join_shards(clgraph.open_shards(tmp_path / "g.clgs")), made)
    for out, more, words in (
        ("k.clgs", "--duplicates keep", "with parallel copies, are not made in shards"),
        ("k.clgs", "--sections rows", "a directed graph has pairs, in, out"),
        ("k.txt", "--shard-edges 7", "are of datasets: OUT.clgs"),
    ):
        done = run(*line, *more.split(), "-o", tmp_path / out)
        assert done.status and words in done.err
    assert [file.name for file in tmp_path.iterdir()] == ["g.clgs"]
