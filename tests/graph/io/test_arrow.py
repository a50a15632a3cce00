"""Edge tables in Parquet and Arrow files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
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


@pytest.mark.smoke
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


def damaged(kind: str) -> Any:
    """A column of text with offsets or indices that lead out of bounds, or bytes that are no UTF-8."""
    if kind == "indices":
        indices = pa.py_buffer(np.array([0, 1, 2**30], np.int32))
        return pa.DictionaryArray.from_arrays(
            pa.Array.from_buffers(pa.int32(), 3, [None, indices]), pa.array(["a", "b"]), safe=False
        )
    offsets = {"offsets": [0, 1, 2**30, 3], "falling": [0, 3, 1, 3], "bytes": [0, 1, 2, 3]}[kind]
    text = b"a\xffc" if kind == "bytes" else b"abc"
    buffers = [None, pa.py_buffer(np.array(offsets, np.int32)), pa.py_buffer(text)]
    return pa.Array.from_buffers(pa.string(), 3, buffers)


@pytest.mark.parametrize("end", ["source", "target"])
@pytest.mark.parametrize("kind", ["offsets", "falling", "indices", "bytes"])
def test_damaged_tables(tmp_path: Path, kind: str, end: str) -> None:
    """Taken as they are, they crash the process or give other ids."""
    good = pa.array(["x", "y", "z"])
    table = pa.table({"source": good, "target": good}).set_column(end == "target", end, damaged(kind))
    for given in (table, table.to_batches()[0]):
        with pytest.raises(InputError, match=f"column '{end}' is damaged"):
            Graph.from_arrow(given)
    with pytest.raises(InputError, match="vertices: "):
        Graph.from_arrow(pa.table({"source": good, "target": good}), vertices=damaged(kind))
    if kind == "offsets":
        return  # Arrow cannot write it either
    path = tmp_path / "x.arrow"
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(InputError, match=r"x\.arrow: column .* is damaged"):
        read(path, ids="str")


def test_columns_of_one_name(tmp_path: Path) -> None:
    table = pa.table([[1, 2], [2, 3], [3, 4]], names=["source", "target", "source"])
    with pa.ipc.new_file(tmp_path / "x.arrow", table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(InputError, match=r"x\.arrow: several columns 'source'"):
        read(tmp_path / "x.arrow")


def test_a_small_parquet_file_of_many_rows(tmp_path: Path) -> None:
    column = pa.array(np.zeros(1 << 23, np.int64))
    path = tmp_path / "x.parquet"
    pa.parquet.write_table(pa.table({"source": column, "target": column}), path)
    with pytest.raises(InputError, match=r"unpacks to .* --max-ratio"):
        read(path)
    assert read(path, max_ratio=1e9).num_vertices == 1
