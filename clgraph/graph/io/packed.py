"""Compressed files read: gzip and zstd, several members at a time where the file tells where they end.

A member of gzip says so in a field of its header (the blocks of bgzip, which clgraph writes as well), a frame
of zstd by the lengths of its blocks. Other members are unpacked one after the other. Whatever is unusual
about gzip data is left to Python's own module, which says what is wrong with them.
"""

from __future__ import annotations

import gzip
import importlib
import io
import os
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from clgraph.errors import InputError
from clgraph.graph.exchange.common import pip_hint
from clgraph.graph.io.progress import tell
from clgraph.system import cores, thread_pool

GZIP, ZSTD = ".gz", ".zst"
SUFFIXES = (GZIP, ZSTD)
RATIO_FLOOR = 1 << 26  # bytes that any file may unpack to
PACKED = 1 << 18  # compressed bytes at a time: what comes of them stays in the cache
UNPACKED = 1 << 20  # bytes that are unpacked at a time
WHOLE = 1 << 24  # bytes of a frame that is unpacked at once, packed or not; longer ones piece by piece
MEMBER = 31  # zlib's word for a gzip member, whose header and checksum it checks
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
SKIPPED = range(0x184D2A50, 0x184D2A60)  # what begins frames of zstd that hold no data
BLOCK_HEAD = b"\x1f\x8b\x08\x04"  # of a gzip member with a field of its own
BLOCK_FIELD = b"\x06\x00BC\x02\x00"  # this one: two bytes follow, the member's length less 1
END = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")  # the empty block behind all
BLOCK_MOST = 1 << 16  # bytes of a block, packed or not
BATCH = 16  # blocks that a thread takes
MOST_THREADS = 8

Part = tuple[int, "bytes | Future[bytes]"]  # compressed bytes up to its end, and what they unpack to


class Unusual(Exception):
    """Data that are left to another reader."""


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
    """Whether a file of `size` bytes that unpacks to so many may be made to fill memory."""
    return unpacked > RATIO_FLOOR and unpacked > max_ratio * size


def check_ratio(path: Path, unpacked: int, size: int, max_ratio: float) -> None:
    """Raise InputError where that `is_suspicious`."""
    if is_suspicious(unpacked, size, max_ratio):
        raise InputError(
            f"{path}: a file of {size} bytes that unpacks to {unpacked} bytes or more, over {max_ratio:g} "
            "times as many; if you trust it, give a higher max_ratio="
        )


