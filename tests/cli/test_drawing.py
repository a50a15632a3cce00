"""The literature's samplers on the command line."""

import json

import numpy as np
import pytest

from clgraph import Graph, read, write
from clgraph.methods import LITERATURE
from clgraph.sampling import sample


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(1)
    name = tmp_path / "graph.txt"
    write(Graph.from_edges(rng.integers(0, 60, 150), rng.integers(0, 60, 150)), name)
    return str(name)


@pytest.mark.smoke
def test_methods(run):
    told = json.loads(run("methods", "--json").out)["methods"]
    assert set(LITERATURE) < set(told) and "drv" in told
    assert told["hyb"]["options"] == ["edges", "mix", "keep"]
    text = run("methods").out
    assert "RandomNodeNeighbor" in text and "Ahmed, Neville, Kompella" in text


def test_a_race(run, file, tmp_path, device):
    out = str(tmp_path / "out.txt")
    args = ("sample", file, "--method", "RandomEdge", "--edges", "20", "--seed", "3", "--device", device.spec)
    done = run(*args, "--verify", "-o", out)
    assert done.status == 0, done.err
    assert "verified: what re draws" in done.err and done.out.startswith("re sample:")
    expected = sample(read(file), "re", edges=20, seed=3, device=device)
    assert read(out).num_edges == 20
    assert np.array_equal(read(out).ids, expected.vertices)
    told = json.loads(run(*args, "--json", "-q").out)
    assert (told["weighting"], told["keep"], told["size"]) == ("approximate", "visited", "20")


def test_sizes_and_seeds(run, file, device):
    args = ("--sizes", "50%,5", "--seeds", "2", "--seed", "1", "--json", "-q", "--device", device.spec)
    told = json.loads(run("sample", file, "--method", "rdn", *args).out)["samples"]
    assert [(one["vertices"], one["seed"]) for one in told] == [(30, 1), (5, 1), (30, 2), (5, 2)]


@pytest.mark.smoke
def test_a_walk(run, file, device):
    args = ("--walkers", "3", "--seed", "1", "--json", "-q", "--verify", "--device", device.spec)
    told = json.loads(run("sample", file, "--method", "rw", "--steps", "40", "--burn-in", "4", *args).out)
    assert told["weighting"] == "stationary" and told["verified"]
    told = json.loads(run("sample", file, "--method", "mhrw", "--size", "9", "--keep", "tree", *args).out)
    assert told["vertices"] == 9


def test_what_spreads_and_trees(run, file, device):
    args = ("--seed", "1", "--json", "-q", "--verify", "--device", device.spec)
    told = json.loads(run("sample", file, "--method", "ust", *args).out)
    assert told["vertices"] == 60 and told["keep"] == "tree" and told["verified"]
    balls = ("--share", "0.3", "--powers", "1,0,-0.5", "--size", "9")
    told = json.loads(run("sample", file, "--method", "SpikyBall", *balls, *args).out)
    assert told["vertices"] == 9 and told["weighting"] == "none" and told["verified"]
    for method in ("diffusion", "xsn", "sp", "cnarw"):
        assert json.loads(run("sample", file, "--method", method, "--size", "9", *args).out)["verified"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--method", "rn"], "Give one of --size"),
        (["--method", "spikyball", "--size", "5", "--powers", "1,2"], "pass three numbers"),
        (["--method", "xsn"], "Give one of --size"),
        (["--method", "rn", "--size", "5", "--mix", "0.5"], "mix is not an option of rn"),
        (["--method", "drv", "--size", "5", "--edges", "5"], "edges is not an option of drv"),
        (["--method", "re", "--size", "5", "--edges", "5"], "edges and size are given"),
    ],
)
def test_bad_input(run, file, args, words):
    done = run("sample", file, *args)
    assert done.status != 0 and words in done.err


def test_a_chordal_subgraph(run, file, tmp_path, device):
    args = ("--seed", "3", "--device", device.spec, "--verify")
    done = run("sample", file, "--method", "chordal", *args, "-o", str(tmp_path / "out.txt"))
    assert done.status == 0, done.err
    assert "verified: what chordal draws" in done.err and "not always maximal" in done.err
    told = json.loads(run("sample", file, "--method", "quasi-chordal", "--parts", "3", *args, "--json").out)
    assert (told["vertices"], told["size"]) == (60, None)
    several = run("sample", file, "--method", "chordal", "--mode", "exact", "--seeds", "2", *args)
    assert several.status == 0 and several.out.count("chordal sample: 60 of 60") == 2
    wrong = run("sample", file, "--method", "chordal", "--size", "5")
    assert wrong.status != 0 and "leave size out" in wrong.err
