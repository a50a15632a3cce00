"""Compressed files: read as Python's and zstd's own readers read them, and written for these."""

import gzip
import io
import random
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest
from graph_files import raising, refused, unreadable

import clgraph.formats.packed
from clgraph import Graph, InputError
from clgraph.files import read, write
from clgraph.formats.common import open_binary, reading
from clgraph.formats.packed import BATCH, BLOCK, BLOCK_MOST, END, Unpacked, compressed, unpacker

TEXT = b"".join(b"%d\t%d\n" % (k, k * k) for k in range(9000))


@pytest.fixture(params=["isal", "zlib"])
def library(request, monkeypatch):
    if request.param == "isal":
        pytest.importorskip("isal")
        assert unpacker()[0] == "isal"
    else:
        monkeypatch.setattr(clgraph.formats.packed, "unpacker", lambda: ("zlib", zlib))


@pytest.fixture
def zstd():
    try:
        return clgraph.formats.packed.zstd_library()
    except InputError as error:
        pytest.skip(str(error))


def all_of(path, data, piece=1000):
    """What a file of these bytes unpacks to, so many bytes at a time."""
    path.write_bytes(data)
    found, view = bytearray(), bytearray(piece)
    with Unpacked(path, 1e9) as file:
        while count := file.readinto(view):
            found += view[:count]
        assert file.taken == len(data) == file.size and file.given == len(found)
    return bytes(found)


def packed_by(path, *texts):
    """What is written to a file of this name."""
    file = io.BytesIO()
    with compressed(path, file) as out:
        for text in texts:
            out.write(text)
    return file.getvalue()


@pytest.mark.parametrize("piece", [7, 1000, 100_000, 10_000_000])
def test_members_and_padding(tmp_path, library, piece):
    rng = random.Random(2)
    texts = [b"", b"a", b"1 2\n" * 10_000, rng.randbytes(1 << 19), b"x" * 50_000]
    if piece == 7:
        texts = [text[:2000] for text in texts]
    members = [gzip.compress(text, mtime=0) for text in texts]
    members.append(packed_by(Path("x.gz"), *texts, *texts))
    blocks = members[5]
    behind = blocks + bytes(300_000) + blocks + members[2] + bytes(5) + blocks
    for packed in (b"".join(members), members[2] + bytes(9) + blocks + bytes(3), behind, *members):
        assert all_of(tmp_path / "a.gz", packed, piece) == gzip.decompress(packed)


