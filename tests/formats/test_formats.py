"""All formats: round trips, choosing one, files that cannot be read or written."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from graph_files import BANNER, GRAPHS, limited_memory, put
from graphs import same

import clgraph.formats.common
from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import write_with_summary
from clgraph.formats import FORMATS, atomic_write, check_writable

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
            assert read(path, **options).num_vertices == 0
            return
        graph = touched
    if kind in ("mtx", "metis"):
        numbers = np.arange(1, graph.num_vertices + 1)
        assert ("numbered 1" in said) == (graph.ids.tolist() != numbers.tolist())
        graph = graph.with_ids(numbers)
    if kind not in ("edges",):
        del options["directed"]  # these know it
    same(graph, read(path, **options))


@pytest.mark.smoke
def test_files_that_others_read(tmp_path: Path) -> None:
    graph = GRAPHS["plain"]
    write(graph, tmp_path / "a.mtx")
    matrix = sp.coo_array(scipy.io.mmread(tmp_path / "a.mtx", spmatrix=False))
    assert np.array_equal(matrix.toarray(), graph.to_scipy().toarray())
    write(graph, tmp_path / "a.graph")
    assert (tmp_path / "a.graph").read_text().splitlines()[0] == "4 4"
    write(graph, tmp_path / "x.v")
    assert (tmp_path / "x.v").read_text() == "0\n1\n2\n3\n"
    assert (tmp_path / "x.e").read_text() == "0 1\n0 2\n0 3\n1 2\n"
    assert (tmp_path / "x.properties").read_text() == "graph.x.directed = false\n"


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
    with pytest.raises(InputError, match="use 'int', 'str' or 'name'"):
        read(tmp_path / "x", ids="text")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="use 'merge' or 'keep'"):
        read(tmp_path / "x", duplicates="no")  # type: ignore[arg-type]


def test_documents_name_every_format() -> None:
    page = Path(__file__).parents[2] / "docs" / "files.md"
    rows = (
        [line for line in page.read_text().splitlines() if line.startswith("| `")] if page.is_file() else []
    )
    for name, form in FORMATS.items():
        assert f'"{name}"' in str(read.__doc__)
        plain = [suffix for suffix in form.suffixes if suffix != "*.npz"]
        assert all(suffix in str(read.__doc__) for suffix in plain)
        if rows:
            (row,) = [line for line in rows if f"`{name}`" in line.split("|")[1]]
            assert all(suffix in row for suffix in plain)


@pytest.mark.parametrize("name", ["x.txt.gz", "x.mtx.gz", "x.graph.gz", "x.v.gz"])
def test_damaged_gzip(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(1)
    write(Graph.from_edges(*rng.integers(0, 3000, (2, 9000))).without_self_loops, tmp_path / name)
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

    monkeypatch.setattr(clgraph.formats.common, "open", refuse, raising=False)
    with pytest.raises(InputError, match=r"x.txt: cannot be read: Permission denied"):
        read(put(tmp_path / "x.txt", "1 2\n"))


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


MANY = 2**31 - 1


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("x.mtx", f"{BANNER}pattern general\n{MANY} {MANY} 1\n1 1\n"),
        ("x.mtx", f"{BANNER}pattern general\n3 3 {10**12}\n1 1\n"),
        ("x.mtx", f"{BANNER}complex hermitian\n3 3 {10**9}\n1 1 1 1\n"),
        ("x.graph", f"{MANY} 1\n2\n1\n"),
        ("x.graph", f"2 {10**12}\n2\n1\n"),
        ("x.gr", f"p sp {MANY} 1\na 1 2 1\n"),
        ("x.gr", f"p sp 2 {10**12}\na 1 2 1\n"),
        ("out.x", f"% sym unweighted\n% 1 {MANY} {MANY}\n1 2\n"),
        ("out.x", f"% bip unweighted\n% 1 {10**9} {10**9}\n1 2\n"),
        ("x.jlg", f"{MANY},1,u,x\n1,2\n"),
        ("x.jlg", f"2,{10**12},u,x\n1,2\n"),
        ("x.net", f"*Vertices {MANY}\n*Edges\n1 2\n"),
        ("x.graph-txt", f"{MANY}\n1\n0\n"),
        ("x.sg", b"\0" + np.array([1, MANY], "<i8").tobytes()),
        ("x.wsg", b"\1" + np.array([2**60, 2], "<i8").tobytes()),
        ("x.g500", np.array([0, -(2**60)], "<i8").tobytes()),
    ],
)
def test_heads_are_believed_for_nothing_that_is_allocated(
    tmp_path: Path, name: str, head: str | bytes
) -> None:
    path = put(tmp_path / name, head)
    with limited_memory(100 << 20), pytest.raises(InputError, match=re.escape(str(path))):
        read(path, device="host")
