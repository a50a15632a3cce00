"""Edges as they come, from every kind of source, in chunks; and sources that are none."""

import gzip
import io
import os

import numpy as np
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from exchanges import put_table

from clgraph import Graph, InputError, read, write
from clgraph.formats import arrivals as module
from clgraph.formats.arrivals import Names, arrivals, is_stream, is_streamed

EDGES = [(3, 1), (10**12, 4), (5, 5), (4, 3)]
TEXT = "# made by hand\n\n3 1\n1000000000000 4\n5 5 # a loop\n4 3\n"


def listed(source, **options):
    """Edges, weights and loops of all chunks."""
    edges, weights, loops, names = [], [], 0, Names()
    for chunk in arrivals(source, names, **options):
        ends = [names.of(end) if names.text else end for end in (chunk.source, chunk.target)]
        edges += zip(*(end.tolist() for end in ends), strict=True)
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
    put_table(tmp_path / "f.parquet", table, 2)
    put_table(tmp_path / "g.arrow", table, 3)
    for name in ("f.parquet", "g.arrow"):
        assert listed(tmp_path / name) == WANTED
        assert listed(tmp_path / name, weighted=True) == (WANTED[0], [1.5, 2.0, 0.0], 1)


def test_an_arrow_file_that_shrinks_and_one_that_is_damaged(tmp_path):
    table = pyarrow.table({"u": np.arange(200_000), "v": np.arange(200_000)[::-1]})
    path = put_table(tmp_path / "g.arrow", table, 1000)
    chunks = arrivals(path, Names())
    next(chunks)
    os.truncate(path, 20_000)
    with pytest.raises(InputError, match=r"g\.arrow: cannot be read: .*(too short|able to read)"):
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


# "new york" and "é" once in every way in which text can be written
NAMED = [("new york", "é"), ("7", "a,b"), ("é", "7")]


def test_names(monkeypatch, tmp_path):
    """Text as `clgraph.read` reads it; columns of text; blocks of any size; Arrow's parser as the scanner."""
    texts = {
        "a.tsv": "# by hand\nnew york\té\n\n7\ta,b\n7\t7\né\t7\n",
        "b.csv": 'source,target\r\n"new york",é\r\n7,"a,b"\r\n7,7\r\n# no row\r\né,7',
        "c.csv": '\ufeffnew york,é\n7, "a,b"\n7,7\né,7\n',
    }
    for size in (module.BLOCK, 9):
        monkeypatch.setattr(module, "BLOCK", size)
        for name, text in texts.items():
            (tmp_path / name).write_bytes(text.encode())
            assert listed(tmp_path / name, ids="str") == (NAMED, [], 1), (name, size)
            assert set(read(tmp_path / name, ids="str").ids) == {"new york", "é", "7", "a,b"}
        assert listed(io.BytesIO(b"a b 2\nb c .5"), ids="str", weighted=True)[1] == [2, 0.5]
        assert listed(io.BytesIO(b"a b"), ids="str")[0] == [("a", "b")]
        assert listed(io.BytesIO(b"# nothing\n"), ids="str")[0] == []
    u, v = zip(*NAMED, strict=True)
    table = pyarrow.table({"u": u, "v": v})
    coded = pyarrow.table({name: table[name].dictionary_encode() for name in "uv"})
    frame = pandas.DataFrame({"u": u, "v": v})
    for source in ([(u, v)], iter([np.array(NAMED[:1]), np.array(NAMED[1:])]), table, coded, frame):
        assert listed(source) == (NAMED, [], 0)
    assert listed([([1], [2])], ids="str")[0] == [("1", "2")]
    monkeypatch.undo()
    rows = np.random.default_rng(1).integers(0, 500, (2000, 2)).tolist()
    (tmp_path / "d.txt").write_text("".join(f"v{a} w{b}\n" for a, b in rows))
    plain = listed(tmp_path / "d.txt", ids="str")
    assert plain[0] == [(f"v{a}", f"w{b}") for a, b in rows]
    monkeypatch.setattr(module, "SMALL", 1)
    monkeypatch.setattr(module, "BLOCK", 5000)
    monkeypatch.delattr(module, "scan_rows")
    assert listed(tmp_path / "d.txt", ids="str") == plain


