"""Edge tables in Parquet and Arrow files."""

import sys

import numpy as np
import pytest
from exchanges import needed, on_rich_graphs, put_table, rich
from graph_files import limited_memory, refused, unreadable
from graphs import same

from clgraph import Graph, InputError, read, write
from clgraph.scale.convert import convert_to_shards

pa = needed("pyarrow")
needed("pyarrow.parquet")


@on_rich_graphs
def test_there_and_back(kind, directed, weighted, copies, tmp_path):
    graph = rich(kind, directed, weighted, copies)
    how = {"duplicates": "keep" if copies else "merge", "ids": "str" if kind == "names" else "int"}
    for suffix in ("parquet", "feather"):
        write(graph, tmp_path / f"graph.{suffix}")
        same(read(tmp_path / f"graph.{suffix}", weights=weighted, **how), graph)


@pytest.mark.smoke
def test_edge_tables_of_others(tmp_path):
    path = tmp_path / "table.parquet"
    pa.parquet.write_table(pa.table({"To": [2, 3], "since": [7, 8], "From": [1, 1], "w": [0.5, 1]}), path)
    graph = read(path, directed=True, weights=True)
    assert graph.to_edges().source.tolist() == [1, 1] and graph.weights.tolist() == [0.5, 1]
    assert read(path, ids="str").ids.tolist() == ["1", "2", "3"]
    put_table(path, pa.table({"a": ["x"], "b": ["y"]}))
    unreadable(path, "are text; read with ids='str'")
    unreadable(path, "no column of weights", ids="str", weights=True)
    pa.parquet.write_table(pa.table({"a": [1]}), path)
    unreadable(path, "two columns of ids")
    refused(path, b"PAR1 and no more", "not a Parquet file")
    refused(tmp_path / "x.arrow", b"no arrow at all, but long enough to be looked at", "not an Arrow file")


@pytest.mark.parametrize("name", ["x.parquet", "x.feather"])
@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1], [2]]),
        pa.array([[1], [2]], pa.large_list(pa.int64())),
        pa.array([{"a": 1}, {"a": 2}]),
        pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int64())),
        pa.array([b"\xff", b"a"]),
    ],
    ids=lambda column: str(column.type),
)
def test_ids_of_a_type_that_is_no_text(name, column, tmp_path):
    table = pa.table({"source": [1, 2], "target": column})
    put_table(tmp_path / name, table)
    for ids in ("int", "str"):
        unreadable(tmp_path / name, rf"{name}: column 'target' holds .* values: ids are integers", ids=ids)


@pytest.mark.parametrize("kind", ["string_view", "run_end_encoded"])
def test_further_columns_that_arrow_cannot_pick_from(kind):
    since = pa.array(["a", "b"])
    if kind == "string_view":
        since = since.cast(pa.string_view())
    else:
        since = pa.RunEndEncodedArray.from_arrays([1, 2], since)
    graph = Graph.from_arrow(pa.table({"source": [1, 2], "target": [2, 3], "since": since}))
    assert graph.to_arrow().column("since").to_pylist() == ["a", "b"]


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"needs pyarrow, which .*'\w+\[arrow\]'"):
        write(Graph.from_edges([0], [1]), "x.parquet")


def damaged(kind):
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
def test_damaged_tables(tmp_path, kind, end):
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
    path = put_table(tmp_path / "x.arrow", table)
    unreadable(path, r"x\.arrow: column .* is damaged", ids="str")


def test_columns_of_one_name(tmp_path):
    table = pa.table([[1, 2], [2, 3], [3, 4]], names=["source", "target", "source"])
    put_table(tmp_path / "x.arrow", table)
    unreadable(tmp_path / "x.arrow", r"x\.arrow: several columns 'source'")


def test_a_small_parquet_file_of_many_rows(tmp_path):
    column = pa.array(np.zeros(1 << 23, np.int64))
    path = put_table(tmp_path / "x.parquet", pa.table({"source": column, "target": column}))
    unreadable(path, r"unpacks to .* max_ratio=")
    assert read(path, max_ratio=1e9).num_vertices == 1


