"""Edge lists, and columns of results, written from a device: the bytes of the host's writers."""

import errno
import gzip
import io
import os
import threading
from dataclasses import replace

import numpy as np
import pytest
from graph_files import GRAPHS, raising
from graphs import random_graph, tangle

import clgraph.files.dispatch
import clgraph.files.write_edges
from clgraph import Graph, InputError, powerlaw_graph
from clgraph.csr.upload import SelectedIds, device_graph
from clgraph.files import columns, write
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


# --- columns of results as the rows of a text: the bytes of Python -----------------------------------------


def floats(rng, count):
    """Floats below 1000, of all exponents, and those around the least that has none."""
    bits = rng.integers(0, 0x447A0000, count).astype(np.uint32)
    bits[:200] = np.arange(0x38D1B717 - 100, 0x38D1B717 + 100)
    bits[200:400] = rng.integers(0, 1000, 200).astype(np.float32).view(np.uint32)
    bits[400:660] = (2.0 ** np.arange(-150, 110, 1)).clip(0, 999).astype(np.float32).view(np.uint32)
    made = bits.view(np.float32)
    made[::3] *= -1
    return made


@pytest.mark.parametrize("which", range(4))
def test_kernels_spell_as_python_does(device, tmp_path, which):
    rng = np.random.default_rng(which)
    count = 3000
    whole = rng.integers(-(2**63), 2**63 - 1, count) >> rng.integers(0, 64, count)
    whole[:6] = 0, -1, -(2**63), 2**63 - 1, 9, 10
    small = rng.integers(-3, 2**31 - 1, count).astype(np.int32)
    small[:2] = -(2**31), 2**31 - 1
    doubles = 10.0 ** rng.uniform(-320, 3, count) * rng.choice([-1, 1], count)
    doubles[:5] = 0.0, -0.0, 1.0, 1e-4, 9.999e-5
    given = [(whole, small), (small, floats(rng, count)), (whole, whole, doubles), (doubles, small, whole)]
    wanted = io.BytesIO()
    columns.write_columns(wanted, *given[which])
    third = "\t".join(str(column[2]) for column in given[which])
    assert wanted.getvalue().splitlines()[2] == third.encode()
    small = columns.LaunchConfig(run=7, chunk=900, rooms=2)
    for shape in (small, columns.LAUNCH.of(device)) if which == 2 else (small,):
        spelling = columns.Spelling(device, given[which], shape)
        with open(tmp_path / "a.tsv", "wb") as file, device.alone():
            spelling.write(file)
        assert (tmp_path / "a.tsv").read_bytes() == wanted.getvalue()


def test_what_is_written_where(device, tmp_path, monkeypatch):
    made = []

    class Noted(columns.Spelling):
        def __init__(self, device, given):
            made.append(len(given[0]))
            super().__init__(device, given)

    monkeypatch.setattr(columns, "Spelling", Noted)
    monkeypatch.setattr(columns, "SMALL_ROWS", 50)
    for count, reals, there in (
        (49, np.full(49, 0.5), False),
        (50, np.full(50, 0.5), True),
        (50, np.full(50, 1000.0), False),
        (50, np.full(50, np.nan, np.float32), False),
        (50, np.array(["a", "é"] * 25, object), False),
    ):
        with open(tmp_path / "a.tsv", "wb") as file:
            columns.write_columns(file, np.arange(count), reals, device=device)
        rows = (tmp_path / "a.tsv").read_text(encoding="utf-8").splitlines()
        assert rows == [f"{k}\t{value!s}" for k, value in enumerate(reals)] and bool(made) == there
        made.clear()


def test_results_of_commands(device, tmp_path, monkeypatch, run):
    write(powerlaw_graph(300, seed=1), tmp_path / "a.txt")
    commands = [("bfs", "-s", "1"), ("components",), ("pagerank",), ("pagerank", "--dtype", "float64")]
    commands += [("ppr", "--source", "1", "--top", "0"), ("ppr", "--source", "1", "--source", "3")]
    for command in commands:
        texts = []
        for least in (10**9, 1):
            monkeypatch.setattr(columns, "SMALL_ROWS", least)
            words = command[0], tmp_path / "a.txt", *command[1:], "-o", tmp_path / "out.tsv"
            assert run(*words, "--device", device.spec).status == 0
            texts.append((tmp_path / "out.tsv").read_bytes())
        assert texts[0] == texts[1] and texts[0].count(b"\n") >= 20
