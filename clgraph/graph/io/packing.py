"""Compressed files written: pieces are compressed side by side, and each can be unpacked by itself.

gzip files consist of members of at most 64 KiB that tell their length, as those of bgzip (SAM format
specification, 4.1), and of an empty one at the end; zstd files of frames of 4 MiB, likewise. Every program
that reads gzip or zstd reads them.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

from clgraph.errors import InputError
from clgraph.graph.io.packed import (
    BLOCK_FIELD,
    BLOCK_HEAD,
    END,
    GZIP,
    MOST_THREADS,
    SUFFIXES,
    unpacker,
    zstd_library,
)
from clgraph.system import cores, thread_pool

BLOCK = 0xFF00  # bytes in a block, as bgzip has them: also where they do not shrink, 64 KiB are enough
BATCH = 16 * BLOCK  # bytes that a thread compresses at a time
FRAME = 1 << 22
LEVELS = {"isal": 3, "zlib": 6}  # as small as gzip's own 6; isal takes a thirteenth of the time
ZSTD_LEVEL = 1  # edge lists become no smaller by 3, which takes two and a half times as long


@contextmanager
def compressed(path: Path, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Compress what is written, if the name ends in .gz or .zst; the same bytes each time."""
    if path.suffix not in SUFFIXES:
        yield file
        return
    try:
        packer = Packer.of_gzip(file) if path.suffix == GZIP else Packer.of_zstd(file)
    except InputError as error:
        raise InputError(f"cannot write {path}: {error}") from error
    with packer.pool:
        try:
            yield packer  # type: ignore[misc]
            packer.finish()
        except BaseException:
            packer.pool.shutdown(wait=True, cancel_futures=True)
            raise


class Packer(io.BufferedIOBase):
    """A file that compresses what is written to it, in several threads.

    Parameters
    ----------
    file : binary file
    pack : callable
        Compresses one piece.
    size : int
        Bytes of a piece; the last one has fewer.
    end : bytes
        What the file ends with.
    """

    def __init__(self, file: IO[bytes], pack: Callable[[bytes], bytes], size: int, end: bytes) -> None:
        self._file, self._pack, self._size, self._end = file, pack, size, end
        threads = min(cores(), MOST_THREADS)
        self._most = 2 * threads
        self.pool = thread_pool(threads, "clgraph-pack")  # which starts its threads when they are needed
        self._packing: deque[Future[bytes]] = deque()
        self._rest: list[bytes] = []
        self._held = 0

    @classmethod
    def of_gzip(cls, file: IO[bytes]) -> Packer:
        """Members of gzip."""
        name, library = unpacker()
        return cls(file, partial(_blocks, library, LEVELS[name]), BATCH, END)

    @classmethod
    def of_zstd(cls, file: IO[bytes]) -> Packer:
        """Frames of zstd; an InputError where the library is missing."""
        library = zstd_library()
        return cls(file, partial(_frame, library), FRAME, _frame(library, b""))

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        length, at = len(view), 0
        while at < length:
            part = bytes(view[at : at + self._size - self._held])
            self._rest.append(part)
            self._held += len(part)
            at += len(part)
            if self._held == self._size:
                self._submit()
        return length

    def finish(self) -> None:
        """Write what is left; the file stays open."""
        if self._held:
            self._submit()
        while self._packing:
            self._file.write(self._packing.popleft().result())
        self._file.write(self._end)

    def _submit(self) -> None:
        self._packing.append(self.pool.submit(self._pack, b"".join(self._rest)))
        self._rest, self._held = [], 0
        if len(self._packing) > self._most:
            self._file.write(self._packing.popleft().result())


def _blocks(library: Any, level: int, data: bytes) -> bytes:
    """Members of gzip, each of which tells its length."""
    found = []
    for begin in range(0, len(data), BLOCK):
        part = data[begin : begin + BLOCK]
        packing = library.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
        body = packing.compress(part) + packing.flush()
        if len(body) > BLOCK + 100:  # stored as it is
            packing = zlib.compressobj(0, zlib.DEFLATED, -zlib.MAX_WBITS)
            body = packing.compress(part) + packing.flush()
        length = struct.pack("<H", len(body) + 25)
        head = BLOCK_HEAD + b"\0\0\0\0\0\xff" + BLOCK_FIELD + length
        found += [head, body, struct.pack("<II", library.crc32(part), len(part))]
    return b"".join(found)


def _frame(library: Any, data: bytes) -> bytes:
    """A frame of zstd with its length and a checksum."""
    parameter = library.CompressionParameter
    packed: bytes = library.compress(
        data, options={parameter.compression_level: ZSTD_LEVEL, parameter.checksum_flag: 1}
    )
    return packed
