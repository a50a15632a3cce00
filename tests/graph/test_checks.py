"""Arrays from outside: each fault is told with its place and value, before anything computes with it."""

import numpy as np
import pytest
from graphs import same, tangle

from clgraph import Graph, InputError
from clgraph.graph.arrays import Arrays, aligned
from clgraph.graph.checks import check_mirrored

PATH = {"row_ptr": [0, 1, 3, 4], "col_idx": [1, 0, 2, 1]}  # 0 - 1 - 2


@pytest.mark.parametrize("dtype", [np.int64, np.uint32, np.int16, ">i4"])
def test_other_types_are_converted(dtype):
    made = Graph(np.array(PATH["row_ptr"], dtype), np.array(PATH["col_idx"], dtype))
    same(made, Graph.from_edges([0, 1], [1, 2]))
    assert made.col_idx.dtype == np.int32 and made.row_ptr.dtype in (np.int32, np.int64)


def test_right_arrays_are_shared():
    graph = tangle(1, weights=np.ones(900))
    copy = Graph(graph.row_ptr, graph.col_idx, weights=graph.weights, multiplicity=graph.multiplicity)
    assert copy.col_idx is graph.col_idx and copy.row_ptr is graph.row_ptr and copy.weights is graph.weights
    same(Graph([0], []), Graph.from_edges([], []))
    assert Graph(graph.row_ptr.astype(np.int64), graph.col_idx).row_ptr.dtype == np.int64


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"col_idx": np.array([1, 0, -5, 1])}, r"col_idx\[2\] is -5"),
        ({"col_idx": np.array([1, 0, 2**30, 1])}, r"col_idx\[2\] is 1073741824"),
        ({"col_idx": np.array([1, 0, 2**40, 1])}, r"col_idx\[2\] is 1099511627776"),
        ({"col_idx": np.array([1, 0, 2, 2**63], np.uint64)}, r"col_idx\[3\] is 9223372036854775808"),
        ({"col_idx": [1, 2, 0, 1]}, r"row 1 is not in ascending order: col_idx\[2\] is 0 after 2"),
        ({"col_idx": [1.0, 0.0, 2.0, 1.0]}, "col_idx is of type float64"),
        ({"col_idx": [[1, 0], [2, 1]]}, r"col_idx has the shape \(2, 2\)"),
        ({"col_idx": [[1, 0], [2]]}, "col_idx is no array of whole numbers"),
        ({"col_idx": 3}, "shape"),
        ({"col_idx": [1, 0, 2]}, r"row_ptr\[3\] is 4, but there are 3 entries"),
        ({"col_idx": np.ma.array([1, 0, 2, 1], mask=[0, 0, 0, 1])}, "masked"),
        ({"row_ptr": [1, 1, 3, 4]}, r"row_ptr\[0\] is 1"),
        ({"row_ptr": [0, 3, 1, 4]}, r"row_ptr\[2\] is 1 after 3"),
        ({"row_ptr": np.array([0, 3, 1, 4], np.uint32)}, r"row_ptr\[2\] is 1 after 3"),
        ({"row_ptr": []}, "row_ptr is empty"),
        ({"row_ptr": [0, 1, 2, 2**40]}, "there are 4 entries"),
        ({"col_idx": [2, 0, 2, 1]}, "the arc 1 -> 0 and none 0 -> 1"),
        ({"col_idx": [1, 0, 2, 2]}, "the arc 1 -> 2 and none 2 -> 1"),
        ({"weights": [1, 1, 2, 3]}, "arc 1 -> 2 has weight 2.0 and 2 -> 1 has 3.0"),
        ({"weights": [1, 1, np.nan, 3]}, "weight 2 .* not finite"),
        ({"weights": [1, 1, 2]}, "weights of shape"),
        ({"multiplicity": [1, 1, 0, 1]}, r"multiplicity 0 \(row 2"),
        ({"multiplicity": [1, 1, 2**31, 2**31]}, r"multiplicity 2147483648 \(row 2.* at most 2147483647"),
        ({"multiplicity": [1, 1, 2, 1]}, "arc 1 -> 2 has multiplicity 2"),
        ({"directed": 1}, "directed is 1: use True or False"),
        ({"directed": "no"}, "directed is 'no': use True or False"),
        ({"ids": [5, 6, 5]}, "two vertices have the id 5"),
        ({"ids": ["a", "b", "a"]}, "two vertices have the id 'a'"),
        ({"ids": ["a", None, "b"]}, r"None \(vertex 1\)"),
        ({"ids": [0, -1, 2]}, r"-1 \(vertex 1\) is negative"),
        ({"ids": [0.0, np.nan, 2]}, "ids of type float64"),
        ({"ids": [0, 1]}, "2 ids for 3 vertices"),
        ({"ids": [[0, 1, 2]]}, "shape"),
        ({"ids": np.array(5)}, "shape"),
        ({"ids": np.array([1, 2, 2**63], np.uint64)}, "64 bits"),
    ],
)
def test_each_fault_is_named(change, said):
    with pytest.raises(InputError, match=said):
        Graph(**{**PATH, **change})


