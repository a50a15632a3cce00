"""Breadth-first search on a device, level by level: host half of ``cl/traversal/search*.cl``.

Method "hybrid" pushes small frontiers from a queue, pulls large ones through bitmaps, and does runs of small
levels in one launch (Beamer, Asanovic, Patterson: SC 2012); method "frontier" is Algorithm 5 of the COPRA
thesis.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.partitions import Cut, upload_layout
from clgraph.device.graph_cache import Pool
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group, fit_local

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.graph import Graph

NO_LIMIT = 2**32 - 2  # above all levels, and level + 1 still fits the kernels' uint
PROGRAMS = ("traversal/search", "traversal/search_push", "traversal/search_pull", "traversal/search_fused")


def last_level(depth_limit: int | None) -> int:
    """The level after which a search ends, as the kernels take it."""
    return NO_LIMIT if depth_limit is None else min(int(depth_limit), NO_LIMIT)


@dataclass(frozen=True)
class LaunchConfig:
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

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        if not self.team:
            return self
        if device.max_work_group < self.rows:
            return SERIAL  # its work-groups are too small to share a row
        count = fit_local(self.fuse_count, 9 * self.fuse_count, device)  # two lists of them, and some words
        local, fused_local = (fit_group(size, device) for size in (self.local, self.fused_local))
        return replace(self, local=local, fused_local=fused_local, fuse_count=count)


# alpha and beta are those of the GAP Benchmark Suite; one work-group does runs of levels so small that
# launches would take longer than their work
TEAM = LaunchConfig(
    team=True,
    local=256,
    fused_local=1024,
    items=1,
    long_row=512,
    long_piece=2048,
    fuse_count=4096,
    fuse_arcs=16384,
)
SERIAL = LaunchConfig(team=False)
LAUNCH = LaunchTable(
    gpu=TEAM,
    cpu=SERIAL,
    simulator=replace(SERIAL, items=32, push_items=4, long_row=8, long_piece=4, fuse_arcs=24),
)


# --- a search's counters on the device, which the host reads once a level: cl/traversal/search.h ---


STATE_SIZE = 28  # words
# fields of a level's slot: vertices, pieces of long rows, arcs in units of 2^shift
COUNT, LONGS, ARCS = 0, 1, 2


def read_state(dev: Device, state: Any) -> npt.NDArray[np.uint32]:
    """The words of a state; waits."""
    return dev.download(state, np.uint32, STATE_SIZE)


def slot_of(state: npt.NDArray[np.uint32], level: int) -> list[int]:
    """A level's counters, in the order of COUNT, LONGS, ...: three slots take turns."""
    at = 4 + 8 * (level % 3)
    return state[at : at + 8].tolist()


# --- scratch areas: buffers made once, which one search after another works in ---
#
# A search borrows its area from a `Pool` that is kept with graph and device, so that two threads may search
# the same graph. Nothing in the buffers is kept from one search to the next.


@dataclass
class FrontierScratch:
    """For method "frontier": a byte a vertex for this level and the next one."""

    frontier: Any
    next: Any
    state: Any
    queue: None = None  # kernels that both methods share take the other one's buffers as None
    longs: None = None

    @classmethod
    def make(cls, dev: Device, n: int) -> FrontierScratch:
        """For a graph of `n` vertices."""
        sizes = {"frontier": n, "next": n, "state": 4 * STATE_SIZE}
        dev.reserve({"distance": 4 * n, "predecessor": 4 * n, **sizes})
        return cls(**{name: dev.empty(size, np.uint8) for name, size in sizes.items()})


