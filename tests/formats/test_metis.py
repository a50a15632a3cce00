"""METIS files."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph_files import arcs_of, limited_memory, put

from clgraph import InputError
from clgraph.files import read
from clgraph.files.summary import read_with_summary


def test_a_loop_that_is_listed_twice_may_count_once(tmp_path: Path) -> None:
    graph = read(put(tmp_path / "x.graph", "2 2\n1 1 2\n1\n"))
    assert arcs_of(graph) == [(1, 1), (1, 2), (2, 1)]


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("header", "lines", "notes"),
    [
        ("4 3", ["2 3", "1 3", "2 1", ""], ""),
        ("4 3 000", [" 2  3 ", "1 3", "% comment", "2 1", "", ""], ""),
        ("4 3 1", ["2 9 3 8", "1 9 3 7", "2 7 1 8", ""], "skipped: edge weights"),
        ("4 3 10", ["50 2 3", "51 1 3", "52 2 1", "53"], "skipped: vertex weights"),
        ("4 3 011 2", ["5 6 2 9 3 8", "5 6 1 9 3 7", "5 6 2 7 1 8", "5 6"], "weights"),
        ("4 3 110 1", ["1 5 2 3", "1 5 1 3", "1 5 2 1", "1 5"], "skipped: vertex weights"),
    ],
)
def test_metis(tmp_path: Path, header: str, lines: list[str], notes: str) -> None:
    path = put(tmp_path / "x.graph", "\n".join(["% head", header, *lines]) + "\n")
    graph, said = read_with_summary(path)
    assert not graph.directed and graph.num_vertices == 4
    assert arcs_of(graph) == [(1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2)]
    assert notes in said and ("skipped" in said) == bool(notes)
    assert read(path, directed=True).num_edges == 6
    if header in ("4 3 1", "4 3 011 2"):
        weights = read(path, weights=True).weights
        assert weights is not None and weights.tolist() == [9, 8, 9, 7, 8, 7]
    else:
        with pytest.raises(InputError, match="no edge weights"):
            read(path, weights=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2 1\n2\n3\n", "line 3: neighbour 3 of vertex 2 is not a vertex: they are 1 .. 2"),
        ("2 1\n2\n0\n", "line 3: neighbour 0"),
        ("% c\n3 2\n2\n1\n% c\n1\n", r"line 6: vertex 3 lists 1, but vertex 1 \(line 3\) does not list 3"),
        ("3 2\n2\n1 3\n\n", r"line 3: vertex 2 lists 3, but vertex 3 \(line 4\) does not list 2"),
        ("3 2\n2 3\n1\n\n", r"line 2: vertex 1 lists 3, but vertex 3"),
        ("2 1 1\n2 5\n1 6\n", "same weight"),
        ("2 1 1\n2 5\n1\n", "line 3: a neighbour without its weight"),
        ("2 1 10\n7 2\n\n", "line 3: fewer numbers"),
        ("2 1\n2\nx\n", "line 3: 'x' where"),
        ("2 1\n2\n1.5\n", "line 3: '1.5' where"),
        ("2 5\n2\n1\n", "says 5 edges, but the lines hold 1"),
        ("3 1\n2\n1\n", "says 3 vertices, but 2 lines"),
        ("2 1\n2\n1\n2\n", "line 4: more lines than"),
        ("2\n2\n1\n", "header '2' should be"),
        ("a b\n2\n1\n", "header 'a b'"),
        ("2 1 5\n2\n1\n", "fmt '005'"),
        ("% nothing\n", "no header"),
        ("3000000000 1\n", "at most"),
    ],
)
def test_bad_metis(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read(put(tmp_path / "bad.graph", text), weights=said == "same weight")
    assert str(caught.value).startswith(str(tmp_path / "bad.graph"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2 1\n1_2\n1\n", "line 2: '1_2' where the whole number"),
        ("12 1\n1_2\n" + 10 * "\n" + "1\n", "line 2: '1_2' where the whole number"),
        ("1_2 1\n2\n1\n", "the header '1_2 1'"),
        (f"2 1\n{'1' * 5000}\n1\n", "line 2: '1+' where"),
        (f"{'1' * 5000} 1\n2\n1\n", "the header"),
        ("0 0 010 1000000000000\n", "1000000000000 weights of each vertex .* at most 1000000"),
        ("1 0 010 1000000\n1 2\n", "fewer numbers than the 1000000 vertex weights"),
        ("2147483647 0\n\n", "announces 2147483647 vertices in only 14 bytes"),
        ("2 1\n2\n\u0661\n", "line 3: .* where the whole number"),
    ],
)
def test_what_must_be_refused_at_once(tmp_path: Path, text: str, said: str) -> None:
    with limited_memory(100 << 20), pytest.raises(InputError, match=said):
        read(put(tmp_path / "x.graph", text))


def test_many_weights_of_a_vertex(tmp_path: Path) -> None:
    sizes = 500_000 * "7 "
    path = put(tmp_path / "x.graph", f"2 1 010 500000\n{sizes}2\n{sizes}1\n")
    assert read(path).to_edges().target.tolist() == [2]
