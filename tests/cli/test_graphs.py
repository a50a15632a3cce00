"""``clgraph info``, ``clgraph convert`` and ``clgraph generate``."""

import os
import signal
import time

import numpy as np
import pytest
from cli_runs import started
from models import same

import clgraph
from clgraph import Graph, read, write
from clgraph.cli.graphs import describe


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.txt"
    path.write_text("1 2 0.5\n2 1 1\n2 3 1\n7 7 1\n8 9 1\n")
    return path


# --- info and convert -------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_info_json(small, run):
    done = run(f"info {small} --json")
    counts = {"vertices": 6, "edges": 4, "self_loops": 1, "duplicates": 1, "components": 3}
    kind = {"file": str(small), "directed": False, "weighted": False}
    degree = {"min": 1, "median": 1.0, "mean": 7 / 6, "max": 2}
    assert done.json() == {**kind, **counts, "largest_component": 3, "degree": degree}
    assert done.err == (
        "read small.txt: undirected, 6 vertices, 4 edges (5 rows; weights not read (use --weights); "
        "1 merged as parallel; 1 self-loop)\n"
    )


def test_info_otherwise(small, run):
    done = run(f"info {small} --json --directed --weights -q")
    told = done.json()
    assert done.err == "" and told["directed"] and told["weighted"] and told["edges"] == 5
    assert told["degree"] == {"min": 0, "median": 1.0, "mean": 5 / 6, "max": 2}
    assert told["in_degree"] == {"min": 0, "median": 1.0, "mean": 5 / 6, "max": 1}
    assert told["components"] == 3
    out = run(f"info {small}").fine().out
    for word in ("vertices", "self loops", "largest component", "degree, mean", "1.16667"):
        assert word in out
    told = describe(Graph.from_edges([], []))
    assert (told["vertices"], told["components"], told["largest_component"]) == (0, 0, 0)
    assert told["degree"] == {"min": None, "median": None, "mean": None, "max": None}


@pytest.mark.smoke
def test_convert(small, tmp_path, run):
    assert run(f"convert {small} {tmp_path}/a.clg --directed").fine().err.splitlines() == [
        "read small.txt: directed, 6 vertices, 5 edges "
        "(5 rows; weights not read (use --weights); 1 self-loop)",
        "wrote a.clg: directed, 6 vertices, 5 edges",
    ]
    assert run(f"convert {tmp_path}/a.clg {tmp_path}/a.mtx -q").fine().err == ""
    graph = read(tmp_path / "a.mtx")
    assert graph.directed and graph.ids.tolist() == [1, 2, 3, 4, 5, 6]
    done = run(f"convert {small} {tmp_path}/odd.name --to edges --weights").fine()
    assert (tmp_path / "odd.name").read_text() == "1\t2\t1.5\n2\t3\t1.0\n7\t7\t1.0\n8\t9\t1.0\n"
    assert "merged parallel edge" in done.err


def test_facts_of_a_large_file(data_path, tmp_path, run):
    file, path = data_path("Wiki-Vote.txt"), tmp_path / "wiki.clg"
    told = run("info", file, "--json", "-q").json()
    assert (told["vertices"], told["edges"], told["duplicates"]) == (7115, 100762, 2927)
    assert (told["components"], told["largest_component"]) == (24, 7066)
    run("convert", file, path, "-q").fine()
    graph, again = read(file), read(path)
    assert np.array_equal(graph.ids, again.ids) and np.array_equal(graph.col_idx, again.col_idx)
    write(again, tmp_path / "wiki.txt")
    assert read(tmp_path / "wiki.txt").num_edges == 100762


