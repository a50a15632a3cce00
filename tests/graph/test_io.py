"""Reading and writing graph files, and what is said about bad ones."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import clgraph.graph.io.common
from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary, write_with_summary
from clgraph.graph.io import FORMATS, atomic_write, check_writable
from clgraph.graph.io.digits import read_integers

BANNER = "%%MatrixMarket matrix coordinate "


def arcs_of(graph: Graph) -> list[tuple[Any, Any]]:
    return list(zip(graph.ids[graph.rows].tolist(), graph.ids[graph.col_idx].tolist(), strict=True))


def same(a: Graph, b: Graph) -> None:
    assert a.directed == b.directed
    assert a.ids.tolist() == b.ids.tolist()
    assert a.row_ptr.tolist() == b.row_ptr.tolist() and a.col_idx.tolist() == b.col_idx.tolist()
    for x, y in ((a.weights, b.weights), (a.multiplicity, b.multiplicity)):
        assert (x is None) == (y is None) and (x is None or y is None or x.tolist() == y.tolist())


def put(path: Path, text: str | bytes) -> Path:
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


# --- edge lists ------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("suffix", [".txt", ".edges.gz"])
@pytest.mark.parametrize(
    "lines",
    [
        ["1 2", "3 10", "2 3"],
        ["1\t2", "3\t10", "2\t3"],
        ["1,2", "3,10", "2,3"],
        ["1, 2", "3 , 10", " 2,3"],
        ["  1   2", "3 \t 10  ", "", "2 3"],
        ["# SNAP", "# Nodes: 4", "1 2", "3 10", "# in between", "2 3"],
        ["% networkrepository", "% 3 4 4", "1 2", "3 10", "2 3"],
        ["% both", "# signs", "1 2", "% in", "# between", "3 10 # behind", "2 3 % behind"],
        ["1 2 9", "3 10 9", "2 3 9"],
        ["1 2 0.5 x", "3 10 0.5", "2 3"],
        ["1 2", "3 10 7", "2 3"],
        ["source,target", "1,2", "3,10", "2,3"],
        ["weight,Target,SOURCE", "5,2,1", "5,10,3", "5,3,2"],
        ["from to", "1 2", "3 10", "2 3"],
        ["whatever,name", "1,2", "3,10", "2,3"],
        ['"from","to"', '"1","2"', '"3","10"', '"2","3"'],
        ["\ufeff1,2", "3,10", "2,3"],
        ["# sch\u00f6n", "1 2", "3 10", "2 3"],
        ["00000000000000000001 2", "3 10", "2 0003"],
    ],
)
def test_edge_lists(tmp_path: Path, lines: list[str], suffix: str, last: bool, end: str) -> None:
    text = end.join(lines) + (end if last else "")
    path = put(tmp_path / f"graph{suffix}", text)
    graph = read(path, directed=True)
    assert arcs_of(graph) == [(1, 2), (2, 3), (3, 10)]
    assert graph.weights is None
    same(read(path), Graph.from_edges([1, 3, 2], [2, 10, 3]))


@pytest.mark.parametrize("size", [1, 5, 7, 30, 1000])
def test_blocks_of_any_size_are_parsed_alike(tmp_path: Path, size: int, monkeypatch: Any) -> None:
    rng = np.random.default_rng(1)
    values = 10 ** rng.integers(0, 16, (200, 3)) + rng.integers(0, 10, (200, 3)) - 1
    path = put(tmp_path / "x.txt", "\n".join(f"{a}\t{b} {c}" for a, b, c in values.tolist()))
    monkeypatch.setattr("clgraph.graph.io.digits.BLOCK", max(size, 48))
    found = read_integers(path, 0, 3, (2, 0), False)
    assert found is not None
    assert np.array_equal(found[0], values[:, 2]) and np.array_equal(found[1], values[:, 0])


@pytest.mark.parametrize(
    "text",
    [
        "1 2\n-3 4\n",
        "1 2\n3\n4\n5 6\n",
        "1 2\n#\n",
        "1 2\n\n3 4\n",
        "1  2\n",
        "1 2 \n",
        "1 x\n",
        "1 2 3\n4\n",
        "1 12345678901234567\n",
        "1,2\n",
        "1 \u00e9\n",
        "1 2\r3 4\r",
    ],
)
def test_what_is_not_plain_is_left_to_others(tmp_path: Path, text: str) -> None:
    assert read_integers(put(tmp_path / "x.txt", text), 0, 2, (0, 1), False) is None


def test_weights_are_read_only_if_asked_for(tmp_path: Path) -> None:
    path = put(tmp_path / "x.txt", "1 2 0.5\n2 3 1e-3\n1 2 2\n")
    assert read(path).weights is None
    graph = read(path, weights=True, directed=True)
    assert graph.weights is not None and graph.weights.tolist() == [2.5, 1e-3]
    assert graph.multiplicity is not None and graph.multiplicity.tolist() == [2, 1]
    csv = put(tmp_path / "x.csv", "w,a,source,target\n.5,9,1,2\n-4,9,2,3\n")
    graph = read(csv, weights=True, directed=True)
    assert graph.weights is not None and graph.weights.tolist() == [0.5, -4.0]
    third = put(tmp_path / "y.csv", "source,target,capacity\n1,2,7\n")
    weights = read(third, weights=True, directed=True).weights
    assert weights is not None and weights.tolist() == [7.0]


def test_string_ids(tmp_path: Path) -> None:
    path = put(tmp_path / "x.txt", "# names\nzo\u00eb b\nb a#1 extra\n10 b\n")
    graph = read(path, ids="str", directed=True)
    assert arcs_of(graph) == [("10", "b"), ("b", "a#1"), ("zo\u00eb", "b")]
    assert graph.ids.tolist() == ["10", "a#1", "b", "zo\u00eb"]
    tabs = put(tmp_path / "x.tsv", "New York\tS\u00e3o Paulo, SP\t3\n")
    assert arcs_of(read(tabs, ids="str", directed=True)) == [("New York", "S\u00e3o Paulo, SP")]
    quoted = put(tmp_path / "x.csv", 'Source,Target,weight\n"a, b","c ""d""",2\n')
    graph = read(quoted, ids="str", directed=True, weights=True)
    assert arcs_of(graph) == [("a, b", 'c "d"')]
    assert graph.weights is not None and graph.weights.tolist() == [2.0]