def changed(whole, rng, count):
    """A compressed file cut off, with something behind it, and with single bits changed."""
    found = [whole[:cut] for cut in range(1, len(whole), max(len(whole) // 40, 1))]
    found += [whole + tail for tail in (b"junk", b"\0junk", whole[:5], whole[:1], b"\0" * 9 + whole[:1])]
    for _ in range(count):
        at = rng.randrange(len(whole) if rng.random() < 0.7 else 40)
        found.append(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :])
    return found


@pytest.mark.parametrize("blocks", [False, True])
def test_changed_gzip(tmp_path, library, blocks, monkeypatch):
    """Whatever Python's reader refuses is refused in its words; what is taken are its bytes."""
    monkeypatch.setattr(clgraph.formats.packed, "BLOCK", 700)
    text = TEXT[:6000]
    whole = packed_by(Path("x.gz"), text) if blocks else gzip.compress(text, mtime=0)
    path, taken = tmp_path / "a.gz", 0
    for data in changed(whole, random.Random(3), 250):
        path.write_bytes(data)
        said = []
        for opened in (gzip.GzipFile, open_binary):
            try:
                with reading(path), opened(path) as file:
                    said.append(file.read())
            except InputError as error:
                said.append(str(error))
        assert said[0] == said[1]
        taken += said[0] == text
    assert taken < 130  # some bytes of a header mean nothing, such as the date


def test_changed_zstd(tmp_path, zstd):
    """Nothing is lost and nothing added."""
    text = TEXT[:6000]
    skipped = (0x184D2A53).to_bytes(4, "little") + (5).to_bytes(4, "little") + b"12345"
    streamed = zstd.ZstdCompressor()
    streamed = streamed.compress(text[:4000]) + streamed.flush()  # does not tell its length
    wholes = packed_by(Path("x.zst"), text), streamed + skipped + zstd.compress(text[4000:])
    for whole in wholes:
        assert all_of(tmp_path / "a.zst", whole) == text
        for data in changed(whole, random.Random(3), 200):
            (tmp_path / "a.zst").write_bytes(data)
            try:
                with open_binary(tmp_path / "a.zst", 1e9) as file:
                    found = file.read()
            except InputError as error:
                assert str(error).startswith(f"{tmp_path}/a.zst: ") and "zstd" in str(error)
                continue
            # only the second of these has frames without checksums; a cut between frames cannot be seen
            assert found == text or text.startswith(found) or whole is wholes[1]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_written_for_everybody(tmp_path, suffix, library, zstd):
    rng = random.Random(4)
    limits = BATCH if suffix == ".gz" else 1 << 22
    several = (TEXT, bytes(limits), TEXT * 12, rng.randbytes(99))
    for texts in ((), (b"1 2\n",), (rng.randbytes(BLOCK + 1),), several):
        packed = packed_by(tmp_path / f"x{suffix}", *texts)
        assert packed == packed_by(tmp_path / f"x{suffix}", b"".join(texts))  # however it comes
        whole = b"".join(texts)
        assert all_of(tmp_path / f"a{suffix}", packed, 1 << 16) == whole
        assert (gzip if suffix == ".gz" else zstd).decompress(packed) == whole
        tool = shutil.which("gzip" if suffix == ".gz" else "zstd")
        if tool is not None:
            done = subprocess.run([tool, "-dc"], input=packed, capture_output=True, check=True)
            assert done.stdout == whole
        if suffix == ".gz":
            at = 0
            while at < len(packed):
                assert packed[at : at + 4] == END[:4]
                at += int.from_bytes(packed[at + 16 : at + 18], "little") + 1
            assert at == len(packed) and packed.endswith(END)


def test_blocks_without_an_end(tmp_path):
    """A file that was cut off between two blocks is seen to be."""
    path = tmp_path / "g.txt.gz"
    path.write_bytes(packed_by(path, TEXT * 20)[: -len(END)])
    unreadable(path, r"end too early .*the empty block at the end is missing", device="host")


def test_many_parts_at_a_time(tmp_path, zstd):
    text = TEXT * 80
    for suffix in (".gz", ".zst"):
        path = tmp_path / f"x{suffix}"
        path.write_bytes(packed_by(path, text))
        with Unpacked(path, 1e9) as file:
            assert file.read(1) == text[:1]
            assert suffix == ".zst" or len(file._data._ahead) > 1
            assert file.read() == text[1:]


def test_bombs(tmp_path, zstd, monkeypatch):
    monkeypatch.setattr(clgraph.formats.packed, "RATIO_FLOOR", 1 << 20)
    bombs = {
        "a.gz": gzip.compress(bytes(1 << 26)),
        "b.gz": packed_by(Path("b.gz"), bytes(1 << 26)),
        "c.zst": zstd.compress(bytes(1 << 26)),
        "d.zst": packed_by(Path("d.zst"), bytes(1 << 26)),
    }
    for name, data in bombs.items():
        (tmp_path / name).write_bytes(data)
        with open_binary(tmp_path / name, 100.0) as file, pytest.raises(InputError, match="over 100 times"):
            file.read()
            file.read()
    # a block that holds more than a block may
    body = zlib.compressobj(9, zlib.DEFLATED, -15)
    more = bytes(BLOCK_MOST + 1)
    body = body.compress(more) + body.flush()
    block = END[:16] + (len(body) + 25).to_bytes(2, "little") + body
    block += zlib.crc32(more).to_bytes(4, "little") + len(more).to_bytes(4, "little")
    assert all_of(tmp_path / "e.gz", block + END, 1 << 16) == more


@pytest.mark.parametrize("name", ["g.txt", "g.csv", "g.mtx", "g.graph", "g.v"])
def test_graphs_by_zstd(tmp_path, zstd, name):
    graph = Graph.from_edges([1, 2, 3, 1], [2, 3, 4, 4])
    path = tmp_path / f"{name}.zst"
    write(graph, path)
    assert path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    again = read(path, directed=False)
    assert again.num_edges == 4 and again.col_idx.tolist() == graph.col_idx.tolist()
    refused(tmp_path / "other.txt", path.read_bytes(), r"compressed by zstd, but not named \.zst")
    refused(tmp_path / "no.txt.zst", "1 2\n", "not compressed by zstd")
    with pytest.raises(InputError, match="not compressed with zstd"):
        write(graph, tmp_path / "g.clg.zst")


def test_without_the_library(tmp_path, monkeypatch):
    monkeypatch.setattr(clgraph.formats.packed.importlib, "import_module", raising(ImportError("zstd")))
    refused(tmp_path / "a.txt.zst", b"\x28\xb5\x2f\xfd1234", r"pyclgraph\[zstd\]")
    with pytest.raises(InputError, match=r"cannot write .*pyclgraph\[zstd\]"):
        write(Graph.from_edges([1], [2]), tmp_path / "b.txt.zst")
    assert not (tmp_path / "b.txt.zst").exists()
