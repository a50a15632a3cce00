"""Breadth-first search on a device, level by level: host half of ``cl/bfs*.cl``."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.partitions import Cut, upload_layout

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph

NO_LIMIT = 2**32 - 2
# fields of a level's slot in the state, as in cl/traversal/search.h
COUNT, LONGS, ARCS = 0, 1, 2
STATE_SIZE = 28


@dataclass(frozen=True)
class Shape:
    """Launch choices for a kind of device; the heads of ``cl/bfs*.cl`` say what each is.

    Attributes
    ----------
    team : bool
        Work-groups share the arcs of their vertices (GPUs); otherwise work-items go through runs of vertices.
    local : int
        Work-items of a group; `fused_local` of the one group of the fused kernel.
    alpha, beta : int
        Push becomes pull when the frontier has more than 1/alpha of the arcs not yet looked at, pull becomes
        push
        when a shrinking frontier has fewer than 1/beta of the vertices (Beamer's names).
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


_TEAM = Shape(
    team=True,
    local=256,
    fused_local=1024,
    items=1,
    long_row=512,
    long_piece=2048,
    fuse_count=4096,
    fuse_arcs=16384,
)
_SERIAL = Shape(team=False)
# the simulator gets small numbers, so that graphs of 50 vertices go through every branch
SHAPES: dict[str, Shape] = {
    "gpu": _TEAM,
    "cpu": _SERIAL,
    "fpga": _SERIAL,
    "emulator": _SERIAL,
    "simulator": replace(_SERIAL, items=32, push_items=4, long_row=8, long_piece=4, fuse_arcs=24),
}


def shape_for(dev: Device) -> Shape:
    """The row of the table for a device, cut to its limits."""
    shape = SHAPES[dev.kind]
    if shape.team and dev.max_work_group < shape.rows:
        return _SERIAL  # a device without work-groups worth the name
    if shape.team:
        while shape.local > dev.max_work_group:
            shape = replace(shape, local=shape.local // 2)
        while shape.fused_local > dev.max_work_group:
            shape = replace(shape, fused_local=shape.fused_local // 2)
    return shape


def cut_for(dev: Device, graph: Graph) -> Cut | None:
    """The partitions that pulling takes on a device with pipelines; None: it takes none."""
    if not dev.has_pipeline("traversal/search_partitions") or not dev.pipeline_parameter("PULL_PARTITIONS"):
        return None
    words, unroll = dev.pipeline_parameter("LOCAL_WORDS"), dev.pipeline_parameter("UNROLL")
    return Cut.of(graph, size=32 * words, room=unroll * words, burst=unroll * unroll)


class Search:
    """One search on one device: buffers, programs, the loop over levels."""

    def __init__(self, dev: Device, graph: Graph, method: str, predecessors: bool, owners: bool) -> None:
        from clgraph.csr.upload import upload_csr

        self.dev, self.graph, self.method = dev, graph, method
        self.predecessors, self.owners = predecessors, owners
        self.shape = shape_for(dev)
        if dev.has_pipeline("traversal/search"):
            # one work-item, and rows of any length
            self.shape = replace(_SERIAL if self.shape.team else self.shape, long_row=2**31 - 1)
        self.cut = cut_for(dev, graph)
        self.n = graph.num_vertices
        self.seconds = {"upload": 0.0, "compile": 0.0, "bfs": 0.0, "download": 0.0}
        start = time.perf_counter()
        self.csr: DeviceCSR = upload_csr(dev, graph)
        # buffers for whatever method and options, made once per graph and device
        self.kept: dict[str, Any] = dev.cached(graph, ("bfs", method), self._make_scratch)
        self.seconds["upload"] = time.perf_counter() - start
        # arcs are counted in units of 2^shift, so that their number fits 32 bits
        self.shift = max(0, self.csr.arcs.bit_length() - 30)

    def _make_scratch(self) -> dict[str, Any]:
        n, shape = self.n, self.shape
        if self.method == "frontier":
            sizes = {"frontier": n, "next": n}
        else:
            # a row of more than long_row arcs takes one piece more than it fills
            pieces = self.csr.arcs // shape.long_row + self.csr.arcs // shape.long_piece + 1
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
            }
        sizes["state"] = 4 * STATE_SIZE
        self.dev.reserve({"distance": 4 * n, "predecessor": 4 * n, **sizes})
        return {name: self.dev.empty(size, np.uint8) for name, size in sizes.items()}

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
        dev, n = self.dev, self.n
        last = NO_LIMIT if depth_limit is None else min(int(depth_limit), NO_LIMIT)
        self.distance = dev.output(n, np.int32)
        self.predecessor = dev.output(n, np.int32) if self.predecessors else None
        self.owner = dev.output(n, np.int32) if self.owners else None
        for name in (
            "traversal/search",
            "traversal/search_push",
            "traversal/search_pull",
            "traversal/search_fused",
        )[: 1 if self.method == "frontier" else 4]:
            self.program(name)  # before the clock of the search starts
        start, elsewhere = time.perf_counter(), self.seconds["upload"] + self.seconds["compile"]
        self._fill(sources)
        walk = self._frontier if self.method == "frontier" else self._hybrid
        levels, reached = walk(sources, last)
        dev.finish()
        elsewhere = self.seconds["upload"] + self.seconds["compile"] - elsewhere
        self.seconds["bfs"] = time.perf_counter() - start - elsewhere
        return levels, reached

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

    def _vertices(self) -> int:
        """Work-items of a pass over all vertices."""
        return -(-self.n // self.shape.items)

    def _fill(self, sources: npt.NDArray[np.int32]) -> None:
        kept, prog = self.kept, self.program("traversal/search")
        count = np.uint32(len(sources))
        prog.bfs_fill(
            self._vertices(),
            np.int32(self.n),
            count,
            self.distance,
            self.predecessor,
            self.owner,
            kept.get("frontier"),
            kept["next"],
            kept["state"],
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
            kept.get("frontier"),
            kept.get("queue"),
            kept.get("longs"),
            kept["state"],
            local=self.shape.local,
        )

    def _read(self) -> npt.NDArray[np.uint32]:
        return self.dev.download(self.kept["state"], np.uint32, STATE_SIZE)

    def _slot(self, state: npt.NDArray[np.uint32], level: int) -> tuple[int, int, int]:
        at = 4 + 8 * (level % 3)
        return int(state[at + COUNT]), int(state[at + LONGS]), int(state[at + ARCS])

    def _frontier(self, sources: npt.NDArray[np.int32], last: int) -> tuple[int, int]:
        """Levels and vertices reached by Algorithm 5."""
        kept, prog = self.kept, self.program("traversal/search")
        level, count, reached = 0, len(sources), len(sources)
        here, there = kept["frontier"], kept["next"]
        while count and level < last:
            prog.bfs_frontier(
                self._vertices(),
                np.int32(self.n),
                np.uint32(level),
                self.csr.row_ptr,
                self.csr.col_idx,
                here,
                there,
                self.distance,
                self.predecessor,
                self.owner,
                kept["state"],
                local=self.shape.local,
            )
            level += 1
            count = self._slot(self._read(), level)[COUNT]
            reached += count
            here, there = there, here
        return level + (count > 0), reached

    def _hybrid(self, sources: npt.NDArray[np.int32], last: int) -> tuple[int, int]:
        """Levels and vertices reached by the direction-optimising search."""
        shape, n = self.shape, self.n
        degrees = self.graph.row_ptr[sources.astype(np.int64) + 1] - self.graph.row_ptr[sources]
        level, count, reached = 0, len(sources), len(sources)
        arcs = int(degrees.sum()) >> self.shift
        longs = int(np.sum(-(-degrees[degrees > shape.long_row] // shape.long_piece)))
        unseen = self.csr.arcs >> self.shift
        pulling = False
        while count and level < last:
            if pulling:
                before = count
                count = self._pull(level)
                level, reached = level + 1, reached + count
                if count and count < before and count * shape.beta < n and level < last:
                    self._collect(level)
                    _, longs, arcs = self._slot(self._read(), level)
                    pulling = False
                continue
            if not longs and count <= shape.fuse_count and arcs <= shape.fuse_arcs >> self.shift:
                state = self._fused(level, last)
                found, ended = int(state[1]), int(state[0])
                reached += found
                unseen -= arcs
                if ended > level:
                    if (ended - level) % 2:
                        self._swap()
                    level = ended
                    count, longs, arcs = self._slot(state, level)
                    continue
            unseen -= arcs
            if arcs * shape.alpha > unseen:
                self._bitmaps(level)
                pulling = True
                continue
            self._push(level, count, longs)
            level += 1
            count, longs, arcs = self._slot(self._read(), level)
            reached += count
        return level + (count > 0), reached

    def _swap(self, *names: str) -> None:
        for name in names or ("queue", "longs"):
            self.kept[name], self.kept[f"next_{name}"] = self.kept[f"next_{name}"], self.kept[name]

    def _graph_and_queues(self, level: int) -> tuple[Any, ...]:
        k = self.kept
        return (
            np.uint32(self.shift),
            self.csr.row_ptr,
            self.csr.col_idx,
            k["queue"],
            k["longs"],
            k["next_queue"],
            k["next_longs"],
            self.distance,
            self.predecessor,
            self.owner,
            k["state"],
        )

    def _fused(self, level: int, last: int) -> npt.NDArray[np.uint32]:
        kernel = self.program("traversal/search_fused").bfs_fused
        size = min(self.shape.fused_local, kernel.limit)
        kernel.exact(size, np.uint32(level), np.uint32(last), *self._graph_and_queues(level), local=size)
        return self._read()

    def _push(self, level: int, count: int, longs: int) -> None:
        shape, prog = self.shape, self.program("traversal/search_push")
        groups = -(-count // (shape.rows if shape.team else shape.push_items))
        args = (np.uint32(level), *self._graph_and_queues(level))
        prog.bfs_push(groups * shape.local, *args, local=shape.local)
        if longs:
            prog.bfs_push_long(longs * shape.local, *args, local=shape.local)
        self._swap()

    def _bitmaps(self, level: int) -> None:
        kept, arriving = self.kept, self._arriving()
        self.program("traversal/search").bfs_bitmaps(
            self._vertices(),
            np.int32(self.n),
            np.uint32(level),
            arriving.row_ptr,
            self.distance,
            kept["visited"],
            kept["front"],
            local=self.shape.local,
        )

    def _arriving(self) -> DeviceCSR:
        """The arcs turned round, on the device."""
        from clgraph.csr.upload import upload_csr

        if not self.graph.directed:
            return self.csr
        start = time.perf_counter()
        csr = upload_csr(self.dev, self.graph.reverse)
        self.seconds["upload"] += time.perf_counter() - start
        return csr

    def _pull(self, level: int) -> int:
        """One level from the bitmaps; returns how many vertices it found."""
        shape, kept = self.shape, self.kept
        if self.cut is not None:
            self._pull_in_partitions(level, self.cut)
        else:
            prog, arriving = self.program("traversal/search_pull"), self._arriving()
            args = (
                np.int32(self.n),
                np.uint32(level),
                arriving.row_ptr,
                arriving.col_idx,
                kept["front"],
                kept["next"],
                kept["visited"],
                kept["rest"],
                self.distance,
                self.predecessor,
                self.owner,
                kept["state"],
            )
            prog.bfs_pull(self._vertices(), *args, local=shape.local)
            if shape.team:
                rest_local = min(64, shape.local)
                prog.bfs_pull_rest(16 * self.dev.compute_units * rest_local, *args, local=rest_local)
        kept["front"], kept["next"] = kept["next"], kept["front"]
        return self._slot(self._read(), level + 1)[COUNT]

    def _pull_in_partitions(self, level: int, cut: Cut) -> None:
        """The same where the frontier's bitmap does not fit an FPGA's chip."""
        dev, kept, arriving, n = self.dev, self.kept, self._arriving(), np.int32(self.n)
        start = time.perf_counter()
        layout = upload_layout(dev, self.graph.reverse if self.graph.directed else self.graph, cut)
        self.seconds["upload"] += time.perf_counter() - start
        unroll = dev.pipeline_parameter("UNROLL")
        if "moved" not in kept:
            dev.reserve({"moved": 4 * (layout.moved // unroll)})
            kept["moved"] = dev.empty(max(1, layout.moved // unroll), np.uint32)
        prog, partitions = self.program("traversal/search_partitions"), np.int32(cut.partitions)
        prog.bfs_move(1, n, partitions, layout.begin, layout.source, kept["front"], kept["moved"])
        prog.bfs_pull_placed(
            1,
            n,
            np.uint32(level),
            partitions,
            np.int32(cut.blocks),
            np.int32(cut.each),
            layout.tile,
            layout.ended,
            arriving.row_ptr,
            arriving.col_idx,
            layout.place,
            kept["moved"],
            kept["next"],
            kept["visited"],
            self.distance,
            self.predecessor,
            self.owner,
            kept["state"],
        )

    def _collect(self, level: int) -> None:
        kept = self.kept
        words = -(-self.n // 32)
        self.program("traversal/search").bfs_collect(
            -(-words // max(1, self.shape.items // 32)),
            np.int32(self.n),
            np.uint32(level),
            np.uint32(self.shift),
            self.csr.row_ptr,
            kept["front"],
            kept["queue"],
            kept["longs"],
            kept["state"],
            local=self.shape.local,
        )
