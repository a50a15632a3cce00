"""Many independent breadth-first searches at once: host half of ``cl/traversal/many*.cl``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import DeviceCSR, degrees_of, upload_csr
from clgraph.device.graph_cache import Pool
from clgraph.traversal import search
from clgraph.traversal.results import DISTANCE_TYPES, distance_type, one_by_one
from clgraph.traversal.search import COUNT, STATE_SIZE, Lap, Search, read_state

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph

PLANES = 4  # bits of a distance to begin with: levels up to 15
MANY_ARCS = 5  # where a slot has the arcs (cl/traversal/many.h)
# levels after which searches go on one by one: so deep, they hardly share a frontier. It is the same on every
# device: the hop plot depends on it
DEEP = 48
MANY_VERTICES = 1 << 17  # with fewer vertices the frontiers of 64 searches are in the caches anyway
HOT_SHARE = 8  # one vertex in this many must hold half of all arcs: otherwise there is little to gain
MEMORY_SHARE = 4  # the second copy may take at most 1 / MEMORY_SHARE of the device's memory
RENUMBER_SEARCHES = 64  # searches of a graph that pay for having its vertices renumbered (CPUs)


class ManyScratch(SimpleNamespace):
    """Buffers for batches of `lanes` searches in a graph of `n` vertices, named as in cl/traversal/many.h.

    `planes` holds distances of `bits` bits; it is widened where they do not fit and stays so.
    """

    def __init__(self, dev: Device, n: int, lanes: int) -> None:
        words = lanes // 8 * n
        sizes = dict.fromkeys(("seen", "front", "next"), words) | {"planes": PLANES * words}
        sizes |= dict.fromkeys(("stamp", "queue", "next_queue"), 4 * n) | {"state": 4 * STATE_SIZE}
        dev.reserve({**sizes, "distance": lanes * n})
        super().__init__(bits=PLANES)
        for name, size in sizes.items():
            # `output` memory is on large pages where it is the host's, as gathers want them
            setattr(self, name, dev.output(size, np.uint8))

    def swap_fronts(self) -> None:
        """Make the next frontier's bits this one's."""
        vars(self).update(front=self.next, next=self.front)

    def swap_queues(self) -> None:
        """Make the next queue this one."""
        vars(self).update(queue=self.next_queue, next_queue=self.queue)


class ManyBatch:
    """A batch of searches on one device, wherever the arcs come from.

    Attributes
    ----------
    n, rows : int
        Vertices; those with a row in the arrays.
    scratch : ManyScratch
        Which searches have seen a vertex, their frontiers, and the planes of the distances.
    defines : dict of str
        Build options that say what the rows look like.
    lap : callable
        As of `Search`.
    """

    scratch: ManyScratch

    def __init__(self, dev: Device, n: int, lanes: int, lap: Lap = lambda phase: None) -> None:
        self.dev, self.n, self.rows, self.lanes, self.lap = dev, n, n, lanes, lap
        self.config = search.LAUNCH.of(dev)
        self.defines: dict[str, Any] = {}
        self._pulling = False

    def _program(self, name: str, **defines: Any) -> Program:
        self.lap("bfs")
        made = self.dev.program(name, LANES=self.lanes, ITEMS=self.config.items, **defines)
        self.lap("compile")
        return made

    def _searches(self) -> Program:
        config = self.config
        return self._program(
            "traversal/many",
            TEAM=config.team,
            MANY_ITEMS=config.many_items,
            PARTS=config.parts,
            MANY_COUNT=config.many_count,
            MANY_ARCS=config.many_arcs,
            # a work-group of 256 reads such a row in one step
            WIDE_ROW=min(config.long_row, 256),
            **self.defines,
        )

    def _launch(
        self, name: str, level: int, rows: DeviceCSR | None, size: int | None = None, local: int | None = None
    ) -> None:
        """Launch a kernel of a level, which reads these rows; by default over all vertices."""
        buffers = rows.buffers if rows else {"row_ptr": None, "col_idx": None}
        size, local = size or self._vertices(), local or self.config.local
        getattr(self._searches(), name).launch(
            self.scratch, size, n=self.rows, level=level, **buffers, local=local
        )

    def _vertices(self) -> int:
        return -(-self.rows // self.config.items)

    def _start(self, at: npt.NDArray[np.int32], lanes: npt.NDArray[np.uint32] | None = None) -> None:
        """Mark nothing as seen but the sources, at these positions."""
        program, count, passes = self._searches(), len(at), -(-self.n // self.config.items)
        sizes = {"n": self.n, "rows": self.rows, "p": self.scratch.bits}
        program.bfs_many_fill.launch(self.scratch, passes, **sizes, local=self.config.local)
        lane = None if lanes is None else self.dev.upload(lanes)
        given = {"sources": count, "source": self.dev.upload(at), "lane": lane}
        program.bfs_many_start.launch(self.scratch, count, **given)
        self._pulling = False

    def _frontier(self, level: int) -> tuple[int, int]:
        """Return the number of a level's vertices and about how many arcs leave them; waits."""
        slot = read_state(self.dev, self.scratch.state)[1][level % 3]
        return slot[COUNT], slot[MANY_ARCS]

    def _pulls(self, level: int, count: int) -> bool:
        share = self.config.stay_share if self._pulling else self.config.pull_share
        return count * share > self.n and level > 0

    def _more_planes(self) -> None:
        """Widen the planes to twice as many bits."""
        dev, scratch = self.dev, self.scratch
        nbytes = scratch.bits * self.lanes // 8 * self.n
        dev.reserve({"planes": 2 * nbytes})
        wider, widen = dev.output(2 * nbytes, np.uint8), self._searches().bfs_many_widen
        given = {"n": self.rows, "p": scratch.bits, "wider": wider}
        widen.launch(scratch, self._vertices(), **given, local=self.config.local)
        scratch.planes, scratch.bits = wider, 2 * scratch.bits

    def _expand(self, k: int, levels: int, kind: np.dtype[Any], position: Any = None) -> Any:
        """Turn the planes into distances; `position`: of each vertex in the arrays."""
        distance = self.dev.output(k * self.n, kind)
        bits = min(self.scratch.bits, max(1, (levels - 1).bit_length()))
        options = {"PLANES": next(p for p in (2, 3, 4, 8, 16, 32) if p >= bits), "DIST": DISTANCE_TYPES[kind]}
        options |= {"TEAM": self.config.team, "RENUMBERED": position is not None}
        kernel = self._program("traversal/many_expand", **options).bfs_many_expand
        given = {"n": self.n, "rows": self.rows, "searches": k, "position": position, "distance": distance}
        kernel.launch(self.scratch, -(-self.n // self.config.items), **given, local=self.config.local)
        return distance


@dataclass(frozen=True)
class Renumbered:
    """A graph's arcs with its vertices numbered by decreasing degree, on a device.

    Attributes
    ----------
    rows : int
        Vertices with arcs, leaving or arriving; they come first.
    position : int32 array, shape (n,)
        Each vertex's position in that order; `positions` is the same on the device.
    leaving, arriving : DeviceCSR
        The arcs and the reversed arcs; the same object if the graph is undirected.
    """

    rows: int
    position: npt.NDArray[np.int32]
    positions: Any
    leaving: DeviceCSR
    arriving: DeviceCSR


def renumber(dev: Device, graph: Graph, items: int) -> Renumbered | None:
    """Number the vertices by decreasing degree; None if searches would not be faster.

    Parameters
    ----------
    dev : Device
        A CPU: its work-items share caches.
    graph : Graph
    items : int
        Vertices per work-item.
    """
    n = graph.num_vertices
    size = (2 if graph.directed else 1) * (graph.col_idx.nbytes + graph.row_ptr.nbytes) + 8 * n
    if n < MANY_VERTICES or size * MEMORY_SHARE > dev.global_memory:
        return None
    degrees = np.diff(graph.row_ptr)
    key = np.minimum(degrees, 65534)
    if graph.directed:
        key += np.diff(graph.reverse.row_ptr) > 0  # vertices that only receive arcs precede those with none
    # 16 bits, which NumPy sorts by radix; few vertices have more arcs than that
    order = np.argsort((65535 - key).astype(np.uint16), kind="stable").astype(np.int32)
    if degrees[order[: n // HOT_SHARE]].sum() * 2 < graph.num_arcs:
        return None
    position = np.empty(n, np.int32)
    position[order] = np.arange(n, dtype=np.int32)
    rows = int(np.count_nonzero(key))
    orders, positions = dev.upload(order), dev.upload(position)

    def by_degree(of: Graph) -> DeviceCSR:
        csr = upload_csr(dev, of)
        row_ptr: npt.NDArray[Any] = np.zeros(n + 1, csr.offset)
        np.cumsum(np.diff(of.row_ptr)[order], out=row_ptr[1:])  # beyond `rows` too: searches may start there
        made = DeviceCSR(n, csr.arcs, dev.upload(row_ptr), dev.output(csr.arcs, np.int32), csr.offset)
        kernel = dev.program("traversal/renumber", **csr.defines).bfs_many_renumber
        into = {"new_ptr": made.row_ptr, "new_idx": made.col_idx}
        kernel.launch(csr, -(-rows // items), rows=rows, order=orders, position=positions, **into, local=1)
        return made

    leaving = by_degree(graph)
    arriving = by_degree(graph.reverse) if graph.directed else leaving
    dev.finish()  # `orders` is freed
    return Renumbered(rows, position, positions, leaving, arriving)


@dataclass
class History:
    """Earlier requests for a graph on a device, which decide whether renumbering its vertices pays."""

    searches: int = 0
    pulled: bool = False


class ManySearch(ManyBatch):
    """Searches of one graph on one device, a batch at a time, in a scratch area borrowed for a with-block.

    Attributes
    ----------
    rows : int
        Vertices with a row in `csr`.
    csr : DeviceCSR
        The arcs: the graph's, or those of `renumbered` once it is there.
    scratch : ManyScratch
        What `search` leaves: which searches have seen a vertex, and the planes of the distances.
    """

    def __init__(self, dev: Device, graph: Graph, lanes: int, searches: int, *lap: Lap) -> None:
        super().__init__(dev, graph.num_vertices, lanes, *lap)
        self.graph = graph
        self.csr: DeviceCSR = upload_csr(dev, graph)
        self.defines = self.csr.defines
        self.renumbered: Renumbered | None = None
        self._history = dev.cached(graph, "bfs_many", History)
        self._history.searches += searches
        self._pool: Pool[ManyScratch] = dev.cached(graph, ("bfs_many", lanes), Pool)

    def __enter__(self) -> ManySearch:
        if self._history.pulled:
            self._renumber()
        self.scratch = self._pool.borrow(lambda: ManyScratch(self.dev, self.n, self.lanes))
        self.lap("upload")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:  # see `Pool`
            self._pool.give_back(self.scratch)
        del self.scratch

    def _renumber(self) -> bool:
        """Switch to vertices numbered by degree, if that pays; returns True if it has just done so."""
        self._history.pulled = True
        if self.renumbered is not None or self.config.team or self._history.searches < RENUMBER_SEARCHES:
            return False
        make = partial(renumber, self.dev, self.graph, self.config.items)
        self.renumbered = self.dev.cached(self.graph, "renumbered", make)
        if self.renumbered is not None:
            self.csr, self.rows = self.renumbered.leaving, self.renumbered.rows
        self.lap("upload")
        return self.renumbered is not None

    def run(
        self, sources: npt.NDArray[np.int32], last: int, dtype: npt.DTypeLike | None, *, stays: bool = False
    ) -> tuple[Any, int]:
        """Return distances (k, n) of one batch, on the host or on the device, and the number of levels."""
        dev, n, k = self.dev, self.n, len(sources)
        levels = self.search(sources, last)
        if levels is None:
            self.lap("bfs")
            rows, levels = self.one_by_one(sources, last, dtype)
            return (dev.array(dev.upload(rows), rows.dtype, k * n).reshape(k, n) if stays else rows), levels
        kind = distance_type(levels, dtype)
        distance = self._expand(
            k, levels, kind, None if self.renumbered is None else self.renumbered.positions
        )
        dev.finish()
        self.lap("bfs")
        result = (dev.array if stays else dev.take)(distance, kind, k * n).reshape(k, n)
        self.lap("download")
        return result, levels

    def search(
        self,
        sources: npt.NDArray[np.int32],
        last: int,
        *,
        lanes: npt.NDArray[np.uint32] | None = None,
        deep: int = DEEP,
    ) -> int | None:
        """Search from one batch; returns the number of levels. The planes hold the distances.

        None if the searches are too deep, more than `deep` levels, to go on together: `one_by_one` does them
        then. Where the graph consists of several, one search in each may have the same of the `lanes`.
        """
        self._start(sources if self.renumbered is None else self.renumbered.position[sources], lanes)
        self.level, self.count, self.queued = 0, len(sources), True
        self.arcs = int(degrees_of(self.dev, self.graph, sources).sum())
        while self.count and self.level < last:
            # each level costs a launch for few vertices then: one search after the other is faster
            if self.level >= deep:
                return None
            if self._pulls(self.level, self.count) and self._renumber():
                return self.search(sources, last)  # from the start: few levels are lost
            if self.level + 1 >= 1 << self.scratch.bits:
                self._more_planes()
            self._go_on(last)
        return self.level + (self.count > 0)

    def one_by_one(
        self, sources: npt.NDArray[np.int32], last: int, dtype: npt.DTypeLike | None
    ) -> tuple[npt.NDArray[Any], int]:
        """Search from one source after another: distances (k, n), and the number of levels."""

        def search(source: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int32], int, int]:
            alone = Search(self.dev, self.graph, "hybrid", False, False, self.lap)
            levels, reached = alone.run(source, last)
            return alone.take()[0], levels, reached

        return one_by_one(search, sources, dtype)

    def _go_on(self, last: int) -> None:
        """Do one level, or a run of small ones; updates level, count, arcs and queued."""
        scratch, config, level, count = self.scratch, self.config, self.level, self.count
        local, csr = config.local, self.csr
        self._pulling = self._pulls(level, count)
        if not self._pulling and not self.queued:
            self._launch("bfs_many_collect", level, csr)
            self.arcs, self.queued = self._frontier(level)[1], True
        if self._pulling:
            arriving = self._arriving()
            self._launch("bfs_many_pull", level, arriving)
            if config.team:
                self._launch("bfs_many_pull_long", level, arriving, 4 * self.dev.compute_units * local)
            self.queued = False
        elif count <= config.many_count and self.arcs <= config.many_arcs:
            kernel = self._searches().bfs_many_fused
            size = min(config.fused_local, kernel.limit)
            given = {"n": self.rows, "level": level, "last": min(last, (1 << scratch.bits) - 1)}
            kernel.launch(scratch, size, local=size, **given, **csr.buffers)
            (self.level, *_), slots = read_state(self.dev, scratch.state)
            if (self.level - level) % 2:
                scratch.swap_fronts()
                scratch.swap_queues()
            slot = slots[self.level % 3]
            self.count, self.arcs = slot[COUNT], slot[MANY_ARCS]
            return
        else:
            self.queued = self.arcs * config.scatter_share <= self.rows
            push = "bfs_many_push" if self.queued else "bfs_many_scatter"
            if config.team:
                team = min(64, local)
                self._launch(push, level, csr, count * config.parts * team, team)
            else:
                self._launch(push, level, csr, -(-count // config.many_items))
            if self.queued:
                found = self._frontier(level + 1)[0]
                self._launch("bfs_many_settle", level, csr, -(-max(count, found) // config.many_items))
                scratch.swap_queues()
            else:
                self._launch("bfs_many_settle_all", level, csr)
        scratch.swap_fronts()
        self.level = level + 1
        self.count, self.arcs = self._frontier(self.level)

    def _arriving(self) -> DeviceCSR:
        """The reversed arcs, on the device."""
        if self.renumbered is not None:
            return self.renumbered.arriving
        return upload_csr(self.dev, self.graph.reverse) if self.graph.directed else self.csr


def search_often(
    dev: Device,
    graph: Graph,
    sources: npt.NDArray[np.int32],
    last: int,
    dtype: npt.DTypeLike | None,
    lanes: int,
    progress: Callable[[int, int], None] | None,
    lap: Lap,
    *,
    stays: bool,
) -> tuple[Any, int]:
    """Search as `clgraph.bfs_many` does: distances (k, n), and the number of levels."""
    parts, levels = [], 0
    with ManySearch(dev, graph, lanes, len(sources), lap) as search:
        for first in range(0, len(sources), lanes):
            part, deepest = search.run(sources[first : first + lanes], last, dtype, stays=stays)
            parts.append(part)
            levels = max(levels, deepest)
            if progress:
                progress(min(first + lanes, len(sources)), len(sources))
    if len(parts) == 1:
        return parts[0], levels
    if not stays:
        return np.concatenate(parts), levels
    from pyopencl.array import concatenate

    kind = max((part.dtype for part in parts), key=lambda each: each.itemsize)
    return concatenate([part if part.dtype == kind else part.astype(kind) for part in parts]), levels
