"""Where files are read and written, by size and by what is asked for; standard input; what is said."""

import gzip
import os
import random
import re
import tempfile
import threading

import pytest
from graph_files import BANNER, put, raising
from graphs import same, tangle

import clgraph.files.dispatch
import clgraph.files.edge_list
from clgraph import BuildError, CapacityError, DeviceError, Graph, InputError
from clgraph.files import read, write
from clgraph.files.dispatch import HOST
from clgraph.files.read_ahead import Compressed, Plain
from clgraph.files.summary import read_with_summary


@pytest.fixture
def everything_is_large(monkeypatch):
    monkeypatch.setattr(clgraph.files.dispatch, "SMALL", 0)
    monkeypatch.setattr(clgraph.files.dispatch, "SMALL_ARCS", 0)


def test_the_cpu_reads_what_is_large(tmp_path, everything_is_large):
    path = put(tmp_path / "g.txt", "1 2\n")
    try:
        where = clgraph.get_device("cpu")
    except DeviceError:
        pytest.skip("no CPU device")
    assert read_with_summary(path)[1].endswith(f"(1 row; read on {where})")
    assert read_with_summary(path, device=HOST)[1].endswith("(1 row)")
    assert read_with_summary(path, ids="str")[1].endswith("(1 row)")


def test_without_a_driver_the_host_reads_and_writes(tmp_path, everything_is_large, monkeypatch):
    none = raising(DeviceError("no OpenCL driver was found"))
    monkeypatch.setattr(clgraph.device, "get_device", none)
    path = put(tmp_path / "g.txt", "1\t2\n")
    graph, said = read_with_summary(path)
    assert said.endswith("(1 row)")
    write(graph, tmp_path / "h.txt")
    assert (tmp_path / "h.txt").read_bytes() == b"1\t2\n"


@pytest.mark.parametrize("fault", [BuildError("0:0: it does not build\nlog"), CapacityError("no room")])
def test_faults_of_a_device(device, tmp_path, everything_is_large, monkeypatch, fault):
    path = put(tmp_path / "g.txt", "1 2\n")
    monkeypatch.setattr(clgraph.files.edge_list, "read_edges", raising(fault))
    monkeypatch.setattr(clgraph.files.dispatch, "device_or_host", lambda _: device)
    graph, said = read_with_summary(path)
    assert isinstance(graph, Graph)
    if isinstance(fault, CapacityError):
        assert said.endswith(f"(1 row; read on the host: no room on {device})")
        assert read(path, device=device).num_edges == 1
    else:
        assert said.endswith("(1 row; read on the host: 0:0: it does not build)")
        with pytest.raises(BuildError):
            read(path, device=device)


# --- what is said -------------------------------------------------------------------------------------------


def test_summary_says_what_was_merged_and_skipped(tmp_path):
    path = put(tmp_path / "x.csv", "source,target\n1,2\n2,1\n1,2\n3,3\n")
    graph, said = read_with_summary(path)
    notes = "4 rows; 2 merged as parallel; 1 self-loop; skipped: header 'source,target'"
    assert said == f"read x.csv: undirected, 3 vertices, 2 edges ({notes})"
    assert graph.num_duplicates == 2
    bare = read_with_summary(path, directed=True)[1]
    assert bare.startswith("read x.csv: directed, 3 vertices, 3 edges (4 rows; 1 merged")
    kept = read_with_summary(path, duplicates="keep")[1]
    assert "4 edges (4 rows; 2 parallel copies kept; 1 self-loop" in kept
    single = put(tmp_path / "one.txt", "5 7\n")
    assert read_with_summary(single)[1] == "read one.txt: undirected, 2 vertices, 1 edge (1 row)"
    mtx = put(tmp_path / "x.mtx", BANNER + "pattern symmetric\n2 2 1\n2 1\n")
    assert "undirected" in read_with_summary(mtx)[1]


def test_summary_of_the_issue(data_path):
    said = read_with_summary(data_path("internet.txt"))[1]
    notes = "48436 rows; weights not read (use --weights)"
    assert said == f"read internet.txt: undirected, 22963 vertices, 48436 edges ({notes})"
    said = read_with_summary(data_path("Email-Enron.txt"), device="host")[1]
    assert said.endswith("183831 edges (367662 rows; 183831 merged as parallel)")
    said = read_with_summary(data_path("Email-Enron.txt"))[1]
    assert "183831 edges (367662 rows; 183831 merged as parallel" in said


# --- standard input -----------------------------------------------------------------------------------------


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
    feed(b"1 2\n")
    full = raising(OSError(28, "No space left on device"))
    monkeypatch.setattr("clgraph.files.dispatch.os.write", full)
    with pytest.raises(InputError, match=r"kept in .*: No space left on device; TMPDIR names"):
        read("-")


def test_a_file_of_that_name(tmp_path, monkeypatch):
    """It is read by its whole path."""
    monkeypatch.chdir(tmp_path)
    write(Graph.from_edges([1], [2]), tmp_path / "-", format="edges")
    assert read(tmp_path / "-", format="edges").num_edges == 1


# --- the bytes of plain and of compressed files, as pieces take them ----------------------------------------


def all_of(source, piece):
    """What a source gives, piece by piece."""
    found, offset = bytearray(), 0
    while True:
        view = bytearray(piece)
        got = sum(
            source.fill(memoryview(view)[begin:end], offset + begin) for begin, end in source.parts(piece)
        )
        found += view[:got]
        offset += piece
        if got < piece:
            source.close()
            return bytes(found)


@pytest.mark.parametrize("piece", [1000, 99_999, 100_000, 200_000])
def test_all_bytes(tmp_path, piece):
    data = random.Random(1).randbytes(100_000)
    (tmp_path / "a").write_bytes(data)
    (tmp_path / "a.gz").write_bytes(gzip.compress(data))
    assert all_of(Plain(tmp_path / "a"), piece) == data
    packed = Compressed(tmp_path / "a.gz", 1e9)
    assert all_of(packed, piece) == data
    assert packed.consumed(0) == packed.size and abs(packed.total() - len(data)) < 100