def test_asymmetric_arcs_are_named_exactly():
    rng = np.random.default_rng(3)
    for _ in range(200):
        n = int(rng.integers(2, 7))
        dense = rng.random((n, n)) < 0.5
        dense |= dense.T
        u, v = rng.choice(n, 2, replace=False)
        dense[u, v] = not dense[u, v]
        a, b = (u, v) if dense[u, v] else (v, u)
        row_ptr, col_idx = np.r_[0, np.cumsum(dense.sum(1))], np.nonzero(dense)[1]
        with pytest.raises(InputError, match=f"the arc {a} -> {b} and none {b} -> {a}"):
            Graph(row_ptr, col_idx)
        Graph(row_ptr, col_idx, directed=True)


def test_symmetry_is_checked_in_pieces(monkeypatch):
    for piece in (1, 7, 64, 1 << 17):
        monkeypatch.setattr("clgraph.graph.arrays.CHUNK", piece)
        for graph in (tangle(2), tangle(3, duplicates="keep"), Graph.from_edges([], [])):
            assert check_mirrored(graph._arrays) == graph.num_self_loops
        heads = tangle(2).col_idx.copy()
        heads[-1] -= 1
        with pytest.raises(InputError, match="undirected"):
            check_mirrored(Arrays(tangle(2).row_ptr, heads))


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1 << 17])
def test_loops_and_copies_are_found_in_pieces(monkeypatch, piece):
    monkeypatch.setattr("clgraph.graph.arrays.LONG", piece)
    chain = Graph([0, 1, 1, 2, 2, 3], [4, 4, 4], directed=True)  # one head in row after row: no copies
    ends = Graph([0, 6, 8, *[8] * 6], [1, 2, 3, 4, 5, 6, 6, 7], directed=True)  # a row ends with a piece
    twice = Graph([0, 1, 1, 3, 3, 4], [4, 4, 4, 4], directed=True)
    others = tangle(2), tangle(3, duplicates="keep"), tangle(4, directed=True), Graph.from_edges([], [])
    for graph in (chain, ends, twice, *others):
        arrays = graph._arrays
        pairs = set(zip(arrays.tails().tolist(), arrays.col_idx.tolist(), strict=True))
        assert arrays.is_multigraph() == (len(pairs) < arrays.num_arcs)
        assert arrays.count_loops() == np.count_nonzero(arrays.tails() == arrays.col_idx)


def test_parts_of_a_graph():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    for wrong, said in (
        ([99], r"vertices\[0\] is 99"),
        ([1, -1], r"vertices\[1\] is -1"),
        ([0.5], "type float64"),
        ([[0, 1]], "shape"),
        (["a"], "whole numbers"),
        (np.ones(3, bool), r"shape \(3,\): a bool for each of 4 vertices"),
        (np.ones((4, 1), bool), "shape"),
    ):
        with pytest.raises(InputError, match=said):
            graph.subgraph(wrong)
    assert graph.subgraph([]).num_vertices == 0
    one_way = np.arange(6) > 0
    five = np.ones(5, bool), "each of 6 arcs"
    for wrong, said in (five, (np.ones(6, int), "type int64"), (one_way, "none 0 -> 1")):
        with pytest.raises(InputError, match=said):
            graph.edge_subgraph(wrong)
        with pytest.raises(InputError, match=said):
            graph.subgraph(np.ones(4, bool), wrong)
    with pytest.raises(InputError, match="two vertices have the id 7"):
        graph.with_ids(np.array([7, 8, 7, 9]))


