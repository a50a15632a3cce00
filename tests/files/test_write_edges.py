"""Edge lists written from a device: the bytes of the host's writer."""

import errno
import gzip
import os
import threading
from dataclasses import replace

import numpy as np
import pytest
from graph_files import GRAPHS, raising
from graphs import random_graph, tangle

import clgraph.files.dispatch
import clgraph.files.write_edges
from clgraph import Graph, InputError
from clgraph.csr.upload import SelectedIds, device_graph
from clgraph.files import write
from clgraph.files.summary import write_with_summary
from clgraph.files.write_edges import LaunchConfig, Spelling, write_edge_list

SMALL = LaunchConfig(run=3, chunk=300, rooms=2)


def spelt(graph, device, path, shape):
    spelling = Spelling.of(graph, device, path, shape)
    assert spelling is not None
    return spelling


def check(graph, device, folder, shape=SMALL):
    """Both suffixes, by both writers; compressed to other bytes."""
    for suffix in (".txt", ".csv", ".txt.gz", ".csv.gz"):
        one, other = folder / f"device{suffix}", folder / f"host{suffix}"
        write_edge_list(spelt(graph, device, one, shape), one)
        write(graph, other, device="host")
        unpacked = gzip.decompress if suffix.endswith(".gz") else bytes
        assert unpacked(one.read_bytes()) == unpacked(other.read_bytes())
        said = write_with_summary(graph, other, device="host")
        assert write_with_summary(graph, one, device=device) == said.replace("host", "device")


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.cross
def test_small_graphs(device, tmp_path, name):
    graph = GRAPHS[name]
    if graph.ids.dtype != object:
        check(graph, device, tmp_path)


@pytest.mark.parametrize("directed", [False, True])
def test_ids_of_all_lengths(device, tmp_path, directed):
    powers = [10**k - 1 for k in range(1, 19)] + [10**k for k in range(19)]
    rng = np.random.default_rng(2)
    for top in (7, 8, 15, 16, 19):
        ids = np.array([x for x in powers if x < 10**top] + ([2**63 - 1] if top == 19 else []))
        graph = Graph.from_edges(*rng.choice(ids, (2, 300)), directed=directed)
        check(graph, device, tmp_path)


def test_weights_are_those_of_python(device, tmp_path):
    """The shortest decimal: of whole numbers, powers and their neighbours, subnormal ones, any bits."""
    rng = np.random.default_rng(4)
    powers = np.concatenate((2.0 ** np.arange(-1074, 1024), 10.0 ** np.arange(-323, 309)))
    some = rng.integers(0, 2**64, 4000, dtype=np.uint64).view(np.float64)
    weights = np.concatenate(
        (
            [0.0, -0.0, 1e-4, 1e-5, 1.2345e-4, 1e16 - 2, 2.0**53 - 1, -1.5, 1e23, 4.35, 1 / 3, 9.5e-5],
            np.nextafter(powers, np.inf)[:-1],
            np.nextafter(powers, 0),
            -powers,
            some[np.isfinite(some)],
            rng.integers(1, 2**20, 200).view(np.float64),
            rng.integers(-(2**60), 2**60, 1000).astype(np.float64),
            rng.normal(0, 1e4, 2000).round(3),
        )
    )
    ends = np.arange(len(weights))
    graph, path = Graph.from_edges(ends, ends + 1, weights=weights, directed=True), tmp_path / "w.txt"
    write_edge_list(spelt(graph, device, path, LaunchConfig(run=64, chunk=200_000, rooms=3)), path)
    assert path.read_text() == "".join(f"{k}\t{k + 1}\t{w!r}\n" for k, w in enumerate(weights.tolist()))
    write(graph, tmp_path / "host.txt", device="host")
    assert (tmp_path / "host.txt").read_bytes() == path.read_bytes()


def test_larger_graphs(device, tmp_path):
    shuffled = np.random.default_rng(1).permutation(500) * 10**9
    for graph in (
        tangle(1, duplicates="keep"),
        tangle(2, directed=True),
        random_graph(3, 40_000, 150_000),
        random_graph(4, 500, 30_000, directed=True).with_ids(shuffled),
    ):
        check(graph, device, tmp_path, LaunchConfig(run=64, chunk=200_000, rooms=3))
        check(graph, device, tmp_path, None)


def test_ids_that_only_the_device_has(device, tmp_path):
    """As a graph that was read on a GPU has them."""
    graph, path = random_graph(5, 900, 5000), tmp_path / "a.txt"
    ids = np.sort(np.random.default_rng(5).choice(2**31 - 1, 900, replace=False)).astype(np.int32)
    parts = replace(device_graph(device, graph), ids=SelectedIds(None, device.upload(ids), 900))
    spelling = Spelling(graph, parts, device, path, SMALL)
    write_edge_list(spelling, path)
    write(graph.with_ids(ids), tmp_path / "b.txt", device="host")
    assert path.read_bytes() == (tmp_path / "b.txt").read_bytes()


def test_ids_that_are_text_are_written_by_the_host(device, tmp_path):
    path = tmp_path / "a.txt"
    assert Spelling.of(GRAPHS["strings"], device, path) is None
    write(GRAPHS["strings"], path, device=device)
    written = path.read_bytes()
    write(GRAPHS["strings"], path, device="host")
    assert written == path.read_bytes()


def test_a_full_disk_leaves_the_old_file(device, tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    path.write_text("old")
    calls = []

    def full(*_):
        calls.append(threading.current_thread().name)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(clgraph.files.write_edges, "_write", full)
    with pytest.raises(InputError, match="No space left on device"):
        write_edge_list(spelt(tangle(1), device, path, SMALL), path)
    assert path.read_text() == "old" and [each.name for each in tmp_path.iterdir()] == ["a.txt"]
    assert set(calls) == {"clgraph-write_0"}
    assert not [each for each in threading.enumerate() if each.name.startswith("clgraph-write")]


def test_a_device_without_room(device):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with pytest.raises(InputError, match="cannot write /dev/full: No space left on device"):
        write(tangle(1), "/dev/full", format="edges", device=device)


def test_an_interrupt_leaves_the_old_file(device, tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    with pytest.raises(KeyboardInterrupt):
        write_edge_list(spelt(tangle(1), device, path, SMALL), path, progress=raising(KeyboardInterrupt()))
    assert list(tmp_path.iterdir()) == []


def test_small_graphs_are_written_on_the_host(tmp_path, monkeypatch):
    monkeypatch.setattr(clgraph.files.dispatch, "device_or_host", lambda device: {"host": None}[device])
    write(GRAPHS["plain"], tmp_path / "a.txt")
