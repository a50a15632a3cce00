"""Graphs of Julia's Graphs.jl."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from graph_files import GRAPHS, arcs_of, put
from graphs import same

from clgraph import InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary

TEXT = "4,3,u,small\n1,2\n2,3\n2,2\n"


@pytest.mark.smoke
@pytest.mark.parametrize("name", ["g.jlg", "g.lg", "g.jlg.gz"])
def test_jlg(tmp_path: Path, name: str) -> None:
    graph, said = read_with_summary(put(tmp_path / name, TEXT))
    assert said.endswith("undirected, 4 vertices, 3 edges (3 edges; 1 self-loop)")
    assert arcs_of(graph) == [(1, 2), (2, 1), (2, 2), (2, 3), (3, 2)] and graph.ids.tolist() == [1, 2, 3, 4]
    assert arcs_of(read(tmp_path / name, directed=True)) == arcs_of(graph)
    odd = "# c\n\n 4 , 3 , d , a name , 2 , Int64 , simplegraph\r\n 1 , 2 \r\n\r\n2,3\n2,2"
    graph = read(put(tmp_path / name, odd))
    assert graph.directed and arcs_of(graph) == [(1, 2), (2, 2), (2, 3)]
    assert read(put(tmp_path / name, "0,0,u,none\n")).num_vertices == 0


def test_compressed_by_another_name(tmp_path: Path) -> None:
    """As SNAPDatasets.jl has them."""
    path = tmp_path / "g.jlg"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert read(path).num_edges == 3
    path.write_bytes(gzip.compress(TEXT.encode() * 1000)[:-9])
    with pytest.raises(InputError, match=r"gzip data end too early|says 3 edges"):
        read(path)


@pytest.mark.parametrize("which", GRAPHS)
def test_round_trip(tmp_path: Path, which: str) -> None:
    graph, path = GRAPHS[which], tmp_path / "x.jlg"
    if graph.weights is not None:
        with pytest.raises(InputError, match="hold no weights"):
            write(graph, path)
        return
    write(graph, path)
    again = read(path, duplicates="keep")
    same(graph.with_ids(again.ids), again)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2\n", "line 1: '1 2' should be 'vertices,edges,u,name'"),
        ("4,3,x,n\n", "line 1: '4,3,x,n' should be"),
        ("4,-3,u,n\n", "line 1: .* should be"),
        ("# c\n", "line 2: '' should be"),
        (TEXT + "1 3\n", "line 5: '1 3' where an edge 'source,target' should be"),
        (TEXT + "1,x\n", "line 5: 'x' is not a vertex"),
        (TEXT + "1,3\n", "line 1: says 3 edges, but 4 follow"),
        (TEXT + TEXT, "line 5: '4,3,u,small' where an edge"),
        (TEXT[:-4], "line 1: says 3 edges, but 2 follow"),
        (TEXT.replace("2,3", "2,5"), "line 3: '5' is not a vertex: they are 1 .. 4"),
        (TEXT.replace("2,3", "0,3"), "line 3: '0' is not a vertex"),
        ("5000000000,0,u,n\n", "5000000000 vertices; .* at most"),
        ("900000000,0,u,n\n", "announces 900000000 vertices in only"),
    ],
)
def test_damaged(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=rf"x\.jlg.*{said}"):
        read(put(tmp_path / "x.jlg", text))
    for how in ({"weights": True}, {"ids": "str"}):
        with pytest.raises(InputError, match="leave "):
            read(tmp_path / "x.jlg", **how)  # type: ignore[arg-type]
