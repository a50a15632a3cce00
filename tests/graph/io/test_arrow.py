"""Edge tables in Parquet and Arrow files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from exchanges import needed, on_rich_graphs, rich
from graphs import same

from clgraph import Graph, InputError, read, write

pa = needed("pyarrow")
needed("pyarrow.parquet")


@on_rich_graphs
def test_there_and_back(kind: str, directed: bool, weighted: bool, copies: bool, tmp_path: Path) -> None:
    graph = rich(kind, directed, weighted, copies)
    duplicates: Any = "keep" if copies else "merge"
    ids: Any = "str" if kind == "names" else "int"
    for suffix in ("parquet", "feather"):
        write(graph, tmp_path / f"graph.{suffix}")
        again = read(tmp_path / f"graph.{suffix}", ids=ids, weights=weighted, duplicates=duplicates)
        same(again, graph)


def test_edge_tables_of_others(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pa.parquet.write_table(pa.table({"To": [2, 3], "since": [7, 8], "From": [1, 1], "w": [0.5, 1]}), path)
    graph = read(path, directed=True, weights=True)
    assert graph.to_edges().source.tolist() == [1, 1] and graph.weights.tolist() == [0.5, 1]  # type: ignore[union-attr]
    assert read(path, ids="str").ids.tolist() == ["1", "2", "3"]
    pa.parquet.write_table(pa.table({"a": ["x"], "b": ["y"]}), path)
    with pytest.raises(InputError, match="are text; read with --ids str"):
        read(path)
    with pytest.raises(InputError, match="no column of weights"):
        read(path, ids="str", weights=True)
    pa.parquet.write_table(pa.table({"a": [1]}), path)
    with pytest.raises(InputError, match="two columns of ids"):
        read(path)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="not a Parquet file"):
        read(path)
    (tmp_path / "x.arrow").write_bytes(b"no arrow at all, but long enough to be looked at")
    with pytest.raises(InputError, match="not an Arrow file"):
        read(tmp_path / "x.arrow")


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"needs pyarrow, which .*'\w+\[arrow\]'"):
        write(Graph.from_edges([0], [1]), "x.parquet")
