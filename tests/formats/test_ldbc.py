"""LDBC Graphalytics files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from graph_files import put

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary


@pytest.mark.smoke
def test_ldbc(tmp_path: Path) -> None:
    put(tmp_path / "a.v", "5\n2\n9\n")
    put(tmp_path / "a.e.gz", "5 2 0.5\n")
    for name in ("a", "a.v", "a.e.gz", "a.e"):
        graph = read(tmp_path / name, weights=True)
        assert graph.ids.tolist() == [2, 5, 9] and graph.num_edges == 1 and not graph.directed
        assert graph.weights is not None and graph.weights.tolist() == [0.5, 0.5]
    put(tmp_path / "a.properties", "# c\ngraph.a.vertex-file = a.v\ngraph.a.directed = true\n")
    assert read(tmp_path / "a").directed and not read(tmp_path / "a", directed=False).directed
    put(tmp_path / "b.v", "x\ny\n")
    put(tmp_path / "b.e", "")
    none = read(tmp_path / "b", ids="str")
    assert (none.ids.tolist(), none.num_edges) == (["x", "y"], 0)
    assert read_with_summary(tmp_path / "b.v", ids="str")[1].endswith("2 vertices, 0 edges (0 rows)")


def test_bad_ldbc(tmp_path: Path) -> None:
    put(tmp_path / "a.v", "5\n2\n")
    with pytest.raises(InputError, match=r"NAME.v and NAME.e, but a.e is not in"):
        read(tmp_path / "a")
    put(tmp_path / "a.e", "5 2\n2 7\n")
    with pytest.raises(InputError, match=r"a.e, row 2: vertex 7 is not in a.v"):
        read(tmp_path / "a")
    put(tmp_path / "a.e", "5 2\nx 5\n")
    with pytest.raises(InputError, match=r"a.e, line 2: 'x'"):
        read(tmp_path / "a.v")
    put(tmp_path / "a.e", "5 2\n")
    for text, said in (
        ("5\nx\n", "line 2: 'x'"),
        ("5\n-1\n", "line 2: id -1 is negative"),
        ("5\n5\n", "line 2: vertex '5' a second time"),
        ("", "vertex 5 is not in"),
    ):
        put(tmp_path / "a.v", text)
        with pytest.raises(InputError, match=said):
            read(tmp_path / "a.e")


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_an_interrupted_write_is_the_old_graph_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bare: bool, packed: str
) -> None:
    """Interrupted between any two renames: never a mixture of the old files and the new ones."""
    path = tmp_path / f"a.v{packed}"
    old = Graph.from_edges([0, 1], [1, 2], directed=False)
    new = Graph.from_edges([0, 1, 5], [2, 0, 2], directed=True)
    replace, left = os.replace, 0

    def interrupted(source: Any, target: Any) -> None:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        replace(source, target)

    refused, renames = 0, 0
    while True:
        monkeypatch.setattr(os, "replace", replace)
        for file in tmp_path.iterdir():
            file.unlink()
        write(old, path)
        if bare:
            (tmp_path / "a.properties").unlink()
        monkeypatch.setattr(os, "replace", interrupted)
        left = renames
        try:
            write(new, path)
        except KeyboardInterrupt:
            pass
        else:
            break
        assert not [file for file in tmp_path.iterdir() if file.suffix == ".tmp"]
        try:
            found = read(path)
        except InputError as error:
            assert "a.properties: writing this graph was interrupted" in str(error)
            refused += 1
        else:
            assert (found.directed, found.num_vertices, found.num_edges) == (False, 3, 2)
        renames += 1
    assert (renames, refused) == (4, 3)
    found = read(path)
    assert (found.directed, found.num_vertices, found.num_edges) == (True, 4, 3)
    assert (tmp_path / "a.properties").read_text() == "graph.a.directed = true\n"


def test_a_write_that_could_not_be_read_back(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1], [1, 2])
    write(graph, tmp_path / "a.v")
    with pytest.raises(InputError, match=r"a.v is beside it.*remove"):
        write(graph, tmp_path / "a.e.gz")


def test_no_header_and_no_mark(tmp_path: Path) -> None:
    put(tmp_path / "x.v", "\ufeffsource\ntarget\n1\n2\n")
    put(tmp_path / "x.e", "source target\n1 2\n")
    assert read(tmp_path / "x.e", ids="str").num_edges == 2
    put(tmp_path / "x.v", "1\n" + "2" * 5000 + "\n")
    with pytest.raises(InputError, match=r"x.v, line 2: id 2+ does not fit in 64 bits"):
        read(tmp_path / "x.e")
    put(tmp_path / "x.v", b"1\n\xff\n")
    with pytest.raises(InputError, match=r"x.v, line 2: bytes that are not UTF-8"):
        read(tmp_path / "x.e", ids="str")
