"""The sums of an iteration over rows in slices: variants "bins" (of "auto" on GPUs) and "runs" (on CPUs).

Host half of ``cl/ranking/bins.cl``, where a warp takes a slice, and ``cl/ranking/runs.cl``, where a work-item
takes a run of slices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.ranking.sell import SETTLE, Begin, Layout, Sell, SellSolver, balanced, group_sum_bytes
from clgraph.ranking.solver import NORMS, Launch


class SpmvSolver(SellSolver):
    """Base of both: pieces of long rows are summed first, then all rows.

    Attributes
    ----------
    group : int
        Work-items of a work-group.
    balance : dict
        For "row" and "piece" how many work-groups sum them, and (a buffer, or None) which slices each takes.
    """

    group = 1
    program: ClassVar[str]  # of the kernels, which are called pagerank_<program>_pieces and so on
    layout: Layout
    balance: dict[str, tuple[int, Any]]

    def prepare(self) -> None:
        self.plan = self.variant, self.layout
        key = (*self.plan, self.weight, self.numbers.dtype) if self.weighted else self.plan

        def make() -> tuple[Sell, dict[str, tuple[int, Any]]]:
            sell = self.lay_out(self.layout)
            return sell, self.make_balance(sell)

        self.sell, self.balance = self.device.cached(self.graph, ("sell", key), make)
        self.order, self.number = self.sell.order, self.sell.number
        self.chain = 2 * self.layout.long_row + self.sell.longest_join
        self.tallies = self.balance["row"][0]

    def make_balance(self, sell: Sell) -> dict[str, tuple[int, Any]]:
        """Choose which slices each work-group takes."""
        raise NotImplementedError

    def about(self) -> list[str]:
        sell, layout = self.sell, self.sell.layout
        return [
            f"vertices renumbered by out-degree and row length; the {layout.hot} hottest sources bring "
            f"{sell.hot_arcs / max(1, sell.arcs):.0%} of the arcs, with 16-bit indices; {sell.pieces} pieces "
            f"of rows of more than {layout.long_row} arcs; {sell.padding:.3f} entries per arc"
        ]

    def make_work(self) -> dict[str, Any]:
        return {"piece_sum": self.device.empty(self.sell.pieces, np.float64)}  # an ACC has 8 bytes either way

    def build(self, defines: dict[str, Any]) -> None:
        # a position among the entries of a part, or a batch of arcs beyond them: 64 bits only where 32 do
        # not hold it
        offset = "int" if max(self.sell.steps.values()) * self.layout.width < 2**31 - 2**12 else "long"
        options = {**defines, "OFFSET": offset, "WIDTH": self.layout.width}
        self.kernels = self.device.program(f"ranking/{self.variant}", **options)

    def launches(self) -> Iterator[Launch]:
        sell, name = self.sell, f"pagerank_{self.program}"
        for part, kernel in (("piece", f"{name}_pieces"), ("row", f"{name}s")):
            if part == "piece" and not sell.pieces:
                continue
            take = getattr(self.kernels, kernel)
            groups, bound = self.balance[part]
            named = sell.arguments(part) | take.arguments_of(sell) | take.arguments_of(self)
            if bound is not None:
                named["bound"] = bound
            yield take, groups * self.group, self.group, named


# --- a warp takes a slice ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration of "bins".

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
    POWERS: ClassVar[tuple[str, ...]] = ("local",)

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits: at least half of its local memory is for sources."""
        local = fit_group(self.local, device, each=16)
        layout = replace(self.layout, width=min(self.layout.width, local))
        return replace(self, local=local, layout=layout)


_GPU_BINS = Layout(width=32, hot=65535, long_row=256, classes=(65536, 262144), segments=9)
_CPU_BINS = Layout(width=8, hot=511, long_row=128, classes=(4096,), segments=3)
_SMALL_BINS = Layout(width=4, hot=8, long_row=6, classes=(4, 16), segments=3, joined=4)
BINS = LaunchTable(
    gpu=LaunchConfig(local=1024, groups=1, piece_groups=4, layout=_GPU_BINS),
    # other devices run this plan too, where it is named: small groups, of which they run any number
    cpu=LaunchConfig(local=32, groups=8, piece_groups=16, layout=_CPU_BINS),
    simulator=LaunchConfig(local=8, groups=3, piece_groups=6, layout=_SMALL_BINS),
)
# the cost of an arc from a cold source, in arcs from hot ones: with it, and nine segments, an iteration of
# R-MAT 22 takes 0.261 ms on an H200 instead of 0.267 ms
COLD_COST = 4


