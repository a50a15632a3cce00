"""Datasets written as one file, some rows at a time: the bytes of the graph in memory, with little memory."""

import subprocess
import sys

import numpy as np
import pytest

import clgraph
from clgraph.errors import InputError
from clgraph.files.summary import write_with_summary
from clgraph.scale import export
from clgraph.scale.writing import join_shards, write_shards


def graph_of(kind):
    """With loops, a long row, vertices without edges, ids with gaps, or text."""
    rng = np.random.default_rng(1)
    tail, head = rng.integers(0, 90, 900) ** 2, rng.integers(0, 5, 900) * 1000 + rng.integers(0, 60, 900)
    tail[:70], head[20:40] = 7, tail[20:40]
    more = {"weights": rng.normal(size=900)} if "weighted" in kind else {}
    vertices = np.arange(9000, 9050)
    if "text" in kind:
        columns = (tail, head, vertices)
        tail, head, vertices = (np.array([f"v{k},x" for k in each], object) for each in columns)
    if "plain" in kind:  # ids 0 .. n - 1, nothing parallel
        tail, head = np.divmod(np.unique(tail % 80 * 80 + head % 80), 80)
        vertices = np.arange(85)
    return clgraph.Graph.from_edges(tail, head, directed="directed" in kind, vertices=vertices, **more)


def as_in_memory(shards, graph, path):
    """A dataset is written as the graph is: the same bytes, and the same is said."""
    told, other = export.write_joined(shards, path), path.with_name(f"a{path.name}")
    assert told == write_with_summary(graph, other).replace("wrote a", "wrote ")
    assert path.read_bytes() == other.read_bytes()


KINDS = ["", "plain", "weighted", "directed", "directed weighted text"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_bytes_of_the_graph_in_memory(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(export, "STEP", 37)
    graph = graph_of(kind)
    shards = write_shards(graph, tmp_path / "g.clgs", shard_edges=200)
    assert len(shards.section("pairs").shards) > 2
    monkeypatch.setattr(export, "join_shards", None)
    for name in ("g.csv", "g.txt.gz", "g.clg", "g.parquet"):
        if name == "g.parquet":
            pytest.importorskip("pyarrow")
        as_in_memory(clgraph.open_shards(shards.folder), join_shards(shards), tmp_path / name)


def test_groups_of_parquet_and_no_edges(tmp_path, monkeypatch):
    """Where a group of rows ends in the middle of what was read; a graph without edges."""
    pytest.importorskip("pyarrow")
    graphs = clgraph.rmat_graph(15, edge_factor=48, seed=1), clgraph.Graph.from_edges([], [], vertices=[3, 5])
    assert graphs[0].num_edges > export.ROW_GROUP
    for graph in graphs:
        shards = write_shards(graph, tmp_path / "g.clgs")
        for name in ("g.parquet", "g.clg", "g.txt"):
            as_in_memory(shards, graph, tmp_path / name)


def test_without_the_section_and_damaged(tmp_path):
    graph = graph_of("weighted")
    pairs = write_shards(graph, tmp_path / "p.clgs", sections=["pairs"])
    as_in_memory(pairs, graph, tmp_path / "p.clg")
    path = pairs.folder / "pairs-000000.clg"
    whole = path.read_bytes()
    for change in (whole[:-1], whole[:9000] + b"\xff" + whole[9001:]):
        path.write_bytes(change)
        with pytest.raises(InputError, match=r"pairs-000000\.clg"):
            export.write_joined(clgraph.open_shards(pairs.folder), tmp_path / "x.txt")
    assert not (tmp_path / "x.txt").exists()


WRITE = """
import re, sys
import numpy, clgraph, scipy.sparse
from clgraph.scale import export
def peak():
    with open("/proc/self/status") as file:
        return int(re.search(r"VmHWM:\\s+(\\d+) kB", file.read())[1]) >> 10
shards, before = clgraph.open_shards(sys.argv[1]), peak()
for name in (".clg", ".txt"):
    export.write_joined(shards, sys.argv[1] + name)
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_memory(tmp_path):
    """Of 25 MB of rows in one shard some are in memory at a time; the whole graph takes 117 MB."""
    path = tmp_path / "g.clgs"
    write_shards(clgraph.rmat_graph(15, edge_factor=120, seed=1), path)
    call = [sys.executable, "-c", WRITE, str(path)]
    took = subprocess.run(call, capture_output=True, text=True, check=True, timeout=120).stdout
    assert int(took) < 75  # MB
