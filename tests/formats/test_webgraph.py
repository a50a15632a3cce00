"""WebGraph's ASCII graphs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_files import GRAPHS, arcs_of, put
from graphs import same

import clgraph.formats.adjacency_lines
from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import write_with_summary


@pytest.mark.smoke
def test_ascii_graph(tmp_path: Path) -> None:
    graph = read(put(tmp_path / "x.graph-txt", "4\n1 2\n\n 0 2 \n0\n\n"))
    assert graph.directed and arcs_of(graph) == [(0, 1), (0, 2), (2, 0), (2, 2), (3, 0)]
    path = put(tmp_path / "x.graph-txt.gz", "3\n1 2\n0\n0")
    assert read(path, directed=False).num_edges == 2 and read(path, directed=False).multiplicity is None


@pytest.mark.parametrize("block", [1, 1 << 22])
@pytest.mark.parametrize("which", GRAPHS)
def test_round_trip(tmp_path: Path, which: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clgraph.formats.adjacency_lines, "BLOCK", block)
    graph, path = GRAPHS[which], tmp_path / "x.graph-txt"
    if graph.weights is not None:
        with pytest.raises(InputError, match="hold no weights"):
            write(graph, path)
        return
    said = write_with_summary(graph, path)
    assert ("two arcs" in said) == (not graph.directed)
    same(graph.with_ids(np.arange(graph.num_vertices)), read(path, directed=graph.directed))


@pytest.mark.parametrize("block", [1, 1 << 22])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x\n", "line 1: 'x' where the number"),
        ("-1\n", "line 1"),
        ("9999999999\n", "at most"),
        ("999999999\n", "max_vertices="),
        ("3\n1\n2\n", "says 3 vertices, but 2 lines follow"),
        ("2\n1\n0\n1\n", "line 4: more lines than the 2"),
        ("2\n1\n2\n", "line 3: neighbour 2 of vertex 1 is not a vertex: they are 0 .. 1"),
        ("3\n\n1\n0 3\n", "line 4: neighbour 3 of vertex 2 is not a vertex"),
        ("2\n1\n-1\n", "line 3: '-1' where the whole number of a neighbour should be: vertices are 0 .. 1"),
        ("2\n1\n1_0\n", "line 3: '1_0' where the whole number"),
        ("2\n1\n9999999999999999999999\n", "line 3: '9999999999999999999999' where"),
    ],
)
def test_damaged(tmp_path: Path, text: str, said: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clgraph.formats.adjacency_lines, "BLOCK", block)
    with pytest.raises(InputError, match=said):
        read(put(tmp_path / "x.graph-txt", text))


def test_what_does_not_fit(tmp_path: Path) -> None:
    path = put(tmp_path / "x.graph-txt", "2\n1\n0\n")
    with pytest.raises(InputError, match="hold no weights"):
        read(path, weights=True)
    with pytest.raises(InputError, match="parallel edges"):
        write(Graph.from_edges([0, 0], [1, 1], duplicates="keep"), path)