def test_summary_says_what_was_merged_and_skipped(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", "source,target\n1,2\n2,1\n1,2\n3,3\n")
    graph, said = read_with_summary(path)
    assert said == (
        "read x.csv: undirected, 3 vertices, 2 edges (4 rows; 2 merged as parallel; 1 self-loop; "
        "skipped: header 'source,target')"
    )
    assert graph.num_duplicates == 2
    bare = read_with_summary(path, bare_is_directed=True)[1]
    assert bare.startswith("read x.csv: directed, 3 vertices, 3 edges (4 rows; 1 merged")
    assert ": undirected" in read_with_summary(path, bare_is_directed=True, directed=False)[1]
    kept = read_with_summary(path, duplicates="keep")[1]
    assert "4 edges (4 rows; 2 parallel copies kept; 1 self-loop" in kept
    single = put(tmp_path / "one.txt", "5 7 1\n")
    assert read_with_summary(single)[1] == "read one.txt: undirected, 2 vertices, 1 edge (1 row)"
    mtx = put(tmp_path / "x.mtx", BANNER + "pattern symmetric\n2 2 1\n2 1\n")
    assert "undirected" in read_with_summary(mtx, bare_is_directed=True)[1]


def test_summary_of_the_issue(data_path: Any) -> None:
    said = read_with_summary(data_path("internet.txt"))[1]
    assert said == "read internet.txt: undirected, 22963 vertices, 48436 edges (48436 rows)"
    said = read_with_summary(data_path("Email-Enron.txt"))[1]
    assert said.endswith("183831 edges (367662 rows; 183831 merged as parallel)")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2\n3\n", r"line 2: 1 field in '3'.*two ids"),
        ("1 2\n3 x\n", r"line 2: 'x' where.*--ids str"),
        ("alice bob\n", r"line 1: 'alice'.*--ids str"),
        ("1 2\n\n# c\n3 -4\n", r"line 4: id -4 is negative"),
        ("1 2\n3 9223372036854775808\n", r"line 2: id 9223372036854775808 does not fit in 64 bits"),
        ("1 2\n3 99999999999999999999999\n", r"line 2: id 9+ does not fit"),
        ("1 2\n3 4.0\n", r"line 2: '4.0'"),
        ("1 2\n3 1e3\n", r"line 2: '1e3'"),
        ("1 2\n3 1_0\n", r"line 2: '1_0'"),
        ("1 2\n3 \u0663\n", r"line 2: "),
        ("1,2\n3,\n", r"line 2: '' where"),
        ('1,2\n3,"4\n5,6\n7,"8\n', r"line 2: quotes that do not match"),
        ('1,2\n"3,4\n5,6"\n', r"line 2: quotes"),
        ("# c\rx 7\n1 2\n", r"line 2: 'x'"),
        ("1 2\n3 \x00\n", r"line 2: "),
        ("1 2 3\n4\n", r"line 2: 1 field"),
        ("source,target\n1,2\nx,3\n", r"line 3: 'x'"),
        ("source,target\n", r"only the header 'source,target'"),
        ("# nothing\n% here\n\n", r"holds no edges: its 3 lines"),
        ("\n", r"holds no edges"),
        ("", r"is empty"),
    ],
)
@pytest.mark.parametrize("suffix", [".txt", ".txt.gz"])
def test_bad_edge_lists(tmp_path: Path, text: str, said: str, suffix: str) -> None:
    path = put(tmp_path / f"bad{suffix}", text)
    if not text and suffix == ".txt.gz":
        said = "holds no edges"
    with pytest.raises(InputError, match=said) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2 0.5\n2 3 nan\n", "line 2: weight 'nan' is not a finite"),
        ("1 2 inf\n", "line 1: weight 'inf'"),
        ("1 2 1e999\n", "line 1: weight '1e999'"),
        ("1 2 0.5\n2 3 abc\n", "line 2: weight 'abc'"),
        ("1 2 0.5\n2 3\n", "line 2: 2 fields.*--weights"),
        ("source,target\n1,2\n", "line 2: 2 fields"),
    ],
)
def test_bad_weights(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(put(tmp_path / "bad.txt", text), weights=True)


def test_bad_text(tmp_path: Path) -> None:
    path = put(tmp_path / "x.txt", b"a b\nc \xff\xfe\n")
    with pytest.raises(InputError, match=r"x.txt, line 2: bytes that are not UTF-8"):
        read(path, ids="str")
    with pytest.raises(InputError, match="line 2: 1 field"):
        read(put(tmp_path / "y.txt", "a\tb\nc d\n"), ids="str")
    with pytest.raises(InputError, match="line 2: an empty id"):
        read(put(tmp_path / "y.csv", "a,b\n,d\n"), ids="str")


# --- files ------------------------------------------------------------------------------------------


def test_files_that_are_not_there_or_not_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.txt: no such file"):
        read(tmp_path / "none.txt")
    (tmp_path / "dir.txt").mkdir()
    with pytest.raises(InputError, match=r"dir.txt: a folder"):
        read(tmp_path / "dir.txt")
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(InputError, match="not a regular file"):
        read(tmp_path / "pipe.txt")
    for name in ("x.xyz", "x", "x.gz"):
        with pytest.raises(InputError, match=r"no known format.*edges \(.txt.*clg \(.clg\)"):
            read(put(tmp_path / name, "1 2\n"))
        assert read(tmp_path / name, format="edges").num_edges == 1
    with pytest.raises(InputError, match="unknown format 'gml'; the known ones are edges"):
        read(tmp_path / "x", format="gml")
    with pytest.raises(InputError, match="use 'int' or 'str'"):
        read(tmp_path / "x", ids="text")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="use 'merge' or 'keep'"):
        read(tmp_path / "x", duplicates="no")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["x.txt.gz", "x.mtx.gz", "x.graph.gz", "x.v.gz"])