@pytest.mark.parametrize(
    ("source", "target", "options", "said"),
    [
        ([0, 1], [1], {}, "differ in shape"),
        ([None], ["a"], {}, r"None: ids are all .* \(row 0 of source"),
        (["a", None], ["b", "c"], {}, r"None: .* \(row 1 of source"),
        (["a"], [np.nan], {}, "nan"),
        (["a", 1], ["b", "c"], {}, r"1: .* \(row 1 of source"),
        (["a"], [1], {}, "1: ids are all"),
        (["a", float("nan")], ["b", "c"], {}, r"nan: .* \(row 1 of source"),
        ([1.0, np.nan], [1, 2], {}, r"vertex id nan \(row 1"),
        ([-3], [1], {}, "-3 is negative"),
        ([1, 2], [3, -4], {}, r"-4 is negative \(row 1 of target"),
        ([1], [2**70], {}, r"1180591620717411303424 is not from 0 .* \(row 0 of target"),
        ([10**5000], [1], {}, "of 16610 bits is not from 0"),
        ([np.uint64(2**63)], [np.uint64(1)], {}, "64 bits"),
        ([2.5], [1], {}, "2.5"),
        ([0.5], [1.0], {}, "0.5.*integers, or strings"),
        ([b"a"], [b"b"], {}, "integers, or strings"),
        ([True], [False], {}, "True.*integers, or strings"),
        ([[1, 2]], [[2, 3]], {}, r"source has the shape \(1, 2\)"),
        (5, 6, {}, r"source has the shape \(\)"),
        ({1, 2}, {3, 4}, {}, "shape"),
        ([[1], [1, 2]], [1, 2], {}, "source is no list of vertex ids"),
        ([[1], "a"], [1, 2], {}, "source is no list|ids are all"),
        (np.array([object(), "a"]), ["a", "b"], {}, "row 0 of source"),
        (np.array([[], "a"], object), ["a", "b"], {}, r"\[\]: .*row 0 of source"),
        (np.array([1, 2], object), [1, 2], {}, "integer array"),
        (np.ma.array([1, 2], mask=[0, 1]), [1, 2], {}, "source has masked entries"),
        ([0], [1], {"vertices": [[1, 2]]}, r"vertices has the shape \(1, 2\)"),
        ([0], [1], {"vertices": 7}, r"vertices has the shape \(\)"),
        ([0], [1], {"vertices": [1.5]}, "1.5"),
        ([0], [1], {"vertices": [np.nan]}, r"nan \(row 0"),
        ([0], [1], {"vertices": [True]}, "True"),
        ([0], [1], {"vertices": ["a"]}, "row 0 of source"),
        ([0], [1], {"vertices": [5, -1]}, "-1 is negative .row 1 of vertices"),
        ([0], [1], {"vertices": [2**64]}, "row 0 of vertices|all strings"),
        ([0], [1], {"weights": [[1], [2, 3]]}, "weights is no list of numbers"),
        ([0], [1], {"weights": ["x"]}, "weights are real numbers"),
        ([0], [1], {"weights": np.ma.array([1.0], mask=[1])}, "weights has masked"),
        ([0], [1], {"weights": [np.longdouble("1e4000")]}, "weight 0 .* not finite"),
        ([0, 1], [1, 2], {"weights": [1.0, np.nan]}, r"weight 1 .* not finite"),
        ([0, 1], [1, 2], {"weights": [1.0]}, "weights of shape"),
        ([0], [1], {"multiplicity": [2**31]}, "2147483648 .*at most 2147483647"),
        ([0], [1], {"multiplicity": [0]}, "multiplicity 0"),
        ([0], [1], {"multiplicity": 3}, "shape"),
        ([0], [1], {"multiplicity": [2], "duplicates": "keep"}, "leave duplicates='keep'"),
        ([0], [1], {"duplicates": "drop"}, "'merge' or 'keep'"),
    ],
)
def test_from_edges_names_the_place(source, target, options, said):
    with pytest.raises(InputError, match=said):
        Graph.from_edges(source, target, **options)


def test_nuls_at_the_end_of_names_and_ids_given_twice():
    assert Graph.from_edges(["a\0", "a"], ["b", "b"]).ids.tolist() == ["a", "a\0", "b"]
    assert Graph.from_edges([0], [1], vertices=[2, 2, 0]).num_vertices == 3


@pytest.mark.filterwarnings("error")
def test_sums_that_overflow_are_refused():
    huge = {"weights": [1e308, 1.0, 1e308]}
    with pytest.raises(InputError, match="weights of the parallel edges from vertex 5 to 7 add up to inf"):
        Graph.from_edges([5, 5, 7], [7, 6, 5], **huge)
    with pytest.raises(InputError, match="from vertex 'a' to 'b' add up to -inf"):
        Graph.from_edges(["a", "a"], ["b", "b"], weights=[-1e308, -1e308], directed=True)
    kept = Graph.from_edges([5, 5, 7], [7, 6, 5], duplicates="keep", **huge)
    assert kept.num_edges == 3
    many = {"multiplicity": [2**31 - 1, 1]}
    with pytest.raises(InputError, match=r"multiplicities .* from vertex 0 to 1 add up to 2147483648"):
        Graph.from_edges([0, 0], [1, 1], **many)
    both = Graph.from_edges([0, 1], [1, 0], directed=True, **many)
    with pytest.raises(InputError, match="add up to 2147483648"):
        _ = both.undirected
    most = Graph.from_edges([0, 0], [1, 1], multiplicity=[2**31 - 2, 1])
    assert most.multiplicity.tolist() == [2**31 - 1] * 2


def test_arrays_that_start_at_a_multiple_of_128_bytes():
    for array in (np.arange(1000), np.arange(1000)[1:], np.ones((3, 5))[:, ::2], np.zeros(0)):
        made = aligned(array)
        assert np.array_equal(made, array)
        assert made.ctypes.data % 128 == 0 or not made.size
        assert aligned(made) is made
