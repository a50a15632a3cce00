"""``clgraph info``, ``clgraph convert`` and ``clgraph generate``."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from cli_runs import started
from graph_files import put
from models import same

import clgraph
from clgraph import Graph, read
from clgraph.cli.graphs import describe


@pytest.fixture
def small(tmp_path):
    return put(tmp_path / "small.txt", "1 2 0.5\n2 1 1\n2 3 1\n7 7 1\n8 9 1\n")


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


def test_facts_of_a_large_file(data_path, run):
    told = run("info", data_path("Wiki-Vote.txt"), "--json", "-q").json()
    assert (told["vertices"], told["edges"], told["duplicates"]) == (7115, 100762, 2927)
    assert (told["components"], told["largest_component"]) == (24, 7066)


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
    found = np.loadtxt(tmp_path / "of.txt", int, delimiter="\t")
    np.testing.assert_array_equal(found, np.column_stack((range(200), wanted)))


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
    with suppress(OSError, IndexError):  # it has ended
        while _resident(child.pid) < 300 << 20 and time.monotonic() < deadline:
            time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=120)
    assert (child.returncode, out, err.strip()) == (130, "", "clgraph: interrupted")
    assert not list(tmp_path.iterdir())


def _resident(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
