"""The binary form, .clg."""

import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from cli_runs import environment
from graph_files import GRAPHS, PAGE, arcs_of, as_version_1, patched, refused, unreadable, with_sums
from graphs import same, tangle

import clgraph.formats.clg as binary
from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.files.summary import read_with_summary
from clgraph.graph.checks import checked_arrays


def as_version(version, graph, path):
    """The bytes of a graph's file, which is written for it."""
    write(graph, path)
    return as_version_1(graph) if version == 1 else path.read_bytes()


def test_binary_is_aligned_and_read_only(tmp_path):
    graph = Graph.from_edges([1, 5, 1], [5, 9, 5], weights=[1, 2, 3], directed=True)
    write(graph, tmp_path / "x.clg")
    again = read(tmp_path / "x.clg", weights=True)
    same(graph, again)
    for array in (again.row_ptr, again.col_idx, again.weights, again.multiplicity):
        assert array.ctypes.data % 4096 == 0 and not array.flags.writeable
    plain, said = read_with_summary(tmp_path / "x.clg")
    assert plain.directed and plain.weights is None and "skipped: weights" in said
    assert not read(tmp_path / "x.clg", directed=False).directed
    kept = Graph.from_edges([1, 2], [2, 1], duplicates="keep")
    write(kept, tmp_path / "k.clg")
    same(kept, read(tmp_path / "k.clg", duplicates="keep"))
    same(Graph.from_edges([1, 2], [2, 1]), read(tmp_path / "k.clg"))
    turned = read(tmp_path / "k.clg", directed=True)
    assert turned.directed and arcs_of(turned) == [(1, 2), (2, 1)]
    unreadable(tmp_path / "k.clg", "ids are numbers", ids="str")
    unreadable(tmp_path / "k.clg", "holds no weights", weights=True)


@pytest.mark.parametrize("verify", [None, True, False])
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("name", GRAPHS)
def test_both_versions_are_read(tmp_path, name, version, verify):
    graph, path = GRAPHS[name], tmp_path / "x.clg"
    if version == 1 and name == "weights of no edges":
        pytest.skip("version 1 does not hold them")
    path.write_bytes(as_version(version, graph, path))
    again = read(path, weights=graph.is_weighted, verify=verify)
    same(graph, again)
    assert again.num_self_loops == graph.num_self_loops


@pytest.mark.smoke
def test_the_layout_is_the_one_described(tmp_path):
    write(Graph.from_edges(["b", "b"], ["a", "b"], weights=[2, 3], directed=True), tmp_path / "x.clg")
    whole = (tmp_path / "x.clg").read_bytes()
    assert struct.unpack_from("<8sIIQQQQ", whole) == (b"\x93CLG\r\n\x1a\n", 2, 1, 2, 2, 1, len(whole))
    table = [struct.unpack_from("<QQ8s", whole, at) for at in (*range(48, 192, 24), 216, 240)]
    nothing = (0, 0, bytes(8))
    assert table == [
        (4096, 12, b"<i4".ljust(8, b"\0")),
        (8192, 8, b"<i4".ljust(8, b"\0")),
        (12288, 16, b"<f8".ljust(8, b"\0")),
        nothing,
        (16384, 24, b"<i8".ljust(8, b"\0")),
        (20480, 2, b"|u1".ljust(8, b"\0")),
        nothing,
        (24576, 4, b"<u4".ljust(8, b"\0")),
    ]
    assert struct.unpack_from("<QQQ", whole, 192) == (0, 2, 2)
    assert struct.unpack_from("<I", whole, 4092) == (zlib.crc32(whole[:4092]),)
    assert struct.unpack_from("<I", whole, 24576) == (zlib.crc32(whole[4096:24576]),)


