"""The fast path through large edge lists: rows of plain non-negative integers, parsed by NumPy in blocks.

`numpy.loadtxt` takes 3.1 s for 16 million rows; blocks that stay in the cache, parsed eight digits at
a time (D. Lemire's multiplications, as in simdjson, on arrays of 64-bit words), take 1.2 s. Anything unusual
(a sign, a comment between the rows, a missing field, two blanks in a row) sends the whole file to
`numpy.loadtxt` instead, so nothing here has to deal with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph.io.common import MAX_RATIO, open_binary

BLOCK = 1 << 22  # bytes
PAD = 16  # zero bytes before each block, so that the 16 bytes before any number's end exist
# of the 8 bytes before a number's end, the low halves of the last k: its digits
DIGITS = np.array([(2**64 - (1 << (64 - 8 * k))) & 0x0F0F0F0F0F0F0F0F for k in range(9)], np.uint64)


def read_integers(
    path: Path, skip: int, width: int, columns: tuple[int, ...], comma: bool, max_ratio: float = MAX_RATIO
) -> list[npt.NDArray[np.integer]] | None:
    """Columns of a file whose lines after the first `skip` are `width` integers, one character apart.

    Returns
    -------
    list of int32 or int64 arrays, or None if the file holds anything else
    """
    parts: list[list[npt.NDArray[np.integer]]] = [[] for _ in columns]
    separators = (44,) if comma else (9, 32)
    rest = b""
    if max(columns) >= width:
        return None
    with open_binary(path, max_ratio) as file:
        for _ in range(skip):
            if b"\r" in file.readline().removesuffix(b"\n").removesuffix(b"\r"):
                return None  # whoever counted the lines to skip took this for a line end
        while data := file.read(BLOCK):
            cut = data.rfind(b"\n") + 1
            block, rest = b"".join((bytes(PAD), rest, data[:cut])), rest * (not cut) + data[cut:]
            if cut and not _append(parts, block, width, columns, separators):
                return None
            if len(rest) > BLOCK:
                return None
    if rest and not _append(parts, bytes(PAD) + rest + b"\n", width, columns, separators):
        return None
    return [np.concatenate(part) for part in parts] if parts[0] else None


def integer_rows(lines: bytes, width: int, columns: tuple[int, ...], comma: bool) -> Any:
    """Columns of whole lines of `width` integers, one character apart; None if they hold anything else."""
    parts: list[list[npt.NDArray[np.integer]]] = [[] for _ in columns]
    if max(columns) >= width or not _append(
        parts, bytes(PAD) + lines, width, columns, (44,) if comma else (9, 32)
    ):
        return None
    return [part[0] for part in parts]


def _append(
    parts: list[list[npt.NDArray[np.integer]]],
    block: bytes,
    width: int,
    columns: tuple[int, ...],
    separators: tuple[int, ...],
) -> bool:
    """Parse one block of whole lines; False if it holds anything but such integers."""
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    text = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(text < ord("0"))[PAD:]
    if len(ends) % width or text.max() > ord("9"):
        return False
    separator = text[ends].reshape(-1, width)
    between = separator[:, :-1]
    right = (between == separators[0]) | (between == separators[-1])
    if not (np.all(separator[:, -1] == ord("\n")) and np.all(right)):
        return False
    length = np.diff(ends, prepend=PAD - 1) - 1
    longest = int(length.max(initial=1))
    if length.min(initial=1) < 1 or longest > 16:
        return False
    words = np.ndarray(len(text) - 7, "<u8", block, strides=(1,))  # the 8 bytes from each position on
    values = _eight_digits(words[ends - 8], np.minimum(length, 8))
    if longest > 8:
        values += _eight_digits(words[ends - 16], np.maximum(length - 8, 0)) * np.uint64(10**8)
    table = values.reshape(-1, width)
    for part, column in zip(parts, columns, strict=True):
        numbers = table[:, column]
        part.append(numbers.astype(np.int32 if numbers.max(initial=0) < 2**31 else np.int64))
    return True


def _eight_digits(words: npt.NDArray[np.uint64], length: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    """The numbers that the last `length` bytes of each word spell: by pairs of digits, of pairs, of fours."""
    words &= DIGITS[length]
    for factor, shift, mask in ((2561, 8, 0x00FF00FF00FF00FF), (6553601, 16, 0x0000FFFF0000FFFF)):
        words *= np.uint64(factor)
        words >>= np.uint64(shift)
        words &= np.uint64(mask)
    words *= np.uint64(42949672960001)
    words >>= np.uint64(32)
    return words
