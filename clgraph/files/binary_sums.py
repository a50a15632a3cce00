"""Checksums of .clg files, computed while they are read: host half of ``cl/files/binary_sums.cl``.

A device with memory of its own computes them; else those who read do, while it is in the cache.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.shapes import Shapes
from clgraph.graph.io.binary_header import BLOCK
from clgraph.graph.io.packed import unpacker

if TYPE_CHECKING:
    from clgraph.device import Device

POLYNOMIAL = 0xEDB88320
ONE = 1 << 31  # the polynomial 1: the highest power is in the lowest bit
ONES = 2**32 - 1
SHAPES = Shapes(gpu=2048, cpu=4096, simulator=64)  # bytes that one work-item takes


def product(a: int, b: int) -> int:
    """The product of two remainders."""
    found = 0
    for k in range(31, -1, -1):
        found ^= b if a >> k & 1 else 0
        b = b >> 1 ^ (POLYNOMIAL if b & 1 else 0)
    return found


@cache
def powers() -> npt.NDArray[np.uint32]:
    """x^8, and the square of each for the next."""
    found = [ONE >> 8]
    for _ in range(BLOCK.bit_length() - 1):
        found.append(product(found[-1], found[-1]))
    return np.array(found, np.uint32)


@cache
def tables() -> npt.NDArray[np.uint32]:
    """The remainder of each byte with 0 to 7 bytes behind it."""
    found = np.zeros((8, 256), np.uint32)
    found[0] = np.arange(256)
    for _ in range(8):
        found[0] = found[0] >> 1 ^ np.where(found[0] & 1, np.uint32(POLYNOMIAL), np.uint32(0))
    for k in range(1, 8):
        found[k] = found[k - 1] >> 8 ^ found[0][found[k - 1] & 255]
    return found


def followed(remainder: int, nbytes: int) -> int:
    """The remainder of some bytes with so many zeros behind them."""
    for k, power in enumerate(powers().tolist()):
        if nbytes >> k & 1:
            remainder = product(power, remainder)
    return remainder


def finished(remainder: int, nbytes: int) -> int:
    """zlib's checksum of so many bytes, with ones before and behind them; and from that their remainder."""
    return remainder ^ followed(ONES, nbytes) ^ ONES


class Sums:
    """A checksum for each block of a file's bytes, which come in any order; those that are zero need not.

    Parameters
    ----------
    device : Device
    covered : int
        Bytes that have checksums; the first one is byte 0 here.
    here : bool, optional
        Whether the host computes them. Default: if it shares its memory with the device.
    """

    def __init__(self, device: Device, covered: int, here: bool | None = None) -> None:
        self._device, self._covered = device, covered
        self._here = device.shares_memory if here is None else here
        self._blocks = -(-covered // BLOCK)
        self._found: list[tuple[int, int, int]] = []  # by the host: beginnings, lengths, checksums
        if not self._here:
            self._chunk = SHAPES.of(device)
            self._program = device.program("files/binary_sums", CHUNK=self._chunk, BLOCK=BLOCK)
            self._constants = {"tables": device.upload(tables()), "powers": device.upload(powers())}
            self._sums = device.zeros(self._blocks, np.uint32)

    def read(self, view: memoryview, begin: int) -> None:
        """Bytes that were read to the host's memory; in any thread."""
        if not self._here:
            return
        crc32 = unpacker()[1].crc32
        for start in range(begin - begin % BLOCK, begin + len(view), BLOCK):
            first = max(start, begin)
            part = view[first - begin : start + BLOCK - begin]
            self._found.append((first, len(part), crc32(part)))

    def loaded(self, data: Any, begin: int, nbytes: int) -> None:
        """Bytes that are in a device buffer; `begin` is a multiple of 4096. Does not wait."""
        if not self._here:
            chunks, constants = -(-nbytes // self._chunk), self._constants
            self._program.binary_sums(
                chunks,
                nbytes=nbytes,
                begin=begin,
                covered=self._covered,
                **constants,
                data=data,
                sums=self._sums,
            )

    def all(self) -> list[int]:
        """The checksums; waits."""
        lengths = [min(BLOCK, self._covered - k * BLOCK) for k in range(self._blocks)]
        if self._here:
            sums = [0] * self._blocks
            for begin, nbytes, sum in self._found:
                k, place = divmod(begin, BLOCK)
                sums[k] ^= followed(finished(sum, nbytes), lengths[k] - place - nbytes)
        else:
            sums = self._device.download(self._sums, np.uint32, self._blocks).tolist()
        return [finished(sum, length) for sum, length in zip(sums, lengths, strict=True)]
