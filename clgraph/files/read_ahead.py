"""Files read ahead, by large reads in several threads, into memory from which a device takes them.

The text of a file comes in chunks of whole lines. While kernels parse one, threads fill the next ones; a line
that two chunks share is put together in front of the second. Files are read, never mapped: one that becomes
shorter meanwhile is an error, not a signal that ends the process.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import system
from clgraph.device.launch_config import LaunchTable
from clgraph.device.memory import Staging
from clgraph.formats.common import fill
from clgraph.formats.packed import Unpacked
from clgraph.progress import Tell
from clgraph.system import thread_pool

if TYPE_CHECKING:
    from clgraph.device import Device


# --- where the bytes of a text come from: a file as it is, or a compressed one ---


PART = 1 << 22  # bytes that a thread reads at a time: several read one chunk


class Plain:
    """The bytes of a file that is not compressed, as many as there are when it is opened."""

    threads = 64  # more than any `LaunchConfig` has

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = os.open(path, os.O_RDONLY | system.OPEN)
        self.size = os.fstat(self._descriptor).st_size

    def parts(self, length: int) -> Iterator[tuple[int, int]]:
        """The ranges of a chunk of this length that may be read independently."""
        for begin in range(0, length, PART):
            yield begin, min(begin + PART, length)

    def fill(self, view: memoryview, offset: int) -> int:
        """Fill a view, at the end a part of it; an InputError if the file has become shorter."""
        wanted = min(len(view), max(self.size - offset, 0))
        fill(self._path, self._descriptor, view[:wanted], offset, self.size)
        return wanted

    def consumed(self, given: int) -> int:
        """Bytes of the file behind those given so far: as many."""
        return given

    def total(self) -> int:
        """About how many bytes there are to give in all."""
        return self.size

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)


class Compressed(Unpacked):
    """The bytes of a .gz or .zst file, one chunk after the other; otherwise as `Plain`."""

    threads = 1

    def parts(self, length: int) -> Iterator[tuple[int, int]]:
        """One part: there is no other way to the bytes than past those before."""
        yield 0, length

    def fill(self, view: memoryview, offset: int) -> int:
        """Fill a view with the next bytes."""
        done = 0
        while done < len(view) and (count := self.readinto(view[done:])):
            done += count
        return done

    def consumed(self, given: int) -> int:
        """Compressed bytes whose contents were given."""
        return self.taken

    def total(self) -> int:
        """As many as the rest gives if it is packed as the bytes so far."""
        return self.given * self.size // max(self.taken, 1)


Source = Plain | Compressed

HEAD = 1 << 16  # room for the line that began in the chunk before: longer ones are left to the host's scanner
LONG_LINE = "a line that is very long"
TAIL = 64  # room for a line feed after the last line, and for words that reach beyond it

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class LaunchConfig:
    """Size and number of the chunks that are read ahead, and threads that read."""

    chunk: int  # bytes in a chunk
    ahead: int  # chunks that exist at a time
    threads: int  # that read


# a GPU is given more at a time, which hides how long a transfer takes to begin; on a CPU kernels need the
# cores that more readers would take
LAUNCH = LaunchTable(
    gpu=LaunchConfig(chunk=1 << 25, ahead=4, threads=8),
    cpu=LaunchConfig(chunk=1 << 24, ahead=3, threads=2),
    simulator=LaunchConfig(chunk=1 << 10, ahead=2, threads=1),
)


@dataclass(frozen=True)
class ReadSettings:
    """Settings of a file's reader besides the user's options."""

    progress: Tell | None = None
    # how a text is cut into chunks, and chunks into blocks, if not as the device likes it
    config: LaunchConfig | None = None
    block: int | None = None


DEFAULT = ReadSettings()


@dataclass
class Chunk:
    """Whole lines in the memory of a device, from `begin` to `end`; the last byte is a line feed."""

    text: Any  # device buffer
    array: Bytes  # the same on the host
    begin: int
    end: int


class NotTaken(Exception):
    """A file with rows that are left to the host's scanner; the message says how many and where."""


def read_chunks(
    device: Device, source: Source, skip: int, settings: ReadSettings = DEFAULT, *, words: bool = False
) -> Generator[Chunk, None, None]:
    """Yield the text of a source, without its first `skip` bytes, in chunks, each valid until the next.

    With `words` a chunk may end with a blank, else with a line. A line longer than `HEAD` raises NotTaken.
    """
    config, progress = settings.config or LAUNCH.of(device), settings.progress
    filling: list[tuple[Staging, list[Future[int]]]] = []
    # a compressed file has one reader: its bytes come one after the other
    pool = thread_pool(min(config.threads, source.threads), "clgraph-read")
    offset = 0

    def fill(room: Staging) -> None:
        nonlocal offset
        view = room.array.data[HEAD : HEAD + config.chunk]
        parts = [
            pool.submit(source.fill, view[begin:end], offset + begin)
            for begin, end in source.parts(config.chunk)
        ]
        filling.append((room, parts))
        offset += config.chunk

    try:
        for _ in range(config.ahead):
            fill(Staging(device, HEAD + config.chunk + TAIL))
        rest = np.empty(0, np.uint8)
        begin, done = HEAD + skip, 0
        while True:
            room, parts = filling.pop(0)
            got = sum(part.result() for part in parts)
            last = got < config.chunk
            done += got
            end, array = HEAD + got, room.array
            if begin > end:
                raise NotTaken(LONG_LINE)
            if last and len(rest) + end > begin and (end == begin or array[end - 1] != ord("\n")):
                array[end] = ord("\n")
                end += 1
            begin -= len(rest)
            array[begin : begin + len(rest)] = rest
            cut = end if last else _after_last_line(array, begin, end, words)
            rest = array[cut:end].copy()
            # a longer line would not fit in front of the next chunk
            if len(rest) > HEAD:
                raise NotTaken(LONG_LINE)
            if cut > begin:
                room.give(begin, cut + TAIL // 2)
                yield Chunk(room.buffer, array, begin, cut)
            if progress is not None:
                progress(source.consumed(done), source.size)
            if last:
                return
            begin = HEAD
            room.take_back()
            fill(room)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _after_last_line(array: Bytes, begin: int, end: int, words: bool) -> int:
    """Return the end of the last line (or word) that ends between two positions."""
    start = max(end - HEAD - 1, begin)  # what is behind an end before that is too long anyway
    part = array[start:end]
    ends = part == ord("\n")
    found = np.flatnonzero(ends | (part == ord(" ")) if words else ends)
    return start + int(found[-1]) + 1 if len(found) else begin
