"""What ranks of a job exchange in an iteration: host half of ``cl/ranking/shards_exchange.cl``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.device.memory import Staging
from clgraph.ranking.reproducible import Reals, ReproduciblePower
from clgraph.scale.comm import Ranks
from clgraph.scale.manifest import Shard
from clgraph.system import thread_pool

if TYPE_CHECKING:
    from clgraph.device import Device

Bytes = npt.NDArray[np.uint8]
COPIED = 1 << 20  # bytes that a thread copies at a time: so large that scheduling it does not matter
COPIERS = 4


@dataclass(frozen=True)
class Part:
    """The message of a rank.

    Attributes
    ----------
    shards : list of Shard
        Its own.
    first, count : int
        Its vertices in the list of those that are needed.
    sums : int
        Bytes of the sums of its blocks, in front of the values.
    nbytes : int
        Of the message.
    """

    shards: list[Shard]
    first: int
    count: int
    sums: int
    nbytes: int


class Exchange:
    """Exchange the next scores between the ranks of a job, and add up blocks.

    Where shards begin with blocks, each rank adds up its own blocks, and only the ranks of vertices with
    out-arcs travel: nobody else is gathered. Otherwise all do. Messages lie in memory that the driver has
    pinned.

    Parameters
    ----------
    ranks : Ranks
    device : Device
    power : ReproduciblePower
    shards : sequence of Shard
        Of the section, in order of rows.
    """

    def __init__(
        self, ranks: Ranks, device: Device, power: ReproduciblePower, shards: tuple[Shard, ...]
    ) -> None:
        self._ranks, self._device, self._power, self._block = ranks, device, power, power.block
        self._dtype, self._blocks = power.dtype, -(-power.n // power.block)
        if ranks.size == 1:
            return
        self._packs = all(shard.first_row % self._block == 0 for shard in shards)
        self._needed, self._parts = self._list([shards[r :: ranks.size] for r in range(ranks.size)])
        self._own = self._parts[ranks.rank]
        self._leaving = [Staging(device, max(16, self._own.nbytes)) for _ in range(2)]
        self._coming = Staging(device, 16 + sum(part.nbytes + 8 for part in self._parts))
        self._rooms = [np.empty(0 if ranks.shares_memory else part.nbytes, np.uint8) for part in self._parts]
        self._copiers = thread_pool(COPIERS, "clgraph-copy")
        # a GPU reads the memory that another one has pinned
        self._direct, self._read = ranks.shares_memory and device.kind == "gpu", [np.empty(0, np.uint8)]

    def _list(self, owned: list[tuple[Shard, ...]]) -> tuple[Any, list[Part]]:
        """List the vertices that others need, grouped by rank, and what each rank sends."""
        device, n, program = self._device, self._power.n, self._program()
        present = device.empty(n, np.uint8)
        if self._packs:
            program.exchange_present(self._over(n), n=n, inverse=self._power.inverse, present=present)
        else:
            device.fill(present, np.uint8(1), n)
        before = running_sums(device, present, n, of=np.uint8, into=np.int32)

        def place(vertex: int) -> int:
            return int(device.download(before, np.int32, 1, offset=vertex)[0])

        needed, parts, at = device.empty(place(n), np.int32), [], 0
        for shards in owned:
            first, blocks = at, 0
            for shard in shards:
                listed = {"at": at, "before": before, "needed": needed}
                program.exchange_list.launch(shard, self._over(shard.rows), **listed)
                at += place(shard.first_row + shard.rows) - place(shard.first_row)
                blocks += -(-shard.rows // self._block) if self._packs else 0
            size = 16 * blocks + (at - first) * self._dtype.itemsize
            parts.append(Part(list(shards), first, at - first, 16 * blocks, size))
        return needed, parts

    def _program(self) -> Any:
        real = "float" if self._dtype == np.float32 else "double"
        return self._device.program("ranking/shards_exchange", REAL=real, ITEMS=self._device.tuning.items)

    def _over(self, count: int) -> int:
        return -(-count // self._device.tuning.items)

    def sums(self) -> Reals:
        """Return the sums of all blocks, computed by this rank alone: for the start vector."""
        with self._device.alone():
            return self._power.blocks(0, self._blocks)

    def __call__(self) -> Callable[[], Reals]:
        """Distribute the next scores of all vertices that are gathered; waits for the sums of all blocks."""
        if self._ranks.size == 1:
            with self._device.alone():
                return self._power.start_blocks(0, self._blocks)
        # two in turn: others may still read what was sent last, but not what was sent before that
        self._leaving.reverse()
        with self._device.alone():
            message = self._gather(self._leaving[0])
        if not self._ranks.shares_memory:  # what pins memory for a network must not meet a driver's
            message = self._copy(self._rooms[self._ranks.rank], message)
        found = self._ranks.everywhere(message, into=self._rooms)
        with self._device.alone():
            every = self._spread(found)
        return lambda: every

    def _gather(self, staging: Staging) -> Bytes:
        own, at = self._own, 0
        staging.give(0, 0)
        for shard in own.shards if self._packs else ():
            blocks = -(-shard.rows // self._block)
            self._power.add_blocks(shard.first_row // self._block, blocks, staging.buffer, at)
            at += blocks
        self._program().exchange_pack(
            self._over(own.count), **self._values_of(own, 0), values=self._power.y, message=staging.buffer
        )
        return staging.fetch(own.nbytes)

    def _values_of(self, part: Part, begin: int) -> dict[str, Any]:
        """Arguments for packing and unpacking a message that begins at a byte."""
        at = (begin + part.sums) // self._dtype.itemsize
        return {"count": part.count, "first": part.first, "at": at, "needed": self._needed}

    def _copy(self, into: Bytes, data: Bytes) -> Bytes:
        def copy(begin: int) -> None:
            into[begin : begin + COPIED] = data[begin : begin + COPIED]

        list(self._copiers.map(copy, range(0, len(data), COPIED)))
        return into

    def _spread(self, found: list[Bytes]) -> Reals:
        every, coming, end = np.zeros((self._blocks, 2)), self._coming, 0
        if not self._direct:
            coming.take_back()
        self._read = found  # what was read in the last iteration is free: `_gather` has waited since
        begins = {}
        for rank, (part, message) in enumerate(zip(self._parts, found, strict=True)):
            sums = message[: part.sums].view(np.float64).reshape(-1, 2)
            for shard in part.shards if self._packs else ():
                first, count = shard.first_row // self._block, -(-shard.rows // self._block)
                every[first : first + count], sums = sums[:count], sums[count:]
            if rank != self._ranks.rank:
                begins[rank] = end
                if self._direct:
                    coming.give_array(message, end)
                else:
                    self._copy(coming.array[end : end + part.nbytes], message)
                end += -(-part.nbytes // 8) * 8
        if not self._direct:
            coming.give(0, end)
        for rank, begin in begins.items():
            part = self._parts[rank]
            self._program().exchange_unpack(
                self._over(part.count),
                **self._values_of(part, begin),
                message=coming.buffer,
                values=self._power.y,
            )
        return every if self._packs else self._power.blocks(0, self._blocks)

    def complete(self) -> npt.NDArray[Any]:
        """Return the current scores of all vertices; no messages are read after this."""
        with self._device.alone():
            found = self._power.scores()
        if self._ranks.size == 1:
            return found
        own = [found[shard.first_row :][: shard.rows] for shard in self._own.shards]
        every = self._ranks.everywhere(np.concatenate([np.empty(0, self._dtype), *own]))
        for part, values in zip(self._parts, every, strict=True):
            at = 0
            for shard in part.shards:
                found[shard.first_row :][: shard.rows] = values[at : at + shard.rows]
                at += shard.rows
        self._copiers.shutdown()
        return found