def test_a_checksum_for_each_block(tmp_path, monkeypatch):
    monkeypatch.setattr(binary, "BLOCK", 8192)
    graph = tangle(4, n=3000, edges=9000, weights=np.ones(9000))
    write(graph, tmp_path / "x.clg")
    whole = (tmp_path / "x.clg").read_bytes()
    at, nbytes = struct.unpack_from("<QQ", whole, 240)
    assert nbytes == 4 * -(-(at - 4096) // 8192) > 40
    sums = [zlib.crc32(whole[start : min(start + 8192, at)]) for start in range(4096, at, 8192)]
    assert list(struct.unpack_from(f"<{len(sums)}I", whole, at)) == sums
    same(graph, read(tmp_path / "x.clg", weights=True))
    flipped = bytearray(whole)
    flipped[4096 + 3 * 8192 + 5] ^= 1
    refused(tmp_path / "x.clg", bytes(flipped), "bytes 28672 to 36863 do not match their checksum")


def test_damaged_headers(tmp_path):
    path = tmp_path / "x.clg"
    write(Graph.from_edges([1, 5, 1], [5, 9, 6]), path)
    whole = path.read_bytes()
    for data in (whole, as_version_1(read(path))):
        refused(path, data[:-1], "cut off")
        refused(path, data + b"x", "cut off, or more")
        refused(path, data[:100], "not a .clg file")
        refused(path, b"1 2\n" * 2000, "not a .clg file")
        for offset, form, value, said in (
            (8, "<I", 3, "version 3"),
            (12, "<I", 2, "flags are 2"),
            (16, "<Q", 9, "row_ptr is damaged|a shard"),
            (16, "<Q", 2**64 - 1, "at most"),
            (24, "<Q", 9, "col_idx is damaged"),
            (24, "<Q", 10**18, "col_idx is damaged"),
            (32, "<Q", 9 * 10**18, "9000000000000000000 self-loops"),
            (32, "<Q", 1, "1 self-loops among 6 arcs"),
            (32, "<Q", 2, "0 self-loops, but its header says 2"),
            (40, "<Q", 10**18, "cut off"),
            (48, "<Q", 4097, "row_ptr is damaged"),
            (48, "<Q", 0, "row_ptr is damaged"),
            (48, "<Q", 2**64 - 4096, "row_ptr is damaged"),
            (48, "<QQ8s", (0, 0, b""), "row_ptr or col_idx is missing"),
            (56, "<Q", 2**63, "row_ptr is damaged"),
            (64, "<8s", b"<f4", "row_ptr is damaged"),
            (64, "<8s", b"|O", "row_ptr is damaged"),
            (72, "<QQ8s", (0, 0, b""), "row_ptr or col_idx is missing"),
        ):
            values = value if isinstance(value, tuple) else (value,)
            refused(path, patched(data, offset, form, *values), said)
    for offset, value in ((192, 1), (200, 1), (208, 9), (216, 4096)):
        refused(path, patched(whole, offset, "<Q", value), "a shard, rows")
    refused(path, patched(whole, 240, "<QQ8s", 0, 0, b""), "crc is missing")
    refused(path, patched(whole, 240, "<Q", 4096), "crc is missing|crc is damaged")
    refused(path, patched(whole, 248, "<Q", 8), "crc is damaged")
    damaged = bytearray(whole)
    damaged[3000] = 1
    refused(path, bytes(damaged), "header does not match its checksum", verify=False)
    with pytest.raises(InputError, match="not compressed with gzip"):
        write(Graph.from_edges([1], [2]), tmp_path / "x.clg.gz")


@pytest.mark.parametrize("verify", [None, True, False])
@pytest.mark.parametrize("version", [1, 2])
def test_what_would_send_kernels_out_of_bounds_is_always_refused(tmp_path, version, verify):
    path = tmp_path / "x.clg"
    graph = Graph.from_edges(["a", "b", "a"], ["b", "c", "d"])
    whole = as_version(version, graph, path)
    for offset, value, said in (
        (4096, 1, r"row_ptr\[0\] is 1"),
        (4100, 9, r"row_ptr\[2\] is 4 after 9"),
        (4112, 5, r"row_ptr\[4\] is 5"),
        (8192, -1, r"col_idx\[0\] is -1"),
        (8192, 2**30, r"col_idx\[0\] is 1073741824"),
        (8196, 4, r"col_idx\[1\] is 4"),
        (12288, -4, r"ids\[0\] is"),
        (12296, 4, r"ids\[2\] is 2 after 4|ids\[1\]"),
        (16384, 0xFFFF, "not UTF-8"),
    ):
        data = patched(whole, offset, "<i", value)
        refused(path, with_sums(data) if version == 2 else data, said, verify=verify)


@pytest.mark.parametrize("version", [1, 2])
def test_what_a_graph_promises_is_refused_on_request(tmp_path, version):
    path = tmp_path / "x.clg"
    graph = Graph.from_edges([1, 5, 1, 1], [5, 9, 9, 5], weights=[1, 2, 3, 4])
    whole = as_version(version, graph, path)
    weights, counts, ids = 12288, 16384, 20480
    for offset, form, values, said in (
        (8192, "<ii", (2, 1), r"row 0 is not in ascending order"),
        (8192, "<ii", (0, 2), "none"),
        (weights, "<d", (np.nan,), "weight 0 .* not finite"),
        (weights, "<d", (7.0,), "arc 0 -> 1 has weight 7.0"),
        (counts, "<i", (0,), "multiplicity 0"),
        (counts, "<i", (-7,), "multiplicity -7"),
        (counts, "<i", (9,), "arc 0 -> 1 has multiplicity 9"),
        (ids, "<q", (5,), "two vertices have the id 5"),
        (ids, "<q", (-5,), "-5"),
    ):
        data = patched(whole, offset, form, *values)
        data = with_sums(data) if version == 2 else data
        refused(path, data, said)
        refused(path, data, said, verify=True, weights=True)
        read(path, verify=False)


def test_large_files_are_checked_in_full_on_request(tmp_path, monkeypatch):
    path = tmp_path / "x.clg"
    write(Graph.from_edges([1, 5], [5, 9], weights=[1, 2]), path)
    whole = bytearray(path.read_bytes())
    whole[12289] ^= 1  # of a weight
    path.write_bytes(whole)
    monkeypatch.setattr(binary, "FULL_BELOW", len(whole) - 1)
    assert read(path, weights=True).weights is not None
    refused(path, bytes(whole), "do not match their checksum", verify=True)
    monkeypatch.setattr(binary, "FULL_BELOW", len(whole))
    refused(path, bytes(whole), "do not match their checksum")


def test_a_header_promises_no_memory(tmp_path):
    path = tmp_path / "x.clg"
    write(Graph.from_edges([0], [1]), path)
    whole = path.read_bytes()
    promising = patched(whole, 16, "<Q", 2**31 - 1)
    for data in (promising, patched(promising, 208, "<Q", 2**31 - 1)):
        refused(path, data, "a shard|row_ptr is damaged")


def check(graph):
    """Every invariant of a graph, by the checks of arrays from outside and by slow ones."""
    arrays = graph._arrays
    names = ("row_ptr", "col_idx", "weights", "multiplicity", "ids", "directed")
    checked_arrays(*(getattr(arrays, name) for name in names))
    rows = graph.tails
    assert graph.num_self_loops == np.count_nonzero(rows == graph.col_idx)
    key = rows.astype(np.int64) * max(graph.num_vertices, 1) + graph.col_idx
    assert np.all(np.diff(key) >= 0)
    if not graph.directed:
        arcs = arcs_of(graph)
        assert sorted((v, u) for u, v in arcs) == sorted(arcs)
    assert len(set(graph.ids.tolist())) == graph.num_vertices
    for values in (graph.weights, graph.multiplicity):
        assert values is None or np.all(np.isfinite(values))
    assert graph.multiplicity is None or graph.multiplicity.min() >= 1


@pytest.mark.parametrize("version", [1, 2])
def test_files_with_flipped_bytes(tmp_path, version):
    rng = np.random.default_rng(version)
    path = tmp_path / "x.clg"
    names = np.array([f"v{i}" for i in range(30)], object)
    originals = [
        tangle(5, n=30, edges=80, weights=rng.random(80)),
        tangle(6, n=30, edges=80, directed=True),
        tangle(7, n=30, edges=80, duplicates="keep").with_ids(names),
        tangle(8, n=30, edges=80).with_ids(np.arange(30) * 3),
    ]
    files = [as_version(version, graph, path) for graph in originals]
    accepted = 0
    for turn in range(2000):
        original = originals[turn % 4]
        data = bytearray(files[turn % 4])
        # half of the changes where something is, few of a file's bytes are not padding
        full = np.flatnonzero(np.frombuffer(data, np.uint8))
        at = int(rng.choice(full) if turn % 2 else rng.integers(len(data)))
        if turn % 3:
            data[at] ^= 1 << int(rng.integers(8))
        else:
            at -= at % 4
            word = (rng.choice([0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FF00000, 0x80000000]), rng.integers(2**32))
            struct.pack_into("<I", data, at, int(word[turn % 2]))
        if data == files[turn % 4]:
            continue
        path.write_bytes(data)
        try:
            graph = read(path, weights=original.weights is not None, duplicates="keep")
        except InputError as error:
            assert str(error).startswith(str(path))
            continue
        assert version == 1, f"turn {turn}: a change at byte {at} was not seen"
        accepted += 1
        check(graph)
        meant = {"flags": 12 <= at < 16, "values": at >= PAGE, "padding": 192 <= at < PAGE}
        assert any(meant.values()) or graph.num_vertices == original.num_vertices
        if meant["padding"]:
            same(original, graph)
    assert (accepted > 100) == (version == 1)  # version 1 cannot see a change of padding


def test_a_file_that_shrinks_under_its_reader(tmp_path):
    """It was mapped, and a kernel or NumPy then died of SIGBUS."""
    path = tmp_path / "x.clg"
    graph = tangle(9, n=20_000, edges=100_000)
    write(graph, path)
    code = (
        "import os, sys, clgraph\n"
        "graph = clgraph.read(sys.argv[1])\n"
        "os.truncate(sys.argv[1], 0)\n"
        "print(int(graph.col_idx.sum()), graph.num_edges, graph.largest_component().num_vertices)\n"
    )
    call = [sys.executable, "-c", code, path]
    done = subprocess.run(call, capture_output=True, text=True, env=environment(), timeout=60)
    assert done.returncode == 0, (done.returncode, done.stderr)
    wanted = (int(graph.col_idx.sum()), graph.num_edges, graph.largest_component().num_vertices)
    assert done.stdout.split() == list(map(str, wanted))


def test_a_file_that_shrinks_while_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "x.clg"
    write(tangle(9), path)
    unpack = binary.unpack_header

    def cut(*args, **options):
        os.truncate(path, 5000)
        return unpack(*args, **options)

    monkeypatch.setattr(binary, "unpack_header", cut)
    unreadable(path, "became shorter while it was read")


def test_names_that_are_no_text_are_not_written(tmp_path):
    with pytest.raises(InputError, match="is not valid Unicode"):
        write(Graph.from_edges(["\ud800"], ["a"]), tmp_path / "x.clg")
    assert not list(tmp_path.iterdir())
