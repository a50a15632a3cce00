"""The bytes of plain and of compressed files, as pieces take them."""

import gzip
import random

import pytest

from clgraph.files.read_ahead import Compressed, Plain


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
