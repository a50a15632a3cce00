"""``clgraph bfs``, ``clgraph paths`` and ``clgraph communities``: output, files, errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_runs import InProcess

import clgraph


@pytest.mark.smoke
def test_bfs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = InProcess(capsys)
    file, out = tmp_path / "g.txt", tmp_path / "d.tsv"
    file.write_text("10 20\n20 30\n40 50\n")
    done = run("bfs", file, "--source", 10, "-o", out, "--json", "--verify")
    assert done.status == 0, done.err
    said = json.loads(done.out)
    assert (said["reached"], said["levels"], said["sources"], said["verified"]) == (3, 3, [10], True)
    assert out.read_text() == "10\t0\t-1\n20\t1\t10\n30\t2\t20\n40\t-1\t-1\n50\t-1\t-1\n"
    done = run("bfs", file, "--source", 10, "--source", 50, "--depth", 1, "--method", "frontier")
    assert done.status == 0
    assert done.out.splitlines()[0] == "4 of 5 vertices reached, 2 levels (undirected)"
    done = run("bfs", file, "--source", 11)
    assert (done.status, "vertex 11 is not in the graph" in done.err) == (1, True)
    done = run("bfs", file, "--source", "x")
    assert (done.status, "ids are integers" in done.err) == (1, True)
    assert run("bfs", file).status == 2
    assert run("bfs", file, "--source", 10, "--depth", -1).status == 2


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_paths(tmp_path: Path, capsys: pytest.CaptureFixture[str], dtype: Any) -> None:
    run = InProcess(capsys)
    file, out = tmp_path / "g.txt", tmp_path / "d.tsv"
    file.write_text("10 20 0.5\n20 30 0.5\n10 30 4\n40 50 0.1\n30 60 1000\n")
    given = (file, "--weights", "-s", 10, "--dtype", dtype, "-o", out, "--verify")
    done = run("paths", *given, "--target", 30)
    assert done.status == 0, done.err
    assert "verified" in done.err
    rows = "10\t0.0\t-1\n20\t0.5\t10\n30\t1.0\t20\n40\tinf\t-1\n50\tinf\t-1\n60\t1001.0\t30\n"
    assert out.read_text() == rows
    assert done.out.splitlines() == [
        "6 vertices (undirected; lengths are weights)",
        "from 10: 4 reached, the farthest at 1001; 30 at 1: 10 20 30",
    ]
    done = run("paths", *given, "--sources", "40,60", "--cutoff", 1, "--delta", 0.1, "--json", "-t", 50)
    said = json.loads(done.out)
    assert said["paths"] == [
        {"source": 10, "reached": 3, "farthest": 1, "distance": None, "path": None},
        {"source": 40, "reached": 2, "farthest": float(np.dtype(dtype).type(0.1))}
        | {"distance": float(np.dtype(dtype).type(0.1)), "path": [40, 50]},
        {"source": 60, "reached": 1, "farthest": 0, "distance": None, "path": None},
    ]
    assert (said["reached"], said["cutoff"], said["dtype"], said["verified"]) == (6, 1, dtype, True)
    found = clgraph.shortest_paths(clgraph.read(file, weights=True), [10, 40, 60], cutoff=1, dtype=dtype)
    lines = [line.split("\t") for line in out.read_text().splitlines()]
    assert [line[0] for line in lines] == ["10"] * 6 + ["40"] * 6 + ["60"] * 6
    read = np.array([line[2] for line in lines], dtype)
    np.testing.assert_array_equal(read, found.distance.ravel())


def test_paths_of_other_graphs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = InProcess(capsys)
    file, out = tmp_path / "g.txt", tmp_path / "d.tsv"
    file.write_text("a b 5\nb c 5\na c 20\n")
    names = (file, "--ids", "str", "--directed")
    done = run("paths", *names, "-s", "a", "-t", "c", "-o", out)
    assert done.out.splitlines()[0] == "3 vertices (directed; each arc has length 1; --weights reads weights)"
    assert done.out.splitlines()[1].endswith("c at 1: a c")
    assert out.read_text() == "a\t0.0\t-1\nb\t1.0\ta\nc\t1.0\ta\n"
    done = run("paths", *names, "--weights", "-s", "c", "-t", "b")
    assert done.out.splitlines()[1] == "from c: 1 reached, the farthest at 0; no path to b"
    done = run("paths", *names, "-s", "a", "-s", "b", *("-s", "c") * 9)
    assert done.out.splitlines()[-1] == "... 1 more sources: -o writes all"
    for options, status, word in (
        ((), 2, "Give start vertices"),
        (("-s", "x"), 1, "vertex x is not in the graph"),
        (("-s", "a", "-t", "x"), 1, "vertex x is not in the graph"),
        (("-s", "a", "--delta", 0), 1, "delta is 0"),
        (("-s", "a", "--cutoff", -1), 1, "cutoff is -1"),
        (("-s", "a", "--dtype", "int"), 2, "'int' is not one of"),
    ):
        done = run("paths", *names, *options)
        assert done.status == status and word in done.err, done.err
    file.write_text("1 2 -3\n")
    done = run("paths", file, "--weights", "-s", 1)
    assert done.status == 1 and "edge 1 -> 2 has weight -3" in done.err
    assert run("paths", file, "-s", "x").status == 1
    done = run("paths", tmp_path / "g.clgs", "-s", 1)
    assert done.status == 1 and "takes graphs that fit in memory" in done.err


@pytest.mark.smoke
@pytest.mark.parametrize("method", ["louvain", "leiden", "labels"])
def test_communities(tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str) -> None:
    run = InProcess(capsys)
    file, out = tmp_path / "g.txt", tmp_path / "c.tsv"
    ends = np.random.default_rng(2).integers(0, 60, (2, 150)) * 3
    np.savetxt(file, ends.T, fmt="%d")
    given = {"iterations": 4} if method == "labels" else {"resolution": 1.5, "seed": 3}
    options = [word for name, value in given.items() for word in (f"--{name}", value)]
    done = run("communities", file, "--method", method, "-o", out, "--verify", *options)
    assert done.status == 0, done.err
    assert "verified" in done.err
    data = clgraph.read(file)
    call = clgraph.label_propagation if method == "labels" else getattr(clgraph, method)
    found = call(data, **given)
    labels = data.ids[found.labels] if method == "labels" else found.labels
    np.testing.assert_array_equal(np.loadtxt(out), np.stack([data.ids, labels], axis=1))
    lines = done.out.splitlines()
    assert lines[1] == f"{found.count} communities, {data.num_vertices} vertices (undirected)"
    said = json.loads(run("communities", file, "--method", method, "--json", *options).out)
    quality = clgraph.modularity(data, found, resolution=1 if method == "labels" else 1.5)
    assert said["modularity"] == pytest.approx(quality) and f"{quality:.6f}" in lines[0]
    assert said["sizes"] == found.sizes[:10].tolist() and said["communities"] == found.count
    assert lines[3].split()[:2] == [str(said["names"][0]), str(found.sizes[0])]
    assert (labels == said["names"][0]).sum() == found.sizes[0]
    assert {name: said[name] for name in given} == given and said["method"] == method


def test_communities_of_other_graphs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = InProcess(capsys)
    file = tmp_path / "g.txt"
    file.write_text("a b 1\nb c 1\na c 1\nc d 0.01\nd e 1\ne f 1\nf d 1\n")
    said = json.loads(run("communities", file, "--ids", "str", "--directed", "--weights", "--json").out)
    assert said["sizes"] == [3, 3] and said["directed"] and said["modularity"] > 0.49
    said = json.loads(run("communities", file, "--ids", "str", "--method", "labels", "--json").out)
    assert said["names"] == ["a", "c"] and said["stable"]
    file.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 0\n")
    for method in ("leiden", "labels"):
        done = run("communities", file, "--format", "mtx", "--method", method, "--json", "--verify")
        said = json.loads(done.out)
        assert said["sizes"] == [1, 1, 1] and said["modularity"] is None
    for options, word in (
        (("--method", "labels", "--seed", 1), "--seed is an option of --method louvain, leiden"),
        (("--iterations", 1), "--iterations is an option of --method labels"),
        (("--resolution", 0), "resolution is 0"),
        (("--method", "x"), "'x' is not one of"),
        (("-o", tmp_path / "none" / "out.tsv"), "none"),
    ):
        done = run("communities", file, "--format", "mtx", *options)
        assert done.status != 0 and word in done.err, done.err
    done = run("communities", tmp_path / "g.clgs")
    assert done.status == 1 and "takes graphs that fit in memory" in done.err
