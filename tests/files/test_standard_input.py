"""Graphs from standard input."""

import gzip
import os
import re
import tempfile
import threading
from collections.abc import Callable

import pytest
from graphs import same, tangle

from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary

Feed = Callable[[bytes], None]


@pytest.fixture
def feed(tmp_path, monkeypatch):
    """What gives some bytes to standard input, through a pipe."""
    kept, threads = os.dup(0), []
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def give(data):
        reader, writer = os.pipe()
        os.dup2(reader, 0)
        os.close(reader)

        def pour():
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(data)

        threads.append(threading.Thread(target=pour))
        threads[-1].start()

    yield give
    os.dup2(kept, 0)
    os.close(kept)
    for thread in threads:
        thread.join()
    assert not list(tmp_path.glob("clgraph-*"))


def test_formats(feed, tmp_path):
    graph = tangle(3, n=2000, edges=30_000)
    for name, form in (("g.txt", None), ("g.clg", "clg"), ("g.mtx", "mtx")):
        write(graph, tmp_path / name)
        feed((tmp_path / name).read_bytes())
        same(read("-", format=form, directed=False), read(tmp_path / name, directed=False))
    feed(b"7 8\n")
    assert read_with_summary("-")[1] == "read standard input: undirected, 2 vertices, 1 edge (1 row)"


def test_errors_name_it(feed):
    for data, said in (
        (b"1 2\n3 x\n", "standard input, line 2: 'x'"),
        (b"", "standard input: the file is empty"),
        (gzip.compress(b"1 2\n"), "standard input is compressed by gzip: unpack it (gzip -dc FILE | clgraph"),
    ):
        feed(data)
        with pytest.raises(InputError, match=f"^{re.escape(said)}"):
            read("-")


def test_no_room(feed, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    feed(b"1 2\n")
    monkeypatch.setattr("clgraph.files.dispatch.os.write", full)
    with pytest.raises(InputError, match=r"kept in .*: No space left on device; TMPDIR names"):
        read("-")


def test_a_file_of_that_name(tmp_path, monkeypatch):
    """It is read by its whole path."""
    monkeypatch.chdir(tmp_path)
    write(Graph.from_edges([1], [2]), tmp_path / "-", format="edges")
    assert read(tmp_path / "-", format="edges").num_edges == 1
