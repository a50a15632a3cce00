"""Spikyballs: host half of ``cl/sampling/literature/spikyball.cl``."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from clgraph.sampling.literature import stage
from clgraph.sampling.literature.clock import NONE, device_tables
from clgraph.sampling.literature.smallest import Smallest

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.arguments import Wish
    from clgraph.sampling.literature.drawn import Drawn
    from clgraph.sampling.literature.view import View


def draw(device: Device, view: View, wish: Wish, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Spikyballs(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Wish) -> int:
    """Device memory that one run takes, roughly."""
    return stage.bytes_per_run(view, wish) + 8 * view.n + 8 * view.rows.num_arcs


class _Spikyballs(stage.Stages):
    def __init__(self, device: Device, view: View, wish: Wish, seed: int, runs: int) -> None:
        super().__init__(device, view, wish, seed, runs)
        csr, arcs = self.csr, self.csr.arcs
        self.arcs = Smallest(device, runs, arcs)
        item = "int" if self.arcs.item is np.int32 else "long"
        self.spiky = device.program("sampling/literature/spikyball", ITEM=item, **csr.defines)
        device.reserve({"stages": runs * (8 * view.n + 8 * arcs)})
        self.out, self.enter = (device.empty(runs * self.n, np.int32) for _ in range(2))
        self.count = device.empty(runs, np.int32)
        self.key = device.empty(max(runs * arcs, 1), np.uint64)
        weight = None
        if view.weighted and wish.powers[1]:
            weight = view.kept(device, "integers", lambda: view.integers)
        self.graph = csr.row_ptr, csr.col_idx, weight

    @property
    def small(self) -> int:
        """No stage is a chain's."""
        return -1

    def large(self, longest: int) -> None:
        """A stage of all runs that have one."""
        device, spiky, runs = self.device, self.spiky, self.runs
        device.fill(self.enter, np.int32(0), runs * self.n)
        device.fill(self.count, np.int32(0), runs)
        device.fill(self.key, np.uint64(NONE), runs * self.csr.arcs)
        actors = self.status, self.begin, self.end
        size, near = (longest, runs), (self.order, self.claim, self.out, self.enter)
        spiky.spikyball_count(size, np.int32(self.n), *self.graph, *actors, *near, self.count)
        powers = (np.int32(each) for each in self.wish.powers)
        numbers = *self.head, *powers, device_tables(device)
        spiky.spikyball_keys(size, *numbers, *self.graph, *actors, self.round, *near, self.key)
        wanted = [self.wanted_of(count) for count in device.download(self.count, np.int32, runs).tolist()]
        taken = self.arcs.take(self.key, self.arcs.cut(self.key, np.array(wanted, np.int64)), equal=True)
        spiky.spikyball_take(
            (int(taken.total.max(initial=0)), runs),
            np.int32(self.n),
            *self.graph[:2],
            device.upload(taken.offset, writable=True),
            taken.items,
            self.round,
            self.claim,
            self.parent,
            self.order,
            self.seen,
            self.named,
        )

    def wanted_of(self, count: int) -> int:
        """How many of a stage's arcs are taken; -1: there is none."""
        return max(1, floor(self.wish.share * count + Fraction(1, 2))) if count else -1
