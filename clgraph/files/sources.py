"""Where the bytes of a text come from: a file as it is, or a compressed one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from clgraph import system
from clgraph.errors import InputError
from clgraph.graph.io.packed import Unpacked

PART = 1 << 22  # bytes that a thread reads at a time


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


class Packed:
    """The bytes of a .gz or .zst file, one piece after the other."""

    threads = 1

    def __init__(self, path: Path, max_ratio: float) -> None:
        self._file = Unpacked(path, max_ratio)
        self.size = self._file.size

    def parts(self, length: int) -> Iterator[tuple[int, int]]:
        """One part: there is no other way to the bytes than past those before."""
        yield 0, length

    def read(self, view: memoryview, offset: int) -> int:
        """Fill a view with the next bytes."""
        done = 0
        while done < len(view) and (count := self._file.readinto(view[done:])):
            done += count
        return done

    def consumed(self, given: int) -> int:
        """Compressed bytes whose contents were given."""
        return self._file.taken

    def total(self) -> int:
        """As many as the rest gives if it is packed as the bytes so far."""
        return self._file.given * self.size // max(self._file.taken, 1)

    def close(self) -> None:
        """Close the file."""
        self._file.close()
