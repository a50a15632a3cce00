"""``clgraph ppr``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_runs import InProcess

from clgraph import read
from clgraph.reference.pagerank import reference_ppr


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 50, (2, 160)) * 3
    path = tmp_path / "g.txt"
    np.savetxt(path, ends.T, fmt="%d")
    return path


@pytest.mark.smoke
def test_top(run: InProcess, graph: Path) -> None:
    done = run("ppr", graph, "--directed", "--source", 3, "-s", 0, "--top", 4, "--verify", "-q")
    assert done.status == 0, done.err
    lines = done.out.splitlines()
    assert lines[0].startswith(
        "directed, 50 vertices: method power, to 1e-06 (l2); damping 0.85; dangling: uniform"
    )
    assert lines[1].startswith("source 3: ") and lines[6].startswith("source 0: ")
    data = read(graph, directed=True)
    want = reference_ppr(data, [3])[0]
    best = data.ids[np.argsort(-want, kind="stable")[:4]].tolist()
    assert [int(line.split("\t")[0]) for line in lines[2:6]] == best


@pytest.mark.parametrize("method", ["power", "coo", "coo-flat", "monte-carlo"])
def test_json_and_output(run: InProcess, graph: Path, tmp_path: Path, method: str) -> None:
    sources = tmp_path / "ids.txt"
    sources.write_text("# two\n3\n\n0\n")
    out = tmp_path / "out.tsv"
    walks: tuple[Any, ...] = ("--walks", 500, "--seed", 4) if method == "monte-carlo" else ()
    done = run(
        f"ppr {graph} --directed --sources {sources} --method {method} --top 5 -o {out} --json --verify",
        *walks,
    )
    assert done.status == 0, done.err
    told = json.loads(done.out)
    assert [one["source"] for one in told["results"]] == [3, 0]
    assert told["dangling"] == "uniform" and told["verified"]
    lines = [line.split("\t") for line in out.read_text().splitlines()]
    assert len(lines) == 10
    top = [(one["source"], entry["vertex"]) for one in told["results"] for entry in one["top"]]
    assert [(int(line[0]), int(line[1])) for line in lines] == top
    assert {len(line) for line in lines} == {4 if walks else 3}
    if walks:
        assert (told["walks"], told["seed"]) == (500, 4)
        assert told["results"][0]["top"][0]["visits"] > 0


def test_all_ranks(run: InProcess, graph: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    done = run(f"ppr {graph} --directed -s 3 --top 0 -o {out} --stored --check-every 2 --explain")
    assert done.status == 0, done.err
    assert "plan: method power" in done.err
    ranks = np.loadtxt(out)[:, 2]
    assert len(ranks) == read(graph, directed=True).num_vertices
    assert ranks.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("args", "word"),
    [
        ((), "no source is given"),
        (("-s", "1"), "--source 1: vertex 1 is not in the graph"),
        (("-s", "x"), "the graph's ids are integers"),
        (("--sources", "nowhere.txt"), "cannot read nowhere.txt"),
        (("-s", "3", "--top", "0"), "give -o a file"),
        (("-s", "3", "--method", "monte-carlo", "--walks", "0"), "walks is 0"),
        (("-s", "3", "--method", "monte-carlo", "--epsilon", "2"), "epsilon is 2"),
        (("-s", "3", "--walks", "9"), "monte-carlo"),
        (("-s", "3", "--max-iter", "1"), "give a larger --max-iter"),
    ],
)
def test_errors(run: InProcess, graph: Path, args: tuple[str, ...], word: str) -> None:
    done = run("ppr", graph, "--directed", *args)
    assert done.status == 1 and done.out == ""
    assert done.err.splitlines()[-1].startswith("clgraph: error: ")
    assert word in done.err


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (("--damping", "1"), "damping is 1.0"),
        (("--tol", "-1"), "tol is -1.0"),
        (("--norm", "nx", "--tol", "2"), "cannot fail"),
        (("--walks", "9"), "an option of method 'monte-carlo'"),
        (("--method", "monte-carlo", "--walks", "0"), "walks is 0"),
        (("--method", "monte-carlo", "--walks", "3000000000"), "fit 32-bit counters"),
        (("--method", "monte-carlo", "--epsilon", "2"), "epsilon is 2"),
        (("--method", "monte-carlo", "--epsilon", "1e-9"), "needs"),
        (("--method", "monte-carlo", "--epsilon", "0.1", "--confidence", "1"), "confidence is 1"),
        (("--method", "monte-carlo", "--seed", str(2**64)), "2**64 - 1"),
        (("--squared", "--norm", "l1"), "norm 'l2'"),
        (("--stable-top", "2", "--top", "0", "--json"), "stable_top requires top"),
    ],
)
def test_what_needs_no_graph_is_refused_before_it_is_read(
    run: InProcess, args: tuple[str, ...], word: str
) -> None:
    done = run("ppr", "/nonexistent/x.txt", "-s", "3", *args)
    assert done.status == 1
    assert word in done.err


def test_bad_line(run: InProcess, graph: Path, tmp_path: Path) -> None:
    sources = tmp_path / "ids.txt"
    sources.write_text("3\n99999\n")
    assert (
        f"--sources {sources}, line 2: vertex 99999"
        in run("ppr", graph, "--directed", "--sources", sources).err
    )
    sources.write_text("3 4\n")
    assert "one id a line" in run("ppr", graph, "--directed", "--sources", sources).err
    sources.write_text("\n")
    assert "names no vertex" in run("ppr", graph, "--directed", "--sources", sources).err


def test_users_and_what_is_left_out(run: InProcess, tmp_path: Path) -> None:
    bought = tmp_path / "bought.txt"
    bought.write_text("".join(f"{user} {item}\n" for user in "abcdef" for item in ("tea", "jam", user * 2)))
    users, gone = tmp_path / "users.txt", tmp_path / "gone.txt"
    users.write_text("# who has what\nAnn aa bb\nBob jam\nAnn bb\n")
    gone.write_text("tea\n")
    found = []
    for options in ((), ("--exclude", "self"), ("--exclude", "neighbours", "--exclude-ids", gone)):
        done = run(
            *("ppr", bought, "--ids", "str", "--users", users, "--top", 6, "--json", "--verify", "-q"),
            *options,
        )
        assert done.status == 0, done.err
        told = json.loads(done.out)["results"]
        assert [one["source"] for one in told] == ["Ann", "Bob"]
        found.append([{entry["vertex"] for entry in one["top"]} for one in told])
    assert "bb" in found[0][0] and "jam" in found[0][1] and "tea" in found[0][1]
    assert not found[1][0] & {"aa", "bb"} and not found[1][1] & {"jam"}
    assert not found[2][0] & {"aa", "bb", "a", "b", "tea"} and not found[2][1] & {*"abcdef", "jam", "tea"}
    for options, word in (
        (("--users", users, "-s", "aa"), "leave out --source"),
        (("--users", gone), "line 1: user 'tea' has no items"),
        (("--users", tmp_path / "none"), "cannot read"),
        (("-s", "aa", "--exclude", "self", "--top", 0, "-o", tmp_path / "out"), "--top 0"),
        (("-s", "aa", "--exclude-ids", users), "one id a line"),
        (("-s", "aa", "--exclude", "others"), "'others' is not one of"),
    ):
        done = run("ppr", bought, "--ids", "str", *options)
        assert done.status != 0 and word in done.err, done.err
