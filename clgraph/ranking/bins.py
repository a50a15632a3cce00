"""The plan of variant "auto" on GPUs: a warp takes a slice. Host half of ``cl/ranking/bins.cl``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from clgraph.csr.scan import running_sums
from clgraph.device.shapes import OfKind, Shapes, fitting
from clgraph.ranking.layout import Begin, balanced
from clgraph.ranking.pieces import cut_rows
from clgraph.ranking.renumber import renumber
from clgraph.ranking.shares import upload_shares
from clgraph.ranking.slices import (
    Begins,
    SliceBuffers,
    SliceRows,
    box_bytes,
    parts_of,
    place_arcs,
    slice_begins,
)


@dataclass(frozen=True)
class Shape:
    """Launch shape.

    Attributes
    ----------
    local : int
        Work-items in a group.
    width : int
        Rows of a slice.
    groups : int
        Work-groups for each compute unit.
    long_row : int
        Longer rows are cut into pieces.
    hot : int
        Sources in local memory at most; fewer where fewer fit.
    segments : int
        Segments of `hot` sources each that pieces of long rows read from local memory.
    classes : tuple of int
        Bounds between classes of sources.
    piece_groups : int
        Work-groups for each compute unit that sum pieces.
    """

    local: int
    width: int
    groups: int
    long_row: int
    hot: int
    segments: int
    classes: tuple[int, ...]
    piece_groups: int

    def within(self, device: OfKind) -> Shape:
        """Cut to a device's limits: at least half of its local memory is for sources."""
        local = fitting(self.local, device, each=16)
        return replace(self, local=local, width=min(self.width, local))


SHAPES = Shapes(
    gpu=Shape(
        local=1024,
        width=32,
        groups=1,
        long_row=256,
        hot=65535,
        segments=9,
        classes=(65536, 262144),
        piece_groups=4,
    ),
    # other devices run this plan too, if asked by name: small groups, of which they run any number
    cpu=Shape(
        local=32, width=8, groups=8, long_row=128, hot=511, segments=3, classes=(4096,), piece_groups=16
    ),
    simulator=Shape(
        local=8, width=4, groups=3, long_row=6, hot=8, segments=3, classes=(4, 16), piece_groups=6
    ),
)
BLOCK = 32  # pieces that are added up together: one work-item for all of a hub's would hold up the others
# the cost of an arc from a cold source, in arcs from hot ones: with it, and nine segments, an iteration of
# R-MAT 22 takes 0.261 ms on an H200 instead of 0.267 ms
COLD_COST = 4


@dataclass(frozen=True)
class BinBalance:
    """Blocks of pieces, and the slices of pieces that each work-group takes.

    Attributes
    ----------
    blocks : int
    first_block, block_piece : buffers
        Row v has the blocks ``first_block[v]:first_block[v + 1]``, block b the pieces
        ``block_piece[b]:block_piece[b + 1]``.
    groups : int
        Work-groups that sum pieces.
    turns : buffer
        Of each: its first slice, the end of its slices, and their segment's first source (-1: cold).
    """

    blocks: int
    first_block: Any
    block_piece: Any
    groups: int
    turns: Any


