"""Compressed files: gzip and zstd, read and written by their libraries, but for blocks of bgzip.

Reading leaves members and frames to `isal.igzip` (Python's gzip where it is missing) and `compression.zstd`,
whose own threads write zstd files. Only blocks of bgzip are unpacked here, several at a time: on 16 cores
(beside an H200) a text of 314 MB is read in 0.48 of the time; frames of zstd side by side would gain 10 %.
What is wrong with gzip data Python's module says. So gzip files are written as members of at most 64 KiB that
tell their length, as those of bgzip (SAM format specification, 4.1), and an empty one at the end, which
`isal.igzip_threaded` does not. Every program that reads gzip or zstd reads them.
"""

from __future__ import annotations

import gzip
import importlib
import io
import os
import struct
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from clgraph.errors import InputError
from clgraph.graph.exchange.common import pip_hint
from clgraph.progress import tell
from clgraph.system import cores, read_at, thread_pool

GZIP, ZSTD = ".gz", ".zst"
SUFFIXES = (GZIP, ZSTD)
RATIO_FLOOR = 1 << 26  # bytes that any file may unpack to: a reader needs as much memory for small graphs
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
SKIPPED = range(0x184D2A50, 0x184D2A60)  # what begins frames of zstd that hold no data
BLOCK_HEAD = b"\x1f\x8b\x08\x04"  # of a gzip member with a field of its own
BLOCK_FIELD = b"\x06\x00BC\x02\x00"  # this one: two bytes follow, the member's length less 1
END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")  # the empty block behind all
BLOCK_MOST = 1 << 16  # bytes of a block, packed or not
BLOCK = 0xFF00  # bytes in a block, as bgzip has them: also where they do not shrink, 64 KiB are enough
BATCH = 16 * BLOCK  # bytes that a thread compresses at a time: 8 ms of work
LEVELS = {"isal": 3, "zlib": 6}  # as small as gzip's own 6; isal takes a thirteenth of the time
ZSTD_LEVEL = 1  # edge lists become no smaller by 3, which takes two and a half times as long
READ = 1 << 18  # bytes of blocks that are read and cut at a time: the work of all threads
MOST_THREADS = 8  # more threads wait for the one that reads or writes the file


@cache
def unpacker() -> tuple[str, Any]:
    """The fastest library that unpacks gzip: its name, and its form of the module zlib.

    Intel's (isal) takes less than half the time of zlib.
    """
    try:
        return "isal", importlib.import_module("isal.isal_zlib")
    except ImportError:
        return "zlib", zlib


def zstd_library() -> Any:
    """The module compression.zstd of Python 3.14, or its form for those before."""
    for name in ("compression.zstd", "backports.zstd"):
        with suppress(ImportError):
            return importlib.import_module(name)
    raise InputError(f"zstd needs the package backports.zstd, which cannot be imported: {pip_hint('zstd')}")


def is_suspicious(unpacked: int, size: int, max_ratio: float) -> bool:
    """True if a file of `size` bytes that unpacks to this many may be meant to fill memory."""
    return unpacked > RATIO_FLOOR and unpacked > max_ratio * size


def check_ratio(path: Path, unpacked: int, size: int, max_ratio: float) -> None:
    """Raise InputError where that `is_suspicious`."""
    if is_suspicious(unpacked, size, max_ratio):
        raise InputError(
            f"{path}: a file of {size} bytes that unpacks to {unpacked} bytes or more, over {max_ratio:g} "
            "times as many; if you trust it, give a higher max_ratio="
        )


