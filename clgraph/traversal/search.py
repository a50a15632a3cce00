"""Breadth-first search on a device, level by level: host half of ``cl/traversal/search*.cl``.

`Search` makes the result's buffers and does method "frontier"; method "hybrid" is in `search_hybrid`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.scratch import Pool
from clgraph.device.shapes import Shapes
from clgraph.traversal.scratch import FrontierScratch, HybridScratch
from clgraph.traversal.search_hybrid import HybridWalk
from clgraph.traversal.state import read_slot, read_state

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph

NO_LIMIT = 2**32 - 2
PROGRAMS = ("traversal/search", "traversal/search_push", "traversal/search_pull", "traversal/search_fused")


def last_level(depth_limit: int | None) -> int:
    """The level after which a search ends, as the kernels take it."""
    return NO_LIMIT if depth_limit is None else min(int(depth_limit), NO_LIMIT)


@dataclass(frozen=True)
class Shape:
    """Launch choices for a kind of device; the heads of ``cl/traversal/search*.cl`` say what each is.

    Attributes
    ----------
    team : bool
        Work-groups share the arcs of their vertices (GPUs); otherwise work-items go through runs of vertices.
    local : int
        Work-items of a group; `fused_local` of the one group of the fused kernel.
    alpha, beta : int
        Push becomes pull when the frontier has more than 1/alpha of the arcs not yet looked at; pull becomes
        push when a shrinking frontier has fewer than 1/beta of the vertices (Beamer's names).
    fuse_count, fuse_arcs : int
        A frontier of at most so many vertices and arcs is left to the fused kernel.
    """

    team: bool
    local: int = 1
    fused_local: int = 1
    items: int = 512
    rows: int = 64
    push_items: int = 64
    pull_short: int = 64
    long_row: int = 8192
    long_piece: int = 8192
    fuse_count: int = 1 << 30
    fuse_arcs: int = 32768
    alpha: int = 15
    beta: int = 18

    def defines(self) -> dict[str, Any]:
        """Build options."""
        return {
            "TEAM": self.team,
            "ITEMS": self.items,
            "LONG_ROW": self.long_row,
            "LONG_PIECE": self.long_piece,
            "ROWS": self.rows,
            "PUSH_ITEMS": self.push_items,
            "PULL_SHORT": self.pull_short,
            "FUSE_COUNT": self.fuse_count if self.team else None,
            "FUSE_ARCS": self.fuse_arcs,
            "FUSED_LOCAL": self.fused_local if self.team else None,
        }


TEAM = Shape(
    team=True,
    local=256,
    fused_local=1024,
    items=1,
    long_row=512,
    long_piece=2048,
    fuse_count=4096,
    fuse_arcs=16384,
)
SERIAL = Shape(team=False)
SHAPES = Shapes(
    gpu=TEAM,
    cpu=SERIAL,
    simulator=replace(SERIAL, items=32, push_items=4, long_row=8, long_piece=4, fuse_arcs=24),
)


def shape_for(dev: Device) -> Shape:
    """The launch table's entry for a device, cut to the device's limits."""
    shape = SHAPES.of(dev)
    if shape.team and dev.max_work_group < shape.rows:
        return SERIAL  # its work-groups are too small to share a row
    if shape.team:
        while shape.local > dev.max_work_group:
            shape = replace(shape, local=shape.local // 2)
        while shape.fused_local > dev.max_work_group:
            shape = replace(shape, fused_local=shape.fused_local // 2)
    return shape


class Search:
    """One search on one device: the result's buffers, the programs, and the level loop of method "frontier".

    Attributes
    ----------
    distance, predecessor, owner : pyopencl.Buffer or None
        The result, once `run` is done.
    shift : int
        Arcs are counted in units of 2^shift, so that their number fits 32 bits.
    seconds : dict of float
        Time by phase.
    """

    def __init__(self, dev: Device, graph: Graph, method: str, predecessors: bool, owners: bool) -> None:
        from clgraph.csr.upload import upload_csr

        self.dev, self.graph, self.method = dev, graph, method
        self.predecessors, self.owners = predecessors, owners
        self.shape = shape_for(dev)
        if dev.has_pipeline("traversal/search"):
            # one work-item, and rows of any length
            self.shape = replace(SERIAL if self.shape.team else self.shape, long_row=2**31 - 1)
        self.n = graph.num_vertices
        self.seconds = {"upload": 0.0, "compile": 0.0, "bfs": 0.0, "download": 0.0}
        start = time.perf_counter()
        self.csr: DeviceCSR = upload_csr(dev, graph)
        self.seconds["upload"] = time.perf_counter() - start
        self.shift = max(0, self.csr.arcs.bit_length() - 30)

    def program(self, name: str) -> Program:
        """A kernel file, built for these options; the time goes to "compile"."""
        start = time.perf_counter()
        made = self.dev.program(
            name,
            PREDECESSOR=self.predecessors,
            OWNER=self.owners,
            FRONTIER=self.method == "frontier",
            **self.shape.defines(),
            **self.csr.defines,
        )
        self.seconds["compile"] += time.perf_counter() - start
        return made

    def run(self, sources: npt.NDArray[np.int32], depth_limit: int | None) -> tuple[int, int]:
        """Levels and vertices reached; `sources` ascend, each once."""
        dev, n, last = self.dev, self.n, last_level(depth_limit)
        start = time.perf_counter()
        pool: Pool[Any] = dev.cached(self.graph, ("bfs", self.method), Pool)
        with pool.lent(self._make_scratch) as scratch:
            self.seconds["upload"] += time.perf_counter() - start
            self.distance = dev.output(n, np.int32)
            self.predecessor = dev.output(n, np.int32) if self.predecessors else None
            self.owner = dev.output(n, np.int32) if self.owners else None
            hybrid = None if self.method == "frontier" else HybridWalk(self, scratch)
            for name in PROGRAMS if hybrid else PROGRAMS[:1]:
                self.program(name)  # before the clock of the search starts
            start, elsewhere = time.perf_counter(), self.seconds["upload"] + self.seconds["compile"]
            self._fill(sources, scratch)
            levels, reached = hybrid.run(sources, last) if hybrid else self._walk(sources, last, scratch)
            dev.finish()
            elsewhere = self.seconds["upload"] + self.seconds["compile"] - elsewhere
            self.seconds["bfs"] = time.perf_counter() - start - elsewhere
        return levels, reached

    def _make_scratch(self) -> FrontierScratch | HybridScratch:
        if self.method == "frontier":
            return FrontierScratch.make(self.dev, self.n)
        return HybridScratch.make(self.dev, self.csr, self.shape)

    def take(self, *, on_device: bool = False) -> tuple[Any, Any, Any]:
        """Distances, predecessors (or None), sources (or None): the device's buffers are given up."""
        start = time.perf_counter()
        hand_over = self.dev.array if on_device else self.dev.take
        distance, predecessor, owner = (
            None if buffer is None else hand_over(buffer, np.int32, self.n)
            for buffer in (self.distance, self.predecessor, self.owner)
        )
        assert distance is not None
        self.seconds["download"] = time.perf_counter() - start
        return distance, predecessor, owner

    # --- launches ---------------------------------------------------------------------------------

    def vertex_items(self) -> int:
        """Work-items of a pass over all vertices."""
        return -(-self.n // self.shape.items)

    def _fill(self, sources: npt.NDArray[np.int32], scratch: FrontierScratch | HybridScratch) -> None:
        prog, count = self.program("traversal/search"), np.uint32(len(sources))
        prog.bfs_fill(
            self.vertex_items(),
            np.int32(self.n),
            count,
            self.distance,
            self.predecessor,
            self.owner,
            scratch.frontier,
            scratch.next,
            scratch.state,
            local=self.shape.local,
        )
        prog.bfs_start(
            len(sources),
            count,
            self.dev.upload(sources),
            np.uint32(self.shift),
            self.csr.row_ptr,
            self.distance,
            self.owner,
            scratch.frontier,
            scratch.queue,
            scratch.longs,
            scratch.state,
            local=self.shape.local,
        )

    def _walk(self, sources: npt.NDArray[np.int32], last: int, scratch: FrontierScratch) -> tuple[int, int]:
        """Levels and vertices reached by Algorithm 5."""
        prog = self.program("traversal/search")
        level, count, reached = 0, len(sources), len(sources)
        here, there = scratch.frontier, scratch.next
        while count and level < last:
            prog.bfs_frontier(
                self.vertex_items(),
                np.int32(self.n),
                np.uint32(level),
                self.csr.row_ptr,
                self.csr.col_idx,
                here,
                there,
                self.distance,
                self.predecessor,
                self.owner,
                scratch.state,
                local=self.shape.local,
            )
            level += 1
            count = read_slot(read_state(self.dev, scratch.state), level)[0]
            reached += count
            here, there = there, here
        return level + (count > 0), reached
