"""``clgraph centrality``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_runs import InProcess

import clgraph


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    ends = np.random.default_rng(1).integers(0, 50, (2, 160)) * 3
    path = tmp_path / "g.txt"
    np.savetxt(path, ends.T, fmt="%d")
    return path


@pytest.mark.smoke
@pytest.mark.parametrize("measure", ["betweenness", "closeness", "harmonic", "eigenvector", "katz", "hits"])
def test_measures(run: InProcess, graph: Path, tmp_path: Path, measure: str) -> None:
    more = {"eigenvector": {"max_iter": 1000}, "katz": {"alpha": 0.02}}.get(measure, {})
    options = [word for name, value in more.items() for word in (f"--{name.replace('_', '-')}", value)]
    out = tmp_path / "out.tsv"
    done = run(
        *("centrality", graph, "--measure", measure, "--directed", "--top", 3, "-o", out, "--verify"),
        *options,
    )
    assert done.status == 0, done.err
    assert "verified" in done.err
    data = clgraph.read(graph, directed=True)
    compute = clgraph.hits if measure == "hits" else getattr(clgraph, f"{measure}_centrality")
    values = np.atleast_2d(compute(data, **more))
    rows = np.loadtxt(out)
    np.testing.assert_array_equal(rows[:, 0], data.ids)
    np.testing.assert_array_equal(rows[:, 1:].T, values)
    lines = done.out.splitlines()
    assert lines[0].startswith(f"directed, 50 vertices: {measure}")
    best = data.ids[np.argsort(-values[0], kind="stable")[:3]].tolist()
    shown = [line for line in lines[1:] if "\t" in line]
    assert [int(line.split("\t")[0]) for line in shown[:3]] == best
    told = json.loads(run("centrality", graph, "--measure", measure, "--directed", "--json", *options).out)
    assert told["measure"] == measure and told["directed"]
    assert [entry["vertex"] for entry in next(iter(told["top"].values()))[:3]] == best


def test_mistakes(run: InProcess, graph: Path, tmp_path: Path) -> None:
    for options, word in (
        (("--measure", "closeness", "--alpha", 0.1), "--alpha is an option of --measure katz"),
        (("--seed", 1), "--seed draws the vertices of --k"),
        (("--k", 51), "k is 51"),
        (("--k", 5, "--verify"), "--verify of betweenness takes all sources"),
        (("--measure", "degree"), "'degree' is not one of"),
        (("--measure", "katz", "--alpha", 0.9), "give a larger --max-iter or --tol, or a smaller --alpha"),
        (("-o", tmp_path / "none" / "out.tsv"), "none"),
    ):
        done = run("centrality", graph, *options)
        assert done.status != 0 and word in done.err, done.err


def test_some_sources_and_string_ids(run: InProcess, tmp_path: Path) -> None:
    path = tmp_path / "names.txt"
    path.write_text("a hub\nb hub\nc hub\na b\n")
    done = run("centrality", path, "--ids", "str", "--k", 3, "--seed", 1, "--top", 1, "-q")
    assert done.out.splitlines()[0].endswith("betweenness; k 3; seed 1") and "hub\t" in done.out
    done = run("centrality", path, "--ids", "str", "--measure", "hits", "--top", 1, "-q")
    first = [line.split("\t")[0] for line in done.out.splitlines()[1:]]
    assert first == ["hub:", "hub", "authority:", "hub"]