def bombs():
    """Tables that take gigabytes and are stored in little: equal rows, long words, wide values."""
    zeros, words = pa.array(np.zeros(1 << 25, np.int64)), pa.array(np.zeros(4000, np.int32))
    long = pa.DictionaryArray.from_arrays(words, pa.array(["x" * (1 << 20)]))
    short = pa.array(["a", "b"] * 2000)
    wide = pa.array([bytes(1 << 20)], pa.binary(1 << 20)).take(pa.array(np.zeros(1000, np.int32)))
    ends = {"source": short, "target": short}
    return {
        "rows": {"source": zeros, "target": zeros},
        "ids": {"source": long, "target": long},
        "attribute": {**ends, "of it": long},
        "wide": {"source": short[:1000], "target": short[:1000], "of it": wide},
    }


@pytest.mark.parametrize("which", ["rows", "ids", "attribute", "wide"])
def test_parquet_bombs(tmp_path, which):
    path = put_table(tmp_path / "x.parquet", pa.table(bombs()[which]), compression="zstd")
    ids = "int" if which == "rows" else "str"
    with limited_memory(1 << 30):
        unreadable(path, r"x\.parquet: a file of .* max_ratio=", ids=ids)
        told = r"max_ratio=" if which in ("rows", "wide") else "are text; read with ids='str'"
        with pytest.raises(InputError, match=told):
            convert_to_shards([path], tmp_path / "x.clgs")


def test_text_of_many_rows_is_no_bomb(tmp_path):
    """A long word among short ones; all kinds of text; what is read is what was written."""
    names = ["a" * 50_000, *(f"n{k}" for k in range(3999))]
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        source, target = pa.array(names).cast(pa.string()), pa.array(names[::-1])
        source = source.dictionary_encode() if pa.types.is_dictionary(kind) else source.cast(kind)
        table = pa.table({"source": source, "target": target, "note": pa.array([None, "x"] * 2000)})
        pa.parquet.write_table(table, tmp_path / "x.parquet")
        graph = read(tmp_path / "x.parquet", ids="str")
        assert sorted(graph.ids.tolist()) == sorted(names) and graph.num_edges == 2000
        assert graph.attributes.names() == ["edge note"]


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
def test_arrow_bombs(tmp_path, compression):
    path, size = tmp_path / "x.arrow", (1 << 28) // (1 if compression == "zstd" else 8)
    zeros = pa.array(np.zeros(size // 8, np.int64))
    table = pa.table({"source": zeros, "target": zeros})
    put_table(path, table, len(zeros), compression=compression)
    ratio = 2 * size // path.stat().st_size - 1
    with limited_memory(300 << 20), pytest.raises(InputError, match=r"x\.arrow: a file of .* max_ratio="):
        read(path, max_ratio=min(ratio, 200))
    word = pa.array(["a", "b", "a"]).dictionary_encode()
    small = pa.table({"source": [1, 2, 3], "target": [2, 3, 1], "word": word})
    put_table(path, small, 2, compression=compression)
    assert read(path).num_edges == 3


def test_views_that_share_their_bytes(tmp_path):
    if not hasattr(pa, "string_view"):
        pytest.skip("no views")
    many = np.zeros((1 << 12, 4), "<i4")
    many[:, 0] = 1 << 20  # length; the first four bytes; buffer 0, offset 0
    many[:, 1] = int.from_bytes(b"xxxx", "little")
    buffers = [None, pa.py_buffer(many), pa.py_buffer(b"x" * (1 << 20))]
    try:
        column = pa.Array.from_buffers(pa.string_view(), len(many), buffers)
    except ValueError:
        pytest.skip("pyarrow 18 makes no views from buffers")
    put_table(tmp_path / "x.arrow", pa.table({"source": column, "target": column}))
    with limited_memory(1 << 30), pytest.raises(InputError, match=r"max_ratio="):
        read(tmp_path / "x.arrow", ids="str")
