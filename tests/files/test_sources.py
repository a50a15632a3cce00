"""The bytes of plain and of compressed files: those that Python's own reader gives, or left to it."""

from __future__ import annotations

import contextlib
import gzip
import random
import zlib
from pathlib import Path
from typing import Any

import pytest

import clgraph.files.sources
from clgraph.files.sources import PACKED, Packed, Plain, Source, Unusual, unpacker


def all_of(source: Source, piece: int) -> bytes:
    """What a source gives, piece by piece."""
    found, offset = bytearray(), 0
    while True:
        view = bytearray(piece)
        got = sum(
            source.read(memoryview(view)[begin:end], offset + begin) for begin, end in source.parts(piece)
        )
        found += view[:got]
        offset += piece
        if got < piece:
            source.close()
            return bytes(found)


@pytest.fixture(params=["isal", "zlib"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "isal":
        pytest.importorskip("isal")
        assert unpacker()[0] == "isal"
    else:
        monkeypatch.setattr(clgraph.files.sources, "unpacker", lambda: ("zlib", zlib))


def test_plain(tmp_path: Path) -> None:
    data = random.Random(1).randbytes(100_000)
    (tmp_path / "a").write_bytes(data)
    for piece in (1000, 99_999, 100_000, 200_000):
        assert all_of(Plain(tmp_path / "a"), piece) == data


@pytest.mark.parametrize("piece", [7, 1000, 100_000, 10_000_000])
def test_members_and_padding(tmp_path: Path, library: None, piece: int) -> None:
    rng = random.Random(2)
    texts = [b"", b"a", b"1 2\n" * 10_000, rng.randbytes(2 * PACKED), b"x" * 50_000]
    if piece == 7:
        texts = [text[:2000] for text in texts]
    members = [gzip.compress(text, mtime=0) for text in texts]
    for packed in (b"".join(members), members[2] + bytes(9) + members[1] + bytes(3), *members):
        (tmp_path / "a.gz").write_bytes(packed)
        source = Packed(tmp_path / "a.gz", 1e9)
        assert all_of(source, piece) == gzip.decompress(packed)
        assert source.consumed(0) == len(packed) == source.size


def test_damage_is_left_to_python(tmp_path: Path, library: None) -> None:
    """Whatever Python's reader refuses is refused; what is taken are its bytes."""
    rng = random.Random(3)
    whole = gzip.compress(b"".join(b"%d %d\n" % (k, k * k) for k in range(400)), mtime=0)
    damaged: list[bytes] = [whole[:cut] for cut in range(1, len(whole), 97)]
    damaged += [
        whole + tail for tail in (b"junk", b"\0junk", whole[:5], b"\x1f", b"\x1f\x8b", b"\0" * 9 + b"\x1f")
    ]
    for _ in range(300):
        at = rng.randrange(len(whole))
        damaged.append(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1 :])
    taken = 0
    for data in damaged:
        (tmp_path / "a.gz").write_bytes(data)
        wanted: Any = None
        with contextlib.suppress(OSError, EOFError, zlib.error):
            wanted = gzip.decompress(data)
        try:
            found = all_of(Packed(tmp_path / "a.gz", 1e9), 1000)
        except Unusual:
            continue
        assert found == wanted
        taken += 1
    assert taken < 100
