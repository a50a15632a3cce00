"""All formats: choosing one, files and places that cannot be read or written."""

import os
from functools import partial

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from cli_runs import ROOT
from graph_files import GRAPHS, put, raising, refused

import clgraph.formats.common
from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.formats import FORMATS, atomic_write, check_writable

UNKNOWN = r"no known format.*edges \(.txt.*clg \(.clg\)"


@pytest.mark.smoke
def test_files_that_others_read(tmp_path):
    graph = GRAPHS["plain"]
    write(graph, tmp_path / "a.mtx")
    matrix = sp.coo_array(scipy.io.mmread(tmp_path / "a.mtx", spmatrix=False))
    assert np.array_equal(matrix.toarray(), graph.to_scipy().toarray())
    write(graph, tmp_path / "a.graph")
    assert (tmp_path / "a.graph").read_text().splitlines()[0] == "4 4"
    write(graph, tmp_path / "x.v")
    for end, text in {
        "v": "0\n1\n2\n3\n",
        "e": "0 1\n0 2\n0 3\n1 2\n",
        "properties": "graph.x.directed = false\n",
    }.items():
        assert (tmp_path / f"x.{end}").read_text() == text


def test_documents_name_every_format():
    page = ROOT / "docs" / "files.md"
    lines = page.read_text().splitlines() if page.is_file() else []
    rows = [line for line in lines if line.startswith("| `")]
    for name, form in FORMATS.items():
        assert f'"{name}"' in str(read.__doc__)
        plain = [suffix for suffix in form.suffixes if suffix != "*.npz"]
        assert all(suffix in str(read.__doc__) for suffix in plain)
        if rows:
            (row,) = [line for line in rows if f"`{name}`" in line.split("|")[1]]
            assert all(suffix in row for suffix in plain)


@pytest.mark.parametrize("name", ["x.txt.gz", "x.mtx.gz", "x.graph.gz", "x.v.gz"])
def test_damaged_gzip(tmp_path, name):
    rng = np.random.default_rng(1)
    write(Graph.from_edges(*rng.integers(0, 3000, (2, 9000))).without_self_loops, tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    assert read(tmp_path / name).num_edges > 8000
    for data, place, said in (
        (whole[: len(whole) // 2], name, r"\.gz: the gzip data end too early"),
        (b"1 2\n", name, "not compressed by gzip"),
        (whole, "packed.txt", r"not named \.gz"),
    ):
        (tmp_path / place).write_bytes(data)
        with pytest.raises(InputError, match=said):
            read(tmp_path / place)


def test_unreadable_file(tmp_path, monkeypatch):
    refuse = raising(PermissionError(13, "Permission denied", str(tmp_path / "x.txt")))
    monkeypatch.setattr(clgraph.formats.common, "open", refuse, raising=False)
    refused(tmp_path / "x.txt", "1 2\n", "x.txt: cannot be read: Permission denied")


def test_files_that_are_not_there_or_not_files(tmp_path):
    (tmp_path / "dir.txt").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    for name in ("x.xyz", "x", "x.gz"):
        assert read(put(tmp_path / name, "1 2\n"), format="edges").num_edges == 1
    for name, how, said in (
        ("none.txt", {}, "none.txt: no such file"),
        ("dir.txt", {}, "dir.txt: a folder"),
        ("pipe.txt", {}, "not a regular file"),
        ("x.xyz", {}, UNKNOWN),
        ("x", {}, UNKNOWN),
        ("x.gz", {}, UNKNOWN),
        ("x", {"format": "gml"}, "unknown format 'gml'; the known ones are edges"),
        ("x", {"ids": "text"}, "use 'int', 'str' or 'name'"),
        ("x", {"duplicates": "no"}, "use 'merge' or 'keep'"),
    ):
        with pytest.raises(InputError, match=said):
            read(tmp_path / name, **how)


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    def opened(path):
        with atomic_write(path):
            pass

    put(tmp_path / "file", "x")
    (tmp_path / "dir.txt").mkdir()
    for use in (check_writable, opened, partial(write, GRAPHS["plain"])):
        for name, said in (
            ("none/a.txt", r"cannot write .*a\.txt"),
            ("file/a.txt", r"cannot write .*a\.txt"),
            ("dir.txt", "folder"),
        ):
            with pytest.raises(InputError, match=said):
                use(tmp_path / name)
    with pytest.raises(InputError, match="no known format"):
        check_writable(tmp_path / "a.xyz")
    monkeypatch.setattr(os, "access", lambda *args: False)
    with pytest.raises(InputError, match="no permission"):
        check_writable(tmp_path / "a.txt")
