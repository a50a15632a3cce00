"""What ranks tell each other in an iteration of PageRank: host half of ``cl/scale/pagerank_exchange.cl``."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.ranking.fixed import BLOCK, FixedPower, Reals
from clgraph.scale.manifest import Shard
from clgraph.scale.ranks import Ranks

if TYPE_CHECKING:
    from clgraph.device import Device

Bytes = npt.NDArray[np.uint8]


class Exchange:
    """Brings the next ranks of vertices to all ranks of a job, and adds up blocks.

    Where shards begin with blocks, each rank adds up its own blocks, and only the ranks of vertices with
    out-arcs travel: nobody else is gathered. Otherwise all do.

    Parameters
    ----------
    ranks : Ranks
    device : Device
    power : FixedPower
    shards : sequence of Shard
        Of the section, in order of rows.
    """

    def __init__(self, ranks: Ranks, device: Device, power: FixedPower, shards: tuple[Shard, ...]) -> None:
        self._ranks, self._device, self._power, self._shards = ranks, device, power, shards
        self._dtype, self._blocks = power.dtype, -(-power.n // BLOCK)
        if ranks.size == 1:
            return
        self._packs = all(shard.first_row % BLOCK == 0 for shard in shards)
        places = [shard.first_row for shard in shards] + [power.n]
        self._needed: Any = None
        if self._packs:
            places = self._list(places)
        self._parts = list(pairwise(places))
        self._messages = [self._empty(rank) for rank in range(ranks.size)]
        self._own = [self._empty(ranks.rank), self._empty(ranks.rank)]

    def _list(self, places: list[int]) -> list[int]:
        """List what others need; where the lists of rows that begin at some places begin."""
        device, n = self._device, self._power.n
        items, program = self._over(n), self._program()
        present = device.empty(n, np.uint8)
        program.exchange_present(items, np.int32(n), self._power.inverse, present)
        before = running_sums(device, present, n, of=np.uint8, into=np.int32)
        found = [int(device.download(before, np.int32, 1, offset=place)[0]) for place in places]
        self._needed = device.empty(found[-1], np.int32)
        self._packed = device.empty(max(end - begin for begin, end in pairwise(found)), self._dtype)
        program.exchange_list(items, np.int32(n), before, self._needed)
        return found

    def _program(self) -> Any:
        real = "float" if self._dtype == np.float32 else "double"
        return self._device.program("scale/pagerank_exchange", REAL=real, ITEMS=self._device.tuning.items)

    def _over(self, count: int) -> int:
        return -(-count // self._device.tuning.items)

    def _of(self, rank: int) -> range:
        return range(rank, len(self._shards), self._ranks.size)

    def _blocks_of(self, number: int) -> tuple[int, int]:
        """The first block of a shard, and how many it has."""
        shard = self._shards[number]
        return shard.first_row // BLOCK, -(-shard.rows // BLOCK)

    def _empty(self, rank: int) -> Bytes:
        """Room for the message of a rank: the sums of its blocks, then its values."""
        values = sum(self._parts[number][1] - self._parts[number][0] for number in self._of(rank))
        return np.zeros(self._sums_of(rank) + values * self._dtype.itemsize, np.uint8)

    def _sums_of(self, rank: int) -> int:
        """Bytes of the sums in a rank's message."""
        return 16 * sum(self._blocks_of(number)[1] for number in self._of(rank)) if self._packs else 0

    def sums(self) -> Reals:
        """Sums of all blocks, by this rank alone: for the vector to start from."""
        with self._device.alone():
            return self._power.blocks(0, self._blocks)

    def __call__(self) -> Reals:
        """Let all have the next ranks of all vertices that are gathered; the sums of all blocks."""
        if self._ranks.size == 1:
            return self.sums()
        # two in turn: others may still read what was sent last, but not what was sent before that
        self._own.reverse()
        with self._device.alone():
            self._gather(self._own[0])
        found = self._ranks.everywhere(self._own[0], into=self._messages)
        with self._device.alone():
            return self._spread(found)

    def _gather(self, message: Bytes) -> None:
        device, at = self._device, self._sums_of(self._ranks.rank)
        if self._packs:
            own = [self._power.blocks(*self._blocks_of(number)) for number in self._of(self._ranks.rank)]
            message[:at] = np.concatenate([np.empty((0, 2)), *own]).reshape(-1).view(np.uint8)
        for number in self._of(self._ranks.rank):
            begin, end = self._parts[number]
            size = (end - begin) * self._dtype.itemsize
            there = message[at : at + size].view(self._dtype)
            at += size
            if not self._packs:
                device.fetch(self._power.next, there, offset=begin)
                continue
            count = np.int32(end - begin)
            self._program().exchange_pack(
                self._over(end - begin), count, np.int32(begin), self._needed, self._power.next, self._packed
            )
            device.fetch(self._packed, there)

    def _spread(self, found: list[Bytes]) -> Reals:
        every = np.zeros((self._blocks, 2))
        for rank, message in enumerate(found):
            at = self._sums_of(rank)
            sums = message[:at].view(np.float64).reshape(-1, 2)
            for number in self._of(rank) if self._packs else ():
                first, count = self._blocks_of(number)
                every[first : first + count], sums = sums[:count], sums[count:]
            for number in self._of(rank) if rank != self._ranks.rank else ():
                begin, end = self._parts[number]
                size = (end - begin) * self._dtype.itemsize
                self._take(begin, message[at : at + size].view(self._dtype))
                at += size
        return every if self._packs else self._power.blocks(0, self._blocks)

    def _take(self, begin: int, values: npt.NDArray[Any]) -> None:
        device, there = self._device, self._power.next
        if not self._packs:
            device.write(there, values, offset=begin)
            return
        device.write(self._packed, values)
        count = np.int32(len(values))
        self._program().exchange_unpack(
            self._over(len(values)), count, np.int32(begin), self._needed, self._packed, there
        )

    def complete(self) -> npt.NDArray[Any]:
        """The present ranks of all vertices."""
        with self._device.alone():
            found = self._power.ranks()
        if self._ranks.size == 1 or not self._packs:
            return found
        own = [self._rows(number) for number in self._of(self._ranks.rank)]
        every = self._ranks.everywhere(np.concatenate([np.empty(0, self._dtype), *(found[s] for s in own)]))
        for rank, values in enumerate(every):
            at = 0
            for rows in map(self._rows, self._of(rank)):
                found[rows] = values[at : at + rows.stop - rows.start]
                at += rows.stop - rows.start
        return found

    def _rows(self, number: int) -> slice:
        shard = self._shards[number]
        return slice(shard.first_row, shard.first_row + shard.rows)
