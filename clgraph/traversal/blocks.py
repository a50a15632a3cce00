"""Breadth-first search of graphs whose rows come block by block: host half of ``cl/traversal/blocks.cl``.

One search keeps a bit a vertex (`Search`), a batch of searches a word of bits (`Searches`).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.shards import LAUNCH
from clgraph.device.launch_config import LaunchTable
from clgraph.scale.comm import Ranks, run_on_ranks
from clgraph.scale.loading import Loading
from clgraph.scale.manifest import BLOCK, Shard
from clgraph.scale.shards import Shards
from clgraph.traversal.many import ManyBatch, ManyScratch
from clgraph.traversal.results import distance_type, one_by_one

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device

# entries that a work-item takes for one search: on GPUs more than for many, as most rows are passed over, and
# what costs time is to find the first one by bisection. 0: whole rows, of any length, which a CPU core goes
# through in three quarters of the time
ENTRIES = LaunchTable(gpu=32, cpu=0, simulator=5)
FEW = 32  # a frontier of fewer than a 32nd of the unvisited vertices is pushed from, a larger one pulled to
DEEP = 127  # levels that searches go on together: up to there a batch takes BYTES
BYTES = 3  # a vertex and lane: bits seen, frontiers, up to 8 planes while 4 are widened, distances


def search_blocks(
    shards: Shards, roots: npt.NDArray[np.int32], last: int, predecessors: bool, *, device: Any
) -> tuple[tuple[Any, Any, Any], dict[str, Any]]:
    """Search as `clgraph.bfs` does: distances, predecessors, sources, and the other attributes of its result.

    Sources are None where there is one root, and predecessors where they are not requested.
    """
    owners = len(roots) > 1
    push, pull = sections_of(shards, backward=predecessors or owners)

    def work(ranks: Ranks, dev: Device) -> tuple[tuple[Any, Any, Any], dict[str, Any]]:
        _agree(ranks, shards, "bfs", roots, last)
        started = perf_counter()
        room = dev.global_memory // 2 - 5 * shards.num_vertices
        search = Search(Blocks(ranks, Loading(dev, shards, room=room), push, pull), dev)
        distance, levels, reached = search.run(roots, last)
        seconds = {"bfs": perf_counter() - started}
        before = search.before() if predecessors else None
        owner = search.owners(roots, distance) if owners else None
        seconds["total"] = perf_counter() - started
        facts = {"levels": levels, "reached": reached, "seconds": seconds, "device": dev.name}
        return (distance, before, owner), facts | {"method": "shards"}

    return run_on_ranks(work, device, shards.comm)


def search_blocks_often(
    shards: Shards,
    roots: npt.NDArray[np.int32],
    last: int,
    dtype: npt.DTypeLike | None,
    lanes: int,
    device: Any,
    progress: Callable[[int, int], None] | None,
) -> tuple[npt.NDArray[Any], int, dict[str, float], str]:
    """Search as `clgraph.bfs_many` does: distances (k, n), levels, time by phase, and the device's name.

    The searches of a batch share each pass over a block.
    """
    push, pull = sections_of(shards, backward=False)
    n = shards.num_vertices

    def work(ranks: Ranks, dev: Device) -> tuple[npt.NDArray[Any], int, dict[str, float], str]:
        _agree(ranks, shards, "bfs_many", roots, last)
        started = perf_counter()
        room = min(dev.global_memory // 2 // BYTES, dev.max_buffer)  # a byte each of the distances
        most = min(lanes, 32 if len(roots) <= 32 else 64)
        own = next((each for each in (64, 32) if each <= most and each * n <= room), 0)
        # the most searches at once that half of every rank's device has room for; 0: one after the other
        width = int(np.min(ranks.everywhere(np.array([own]))))
        loading = Loading(dev, shards, room=max(0, dev.global_memory // 2 - width * BYTES * n))
        blocks = Blocks(ranks, loading, push, pull)
        search = Searches(blocks, dev, width) if width else None
        single: Search | None = None
        found = np.empty((len(roots), n), distance_type(1, dtype))
        levels = 0
        for first in range(0, len(roots), width or 1):
            batch = roots[first : first + (width or 1)]
            part = search.run(batch, last, dtype) if search else None
            if part is None:
                single = single or Search(blocks, dev)
                part = one_by_one(partial(single.run, last=last), batch, dtype)
            rows, deepest = part
            levels = max(levels, deepest)
            found = found.astype(distance_type(levels, dtype), copy=False)
            found[first : first + len(batch)] = rows
            if progress and ranks.rank == 0:
                progress(first + len(batch), len(roots))
        took = perf_counter() - started
        return found, levels, {"bfs": took, "total": took}, dev.name

    return run_on_ranks(work, device, shards.comm)


def sections_of(shards: Shards, *, backward: bool) -> tuple[str | None, str | None]:
    """Return the sections to push from and to pull along; InputError if one that is needed is missing."""
    known = shards.manifest.sections
    if not shards.directed:
        shards.section("rows")
        return "rows", "rows"
    push, pull = ("out" if "out" in known else None), ("in" if "in" in known else None)
    if backward or not (pull or push):
        shards.section("in")
    return push, pull


def _agree(ranks: Ranks, shards: Shards, method: str, roots: npt.NDArray[np.int32], last: int) -> None:
    """Raise InputError unless all ranks search the same."""
    given = f"{len(roots)} ids, checksum {zlib.crc32(roots.tobytes()):08x}"
    ranks.agree(dataset=shards.fingerprint, method=method, sources=given, depth=str(last))


class Blocks:
    """A rank's blocks of the rows to push from and of those to pull along; either may be missing."""

    def __init__(self, ranks: Ranks, loading: Loading, push: str | None, pull: str | None) -> None:
        self.ranks, self.shards = ranks, loading.shards
        self.push, self.pull, self._loading = push, pull, loading

    def _of(self, pushes: bool) -> tuple[str, tuple[Shard, ...], list[int]]:
        """Return a section, its shards, and the numbers of those of this rank that have entries."""
        name = self.push if pushes else self.pull
        assert name is not None
        shards = self.shards.section(name).shards
        return name, shards, [number for number in self.ranks.shares(len(shards)) if shards[number].edges]

    def having(
        self, groups: Callable[[], npt.NDArray[np.int64]], unit: int, *, pushes: bool
    ) -> Iterator[DeviceCSR]:
        """Load this rank's blocks with rows in some `groups` of `unit` rows; the groups ascend."""
        name, shards, own = self._of(pushes)
        if len(own) > 1:  # one is needed in any case, or the search would have ended
            some = groups()
            first = np.array([shards[number].first_row for number in own]) // unit
            behind = -(-np.array([shards[number].first_row + shards[number].rows for number in own]) // unit)
            has = np.searchsorted(some, behind) > np.searchsorted(some, first)
            own = [number for number, wanted in zip(own, has, strict=True) if wanted]
        return self._loading.rows(name, own)

    def arriving(self, wanted: Callable[[Shard], bool] = lambda shard: True) -> Iterator[DeviceCSR]:
        """Load this rank's blocks of the rows to pull along, as far as they are wanted."""
        name, shards, own = self._of(False)
        return self._loading.rows(name, [number for number in own if wanted(shards[number])])

    def join(self, own: npt.NDArray[Any], by: np.ufunc) -> npt.NDArray[Any]:
        """Return the arrays of all ranks joined element by element; `own` is written to.

        By a tree of messages: a ring would hold the arrays of all ranks at each of them.
        """

        def take(mine: npt.NDArray[Any], other: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
            return by(mine, other.view(mine.dtype), out=mine)

        return self.ranks.broadcast(self.ranks.merge(own, lambda mine: mine, take), own.dtype)

    def share(
        self, device: Device, buffer: Any, count: int, dtype: Any, by: np.ufunc = np.bitwise_or
    ) -> None:
        """Join a buffer of `count` elements over all ranks."""
        if self.ranks.size > 1:
            with device.alone():
                own = device.download(buffer, dtype, count)
            whole = self.join(own, by)
            with device.alone():
                device.write(buffer, whole)


class Search:
    """One search on one rank's device, level by level."""

    def __init__(self, blocks: Blocks, device: Device) -> None:
        self._blocks, self._device = blocks, device
        self.n = n = blocks.shards.num_vertices
        self._words = words = -(-n // 32)
        self.level, self.state = 0, None  # `block_pull` takes that of many searches, too
        with device.alone():
            device.reserve({"distances": 4 * n, "bitmaps": 3 * 4 * words})
            self.front, self.seen, self.next = (device.empty(words, np.uint32) for _ in range(3))
            self.distance = device.empty(n, np.int32)
            self.count = device.empty(1, np.int32)

    def run(self, roots: npt.NDArray[np.int32], last: int) -> tuple[npt.NDArray[np.int32], int, int]:
        """Search from these vertices; returns distances, levels, and vertices reached."""
        device = self._device
        first = np.zeros(self._words, np.uint32)
        np.bitwise_or.at(first, roots >> 5, np.uint32(1) << (roots & 31).astype(np.uint32))
        with device.alone():
            device.clear(self.seen, self._words, np.uint32)
            device.fill(self.distance, np.int32(-1), self.n)
            device.write(self.next, first)
        self.level = 0
        reached = fresh = self._step()
        while fresh and self.level < last:
            self.level += 1
            # pushing reads the rows of the frontier, pulling those of all that are not reached yet
            few = FEW * fresh < self.n - reached
            pushes = self._blocks.push is not None and (few or self._blocks.pull is None)
            words = partial(self._words_of_interest, pushes)
            for rows in self._blocks.having(words, 32, pushes=pushes):
                self._over(rows, "block_push" if pushes else "block_pull")
            self._blocks.share(device, self.next, self._words, np.uint32)
            fresh = self._step()
            reached += fresh
        with device.alone():
            distance = device.download(self.distance, np.int32, self.n)
        return distance, (self.level + 1 if fresh else self.level), reached

    def _over(self, rows: DeviceCSR, name: str, **more: Any) -> None:
        """Launch a kernel over the entries of a block."""
        device, run, items = self._device, ENTRIES.of(self._device), self._device.tuning.items
        size = -(-rows.arcs // run) if run else -(-rows.n // items)
        with device.alone():
            program = device.program("traversal/blocks", LANES=1, RUN=run, ITEMS=items, **rows.defines)
            getattr(program, name).launch(self, size, **rows.arguments, **more)

    def _step(self) -> int:
        """Make the vertices found the next frontier; returns how many are new."""
        device, items = self._device, self._device.tuning.items
        with device.alone():
            device.clear(self.count, 1, np.int32)
            program = device.program("traversal/blocks", LANES=1, ITEMS=items)
            program.block_step.launch(self, -(-self._words // items))
            return int(device.download(self.count, np.int32, 1)[0])

    def _words_of_interest(self, pushes: bool) -> npt.NDArray[np.int64]:
        """Return the words of 32 vertices with some in the frontier, or some not seen yet."""
        with self._device.alone():
            bits = self._device.download(self.front if pushes else self.seen, np.uint32, self._words)
        if not pushes:
            bits = ~bits
            if self.n % 32:
                bits[-1] &= (1 << self.n % 32) - 1
        return np.flatnonzero(bits)

    def before(self) -> npt.NDArray[np.int32]:
        """Return the predecessor of each vertex."""
        device = self._device
        whole = np.full(self.n, -1, np.int32)
        for rows in self._blocks.arriving():
            with device.alone():
                before = device.empty(rows.n, np.int32)
                device.fill(before, np.int32(-1), rows.n)  # the largest uint
                self._over(rows, "block_before", before=before)
                device.fetch(before, whole[rows.first_row : rows.first_row + rows.n])
        return self._blocks.join(whole.view(np.uint32), np.minimum).view(np.int32)

    def owners(self, roots: npt.NDArray[np.int32], distance: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the nearest source of each vertex, the smallest of several: level by level."""
        device, blocks = self._device, self._blocks

        def levels_of(shard: Shard) -> set[int]:
            counts = np.bincount(distance[shard.first_row :][: shard.rows] + 1)
            return set((np.flatnonzero(counts) - 1).tolist())

        assert blocks.pull is not None
        levels = {shard: levels_of(shard) for shard in blocks.shards.section(blocks.pull).shards}
        owner = np.full(self.n, -1, np.int32)
        owner[roots] = roots
        with device.alone():
            device.reserve({"sources": 4 * self.n})
            owners = device.upload(owner, writable=True)
        for level in range(1, int(distance.max()) + 1):
            for rows in blocks.arriving(lambda shard, level=level: level in levels[shard]):  # type: ignore[misc]
                self._over(rows, "block_owners", owner=owners, level=level)
            blocks.share(device, owners, self.n, np.uint32, np.minimum)
        with device.alone():
            return device.download(owners, np.int32, self.n)


class Searches(ManyBatch):
    """Batches of searches on one rank's device, level by level."""

    def __init__(self, blocks: Blocks, device: Device, lanes: int) -> None:
        super().__init__(device, blocks.shards.num_vertices, lanes)
        self._blocks = blocks
        self._bits = np.dtype(np.uint64 if lanes == 64 else np.uint32)
        with device.alone():
            self.scratch = ManyScratch(device, self.n, lanes)

    def run(
        self, roots: npt.NDArray[np.int32], last: int, dtype: npt.DTypeLike | None
    ) -> tuple[npt.NDArray[Any], int] | None:
        """Return distances (k, n) of a batch, and the number of levels; None after more than DEEP levels."""
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
            self._blocks.share(device, self.scratch.next, self.n, self._bits)
            with device.alone():
                self._launch("bfs_many_settle_all", level, None)
                self.scratch.swap_fronts()
                level += 1
                count, _ = self._frontier(level)
        levels = level + (count > 0)
        kind = distance_type(levels, dtype)
        with device.alone():
            distance = self._expand(len(roots), levels, kind)
            return device.take(distance, kind, len(roots) * self.n).reshape(len(roots), self.n), levels

    def _go_on(self, level: int, count: int) -> None:
        """Mark the vertices that a level's frontier, of `count` vertices, reaches along this rank's rows."""
        push, pull = self._blocks.push, self._blocks.pull
        self._pulling = pull is not None and (push is None or self._pulls(level, count))
        run = LAUNCH.of(self.dev)
        groups = partial(self._groups, level)
        for rows in self._blocks.having(groups, BLOCK, pushes=not self._pulling):
            with self.dev.alone():
                program = self._program("traversal/blocks", RUN=run, **rows.defines)
                kernel = program.block_pull if self._pulling else program.block_push
                more = {"level": level} if self._pulling else {}
                kernel.launch(self.scratch, -(-rows.arcs // run), **rows.arguments, **more)

    def _groups(self, level: int) -> npt.NDArray[np.int64]:
        """Return the groups of BLOCK vertices with some that can add to the level."""
        with self.dev.alone():
            count = -(-self.n // BLOCK)
            groups = self.dev.zeros(count, np.uint32)
            given = {"n": self.n, "level": level, "pushes": not self._pulling, "groups": groups}
            kernel = self._program("traversal/blocks").block_groups
            kernel.launch(self.scratch, self._vertices(), **given)
            return np.flatnonzero(self.dev.download(groups, np.uint32, count))