class Unpacked(io.RawIOBase):
    """The bytes of a .gz or .zst file; an InputError as soon as they are suspiciously many."""

    def __init__(self, path: Path, max_ratio: float) -> None:
        self._path, self._max_ratio = path, max_ratio
        self._file = io.FileIO(path)
        self.size = os.fstat(self._file.fileno()).st_size
        self.taken = self.given = 0  # bytes of the file that were read, and bytes given so far
        name, library = unpacker()
        # blocks of bgzip say so in their first 18 bytes
        begin = _begin_of(self._file, 18)
        self._file.seek(0)
        self._data: Any
        self._errors: tuple[type[Exception], ...] = ()  # what the library raises for data that are damaged
        try:
            if path.suffix == ZSTD:
                library = zstd_library()
                self._data, self._errors = library.ZstdFile(self._file), (EOFError, library.ZstdError)
            elif _block_length(begin, 0, whole=False):
                self._data = Blocks(self._file, library)
                self._errors = EOFError, zlib.error, library.error
            elif name == "isal":
                # without a thread of its own: who reads ahead (clgraph.files.read_ahead) has one
                self._data = importlib.import_module("isal.igzip").IGzipFile(fileobj=self._file, mode="rb")
                self._errors = EOFError, gzip.BadGzipFile, zlib.error, library.error
            else:
                self._data = gzip.GzipFile(fileobj=self._file, mode="rb")
        except InputError as error:
            self._file.close()
            raise InputError(f"{path}: {error}; or unpack it: zstd -d") from error

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            count: int = self._data.readinto(buffer)
        except self._errors as error:
            if self._path.suffix == ZSTD:
                raise self._no_zstd(error) from error
            # the library's message is terse; Python's own reader says what is wrong
            self._begin_again()
            count = self._data.readinto(buffer)
        self.taken = self._data.taken if isinstance(self._data, Blocks) else self._file.tell()
        self.given += count
        tell(self.taken, self.size)
        check_ratio(self._path, self.given, self.size, self._max_ratio)
        if not count and self._path.suffix != ZSTD and len(buffer):
            self._check_end()
        return count

    def close(self) -> None:
        if not self.closed:
            self._data.close()
            self._file.close()
        super().close()

    def _begin_again(self) -> None:
        """Leave the rest to Python's gzip, which says in plain words what is wrong, or takes it after all."""
        self._errors = ()
        self._data.close()
        self._file.seek(0)
        self._data = gzip.GzipFile(fileobj=self._file, mode="rb")
        skip = self.given
        while skip and (data := self._data.read(min(skip, 1 << 20))):
            skip -= len(data)

    def _check_end(self) -> None:
        """Raise EOFError where the last block is not the empty one: the file was cut off between two."""
        tail = bytearray(min(2 * BLOCK_MOST, self.size))
        read_at(self._file.fileno(), memoryview(tail), self.size - len(tail))
        at = len(tail)
        while (at := tail.rfind(BLOCK_HEAD, 0, at)) >= 0:
            length = _block_length(tail, at)
            if length and not any(tail[at + length :]):  # members may be padded with zeros
                if tail[at : at + length] != END:
                    raise EOFError("the empty block at the end is missing")
                return

    def _no_zstd(self, error: Exception) -> InputError:
        begin = _begin_of(self._file, 4)
        if begin != ZSTD_MAGIC and int.from_bytes(begin, "little") not in SKIPPED:
            return InputError(
                f"{self._path}: named .zst, but not compressed by zstd; rename it or download it again"
            )
        what = "they end too early" if isinstance(error, EOFError) else f"{error}"
        return InputError(
            f"{self._path}: the zstd data end too early or are damaged ({what}); download the file again"
        )


class Blocks(io.RawIOBase):
    """The bytes of blocks of gzip that tell their length, unpacked in several threads."""

    def __init__(self, file: IO[bytes], library: Any) -> None:
        self._file, self._library = file, library
        threads = min(cores(), MOST_THREADS)
        self._pool, self._most = thread_pool(threads, "clgraph-unpack"), 2 * threads
        self._ahead: deque[tuple[int, Future[bytes]]] = deque()
        self._packed, self._rest = b"", memoryview(b"")
        self._end = self.taken = 0  # of what was read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            self._read_ahead()
            if not self._ahead:
                return 0
            self.taken, unpacking = self._ahead.popleft()
            self._rest = memoryview(unpacking.result())
        view = memoryview(buffer).cast("B")
        count = min(len(view), len(self._rest))
        view[:count], self._rest = self._rest[:count], self._rest[count:]
        return count

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        super().close()

    def _read_ahead(self) -> None:
        """Have batches of blocks unpacked, as many as keep the threads at work."""
        while len(self._ahead) < self._most:
            self._packed = self._packed.lstrip(b"\0")  # members may be padded with zeros
            if len(self._packed) < 2 * BLOCK_MOST and (more := self._file.read(READ)):
                self._packed, self._end = self._packed + more, self._end + len(more)
                continue
            cuts = [0]
            while len(cuts) <= BATCH // BLOCK and (length := _block_length(self._packed, cuts[-1])):
                cuts.append(cuts[-1] + length)
            if len(cuts) == 1:
                if self._packed and not self._ahead:
                    raise EOFError("not a whole block")
                return
            blocks = [self._packed[one:other] for one, other in pairwise(cuts)]
            self._packed = self._packed[cuts[-1] :]
            unpacking = self._pool.submit(_unpacked, self._library, blocks)
            self._ahead.append((self._end - len(self._packed), unpacking))


