"""The sums of an iteration over rows in slices: variants "bins" (of "auto" on GPUs) and "runs" (on CPUs).

Host half of ``cl/ranking/bins.cl``, where a warp takes a slice, and ``cl/ranking/runs.cl``, where a work-item
takes a run of slices.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.ranking.sell import SETTLE, Begin, Layout, Sell, SellRows, balanced, group_sum_bytes


class SpmvRows(SellRows):
    """What both have in common."""

    def about(self) -> str:
        """A line for the plan."""
        sell, layout = self.sell, self.sell.layout
        return (
            f"vertices renumbered by out-degree and row length; the {layout.hot} hottest sources bring "
            f"{sell.hot_arcs / max(1, sell.arcs):.0%} of the arcs, with 16-bit indices; {sell.pieces} pieces "
            f"of rows of more than {layout.long_row} arcs; {sell.padding:.3f} entries per arc"
        )

    def make_work(self) -> tuple[Any, ...]:
        sums = self.sell.pieces, self.sell.blocks  # an ACC has 8 bytes either way
        return tuple(self.device.empty(count, np.float64) for count in sums)

    def take_work(self, work: tuple[Any, ...]) -> None:
        self._piece_sum, self._block_sum = work

    @property
    def offset(self) -> dict[str, str]:
        """Build option: the type of a position among the entries."""
        hot, cold, hot_pieces, cold_pieces = self.sell.steps
        steps = max(hot + cold, hot_pieces + cold_pieces)
        return {"OFFSET": "int" if steps * self.layout.width < 2**31 else "long"}


# --- a warp takes a slice ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape of "bins".

    Attributes
    ----------
    local : int
        Work-items in a group.
    groups, piece_groups : int
        Work-groups for each compute unit that sum rows, and pieces.
    layout : Layout
        `hot` sources are in local memory; fewer where fewer fit.
    """

    local: int
    groups: int
    piece_groups: int
    layout: Layout

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits: at least half of its local memory is for sources."""
        local = fit_group(self.local, device, each=16)
        layout = replace(self.layout, width=min(self.layout.width, local))
        return replace(self, local=local, layout=layout)


# pieces are added up in blocks: one work-item for all of a hub's would hold up the others
BINS = LaunchTable(
    gpu=LaunchConfig(
        local=1024,
        groups=1,
        piece_groups=4,
        layout=Layout(width=32, hot=65535, long_row=256, classes=(65536, 262144), segments=9, block=32),
    ),
    # other devices run this plan too, if asked by name: small groups, of which they run any number
    cpu=LaunchConfig(
        local=32,
        groups=8,
        piece_groups=16,
        layout=Layout(width=8, hot=511, long_row=128, classes=(4096,), segments=3, block=32),
    ),
    simulator=LaunchConfig(
        local=8,
        groups=3,
        piece_groups=6,
        layout=Layout(width=4, hot=8, long_row=6, classes=(4, 16), segments=3, block=32),
    ),
)
# the cost of an arc from a cold source, in arcs from hot ones: with it, and nine segments, an iteration of
# R-MAT 22 takes 0.261 ms on an H200 instead of 0.267 ms
COLD_COST = 4


class BinRows(SpmvRows):
    """A warp takes a slice; the values of hot sources are in local memory.

    `balance` says how many work-groups sum pieces, and (a buffer) of each its first slice, the end of its
    slices, and their segment's first source (-1: cold).
    """

    variant = "bins"

    def prepare(self) -> None:
        device, shape = self.device, BINS.of(self.device)
        self.local = shape.local
        self.parts = self.groups = shape.groups * device.compute_units
        self.piece_groups = shape.piece_groups * device.compute_units
        size = np.dtype(self.numbers.real).itemsize
        fit = (device.local_memory - group_sum_bytes(device, self.local)) // size - 1
        self.layout = replace(shape.layout, hot=min(shape.layout.hot, fit))
        super().prepare()

    def make_balance(self, sell: Sell) -> tuple[int, Any]:
        hot, cold = (sell.steps_before(self.device, part) for part in ("hot_piece", "cold_piece"))
        turns = self._turns(hot, cold, sell.kinds, sell.layout.hot)
        return len(turns), self.device.upload(turns)

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
            base = kind * hot if kind < self.layout.segments else -1
            turns += [(int(a), int(b), base) for a, b in pairwise(bounds)]
            when += [(turn + 0.5) / (len(bounds) - 1) for turn in range(len(bounds) - 1)]
        # kinds in turns: those that wait for memory run beside those that do not
        return np.array(turns, np.int32)[np.argsort(when, kind="stable")]

    def explain(self) -> list[str]:
        width = self.layout.width
        return [
            f"a GPU: {width} work-items take a slice of {width} rows, {self.groups} work-groups of "
            f"{self.local}; the values of up to {self.layout.hot} hottest sources are in local memory",
            self.about(),
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        options = {**defines, **self.offset, "WIDTH": self.layout.width, "HOT": self.layout.hot}
        self._program = self.device.program("ranking/bins", **options, LOCAL=self.local)

    def enqueue(self, contribution: Any, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        sell, n = self.sell, self.n
        groups, turns = self.balance
        if sell.pieces:
            self._program.pagerank_bin_pieces.exact(
                groups * self.local,
                n=n,
                turns=turns,
                **sell.arguments("piece"),
                piece_place=sell.piece_place,
                contribution=contribution,
                state=state,
                piece_sum=self._piece_sum,
                local=self.local,
            )
            self._program.pagerank_bin_blocks(
                sell.blocks,
                blocks=sell.blocks,
                block_piece=sell.block_piece,
                piece_sum=self._piece_sum,
                state=state,
                block_sum=self._block_sum,
            )
        self._program.pagerank_bins.exact(
            self.groups * self.local,
            n=n,
            **sell.arguments("row"),
            first_block=sell.first_block,
            block_sum=self._block_sum,
            contribution=contribution,
            parts=parts,
            state=state,
            **vectors,
            local=self.local,
        )


# --- a work-item takes a run of slices --------------------------------------------------------------------

# 65535 values are 256 KB: a core's own cache holds them
_CORES = Layout(width=8, hot=65535, long_row=1024, classes=(8192, 65535, 262144), windows=True)
RUNS = LaunchTable(
    gpu=_CORES, cpu=_CORES, simulator=Layout(width=4, hot=8, long_row=6, classes=(4, 16), windows=True)
)
MOST_RUNS = 256  # of slices: enough for balance on any number of cores


class RunRows(SpmvRows):
    """A work-item takes a run of slices.

    `balance` says of the slices of rows and of those of pieces how many runs there are, and (a buffer) where
    each begins.
    """

    variant = "runs"

    def prepare(self) -> None:
        self.layout = RUNS.of(self.device)
        super().prepare()
        self.parts = self.balance["row"][0]

    def make_balance(self, sell: Sell) -> dict[str, tuple[int, Any]]:
        def runs(part: str) -> tuple[int, Any]:
            hot, cold = (sell.steps_before(self.device, f"{kind}_{part}") for kind in ("hot", "cold"))
            bound = balanced(hot.astype(np.int64) + cold + SETTLE * np.arange(len(hot)), MOST_RUNS)
            return len(bound) - 1, self.device.upload(bound)

        return {part: runs(part) for part in ("row", "piece")}

    def explain(self) -> list[str]:
        return [
            f"a CPU: one work-item takes a run of slices of {self.layout.width} rows, {self.parts} runs of "
            "equal work",
            self.about(),
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        options = {**defines, **self.offset, "WIDTH": self.layout.width}
        self._program = self.device.program("ranking/runs", **options, PLAIN=self.plain)

    def enqueue(self, contribution: Any, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        sell = self.sell
        if sell.pieces:
            count, bound = self.balance["piece"]
            self._program.pagerank_run_pieces.exact(
                count,
                bound=bound,
                **sell.arguments("piece"),
                piece_place=sell.piece_place,
                contribution=contribution,
                state=state,
                piece_sum=self._piece_sum,
                local=1,
            )
        count, bound = self.balance["row"]
        self._program.pagerank_runs.exact(
            count,
            n=self.n,
            bound=bound,
            **sell.arguments("row"),
            first_piece=sell.first_piece,
            piece_sum=self._piece_sum,
            contribution=contribution,
            parts=parts,
            state=state,
            **vectors,
            local=1,
        )