# --- generate ---------------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_generate(run, tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    line = "generate powerlaw --vertices 2000 --average-degree 5 --exponent 2.71 --seed 4"
    done = run(f"{line} -o {first}").fine()
    assert done.out == ""
    assert "seed 4" in done.err
    assert "wrote a.txt: undirected, 2000 vertices" in done.err
    assert "without edges left out" in done.err  # an edge list cannot hold them, and that is said
    done = run(f"{line} -q -o {second}").fine()
    assert (done.out, done.err) == ("", "")
    assert first.read_bytes() == second.read_bytes()
    # a seed that is drawn is told, too
    drawn = run(f"generate powerlaw --vertices 100 -o {tmp_path}/a.clg").fine().err
    seed = drawn.split("seed ")[1].split(":")[0]
    run(f"generate powerlaw --vertices 100 --seed {seed} -o {tmp_path}/b.clg").fine()
    assert (tmp_path / "a.clg").read_bytes() == (tmp_path / "b.clg").read_bytes()


def test_generate_refuses_a_bad_place_before_it_works(run, tmp_path):
    begun = time.perf_counter()
    (tmp_path / "folder.txt").mkdir()
    for name, word in (("no/x.txt", "no folder"), ("x.what", "--to"), ("folder.txt", "is a folder")):
        run("generate powerlaw --vertices 100000000 -o", tmp_path / name).refused(word)
    assert time.perf_counter() - begun < 5


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
        done = run(f"generate {line} --seed 5 --device {device.spec} -o {tmp_path}/graph.clg").fine()
        assert f"{line.split()[0]}, seed 5: " in done.err
        assert same(clgraph.read(tmp_path / "graph.clg"), wanted)


def test_communities(run, tmp_path, device):
    line = f"generate lfr --vertices 200 --seed 2 --device {device.spec}"
    run(f"{line} -o {tmp_path}/graph.clg --communities {tmp_path}/of.txt").fine()
    wanted = clgraph.lfr_graph(200, seed=2, device=device).community
    found = [line.split("\t") for line in (tmp_path / "of.txt").read_text().splitlines()]
    assert [[int(a), int(b)] for a, b in found] == list(map(list, enumerate(wanted.tolist())))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("ba --vertices 3 --edges-each 3", "give at least 4 vertices"),
        ("er --vertices 3 --edges 4", "give at most 3 edges"),
        ("ws --vertices 9 --degree 3 --probability 0.1", "give an even number"),
        ("configuration --vertices 5 --min-degree 3 --max-degree 3", "the sum of the degrees is odd"),
        ("static --vertices 5 --average-degree 9", "5 vertices allow 0 to 4"),
        ("lfr --vertices 200 --mixing 2", "give a number from 0 to 1"),
        ("lfr --vertices 200 --communities none/of.txt", "none"),
    ],
)
def test_models_that_are_none(run, tmp_path, device, line, says):
    said = run(f"generate {line} --device {device.spec} -o {tmp_path}/x.txt").refused(says)
    assert said.splitlines()[-1].startswith("clgraph: error: ")
    assert not list(tmp_path.iterdir())


def test_shards(run, tmp_path, device):
    line = "generate rmat --scale 9 --directed --seed 3"
    both = f"--device {device.spec},{device.spec} --sections pairs,in"
    assert "rmat, seed 3: wrote " in run(f"{line} {both} -o {tmp_path}/g.clgs").fine().err
    made = clgraph.rmat_graph(9, seed=3, directed=True)
    assert same(clgraph.join_shards(clgraph.open_shards(tmp_path / "g.clgs")), made)
    for out, more, words, status in (
        ("k.clgs", "--duplicates keep", "with parallel copies, are not made in shards", 1),
        ("k.clgs", "--sections rows", "a directed graph has pairs, in, out", 1),
        ("k.txt", "--shard-edges 7", "are of datasets: OUT.clgs", 2),
    ):
        run(f"{line} {more} -o {tmp_path}/{out}").refused(words, status=status)
    assert [file.name for file in tmp_path.iterdir()] == ["g.clgs"]


def test_interrupted_while_it_generates(tmp_path):
    child = started("generate powerlaw --vertices 20000000 -o big.txt", cwd=tmp_path)
    # its imports are behind it once this process's memory holds the edges' array: then it is at work
    deadline = time.monotonic() + 60
    while _resident(child.pid) < 300 << 20 and time.monotonic() < deadline:
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert (child.returncode, out, err.strip()) == (130, "", "clgraph: interrupted")
    assert not list(tmp_path.iterdir())


def _resident(pid):
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0
