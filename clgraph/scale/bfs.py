"""Breadth-first search of graphs in shards, level by level: host half of ``cl/scale/bfs.cl``."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag
from clgraph.errors import InputError
from clgraph.scale.loading import Loaded, Loading
from clgraph.scale.ranks import Ranks, run_on_ranks
from clgraph.scale.shards import Shards, check_shards
from clgraph.traversal import arguments
from clgraph.traversal.results import BFSResult

if TYPE_CHECKING:
    from clgraph.device import Device

FEW = 32  # a frontier of fewer than a 32nd of the unvisited vertices is pushed from, a larger one pulled to


def bfs_of_shards(
    shards: Shards,
    source: Any,
    *,
    depth_limit: int | None = None,
    predecessors: bool = True,
    device: str | Device | Sequence[str | Device] | None = None,
    comm: Any = None,
) -> BFSResult:
    """Breadth-first search along the arcs of a graph in shards.

    Distances and predecessors are those of ``clgraph.bfs`` on the same graph in memory. Each level reads the
    shards that can add to it, at worst all: shards on disk are not for grids and roads, whose searches have
    thousands of levels. Shards stay on the device where they fit.

    Parameters
    ----------
    shards : Shards
        With the section rows (undirected), or out or in, better both (directed). Predecessors need rows or
        in.
    source : vertex id
        One.
    depth_limit, predecessors
        As `clgraph.bfs` takes them.
    device, comm
        As `clgraph.sample_shards` takes them.

    Returns
    -------
    BFSResult
        Equal at all ranks.

    Raises
    ------
    InputError
        If the source is not in the graph, a section is missing, or a shard is damaged; ranks that differ.
    CapacityError
        If the vertices do not fit the device.
    """
    check_shards(shards)
    arguments.check_depth(depth_limit)
    predecessors = flag(predecessors, "predecessors")
    if isinstance(source, (list, tuple, np.ndarray)):
        raise InputError("a search of a graph in shards has one source: give one id")
    root = int(shards.index([source])[0])
    known = shards.manifest.sections
    pull = ("in" if "in" in known else None) if shards.directed else "rows"
    push = ("out" if "out" in known else None) if shards.directed else "rows"
    if predecessors or not (pull or push):
        shards.section("in" if shards.directed else "rows")
    if not shards.directed:
        shards.section("rows")

    def work(ranks: Ranks, dev: Device) -> BFSResult:
        ranks.agree(dataset=shards.fingerprint, method="bfs", source=str(root), depth=str(depth_limit))
        return _Search(ranks, dev, shards, push, pull).run(root, depth_limit, predecessors)

    return run_on_ranks(work, device, comm)


class _Search:
    """The bitmaps of one search, and its levels."""

    def __init__(
        self, ranks: Ranks, device: Device, shards: Shards, push: str | None, pull: str | None
    ) -> None:
        self._ranks, self._device, self._shards = ranks, device, shards
        self._push, self._pull = push, pull
        self._n = n = shards.num_vertices
        self._words = -(-n // 32)
        self._loading = Loading(device, shards, room=device.global_memory // 2 - 5 * n)
        with device.alone():
            device.reserve({"distances": 4 * n, "bitmaps": 3 * 4 * self._words})
            self._frontier = device.zeros(self._words, np.uint32)
            self._visited = device.zeros(self._words, np.uint32)
            self._next = device.zeros(self._words, np.uint32)
            self._distance = device.empty(n, np.int32)
            device.fill(self._distance, np.int32(-1), n)
            self._count = device.empty(1, np.int32)

    def run(self, root: int, depth_limit: int | None, predecessors: bool) -> BFSResult:
        started = perf_counter()
        first = np.zeros(self._words, np.uint32)
        first[root >> 5] = 1 << (root & 31)
        with self._device.alone():
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
        levels = level + 1 if fresh else level
        seconds = {"bfs": perf_counter() - started}
        device = self._device
        with device.alone():
            distance = device.download(self._distance, np.int32, self._n)
        before = self._before() if predecessors else None
        seconds["total"] = perf_counter() - started
        return BFSResult(
            distance=distance,
            predecessor=before,
            source_of=None,
            sources=np.array([root], np.int32),
            levels=levels,
            reached=reached,
            depth_limit=depth_limit,
            seconds=seconds,
            device=device.name,
            method="shards",
        )

    def _program(self, loaded: Loaded | None = None) -> Any:
        defines = loaded.defines if loaded else {}
        return self._device.program("scale/bfs", ITEMS=self._device.tuning.items, **defines)

    def _over(self, count: int) -> int:
        return -(-count // self._device.tuning.items)

    def _step(self, level: int) -> int:
        """Take over what the level has found; returns how many vertices are new."""
        device = self._device
        with device.alone():
            device.fill(self._count, np.int32(0), 1)
            self._program().shard_step(
                self._over(self._words),
                np.int32(self._words),
                np.int32(self._n),
                np.int32(level),
                self._frontier,
                self._visited,
                self._next,
                self._distance,
                self._count,
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
            program = self._program(rows)
            kernel = program.shard_push if pushes else program.shard_pull
            with self._device.alone():
                kernel(
                    self._over(rows.shard.rows),
                    np.int32(rows.shard.rows),
                    np.int32(rows.shard.first_row),
                    rows.row_ptr,
                    rows.col_idx,
                    self._frontier,
                    self._visited,
                    self._next,
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
        found = []
        for number in own:
            shard = section.shards[number]
            first, last = shard.first_row, shard.first_row + shard.rows
            words = bits[first // 32 : -(-last // 32)].copy()
            if last % 32:
                words[-1] &= (1 << last % 32) - 1  # shards begin at multiples of 4096
            if np.any(words):
                found.append(number)
        return found

    def _before(self) -> npt.NDArray[np.int32]:
        """The predecessor of each vertex."""
        name = self._pull
        assert name is not None
        section, device = self._shards.section(name), self._device
        own = list(self._ranks.shares(len(section.shards)))
        parts: dict[int, npt.NDArray[np.int32]] = {
            number: np.full(section.shards[number].rows, -1, np.int32) for number in own
        }
        for rows in self._loading.rows(name, [k for k in own if section.shards[k].edges]):
            count = rows.shard.rows
            with device.alone():
                before = device.empty(count, np.int32)
                self._program(rows).shard_before(
                    self._over(count),
                    np.int32(count),
                    np.int32(rows.shard.first_row),
                    rows.row_ptr,
                    rows.col_idx,
                    self._distance,
                    before,
                )
                parts[self._shards.number_of(name, rows.shard)] = device.download(before, np.int32, count)
        every = self._ranks.everywhere(np.concatenate([np.empty(0, np.int32), *parts.values()]))
        whole = np.full(self._n, -1, np.int32)
        for rank, found in enumerate(every):
            at = 0
            for number in range(rank, len(section.shards), self._ranks.size):
                shard = section.shards[number]
                whole[shard.first_row : shard.first_row + shard.rows] = found[at : at + shard.rows]
                at += shard.rows
        return whole
