"""Edges as they come, from every kind of source, in chunks; and sources that are none."""

from __future__ import annotations

import gzip
import io
import os

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest

from clgraph import Graph, InputError, write
from clgraph.graph.io import arrivals as module
from clgraph.graph.io.arrivals import arrivals, is_stream, is_streamed

EDGES = [(3, 1), (10**12, 4), (5, 5), (4, 3)]
TEXT = "# made by hand\n\n3 1\n1000000000000 4\n5 5 # a loop\n4 3\n"


def listed(source, **options):
    """Edges, weights and loops of all chunks."""
    edges, weights, loops = [], [], 0
    for chunk in arrivals(source, **options):
        edges += zip(chunk.source.tolist(), chunk.target.tolist(), strict=True)
        weights += [] if chunk.weight is None else chunk.weight.tolist()
        loops += chunk.loops
    return edges, weights, loops


WANTED = ([EDGES[0], EDGES[1], EDGES[3]], [], 1)


def test_files(tmp_path):
    for name, text in (
        ("a.txt", TEXT),
        ("b.tsv", "source\ttarget\n3\t1\n1000000000000\t4\n5\t5\n4\t3"),
        ("c.csv", "u,v\n3,1\n1000000000000,4\n5,5\n4,3\n"),
        ("d.txt", "\ufeff3 1\r\n1000000000000  4\r\n5 5\r\n4 3\r\n"),
    ):
        (tmp_path / name).write_text(text, newline="")
        assert listed(tmp_path / name) == WANTED, name
    with gzip.open(tmp_path / "e.txt.gz", "wt") as file:
        file.write(TEXT)
    assert listed(str(tmp_path / "e.txt.gz")) == WANTED
    table = pyarrow.table({"weight": [1.5, 2, 3, 0], "u": [3, 10**12, 5, 4], "v": [1, 4, 5, 3]})
    pyarrow.parquet.write_table(table, tmp_path / "f.parquet", row_group_size=2)
    with pyarrow.ipc.new_file(tmp_path / "g.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=3)
    for name in ("f.parquet", "g.arrow"):
        assert listed(tmp_path / name) == WANTED
        assert listed(tmp_path / name, weighted=True) == (WANTED[0], [1.5, 2.0, 0.0], 1)


def test_an_arrow_file_that_shrinks_and_one_that_is_damaged(tmp_path):
    path = tmp_path / "g.arrow"
    table = pyarrow.table({"u": np.arange(200_000), "v": np.arange(200_000)[::-1]})
    with pyarrow.ipc.new_file(path, table.schema) as file:
        file.write_table(table, max_chunksize=1000)
    chunks = arrivals(path)
    next(chunks)
    os.truncate(path, 20_000)
    with pytest.raises(InputError, match=r"g\.arrow: cannot be read: .*too short"):
        list(chunks)
    text = pyarrow.array(["0", "1"])
    offsets = pyarrow.array([0, 2**30, 2], pyarrow.int32()).buffers()[1]
    wrong = pyarrow.Array.from_buffers(pyarrow.string(), 2, [None, offsets, text.buffers()[2]])
    with pytest.raises(InputError, match="column 'u' is damaged"):
        listed(pyarrow.table({"u": wrong, "v": text}))


def test_objects(monkeypatch):
    array = np.array(EDGES)
    frame = pandas.DataFrame({"source": array[:, 0], "target": array[:, 1]})
    table = pyarrow.Table.from_pandas(frame)
    for source in (
        array,
        (array[:, 0], array[:, 1]),
        [array[:2], array[2:]],
        iter([(array[:3, 0].tolist(), array[:3, 1].tolist()), array[3:]]),
        frame,
        table,
        table.to_reader(max_chunksize=2),
        table.to_batches(),
        io.BytesIO(TEXT.encode()),
        io.StringIO(TEXT),
    ):
        assert is_stream(source) and listed(source) == WANTED, source
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert listed("-") == WANTED
    assert not is_stream(Graph.from_edges([0], [1]))
    assert is_streamed("-") and is_streamed("a.csv.gz") and not is_streamed("a.mtx")


def test_blocks(monkeypatch, tmp_path):
    """However the text is cut into blocks; weights go the slow way."""
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 10**6, (500, 2))
    text = "".join(f"{u} {v} {u % 7 / 4}\n" for u, v in ends.tolist())
    (tmp_path / "a.txt").write_text(text)
    whole = listed(tmp_path / "a.txt", weighted=True)
    plain = listed(tmp_path / "a.txt")
    monkeypatch.setattr(module, "BLOCK", 100)
    assert listed(tmp_path / "a.txt", weighted=True) == whole
    assert listed(tmp_path / "a.txt") == plain
    assert plain[0] == whole[0] == [tuple(row) for row in ends.tolist() if row[0] != row[1]]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("1 2\n3", {}, "line 2: '3' has 1 of the fields"),
        ("1 2\n3 x\n", {}, "line 2: 'x' where an id"),
        ("1 2\n3 -4\n", {}, "line 2: '-4' where an id"),
        ("1 2\n3 9999999999999999999\n", {}, "line 2: '9999999999999999999' where an id"),
        ("1 2 3\n3 4\n", {"weighted": True}, "line 2: '3 4' has 2 of the fields"),
        ("1 2 -3\n", {"weighted": True}, "line 1: the weight '-3'"),
        ("1 2 nan\n", {"weighted": True}, "line 1: the weight 'nan'"),
        ("1" * (1 << 21), {}, "a line of more than"),
    ],
)
def test_bad_rows(text, options, words):
    with pytest.raises(InputError, match=words):
        listed(io.BytesIO(text.encode()), **options)


def test_bad_sources(tmp_path):
    write(Graph.from_edges([0], [1]), tmp_path / "a.mtx")
    with pytest.raises(InputError, match="does not come edge by edge; read it first"):
        listed(tmp_path / "a.mtx")
    with pytest.raises(InputError, match=r"nothing\.txt: cannot be read"):
        listed(tmp_path / "nothing.txt")
    packed = gzip.compress(b"1 2\n" * 10**5)
    (tmp_path / "b.txt.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match="the stream broke off"):
        listed(tmp_path / "b.txt.gz")
    (tmp_path / "c.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="not a parquet file, or damaged"):
        listed(tmp_path / "c.parquet")
    with pytest.raises(InputError, match="missing values"):
        listed(pyarrow.table({"u": [1, None], "v": [2, 3]}))
    with pytest.raises(InputError, match="two columns of ids"):
        listed(pyarrow.table({"u": [1]}))
    with pytest.raises(InputError, match="give a file's name, an iterator"):
        listed(5)
    with pytest.raises(InputError, match="no third column"):
        listed([([1], [2])], weighted=True)
