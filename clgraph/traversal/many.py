"""Many independent breadth-first searches at once: host half of ``cl/traversal/many*.cl``."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.kept import Pool
from clgraph.traversal.arguments import distance_type
from clgraph.traversal.many_batch import MANY_ARCS, ManyBatch, ManyScratch
from clgraph.traversal.ranked import Ranked, rank_graph
from clgraph.traversal.search import COUNT, NO_LIMIT, Search, read_state, slot_of

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.graph import Graph

# levels after which searches go on one by one: so deep, they hardly share a frontier. It is the same on every
# device: the hop plot depends on it
DEEP = 48
RANK_SEARCHES = 64  # searches of a graph that pay for having its vertices ranked (CPUs)


@dataclass
class History:
    """What earlier calls with a graph on a device asked for: it decides whether ranking its vertices pays."""

    searches: int = 0
    pulled: bool = False


class ManySearch(ManyBatch):
    """Searches of one graph on one device, a batch at a time, in a scratch area borrowed for a with-block.

    Attributes
    ----------
    rows : int
        Vertices with a row in `csr`.
    csr : DeviceCSR
        The arcs: the graph's, or those between ranks once `ranked` is there.
    scratch : ManyScratch
        What `search` leaves: which searches have seen a vertex, and the planes of the distances.
    seconds : dict of float
        Time by phase.
    """

    def __init__(self, dev: Device, graph: Graph, lanes: int, searches: int) -> None:
        from clgraph.csr.upload import upload_csr

        super().__init__(dev, graph.num_vertices, lanes)
        self.graph = graph
        self.seconds = {"upload": 0.0, "compile": 0.0, "bfs": 0.0, "download": 0.0}
        start = time.perf_counter()
        self.csr: DeviceCSR = upload_csr(dev, graph)
        self.ranked: Ranked | None = None
        self._history = dev.cached(graph, "bfs_many", History)
        self._history.searches += searches
        self._pool: Pool[ManyScratch] = dev.cached(graph, ("bfs_many", lanes), Pool)
        self.seconds["upload"] = time.perf_counter() - start

    @property
    def defines(self) -> dict[str, Any]:
        """Build options that say what the rows look like."""
        return self.csr.defines

    def __enter__(self) -> ManySearch:
        if self._history.pulled:
            self._rank()
        start = time.perf_counter()
        self.scratch = self._pool.borrow(lambda: ManyScratch.make(self.dev, self.n, self.lanes))
        self.seconds["upload"] += time.perf_counter() - start
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:  # as in `Pool.lent`
            self._pool.give_back(self.scratch)
        del self.scratch

    def _rank(self) -> bool:
        """Switch to vertices numbered by degree, if that pays; whether it was done now."""
        self._history.pulled = True
        if self.ranked is not None or self.launch.team or self._history.searches < RANK_SEARCHES:
            return False
        start = time.perf_counter()
        self.ranked = rank_graph(self.dev, self.graph, self.launch.items)
        if self.ranked is not None:
            self.csr, self.rows = self.ranked.leaving, self.ranked.rows
        self.seconds["upload"] += time.perf_counter() - start
        return self.ranked is not None

    def run(
        self, sources: npt.NDArray[np.int32], last: int, dtype: npt.DTypeLike | None, *, stays: bool = False
    ) -> tuple[Any, int]:
        """Distances (k, n) of one batch, on the host or where they are, and the number of levels."""
        dev, n, k = self.dev, self.n, len(sources)
        start, compiled = time.perf_counter(), self.seconds["compile"]
        levels = self.search(sources, last)
        if levels is None:
            rows, levels = self.one_by_one(sources, last, dtype)
            return (self._there(dev.upload(rows), rows.dtype, k) if stays else rows), levels
        kind = distance_type(levels, dtype)
        distance = self._expand(k, levels, kind, None if self.ranked is None else self.ranked.ranks)
        dev.finish()
        self.seconds["bfs"] += time.perf_counter() - start - (self.seconds["compile"] - compiled)
        if stays:
            return self._there(distance, kind, k), levels
        start = time.perf_counter()
        result = dev.take(distance, kind, k * n).reshape(k, n)
        self.seconds["download"] += time.perf_counter() - start
        return result, levels

    def _there(self, distance: Any, kind: np.dtype[Any], k: int) -> Any:
        return self.dev.array(distance, kind, k * self.n).reshape(k, self.n)

    def search(
        self,
        sources: npt.NDArray[np.int32],
        last: int,
        *,
        lanes: npt.NDArray[np.uint32] | None = None,
        deep: int = DEEP,
    ) -> int | None:
        """Search from one batch: the number of levels; the distances are in the planes (cl/traversal/many.h).

        None if the searches are too deep, more than `deep` levels, to go on together: `one_by_one` does them
        then. Where the graph consists of several, one search in each may have the same of the `lanes`.
        """
        from clgraph.csr.upload import degrees_of

        dev, scratch = self.dev, self.scratch
        self._searches("traversal/many_pull")
        self._start(sources if self.ranked is None else self.ranked.rank[sources], lanes)
        arcs = int(degrees_of(dev, self.graph, sources).sum())
        level, count, queued = 0, len(sources), True
        while count and level < last:
            if level >= deep:
                return None
            if self._pulls(level, count) and self._rank():
                return self.search(sources, last)  # from the start: few levels are lost
            if level + 1 >= 1 << scratch.bits:
                self._more_planes()
            level, count, arcs, queued = self._go_on(level, count, arcs, queued, last)
        return level + (count > 0)

    def one_by_one(
        self, sources: npt.NDArray[np.int32], last: int, dtype: npt.DTypeLike | None
    ) -> tuple[npt.NDArray[Any], int]:
        """The same by one search after the other."""
        rows, levels = [], 0
        for source in sources:
            search = Search(self.dev, self.graph, "hybrid", predecessors=False, owners=False)
            deepest, _ = search.run(np.array([source], np.int32), None if last == NO_LIMIT else last)
            rows.append(search.take()[0].astype(distance_type(deepest, dtype), copy=False))
            levels = max(levels, deepest)
            for phase in self.seconds:
                self.seconds[phase] += search.seconds[phase]
        return np.stack(rows), levels

    def _go_on(
        self, level: int, count: int, arcs: int, queued: bool, last: int
    ) -> tuple[int, int, int, bool]:
        """One level, or a run of small ones."""
        scratch, launch, shape = self.scratch, self.launch, self.shape
        prog, pulling = self._searches(), self._searches("traversal/many_pull")
        local = launch.local
        pull = self._pulling = self._pulls(level, count)
        if not pull and not queued:
            prog.bfs_many_collect(self._vertices(), local=local, **self._arguments(level, self.csr))
            arcs, queued = self._frontier(level)[1], True
        if pull:
            named = self._arguments(level, self._arriving())
            pulling.bfs_many_pull(self._vertices(), local=local, **named)
            if launch.team:
                pulling.bfs_many_pull_long(4 * self.dev.compute_units * local, local=local, **named)
            queued = False
        elif count <= shape.fused_count and arcs <= shape.fused_arcs:
            size = min(launch.fused_local, prog.bfs_many_fused.limit)
            stop = min(last, (1 << scratch.bits) - 1)
            prog.bfs_many_fused.exact(size, local=size, last=stop, **self._arguments(level, self.csr))
            state = read_state(self.dev, scratch.state)
            ended = int(state[0])
            slot = slot_of(state, ended)
            if (ended - level) % 2:
                scratch.swap_fronts()
                scratch.swap_queues()
            return ended, slot[COUNT], slot[MANY_ARCS], True
        else:
            named = self._arguments(level, self.csr)
            queued = arcs * shape.scatter_share <= self.rows
            push = prog.bfs_many_push if queued else prog.bfs_many_scatter
            if launch.team:
                team = min(64, local)
                push(count * shape.parts * team, local=team, **named)
            else:
                push(-(-count // shape.run), local=local, **named)
            if queued:
                found = self._frontier(level + 1)[0]
                prog.bfs_many_settle(-(-max(count, found) // shape.run), local=local, **named)
                scratch.swap_queues()
            else:
                pulling.bfs_many_settle_all(self._vertices(), local=local, **named)
        scratch.swap_fronts()
        count, arcs = self._frontier(level + 1)
        return level + 1, count, arcs, queued

    def _arriving(self) -> DeviceCSR:
        """The reversed arcs, on the device."""
        from clgraph.csr.upload import upload_csr

        if self.ranked is not None:
            return self.ranked.arriving
        return upload_csr(self.dev, self.graph.reverse) if self.graph.directed else self.csr


def joined(parts: list[Any]) -> Any:
    """Distances of several batches below each other, in the largest of their types, wherever they are."""
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    from pyopencl.array import concatenate

    kind = max((part.dtype for part in parts), key=lambda each: each.itemsize)
    return concatenate([part if part.dtype == kind else part.astype(kind) for part in parts])
