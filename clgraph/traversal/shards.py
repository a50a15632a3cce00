"""Breadth-first search of graphs in shards, level by level: host half of ``cl/traversal/shards.cl``."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.scale.loading import Loading
from clgraph.scale.manifest import Shard
from clgraph.scale.ranks import Ranks, run_on_ranks
from clgraph.scale.shards import Shards
from clgraph.traversal.results import BFSResult

if TYPE_CHECKING:
    from clgraph.csr.parts import DeviceCSR
    from clgraph.device import Device


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape of the kernels over rows.

    Attributes
    ----------
    long : int
        Rows of more entries are cut into pieces of so many, for work-groups; 0: none is.
    groups : int
        Work-groups that share the pieces.
    local : int
        Work-items of each.
    """

    long: int
    groups: int
    local: int

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        return replace(self, local=fit_group(self.local, device))


# one work-item of a GPU alone on a long row would hold up the level; a CPU's core takes rows of any length
LAUNCH = LaunchTable(
    gpu=LaunchConfig(512, 2048, 128), cpu=LaunchConfig(0, 0, 1), simulator=LaunchConfig(4, 2, 4)
)
FEW = 32  # a frontier of fewer than a 32nd of the unvisited vertices is pushed from, a larger one pulled to


def search_blocks(
    shards: Shards,
    roots: npt.NDArray[np.int32],
    several: bool,
    depth_limit: int | None,
    predecessors: bool,
    device: Any,
) -> BFSResult:
    """`clgraph.bfs` over blocks of rows, level by level, from vertices of which `several` were asked for."""
    owners = len(roots) > 1
    push, pull = sections_of(shards, backward=predecessors or owners)

    def work(ranks: Ranks, dev: Device) -> BFSResult:
        agree(ranks, shards, "bfs", roots, depth_limit)
        started = perf_counter()
        search = Search(ranks, dev, shards, push, pull)
        levels, reached = search.run(roots, depth_limit)
        seconds = {"bfs": perf_counter() - started}
        distance = search.distance()
        before = search.before() if predecessors else None
        owner = None
        if several:
            owner = search.owners(roots, distance) if owners else np.where(distance < 0, -1, roots[0])
        seconds["total"] = perf_counter() - started
        return BFSResult(
            distance=distance,
            predecessor=before,
            source_of=None if owner is None else owner.astype(np.int32, copy=False),
            sources=roots,
            levels=levels,
            reached=reached,
            depth_limit=depth_limit,
            seconds=seconds,
            device=dev.name,
            method="shards",
        )

    return run_on_ranks(work, device, shards.comm)


def sections_of(shards: Shards, *, backward: bool) -> tuple[str | None, str | None]:
    """The sections to push from and to pull along; InputError if the one that is needed is missing."""
    known = shards.manifest.sections
    if not shards.directed:
        shards.section("rows")
        return "rows", "rows"
    push, pull = ("out" if "out" in known else None), ("in" if "in" in known else None)
    if backward or not (pull or push):
        shards.section("in")
    return push, pull


def agree(ranks: Ranks, shards: Shards, method: str, roots: npt.NDArray[np.int32], depth: int | None) -> None:
    """Raise InputError unless all ranks search the same."""
    given = f"{len(roots)} ids, checksum {zlib.crc32(roots.tobytes()):08x}"
    ranks.agree(dataset=shards.fingerprint, method=method, sources=given, depth=str(depth))