def test_names_are_forgotten():
    names = Names()
    assert names.numbers(["b", "a", "b"], 3).tolist() == [0, 1, 0] and len(names) == 2
    names.keep(np.array([1, 99], np.uint64))
    assert names.numbers(["a", "b"], 2).tolist() == [1, 2]
    assert names.of(np.array([2, 1], np.uint64)).tolist() == ["b", "a"]


COUNTS = pyarrow.table({"source": [1], "target": [2], "multiplicity": [3]})
TWICE = pyarrow.Table.from_arrays([pyarrow.array([1]), pyarrow.array([2])], names=["source", "source"])
PACKED = gzip.compress(b"1 2\n" * 10**5)
NUMBERS, TEXTS, WEIGHED = {"ids": "int"}, {"ids": "str"}, {"weighted": True}


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        # rows of names
        (b"a b\n\nc\n", TEXTS, "line 3: 1 field in 'c', but a row is two ids"),
        (b"a b\nc \xff\n", TEXTS, "line 2: bytes that are not UTF-8"),
        (b"a,b\nc,\n", TEXTS, "line 2: an empty id"),
        (b"a b 1\na b x\n", TEXTS | WEIGHED, "line 2: weight 'x' is not a finite number"),
        (b"a b 1\na c -1\n", TEXTS | WEIGHED, "line 2: weight '-1' is below 0; correct it"),
        (b"a b\nc d\n", NUMBERS, r"line 2: 'c' is not a vertex id.*ids='str'"),
        # rows of numbers
        (b"1 2\n3", {}, "line 2: 1 field in '3', but a row is two ids"),
        (b"1 2\n3 x\n", {}, "line 2: 'x' is not a vertex id"),
        (b"1 2\n3 -4\n", {}, "line 2: id -4 is negative"),
        (b"1 2\n3 9999999999999999999\n", {}, "line 2: id 9999999999999999999 does not fit"),
        (b"1 2 3\n3 4\n", WEIGHED, "line 2: 2 fields in '3 4', but a row is two ids and a weight"),
        (b"1 2 -3\n", WEIGHED, "line 1: weight '-3' is below 0"),
        (b"1 2 nan\n", WEIGHED, "line 1: weight 'nan' is not a finite"),
        (b"1" * (1 << 21), {}, "a line of more than"),
        # columns
        ([(["a"], ["b"]), ([1], [2])], {}, "chunk 2: source holds whole numbers, .* were text"),
        ([(["a"], [1])], {}, "chunk 1: target holds whole numbers"),
        ([([1], [2]), (["a"], ["b"])], {}, "chunk 2: source holds text"),
        ([(np.array(["a", None]), ["b", "c"])], TEXTS, "source holds None"),
        ([([b"a"], [b"b"])], TEXTS, "source holds b'a'"),
        ([(["a"], ["b"])], NUMBERS, r"the ids in source are text; .*ids='str'"),
        ([([1], [2])], WEIGHED, "no third column"),
        (pyarrow.table({"u": [1, None], "v": [2, 3]}), {}, r"chunk 1: column .u.: row 1 .* is missing"),
        (pyarrow.table({"u": [1]}), {}, "two columns of ids; this one has"),
        (COUNTS, WEIGHED, "no column of weights among"),
        (TWICE, {}, "several columns 'source'"),
        # files, and what is no source
        ("a.mtx", {}, "does not come edge by edge; read it first"),
        ("nothing.txt", {}, r"nothing\.txt: cannot be read"),
        ("b.txt.gz", {}, "the stream broke off"),
        ("c.parquet", {}, "not a parquet file, or damaged"),
        (5, {}, "give a file's name, an iterator"),
    ],
)
def test_what_is_refused(tmp_path, source, options, words):
    write(Graph.from_edges([0], [1]), tmp_path / "a.mtx")
    (tmp_path / "b.txt.gz").write_bytes(PACKED[: len(PACKED) // 2])
    (tmp_path / "c.parquet").write_bytes(b"PAR1 and no more")
    source = tmp_path / source if isinstance(source, str) else source
    with pytest.raises(InputError, match=words):
        listed(io.BytesIO(source) if isinstance(source, bytes) else source, **options)
