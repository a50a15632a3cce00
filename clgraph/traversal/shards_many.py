"""Many breadth-first searches of graphs in shards at once: host half of ``cl/traversal/shards_many.cl``."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.shards import LAUNCH
from clgraph.scale.loading import Loading
from clgraph.scale.manifest import BLOCK
from clgraph.scale.ranks import Ranks, run_on_ranks
from clgraph.scale.shards import Shards
from clgraph.traversal import arguments
from clgraph.traversal.many_batch import ManyBatch, ManyScratch
from clgraph.traversal.results import ManyBFSResult
from clgraph.traversal.search import last_level
from clgraph.traversal.shards import Search, agree, sections_of, with_rows

if TYPE_CHECKING:
    from clgraph.device import Device

DEEP = 127  # levels that searches go on together: up to there a batch takes BYTES
BYTES = 3  # a vertex and lane: bits seen, frontiers, up to 8 planes while 4 are widened, distances


def search_blocks_often(
    shards: Shards,
    roots: npt.NDArray[np.int32],
    depth_limit: int | None,
    dtype: npt.DTypeLike | None,
    lanes: int,
    device: Any,
    progress: Callable[[int, int], None] | None,
) -> ManyBFSResult:
    """`clgraph.bfs_many` over blocks of rows: the searches of a batch share each pass over one."""
    push, pull = sections_of(shards, backward=False)

    def work(ranks: Ranks, dev: Device) -> ManyBFSResult:
        agree(ranks, shards, "bfs_many", roots, depth_limit)
        started = perf_counter()
        width = _lanes_of(ranks, dev, shards.num_vertices, min(lanes, 32 if len(roots) <= 32 else 64))
        taken = width * BYTES * shards.num_vertices
        loading = Loading(dev, shards, room=max(0, dev.global_memory // 2 - taken))
        search = Searches(ranks, dev, shards, loading, push, pull, width) if width else None
        single: Search | None = None
        found = np.empty((len(roots), shards.num_vertices), arguments.distance_type(1, dtype))
        levels = 0
        for first in range(0, len(roots), width or 1):
            batch = roots[first : first + (width or 1)]
            part = search.run(batch, last_level(depth_limit), dtype) if search else None
            if part is None:
                single = single or Search(ranks, dev, shards, push, pull, loading)
                part = _one_by_one(single, batch, depth_limit, dtype)
            rows, deepest = part
            levels = max(levels, deepest)
            found = found.astype(arguments.distance_type(levels, dtype), copy=False)
            found[first : first + len(batch)] = rows
            if progress and ranks.rank == 0:
                progress(first + len(batch), len(roots))
        seconds = {"bfs": perf_counter() - started, "total": perf_counter() - started}
        return ManyBFSResult(found, roots, levels, depth_limit, seconds, dev.name)

    return run_on_ranks(work, device, shards.comm)


def _lanes_of(ranks: Ranks, device: Device, n: int, lanes: int) -> int:
    """The most searches at once, 64 or 32, that half of every rank's device has room for; 0 for neither."""
    room = min(device.global_memory // 2 // BYTES, device.max_buffer)  # a byte each of the distances
    own = next((each for each in (64, 32) if each <= lanes and each * n <= room), 0)
    return int(np.min(ranks.everywhere(np.array([own]))))


def _one_by_one(
    search: Search, roots: npt.NDArray[np.int32], depth_limit: int | None, dtype: npt.DTypeLike | None
) -> tuple[npt.NDArray[Any], int]:
    rows, levels = [], 0
    for root in roots:
        deepest, _ = search.run(root[None], depth_limit)
        rows.append(search.distance().astype(arguments.distance_type(deepest, dtype), copy=False))
        levels = max(levels, deepest)
    return np.stack(rows), levels


class Searches(ManyBatch):
    """Batches of searches on one rank's device, level by level."""

    def __init__(
        self,
        ranks: Ranks,
        device: Device,
        shards: Shards,
        loading: Loading,
        push: str | None,
        pull: str | None,
        lanes: int,
    ) -> None:
        super().__init__(device, shards.num_vertices, lanes)
        self._ranks, self._shards, self._loading = ranks, shards, loading
        self._push, self._pull = push, pull
        self._bits = np.dtype(np.uint64 if lanes == 64 else np.uint32)
        with device.alone():
            self.scratch = ManyScratch.make(device, self.n, lanes)

    def run(
        self, roots: npt.NDArray[np.int32], last: int, dtype: npt.DTypeLike | None
    ) -> tuple[npt.NDArray[Any], int] | None:
        """Distances (k, n) of one batch, and the number of levels; None after more than DEEP levels."""
        device = self.dev
        with device.alone():
            self._start(roots)
        level, count = 0, len(roots)
        while count and level < last:
            if level >= DEEP:
                return None
            with device.alone():
                if level + 1 >= 1 << self.scratch.bits:
                    self._more_planes()
            self._go_on(level, count)
            self._share()
            with device.alone():
                args = self._arguments(level, None)
                settling = self._searches("traversal/many_pull")
                settling.bfs_many_settle_all(self._vertices(), **args, local=self.launch.local)
                self.scratch.swap_fronts()
                level += 1
                count, _ = self._frontier(level)
        levels = level + (count > 0)
        kind = arguments.distance_type(levels, dtype)
        with device.alone():
            distance = self._expand(len(roots), levels, kind)
            return device.take(distance, kind, len(roots) * self.n).reshape(len(roots), self.n), levels

    def _go_on(self, level: int, count: int) -> None:
        """Mark what a level's frontier, of `count` vertices, reaches along own rows."""
        self._pulling = self._pull is not None and (self._push is None or self._pulls(level, count))
        name = self._pull if self._pulling else self._push
        assert name is not None
        scratch, span = self.scratch, LAUNCH.of(self.dev).span
        for rows in self._loading.rows(name, self._wanted(name, level)):
            with self.dev.alone():
                program = self._program("traversal/shards_many", SPAN=span, **rows.defines)
                bits = {"seen": scratch.seen, "front": scratch.front, "next": scratch.next}
                spans = -(-rows.arcs // span)
                if self._pulling:
                    program.shard_collect(spans, **rows.arguments, **bits, level=level, state=scratch.state)
                else:
                    program.shard_hand_on(spans, **rows.arguments, **bits)

    def _wanted(self, name: str, level: int) -> list[int]:
        """Own shards with rows that can add to the level."""
        section, scratch = self._shards.section(name).shards, self.scratch
        own = [number for number in self._ranks.shares(len(section)) if section[number].edges]
        if len(own) < 2:
            return own
        with self.dev.alone():
            count = -(-self.n // BLOCK)
            blocks = self.dev.zeros(count, np.uint32)
            self._program("traversal/shards_many").shard_blocks(
                self._vertices(),
                n=self.n,
                level=level,
                pushes=not self._pulling,
                seen=scratch.seen,
                front=scratch.front,
                state=scratch.state,
                blocks=blocks,
            )
            some = np.flatnonzero(self.dev.download(blocks, np.uint32, count))
        return with_rows(section, own, some, BLOCK)

    def _share(self) -> None:
        """Bring together what all ranks have found."""
        if self._ranks.size == 1:
            return
        device, scratch, n = self.dev, self.scratch, self.n

        def pack(_: object) -> npt.NDArray[Any]:
            with device.alone():
                return device.download(scratch.next, self._bits, n)

        def join(_: object, other: npt.NDArray[np.uint8]) -> None:
            with device.alone():
                program = self._program("traversal/shards_many")
                found = device.upload(other.view(self._bits))
                program.shard_join_found(self._vertices(), n=n, other=found, next=scratch.next)
                device.finish()  # the message's memory is free

        self._ranks.merge(None, pack, join)
        whole = self._ranks.broadcast(pack(None) if self._ranks.rank == 0 else None, self._bits)
        if self._ranks.rank:
            with device.alone():
                device.write(scratch.next, whole)
