"""Formats of binary arrays: SciPy's and PyTorch Geometric's .npz, GAPBS's .sg and .wsg, Graph500's pairs.

What each format keeps is in test_round_trips.py.
"""

import io
import struct
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from graph_files import GRAPHS, limited_memory, put, refused, seen, unreadable
from graphs import same

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary


def packed(compressed=True, **arrays):
    """The bytes of a .npz file."""
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **arrays)
    return file.getvalue()


def saved(matrix, compressed=True):
    """The bytes of a .npz file of SciPy's."""
    file = io.BytesIO()
    sp.save_npz(file, matrix, compressed=compressed)
    return file.getvalue()


# --- SciPy's matrices -------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_scipy_files(tmp_path):
    matrix = sp.csr_array(np.array([[0, 2.0, 0], [0, 0, 3.0], [0, 0, 0]]))
    sp.save_npz(tmp_path / "x.npz", matrix)
    assert not read(tmp_path / "x.npz").directed
    graph = read(tmp_path / "x.npz", directed=True, weights=True)
    assert graph.weights.tolist() == [2, 3] and graph._has_identity_ids
    write(graph, tmp_path / "y.npz")
    assert np.array_equal(sp.load_npz(tmp_path / "y.npz").toarray(), matrix.toarray())
    unreadable(tmp_path / "x.npz", "keep", duplicates="keep")
    refused(tmp_path / "x.npz", saved(sp.csr_array(np.ones((2, 3)))), "2 x 3")
    refused(tmp_path / "x.npz", saved(sp.csr_array([[np.nan]])), "not finite", weights=True)
    for other in ("nonsense", packed(a=np.arange(3))):
        refused(tmp_path / "x.npz", other, r"scipy.sparse.save_npz")
    with pytest.raises(InputError, match="ends with a NUL"):
        write(Graph.from_edges(["a\0", "a"], ["b", "b"]), tmp_path / "names.npz")
    assert {file.name for file in tmp_path.iterdir()} == {"x.npz", "y.npz"}


PATH = {
    "format": np.array(b"csr"),
    "shape": np.array([3, 3]),
    "data": np.ones(4),
    "indices": np.array([1, 0, 2, 1]),
    "indptr": np.array([0, 1, 3, 4]),
}


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"indices": np.array([1, 0, -5, 1])}, r"indices\[2\] is -5"),
        ({"indices": np.array([1, 0, 2**30, 1])}, r"indices\[2\] is 1073741824"),
        ({"indices": np.array([1, 0, 2**40, 1])}, r"indices\[2\] is 1099511627776"),
        ({"indices": np.array([1, 0, 2.5, 1])}, "indices is of type float64"),
        ({"indices": np.array([[1, 0, 2, 1]])}, "shape"),
        ({"indices": np.array([1, 0, 2])}, "4 entries in data, but 3 in indices"),
        ({"indices": np.array([1, 0, None, 1], object)}, "save_npz"),
        ({"indices": None}, "save_npz"),
        ({"indptr": np.array([0, 3, 1, 4])}, r"indptr\[2\] is 1 after 3"),
        ({"indptr": np.array([0, 4])}, "indptr has 2 entries"),
        ({"data": np.array([{}], object)}, "save_npz"),
        ({"data": np.array(["a"] * 4)}, "data of the matrix is of type <U1"),
        ({"format": None}, "save_npz"),
        ({"format": np.array(b"csx")}, "save_npz"),
        ({"format": np.array(7)}, "save_npz"),
        ({"format": np.array(b"csc"), "indices": np.array([1, 0, 2**30, 1])}, r"indices\[2\] is"),
        ({"format": np.array(b"bsr"), "data": np.ones((4, 2, 2))}, "blocks of 2 x 2 do not make up"),
        ({"format": np.array(b"coo"), "row": np.arange(4), "col": np.zeros(4, int)}, r"row\[3\] is 3"),
        (
            {"format": np.array(b"dia"), "data": np.ones((1, 3)), "offsets": np.array([2**50])},
            r"offsets\[0\]",
        ),
        ({"shape": np.array([3, 4])}, "3 x 4"),
        ({"shape": np.array([3, -3])}, "save_npz"),
        ({"shape": np.array([2**40, 2**40])}, "clgraph takes at most"),
        ({"shape": np.array([[3, 3]])}, "save_npz"),
        ({"clgraph_ids": np.array([5, 6, 5])}, "two vertices have the id 5"),
        ({"clgraph_ids": np.array(["a", "b", "a"])}, "two vertices have the id 'a'"),
        ({"clgraph_ids": np.array([5.0, np.nan, 7.0])}, "ids of type float64"),
        ({"clgraph_ids": np.array([[5, 6, 7]])}, r"ids has the shape \(1, 3\)"),
        ({"clgraph_ids": np.array(5)}, r"ids has the shape \(\)"),
        ({"clgraph_ids": np.array([5, 6])}, "2 ids for 3 vertices"),
        ({"clgraph_ids": np.array([5, -6, 7])}, "-6 .vertex 1. is negative"),
        ({"clgraph_ids": np.array([5, "a", 7], object)}, "save_npz"),
        ({"clgraph_directed": np.array([True])}, "clgraph_directed"),
        ({"clgraph_directed": np.array(1)}, "clgraph_directed"),
    ],
)
def test_damaged_matrices(tmp_path, change, said, compressed):
    arrays = {name: array for name, array in {**PATH, **change}.items() if array is not None}
    for directed in (None, True):
        refused(tmp_path / "x.npz", packed(compressed, **arrays), said, directed=directed)


