"""The plan of "auto" on CPUs: a work-item takes a run of slices. Host half of ``cl/ranking/runs.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clgraph.device.shapes import Shapes
from clgraph.ranking.deal import deal_slices
from clgraph.ranking.layout import SETTLE, Begin, balanced
from clgraph.ranking.shares import graph_shares
from clgraph.ranking.slices import SliceBuffers, SliceRows, parts_of

RUNS = 256  # of slices: enough for balance on any number of cores


@dataclass(frozen=True)
class Shape:
    """What `clgraph.ranking.layout.make_slices` takes.

    Attributes
    ----------
    width : int
        Rows of a slice.
    hot : int
        Sources with 16-bit indices.
    long_row : int
        Longer rows are cut into pieces.
    classes : tuple of int
        Bounds between classes of sources.
    """

    width: int
    hot: int
    long_row: int
    classes: tuple[int, ...]


# 65535 values are 256 KB: a core's own cache holds them
_CORES = Shape(width=8, hot=65535, long_row=1024, classes=(8192, 65535, 262144))
SHAPES = Shapes(gpu=_CORES, cpu=_CORES, simulator=Shape(width=4, hot=8, long_row=6, classes=(4, 16)))


@dataclass(frozen=True)
class Runs:
    """How many runs of slices there are, and (on the device) their bounds."""

    count: int
    bound: Any


@dataclass(frozen=True)
class RunBalance:
    """The runs of the slices of rows, and of those of pieces."""

    rows: Runs
    pieces: Runs


class RunRows(SliceRows[RunBalance]):
    """A work-item takes a run of slices."""

    variant = "runs"

    def prepare(self) -> None:
        shape = SHAPES.of(self.device)
        self.width, self.hot = shape.width, shape.hot
        self.long_row, self.classes = shape.long_row, shape.classes
        super().prepare()
        self.parts = self.kept.balance.rows.count

    def make(self) -> SliceBuffers[RunBalance]:
        made, filled = deal_slices(
            self.device,
            self.graph,
            graph_shares(self.graph, self.problem),
            self.numbers.real,
            width=self.width,
            hot=self.hot,
            long_row=self.long_row,
            classes=self.classes,
        )
        upload, steps = self.device.upload, tuple(int(begin[-1]) for begin in made.begins)
        rows, pieces = parts_of(steps, filled)
        return SliceBuffers(
            order=upload(made.order),
            number=None,
            rows=rows,
            pieces=pieces,
            piece_place=upload(made.piece_place),
            first_piece=upload(made.first_piece),
            num_pieces=made.pieces,
            longest_join=int(np.diff(made.first_piece).max(initial=0)),
            about=self.about(made.hot, made.hot_arcs, made.arcs, made.pieces, steps),
            balance=RunBalance(
                rows=self._runs(made.hot_rows, made.cold_rows),
                pieces=self._runs(made.hot_pieces, made.cold_pieces),
            ),
        )

    def _runs(self, hot: Begin, cold: Begin) -> Runs:
        cost = hot.astype(np.int64) + cold + SETTLE * np.arange(len(hot))
        bound = balanced(cost, RUNS)
        return Runs(len(bound) - 1, self.device.upload(bound))

    def explain(self) -> list[str]:
        return [
            f"a CPU: one work-item takes a run of slices of {self.width} rows, {self.parts} runs of equal "
            "work",
            self.kept.about,
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        self._program = self.device.program(
            "ranking/runs", **defines, **self.offset, WIDTH=self.width, PLAIN=self.plain
        )

    def enqueue(self, contribution: Any, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        kept = self.kept
        if kept.num_pieces:
            runs = kept.balance.pieces
            self._program.pagerank_run_pieces.exact(
                runs.count,
                bound=runs.bound,
                **kept.pieces.arguments,
                piece_place=kept.piece_place,
                contribution=contribution,
                state=state,
                piece_sum=self._piece_sum,
                local=1,
            )
        runs = kept.balance.rows
        self._program.pagerank_runs.exact(
            runs.count,
            n=self.n,
            bound=runs.bound,
            **kept.rows.arguments,
            first_piece=kept.first_piece,
            piece_sum=self._piece_sum,
            contribution=contribution,
            parts=parts,
            state=state,
            **vectors,
            local=1,
        )
