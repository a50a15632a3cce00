"""Breadth-first search on a device, level by level: host half of ``cl/traversal/search*.cl``.

Method "hybrid" pushes small frontiers from a queue, pulls large ones through bitmaps, and does runs of small
levels in one launch (Beamer, Asanovic, Patterson: SC 2012); method "frontier" is Algorithm 5 of the COPRA
thesis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.csr.partitions import Cut, upload_layout
from clgraph.csr.upload import degrees_of, upload_csr
from clgraph.device.graph_cache import Pool
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group, fit_local
from clgraph.traversal.results import NO_LIMIT

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.graph import Graph

Lap = Callable[[str], None]
# the first serves both methods, the last an FPGA that pulls in partitions
PROGRAMS = tuple(f"traversal/search{part}" for part in ("", "_push", "_pull", "_fused", "_partitions"))


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration; the heads of ``cl/traversal/search*.cl`` describe the tunables.

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
        A frontier with no more vertices and arcs is left to the fused kernel. For many searches at once
        (`clgraph.traversal.many`) the limits are `many_count` and `many_arcs`.
    many_items, parts : int
        For many searches: queue entries per work-item, and work-groups per row, where they share rows.
    pull_share, stay_share : int
        For many searches: begin to pull when more than one vertex in `pull_share` is in some frontier; go on
        while more than one in `stay_share` is: late pulls find most searches everywhere.
    scatter_share : int
        For many searches: push without a queue when a frontier's arcs, times this, exceed the vertices.
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
    many_items: int = 16
    parts: int = 4
    many_count: int = 2048
    many_arcs: int = 32768
    pull_share: int = 8
    stay_share: int = 64
    scatter_share: int = 4
    POWERS: ClassVar[tuple[str, ...]] = ("local", "fused_local", "rows")


class TeamConfig(LaunchConfig):
    """Launch configuration where work-groups share arcs."""

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        if device.max_work_group < self.rows:
            return SERIAL  # its work-groups are too small to share a row
        count = fit_local(self.fuse_count, 9 * self.fuse_count, device)  # two lists of them, and some words
        local, fused_local = (fit_group(size, device) for size in (self.local, self.fused_local))
        return replace(self, local=local, fused_local=fused_local, fuse_count=count)


# alpha and beta are those of the GAP Benchmark Suite; one work-group does runs of levels so small that
# launches would take longer than their work
TEAM = TeamConfig(
    team=True,
    local=256,
    fused_local=1024,
    items=1,
    long_row=512,
    long_piece=2048,
    fuse_count=4096,
    fuse_arcs=16384,
    many_items=1,
)
SERIAL = LaunchConfig(team=False)
LAUNCH = LaunchTable(
    gpu=TEAM,
    cpu=SERIAL,
    simulator=replace(SERIAL, items=32, push_items=4, long_row=8, long_piece=4, fuse_arcs=24),
)


# --- a search's counters on the device, which the host reads once per level: cl/traversal/search.h ---


STATE_SIZE = 28  # words
# fields of a level's slot: vertices, pieces of long rows, arcs in units of 2^shift
COUNT, LONGS, ARCS = 0, 1, 2


def read_state(dev: Device, state: Any) -> tuple[list[int], list[list[int]]]:
    """Return what a fused launch reports, and three slots of counters; waits.

    The counters of a level, in the order of COUNT, LONGS, ..., are in slot ``level % 3``.
    """
    words = dev.download(state, np.uint32, STATE_SIZE)
    return words[:4].tolist(), words[4:].reshape(3, 8).tolist()


# --- the search ---


def cut_for(dev: Device, graph: Graph) -> Cut | None:
    """Return the partitions in which a board pulls if the frontier's bitmap exceeds its chip; else None."""
    if not dev.has_pipeline("traversal/search_partitions") or not dev.pipeline_parameter("PULL_PARTITIONS"):
        return None
    words, unroll = dev.pipeline_parameter("LOCAL_WORDS"), dev.pipeline_parameter("UNROLL")
    return Cut.of(graph, size=32 * words, room=unroll * words, burst=unroll * unroll)


