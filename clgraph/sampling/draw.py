"""What a batch deletes: things of smallest keyed priority (drv, dre), or hit by keyed draws (drve, dhyb).

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
from clgraph.sampling.bitsets import edge_numbers
from clgraph.sampling.copra import Copra
from clgraph.sampling.replicates import Packing, edge_list
from clgraph.sampling.request import Request

if TYPE_CHECKING:
    from clgraph.device import Device

# --- Things of smallest priority ---

BINS = 1 << 14  # a pass over the graph narrows the window of the cutoff so many times
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
        self._copra, self._edges = copra, edges
        self._kind = "edges" if edges else "vertices"
        self._program = device.program(
            "sampling/select",
            ITEMS=device.tuning.items,
            HAS_COPIES=int(copra.is_multigraph),
            **copra.csr.defines,
        )
        self._passes = -(-copra.n // device.tuning.items)
        self._histogram = device.empty(BINS, np.int32)
        self._counter = device.empty(1, np.int32)
        self._priority = device.empty(COLLECT, np.uint64)
        self._position = device.empty(COLLECT, copra.offset)
        things = copra.arcs // 2 if edges else copra.n
        self._list = device.empty(max(things, 1), copra.offset if edges else np.int32)
        self._owners = device.empty(max(things, 1), np.int32) if edges else None
        self._lists = {"owners": self._owners, "list": self._list} if edges else {"list": self._list}
        rows = {"n": copra.n, "seed": seed, "v_start": copra.v_start}
        if edges:
            rows |= {"v_end": copra.v_end, "edges": copra.edges, **copra.csr.buffers}
        self._rows = rows
        self._low = 0  # every live priority is at or above this
        self._reached = 0
        self._count = 0

    def _run(self, what: str, **arguments: Any) -> None:
        kernel = getattr(self._program, f"select_{what}_{self._kind}")
        kernel(self._passes, **self._rows, **arguments)

    def _cutoff(self, count: int, live: int) -> tuple[int, int]:
        """(priority, position) of the `count`-th of `live` vertices or edges."""
        device, low, wanted = self._copra.device, self._low, count
        # the window that contains the count-th, by six standard deviations, if priorities are uniform
        width = (TOP - low) * (count + 6 * isqrt(count) + 16) // live + 1
        while True:
            shift = max(0, (min(width, TOP - low) - 1).bit_length() - (BINS.bit_length() - 1))
            device.clear(self._histogram, BINS, np.int32)
            self._run("count", low=low, shift=shift, bins=BINS, histogram=self._histogram)
            up_to = np.cumsum(device.download(self._histogram, np.int32, BINS), dtype=np.int64)
            if up_to[-1] < wanted:
                wanted -= int(up_to[-1])
                low += BINS << shift
                if low >= TOP:
                    raise DeviceError(
                        f"{device.name}: fewer live {self._kind} than were counted; please report this"
                    )
                width = TOP - low
                continue
            bin_ = int(np.searchsorted(up_to, wanted))
            inside = int(up_to[bin_] - (up_to[bin_ - 1] if bin_ else 0))
            wanted -= int(up_to[bin_ - 1]) if bin_ else 0
            low += bin_ << shift
            width = 1 << shift
            if inside <= COLLECT:
                return self._nth(wanted, low, width, inside)

    def _nth(self, wanted: int, low: int, width: int, inside: int) -> tuple[int, int]:
        device = self._copra.device
        device.clear(self._counter, 1, np.int32)
        self._run(
            "collect",
            low=low,
            width=width,
            capacity=COLLECT,
            count=self._counter,
            priority=self._priority,
            position=self._position,
        )
        priority = device.download(self._priority, np.uint64, inside)
        position = device.download(self._position, self._copra.offset, inside)
        nth = np.lexsort((position, priority))[wanted - 1]
        return int(priority[nth]), int(position[nth])

    def remove(self, step: int, count: int, vertices: int, edges: int) -> None:
        device, copra = self._copra.device, self._copra
        live = edges if self._edges else vertices
        if count == live:
            cutoff, position = TOP - 1, int(np.iinfo(copra.offset).max)
        else:
            cutoff, position = self._cutoff(count, live)
        device.clear(self._counter, 1, np.int32)
        self._run("list", cutoff=cutoff, cutoff_position=position, count=self._counter, **self._lists)
        listed = int(device.download(self._counter, np.int32, 1)[0])
        if listed != count:
            raise DeviceError(
                f"{device.name}: {listed} {self._kind} chosen instead of {count}; please report this"
            )
        self._count, self._reached = count, cutoff
        if not self._edges:
            copra.remove_vertices(self._list, count)
        elif copra.far_scan:
            copra.remove_edges(self._list, count)
        else:
            copra.remove_vertex_edges(self._owners, self._list, count)

    def undo(self) -> None:
        if self._edges:
            self._copra.restore_vertex_edges(self._owners, self._list, self._count)
        else:
            self._copra.restore_vertices(self._list, self._count)

    def removed(self) -> tuple[Any, Any, int]:
        """Vertices of the last batch and None, or owners and slots of its edges, and how many."""
        return (self._owners, self._list, self._count) if self._edges else (self._list, None, self._count)

    def accept(self) -> None:
        self._low = self._reached


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
        self._copra, self._seed = copra, seed
        self._weight, self._threshold = weight, 0
        self._program = device.program(
            "sampling/draw",
            BLOCK=self.BLOCK,
            ITEMS=device.tuning.items,
            HYBRID=int(weight != 1),
            HAS_COPIES=int(copra.is_multigraph),
            FAR_SCAN=int(copra.far_scan),
            **copra.csr.defines,
        )
        self._first = device.empty(copra.slots, np.int32)
        self._program.draw_clear(-(-copra.slots // device.tuning.items), slots=copra.slots, first=self._first)
        self._room = 0
        self._vertex: Any = None
        self._slot: Any = None
        self._far: Any = None
        self._step = -1
        self._drawn = 0  # draws made in this step
        self._upto = 0  # draws whose edges were removed
        self._kept: np.ndarray[Any, Any] = np.zeros(0, np.int64)  # distinct edges up to each block's end

    def remove(self, step: int, count: int, vertices: int, edges: int) -> None:
        if step != self._step:
            self._step, self._drawn = step, 0
            self._threshold = self._threshold_for(vertices, edges)
            self._kept = np.zeros(0, np.int64)
        while (have := int(self._kept[-1]) if len(self._kept) else 0) < count:
            self._draw_more(count - have, have)
        self._upto = self._draws_for(count)
        self._copra.remove_pairs(self._slot, self._far, self._upto)

    def _threshold_for(self, vertices: int, edges: int) -> int:
        """Coins below it draw a vertex's edge ("always" would be 2**64, which does not fit)."""
        if self._weight == 1:
            return 2**64 - 1
        copra, drve = self._copra, self._weight
        vertex_hits, edge_hits = Fraction(vertices, copra.n), Fraction(2 * edges, copra.slots)
        return int(2**64 * drve * edge_hits / (drve * edge_hits + (1 - drve) * vertex_hits))

    def _draw_more(self, missing: int, have: int) -> None:
        copra, device, csr = self._copra, self._copra.device, self._copra.csr
        hits = (have + 1) / (self._drawn + 1)
        more = int(missing / hits * 1.1) + 4 * self.BLOCK
        begin = self._drawn
        end = begin + -(-more // self.BLOCK) * self.BLOCK
        if end > 2**31 - 1:
            raise DeviceError(
                "drve and dhyb would need more than 2**31 draws in one batch: the sample is too small "
                "a part of the graph; sample in two runs, or use drv or dre"
            )
        self._grow(end)
        self._program.draw_edges(
            -(-(end - begin) // device.tuning.items),
            begin=begin,
            end=end,
            seed=self._seed,
            step=self._step,
            threshold=self._threshold,
            n=copra.n,
            slots=copra.slots,
            row_ptr=csr.row_ptr,
            col_idx=csr.col_idx,
            edges=copra.edges,
            drawn_vertex=self._vertex,
            drawn_slot=self._slot,
            drawn_far=self._far,
            first=self._first,
        )
        blocks = (end - begin) // self.BLOCK
        counts = device.empty(blocks, np.int32)
        self._program.draw_distinct(
            blocks,
            begin=begin,
            end=end,
            drawn_slot=self._slot,
            drawn_far=self._far,
            first=self._first,
            block_count=counts,
        )
        kept = np.cumsum(device.download(counts, np.int32, blocks), dtype=np.int64) + have
        self._kept = np.concatenate((self._kept, kept))
        self._drawn = end

    def _grow(self, room: int) -> None:
        """Make room for `room` draws; those already made in this step are copied."""
        if room <= self._room:
            return
        device, old = self._copra.device, (self._vertex, self._slot, self._far)
        room = max(room, 2 * self._room)
        types = (np.int32, self._copra.offset, self._copra.offset)
        new = [device.empty(room, dtype) for dtype in types]
        for target, source, dtype in zip(new, old, types, strict=True):
            if self._drawn:
                device.copy(target, source, self._drawn * np.dtype(dtype).itemsize)
        self._vertex, self._slot, self._far = new
        self._room = room

    def _draws_for(self, count: int) -> int:
        """How many draws, from the first on, contain exactly `count` distinct edges."""
        block = int(np.searchsorted(self._kept, count))
        before = int(self._kept[block - 1]) if block else 0
        begin = block * self.BLOCK
        slots = self._copra.device.download(self._slot, self._copra.offset, self.BLOCK, offset=begin)
        return begin + int(np.flatnonzero(slots >= 0)[count - before - 1]) + 1

    def undo(self) -> None:
        self._copra.restore_pairs(self._vertex, self._slot, self._far, self._upto)

    def removed(self) -> tuple[Any, Any, int]:
        """Vertices and slots in their rows (-1: ignored) of the last batch, and how many."""
        return self._vertex, self._slot, self._upto

    def accept(self) -> None:
        passes = -(-self._drawn // self._copra.device.tuning.items)
        self._program.draw_forget(
            passes, end=self._drawn, drawn_slot=self._slot, drawn_far=self._far, first=self._first
        )


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


class DrawRuns(Packing):
    """A run a work-group: the whole loop of batches."""

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], options: Request) -> None:
        super().__init__(device, graph, targets, options)
        self.way = options.components or "afforest"
        n, m, shape = self._n, self._m, LAUNCH.of(device)
        self._local, weight = shape.local, options.chance
        self._area = 2 * n + m + m // 8 + 1
        room = min(device.global_memory // 4, device.max_buffer) // (4 * self._area + self.bits)
        self.most = max(1, room)
        self.at_first = min(shape.runs, self.most)
        device.reserve({"areas": 4 * self._area * self.at_first})
        defines = {"RUNS": 1, "LOCAL": shape.local, "HYBRID": int(weight != 1), **self._csr.defines}

        tolerance = options.tolerance
        least = [ceil(size - (Fraction(size, 1000) if tolerance is None else tolerance)) for size in targets]

        listed, largest = edge_list(device, graph), graph_components(device, graph).largest()
        self._kernel = device.program("sampling/draw", **defines).draw_runs.bind(
            n=n,
            m=m,
            room=m // 8 + 1,
            p=weight.numerator,
            q=weight.denominator,
            row_ptr=self._csr.row_ptr,
            edge=edge_numbers(device, graph),
            low=listed.low,
            high=listed.high,
            inside=largest.label,
            root=largest.root,
            whole=largest.size,
            targets=self._targets,
            target=self._target,
            least=device.upload(np.array(least, np.int32)),
        )

    def _launch(self, first: int, runs: int, member: Any, kept: Any, count: Any) -> None:
        area = self._device.empty(self._area * runs, np.int32)
        self._kernel.exact(
            runs * self._local,
            local=self._local,
            first_seed=first,
            area=area,
            member=member,
            kept=kept,
            count=count,
        )
