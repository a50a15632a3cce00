"""LDBC Graphalytics files."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph_files import put

from clgraph import InputError
from clgraph.files import read
from clgraph.files.summary import read_with_summary


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
        ("5\n-1\n", "line 2: '-1'"),
        ("5\n5\n", "5 is listed 2 times"),
        ("", "vertex 5 is not in"),
    ):
        put(tmp_path / "a.v", text)
        with pytest.raises(InputError, match=said):
            read(tmp_path / "a.e")