def with_rows(
    shards: Sequence[Shard], own: Sequence[int], some: npt.NDArray[np.int64], unit: int
) -> list[int]:
    """Those of own shards that have rows in some of the groups of `unit` rows; these ascend."""
    first = np.array([shards[number].first_row for number in own]) // unit
    behind = -(-np.array([shards[number].first_row + shards[number].rows for number in own]) // unit)
    has = np.searchsorted(some, behind) > np.searchsorted(some, first)
    return [number for number, wanted in zip(own, has, strict=True) if wanted]


class Search:
    """The bitmaps of searches on one device, and their levels."""

    def __init__(
        self,
        ranks: Ranks,
        device: Device,
        shards: Shards,
        push: str | None,
        pull: str | None,
        loading: Loading | None = None,
    ) -> None:
        self._ranks, self._device, self._shards = ranks, device, shards
        self._push, self._pull = push, pull
        self._n = n = shards.num_vertices
        self._words = -(-n // 32)
        self._loading = loading or Loading(device, shards, room=device.global_memory // 2 - 5 * n)
        with device.alone():
            device.reserve({"distances": 4 * n, "bitmaps": 3 * 4 * self._words})
            self._frontier = device.empty(self._words, np.uint32)
            self._visited = device.empty(self._words, np.uint32)
            self._next = device.empty(self._words, np.uint32)
            self._distance = device.empty(n, np.int32)
            self._count = device.empty(1, np.int32)
            self._shape = shape = LAUNCH.of(device)
            sections = [shards.section(name).shards for name in (push, pull) if name is not None]
            most = max((shard.edges for section in sections for shard in section), default=0)
            # of a row's pieces all but one have `long` entries, and each row that is cut has as many
            pieces = 2 * (most // shape.long) + 1 if shape.long else 0
            device.reserve({"pieces of long rows": 8 * pieces})
            self._pieces = device.empty(2 * pieces, np.int32) if pieces else None
            self._cut = device.empty(1, np.int32) if pieces else None

    def run(self, roots: npt.NDArray[np.int32], depth_limit: int | None) -> tuple[int, int]:
        """Search from these vertices; returns levels, and vertices reached."""
        first = np.zeros(self._words, np.uint32)
        np.bitwise_or.at(first, roots >> 5, np.uint32(1) << (roots & 31).astype(np.uint32))
        with self._device.alone():
            self._device.clear(self._visited, self._words, np.uint32)
            self._device.fill(self._distance, np.int32(-1), self._n)
            self._device.write(self._next, first)
        fresh = self._step(0)
        reached, level = fresh, 0
        while fresh and (depth_limit is None or level < depth_limit):
            level += 1
            few = FEW * fresh < self._n - reached
            pushes = self._push is not None and (few or self._pull is None)
            self._level(pushes)
            self._share()
            fresh = self._step(level)
            reached += fresh
        return (level + 1 if fresh else level), reached

    def distance(self) -> npt.NDArray[np.int32]:
        """What `run` has found, shape (n,)."""
        with self._device.alone():
            return self._device.download(self._distance, np.int32, self._n)

    def _program(self, block: DeviceCSR | None = None) -> Any:
        defines = block.defines if block else {}
        items, long = self._device.tuning.items, self._shape.long
        return self._device.program("traversal/shards", ITEMS=items, LONG=long, **defines)

    def _over_rows(self, name: str, block: DeviceCSR, **more: Any) -> None:
        """Launch a kernel over the rows of a shard, and what comes after it for long ones."""
        program, shape = self._program(block), self._shape
        rows = {"first_row": block.first_row, **block.buffers}
        given = {**rows, **more, "count": self._cut, "pieces": self._pieces}
        if shape.long:
            self._device.clear(self._cut, 1, np.int32)
        getattr(program, f"shard_{name}")(self._over(block.n), rows=block.n, **given)
        if shape.long:
            size = shape.groups * shape.local
            getattr(program, f"shard_{name}_pieces").exact(size, local=shape.local, **given)

    def _over(self, count: int) -> int:
        return -(-count // self._device.tuning.items)

    def _step(self, level: int) -> int:
        """Take over what the level has found; returns how many vertices are new."""
        device = self._device
        with device.alone():
            device.clear(self._count, 1, np.int32)
            self._program().shard_step(
                self._over(self._words),
                words=self._words,
                n=self._n,
                level=level,
                frontier=self._frontier,
                visited=self._visited,
                next=self._next,
                distance=self._distance,
                count=self._count,
            )
            return int(device.download(self._count, np.int32, 1)[0])

    def _share(self) -> None:
        """Bring together what all ranks have found."""
        if self._ranks.size == 1:
            return
        device = self._device
        with device.alone():
            found = device.download(self._next, np.uint32, self._words)
        whole = np.bitwise_or.reduce(self._ranks.everywhere(found))
        with device.alone():
            device.write(self._next, whole)

    def _level(self, pushes: bool) -> None:
        name = self._push if pushes else self._pull
        assert name is not None
        wanted = self._wanted(name, self._frontier if pushes else self._visited, present=pushes)
        for rows in self._loading.rows(name, wanted):
            with self._device.alone():
                self._over_rows(
                    "push" if pushes else "pull",
                    rows,
                    frontier=self._frontier,
                    visited=self._visited,
                    next=self._next,
                )

    def _wanted(self, name: str, bitmap: Any, *, present: bool) -> list[int]:
        """Own shards in which some row has its bit set (or, not `present`, unset)."""
        section = self._shards.section(name)
        own = [number for number in self._ranks.shares(len(section.shards)) if section.shards[number].edges]
        if len(own) < 2:
            return own
        with self._device.alone():
            bits = self._device.download(bitmap, np.uint32, self._words)
        if not present:
            bits = ~bits
            if self._n % 32:
                bits[-1] &= (1 << self._n % 32) - 1
        return with_rows(section.shards, own, np.flatnonzero(bits), 32)

    def before(self) -> npt.NDArray[np.int32]:
        """The predecessor of each vertex."""
        name = self._pull
        assert name is not None
        shards, device, ranks = self._shards.section(name).shards, self._device, self._ranks
        whole = np.full(self._n, -1, np.int32)
        of = [whole[shard.first_row : shard.first_row + shard.rows] for shard in shards]
        own = list(ranks.shares(len(shards)))
        for rows in self._loading.rows(name, [number for number in own if shards[number].edges]):
            with device.alone():
                before = device.empty(rows.n, np.int32)
                self._over_rows("before", rows, distance=self._distance, before=before)
                device.fetch(before, of[rows.number])
        if ranks.size > 1:
            mine = np.concatenate([np.empty(0, np.int32), *(of[number] for number in own)])
            for rank, found in enumerate(ranks.everywhere(mine)):
                at = 0
                for rows_of in of[rank :: ranks.size]:
                    rows_of[:] = found[at : at + len(rows_of)]
                    at += len(rows_of)
        return whole

    def owners(self, roots: npt.NDArray[np.int32], distance: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """The nearest source of each vertex, the smallest of several: level by level from those before."""
        name, device, size = self._pull, self._device, self._ranks.size
        assert name is not None
        section = self._shards.section(name)
        levels = int(distance.max()) + 1
        owner = np.full(self._n, -1, np.int32)
        owner[roots] = roots
        with device.alone():
            device.reserve({"sources": 4 * self._n})
            kept = device.upload(owner, writable=True)
        # which levels each own shard has vertices of
        present = {
            number: np.bincount(distance[shard.first_row :][: shard.rows] + 1, minlength=levels + 1)[1:] > 0
            for number, shard in enumerate(section.shards)
            if number % size == self._ranks.rank
        }
        if size > 1:
            numbers = np.repeat(np.arange(len(section.shards)), [shard.rows for shard in section.shards])
            narrow = np.int16 if levels < 2**15 else np.int32  # sorted by their digits
            order = np.argsort(distance.astype(narrow), kind="stable")
            ends = np.cumsum(np.bincount(distance + 1, minlength=levels + 1))
        for level in range(1, levels):
            wanted = [number for number, at in present.items() if at[level]]
            for rows in self._loading.rows(name, wanted):
                with device.alone():
                    self._over_rows("owners", rows, level=level, distance=self._distance, owner=kept)
            if size == 1:
                continue
            vertices = order[ends[level] : ends[level + 1]]
            holders = numbers[vertices]
            with device.alone():
                owner = device.download(kept, np.int32, self._n)
            mine = owner[vertices[holders % size == self._ranks.rank]]
            for rank, found in enumerate(self._ranks.everywhere(mine)):
                owner[vertices[holders % size == rank]] = found
            with device.alone():
                device.write(kept, owner)
        with device.alone():
            return device.download(kept, np.int32, self._n)