class BinSolver(SpmvSolver):
    """A warp takes a slice; the values of hot sources are in local memory.

    `balance` has for each work-group of pieces its first slice, the end of its slices, and their segment's
    first source (-1: cold). The first group has no slices; it ends the iteration before.
    """

    variant, program = "bins", "bin"

    def prepare(self) -> None:
        device = self.device
        # kept with the graph: it takes as long as some launches
        config = device.cached(self.graph, ("bins", self.real), self._configure)
        self.group, self.layout = config.local, config.layout
        self.groups = config.groups * device.compute_units
        self.piece_groups = config.piece_groups * device.compute_units
        super().prepare()
        self.ends_before = self.sell.pieces > 0

    def _configure(self) -> LaunchConfig:
        device, config = self.device, BINS.of(self.device)
        # what local memory holds beside the group's sums, less the zero that padding reads
        room = device.local_memory - group_sum_bytes(device, config.local)
        fit = room // np.dtype(self.real).itemsize - 1
        return replace(config, layout=replace(config.layout, hot=min(config.layout.hot, fit)))

    def make_balance(self, sell: Sell) -> dict[str, tuple[int, Any]]:
        hot, cold = (sell.steps_before(self.device, part) for part in ("hot_piece", "cold_piece"))
        assigned = self._assign(hot, cold, sell.kinds, sell.layout.hot)
        return {"row": (self.groups, None), "piece": (len(assigned), self.device.upload(assigned))}

    def _assign(self, hot_steps: Begin, cold_steps: Begin, kinds: tuple[int, ...], hot: int) -> Begin:
        """Assign slices of pieces to work-groups: all of one kind, about equal work for each."""
        steps = hot_steps.astype(np.int64) + COLD_COST * cold_steps.astype(np.int64)
        if steps[-1] == 0:
            return np.zeros((0, 3), np.int32)
        assigned, when = [(0, 0, -1)], [-1.0]  # the first one ends iterations
        for kind, (first, last) in enumerate(pairwise(kinds)):
            if first == last:
                continue
            part = steps[first : last + 1] - steps[first]
            bounds = first + balanced(part, max(1, round(self.piece_groups * int(part[-1]) / int(steps[-1]))))
            base = kind * hot if kind < self.layout.segments else -1
            assigned += [(int(a), int(b), base) for a, b in pairwise(bounds)]
            when += [(i + 0.5) / (len(bounds) - 1) for i in range(len(bounds) - 1)]
        # kinds take turns: those that wait for memory run beside those that do not
        return np.array(assigned, np.int32)[np.argsort(when, kind="stable")]

    def about(self) -> list[str]:
        width = self.layout.width
        return [
            f"a GPU: {width} work-items take a slice of {width} rows, {self.groups} work-groups of "
            f"{self.group}; the values of up to {self.layout.hot} hottest sources are in local memory",
            *super().about(),
        ]

    def build(self, defines: dict[str, Any]) -> None:
        own = {
            "HOT": self.layout.hot,
            "LOCAL": self.group,
            "ENDING": self.local,
            "JOINED": self.layout.joined,
        }
        super().build(defines | own)

    def launches(self) -> Iterator[Launch]:
        for number, each in enumerate(super().launches()):
            yield each
            if number == 0 and (hubs := self.sell.hubs):  # after the pieces
                kernel = self.kernels.pagerank_bin_hubs
                named = kernel.arguments_of(self.sell) | kernel.arguments_of(self)
                yield kernel, hubs * self.group, self.group, named


# --- a work-item takes a run of slices --------------------------------------------------------------------

# 65535 values are 256 KB: a core's own cache holds them
_CORES = Layout(width=8, hot=65535, long_row=1024, classes=(8192, 65535, 262144), windows=(1 << 10, 1 << 15))
_SMALL = Layout(width=4, hot=8, long_row=6, classes=(4, 16), windows=(16, 16))
RUNS = LaunchTable(gpu=_CORES, cpu=_CORES, simulator=_SMALL)
MOST_RUNS = 256  # of slices: enough for balance on any number of cores


class RunSolver(SpmvSolver):
    """A work-item takes a run of slices, whose bounds are in `balance`."""

    variant, program = "runs", "run"

    def prepare(self) -> None:
        self.layout = RUNS.of(self.device)
        super().prepare()

    def make_balance(self, sell: Sell) -> dict[str, tuple[int, Any]]:
        def runs(part: str) -> tuple[int, Any]:
            hot, cold = (sell.steps_before(self.device, f"{kind}_{part}") for kind in ("hot", "cold"))
            bound = balanced(hot.astype(np.int64) + cold + SETTLE * np.arange(len(hot)), MOST_RUNS)
            return len(bound) - 1, self.device.upload(bound)

        return {part: runs(part) for part in ("row", "piece")}

    def about(self) -> list[str]:
        return [
            f"a CPU: one work-item takes a run of slices of {self.layout.width} rows, {self.tallies} runs of "
            "equal work",
            *super().about(),
        ]

    def build(self, defines: dict[str, Any]) -> None:
        # both distributions uniform, and the norm L1: CPUs vectorise code without branches
        plain = self.p is None and self.q is None and self.norm == NORMS["l1"]
        super().build(defines | {"PLAIN": plain})
