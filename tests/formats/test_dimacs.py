"""Graphs of DIMACS's shortest-path challenge."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_files import GRAPHS, arcs_of, put
from graphs import same

import clgraph.formats.text_table
from clgraph import InputError
from clgraph.files import read
from clgraph.files.summary import read_with_summary, write_with_summary

TEXT = "c a road\nc\np sp 4 3\nc more\na 1 2 5\na 2 1 5\na 3 1 1.5e1\n"


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["x.gr", "x.gr.gz"])
@pytest.mark.parametrize("text", [TEXT, TEXT.replace("c more\n", ""), TEXT.replace("\n", "\r\n")[:-2]])
def test_dimacs(tmp_path: Path, name: str, text: str) -> None:
    graph, said = read_with_summary(put(tmp_path / name, text))
    assert graph.directed and graph.num_vertices == 4 and "skipped: arc weights" in said
    assert arcs_of(graph) == [(1, 2), (2, 1), (3, 1)]
    weights = read(tmp_path / name, weights=True).weights
    assert weights is not None and weights.tolist() == [5, 5, 15]


def test_both_arcs_of_each_edge_are_one_edge(tmp_path: Path) -> None:
    text = "p sp 3 5\na 1 2 5\na 2 1 5\na 3 1 2\na 1 3 2\na 2 2 9\n"
    graph = read(put(tmp_path / "x.gr", text), weights=True, directed=False)
    assert graph.num_edges == 3 and graph.multiplicity is None
    assert graph.weights is not None and sorted(graph.weights.tolist()) == [2, 2, 5, 5, 9]
    graph = read(put(tmp_path / "x.gr", text.replace("a 1 3 2", "a 1 3 3")), weights=True, directed=False)
    assert graph.weights is not None and sorted(graph.weights.tolist()) == [5, 5, 9, 10, 10]


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("which", GRAPHS)
def test_round_trip(tmp_path: Path, which: str, fast: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, path = GRAPHS[which], tmp_path / "x.gr"
    if which == "odd weights":
        with pytest.raises(InputError, match="not a whole number"):
            write_with_summary(graph, path)
        return
    said = write_with_summary(graph, path)
    assert ("weight 1" in said) == (graph.weights is None)
    assert ("two arcs" in said) == (not graph.directed)
    if not fast:
        monkeypatch.setattr(clgraph.formats.text_table, "load_rows", lambda *args: None)
    again = read(path, weights=graph.weights is not None, directed=graph.directed)
    same(graph.with_ids(np.arange(1, graph.num_vertices + 1)), again)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("c only\n", "no line 'p sp"),
        ("a 1 2 3\n", "line 1: 'a 1 2 3' where 'p sp"),
        ("p col 3 2\n", "line 1: 'p col 3 2' where 'p sp"),
        ("p sp 3\n", "where 'p sp"),
        ("p sp -3 2\n", "two counts"),
        ("p sp 3 1e1\n", "two counts"),
        ("p sp 9999999999 0\n", "at most"),
        ("p sp 999999999 0\n", "max_vertices="),
        ("p sp 3 999999999999\na 1 2 3\n", "announces 999999999999 arcs in only"),
        ("p sp 3 1\n", "line 1: says 1 arcs, but 0 follow"),
        ("p sp 3 2\na 1 2 3\n", "line 1: says 2 arcs, but 1 follow"),
        ("p sp 3 1\na 1 2 3\na 1 2 3\n", "line 1: says 1 arcs, but 2 follow"),
        ("p sp 3 1\na 1 4 3\n", r"line 2: '4' is not a vertex: they are 1 .. 3"),
        ("p sp 3 1\na 0 1 3\n", "line 2: '0' is not"),
        ("p sp 3 1\na 1_0 1 3\n", "line 2: '1_0' is not"),
        ("p sp 3 1\na 1.0 1 3\n", "line 2: '1.0' is not"),
        ("p sp 3 1\na 1 2 nan\n", "line 2: weight 'nan'"),
        ("p sp 3 1\na 1 2 1e999\n", "line 2: weight '1e999'"),
        ("p sp 3 1\na 1 2\n", "line 2: 'a 1 2' where an arc"),
        ("p sp 3 1\na 1 2 3 4\n", "line 2: 'a 1 2 3 4' where an arc"),
        ("p sp 3 1\nab 1 2 3\n", "line 2: 'ab 1 2 3' where an arc"),
        ("p sp 3 2\na 1 2 3\np sp 3 1\n", "line 3: 'p sp 3 1' where an arc"),
    ],
)
def test_damaged(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(put(tmp_path / "x.gr", text))
