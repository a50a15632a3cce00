"""Serialised graphs of the GAP Benchmark Suite."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from graph_files import GRAPHS, arcs_of, put
from graphs import same

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary, write_with_summary


def serialised(directed: int, n: int, *halves: tuple[list[int], list[int]], arcs: int | None = None) -> bytes:
    count = len(halves[0][1]) if arcs is None else arcs
    text = struct.pack("<BQQ", directed, count % 2**64, n % 2**64)
    for offsets, heads in halves:
        text += struct.pack(f"<{len(offsets)}q{len(heads)}i", *offsets, *heads)
    return text


PATH = serialised(0, 3, ([0, 1, 3, 4], [1, 0, 2, 1]))  # 0 - 1 - 2
ARCS = serialised(1, 3, ([0, 2, 2, 3], [1, 2, 0]), ([0, 1, 2, 3], [2, 0, 0]))  # 0 -> 1, 0 -> 2, 2 -> 0
WEIGHTED = struct.pack("<BQQ3q4i", 0, 2, 2, 0, 1, 2, 1, -7, 0, -7)


@pytest.mark.smoke
def test_serialised_graphs_as_gapbs_writes_them(tmp_path: Path) -> None:
    graph = read(put(tmp_path / "a.sg", PATH))
    assert not graph.directed and arcs_of(graph) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert arcs_of(read(tmp_path / "a.sg", directed=True)) == arcs_of(graph)
    unordered = serialised(0, 3, ([0, 1, 3, 4], [1, 2, 0, 1]))
    assert arcs_of(read(put(tmp_path / "u.sg", unordered))) == arcs_of(graph)
    graph = read(put(tmp_path / "b.sg", ARCS))
    assert graph.directed and arcs_of(graph) == [(0, 1), (0, 2), (2, 0)]
    assert arcs_of(read(tmp_path / "b.sg", directed=False)) == [(0, 1), (0, 2), (1, 0), (2, 0)]
    graph, said = read_with_summary(put(tmp_path / "c.wsg", WEIGHTED))
    assert graph.weights is None and "skipped: edge weights" in said
    weights = read(tmp_path / "c.wsg", weights=True).weights
    assert weights is not None and weights.tolist() == [-7, -7]
    for name in ("a.sg", "b.sg"):
        write(read(tmp_path / name), tmp_path / "again.sg")
        assert (tmp_path / "again.sg").read_bytes() == (tmp_path / name).read_bytes()
    write(read(tmp_path / "c.wsg", weights=True), tmp_path / "again.wsg")
    assert (tmp_path / "again.wsg").read_bytes() == WEIGHTED


@pytest.mark.parametrize("which", GRAPHS)
def test_round_trip(tmp_path: Path, which: str) -> None:
    graph = GRAPHS[which]
    suffix = "sg" if graph.weights is None else "wsg"
    if which == "odd weights":
        with pytest.raises(InputError, match="is not a whole number from -2147483648 to below 2147483648"):
            write(graph, tmp_path / "x.wsg")
        return
    said = write_with_summary(graph, tmp_path / f"x.{suffix}")
    numbers = np.arange(graph.num_vertices)
    assert ("numbered 0" in said) == (graph.ids.tolist() != numbers.tolist())
    same(graph.with_ids(numbers), read(tmp_path / f"x.{suffix}", weights=suffix == "wsg"))


def test_parallel_edges(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 0, 1, 1], [1, 1, 1, 1], duplicates="keep")
    write(graph, tmp_path / "x.sg")
    same(graph, read(tmp_path / "x.sg", duplicates="keep"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (PATH[:10], "10 bytes, too short for the header of 17"),
        (PATH[:-1], "3 vertices and 4 arcs has 65 bytes, this one has 64"),
        (PATH + b"\0", "this one has 66"),
        (WEIGHTED, "say if it is a .wsg file"),
        (b"\2" + PATH[1:], "first byte is 2"),
        (serialised(0, -1, ([], [])), "-1 vertices"),
        (serialised(0, 3, ([0] * 4, []), arcs=-1), "-1 arcs"),
        (serialised(0, 2**31, ([], [])), "clgraph takes at most"),
        (serialised(0, 10**9, ([], [])), "max_vertices="),
        (serialised(0, 3, ([0] * 4, []), arcs=2**62), "has .* bytes, this one has"),
        (serialised(0, 3, ([0, 2**62, -(2**63), 4], [1, 0, 2, 1])), "offsets of vertex 1"),
        (serialised(0, 3, ([1, 1, 3, 4], [1, 0, 2, 1])), "offsets of vertex 0"),
        (serialised(0, 3, ([0, 1, 3, 3], [1, 0, 2, 1])), "offsets end with 3, but there are 4"),
        (serialised(0, 3, ([0, 1, 3, 4], [1, 0, 3, 1])), "entry 2 is vertex 3"),
        (serialised(0, 3, ([0, 1, 3, 4], [1, 0, -1, 1])), "entry 2 is vertex -1"),
        (serialised(0, 3, ([0, 1, 3, 4], [1, 0, 0, 1])), "no twin of the same weight: 1 -> 0"),
        (serialised(0, 3, ([0, 1, 2, 3], [1, 0, 1])), "no twin of the same weight: 2 -> 1"),
        (serialised(1, 3, ([0, 2, 2, 3], [1, 2, 0]), ([0, 1, 2, 3], [2, 0, 1])), "are not those that enter"),
    ],
)
def test_damaged(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(put(tmp_path / "x.sg", data))


def test_twins_of_other_weight(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no twin of the same weight: 0 -> 1"):
        read(put(tmp_path / "x.wsg", struct.pack("<BQQ3q4i", 0, 2, 2, 0, 1, 2, 1, -7, 0, 7)))


def test_what_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"sg files hold no weights.*weights=True"):
        read(put(tmp_path / "x.sg", PATH), weights=True)
    with pytest.raises(InputError, match=r"vertices of \.sg files are numbers"):
        read(tmp_path / "x.sg", ids="str")
    with pytest.raises(InputError, match="sg files hold no weights"):
        write(GRAPHS["weights"], tmp_path / "y.sg")
    with pytest.raises(InputError, match=r"no weights, which \.wsg files need"):
        write(GRAPHS["plain"], tmp_path / "y.wsg")
    with pytest.raises(InputError, match="whole number"):
        write(Graph.from_edges([0], [1], weights=[2.0**31]), tmp_path / "y.wsg")
