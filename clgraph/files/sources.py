"""Where the bytes of a text come from: a file as it is, or one compressed by gzip."""

from __future__ import annotations

import importlib
import io
import os
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from clgraph import system
from clgraph.errors import InputError
from clgraph.graph.io.common import check_ratio

PART = 1 << 22  # bytes that a thread reads at a time
PACKED = 1 << 18  # compressed bytes at a time: what comes of them stays in the cache
UNPACKED = 1 << 20  # bytes that are unpacked at a time
GZIP = 31  # zlib's word for a gzip member, whose header and checksum it checks
MAGIC = b"\x1f\x8b"


class Source(Protocol):
    """Where the bytes come from.

    Attributes
    ----------
    threads : int
        How many threads may read at a time.
    size : int
        Bytes of the file.
    """

    threads: int
    size: int

    def parts(self, length: int) -> Iterator[tuple[int, int]]:
        """The ranges of a piece of this length that may be read independently."""

    def read(self, view: memoryview, offset: int) -> int:
        """Fill a view with the bytes from an offset on; fewer only at the end."""

    def consumed(self, given: int) -> int:
        """How many bytes of the file those given so far were."""

    def total(self) -> int:
        """About how many bytes there are to give in all."""

    def close(self) -> None:
        """Let go of the file."""


class Plain:
    """The bytes of a file that is not compressed, as many as there are when it is opened."""

    threads = 64

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY | system.OPEN)
        self.size = os.fstat(self._descriptor).st_size

    def parts(self, length: int) -> Iterator[tuple[int, int]]:
        """Each part is read by itself."""
        for begin in range(0, length, PART):
            yield begin, min(begin + PART, length)

    def read(self, view: memoryview, offset: int) -> int:
        """Fill a view; an InputError if the file has become shorter."""
        wanted, done = min(len(view), max(self.size - offset, 0)), 0
        while done < wanted:
            got = system.read_at(self._descriptor, view[done:wanted], offset + done)
            if got == 0:
                raise InputError(
                    f"{self._path}: became shorter while it was read ({offset + done} bytes of {self.size}); "
                    "read it again when it is complete"
                )
            done += got
        return wanted

    def consumed(self, given: int) -> int:
        """All of them."""
        return given

    def total(self) -> int:
        """The file's size."""
        return self.size

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


class Unusual(Exception):
    """Compressed data that are left to Python's gzip module, which says what is wrong with them."""


@cache
def unpacker() -> tuple[str, Any]:
    """The fastest library that unpacks gzip: its name, and its form of the module zlib.

    Intel's (isal) takes less than half the time of zlib.
    """
    try:
        return "isal", importlib.import_module("isal.isal_zlib")
    except ImportError:
        return "zlib", zlib


class Packed:
    """The bytes of a .gz file, one piece after the other."""

    threads = 1

    def __init__(self, path: Path, max_ratio: float) -> None:
        self._path, self._max_ratio = path, max_ratio
        self._file = io.FileIO(path)
        self.size = os.fstat(self._file.fileno()).st_size
        self._zlib = unpacker()[1]
        self._member: Any = None  # what unpacks the member of the file that is being read
        self._rest = b""  # compressed bytes that were read and not yet unpacked
        self._given = self._read = 0

    def parts(self, length: int) -> Iterator[tuple[int, int]]:
        """One part: there is no other way to the bytes than past those before."""
        yield 0, length

    def read(self, view: memoryview, offset: int) -> int:
        """Fill a view with the next bytes."""
        done = 0
        try:
            while done < len(view) and self._has_member():
                more = bool(self._rest) or self._next()
                data = self._member.decompress(self._rest, min(len(view) - done, UNPACKED))
                view[done : done + len(data)] = data
                done += len(data)
                self._given += len(data)
                check_ratio(self._path, self._given, self.size, self._max_ratio)
                ended = self._member.eof
                self._rest = self._member.unused_data if ended else self._member.unconsumed_tail
                if ended:
                    self._member = None
                elif not data and not more:
                    raise Unusual("gzip data that end too early")
        except (zlib.error, self._zlib.error) as error:
            raise Unusual(f"gzip data that are damaged ({error})") from error
        return done

    def _has_member(self) -> bool:
        """Whether there is a member to unpack; begins the next one."""
        if self._member is None:
            self._rest = self._rest.lstrip(b"\0")  # members may be padded with zeros
            while len(self._rest) < len(MAGIC) and self._next():
                self._rest = self._rest.lstrip(b"\0")
            if not self._rest:
                return False
            if not self._rest.startswith(MAGIC):
                raise Unusual("bytes behind the gzip data")
            self._member = self._zlib.decompressobj(GZIP)
        return True

    def _next(self) -> bool:
        """Read on; whether there was anything."""
        data = self._file.read(PACKED) or b""
        self._read += len(data)
        self._rest += data
        return bool(data)

    def consumed(self, given: int) -> int:
        """Compressed bytes read so far."""
        return self._read

    def total(self) -> int:
        """As many as the rest gives if it is packed as the bytes so far."""
        return self._given * self.size // max(self._read - len(self._rest), 1)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