@pytest.mark.parametrize("compressed", [False, True])
def test_all_forms_of_matrices(tmp_path, compressed):
    dense = np.array([[0, 2, 0, 0], [2, 0, 3, 0], [0, 3, 0, 0], [0, 0, 0, 0]])
    path, wanted = tmp_path / "x.npz", Graph.from_edges([0, 1], [1, 2], weights=[2, 3], vertices=[3])
    for form in ("csr", "csc", "bsr", "coo", "dia"):
        matrix = getattr(sp, f"{form}_array")(dense)
        for dtype in (np.int8, np.float32, np.longdouble):
            same(read(put(path, saved(matrix.astype(dtype), compressed)), weights=True), wanted)
    put(path, packed(False, **{**PATH, "data": np.ones(4, order="F"), "format": np.array("csr")}))
    same(read(path), Graph.from_edges([0, 1], [1, 2]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"'shape': (4,)", b"'shape': (9" + b"9" * 10 + b",)"),
        (b"'shape': (4,)", b"'shape': (-4,)"),
        (b"'descr': '<f8'", b"'descr': '|O8'"),
        (b"'descr': '<f8'", b"'descr': (('"),
    ],
)
def test_members_that_promise_more_than_the_file_holds(tmp_path, old, new):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in PATH.items():
            member = io.BytesIO()
            np.save(member, array)
            text = member.getvalue()
            if name == "data":  # the header is padded with spaces
                at = text.index(b"}") + 1
                head = text[:at].replace(old, new)
                text = head + text[len(head) :]
            archive.writestr(f"{name}.npy", text)
    refused(tmp_path / "x.npz", file.getvalue(), "save_npz")


def test_changed_bits(tmp_path):
    rng, path, whole = np.random.default_rng(1), tmp_path / "x.npz", packed(False, **PATH)
    for _ in range(300):
        data = bytearray(whole)
        data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        try:
            assert read(path).num_vertices == 3
        except InputError as error:
            assert str(error).startswith(str(path))


@pytest.mark.parametrize("form", ["csr", "coo", "edge_index"])
def test_a_bomb(tmp_path, form):
    """A quarter of a megabyte of zeros: nothing is unpacked before it is known to how much."""
    zeros, path = np.zeros(1 << 24, np.int64), tmp_path / "x.npz"
    shape = {"format": np.array(b"coo"), "shape": np.array([3, 3])}
    arrays = {
        "csr": {**PATH, "data": zeros, "indices": zeros},
        "coo": {**shape, "data": zeros, "row": zeros, "col": zeros},
        "edge_index": {"edge_index": zeros.reshape(2, -1)},
    }
    data = packed(**arrays[form])
    with limited_memory(100 << 20):
        refused(path, data, r"a file of .* max_ratio=")
    one = np.zeros(1 << 12, np.int64).reshape(2, -1)
    data = packed(edge_index=one)  # as much in so small a file is no matter
    assert read(put(path, data)).num_vertices == 1 and len(data) * 50 < one.nbytes


def test_values_that_are_left_out_are_said(tmp_path):
    path = put(tmp_path / "x.npz", saved(sp.csr_array(np.array([[0, 2.0], [2.0, 0]]))))
    assert "skipped: values of entries" in read_with_summary(path)[1]
    assert "values" not in read_with_summary(path, weights=True)[1]
    put(path, saved(sp.csr_array(np.array([[0, 1], [1, 0]]))))
    assert "values" not in read_with_summary(path)[1]


