"""Trivial Graph Format."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph_files import GRAPHS, arcs_of, put
from graphs import same

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary, write_with_summary

TEXT = "1 First node\n2\n\n3 third\n9\n#\n1 2 5\n2 3 7.5\n"


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["x.tgf", "x.tgf.gz"])
@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n")[:-2]])
def test_tgf(tmp_path: Path, name: str, text: str) -> None:
    graph, said = read_with_summary(put(tmp_path / name, text))
    assert "(2 rows; with node label; skipped: edge labels)" in said
    assert not graph.directed and graph.ids.tolist() == [1, 2, 3, 9]
    assert arcs_of(graph) == [(1, 2), (2, 1), (2, 3), (3, 2)]
    assert graph.attributes is not None
    assert graph.attributes.vertices["label"].texts == {1: "First node", 3: "third"}
    weights = read(tmp_path / name, weights=True, directed=True).weights
    assert weights is not None and weights.tolist() == [5, 7.5]
    again = tmp_path / "again.tgf"
    write(graph, again)
    assert again.read_text() == "1 First node\n2\n3 third\n9\n#\n1 2\n2 3\n"


def test_ids_that_are_text(tmp_path: Path) -> None:
    path = put(tmp_path / "x.tgf", "b end\na begin here\n#\na b some road\n")
    with pytest.raises(InputError, match=r"x\.tgf, line 1: 'b' is not a vertex id.*ids='str'"):
        read(path)
    graph = read(path, ids="str")
    assert graph.ids.tolist() == ["a", "b"] and graph.num_edges == 1
    with pytest.raises(InputError, match="holds ' '"):
        write(Graph.from_edges(["a b"], ["c"]), path)


@pytest.mark.parametrize("which", GRAPHS)
def test_round_trip(tmp_path: Path, which: str) -> None:
    graph, path = GRAPHS[which], tmp_path / "x.tgf"
    write_with_summary(graph, path)
    kind = "str" if graph.ids.dtype == object else "int"
    again = read(path, ids=kind, weights=graph.weights is not None, directed=graph.directed)  # type: ignore[arg-type]
    same(graph, again)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 a\n2 b\n1 2\n", "line 3: vertex '1' a second time"),
        ("1\n2\n", "no line '#'"),
        ("1\nx\n#\n", "line 2: 'x' is not a vertex id"),
        ("1\n2\n#\n1\n", "line 4: 1 field in '1'"),
        ("1\n2\n#\n1 2\n\n1 x\n", "line 6: 'x' is not a vertex id"),
        ("1\n2\n#\n1 2\n2 3\n", "row 2: vertex 3 is not in the list before '#'"),
    ],
)
def test_damaged(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=rf"x\.tgf.*{said}"):
        read(put(tmp_path / "x.tgf", text))
    with pytest.raises(InputError, match="line 5: weight 'long'"):
        read(put(tmp_path / "x.tgf", "1\n2\n#\n\n1 2 long\n"), weights=True)
