"""KONECT's files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_files import GRAPHS, arcs_of, put
from graphs import same

from clgraph import InputError
from clgraph.files import read
from clgraph.files.summary import read_with_summary, write_with_summary


@pytest.mark.smoke
def test_the_first_line_says_direction_and_weights(tmp_path: Path) -> None:
    path = put(tmp_path / "out.zebra", "% sym unweighted\n% 2 4 4\n1 2\n2 3\n")
    graph = read(path)
    assert not graph.directed and graph.ids.tolist() == [1, 2, 3, 4] and graph.num_edges == 2
    with pytest.raises(InputError, match="line 1: says that the edges are unweighted"):
        read(path, weights=True)
    assert read(path, directed=True).directed
    path = put(tmp_path / "out.ratings-x.gz", "% asym weighted\r\n1\t2\t-3.5\t1082040961\r\n2\t1\t2\t1\r\n")
    graph, said = read_with_summary(path)
    assert graph.directed and arcs_of(graph) == [(1, 2), (2, 1)] and "skipped: weights, times" in said
    weights = read(path, weights=True).weights
    assert weights is not None and weights.tolist() == [-3.5, 2]


def test_the_sides_of_a_bipartite_graph_are_told_apart(tmp_path: Path) -> None:
    text = "% bip unweighted\n% 3 2 3\n1 1\n2 1\n1 3\n"
    graph, said = read_with_summary(put(tmp_path / "out.bip", text))
    assert not graph.directed and graph.ids.tolist() == [1, 2, 3, 4, 5]
    assert [arc for arc in arcs_of(graph) if arc[0] < arc[1]] == [(1, 3), (1, 5), (2, 3)]
    assert "1 .. 2 on the left side, 3 .. 5 on the right" in said
    bare = read(put(tmp_path / "out.bip", text.replace("% 3 2 3\n", "")))
    same(graph, bare)


@pytest.mark.parametrize("which", GRAPHS)
def test_round_trip(tmp_path: Path, which: str) -> None:
    graph, path = GRAPHS[which], tmp_path / "out.x"
    write_with_summary(graph, path, format="konect")
    again = read(path, weights=graph.weights is not None)
    same(graph.with_ids(np.arange(1, graph.num_vertices + 1)), again)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2\n", "line 1: should say '% sym'"),
        ("% symmetric x\n1 2\n", "line 1: should say"),
        ("% sym unweighted\n% 1 2 2\n1 3\n", "vertex 3 is not among the 2 of line 2"),
        ("% sym unweighted\n0 3\n", "vertex 0: KONECT's files number them from 1"),
        ("% sym unweighted\n1 9999999999\n", "at most"),
        ("% bip unweighted\n1 9223372036854775807\n", "at most"),
        ("% sym unweighted\n1 99999999\n", "max_vertices="),
        ("% sym unweighted\n1 2\nx 3\n", "line 3: 'x'"),
    ],
)
def test_damaged(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(put(tmp_path / "out.x", text))


def test_only_files_that_are_there_are_known_by_their_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no known format"):
        write_with_summary(GRAPHS["plain"], tmp_path / "out.x")
    assert read(put(tmp_path / "out.txt", "1 2\n")).num_edges == 1
    path = put(tmp_path / "out.x", "% sym unweighted\n% 9 2 2\n1 2\n")
    assert "(1 row; line 2 says 9)" in read_with_summary(path)[1]