class Unpacked(io.RawIOBase):
    """The bytes of a .gz or .zst file; an InputError as soon as they are suspiciously many.

    Attributes
    ----------
    size, taken : int
        Bytes of the file, and of those the ones whose contents were given.
    given : int
        Bytes given so far.
    """

    def __init__(self, path: Path, max_ratio: float) -> None:
        self._path, self._max_ratio = path, max_ratio
        self._file = io.FileIO(path)
        self.size = os.fstat(self._file.fileno()).st_size
        self.taken = self.given = 0
        self._pool: ThreadPoolExecutor | None = None
        self._ahead: deque[Part] = deque()
        self._rest = memoryview(b"")
        self._plain: gzip.GzipFile | None = None
        self._fault: Exception | None = None  # met behind the parts that are ahead
        try:
            self._parts = self._frames(zstd_library()) if path.suffix == ZSTD else self._members()
        except InputError as error:
            self._file.close()
            raise InputError(f"{path}: {error}; or unpack it: zstd -d") from error

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        try:
            while len(view) and self._plain is None and not self._rest:
                data = self._next()
                if data is None:
                    return 0
                self._rest = memoryview(data)
        except Unusual:
            self._begin_again()
        if self._plain is not None:
            count = self._plain.readinto(view)
            self.taken = self.size
        else:
            count = min(len(view), len(self._rest))
            view[:count], self._rest = self._rest[:count], self._rest[count:]
        self.given += count
        tell(self.taken, self.size)
        check_ratio(self._path, self.given, self.size, self._max_ratio)
        return count

    def close(self) -> None:
        if not self.closed:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
            self._file.close()
            if self._plain is not None:
                self._plain.close()
        super().close()

    def _begin_again(self) -> None:
        """Leave the rest to Python's module."""
        self._plain = gzip.GzipFile(self._path, "rb")
        skip = self.given
        while skip and (data := self._plain.read(min(skip, UNPACKED))):
            skip -= len(data)

    # --- parts, several at a time -----------------------------------------------------------------

    def _next(self) -> bytes | None:
        """What the next part unpacks to; None at the end."""
        wanted = 2 * min(cores(), MOST_THREADS)
        while len(self._ahead) < wanted and (not self._ahead or isinstance(self._ahead[-1][1], Future)):
            try:
                part = next(self._parts, None)
            except (Unusual, EOFError, InputError) as error:
                self._fault, part = error, None
            if part is None:
                break
            self._ahead.append(part)
        if not self._ahead:
            if self._fault is not None:
                raise self._fault
            self.taken = self.size
            return None
        end, data = self._ahead.popleft()
        self.taken = end
        return data.result() if isinstance(data, Future) else data

    def _begin(self, work: Callable[[], bytes]) -> Future[bytes]:
        if self._pool is None:
            self._pool = thread_pool(min(cores(), MOST_THREADS), "clgraph-unpack")
        return self._pool.submit(work)

    def _members(self) -> Iterator[Part]:
        """Members of gzip: blocks in batches, others piece by piece."""
        library = unpacker()[1]
        rest, end, last = b"", 0, END
        while True:
            rest = rest.lstrip(b"\0")  # members may be padded with zeros
            if len(rest) < 2 * BLOCK_MOST and (more := self._file.read(PACKED)):
                rest, end = rest + more, end + len(more)
                continue
            if not rest:
                if last != END:
                    raise EOFError("the empty block at the end is missing")
                return
            cuts = [0]
            while len(cuts) <= BATCH and (length := _block_length(rest, cuts[-1])):
                cuts.append(cuts[-1] + length)
            if len(cuts) > 1:
                blocks = [rest[one:other] for one, other in pairwise(cuts)]
                rest, last = rest[cuts[-1] :], blocks[-1]
                yield end - len(rest), self._begin(partial(_unpack_blocks, library, blocks))
                continue
            if not rest.startswith(GZIP_MAGIC):
                raise Unusual("bytes behind the gzip data")
            member, last = library.decompressobj(MEMBER), END
            while not member.eof:
                more = b"" if rest else self._file.read(PACKED) or b""
                rest, end = rest + more, end + len(more)
                try:
                    data = member.decompress(rest, UNPACKED)
                except (zlib.error, library.error) as error:
                    raise Unusual(f"gzip data that are damaged ({error})") from error
                if not (data or rest or member.eof):
                    raise Unusual("gzip data that end too early")
                rest = member.unused_data if member.eof else member.unconsumed_tail
                yield end - len(rest), data

    def _frames(self, library: Any) -> Iterator[Part]:
        """Frames of zstd: whole ones where they are short, others piece by piece."""
        rest, end = b"", 0
        while True:
            if len(rest) < PACKED and (more := self._file.read(PACKED)):
                rest, end = rest + more, end + len(more)
                continue
            if not rest:
                return
            if int.from_bytes(rest[:4], "little") in SKIPPED and len(rest) >= 8:
                skip = 8 + int.from_bytes(rest[4:8], "little")
                beyond = max(skip - len(rest), 0)
                if end + beyond > self.size:
                    raise self._damaged("they end too early")
                self._file.seek(beyond, os.SEEK_CUR)
                rest, end = rest[skip:], end + beyond
                continue
            if not rest.startswith(ZSTD_MAGIC):
                if end == len(rest):
                    raise InputError(
                        f"{self._path}: named .zst, but not compressed by zstd; rename it or download it "
                        "again"
                    )
                raise self._damaged("other bytes follow")
            length = None
            while length is None:
                with suppress(library.ZstdError):  # it is not all there, or damaged
                    length = library.get_frame_size(rest)
                    break
                more = self._file.read(len(rest)) if len(rest) < WHOLE else None
                if not more:
                    break
                rest, end = rest + more, end + len(more)
            about = None if length is None else library.get_frame_info(rest).decompressed_size
            if length is not None and about is not None and about <= WHOLE:
                frame, rest = rest[:length], rest[length:]
                work = partial(self._unpack_frame, library, frame, about)
                yield end - len(rest), self._begin(work)
                continue
            frame = library.ZstdDecompressor()
            try:
                while not frame.eof:
                    data = frame.decompress(rest, UNPACKED)
                    rest = frame.unused_data if frame.eof else b""
                    if not (data or frame.eof) and frame.needs_input:
                        rest = self._file.read(PACKED) or b""
                        end += len(rest)
                        if not rest:
                            raise self._damaged("they end too early")
                    yield end - len(rest), data
            except library.ZstdError as error:
                raise self._damaged(f"{error}") from error

    def _unpack_frame(self, library: Any, frame: bytes, about: int) -> bytes:
        unpacker = library.ZstdDecompressor()
        try:
            data = unpacker.decompress(frame, about + 1)
        except library.ZstdError as error:
            raise self._damaged(f"{error}") from error
        if not unpacker.eof or len(data) != about:
            raise self._damaged("a frame of another length than it says")
        return bytes(data)

    def _damaged(self, what: str) -> InputError:
        return InputError(
            f"{self._path}: the zstd data end too early or are damaged ({what}); download the file again"
        )


def _block_length(data: bytes, at: int) -> int:
    """The length of a whole block of bgzip that begins there; 0 where there is none."""
    if data[at : at + 4] != BLOCK_HEAD or data[at + 10 : at + 16] != BLOCK_FIELD:
        return 0
    length = int.from_bytes(data[at + 16 : at + 18], "little") + 1
    return length if at + length <= len(data) else 0


def _unpack_blocks(library: Any, blocks: list[bytes]) -> bytes:
    found = []
    for block in blocks:
        member = library.decompressobj(MEMBER)
        try:
            data = member.decompress(block, BLOCK_MOST)
            if not member.eof and not data:
                raise Unusual("a block that ends too early")
        except (zlib.error, library.error) as error:
            raise Unusual(f"gzip data that are damaged ({error})") from error
        if not member.eof or member.unused_data:
            raise Unusual("a block of another length than it says")
        found.append(data)
    return b"".join(found)
