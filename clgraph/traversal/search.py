"""Breadth-first search on a device, level by level: host half of ``cl/traversal/search*.cl``.

`Search` makes the result's buffers and does method "frontier"; method "hybrid" is in `search_hybrid`.
The launch table is in `search_task`.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.kept import Pool
from clgraph.traversal.scratch import FrontierScratch, HybridScratch
from clgraph.traversal.search_hybrid import HybridWalk
from clgraph.traversal.search_task import SERIAL, Task, shape_for
from clgraph.traversal.state import read_slot, read_state

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

NO_LIMIT = 2**32 - 2
PROGRAMS = ("traversal/search", "traversal/search_push", "traversal/search_pull", "traversal/search_fused")


def last_level(depth_limit: int | None) -> int:
    """The level after which a search ends, as the kernels take it."""
    return NO_LIMIT if depth_limit is None else min(int(depth_limit), NO_LIMIT)


class Search:
    """One search on one device: the result's buffers, and the level loop of method "frontier".

    Attributes
    ----------
    task : Task
        With the result, once `run` is done.
    seconds : dict of float
        Time by phase.
    """

    def __init__(self, dev: Device, graph: Graph, method: str, predecessors: bool, owners: bool) -> None:
        from clgraph.csr.upload import upload_csr

        shape = shape_for(dev)
        if dev.has_pipeline("traversal/search"):
            # one work-item, and rows of any length
            shape = replace(SERIAL if shape.team else shape, long_row=2**31 - 1)
        start = time.perf_counter()
        csr = upload_csr(dev, graph)
        self.task = Task(dev, graph, csr, shape, method, predecessors, owners)
        self.seconds = self.task.seconds
        self.seconds["upload"] = time.perf_counter() - start

    def run(self, sources: npt.NDArray[np.int32], depth_limit: int | None) -> tuple[int, int]:
        """Levels and vertices reached; `sources` ascend, each once."""
        task, last = self.task, last_level(depth_limit)
        dev, n = task.dev, task.n
        start = time.perf_counter()
        pool: Pool[Any] = dev.cached(task.graph, ("bfs", task.method), Pool)
        with pool.lent(self._make_scratch) as scratch:
            self.seconds["upload"] += time.perf_counter() - start
            task.distance = dev.output(n, np.int32)
            task.predecessor = dev.output(n, np.int32) if task.predecessors else None
            task.owner = dev.output(n, np.int32) if task.owners else None
            hybrid = None if task.method == "frontier" else HybridWalk(task, scratch)
            for name in PROGRAMS if hybrid else PROGRAMS[:1]:
                task.program(name)  # before the clock of the search starts
            start, elsewhere = time.perf_counter(), self.seconds["upload"] + self.seconds["compile"]
            self._fill(sources, scratch)
            levels, reached = hybrid.run(sources, last) if hybrid else self._walk(sources, last, scratch)
            dev.finish()
            elsewhere = self.seconds["upload"] + self.seconds["compile"] - elsewhere
            self.seconds["bfs"] = time.perf_counter() - start - elsewhere
        return levels, reached

    def _make_scratch(self) -> FrontierScratch | HybridScratch:
        task = self.task
        if task.method == "frontier":
            return FrontierScratch.make(task.dev, task.n)
        return HybridScratch.make(task.dev, task.csr, task.shape)

    def take(self, *, on_device: bool = False) -> tuple[Any, Any, Any]:
        """Distances, predecessors (or None), sources (or None): the device's buffers are given up."""
        start, task = time.perf_counter(), self.task
        hand_over = task.dev.array if on_device else task.dev.take
        distance, predecessor, owner = (
            None if buffer is None else hand_over(buffer, np.int32, task.n)
            for buffer in (task.distance, task.predecessor, task.owner)
        )
        assert distance is not None
        self.seconds["download"] = time.perf_counter() - start
        return distance, predecessor, owner

    # --- launches ---------------------------------------------------------------------------------

    def _fill(self, sources: npt.NDArray[np.int32], scratch: FrontierScratch | HybridScratch) -> None:
        task, count = self.task, len(sources)
        prog = task.program("traversal/search")
        prog.bfs_fill(
            task.vertex_items(),
            n=task.n,
            sources=count,
            distance=task.distance,
            predecessor=task.predecessor,
            owner=task.owner,
            frontier=scratch.frontier,
            next=scratch.next,
            state=scratch.state,
            local=task.shape.local,
        )
        prog.bfs_start(
            len(sources),
            sources=count,
            source=task.dev.upload(sources),
            shift=task.shift,
            row_ptr=task.csr.row_ptr,
            distance=task.distance,
            owner=task.owner,
            frontier=scratch.frontier,
            queue=scratch.queue,
            longs=scratch.longs,
            state=scratch.state,
            local=task.shape.local,
        )

    def _walk(self, sources: npt.NDArray[np.int32], last: int, scratch: FrontierScratch) -> tuple[int, int]:
        """Levels and vertices reached by Algorithm 5."""
        task = self.task
        prog = task.program("traversal/search")
        level, count, reached = 0, len(sources), len(sources)
        here, there = scratch.frontier, scratch.next
        while count and level < last:
            prog.bfs_frontier(
                task.vertex_items(),
                n=task.n,
                level=level,
                row_ptr=task.csr.row_ptr,
                col_idx=task.csr.col_idx,
                frontier=here,
                next=there,
                distance=task.distance,
                predecessor=task.predecessor,
                owner=task.owner,
                state=scratch.state,
                local=task.shape.local,
            )
            level += 1
            count = read_slot(read_state(task.dev, scratch.state), level)[0]
            reached += count
            here, there = there, here
        return level + (count > 0), reached
