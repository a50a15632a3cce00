"""The binary form, .clg."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from graph_files import arcs_of
from graphs import same

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary


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
