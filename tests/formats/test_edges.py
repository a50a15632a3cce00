"""Edge lists: read, written, and what is said about bad ones."""

import gzip

import numpy as np
import pytest
from graph_files import arcs_of, limited_memory, put, unreadable
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
def test_edge_lists(tmp_path, lines, suffix, last, end):
    text = end.join(lines) + (end if last else "")
    path = put(tmp_path / f"graph{suffix}", text)
    graph = read(path, directed=True)
    assert arcs_of(graph) == [(1, 2), (2, 3), (3, 10)]
    assert graph.weights is None
    same(read(path), Graph.from_edges([1, 3, 2], [2, 10, 3]))


def test_weights_are_read_only_if_asked_for(tmp_path):
    path = put(tmp_path / "x.txt", "1 2 0.5\n2 3 1e-3\n1 2 2\n")
    assert read(path).weights is None
    graph = read(path, weights=True, directed=True)
    assert graph.weights.tolist() == [2.5, 1e-3] and graph.multiplicity.tolist() == [2, 1]
    for text, wanted in (
        ("w,a,source,target\n.5,9,1,2\n-4,9,2,3\n", [0.5, -4.0]),
        ("source,target,capacity\n1,2,7\n", [7.0]),
    ):
        path = put(tmp_path / "x.csv", text)
        assert read(path, weights=True, directed=True).weights.tolist() == wanted


@pytest.mark.smoke
def test_string_ids(tmp_path):
    path = put(tmp_path / "x.txt", "# names\nzo\u00eb b\nb a#1 extra\n10 b\n")
    graph = read(path, ids="str", directed=True)
    assert arcs_of(graph) == [("10", "b"), ("b", "a#1"), ("zo\u00eb", "b")]
    assert graph.ids.tolist() == ["10", "a#1", "b", "zo\u00eb"]
    tabs = put(tmp_path / "x.tsv", "New York\tS\u00e3o Paulo, SP\t3\n")
    assert arcs_of(read(tabs, ids="str", directed=True)) == [("New York", "S\u00e3o Paulo, SP")]
    quoted = put(tmp_path / "x.csv", 'Source,Target,weight\n"a, b","c ""d""",2\n')
    graph = read(quoted, ids="str", directed=True, weights=True)
    assert arcs_of(graph) == [("a, b", 'c "d"')] and graph.weights.tolist() == [2.0]


@pytest.mark.smoke
def test_written_bytes(tmp_path):
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
    for name in ("a.npz", "a.graph", "a.graph-txt"):
        with pytest.raises(InputError, match="hold no parallel edges"):
            write(kept.without_self_loops, tmp_path / name)
    with pytest.raises(InputError, match="1 self-loop"):
        write(Graph.from_edges([2, 1], [1, 1]), tmp_path / "a.graph")


def test_ids_that_cannot_be_written(tmp_path):
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


def test_large_ids_and_many_rows(tmp_path):
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
def test_a_comment_that_ends_in_two_carriage_returns(tmp_path, ids, weights):
    for head in ("# c\r\r\n", "# c\r\r\n# d\n", "\r\r\n", "source,target,w\r\r\n"):
        comma = "," if "," in head else " "
        text = head + "".join(comma.join(row) + "\r\n" for row in ("123", "341", "561"))
        graph = read(put(tmp_path / "x.txt", text), ids=ids, weights=weights, directed=True)
        assert [(int(u), int(v)) for u, v in arcs_of(graph)] == [(1, 2), (3, 4), (5, 6)], head


@pytest.mark.parametrize("row", ["u v", "start end", "source\ttarget", "from,to", "SRC dst", "head tail"])
def test_names_that_could_be_a_header(tmp_path, row):
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
    assert graph.weights.tolist() == [0.5, 0.5]


def test_header_as_asked(tmp_path):
    path = put(tmp_path / "x.csv", "source,target\na,b\n")
    assert read(path, ids="str").num_edges == 1  # as write() writes it
    assert read(path, ids="str", header=False).num_edges == 2
    path = put(tmp_path / "y.txt", "7 8\n1 2\n")
    assert read(path, header=True).ids.tolist() == [1, 2]
    write(read(path), tmp_path / "a.npz")
    unreadable(tmp_path / "a.npz", r"npz files have no header row", header=True)


def test_what_is_in_quotes_stays_as_it_is(tmp_path):
    path = put(tmp_path / "x.csv", 'source,target\n" a" , "b "\n"#c","d"", "\n')
    assert arcs_of(read(path, ids="str", directed=True)) == [(" a", "b "), ("#c", 'd", ')]
    numbers = put(tmp_path / "y.csv", '"1 ", " 2",9\n')
    assert arcs_of(read(numbers, directed=True)) == [(1, 2)]


@pytest.mark.parametrize("row", [b"1", b"1 2\n", b"1 2 3\n"])
def test_a_gzip_bomb(tmp_path, row):
    path = tmp_path / "x.txt.gz"
    path.write_bytes(gzip.compress(row * ((66 << 20) // len(row)), 1))
    for ids in ("int", "str"):
        with limited_memory(400 << 20), pytest.raises(InputError, match=r"unpacks to .* max_ratio="):
            read(path, ids=ids, weights=b"3" in row, max_ratio=50)
    path.write_bytes(gzip.compress(b"# " + b"1" * (66 << 20) + b"\n1 2\n", 1))
    assert read(path, max_ratio=2000).num_edges == 1


def test_sparse_ids_need_little_memory(tmp_path):
    path = put(tmp_path / "x.txt", f"0 {2**31}\n5 {2**63 - 1}\n")
    with limited_memory(100 << 20):
        assert read(path).num_vertices == 4
    unreadable(path, r"4 vertices, more than max_vertices=3", max_vertices=3)
    assert read(path, max_vertices=4).num_vertices == 4
