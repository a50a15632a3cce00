"""How far reading or writing is, told to whoever asked for it: formats need not pass it on."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

Progress = Callable[[int, int | None], None] | None  # called with (bytes so far, bytes in all or None)


@dataclass
class _Told:
    progress: Callable[[int, int | None], None]
    total: int | None = None


_told: ContextVar[_Told | None] = ContextVar("clgraph.progress", default=None)


@contextmanager
def telling(progress: Progress) -> Iterator[None]:
    """Within the block, what this thread reads or writes by way of this module tells how far it is."""
    token = _told.set(None if progress is None else _Told(progress))
    try:
        yield
    finally:
        _told.reset(token)


def tell(done: int, of: int | None = None) -> None:
    """Say how far it is, if anybody asked."""
    told = _told.get()
    if told is not None:
        told.progress(done, of or told.total)


def expect(total: int) -> None:
    """Say how many bytes there will be."""
    told = _told.get()
    if told is not None:
        told.total = total


class _File(io.FileIO):
    """A file that tells what is read from it or written to it."""

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer)
        tell(self.tell(), os.fstat(self.fileno()).st_size)
        return count

    def write(self, data: Any) -> int:
        count = super().write(data)
        self._written = getattr(self, "_written", 0) + count
        tell(self._written)
        return count


def opened(path: Path) -> BinaryIO:
    """A file to be read."""
    return open(path, "rb") if _told.get() is None else io.BufferedReader(_File(path), 1 << 18)


def on_descriptor(descriptor: int) -> BinaryIO:
    """A file to be written that is open already."""
    return os.fdopen(descriptor, "wb") if _told.get() is None else io.BufferedWriter(_File(descriptor, "wb"))
