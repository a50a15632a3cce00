"""``clgraph pagerank`` from end to end, and what it says to bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cli_runs import process

from clgraph import pagerank, read

KEYS = {
    "vertices",
    "edges",
    "directed",
    "damping",
    "iterations",
    "converged",
    "residual",
    "norm",
    "tol",
    "error_bound",
    "dangling",
    "variant",
    "plan",
    "dtype",
    "device",
    "kernels",
    "built",
    "top",
    "seconds",
    "verified",
}


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    """A directed graph of ids with gaps, some of them dangling."""
    path = tmp_path_factory.mktemp("graphs") / "web.txt"
    rng = np.random.default_rng(4)
    ends = (rng.random((200, 2)) ** 2 * 60).astype(int) * 3 + 5
    np.savetxt(path, ends, fmt="%d", delimiter="\t")
    return path


def test_a_process_from_end_to_end(web, device, tmp_path):
    out = tmp_path / "ranks.tsv"
    done = process(f"pagerank {web} --directed --device {device.spec} --verify --explain --top 3 -o {out}")
    assert done.status == 0, done.err
    assert "verified: " in done.err
    # FPGAs with kernels of their own take one flat loop over the arcs
    plans = ("small", "contribution") if device.kind in ("fpga", "emulator") else ("small",)
    assert any(f"plan: variant {plan}" in done.err for plan in plans)
    first, *best = done.out.splitlines()
    assert first.startswith("directed, ") and "iterations (converged), residual " in first
    assert "dangling: personalization" in first
    assert len(best) == 3
    graph = read(web, directed=True)
    want = pagerank(graph, device=device)
    rows = [line.split("\t") for line in out.read_text().splitlines()]
    assert [int(vertex) for vertex, _ in rows] == graph.ids.tolist()
    np.testing.assert_array_equal(np.array([rank for _, rank in rows], np.float32), want.scores)
    assert int(best[0].split("\t")[0]) == want.top(1)[0][0]
    assert [path.name for path in tmp_path.iterdir()] == ["ranks.tsv"]


@pytest.mark.smoke
def test_json(web, device, run):
    done = run(f"pagerank {web} --directed --device {device.spec} --json --top 5 --dtype float64 --tol 1e-9")
    told = json.loads(done.out)
    assert set(told) == KEYS
    assert len(told["top"]) == 5
    assert told["residual"] < 1e-9 <= told["error_bound"]
    assert {"read", "build", "upload", "compile", "iterate", "download", "total"} <= set(told["seconds"])
    assert told["converged"] is True


@pytest.mark.parametrize("variant", ["serial", "pull", "contribution", "subgroup", "runs", "bins"])
def test_variants(web, run, variant):
    done = run(f"pagerank {web} --directed --variant {variant} --tol 0 --max-iter 4 --top 2 --verify")
    assert done.status == 0, done.err
    assert "4 iterations (as many as asked for), residual " in done.out
    assert done.out.splitlines()[0].endswith(f"variant {variant}")


def test_distributions(web, run, tmp_path):
    graph = read(web, directed=True)
    some = graph.ids[:2].tolist()
    file = tmp_path / "p.txt"
    file.write_text(f"# who\n{some[0]} 2\n\n{some[1]}\n")
    want = pagerank(graph, personalization={some[0]: 2, some[1]: 1}, dangling={some[1]: 1}, max_iter=300)
    start = tmp_path / "q.txt"
    start.write_text(f"{some[1]}\n")
    done = run(
        f"pagerank {web} --directed --personalize {file} --dangling {start} --nstart {file} --json "
        "--top 1 --max-iter 300"
    )
    told = json.loads(done.out)
    assert told["dangling"] == "given"
    assert told["top"][0]["vertex"] == want.top(1)[0][0]
    assert told["top"][0]["rank"] == pytest.approx(want.top(1)[0][1], rel=1e-4)
    done = run(
        f"pagerank {web} --directed --personalize", f"{some[0]}, {some[1]}", "--dangling", "uniform", "--json"
    )
    assert json.loads(done.out)["dangling"] == "uniform"


def test_not_converged(web, run, tmp_path):
    out = tmp_path / "ranks.tsv"
    done = run("pagerank", web, "--directed", "--max-iter", 2, "-o", out)
    assert done.status == 1
    assert "did not converge" in done.err
    assert "--max-iter" in done.err
    assert not out.exists()
    done = run("pagerank", web, "--directed", "--max-iter", 2, "--on-nonconvergence", "warn", "-o", out)
    assert done.status == 0
    assert "clgraph: warning: PageRank did not converge" in done.err
    assert "not converged" in done.out
    assert out.exists()
    assert (
        "warning"
        not in run("pagerank", web, "--directed", "--max-iter", 2, "--on-nonconvergence", "return").err
    )


@pytest.mark.parametrize("command", [("pagerank",), ("ppr", "-s", "0", "--norm", "l1")])
def test_cycle_of_roundings(run, tmp_path, command):
    star = tmp_path / "star.txt"
    star.write_text("".join(f"0 {leaf}\n" for leaf in range(1, 39)))
    options = (star, "--damping", "0.97", "--tol", "1e-6", "--max-iter", "5000")
    done = run(*command, *options)
    assert done.status == 1
    assert "roundings of float32 scores keep it there, so give --dtype float64 or a larger --tol" in done.err
    assert run(*command, *options, "--dtype", "float64").status == 0


BAD = {
    "no such id": (["--personalize", "6"], "vertex 6 is not in the graph"),
    "a word": (["--personalize", "x"], "'x': the graph's ids are integers"),
    "twice": (["--personalize", "5,5"], "vertex 5 is given twice"),
    "empty": (["--personalize", ","], "--personalize is empty"),
    "policy": (["--dangling", "ignore"], "--dangling ignore"),
    "damping": (["--damping", "1"], "damping is 1.0"),
    "tol": (["--tol", "1e-9"], "round-off of float32"),
    "vacuous": (["--tol", "3"], "cannot fail"),
}


@pytest.mark.parametrize(("options", "message"), BAD.values(), ids=BAD)
def test_bad_input(web, run, options, message):
    done = run("pagerank", web, "--directed", *options)
    assert done.status == 1
    assert message in done.err
    assert done.out == ""


@pytest.mark.parametrize("name", ["damping", "vacuous"])
def test_what_needs_no_graph_is_refused_before_it_is_read(run, name):
    options, message = BAD[name]
    assert message in run("pagerank", "/nonexistent/x.txt", *options).err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5 1 2\n", "line 1: '5 1 2'"),
        ("5 1\n8 x\n", "line 2: 'x' is no number"),
        ("# none\n", "names no vertex"),
    ],
)
def test_bad_file(web, run, tmp_path, text, message):
    path = tmp_path / "p.txt"
    path.write_text(text)
    done = run("pagerank", web, "--directed", "--personalize", path)
    assert done.status == 1
    assert message in done.err


def test_usage(web, run):
    for bad in (["--norm", "l7"], ["--variant", "fast"], ["--max-iter", "0"], ["--top", "-1"]):
        assert run("pagerank", web, "--directed", *bad).status == 2