# --- edge_index of PyTorch Geometric ----------------------------------------------------------------------

INDEX = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])


@pytest.mark.smoke
@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.uint64])
def test_unsigned_integers(tmp_path, dtype):
    for index in (INDEX, INDEX[:, :0]):
        signed = read(put(tmp_path / "x.npz", packed(edge_index=index)))
        same(read(put(tmp_path / "x.npz", packed(False, edge_index=index.astype(dtype)))), signed)


def test_edge_index(tmp_path):
    more = {"num_nodes": 5, "edge_weight": np.float32([1, 1, 3, 3]), "x": np.ones((5, 2))}
    path = put(tmp_path / "x.npz", packed(False, edge_index=INDEX, **more))
    graph, said = read_with_summary(path)
    assert seen(graph) == "undirected 0 1 2 3 4: 0-1 1-0 1-2 2-1" and graph.multiplicity is None
    assert "(4 arcs; skipped: edge_weight, x)" in said
    assert read(path, weights=True).weights.tolist() == [1, 1, 3, 3]
    put(path, packed(edge_index=INDEX.astype(np.int32)[:, :3]))
    assert seen(read(path, directed=True)) == "directed 0 1 2: 0-1 1-0 1-2"


def test_the_arrays_of_an_edge_index(tmp_path):
    for graph in GRAPHS.values():
        write(graph, tmp_path / "x.npz", format="edge_index")
        with np.load(tmp_path / "x.npz") as arrays:
            index = arrays["edge_index"]
        assert index.shape == (2, graph.num_arcs) and index.dtype == np.int64


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"edge_index": INDEX[0]}, r"edge_index has the shape \(4,\)"),
        ({"edge_index": INDEX.T}, r"edge_index has the shape \(4, 2\)"),
        ({"edge_index": INDEX * 0.5}, "type float64"),
        ({"edge_index": INDEX - 1}, "edge_index holds -1"),
        ({"edge_index": INDEX + 2**31}, "at most"),
        ({"edge_index": INDEX, "num_nodes": np.array(10**9)}, "max_vertices="),
        ({"edge_index": INDEX, "num_nodes": np.array(2)}, "num_nodes should be one whole number, 3 or more"),
        ({"edge_index": INDEX, "num_nodes": np.array(9.5)}, "num_nodes should"),
        ({"edge_index": INDEX, "num_nodes": INDEX}, "num_nodes should"),
        ({"edge_index": INDEX}, "has no edge_weight"),
        ({"edge_index": INDEX, "edge_weight": np.ones(3)}, "edge_weight, of the shape"),
        ({"edge_index": INDEX, "edge_weight": np.full(4, np.nan)}, "finite"),
        ({"edge_index": INDEX, "edge_weight": np.array(list("abcd"))}, "edge_weight, of the shape"),
    ],
)
def test_a_damaged_edge_index(tmp_path, arrays, said):
    refused(tmp_path / "x.npz", packed(False, **arrays), said, weights=True)


# --- GAPBS's serialised graphs ----------------------------------------------------------------------------


def serialised(directed, n, *halves, arcs=None):
    count = len(halves[0][1]) if arcs is None else arcs
    text = struct.pack("<BQQ", directed, count % 2**64, n % 2**64)
    for offsets, heads in halves:
        text += struct.pack(f"<{len(offsets)}q{len(heads)}i", *offsets, *heads)
    return text


EDGES = serialised(0, 3, ([0, 1, 3, 4], [1, 0, 2, 1]))  # 0 - 1 - 2
ARCS = serialised(1, 3, ([0, 2, 2, 3], [1, 2, 0]), ([0, 1, 2, 3], [2, 0, 0]))  # 0 -> 1, 0 -> 2, 2 -> 0
WEIGHTED = struct.pack("<BQQ3q4i", 0, 2, 2, 0, 1, 2, 1, -7, 0, -7)


