"""Progress of reading and writing, reported to the caller's function without passing through formats."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, BinaryIO

from clgraph.progress import Tell


@dataclass
class _Report:
    progress: Callable[[int, int | None], None]
    total: int | None = None
    done: int = 0  # bytes so far
    before: int | None = None  # those before the first part
    part: float = 0.0


REPORT: ContextVar[_Report | None] = ContextVar("clgraph.progress", default=None)


@contextmanager
def reporting(progress: Tell | None) -> Iterator[None]:
    """Report the progress of this thread's reading and writing within the block."""
    token = REPORT.set(None if progress is None else _Report(progress))
    try:
        yield
    finally:
        REPORT.reset(token)


def tell(done: int, of: int | None = None) -> None:
    """Report the bytes done so far, if there is somebody to report to."""
    report = REPORT.get()
    if report is not None:
        report.done = done
        # the share of arcs written so far gives the number of bytes in all
        if report.part > 0:
            before = report.before or 0
            of = of or max(done, before + round((done - before) / report.part))
        report.progress(done, of or report.total)


def reached(part: float) -> None:
    """Note the share of the arcs that is written, where the bytes in all are not known."""
    report = REPORT.get()
    if report is not None:
        report.part = part
        if report.before is None:
            report.before = report.done


def expect(total: int) -> None:
    """Note the number of bytes in all."""
    report = REPORT.get()
    if report is not None:
        report.total = total


class TrackedFile(io.FileIO):
    """A file that reports what is read from it or written to it."""

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer)
        tell(self.tell(), os.fstat(self.fileno()).st_size)
        return count

    def write(self, data: Any) -> int:
        count = super().write(data)
        self._written = getattr(self, "_written", 0) + count
        tell(self._written)
        return count


def on_descriptor(descriptor: int) -> BinaryIO:
    """A file to be written that is open already."""
    if REPORT.get() is None:
        return os.fdopen(descriptor, "wb")
    return io.BufferedWriter(TrackedFile(descriptor, "wb"))