def _unpacked(library: Any, blocks: list[bytes]) -> bytes:
    found = []
    for block in blocks:
        member = library.decompressobj(zlib.MAX_WBITS | 16)  # which checks a member's header and sum
        data = member.decompress(block, BLOCK_MOST)
        if not member.eof or member.unused_data:
            raise EOFError("a block of another length than it says")
        found.append(data)
    return b"".join(found)


def _block_length(data: bytes | bytearray, at: int, *, whole: bool = True) -> int:
    """The length of a block of bgzip that begins there; 0 where there is none, or not the `whole` of it."""
    if data[at : at + 4] != BLOCK_HEAD or data[at + 10 : at + 16] != BLOCK_FIELD:
        return 0
    length = int.from_bytes(data[at + 16 : at + 18], "little") + 1
    return length if at + length <= len(data) or not whole else 0


def _begin_of(file: io.FileIO, count: int) -> bytearray:
    """The first bytes of a file, wherever it is read."""
    begin = bytearray(count)
    read_at(file.fileno(), memoryview(begin), 0)
    return begin


@contextmanager
def compressed(path: Path, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Compress what is written, if the name ends in .gz or .zst; the same bytes each time."""
    if path.suffix not in SUFFIXES:
        yield file
        return
    if path.suffix == ZSTD:
        try:
            library = zstd_library()
        except InputError as error:
            raise InputError(f"cannot write {path}: {error}") from error
        parameter = library.CompressionParameter
        # how many threads there are changes no byte; a library without threads takes none
        threads = min(cores(), MOST_THREADS, parameter.nb_workers.bounds()[1])
        options = {parameter.compression_level: ZSTD_LEVEL, parameter.checksum_flag: 1}
        with library.ZstdFile(file, "wb", options=options | {parameter.nb_workers: threads}) as packed:
            packed.write(b"")  # else nothing written would be no frame
            yield packed
        return
    packer = Packer(file)
    with packer.pool:
        try:
            yield packer  # type: ignore[misc]
            packer.finish()
        except BaseException:
            packer.pool.shutdown(wait=True, cancel_futures=True)
            raise


class Packer(io.BufferedIOBase):
    """A file that compresses what is written to it into blocks of gzip, in several threads."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        threads = min(cores(), MOST_THREADS)
        self._most = 2 * threads
        self.pool = thread_pool(threads, "clgraph-pack")  # which starts its threads when they are needed
        self._packing: deque[Future[bytes]] = deque()
        self._rest = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        # not all at once: the buffer stays small, and its pages are used again
        for at in range(0, len(view), BATCH):
            self._rest += view[at : at + BATCH]
            if len(self._rest) >= BATCH:
                self._submit()
        return len(view)

    def finish(self) -> None:
        """Write what is left; the file stays open."""
        if self._rest:
            self._submit()
        while self._packing:
            self._file.write(self._packing.popleft().result())
        self._file.write(END)

    def _submit(self) -> None:
        self._packing.append(self.pool.submit(_blocks, self._rest[:BATCH]))
        del self._rest[:BATCH]
        # as many batches ahead as keep the threads at work: more would only take memory
        if len(self._packing) > self._most:
            self._file.write(self._packing.popleft().result())


def _blocks(data: bytearray) -> bytes:
    """Return members of gzip, each of which holds its own length."""
    name, library = unpacker()
    level = LEVELS[name]
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
