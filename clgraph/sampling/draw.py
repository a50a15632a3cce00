"""Batches of deletions: by smallest keyed priority (drv, dre), or by keyed draws (drve, dhyb).

Host half of ``cl/sampling/select.cl`` (by threshold, without sorting) and of ``cl/sampling/draw.cl``: the
draws of one run over the whole device, and of many runs side by side, each in a work-group.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, isqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.finder import graph_components
from clgraph.device.launch_config import LaunchTable, WorkGroupPerRun
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.sampling.copra import Copra
from clgraph.sampling.replicates import Replicates, edge_list
from clgraph.sampling.request import Request
from clgraph.sampling.selection import edge_numbers

if TYPE_CHECKING:
    from clgraph.device import Device

# --- Things of smallest priority ---

BINS = 1 << 14  # a pass over the graph narrows the window of the cutoff by this factor
COLLECT = 1 << 12  # priorities in one bin that the host sorts; a fuller bin is a window of its own
TOP = 1 << 64


class ByPriority:
    """Chooses the live vertices (drv) or edges (dre) of smallest (priority, position).

    Parameters
    ----------
    copra : Copra
    seed : int
    edges : bool
        Choose edges (dre) instead of vertices (drv).
    """

    most = Fraction(1)  # the order does not depend on what went before

    def __init__(self, copra: Copra, seed: int, *, edges: bool) -> None:
        device = copra.device
        self.copra, self.by_edges, self.seed, self.n = copra, edges, seed, copra.n
        self.kind = "edges" if edges else "vertices"
        self.row_ptr, self.col_idx = copra.row_ptr, copra.col_idx
        self.v_start, self.v_end, self.edges = copra.v_start, copra.v_end, copra.edges
        self.program = device.program(
            "sampling/select",
            ITEMS=device.tuning.items,
            HAS_COPIES=int(copra.has_copies),
            **copra.csr.defines,
        )
        self.bins, self.histogram = BINS, device.empty(BINS, np.int32)
        self.count = device.empty(1, np.int32)
        self.capacity, self.priority = COLLECT, device.empty(COLLECT, np.uint64)
        self.position = device.empty(COLLECT, copra.offset)
        things = max(copra.arcs // 2 if edges else copra.n, 1)
        self.list = device.empty(things, copra.offset if edges else np.int32)
        self.owners = device.empty(things, np.int32) if edges else None
        self.low = 0  # every live priority is at or above this
        self.reached = self.taken = 0

    def _run(self, what: str, **named: Any) -> None:
        getattr(self.program, f"select_{what}_{self.kind}").launch(self, self.copra.passes, **named)

    def _cutoff(self, count: int, live: int) -> tuple[int, int]:
        """(priority, position) of the `count`-th of `live` vertices or edges."""
        device, low, wanted = self.copra.device, self.low, count
        # the window that contains the count-th, by six standard deviations, if priorities are uniform
        width = (TOP - low) * (count + 6 * isqrt(count) + 16) // live + 1
        while True:
            shift = max(0, (min(width, TOP - low) - 1).bit_length() - (BINS.bit_length() - 1))
            device.clear(self.histogram, BINS, np.int32)
            self._run("count", low=low, shift=shift)
            up_to = np.cumsum(device.download(self.histogram, np.int32, BINS), dtype=np.int64)
            if up_to[-1] < wanted:
                wanted -= int(up_to[-1])
                low += BINS << shift
                if low >= TOP:
                    raise DeviceError(
                        f"{device.name}: fewer live {self.kind} than were counted; please report this"
                    )
                width = TOP - low
                continue
            bin_ = int(np.searchsorted(up_to, wanted))
            before = int(up_to[bin_ - 1]) if bin_ else 0
            wanted -= before
            low += bin_ << shift
            width = 1 << shift
            if (inside := int(up_to[bin_]) - before) <= COLLECT:
                break
        device.clear(self.count, 1, np.int32)
        self._run("collect", low=low, width=width)
        priority = device.download(self.priority, np.uint64, inside)
        position = device.download(self.position, self.copra.offset, inside)
        nth = np.lexsort((position, priority))[wanted - 1]
        return int(priority[nth]), int(position[nth])

    def remove(self, step: int, count: int, vertices: int, edges: int) -> None:
        device, copra = self.copra.device, self.copra
        live = edges if self.by_edges else vertices
        if count == live:
            cutoff, position = TOP - 1, int(np.iinfo(copra.offset).max)
        else:
            cutoff, position = self._cutoff(count, live)
        device.clear(self.count, 1, np.int32)
        self._run("list", cutoff=cutoff, cutoff_position=position)
        listed = int(device.download(self.count, np.int32, 1)[0])
        if listed != count:
            raise DeviceError(
                f"{device.name}: {listed} {self.kind} chosen instead of {count}; please report this"
            )
        self.taken, self.reached = count, cutoff
        if not self.by_edges:
            copra.change("remove_vertices", count, list=self.list)
        elif copra.far_scan:
            copra.change("remove_edges", count, slots=self.list)
        else:
            copra.change("remove_vertex_edges", count, vertices=self.owners, slots=self.list)

    def undo(self) -> None:
        if self.by_edges:
            edges = {"vertices": self.owners, "slots": self.list}
            self.copra.change("restore_vertex_edges", self.taken, **edges)
        else:
            self.copra.change("restore_vertices", self.taken, list=self.list)

    def removed(self) -> tuple[Any, Any, int]:
        """Vertices of the last batch and None, or owners and slots of its edges, and how many."""
        return (self.owners, self.list, self.taken) if self.by_edges else (self.list, None, self.taken)

    def accept(self) -> None:
        self.low = self.reached


# --- Keyed draws, of one run ---


class ByDraw:
    """Chooses the first distinct edges among keyed draws.

    A draw that hits nothing live does not count. In dhyb the two kinds of draw miss with different
    probabilities, so the coin is weighted by the chances of a hit: each draw that counts is of the drve kind
    with probability `weight`.

    Parameters
    ----------
    copra : Copra
    seed : int
    weight : Fraction
        Probability, 0 to 1, that a step deletes a random vertex's edge (drve), else any edge (dre).
    """

    BLOCK = 64  # draws that a work-item counts
    # a batch draws by the degrees at its start: larger batches give samples with too few edges
    most = Fraction(1, 8)

    def __init__(self, copra: Copra, seed: int, *, weight: Fraction = Fraction(1)) -> None:
        device = copra.device
        self.copra, self.seed, self.weight, self.threshold = copra, seed, weight, 0
        self.n, self.slots, self.edges = copra.n, copra.slots, copra.edges
        self.row_ptr, self.col_idx = copra.row_ptr, copra.col_idx
        self.program = device.program(
            "sampling/draw",
            BLOCK=self.BLOCK,
            ITEMS=device.tuning.items,
            HYBRID=int(weight != 1),
            HAS_COPIES=int(copra.has_copies),
            FAR_SCAN=int(copra.far_scan),
            **copra.csr.defines,
        )
        self.first = device.empty(copra.slots, np.int32)
        self.program.draw_clear.launch(self, copra.over(copra.slots))
        self.drawn_vertex = self.drawn_slot = self.drawn_far = None
        self.room = 0
        self.step = -1
        self.end = 0  # draws made in this step
        self.upto = 0  # draws whose edges were removed
        self.distinct = np.zeros(0, np.int64)  # distinct edges up to each block's end

    def remove(self, step: int, count: int, vertices: int, edges: int) -> None:
        if step != self.step:
            self.step, self.end = step, 0
            self.threshold = self._threshold_for(vertices, edges)
            self.distinct = np.zeros(0, np.int64)
        while (have := int(self.distinct[-1]) if len(self.distinct) else 0) < count:
            self._draw_more(count - have, have)
        self.upto = self._draws_for(count)
        self.copra.change("remove_pairs", self.upto, slots=self.drawn_slot, far=self.drawn_far)

    def _threshold_for(self, vertices: int, edges: int) -> int:
        """Coins below it draw a vertex's edge ("always" would be 2**64, which does not fit)."""
        if self.weight == 1:
            return 2**64 - 1
        vertex_hits, edge_hits = Fraction(vertices, self.n), Fraction(2 * edges, self.slots)
        drve = self.weight * edge_hits
        return int(2**64 * drve / (drve + (1 - self.weight) * vertex_hits))

    def _draw_more(self, missing: int, have: int) -> None:
        copra, device, begin = self.copra, self.copra.device, self.end
        hits = (have + 1) / (begin + 1)
        # a tenth more than expected, so that a second round is rare
        more = int(missing / hits * 1.1) + 4 * self.BLOCK
        blocks = -(-more // self.BLOCK)
        end = begin + blocks * self.BLOCK
        if end > 2**31 - 1:
            raise DeviceError(
                "drve and dhyb would need more than 2**31 draws in one batch: the sample is too small "
                "a part of the graph; sample in two runs, or use drv or dre"
            )
        self._grow(end)
        self.end = end
        self.program.draw_edges.launch(self, copra.over(end - begin), begin=begin)
        counts = device.empty(blocks, np.int32)
        self.program.draw_distinct.launch(self, blocks, begin=begin, block_count=counts)
        distinct = np.cumsum(device.download(counts, np.int32, blocks), dtype=np.int64) + have
        self.distinct = np.concatenate((self.distinct, distinct))

    def _grow(self, room: int) -> None:
        """Make room for `room` draws; those already made in this step are copied."""
        if room <= self.room:
            return
        device, old = self.copra.device, (self.drawn_vertex, self.drawn_slot, self.drawn_far)
        room = max(room, 2 * self.room)
        types = (np.int32, self.copra.offset, self.copra.offset)
        new = [device.empty(room, dtype) for dtype in types]
        for target, source, dtype in zip(new, old, types, strict=True):
            if self.end:
                device.copy(target, source, self.end * np.dtype(dtype).itemsize)
        self.drawn_vertex, self.drawn_slot, self.drawn_far = new
        self.room = room

    def _draws_for(self, count: int) -> int:
        """Return the number of draws, from the first on, that contain exactly `count` distinct edges."""
        block = int(np.searchsorted(self.distinct, count))
        before = int(self.distinct[block - 1]) if block else 0
        begin = block * self.BLOCK
        slots = self.copra.device.download(self.drawn_slot, self.copra.offset, self.BLOCK, offset=begin)
        return begin + int(np.flatnonzero(slots >= 0)[count - before - 1]) + 1

    def undo(self) -> None:
        pairs = {"vertices": self.drawn_vertex, "slots": self.drawn_slot, "far": self.drawn_far}
        self.copra.change("restore_pairs", self.upto, **pairs)

    def removed(self) -> tuple[Any, Any, int]:
        """Vertices and slots in their rows (-1: ignored) of the last batch, and how many."""
        return self.drawn_vertex, self.drawn_slot, self.upto

    def accept(self) -> None:
        self.program.draw_forget.launch(self, self.copra.over(self.end))


# --- Keyed draws, of many runs side by side ---


class LaunchConfig(WorkGroupPerRun):
    """Launch shape of runs side by side."""

    EACH = 12


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, runs=128),
    cpu=LaunchConfig(local=1, runs=2),
    simulator=LaunchConfig(local=4, runs=2),
)
FINEST = 1 << 15  # a larger denominator of the probability would not fit the kernel's integers