class BinRows(SliceRows[BinBalance]):
    """A warp takes a slice; the values of hot sources are in local memory."""

    variant = "bins"

    def prepare(self) -> None:
        shape = SHAPES.of(self.device)
        self.width, self.long_row, self.classes = shape.width, shape.long_row, shape.classes
        self.local = shape.local
        self.parts = self.groups = shape.groups * self.device.compute_units
        box = box_bytes(self.device, self.local)
        size = np.dtype(self.numbers.real).itemsize
        self.hot = min(shape.hot, (self.device.local_memory - box) // size - 1)
        self.segments = shape.segments
        self.piece_groups = shape.piece_groups * self.device.compute_units
        super().prepare()

    def make(self) -> SliceBuffers[BinBalance]:
        dev, real = self.device, self.numbers.real
        sizes: dict[str, Any] = {"width": self.width, "long_row": self.long_row}
        share = None
        if self.weighted:
            share = upload_shares(dev, self.graph, self.problem, real, self.weight)
        found = renumber(
            dev, self.graph, share, real, hot=self.hot, long_row=self.long_row, classes=self.classes
        )
        cut = cut_rows(dev, found, **sizes, segments=self.segments, block=BLOCK)
        of_rows = slice_begins(dev, self.n, found.hot_length, found.cold_length, **sizes)
        places = self.width * cut.kinds[-1]
        of_pieces = slice_begins(dev, places, cut.hot_length, cut.cold_length, **sizes)
        hot_pieces, cold_pieces = (dev.download(b, np.int32, cut.kinds[-1] + 1) for b in of_pieces)
        slices = -(-self.n // self.width)
        steps = (
            *(int(dev.download(begin, np.int32, 1, offset=slices)[0]) for begin in of_rows),
            int(hot_pieces[-1]),
            int(cold_pieces[-1]),
        )
        names = ("long_number", "cell_begin", "cell_piece", "piece_at")
        placed = {name: getattr(cut, name) for name in names}
        filled = place_arcs(
            dev,
            Begins(self.width, (*of_rows, *of_pieces), steps),
            found.csr,
            found.share,
            {"hot_length": found.hot_length, **placed},
            real,
            hot=found.hot,
            segments=self.segments,
            long_row=self.long_row,
        )
        offset = found.csr.offset
        hot_before = running_sums(dev, found.hot_length, self.n, into=offset)
        hot_arcs = int(dev.download(hot_before, offset, 1, offset=self.n)[0])
        rows, pieces = parts_of(steps, filled)
        turns = self._turns(hot_pieces, cold_pieces, cut.kinds, found.hot)
        return SliceBuffers(
            order=found.order,
            number=found.number,
            rows=rows,
            pieces=pieces,
            piece_place=cut.piece_place,
            first_piece=cut.first_piece,
            num_pieces=cut.count,
            longest_join=cut.longest_join,
            about=self.about(found.hot, hot_arcs, found.csr.arcs, cut.count, steps),
            balance=BinBalance(
                blocks=cut.blocks,
                first_block=cut.first_block,
                block_piece=cut.block_piece,
                groups=len(turns),
                turns=dev.upload(turns),
            ),
        )

    def _turns(self, hot_steps: Begin, cold_steps: Begin, kinds: tuple[int, ...], hot: int) -> Begin:
        """Which slices of pieces each work-group takes: all of one kind, about as much work for each."""
        steps = hot_steps.astype(np.int64) + COLD_COST * cold_steps.astype(np.int64)
        if steps[-1] == 0:
            return np.zeros((0, 3), np.int32)
        turns, when = [], []
        for kind, (first, last) in enumerate(pairwise(kinds)):
            if first == last:
                continue
            part = steps[first : last + 1] - steps[first]
            bounds = first + balanced(part, max(1, round(self.piece_groups * int(part[-1]) / int(steps[-1]))))
            base = kind * hot if kind < self.segments else -1
            turns += [(int(a), int(b), base) for a, b in pairwise(bounds)]
            when += [(turn + 0.5) / (len(bounds) - 1) for turn in range(len(bounds) - 1)]
        # kinds in turns: those that wait for memory run beside those that do not
        return np.array(turns, np.int32)[np.argsort(when, kind="stable")]

    def make_work(self) -> tuple[Any, ...]:
        return (*super().make_work(), self.device.empty(self.kept.balance.blocks, np.float64))

    def take_work(self, work: tuple[Any, ...]) -> None:
        self._piece_sum, self._block_sum = work

    def explain(self) -> list[str]:
        return [
            f"a GPU: {self.width} work-items take a slice of {self.width} rows, {self.groups} work-groups of "
            f"{self.local}; the values of up to {self.hot} hottest sources are in local memory",
            self.kept.about,
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        options = {**defines, **self.offset, "WIDTH": self.width, "HOT": self.hot}
        self._program = self.device.program("ranking/bins", **options, LOCAL=self.local)

    def enqueue(self, contribution: Any, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        kept, n, balance = self.kept, self.n, self.kept.balance
        if kept.num_pieces:
            self._program.pagerank_bin_pieces.exact(
                balance.groups * self.local,
                n=n,
                turns=balance.turns,
                **kept.pieces.arguments,
                piece_place=kept.piece_place,
                contribution=contribution,
                state=state,
                piece_sum=self._piece_sum,
                local=self.local,
            )
            self._program.pagerank_bin_blocks(
                balance.blocks,
                blocks=balance.blocks,
                block_piece=balance.block_piece,
                piece_sum=self._piece_sum,
                state=state,
                block_sum=self._block_sum,
            )
        self._program.pagerank_bins.exact(
            self.groups * self.local,
            n=n,
            **kept.rows.arguments,
            first_block=balance.first_block,
            block_sum=self._block_sum,
            contribution=contribution,
            parts=parts,
            state=state,
            **vectors,
            local=self.local,
        )