@dataclass
class HybridScratch:
    """For method "hybrid": queues of vertices and of pieces of long rows, bitmaps (cl/traversal/search.h)."""

    queue: Any
    next_queue: Any
    longs: Any
    next_longs: Any
    visited: Any
    front: Any
    next: Any
    rest: Any
    state: Any
    frontier: None = None  # as in FrontierScratch
    moved: Any = None  # the frontier by partition, once an FPGA pulls in partitions

    @classmethod
    def make(cls, dev: Device, csr: DeviceCSR, shape: LaunchConfig) -> HybridScratch:
        """For a graph on a device."""
        n, arcs = csr.n, csr.arcs
        # a row of more than long_row arcs takes one piece more than it fills
        pieces = arcs // shape.long_row + arcs // shape.long_piece + 1
        words = -(-n // 32)
        sizes = {
            "queue": 4 * n,
            "next_queue": 4 * n,
            "longs": 8 * pieces,
            "next_longs": 8 * pieces,
            "visited": 4 * words,
            "front": 4 * words,
            "next": 4 * words,
            "rest": 4 * n if shape.team else 4,
            "state": 4 * STATE_SIZE,
        }
        dev.reserve({"distance": 4 * n, "predecessor": 4 * n, **sizes})
        return cls(**{name: dev.empty(size, np.uint8) for name, size in sizes.items()})

    def swap_queues(self) -> None:
        """The next level becomes this one."""
        self.queue, self.next_queue = self.next_queue, self.queue
        self.longs, self.next_longs = self.next_longs, self.longs

    def swap_bitmaps(self) -> None:
        """The same of the bitmaps."""
        self.front, self.next = self.next, self.front


# --- the search ---


def cut_for(dev: Device, graph: Graph) -> Cut | None:
    """The partitions in which a board pulls if the frontier's bitmap is too large for its chip; else None."""
    if not dev.has_pipeline("traversal/search_partitions") or not dev.pipeline_parameter("PULL_PARTITIONS"):
        return None
    words, unroll = dev.pipeline_parameter("LOCAL_WORDS"), dev.pipeline_parameter("UNROLL")
    return Cut.of(graph, size=32 * words, room=unroll * words, burst=unroll * unroll)


class Search:
    """One search on one device.

    Attributes
    ----------
    dev : Device
    graph : Graph
    csr : DeviceCSR
        The graph's arcs on the device.
    shape : LaunchConfig
    method : str
        "hybrid" or "frontier".
    predecessors, owners : bool
        Whether they are wanted.
    seconds : dict of float
        Time by phase.
    distance, predecessor, owner : pyopencl.Buffer or None
        The result, once `run` is done.
    """

    def __init__(self, dev: Device, graph: Graph, method: str, predecessors: bool, owners: bool) -> None:
        from clgraph.csr.upload import upload_csr

        self.dev, self.graph, self.n = dev, graph, graph.num_vertices
        self.method, self.predecessors, self.owners = method, predecessors, owners
        self.shape = LAUNCH.of(dev)
        self._cut: Cut | None = None
        if dev.has_pipeline("traversal/search"):
            # one work-item, and rows of any length
            self.shape = replace(SERIAL if self.shape.team else self.shape, long_row=2**31 - 1)
            if method == "hybrid":
                self._cut = cut_for(dev, graph)
        self._passes = -(-self.n // self.shape.items)  # work-items over all vertices
        start = time.perf_counter()
        self.csr = upload_csr(dev, graph)
        self.seconds = {"upload": time.perf_counter() - start, "compile": 0.0, "bfs": 0.0, "download": 0.0}
        #: arcs are counted in units of 2^shift, so that their number fits 32 bits
        self.shift = max(0, self.csr.arcs.bit_length() - 30)
        self.distance: Any = None
        self.predecessor: Any = None
        self.owner: Any = None

    def run(self, sources: npt.NDArray[np.int32], depth_limit: int | None) -> tuple[int, int]:
        """Levels and vertices reached; `sources` ascend, each once."""
        dev, n, last = self.dev, self.n, last_level(depth_limit)
        start = time.perf_counter()
        pool: Pool[Any] = dev.kept.cached(self.graph, ("bfs", self.method), Pool)
        scratch = pool.borrow(self._make_scratch)
        self.seconds["upload"] += time.perf_counter() - start
        self.distance = dev.output(n, np.int32)
        self.predecessor = dev.output(n, np.int32) if self.predecessors else None
        self.owner = dev.output(n, np.int32) if self.owners else None
        self._result = {"distance": self.distance, "predecessor": self.predecessor, "owner": self.owner}
        self._build(PROGRAMS[:1] if self.method == "frontier" else PROGRAMS)
        start, uploads = time.perf_counter(), self.seconds["upload"]
        prog, count, local = self._programs["traversal/search"], len(sources), self.shape.local
        both = {"sources": count, "frontier": scratch.frontier, "state": scratch.state, "local": local}
        prog.bfs_fill(self._passes, n=n, next=scratch.next, **self._result, **both)
        prog.bfs_start(
            count,
            source=dev.upload(sources),
            shift=self.shift,
            row_ptr=self.csr.row_ptr,
            distance=self.distance,
            owner=self.owner,
            queue=scratch.queue,
            longs=scratch.longs,
            **both,
        )
        search = self._frontier if self.method == "frontier" else self._hybrid
        levels, reached = search(sources, last, scratch)
        dev.finish()
        self.seconds["bfs"] = time.perf_counter() - start - (self.seconds["upload"] - uploads)
        pool.give_back(scratch)  # after an error it is not: it may be between two states
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

    def _build(self, names: tuple[str, ...]) -> None:
        """Build the kernel files; the time goes to "compile"."""
        start = time.perf_counter()
        defines = {
            "PREDECESSOR": self.predecessors,
            "OWNER": self.owners,
            "FRONTIER": self.method == "frontier",
            **self.shape.defines(),
            **self.csr.defines,
        }
        if self._cut is not None:
            names = (*names, "traversal/search_partitions")
        self._programs = {name: self.dev.program(name, **defines) for name in names}
        self.seconds["compile"] += time.perf_counter() - start

    # --- method "frontier" ------------------------------------------------------------------------

    def _frontier(
        self, sources: npt.NDArray[np.int32], last: int, scratch: FrontierScratch
    ) -> tuple[int, int]:
        """Levels and vertices reached by Algorithm 5."""
        prog = self._programs["traversal/search"]
        level, count, reached = 0, len(sources), len(sources)
        here, there = scratch.frontier, scratch.next
        while count and level < last:
            prog.bfs_frontier(
                self._passes,
                n=self.n,
                level=level,
                **self.csr.buffers,
                frontier=here,
                next=there,
                **self._result,
                state=scratch.state,
                local=self.shape.local,
            )
            level += 1
            count = slot_of(read_state(self.dev, scratch.state), level)[COUNT]
            reached += count
            here, there = there, here
        return level + (count > 0), reached

    # --- method "hybrid" --------------------------------------------------------------------------

    def _hybrid(self, sources: npt.NDArray[np.int32], last: int, scratch: HybridScratch) -> tuple[int, int]:
        """Levels and vertices reached; the sources are in the queue already."""
        from clgraph.csr.upload import degrees_of

        shape, n = self.shape, self.n
        degrees = degrees_of(self.dev, self.graph, sources)
        level, count, reached = 0, len(sources), len(sources)
        arcs = int(degrees.sum()) >> self.shift
        longs = int(np.sum(-(-degrees[degrees > shape.long_row] // shape.long_piece)))
        unseen = self.csr.arcs >> self.shift
        pulling = False
        while count and level < last:
            if pulling:
                before = count
                count = self._pull(level, scratch)
                level, reached = level + 1, reached + count
                if count and count < before and count * shape.beta < n and level < last:
                    self._collect(level, scratch)
                    _, longs, arcs = slot_of(read_state(self.dev, scratch.state), level)[: ARCS + 1]
                    pulling = False
                continue
            if not longs and count <= shape.fuse_count and arcs <= shape.fuse_arcs >> self.shift:
                state = self._fused(level, last, scratch)
                found, ended = int(state[1]), int(state[0])
                reached += found
                unseen -= arcs
                if ended > level:
                    if (ended - level) % 2:
                        scratch.swap_queues()
                    level = ended
                    count, longs, arcs = slot_of(state, level)[: ARCS + 1]
                    continue
            unseen -= arcs
            if arcs * shape.alpha > unseen:
                self._bitmaps(level, scratch)
                pulling = True
                continue
            self._push(level, count, longs, scratch)
            level += 1
            count, longs, arcs = slot_of(read_state(self.dev, scratch.state), level)[: ARCS + 1]
            reached += count
        return level + (count > 0), reached

    def _graph_and_queues(self, scratch: HybridScratch) -> dict[str, Any]:
        return {
            "shift": self.shift,
            **self.csr.buffers,
            "queue": scratch.queue,
            "longs": scratch.longs,
            "next_queue": scratch.next_queue,
            "next_longs": scratch.next_longs,
            **self._result,
            "state": scratch.state,
        }

    def _fused(self, level: int, last: int, scratch: HybridScratch) -> npt.NDArray[np.uint32]:
        kernel = self._programs["traversal/search_fused"].bfs_fused
        size = min(self.shape.fused_local, kernel.limit)
        kernel(size, local=size, level=level, last_level=last, **self._graph_and_queues(scratch))
        return self.dev.download(scratch.state, np.uint32, STATE_SIZE)

    def _push(self, level: int, count: int, longs: int, scratch: HybridScratch) -> None:
        shape, prog = self.shape, self._programs["traversal/search_push"]
        groups = -(-count // (shape.rows if shape.team else shape.push_items))
        named = {"level": level, **self._graph_and_queues(scratch)}
        prog.bfs_push(groups * shape.local, local=shape.local, **named)
        if longs:
            prog.bfs_push_long(longs * shape.local, local=shape.local, **named)
        scratch.swap_queues()

    def _bitmaps(self, level: int, scratch: HybridScratch) -> None:
        self._programs["traversal/search"].bfs_bitmaps(
            self._passes,
            n=self.n,
            level=level,
            row_ptr=self._arriving().row_ptr,
            distance=self.distance,
            visited=scratch.visited,
            front=scratch.front,
            local=self.shape.local,
        )

    def _arriving(self) -> DeviceCSR:
        """The reversed arcs, on the device."""
        from clgraph.csr.upload import upload_csr

        if not self.graph.directed:
            return self.csr
        start = time.perf_counter()
        csr = upload_csr(self.dev, self.graph.reverse)
        self.seconds["upload"] += time.perf_counter() - start
        return csr

    def _pull(self, level: int, scratch: HybridScratch) -> int:
        """One level from the bitmaps; returns how many vertices it found."""
        shape, arriving = self.shape, self._arriving()
        if self._cut is not None:
            self._pull_in_partitions(level, scratch, self._cut, arriving)
        else:
            prog = self._programs["traversal/search_pull"]
            named = {
                "n": self.n,
                "level": level,
                **arriving.buffers,
                "front": scratch.front,
                "next": scratch.next,
                "visited": scratch.visited,
                "rest": scratch.rest,
                **self._result,
                "state": scratch.state,
            }
            prog.bfs_pull(self._passes, local=shape.local, **named)
            if shape.team:
                rest_local = min(64, shape.local)
                prog.bfs_pull_rest(16 * self.dev.compute_units * rest_local, local=rest_local, **named)
        scratch.swap_bitmaps()
        return slot_of(read_state(self.dev, scratch.state), level + 1)[COUNT]

    def _collect(self, level: int, scratch: HybridScratch) -> None:
        words = -(-self.n // 32)
        self._programs["traversal/search"].bfs_collect(
            -(-words // max(1, self.shape.items // 32)),
            n=self.n,
            level=level,
            shift=self.shift,
            row_ptr=self.csr.row_ptr,
            front=scratch.front,
            queue=scratch.queue,
            longs=scratch.longs,
            state=scratch.state,
            local=self.shape.local,
        )

    def _pull_in_partitions(self, level: int, scratch: HybridScratch, cut: Cut, arriving: DeviceCSR) -> None:
        """One level: the frontier's bits are moved to where the partitions' arcs want them, and collected."""
        dev, graph = self.dev, self.graph
        start = time.perf_counter()
        layout = upload_layout(dev, graph.reverse if graph.directed else graph, cut)
        self.seconds["upload"] += time.perf_counter() - start
        unroll = dev.pipeline_parameter("UNROLL")
        if scratch.moved is None:
            dev.reserve({"moved": 4 * (layout.moved // unroll)})
            scratch.moved = dev.empty(max(1, layout.moved // unroll), np.uint32)
        prog, partitions = self._programs["traversal/search_partitions"], cut.partitions
        prog.bfs_move(
            1,
            n=self.n,
            partitions=partitions,
            begin=layout.begin,
            source=layout.source,
            front=scratch.front,
            moved=scratch.moved,
        )
        prog.bfs_pull_placed(
            1,
            n=self.n,
            level=level,
            partitions=partitions,
            blocks=cut.blocks,
            each=cut.each,
            tile=layout.tile,
            ended=layout.ended,
            **arriving.buffers,
            place=layout.place,
            moved=scratch.moved,
            next=scratch.next,
            visited=scratch.visited,
            **self._result,
            state=scratch.state,
        )