def test_damaged_gzip(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(1)
    write(Graph.from_edges(*rng.integers(0, 3000, (2, 9000))).simple, tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    assert read(tmp_path / name).num_edges > 8000
    (tmp_path / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"\.gz: the gzip data end too early"):
        read(tmp_path / name)
    (tmp_path / name).write_bytes(b"1 2\n")
    with pytest.raises(InputError, match="not compressed by gzip"):
        read(tmp_path / name)
    plain = tmp_path / "packed.txt"
    plain.write_bytes(whole)
    with pytest.raises(InputError, match=r"not named \.gz"):
        read(plain)


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(tmp_path / "x.txt"))

    monkeypatch.setattr(clgraph.graph.io.common, "open", refuse, raising=False)
    with pytest.raises(InputError, match=r"x.txt: cannot be read: Permission denied"):
        read(put(tmp_path / "x.txt", "1 2\n"))


# --- Matrix Market ------------------------------------------------------------------------------------


def test_matrix_market(tmp_path: Path) -> None:
    general = put(tmp_path / "g.mtx", BANNER + "real general\r\n% c\r\n4 4 3\r\n1 2 .5\r\n2 1 2\r\n3 3 4\r\n")
    graph = read(general)
    assert graph.directed and arcs_of(graph) == [(1, 2), (2, 1), (3, 3)] and graph.num_vertices == 4
    assert graph.weights is None
    both = read(general, directed=False, weights=True)
    assert both.num_edges == 2 and both.weights is not None and both.weights.tolist() == [2.5, 2.5, 4]
    symmetric = put(tmp_path / "s.mtx.gz", BANNER + "integer symmetric\n3 3 3\n2 1 5\n3 1 6\n3 3 7\n")
    graph = read(symmetric, weights=True)
    assert not graph.directed and graph.num_edges == 3 and graph.num_duplicates == 0
    assert graph.weights is not None and graph.weights.tolist() == [5, 6, 5, 6, 7]
    turned = read(symmetric, directed=True)
    assert turned.directed and turned.num_edges == 5
    skew = put(tmp_path / "k.mtx", BANNER + "real skew-symmetric\n2 2 1\n2 1 5\n")
    assert read(skew, weights=True).directed
    empty = put(tmp_path / "e.mtx", BANNER + "pattern general\n3 3 0\n")
    assert (read(empty).num_vertices, read(empty).num_edges) == (3, 0)
    twice = put(tmp_path / "t.mtx", BANNER + "pattern general\n3 3 2\n1 2\n1 2\n")
    assert read_with_summary(twice)[1].endswith("1 edge (2 entries; 1 merged as parallel)")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BANNER + "pattern general\n3 4 1\n1 2\n", "3 x 4; .*square"),
        ("%%MatrixMarket matrix array real general\n1 1\n1\n", "dense matrix"),
        (BANNER + "pattern general\n3 3 2\n1 2\n", "Truncated"),
        (BANNER + "pattern general\n3 3 1\n1 4\n", "Line 3: Column index out of bounds"),
        (BANNER + "pattern general\n3 3 1\n1 x\n", "Line 3: "),
        (BANNER + "pattern general\n3 3 1\n1 2\n2 3\n", "Line 4: "),
        (BANNER + "integer general\n3 3 1\n1 2 99999999999999999999\n", "Line 3: "),
        (BANNER + "pattern general\n3000000000 3000000000 1\n1 2\n", "3000000000 vertices; .* at most"),
        ("1 2\n", "banner"),
        (BANNER + "pattern general\n", "header"),
        (BANNER + "real general\n% c\n3 3 2\n1 2 1\n1 2 nan\n", "line 5: .*finite"),
        (BANNER + "pattern general\n3 3 1\n1 2\n", "pattern matrix has no real entries"),
        (BANNER + "complex general\n3 3 1\n1 2 1 1\n", "complex matrix"),
    ],
)
def test_bad_matrix_market(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        weights = any(word in said for word in ("finite", "entries", "complex"))
        read(put(tmp_path / "bad.mtx", text), weights=weights)
    assert "bad.mtx" in str(caught.value)
    with pytest.raises(InputError, match="leave --ids str"):
        read(tmp_path / "bad.mtx", ids="str")


# --- METIS --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "lines", "notes"),
    [
        ("4 3", ["2 3", "1 3", "2 1", ""], ""),
        ("4 3 000", [" 2  3 ", "1 3", "% comment", "2 1", "", ""], ""),
        ("4 3 1", ["2 9 3 8", "1 9 3 7", "2 7 1 8", ""], "edge weights skipped"),
        ("4 3 10", ["50 2 3", "51 1 3", "52 2 1", "53"], "vertex weights skipped"),
        ("4 3 011 2", ["5 6 2 9 3 8", "5 6 1 9 3 7", "5 6 2 7 1 8", "5 6"], "weights"),
        ("4 3 110 1", ["1 5 2 3", "1 5 1 3", "1 5 2 1", "1 5"], "vertex weights skipped"),
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
        ("2 1\n2\n3\n", "line 3: neighbour 3 of vertex 2 is not among 1 .. 2"),
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


# --- LDBC ---------------------------------------------------------------------------------------------


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
        ("5\n5\n", "5 stands there 2 times"),
        ("", "vertex 5 is not in"),
    ):
        put(tmp_path / "a.v", text)
        with pytest.raises(InputError, match=said):
            read(tmp_path / "a.e")


# --- .npz and .clg ------------------------------------------------------------------------------------


def test_scipy_files(tmp_path: Path) -> None:
    matrix = sp.csr_array(np.array([[0, 2.0, 0], [0, 0, 3.0], [0, 0, 0]]))
    sp.save_npz(tmp_path / "x.npz", matrix)
    assert not read(tmp_path / "x.npz").directed
    assert read_with_summary(tmp_path / "x.npz", bare_is_directed=True)[0].directed
    graph = read(tmp_path / "x.npz", directed=True, weights=True)
    assert graph.weights is not None and graph.weights.tolist() == [2, 3] and graph.has_identity_ids
    write(graph, tmp_path / "y.npz")
    assert np.array_equal(sp.load_npz(tmp_path / "y.npz").toarray(), matrix.toarray())
    sp.save_npz(tmp_path / "z.npz", sp.csr_array(np.ones((2, 3))))
    with pytest.raises(InputError, match="2 x 3"):
        read(tmp_path / "z.npz")
    put(tmp_path / "bad.npz", "nonsense")
    np.savez(tmp_path / "other.npz", a=np.arange(3))
    for name in ("bad.npz", "other.npz"):
        with pytest.raises(InputError, match=r"scipy.sparse.save_npz"):
            read(tmp_path / name)
    sp.save_npz(tmp_path / "nan.npz", sp.csr_array([[np.nan]]))
    with pytest.raises(InputError, match="not finite"):
        read(tmp_path / "nan.npz", weights=True)
    with pytest.raises(InputError, match="keep"):
        read(tmp_path / "x.npz", duplicates="keep")


def test_binary_is_mapped_and_aligned(tmp_path: Path) -> None:
    graph = Graph.from_edges([1, 5, 1], [5, 9, 5], weights=[1, 2, 3], directed=True)
    write(graph, tmp_path / "x.clg")
    again = read(tmp_path / "x.clg", weights=True)
    same(graph, again)
    for array in (again.row_ptr, again.col_idx, again.weights, again.multiplicity):
        assert array is not None and array.ctypes.data % 4096 == 0 and not array.flags.writeable
        while isinstance(array.base, np.ndarray):
            array = array.base
        assert isinstance(array, np.memmap)
    plain, said = read_with_summary(tmp_path / "x.clg", bare_is_directed=False)
    assert plain.directed and plain.weights is None and "skipped: weights" in said
    assert not read(tmp_path / "x.clg", directed=False).directed
    kept = Graph.from_edges([1, 2], [2, 1], duplicates="keep")
    write(kept, tmp_path / "k.clg")
    same(kept, read(tmp_path / "k.clg", duplicates="keep"))
    same(Graph.from_edges([1, 2], [2, 1]), read(tmp_path / "k.clg"))
    turned = read(tmp_path / "k.clg", directed=True)
    assert turned.directed and arcs_of(turned) == [(1, 2), (2, 1)]
    with pytest.raises(InputError, match="ids are numbers"):
        read(tmp_path / "k.clg", ids="str")
    with pytest.raises(InputError, match="holds no weights"):
        read(tmp_path / "k.clg", weights=True)


def test_damaged_binary(tmp_path: Path) -> None:
    path = tmp_path / "x.clg"
    write(Graph.from_edges([1, 5, 1], [5, 9, 6]), path)
    whole = path.read_bytes()

    def refused(data: bytes, said: str) -> None:
        path.write_bytes(data)
        with pytest.raises(InputError, match=said) as caught:
            read(path)
        assert str(caught.value).startswith(str(path))

    def patched(offset: int, data: bytes) -> bytes:
        return whole[:offset] + data + whole[offset + len(data) :]

    refused(whole[:-1], "cut off or damaged")
    refused(whole + b"x", "cut off or damaged")
    refused(whole[:100], "not a .clg file")
    refused(b"1 2\n" * 2000, "not a .clg file")
    refused(patched(8, b"\x02"), "version 2")
    refused(patched(16, b"\x09"), "row_ptr is damaged")
    refused(patched(16, b"\xff" * 4), "at most")
    refused(patched(48, b"\x01"), "row_ptr is damaged")
    refused(patched(64, b"<f4\0"), "row_ptr is damaged")
    refused(patched(4096, b"\x01"), "out of range")
    refused(patched(8192, b"\xff\xff\xff\xff"), "out of range")
    refused(patched(8192, b"\x09"), "out of range")
    with pytest.raises(InputError, match="not compressed with gzip"):
        write(Graph.from_edges([1], [2]), tmp_path / "x.clg.gz")


# --- writing --------------------------------------------------------------------------------------------

GRAPHS = {
    "plain": Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 0]),
    "directed": Graph.from_edges([0, 1, 2, 0], [1, 0, 0, 3], directed=True),
    "gaps": Graph.from_edges([7, 1000000, 30], [10, 7, 10]),
    "large ids": Graph.from_edges([2**62, 5], [5, 2**63 - 1], directed=True),
    "strings": Graph.from_edges(["b", "a"], ["a", "zo\u00eb"]),
    "loops": Graph.from_edges([1, 2, 2], [1, 2, 3]),
    "weights": Graph.from_edges([1, 2, 2], [2, 3, 4], weights=[1.0, 3.0, 12.0]),
    "odd weights": Graph.from_edges([1, 2, 2], [2, 3, 4], weights=[0.1, -1e-300, 1 / 3], directed=True),
    "isolated": Graph.from_edges([4], [2], vertices=[1, 2, 3, 4, 5]),
    "no edges": Graph.from_edges([], [], vertices=[1, 2, 3]),
    "one vertex": Graph.from_edges([], [], vertices=[1]),
    "empty": Graph.from_edges([], []),
}


