"""The sections of a .clg file, written from arrays in memory, or a few bytes at a time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.io.binary_header import BLOCK, PAGE, SECTIONS, Header, Section, pack_header
from clgraph.graph.io.packed import unpacker
from clgraph.graph.io.progress import expect
from clgraph.system import cores, thread_pool

PIECE = 1 << 22  # bytes that are written at a time


@dataclass(frozen=True)
class OnDisk:
    """An array to be written that lies in a file of ours: `count` values of a little-endian type."""

    path: Path
    dtype: np.dtype[Any]
    first: int
    count: int

    @property
    def nbytes(self) -> int:
        """Bytes of the array."""
        return self.count * self.dtype.itemsize

    def pieces(self) -> Iterator[memoryview]:
        """Its bytes, a few at a time."""
        with open(self.path, "rb", buffering=0) as file:
            file.seek(self.first * self.dtype.itemsize)
            left = self.nbytes
            while left:
                data = file.read(min(left, 1 << 22))
                if not data:
                    raise InputError(f"{self.path}: became shorter while it was read")
                left -= len(data)
                yield memoryview(data)


@dataclass(frozen=True)
class Zeros:
    """An array of zeros to be written to a regular file, which keeps a hole in their place."""

    count: int
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Bytes of the array."""
        return self.count * self.dtype.itemsize

    def pieces(self) -> Iterator[memoryview]:
        """Its bytes, a few at a time."""
        zeros = memoryview(bytes(min(PIECE, self.nbytes)))
        return (zeros[: self.nbytes - begin] for begin in range(0, self.nbytes, PIECE))


@dataclass(frozen=True)
class Widened:
    """An array to be written as values of a longer type, a few at a time."""

    array: npt.NDArray[Any]
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Bytes of the array as it is written."""
        return len(self.array) * self.dtype.itemsize

    def pieces(self) -> Iterator[memoryview]:
        """Its bytes, a few at a time."""
        step, kind = PIECE // self.dtype.itemsize, self.dtype.newbyteorder("<")

        def piece(begin: int) -> memoryview:
            return self.array[begin : begin + step].astype(kind).view(np.uint8).data

        with thread_pool(min(4, cores()), "clgraph-widen") as pool:
            ahead: deque[Future[memoryview]] = deque()
            for begin in range(0, len(self.array), step):
                ahead.append(pool.submit(piece, begin))
                if len(ahead) > 8:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()


@dataclass(frozen=True)
class Given:
    """An array to be written of `count` values, which `parts` gives, some at a time."""

    count: int
    dtype: np.dtype[Any]
    parts: Callable[[], Iterator[npt.NDArray[Any]]]

    @property
    def nbytes(self) -> int:
        """Bytes of the array."""
        return self.count * self.dtype.itemsize

    def pieces(self) -> Iterator[memoryview]:
        """Its bytes, a few at a time."""
        kind = self.dtype.newbyteorder("<")
        for part in self.parts():
            yield np.ascontiguousarray(part, kind).view(np.uint8).data


Stored = OnDisk | Zeros | Widened | Given


def write_sections(
    file: Any, header: Header, arrays: Mapping[str, npt.NDArray[Any] | Stored | None]
) -> npt.NDArray[Any]:
    """Write a header, which knows no sections yet, and its arrays; returns the checksums behind them."""
    sections, end = {}, PAGE
    parts: list[tuple[int, npt.NDArray[Any] | Stored]] = []
    for name in (*SECTIONS, "way"):
        array = arrays.get(name)
        if array is None:
            continue
        if isinstance(array, np.ndarray):
            array = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
        section = Section(_next_page(end), array.nbytes, array.dtype.newbyteorder("<").str)
        parts.append((section.offset - end, array))
        sections[name], end = section, section.end
    offset = _next_page(end)
    sums = -(-(offset - PAGE) // BLOCK)
    sections["crc"] = Section(offset, 4 * sums, "<u4")
    checksums = _Checksums(offset)
    expect(offset + 4 * sums)
    file.write(pack_header(replace(header, sections=sections), offset + 4 * sums))
    for gap, array in [*parts, (offset - end, np.empty(0, np.uint8))]:
        stored = _pieces(array) if isinstance(array, np.ndarray) else array.pieces()
        hole = isinstance(array, Zeros)
        for piece in chain([memoryview(bytes(gap))], stored):
            checksums.add(piece)
            if hole:
                file.seek(len(piece), os.SEEK_CUR)
            else:
                file.write(piece)
    last = np.array(checksums.finished(), "<u4")
    file.write(last.tobytes())
    return last


def _pieces(array: npt.NDArray[Any]) -> Iterator[memoryview]:
    whole = array.reshape(-1).view(np.uint8).data
    return (whole[begin : begin + PIECE] for begin in range(0, len(whole), PIECE))


def _next_page(offset: int) -> int:
    return -(-offset // PAGE) * PAGE


class _Checksums:
    """A CRC-32 for each block of the bytes that go through; of several, threads make them."""

    def __init__(self, total: int) -> None:
        self._crc32 = unpacker()[1].crc32
        self._pool = thread_pool(cores(), "clgraph-crc") if total > BLOCK else None
        self._waiting: list[Future[int]] = []
        self._done: list[int] = []
        self._block: list[memoryview] = []
        self._room = BLOCK

    def add(self, data: memoryview) -> None:
        """The next bytes, which stay as they are until `finished`."""
        while len(data):
            piece, data = data[: self._room], data[self._room :]
            self._block.append(piece)
            self._room -= len(piece)
            if not self._room:
                self._end_block()

    def _end_block(self) -> None:
        block, self._block, self._room = self._block, [], BLOCK
        if self._pool is None:
            self._done.append(self._sum(block))
            return
        if len(self._waiting) > cores():  # blocks that come from a file are in memory meanwhile
            self._done.append(self._waiting.pop(0).result())
        self._waiting.append(self._pool.submit(self._sum, block))

    def _sum(self, pieces: list[memoryview]) -> int:
        found = 0
        for piece in pieces:
            found = self._crc32(piece, found)
        return found

    def finished(self) -> list[int]:
        """All of them."""
        if self._block:
            self._end_block()
        self._done += [future.result() for future in self._waiting]
        if self._pool is not None:
            self._pool.shutdown()
        return self._done
