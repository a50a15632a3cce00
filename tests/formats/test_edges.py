"""Edge lists: read, written, and what is said about bad ones."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_files import arcs_of, limited_memory, put
from graphs import same

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary, write_with_summary


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


@pytest.mark.smoke
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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2\n3\n", r"line 2: 1 field in '3'.*two ids"),
        ("1 2\n3 x\n", r"line 2: 'x' is not a vertex id.*ids='str'"),
        ("alice bob\n", r"line 1: 'alice'.*ids='str'"),
        ("1 2\n\n# c\n3 -4\n", r"line 4: id -4 is negative"),
        ("1 2\n3 9223372036854775808\n", r"line 2: id 9223372036854775808 does not fit in 64 bits"),
        ("1 2\n3 99999999999999999999999\n", r"line 2: id 9+ does not fit"),
        ("1 2\n3 4.0\n", r"line 2: '4.0'"),
        ("1 2\n3 1e3\n", r"line 2: '1e3'"),
        ("1 2\n3 1_0\n", r"line 2: '1_0'"),
        ("1 2\n3 \u0663\n", r"line 2: "),
        ("1,2\n3,\n", r"line 2: '' is not a vertex id"),
        ('1,2\n3,"4\n5,6\n7,"8\n', r"line 2: quotes that do not match"),
        ('1,2\n"3,4\n5,6"\n', r"line 2: quotes"),
        ("# c\rx 7\n1 2\n", r"line 2: 'x'"),
        ("1 2\n3 \x00\n", r"line 2: "),
        ("1 2 3\n4\n", r"line 2: 1 field"),
        ("source,target\n1,2\nx,3\n", r"line 3: 'x'"),
        ("a,b\n", r"only the header 'a,b'"),
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
        ("1 2 0.5\n2 3\n", "line 2: 2 fields.*weights=True"),
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


@pytest.mark.smoke
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
    assert packed[3:8] == b"\4\0\0\0\0"  # no name, no date, the length of the member
    kept = Graph.from_edges([2, 1, 2], [1, 2, 2], duplicates="keep")
    write(kept, tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_bytes() == b"1\t2\n1\t2\n2\t2\n"
    same(kept, read(tmp_path / "a.txt", duplicates="keep"))
    for name in ("a.npz", "a.graph"):
        with pytest.raises(InputError, match="parallel"):
            write(kept.without_self_loops, tmp_path / name)
    with pytest.raises(InputError, match="1 self-loop"):
        write(Graph.from_edges([2, 1], [1, 1]), tmp_path / "a.graph")


def test_ids_that_cannot_be_written(tmp_path: Path) -> None:
    for name in ("a\tb", "#a", "", " a", "a\nb"):
        with pytest.raises(InputError, match=r"vertex id .* (holds|is empty|begins)"):
            write(Graph.from_edges(["x"], [name]), tmp_path / "a.txt")
    for suffix, name in ((".csv", "a\rb"), (".csv", ""), (".v", "a b"), (".v", "a,b"), (".txt", "\0a")):
        with pytest.raises(InputError, match=r"vertex id .* (holds|is empty)"):
            write(Graph.from_edges(["x"], [name]), tmp_path / f"a{suffix}")
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
    assert np.array_equal(rows[:, 0], graph.ids[graph.tails])
    assert np.array_equal(rows[:, 1], graph.ids[graph.col_idx])
    again = read(tmp_path / "a.txt", directed=True)
    assert np.array_equal(again.ids, graph.ids) and np.array_equal(again.col_idx, graph.col_idx)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("ids", ["int", "str"])
def test_a_comment_that_ends_in_two_carriage_returns(tmp_path: Path, ids: Any, weights: bool) -> None:
    for head in ("# c\r\r\n", "# c\r\r\n# d\n", "\r\r\n", "source,target,w\r\r\n"):
        comma = "," if "," in head else " "
        text = head + "".join(comma.join(row) + "\r\n" for row in ("123", "341", "561"))
        graph = read(put(tmp_path / "x.txt", text), ids=ids, weights=weights, directed=True)
        assert [(int(u), int(v)) for u, v in arcs_of(graph)] == [(1, 2), (3, 4), (5, 6)], head


@pytest.mark.parametrize("row", ["u v", "start end", "source\ttarget", "from,to", "SRC dst", "head tail"])
def test_names_that_could_be_a_header(tmp_path: Path, row: str) -> None:
    mark = next(c for c in ",\t " if c in row)
    first = tuple(row.split(mark))
    path = put(tmp_path / "x.txt", f"{row}\na{mark}b\n")
    graph, summary = read_with_summary(path, ids="str", directed=True)
    assert sorted(arcs_of(graph)) == sorted([first, ("a", "b")])
    assert "is an edge" in summary and "--header" in summary
    assert arcs_of(read(path, ids="str", directed=True, header=True))[0] in [("a", "b"), ("b", "a")]
    unlike = put(tmp_path / "y.txt", f"{row}\n1{mark}2\n")
    assert read(unlike, ids="str").num_edges == 1
    assert read(unlike, ids="str", header=False).num_edges == 2
    weighted = put(tmp_path / "z.txt", f"{row}{mark}length\na{mark}b{mark}0.5\n")
    graph = read(weighted, ids="str", weights=True)
    assert graph.weights is not None and graph.weights.tolist() == [0.5, 0.5]


def test_header_as_asked(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", "source,target\na,b\n")
    assert read(path, ids="str").num_edges == 1  # as write() writes it
    assert read(path, ids="str", header=False).num_edges == 2
    path = put(tmp_path / "y.txt", "7 8\n1 2\n")
    assert read(path, header=True).ids.tolist() == [1, 2]
    path = put(tmp_path / "z.csv", "x,y\n1,2\n")
    with pytest.raises(InputError, match=r"line 1: 'x' is not a vertex id"):
        read(path, header=False)
    with pytest.raises(InputError, match=r"npz files have no header row"):
        write(read(path), tmp_path / "a.npz")
        read(tmp_path / "a.npz", header=True)
    with pytest.raises(InputError, match="holds no edges, only the header"):
        read(put(tmp_path / "o.txt", "1 2\n"), header=True)


def test_what_is_in_quotes_stays_as_it_is(tmp_path: Path) -> None:
    path = put(tmp_path / "x.csv", 'source,target\n" a" , "b "\n"#c","d"", "\n')
    assert arcs_of(read(path, ids="str", directed=True)) == [(" a", "b "), ("#c", 'd", ')]
    numbers = put(tmp_path / "y.csv", '"1 ", " 2",9\n')
    assert arcs_of(read(numbers, directed=True)) == [(1, 2)]


LONG = "1" * 5000


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (f"1 {LONG}", "line 2: id 1{80} does not fit in 64 bits"),
        (f"1 -{LONG}", "line 2: id -1{79} is negative"),
        ("1 1_2", "line 2: '1_2' is not a vertex id"),
        ("1 \u0661", "line 2: .* is not a vertex id"),
        ("1 \u00b2", "line 2: .* is not a vertex id"),
        ("1 1.0", "line 2: '1.0' is not a vertex id"),
    ],
)
def test_numbers_that_only_python_takes(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(put(tmp_path / "x.txt", f"3 4\n{row}\n"))


@pytest.mark.parametrize("weight", ["1_0", "\u0661", "nan", "inf", "1e999", "0x10", "nan(0x1)", "1,0", LONG])
def test_weights_that_only_python_takes(tmp_path: Path, weight: str) -> None:
    for ids in ("int", "str"):
        with pytest.raises(InputError, match=r"line 2: weight .* is not a finite number"):
            read(put(tmp_path / "x.txt", f"3 4 1\n1 2 {weight}\n"), weights=True, ids=ids)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["x.txt", "x.csv", "x.csv.gz"])
def test_bytes_that_are_not_utf8(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="line 3: bytes that are not UTF-8"):
        read(put(tmp_path / name, b"a,b\nb,c\nd,\xff\n"), ids="str")


@pytest.mark.parametrize("row", [b"1", b"1 2\n", b"1 2 3\n"])
def test_a_gzip_bomb(tmp_path: Path, row: bytes) -> None:
    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress(row * ((66 << 20) // len(row)), 1))
    for ids in ("int", "str"):
        with limited_memory(400 << 20), pytest.raises(InputError, match=r"unpacks to .* max_ratio="):
            read(path, ids=ids, weights=b"3" in row, max_ratio=50)  # type: ignore[arg-type]
    path.write_bytes(gzip.compress(b"# " + b"1" * (66 << 20) + b"\n1 2\n", 1))
    assert read(path, max_ratio=2000).num_edges == 1


def test_sparse_ids_need_little_memory(tmp_path: Path) -> None:
    path = put(tmp_path / "x.txt", f"0 {2**31}\n5 {2**63 - 1}\n")
    with limited_memory(100 << 20):
        assert read(path).num_vertices == 4
    with pytest.raises(InputError, match=r"4 vertices, more than max_vertices=3"):
        read(path, max_vertices=3)
    assert read(path, max_vertices=4).num_vertices == 4