class DrawRuns(Replicates):
    """One run per work-group: the whole loop of batches."""

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], request: Request) -> None:
        super().__init__(device, graph, targets, request)
        self.algorithm = request.components or "afforest"
        n, m, shape, weight = self.n, self.m, LAUNCH.of(device), request.chance
        self.local, self.room, self.each = shape.local, m // 8 + 1, 2 * n + m + m // 8 + 1
        room = min(device.global_memory // 4, device.max_buffer) // (4 * self.each + self.bytes_each)
        self.most = max(1, room)
        self.at_first = min(shape.runs, self.most)
        device.reserve({"areas": 4 * self.each * self.at_first})
        self.p, self.q = weight.numerator, weight.denominator
        largest, self.edge = graph_components(device, graph).largest(), edge_numbers(device, graph)
        self.low, self.high = edge_list(device, graph)
        self.inside, self.root, self.whole = largest.label, largest.root, largest.size
        tolerance = request.tolerance
        least = [ceil(size - (Fraction(size, 1000) if tolerance is None else tolerance)) for size in targets]
        self.least = device.upload(np.array(least, np.int32))
        defines = {"RUNS": 1, "LOCAL": shape.local, "HYBRID": int(weight != 1), **self.csr.defines}
        self.kernel = device.program("sampling/draw", **defines).draw_runs

    def launch(self, runs: int) -> None:
        area = self.device.empty(self.each * runs, np.int32)
        named = self.kernel.arguments_of(self) | {"first_seed": self.seed, "area": area}
        self.kernel.exact(runs * self.local, local=self.local, **named)
