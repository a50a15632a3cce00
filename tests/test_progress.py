"""``progress=`` of the calls that may take long: a function of the caller's, True, or an error in words."""

import io
import sys
from functools import partial

import pytest
from graphs import tangle

import clgraph
from clgraph import progress, scale

GRAPH = tangle(3, n=300, edges=900)
WALKS = {"method": "monte-carlo", "walks": 100, "top": 3, "seed": 1}
LONG = {
    "sample": partial(clgraph.sample, GRAPH, "drve", size="50%", seed=1),
    "seeds": partial(clgraph.sample, GRAPH, "drv", size="50%", seed=1, seeds=3),
    "curve": partial(clgraph.reduction_curve, GRAPH, "drv", 1),
    "study": partial(clgraph.study, GRAPH, ["drv"], ["50%"], seeds=2),
    "pagerank": partial(clgraph.pagerank, GRAPH, variant="pull", tol=0, max_iter=40),
    "pagerank, small": partial(clgraph.pagerank, GRAPH, variant="small", tol=1e-6, max_iter=400),
    "pagerank, fixed": partial(clgraph.pagerank, GRAPH, variant="fixed", tol=0, max_iter=5),
    "ppr": partial(clgraph.personalized_pagerank, GRAPH, range(70)),
    "ppr, walks": partial(clgraph.personalized_pagerank, GRAPH, [0, 1], **WALKS),
    "bfs_many": partial(clgraph.bfs_many, GRAPH, range(70)),
    "shortest_paths": partial(clgraph.shortest_paths, GRAPH, range(70)),
    "powerlaw_graph": partial(clgraph.powerlaw_graph, 1000, seed=1),
}


def teller(told):
    return lambda done, of: told.append((done, of))


@pytest.mark.parametrize("name", LONG)
def test_told_until_the_end(device, name):
    if device.is_fpga and "small" in name:
        pytest.skip("pipelines have no such variant")
    told = []
    LONG[name](device=device, progress=teller(told))
    assert told == sorted(told) and len({of for _, of in told}) == 1


def test_files_are_told(tmp_path):
    for call, graph in ((clgraph.write, (GRAPH,)), (clgraph.read, ())):
        told = []
        call(*graph, tmp_path / "g.clg", progress=teller(told))
        done, of = told[-1]
        assert of is not None and of > 20_000 and of - 64 < done <= of


def test_shards_are_told(tmp_path, monkeypatch):
    told = [[], [], []]
    write, join, merge = map(teller, told)
    shards = scale.write_shards(GRAPH, tmp_path / "g.clgs", shard_edges=300, progress=write)
    scale.join_shards(shards, progress=join)
    parts = [clgraph.save_forest(shards, tmp_path / f"{i}.forest", seed=1, which=[i]).path for i in range(2)]
    clgraph.merge_forests(parts, tmp_path / "all.forest", progress=merge)
    n = GRAPH.num_vertices
    for each, of in zip(told, (2 * n, n, 2), strict=True):
        assert len(each) > 1 and each == sorted(each) and each[-1] == (of, of)
    shown = terminal(monkeypatch)
    scale.join_shards(shards, progress=True)
    assert "joining" in shown.getvalue() and "100%" in shown.getvalue()


def terminal(monkeypatch, is_one=True):
    """What stderr gets from now on; bars are drawn from the first moment on."""
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: is_one, raising=False)
    monkeypatch.setattr(progress, "AFTER", -1)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", shown)
    return shown


def test_true_shows_a_bar(monkeypatch):
    for name, call in LONG.items():
        shown = terminal(monkeypatch)
        call(progress=True)
        assert "%" in shown.getvalue(), name
    assert "generating" in shown.getvalue() and "100%" in shown.getvalue()  # the last of them


@pytest.mark.parametrize(("is_one", "wanted"), [(False, True), (True, False)])
def test_no_bar_in_a_file_and_none_unasked(monkeypatch, is_one, wanted):
    shown = terminal(monkeypatch, is_one)
    for name in ("powerlaw_graph", "sample"):
        LONG[name](progress=wanted)
    assert shown.getvalue() == ""