NAMES = ["x.txt", "x.csv.gz", "x.mtx", "x.mtx.gz", "x.graph", "x.v", "x.e.gz", "x.npz", "x.clg"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("which", GRAPHS)
def test_round_trip(tmp_path: Path, which: str, name: str) -> None:
    graph, path = GRAPHS[which], tmp_path / name
    suffix = Path(name.removesuffix(".gz")).suffix
    kind = next(key for key, form in FORMATS.items() if suffix in form.suffixes)
    refused = kind == "metis" and (graph.directed or graph.num_self_loops or which == "odd weights")
    if refused:
        with pytest.raises(InputError, match="cannot write"):
            write(graph, path)
        assert list(tmp_path.iterdir()) == []
        return
    said = write_with_summary(graph, path)
    assert said.startswith(f"wrote {name}: ")
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    write(graph, path)
    assert before == {file: file.read_bytes() for file in tmp_path.iterdir()}  # the same bytes again
    ids: Any = "str" if graph.ids.dtype == object and kind in ("edges", "ldbc") else "int"
    options: dict[str, Any] = {"ids": ids, "weights": graph.weights is not None, "directed": graph.directed}
    if kind == "edges":
        touched = graph.subgraph((graph.degrees > 0) | (graph.reverse.degrees > 0))
        assert ("without edges left out" in said) == (touched.num_vertices < graph.num_vertices)
        if graph.num_edges == 0:
            with pytest.raises(InputError, match=r"is empty|no edges|only the header"):
                read(path, **options)
            return
        graph = touched
    if kind in ("mtx", "metis"):
        numbers = np.arange(1, graph.num_vertices + 1)
        assert ("numbered 1" in said) == (graph.ids.tolist() != numbers.tolist())
        graph = graph.with_ids(numbers)
    if kind not in ("edges",):
        del options["directed"]  # these know it
    same(graph, read(path, **options))


def test_written_bytes(tmp_path: Path) -> None:
    graph = Graph.from_edges([30, 7, 7, 10], [7, 100, 30, 10], weights=[0.1, 2.0, 1e22, 3.0])
    write(graph, tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_bytes() == b"7\t30\t1e+22\n7\t100\t2.0\n10\t10\t3.0\n"
    graph.weights = None
    write(graph, tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_bytes() == b"7\t30\n7\t100\n10\t10\n"  # the merged edge is written once
    assert "1 merged parallel edge" in write_with_summary(graph, tmp_path / "a.txt")
    write(graph, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes() == b"source,target\n7,30\n7,100\n10,10\n"
    write(graph, tmp_path / "a.txt.gz")
    packed = (tmp_path / "a.txt.gz").read_bytes()
    assert gzip.decompress(packed) == b"7\t30\n7\t100\n10\t10\n"
    assert packed[3:8] == bytes(5)  # no name, no date
    kept = Graph.from_edges([2, 1, 2], [1, 2, 2], duplicates="keep")
    write(kept, tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_bytes() == b"1\t2\n1\t2\n2\t2\n"
    same(kept, read(tmp_path / "a.txt", duplicates="keep"))
    for name in ("a.npz", "a.graph"):
        with pytest.raises(InputError, match="parallel"):
            write(kept.simple, tmp_path / name)
    with pytest.raises(InputError, match="1 self-loop"):
        write(kept, tmp_path / "a.graph")


def test_files_that_others_read(tmp_path: Path) -> None:
    graph = GRAPHS["plain"]
    write(graph, tmp_path / "a.mtx")
    matrix = sp.coo_array(scipy.io.mmread(tmp_path / "a.mtx"))
    assert np.array_equal(matrix.toarray(), graph.to_scipy().toarray())
    write(graph, tmp_path / "a.graph")
    assert (tmp_path / "a.graph").read_text().splitlines()[0] == "4 4"
    write(graph, tmp_path / "x.v")
    assert (tmp_path / "x.v").read_text() == "0\n1\n2\n3\n"
    assert (tmp_path / "x.e").read_text() == "0 1\n0 2\n0 3\n1 2\n"
    assert (tmp_path / "x.properties").read_text() == "graph.x.directed = false\n"


def test_ids_that_cannot_be_written(tmp_path: Path) -> None:
    for name in ("a\tb", "#a", "", " a", "a\nb"):
        with pytest.raises(InputError, match="cannot stand in this format"):
            write(Graph.from_edges(["x"], [name]), tmp_path / "a.txt")
    with pytest.raises(InputError, match="cannot stand"):
        write(Graph.from_edges(["x"], ["a,b"]), tmp_path / "a.csv")
    with pytest.raises(InputError, match="cannot stand"):
        write(Graph.from_edges(["x"], ["a b"]), tmp_path / "a.v")
    assert list(tmp_path.iterdir()) == []
    spaced = Graph.from_edges(["x y"], ["a,b"])
    write(spaced, tmp_path / "a.txt")
    same(spaced, read(tmp_path / "a.txt", ids="str"))


def test_large_ids_and_many_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    source, target = rng.integers(0, 10 ** rng.integers(1, 18, 700_000)), rng.integers(0, 90000, 700_000)
    graph = Graph.from_edges(source, target, directed=True)
    write(graph, tmp_path / "a.txt")
    rows = np.loadtxt(tmp_path / "a.txt", dtype=np.int64)
    assert np.array_equal(rows[:, 0], graph.ids[graph.rows])
    assert np.array_equal(rows[:, 1], graph.ids[graph.col_idx])
    again = read(tmp_path / "a.txt", directed=True)
    assert np.array_equal(again.ids, graph.ids) and np.array_equal(again.col_idx, graph.col_idx)


# --- whole or not there ------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError])
def test_nothing_half_written_stays(tmp_path: Path, error: type[BaseException]) -> None:
    path = put(tmp_path / "a.txt", "before")
    with pytest.raises(InputError if error is OSError else error), atomic_write(path) as file:
        file.write(b"half")
        raise error("stop")
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"] and path.read_text() == "before"


def test_interrupted_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("clgraph.graph.io.edges.write_cells", stop)
    for name in ("a.txt", "a.txt.gz"):
        with pytest.raises(KeyboardInterrupt):
            write(GRAPHS["plain"], tmp_path / name)
    monkeypatch.setattr("clgraph.graph.io.ldbc.write_cells", stop)
    with pytest.raises(KeyboardInterrupt):
        write(GRAPHS["plain"], tmp_path / "a.v")
    assert list(tmp_path.iterdir()) == []


def test_atomic_write_keeps_modes_and_links(tmp_path: Path) -> None:
    path = put(tmp_path / "a.txt", "before")
    path.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(path)
    with atomic_write(link, "w") as file:
        file.write("z\u00fc\n")
    assert link.is_symlink() and path.read_bytes() == "z\u00fc\n".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    with atomic_write(tmp_path / "new"):
        pass
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o666 & ~umask
    with atomic_write("/dev/null") as file:
        file.write(b"nowhere")
    with pytest.raises(ValueError, match="mode"), atomic_write(path, "a"):
        pass


def test_places_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = GRAPHS["plain"]
    put(tmp_path / "file", "x")
    for path in (tmp_path / "none" / "a.txt", tmp_path / "file" / "a.txt"):
        with pytest.raises(InputError, match=r"cannot write .*a\.txt"):
            check_writable(path)
        with pytest.raises(InputError, match=r"cannot write .*a\.txt"):
            write(graph, path)
        with pytest.raises(InputError, match=r"cannot write .*a\.txt"), atomic_write(path):
            pass
    (tmp_path / "dir.txt").mkdir()
    for use in (check_writable, lambda path: write(graph, path)):
        with pytest.raises(InputError, match="folder"):
            use(tmp_path / "dir.txt")
    with pytest.raises(InputError, match="folder"), atomic_write(tmp_path / "dir.txt"):
        pass
    with pytest.raises(InputError, match="no known format"):
        check_writable(tmp_path / "a.xyz")
    monkeypatch.setattr(os, "access", lambda *args: False)
    with pytest.raises(InputError, match="no permission"):
        check_writable(tmp_path / "a.txt")


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with pytest.raises(InputError, match="cannot write /dev/full: No space left"):
        write(GRAPHS["plain"], "/dev/full", format="clg")


def test_gzip_through_a_stream_is_not_sought(tmp_path: Path) -> None:
    # SciPy's reader aborted the process on a CRLF file handed to it as an open file
    text = BANNER + "pattern general\r\n% c\r\n3 3 2\r\n1 2\r\n2 3\r\n"
    for name in ("a.mtx", "a.mtx.gz"):
        assert read(put(tmp_path / name, text)).num_edges == 2
    assert scipy.io.mminfo(io.BytesIO(text.encode()))[2] == 2
