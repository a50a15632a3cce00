"""The part of each shard that is in a sample: host half of ``cl/scale/extract.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.scale.shards import ShardRows

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class Chosen:
    """What decides which edges are in a sample.

    Attributes
    ----------
    member : bool array, shape (n,)
    cut : (int, int), or None
        dre: (time, word) of the last deletion; only later edges are in the sample. None: drv.
    """

    member: npt.NDArray[np.bool_]
    cut: tuple[int, int] | None


@dataclass(frozen=True)
class Kept:
    """What stays of a shard.

    Attributes
    ----------
    first_row : int
        The new number of its first vertex that stays.
    row_ptr : array, shape (rows that stay + 1,)
    col_idx : int32 array
        New numbers.
    place : array
        Where in the shard each entry was.
    """

    first_row: int
    row_ptr: npt.NDArray[Any]
    col_idx: npt.NDArray[np.int32]
    place: npt.NDArray[Any]


class Extraction:
    """Takes samples out of shards.

    Parameters
    ----------
    device : Device
    seed : int
    chosen : Chosen
    """

    def __init__(self, device: Device, seed: int, chosen: Chosen) -> None:
        self._device, self._seed, self._chosen = device, np.uint64(seed), chosen
        n = len(chosen.member)
        packed = np.zeros(-(-n // 32) * 4, np.uint8)
        bits = np.packbits(chosen.member, bitorder="little")
        packed[: len(bits)] = bits
        words = packed.view("<u4").astype(np.uint32)
        ones = np.bitwise_count(words).astype(np.int64)
        self._before = np.cumsum(ones) - ones
        self._member_buffer = device.upload(words)
        self._before_buffer = device.upload(self._before.astype(np.int32))
        cut = chosen.cut or (0, 0)
        self._cut = np.uint64(cut[0]), np.uint64(cut[1])

    def of(self, rows: ShardRows) -> Kept:
        """The part of a shard."""
        device, shard = self._device, rows.shard
        offset = np.int64 if rows.row_ptr.dtype == np.int64 else np.int32
        program = device.program(
            "scale/extract",
            ITEMS=device.tuning.items,
            BY_EDGE=int(self._chosen.cut is not None),
            OFFSET="long" if offset is np.int64 else "int",
        )
        passes = -(-shard.rows // device.tuning.items)
        head = (np.int32(shard.rows), np.int32(shard.first_row), self._seed, *self._cut, self._member_buffer)
        there = self._chosen.member[shard.first_row : shard.first_row + shard.rows]
        new_first = int(np.count_nonzero(self._chosen.member[: shard.first_row]))
        if not shard.edges:
            count = np.zeros(shard.rows, np.int64)
        else:
            csr = device.upload(rows.row_ptr), device.upload(rows.col_idx)
            counted = device.empty(max(shard.rows, 1), np.int32)
            program.extract_count(passes, *head, *csr, counted)
            count = device.download(counted, np.int32, shard.rows).astype(np.int64)
        start = np.zeros(shard.rows + 1, np.int64)
        np.cumsum(count, out=start[1:])
        total = int(start[-1])
        heads, place = np.empty(0, np.int32), np.empty(0, offset)
        if total:
            places, numbers = device.empty(total, offset), device.empty(total, np.int32)
            starts = device.upload(start.astype(offset))
            program.extract_place(passes, *head, self._before_buffer, *csr, starts, places, numbers)
            heads = device.download(numbers, np.int32, total)
            place = device.download(places, offset, total)
        row_ptr = np.zeros(int(np.count_nonzero(there)) + 1, np.int64)
        np.cumsum(count[there], out=row_ptr[1:])
        return Kept(new_first, row_ptr, heads, place)