class Search:
    """One search on one device.

    Buffers and numbers have the names of the kernels' arguments (``cl/traversal/search.h``).

    Attributes
    ----------
    dev : Device
    graph : Graph
    csr : DeviceCSR
        The graph's arcs on the device.
    config : LaunchConfig
    method : str
        "hybrid" or "frontier".
    predecessors, owners : bool
        Whether to find them.
    lap : callable
        Records the time since its last call as that of a phase (`clgraph.run.run_on.lap`).
    distance, predecessor, owner : pyopencl.Buffer or None
        The result, once `run` is done.
    """

    frontier: Any  # a byte a vertex (method "frontier"); the others: queues, bitmaps, counters
    queue: Any
    longs: Any
    next_queue: Any
    next_longs: Any
    visited: Any
    front: Any
    next: Any
    state: Any
    moved: Any = None  # the frontier by partition, once an FPGA pulls in partitions

    def __init__(
        self,
        dev: Device,
        graph: Graph,
        method: str,
        predecessors: bool,
        owners: bool,
        lap: Lap = lambda phase: None,
    ) -> None:
        self.dev, self.graph, self.n, self.lap = dev, graph, graph.num_vertices, lap
        self.method, self.predecessors, self.owners = method, predecessors, owners
        self.config = LAUNCH.of(dev)
        self._cut: Cut | None = None
        if dev.has_pipeline("traversal/search"):
            # one work-item, and rows of any length
            self.config = replace(SERIAL if self.config.team else self.config, long_row=2**31 - 1)
            if method == "hybrid":
                self._cut = cut_for(dev, graph)
        # one work-item takes `items` vertices, so that CPUs get long serial runs
        self._passes = -(-self.n // self.config.items)  # work-items over all vertices
        self.csr = upload_csr(dev, graph)
        self.row_ptr, self.col_idx = self.csr.row_ptr, self.csr.col_idx
        #: arcs are counted in units of 2^shift, so that their number fits 32 bits
        self.shift = max(0, self.csr.arcs.bit_length() - 30)
        self.level = 0
        self.distance: Any = None
        self.predecessor: Any = None
        self.owner: Any = None

    def run(self, sources: npt.NDArray[np.int32], last: int = NO_LIMIT) -> tuple[int, int]:
        """Search from `sources`, which ascend, each once; returns levels and vertices reached.

        The search ends after level `last`.
        """
        dev, n, hybrid = self.dev, self.n, self.method == "hybrid"
        pool: Pool[dict[str, Any]] = dev.graph_cache.cached(self.graph, ("bfs", self.method), Pool)
        # kept for the graph, but nothing in it from one search to the next; two threads get one each
        scratch = pool.borrow(self._make_scratch)
        vars(self).update(scratch)
        self.distance = dev.output(n, np.int32)
        self.predecessor = dev.output(n, np.int32) if self.predecessors else None
        self.owner = dev.output(n, np.int32) if self.owners else None
        self.lap("upload")
        defines: dict[str, Any] = {"PREDECESSOR": self.predecessors, "OWNER": self.owners}
        defines |= {"FRONTIER": not hybrid, **self.csr.defines}
        for name, value in vars(self.config).items():
            defines[name.upper()] = value
        self._programs = {}
        for name in PROGRAMS if self._cut else PROGRAMS[:-1] if hybrid else PROGRAMS[:1]:
            self._programs[name] = dev.program(name, **defines)
        self.lap("compile")
        program, local = self._programs["traversal/search"], self.config.local
        program.bfs_fill.launch(self, self._passes, sources=len(sources), local=local)
        given = {"sources": len(sources), "source": dev.upload(sources)}
        program.bfs_start.launch(self, len(sources), **given, local=local)
        levels, reached = (self._hybrid if hybrid else self._frontier)(sources, last)
        dev.finish()
        self.lap("bfs")
        # the frontier by partition is allocated at the first pull only, and kept for the next search
        if self._cut:
            scratch["moved"] = self.moved
        vars(self).update(dict.fromkeys(scratch))
        pool.give_back(scratch)  # after an error it is not: it may be between two states
        return levels, reached

    def _make_scratch(self) -> dict[str, Any]:
        """Allocate scratch buffers (``cl/traversal/search.h``); those of the other method are None."""
        n, config, words, arcs = self.n, self.config, -(-self.n // 32), self.csr.arcs
        # a row of more than long_row arcs takes one piece more than it fills
        longs = 8 * (arcs // config.long_row + arcs // config.long_piece + 1)
        sizes = {"frontier": n, "next": n, "state": 4 * STATE_SIZE}
        if self.method == "hybrid":
            sizes = {"queue": 4 * n, "next_queue": 4 * n, "longs": longs, "next_longs": longs}
            sizes |= dict.fromkeys(("visited", "front", "next"), 4 * words)
            sizes |= {"rest": 4 * n if config.team else 4, "state": 4 * STATE_SIZE}
        self.dev.reserve({"distance": 4 * n, "predecessor": 4 * n, **sizes})
        unused = dict.fromkeys(("frontier", "queue", "longs", "moved"))
        return unused | {name: self.dev.empty(size, np.uint8) for name, size in sizes.items()}

    def take(self, *, on_device: bool = False) -> tuple[Any, Any, Any]:
        """Return distances, predecessors (or None), sources (or None): the device's buffers are given up."""
        hand_over = self.dev.array if on_device else self.dev.take
        distance, predecessor, owner = (
            None if buffer is None else hand_over(buffer, np.int32, self.n)
            for buffer in (self.distance, self.predecessor, self.owner)
        )
        assert distance is not None
        self.lap("download")
        return distance, predecessor, owner

    # --- method "frontier" ------------------------------------------------------------------------

    def _frontier(self, sources: npt.NDArray[np.int32], last: int) -> tuple[int, int]:
        """Search by Algorithm 5; returns levels and vertices reached."""
        kernel = self._programs["traversal/search"].bfs_frontier
        level, count, reached = 0, len(sources), len(sources)
        while count and level < last:
            kernel.launch(self, self._passes, level=level, local=self.config.local)
            level += 1
            count = read_state(self.dev, self.state)[1][level % 3][COUNT]
            reached += count
            self.frontier, self.next = self.next, self.frontier
        return level + (count > 0), reached

    # --- method "hybrid" --------------------------------------------------------------------------

    def _hybrid(self, sources: npt.NDArray[np.int32], last: int) -> tuple[int, int]:
        """Search from the sources in the queue; returns levels and vertices reached."""
        config, n = self.config, self.n
        degrees = degrees_of(self.dev, self.graph, sources)
        self.level, count, reached = 0, len(sources), len(sources)
        arcs = int(degrees.sum()) >> self.shift
        longs = int(np.sum(-(-degrees[degrees > config.long_row] // config.long_piece)))
        unseen = self.csr.arcs >> self.shift
        pulling = False
        # a forest's arcs all lead to new vertices, but for those back: a pull reads more than all pushes
        forest = self.csr.arcs < 2 * n
        while count and self.level < last:
            if pulling:
                before = count
                count = self._pull()
                reached += count
                if count and count < before and count * config.beta < n and self.level < last:
                    _, longs, arcs = self._collect()
                    pulling = False
                continue
            if not longs and count <= config.fuse_count and arcs <= config.fuse_arcs >> self.shift:
                kernel = self._programs["traversal/search_fused"].bfs_fused
                size = min(config.fused_local, kernel.limit)
                kernel.launch(self, size, local=size, last_level=last)
                (ended, found, *_), slots = read_state(self.dev, self.state)
                reached += found
                unseen -= arcs
                if ended > self.level:
                    if (ended - self.level) % 2:
                        self._swap_queues()
                    self.level = ended
                    count, longs, arcs = slots[ended % 3][: ARCS + 1]
                    continue
            unseen -= arcs
            # from here on most arcs of the frontier lead to vertices that are known: pulling reads fewer
            if arcs * config.alpha > unseen and not forest:
                row_ptr, local = self._arriving().row_ptr, config.local
                program = self._programs["traversal/search"]
                program.bfs_bitmaps.launch(self, self._passes, row_ptr=row_ptr, local=local)
                pulling = True
                continue
            count, longs, arcs = self._push(count, longs)
            reached += count
        return self.level + (count > 0), reached

    def _swap_queues(self) -> None:
        """Make the next queues this level's."""
        self.queue, self.next_queue = self.next_queue, self.queue
        self.longs, self.next_longs = self.next_longs, self.longs

    def _counters(self) -> list[int]:
        """Return the vertices of a level, the pieces of their long rows, and their arcs; waits."""
        return read_state(self.dev, self.state)[1][self.level % 3][: ARCS + 1]

    def _push(self, count: int, longs: int) -> list[int]:
        """Push one level, of `count` vertices and `longs` pieces; returns the counters of the next."""
        config, program = self.config, self._programs["traversal/search_push"]
        groups = -(-count // (config.rows if config.team else config.push_items))
        program.bfs_push.launch(self, groups * config.local, local=config.local)
        if longs:
            program.bfs_push_long.launch(self, longs * config.local, local=config.local)
        # what was found is the frontier of the next level
        self._swap_queues()
        self.level += 1
        return self._counters()

    def _arriving(self) -> DeviceCSR:
        """The reversed arcs, on the device."""
        if not self.graph.directed:
            return self.csr
        self.lap("bfs")
        csr = upload_csr(self.dev, self.graph.reverse)
        self.lap("upload")
        return csr

    def _pull(self) -> int:
        """Pull one level through the bitmaps; returns how many vertices it found."""
        config, arriving = self.config, self._arriving().buffers
        if self._cut is not None:
            self._pull_in_partitions(self._cut, arriving)
        else:
            program = self._programs["traversal/search_pull"]
            program.bfs_pull.launch(self, self._passes, **arriving, local=config.local)
            if config.team:
                local = min(64, config.local)
                size = 16 * self.dev.compute_units * local
                program.bfs_pull_rest.launch(self, size, **arriving, local=local)
        self.front, self.next = self.next, self.front
        self.level += 1
        return self._counters()[COUNT]

    def _collect(self) -> list[int]:
        """Turn the frontier's bitmap into a queue; returns its counters."""
        words = -(-self.n // 32)
        passes = -(-words // max(1, self.config.items // 32))
        kernel = self._programs["traversal/search"].bfs_collect
        kernel.launch(self, passes, local=self.config.local)
        return self._counters()

    def _pull_in_partitions(self, cut: Cut, arriving: dict[str, Any]) -> None:
        """Pull one level: move the frontier's bits to the partitions' arcs, and collect them."""
        dev, graph = self.dev, self.graph
        self.lap("bfs")
        layout = upload_layout(dev, graph.reverse if graph.directed else graph, cut)
        self.lap("upload")
        words = max(1, layout.moved // dev.pipeline_parameter("UNROLL"))
        if self.moved is None:
            dev.reserve({"moved": 4 * words})
            self.moved = dev.empty(words, np.uint32)
        program, partitions = self._programs["traversal/search_partitions"], cut.partitions
        program.bfs_move.launch(self, 1, partitions=partitions, begin=layout.begin, source=layout.source)
        tiles = {"blocks": cut.blocks, "each": cut.each, "tile": layout.tile, "ended": layout.ended}
        program.bfs_pull_placed.launch(
            self, 1, partitions=partitions, **tiles, place=layout.place, **arriving
        )
