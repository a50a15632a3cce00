"""Keyed draws of live edges (drve, dhyb): host half of ``cl/sampling/draw.cl``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from clgraph.errors import DeviceError
from clgraph.sampling.copra import Copra


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
            HAS_COPIES=int(copra.has_copies),
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