@pytest.mark.smoke
def test_serialised_graphs_as_gapbs_writes_them(tmp_path):
    unordered = serialised(0, 3, ([0, 1, 3, 4], [1, 2, 0, 1]))
    for data, directed, wanted in (
        (EDGES, None, "undirected 0 1 2: 0-1 1-0 1-2 2-1"),
        (EDGES, True, "directed 0 1 2: 0-1 1-0 1-2 2-1"),
        (unordered, None, "undirected 0 1 2: 0-1 1-0 1-2 2-1"),
        (ARCS, None, "directed 0 1 2: 0-1 0-2 2-0"),
        (ARCS, False, "undirected 0 1 2: 0-1 0-2 1-0 2-0, times [1, 2, 1, 2]"),
    ):
        assert seen(read(put(tmp_path / "a.sg", data), directed=directed)) == wanted
    graph, said = read_with_summary(put(tmp_path / "c.wsg", WEIGHTED))
    assert graph.weights is None and "skipped: edge weights" in said
    assert read(tmp_path / "c.wsg", weights=True).weights.tolist() == [-7, -7]
    for name, data in (("a.sg", EDGES), ("a.sg", ARCS), ("a.wsg", WEIGHTED)):
        write(read(put(tmp_path / name, data), weights=name == "a.wsg"), tmp_path / name)
        assert (tmp_path / name).read_bytes() == data


def test_parallel_edges(tmp_path):
    graph = Graph.from_edges([0, 0, 1, 1], [1, 1, 1, 1], duplicates="keep")
    write(graph, tmp_path / "x.sg")
    same(graph, read(tmp_path / "x.sg", duplicates="keep"))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (EDGES[:10], "10 bytes, too short for the header of 17"),
        (EDGES[:-1], "3 vertices and 4 arcs has 65 bytes, this one has 64"),
        (EDGES + b"\0", "this one has 66"),
        (WEIGHTED, "say if it is a .wsg file"),
        (b"\2" + EDGES[1:], "first byte is 2"),
        (serialised(0, -1, ([], [])), "announces -1 vertices and"),
        (serialised(0, 3, ([0] * 4, []), arcs=-1), "announces 3 vertices and -1 arcs"),
        (serialised(0, 2**31, ([], [])), "clgraph takes at most"),
        (serialised(0, 10**9, ([], [])), "max_vertices="),
        (serialised(0, 3, ([0] * 4, []), arcs=2**62), "has .* bytes, this one has"),
        (serialised(0, 3, ([0, 2**62, -(2**63), 4], [1, 0, 2, 1])), "offsets of vertex 1"),
        (serialised(0, 3, ([1, 1, 3, 4], [1, 0, 2, 1])), "offsets of vertex 0"),
        (serialised(0, 3, ([0, 1, 3, 3], [1, 0, 2, 1])), "offsets end with 3, but there are 4"),
        (serialised(0, 3, ([0, 1, 3, 4], [1, 0, 3, 1])), "entry 2 is vertex 3"),
        (serialised(0, 3, ([0, 1, 3, 4], [1, 0, -1, 1])), "entry 2 is vertex -1"),
        (serialised(0, 3, ([0, 1, 3, 4], [1, 0, 0, 1])), "no twin of the same weight: 1 -> 0"),
        (serialised(0, 3, ([0, 1, 2, 3], [1, 0, 1])), "no twin of the same weight: 2 -> 1"),
        (serialised(1, 3, ([0, 2, 2, 3], [1, 2, 0]), ([0, 1, 2, 3], [2, 0, 1])), "are not those that enter"),
    ],
)
def test_a_damaged_serialised_graph(tmp_path, data, said):
    refused(tmp_path / "x.sg", data, said)


def test_weights_that_do_not_fit(tmp_path):
    other = struct.pack("<BQQ3q4i", 0, 2, 2, 0, 1, 2, 1, -7, 0, 7)
    refused(tmp_path / "x.wsg", other, "no twin of the same weight: 0 -> 1")
    with pytest.raises(InputError, match="is not a whole number from -2147483648 to below 2147483648"):
        write(Graph.from_edges([0], [1], weights=[2.0**31]), tmp_path / "y.wsg")


# --- Graph500's pairs -------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_pairs(tmp_path):
    pairs = np.array([[5, 7], [2**62, 5], [7, 5], [7, 7]], "<i8").tobytes()
    graph = read(put(tmp_path / "x.g500", pairs))
    assert not graph.directed and graph.num_edges == 3 and graph.num_duplicates == 1
    assert graph.ids.tolist() == [5, 7, 2**62]
    same(graph, read(put(tmp_path / "edges.bin", pairs), format="graph500"))
    assert seen(read(tmp_path / "x.g500", directed=True)).startswith(f"directed 5 7 {2**62}: 5-7")
