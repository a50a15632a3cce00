"""Files of scipy.sparse."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from graph_files import limited_memory, put
from graphs import same

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary


@pytest.mark.smoke
def test_scipy_files(tmp_path: Path) -> None:
    matrix = sp.csr_array(np.array([[0, 2.0, 0], [0, 0, 3.0], [0, 0, 0]]))
    sp.save_npz(tmp_path / "x.npz", matrix)
    assert not read(tmp_path / "x.npz").directed
    graph = read(tmp_path / "x.npz", directed=True, weights=True)
    assert graph.weights is not None and graph.weights.tolist() == [2, 3] and graph._has_identity_ids
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


PATH: dict[str, Any] = {
    "format": np.array(b"csr"),
    "shape": np.array([3, 3]),
    "data": np.ones(4),
    "indices": np.array([1, 0, 2, 1]),
    "indptr": np.array([0, 1, 3, 4]),
}


@pytest.mark.parametrize("packed", [False, True])
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
def test_damaged_matrices(tmp_path: Path, change: dict[str, Any], said: str, packed: bool) -> None:
    arrays = {name: array for name, array in {**PATH, **change}.items() if array is not None}
    path = tmp_path / "x.npz"
    (np.savez_compressed if packed else np.savez)(path, **arrays)
    for directed in (None, True):
        with pytest.raises(InputError, match=said) as caught:
            read(path, directed=directed)
        assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("packed", [False, True])
def test_all_forms_of_matrices(tmp_path: Path, packed: bool) -> None:
    dense = np.array([[0, 2, 0, 0], [2, 0, 3, 0], [0, 3, 0, 0], [0, 0, 0, 0]])
    path = tmp_path / "x.npz"
    for form in ("csr", "csc", "bsr", "coo", "dia"):
        matrix = getattr(sp, f"{form}_array")(dense)
        for dtype in (np.int8, np.float32, np.longdouble):
            sp.save_npz(path, matrix.astype(dtype), compressed=packed)
            same(read(path, weights=True), Graph.from_edges([0, 1], [1, 2], weights=[2, 3], vertices=[3]))
    np.savez(path, **{**PATH, "data": np.ones(4, order="F"), "format": np.array("csr")})
    same(read(path), Graph.from_edges([0, 1], [1, 2]))


def test_members_that_promise_more_than_the_file_holds(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, **PATH)
    whole = path.read_bytes()
    for old, new in (
        (b"'shape': (4,)", b"'shape': (9" + b"9" * 10 + b",)"),
        (b"'shape': (4,)", b"'shape': (-4,)"),
        (b"'descr': '<f8'", b"'descr': '|O8'"),
        (b"'descr': '<f8'", b"'descr': (('"),
    ):
        with zipfile.ZipFile(path, "w") as archive:
            for name, array in PATH.items():
                np.save(tmp_path / "one.npy", array)
                text = (tmp_path / "one.npy").read_bytes()
                if name == "data":  # the header is padded with spaces
                    at = text.index(b"}") + 1
                    head = text[:at].replace(old, new)
                    text = head + text[len(head) :]
                archive.writestr(f"{name}.npy", text)
        with pytest.raises(InputError, match="save_npz"):
            read(path)
    rng = np.random.default_rng(1)
    for _ in range(300):
        data = bytearray(whole)
        data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        path.write_bytes(data)
        try:
            assert read(path).num_vertices == 3
        except InputError as error:
            assert str(error).startswith(str(path))


def test_names_that_the_format_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ends with a NUL"):
        write(Graph.from_edges(["a\0", "a"], ["b", "b"]), tmp_path / "x.npz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", ["csr", "coo", "edge_index"])
def test_a_bomb(tmp_path: Path, form: str) -> None:
    """A quarter of a megabyte of zeros: nothing is unpacked before it is known to how much."""
    zeros, path = np.zeros(1 << 24, np.int64), tmp_path / "x.npz"
    arrays: dict[str, Any] = {
        "csr": {**PATH, "data": zeros, "indices": zeros},
        "coo": {
            "format": np.array(b"coo"),
            "shape": np.array([3, 3]),
            "data": zeros,
            "row": zeros,
            "col": zeros,
        },
        "edge_index": {"edge_index": zeros.reshape(2, -1)},
    }[form]
    np.savez_compressed(path, **arrays)
    with limited_memory(100 << 20), pytest.raises(InputError, match=r"x\.npz: a file of .* max_ratio="):
        read(path)
    one = np.zeros(1 << 12, np.int64).reshape(2, -1)
    np.savez_compressed(path, edge_index=one)  # as much in so small a file is no matter
    assert read(path).num_vertices == 1 and path.stat().st_size * 50 < one.nbytes


def test_values_that_are_left_out_are_said(tmp_path: Path) -> None:
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(np.array([[0, 2.0], [2.0, 0]])))
    assert "skipped: values of entries" in read_with_summary(tmp_path / "x.npz")[1]
    assert "values" not in read_with_summary(tmp_path / "x.npz", weights=True)[1]
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(np.array([[0, 1], [1, 0]])))
    assert "values" not in read_with_summary(tmp_path / "x.npz")[1]
