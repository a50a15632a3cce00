"""Progress of a long call: reported to the caller's function, or shown as a bar.

Bars are `rich`'s, on standard error: in a terminal or a notebook (there with ``ipywidgets``), not in files.
"""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from typing import Any, BinaryIO, ParamSpec, TypeVar, cast

from clgraph.errors import InputError

#: called with (what is done, of how much); the second is None where nobody knows it
Tell = Callable[[int, int | None], None]
AFTER = 0.5  # seconds before a bar appears
P = ParamSpec("P")
R = TypeVar("R")


def with_progress(what: str, *, data: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate public calls: their keyword ``progress`` may be True, and arrives as a function or not.

    As `clgraph.arguments.hints` it says what an unknown option is called here.

    Parameters
    ----------
    what, data
        As for `callback`.
    """

    def decorate(call: Callable[P, R]) -> Callable[P, R]:
        from clgraph.arguments import own_options, unknown_option  # which loads NumPy

        plain = cast(Callable[..., Any], call)
        known = own_options(plain)

        @wraps(call)
        def begin(*args: Any, progress: Any = None, **options: Any) -> Any:
            if known is not None and (unknown := options.keys() - known):
                raise unknown_option(plain.__name__, min(unknown), known)
            if progress is None:
                return plain(*args, **options)
            with callback(progress, what, data=data) as tell:
                return plain(*args, progress=tell, **options)

        return cast(Callable[P, R], begin)

    return decorate


@contextmanager
def callback(progress: Any, what: str, *, data: bool = False) -> Iterator[Tell | None]:
    """Turn ``progress=`` of a public call into a function to call, or None.

    Parameters
    ----------
    progress : callable, bool or None
        True is a bar.
    what : str
        What the bar says of itself.
    data : bool
        What is counted are bytes.
    """
    if progress is None or progress is False:
        yield None
    elif progress is True:
        with bar(what, data=data) as tell:
            yield tell
    elif callable(progress):
        yield progress
    else:
        from clgraph.arguments import shown  # which loads NumPy

        raise InputError(f"progress is {shown(progress)}: True shows a bar, or give a function of (done, of)")


@contextmanager
def bar(what: str, *, data: bool = False, counts: bool = False) -> Iterator[Tell | None]:
    """A bar with the time left, which appears if the work takes long; None where nobody would see it.

    Parameters
    ----------
    what : str
    data : bool
        What is counted are bytes.
    counts : bool
        Say how many of how many are done.
    """
    if not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    parts = TaskProgressColumn(), *([MofNCompleteColumn()] if counts else [])
    columns = TextColumn("{task.description}"), BarColumn(), *([DownloadColumn()] if data else parts)
    shows = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
    task, began = shows.add_task(what, total=None), time.monotonic()

    def tell(done: int, of: int | None) -> None:
        shows.update(task, completed=done, total=of)
        if not shows.live.is_started and time.monotonic() - began > AFTER:
            shows.start()

    try:
        yield tell
    finally:
        shows.stop()


# --- bytes read and written, reported without passing the function through every reader and writer ---


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
