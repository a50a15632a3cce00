"""Datasets of shards from the command line."""

import json

import pytest
from cli_runs import InProcess

import clgraph


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return InProcess(capsys)


@pytest.mark.smoke
def test_there_and_back(run, tmp_path):
    clgraph.write(clgraph.powerlaw_graph(500, seed=2), tmp_path / "g.txt")
    done = run("convert", "g.txt", "g.clgs", "--shard-edges", "300")
    assert done.status == 0, done.err
    assert "wrote g.clgs: <Shards: undirected" in done.err
    facts = json.loads(run("info", "g.clgs", "--json").out)
    assert (
        facts["vertices"] == len(clgraph.read(tmp_path / "g.txt").ids)
        and facts["section_pairs"]["shards"] > 3
    )
    assert run("convert", "g.clgs", "back.txt").status == 0
    assert (tmp_path / "back.txt").read_bytes() == (tmp_path / "g.txt").read_bytes()
    assert "section pairs, entries" in run("info", "g.clgs").out
    text = (tmp_path / "g.txt").read_text().splitlines(keepends=True)
    for part in (0, 1):
        (tmp_path / f"part-{part}.txt").write_text("".join(text[part::2]))
    done = run("convert", "part-0.txt", "part-1.txt", "h.clgs", "--shard-edges", "300", "--resume")
    assert (
        done.status == 0
        and json.loads(run("info", "h.clgs", "--json").out)["fingerprint"] == facts["fingerprint"]
    )
    assert "taken together for datasets only" in run("convert", "part-0.txt", "part-1.txt", "h.txt").err


def test_weights_that_are_left_out(run, tmp_path):
    (tmp_path / "g.txt").write_text("1 2 0.5\n2 3 1.5\n")
    assert run("convert", "g.txt", "g.clg", "--weights").status == 0
    for name in ("g.txt", "g.clg"):
        assert f"note: {name}: weights not read (use --weights)" in run("convert", name, "g.clgs").err
        assert "not read" not in run("convert", name, "g.clgs", "--weights").err
    assert json.loads(run("info", "g.clgs", "--json").out)["weights"]


def test_samples(run, tmp_path):
    clgraph.write(clgraph.powerlaw_graph(500, seed=2), tmp_path / "g.txt")
    run("convert", "g.txt", "g.clgs", "--shard-edges", "300")
    done = run("sample", "g.clgs", "--sizes", "60%,20%", "--seed", "3", "-o", "s-{size}.clgs")
    assert done.status == 0 and done.out.count("drv sample: ") == 2, done.err
    run("sample", "g.txt", "--sizes", "60%,20%", "--seed", "3", "-o", "s-{size}.txt")
    for size in ("60%", "20%"):
        run("convert", f"s-{size}.clgs", f"back-{size}.txt")
        assert (tmp_path / f"back-{size}.txt").read_bytes() == (tmp_path / f"s-{size}.txt").read_bytes()


def test_other_commands(run, tmp_path):
    """The same files as from the graph in memory (PageRank: the same ranks to its bound)."""
    clgraph.write(clgraph.powerlaw_graph(500, seed=2), tmp_path / "g.txt")
    run("convert", "g.txt", "g.clgs", "--shard-edges", "300")
    for command in (("components",), ("bfs", "--source", "3"), ("bfs", "-s", "3", "--sources", "9,40")):
        outputs = []
        for graph in ("g.txt", "g.clgs"):
            done = run(*command, graph, "-o", f"{graph}.tsv", "--json")
            assert done.status == 0, done.err
            found = json.loads(done.out)
            outputs.append((found["vertices"], found["edges"], found.get("sizes"), found.get("level_sizes")))
        assert outputs[0] == outputs[1]
        assert (tmp_path / "g.txt.tsv").read_bytes() == (tmp_path / "g.clgs.tsv").read_bytes()
    one = run("pagerank", "g.clgs", "--top", "5", "--dtype", "float64", "-o", "ranks.tsv")
    other = run("pagerank", "g.txt", "--undirected", "--top", "5", "--dtype", "float64")
    assert "variant fixed" in one.out and one.out.split("\n")[1:] == other.out.split("\n")[1:]
    assert len((tmp_path / "ranks.tsv").read_text().splitlines()) == outputs[0][0]
    run("pagerank", "g.txt", "--undirected", "--variant", "fixed", "--dtype", "float64", "-o", "one.tsv")
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "ranks.tsv").read_bytes()
    walks = ("-s", "3", "-s", "9", "--method", "monte-carlo", "--seed", "4", "--walks", "500")
    for graph, devices in (("g.txt", "pocl"), ("g.clgs", "pocl,pocl,pocl")):
        done = run("ppr", graph, *walks, "--device", devices, "-o", f"{graph}.walks")
        assert done.status == 0, done.err
    assert (tmp_path / "g.txt.walks").read_bytes() == (tmp_path / "g.clgs.walks").read_bytes()
    assert "'monte-carlo' is" in run("ppr", "g.clgs", "-s", "3").err
    assert "--strong is not offered" in run("components", "g.clgs", "--strong").err
    assert "Give start vertices" in run("bfs", "g.clgs").err


def test_refused_in_words(run, tmp_path):
    clgraph.write(clgraph.powerlaw_graph(500, seed=2), tmp_path / "g.txt")
    run("convert", "g.txt", "g.clgs")
    for args, message in (
        (("sample", "g.clgs", "--size", "5", "--mode", "batched"), "--mode is not offered for shards"),
        (("sample", "g.clgs", "--size", "5", "--method", "drve"), "'drve' is not offered for shards"),
        (("sample", "g.clgs", "--size", "5", "-o", "x.txt"), "ends in .clgs"),
        (("sample", "none.clgs", "--size", "5"), "no such dataset"),
        (("convert", "g.txt", "h.clgs", "--sections", "pairs,in"), "an undirected graph has pairs, rows"),
        (("convert", "g.txt", "h.clgs", "--shard-edges", "0"), "a whole number from 1 to"),
        (("convert", "g.txt", "h.txt", "--shard-edges", "5"), "of datasets"),
        (("convert", "g.clgs", "h.txt", "--directed"), "--directed is not offered for shards"),
        (("convert", "g.clgs", "h.clgs", "--ids", "str"), "--ids is not offered for shards"),
    ):
        done = run(*args)
        assert done.status and message in done.err and "Traceback" not in done.err, done.err
