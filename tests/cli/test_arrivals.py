"""``clgraph sample`` of streams: standard input in a pipe, files, and what they refuse."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from cli_runs import environment

from clgraph import read
from clgraph.sampling import sample


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(1)
    name = tmp_path / "edges.txt"
    name.write_text("".join(f"{u} {v}\n" for u, v in rng.integers(0, 90, (600, 2)).tolist()))
    return str(name)


@pytest.fixture
def named(file, tmp_path):
    name = tmp_path / "names.tsv"
    with open(file) as rows:
        name.write_text("".join("\t".join(f"n{end}" for end in row.split()) + "\n" for row in rows))
    return str(name)


def test_names(run, file, named, tmp_path, device):
    """Text as ids: the same sample, verified, written, recorded and made again."""
    on = ("--device", device.spec, "-q")
    for options in (("gps", "--edges", "50", "--block", "9"), ("pies", "--size", "20"), ("gsh",)):
        args = ("--method", *options, "--seed", "3", "--verify", *on)
        out, plain, record = (tmp_path / name for name in ("out.csv", "plain.csv", "record.json"))
        done = run("sample", named, "--ids", "str", *args, "-o", out, "--record", record)
        assert done.status == 0, done.err
        assert run("sample", file, *args, "-o", plain).status == 0
        pairs = [
            sorted(zip(*graph.to_edges()[:2], strict=True)) for graph in (read(out, ids="str"), read(plain))
        ]
        assert {frozenset(pair) for pair in pairs[0]} == {
            frozenset(f"n{x}" for x in pair) for pair in pairs[1]
        }
        assert run("replay", record, *on).status == 0


def test_a_pipe(file, device):
    line = [sys.executable, "-m", "clgraph", "sample", "-", "--method", "pies", "--size", "20", "--seed", "3"]
    with open(file, "rb") as text:
        line += ["--device", device.spec, "-q", "-o", "-", "--to", "edges"]
        done = subprocess.run(line, stdin=text, capture_output=True, env=environment())
    assert done.returncode == 0, done.stderr
    expected = sample(file, "pies", size=20, seed=3, device=device)
    rows = sorted(tuple(map(int, row.split())) for row in done.stdout.decode().splitlines())
    assert rows == sorted(zip(*(end.tolist() for end in expected.graph.to_edges()[:2]), strict=True))


def test_files_are_verified(run, file, tmp_path, device):
    args = ("--seed", "3", "--device", device.spec, "--verify")
    out = tmp_path / "out.csv"
    done = run("sample", file, "--method", "gsh", "--p", "0.1", "--q", "0.2", *args, "-o", out)
    assert done.status == 0, done.err
    assert "verified: what gsh holds" in done.err and "triangles:" in done.out
    assert read(out).num_edges > 0
    told = json.loads(run("sample", file, "--method", "gps", "--edges", "50", *args, "--json").out)
    assert set(told["estimates"]) == {"edges", "wedges", "triangles", "triangles in stream"}
    assert told["size"] == "50" and told["verified"]
    several = run("sample", file, "--method", "pies", "--sizes", "20,5", "--seeds", "2", *args)
    assert several.status == 0 and several.out.count("pies sample: 19 vertices") == 2
    assert "19 vertices: the next edge would have brought two" in several.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["-", "--method", "pies", "--size", "5", "--verify"], "standard input can be read once"),
        (["FILE", "--method", "pies", "--size", "5", "--directed"], "--directed is not for streams"),
        (["NAMES", "--method", "pies", "--size", "5"], "line 2: 'n"),
        (["FILE", "--method", "pies", "--size", "5", "--mode", "exact"], "--mode is not for streams"),
        (["FILE", "--method", "pies", "--size", "50%"], "give a count"),
        (["FILE", "--method", "pies"], "Give one of --size"),
        (["FILE", "--method", "gps", "--edges", "5", "--q", "0.5"], "q is not an option of gps"),
    ],
)
def test_bad_input(run, file, named, args, words):
    done = run("sample", *[{"FILE": file, "NAMES": named}.get(each, each) for each in args])
    assert done.status != 0 and words in done.err
