"""Spikyballs: host half of ``cl/sampling/literature/spikyball.cl`` and ``spikyball_chain.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from clgraph.device.launch_config import LaunchTable
from clgraph.sampling.literature import stage
from clgraph.sampling.literature.clock import NONE, device_tables
from clgraph.sampling.literature.smallest import Smallest

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.drawn import Drawn
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape.

    Attributes
    ----------
    room : int
        Arcs of a stage that is one run's chain, at most.
    acts : int
        Arcs of a launch's stages, about.
    """

    room: int
    acts: int


LAUNCH = LaunchTable(
    gpu=LaunchConfig(room=1024, acts=8192),
    cpu=LaunchConfig(room=8192, acts=1 << 20),
    simulator=LaunchConfig(room=9, acts=20),
)


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Spikyballs(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    return stage.bytes_per_run(view, wish) + 8 * view.n + 8 * view.rows.num_arcs


class _Spikyballs(stage.Stages):
    def __init__(self, device: Device, view: View, wish: Request, seed: int, runs: int) -> None:
        super().__init__(device, view, wish, seed, runs)
        csr, arcs = self.csr, self.csr.arcs
        self.arcs = Smallest(device, runs, arcs)
        item = "int" if self.arcs.item is np.int32 else "long"
        self.spiky = device.program("sampling/literature/spikyball", ITEM=item, **csr.defines)
        device.reserve({"stages": runs * (8 * view.n + 8 * arcs)})
        self.out, self.enter = (device.empty(runs * self.n, np.int32) for _ in range(2))
        self.count = device.empty(runs, np.int32)
        self.key = device.empty(max(runs * arcs, 1), np.uint64)
        self.room = LAUNCH.of(device).room
        self.arc_list = device.empty(runs * self.room, np.int64)
        self.arc_key = device.empty(runs * self.room, np.uint64)
        self.crowded = device.empty(2, np.int32)
        weight = None
        if view.weighted and wish.powers[1]:
            weight = view.kept(device, "integers", lambda: view.integers)
        self.graph = {**csr.buffers, "weight": weight}
        self.powers = dict(zip("abc", wish.powers, strict=True))
        self.near = {"order": self.order, "claim": self.claim, "out": self.out, "in_": self.enter}

    @property
    def small(self) -> int:
        """No stage is a chain's."""
        return -1

    def chain_on(self) -> int:
        """Small stages, one after the other; the most vertices of a stage that is none."""
        device, share = self.device, self.wish.share
        device.clear(self.crowded, 2, np.int32)
        device.clear(self.enter, self.runs * self.n, np.int32)
        device.program("sampling/literature/spikyball_chain", **self.csr.defines).spikyball_chain(
            self.runs,
            local=min(device.tuning.local_size, 4),
            **self.head,
            runs=self.runs,
            **self.powers,
            top=share.numerator,
            bottom=share.denominator,
            room=self.room,
            acts=LAUNCH.of(device).acts,
            table=device_tables(device),
            **self.graph,
            target=self.target,
            last=self.last,
            **self.state,
            out=self.out,
            in_=self.enter,
            list=self.arc_list,
            key=self.arc_key,
            crowded=self.crowded,
        )
        crowded, longest = device.download(self.crowded, np.int32, 2).tolist()
        return longest if crowded else 0

    def large(self, longest: int) -> None:
        """A stage of all runs that have one."""
        device, spiky, runs = self.device, self.spiky, self.runs
        if self.wish.share.denominator < 2**40:  # else a share of a stage's arcs has no room in 64 bits
            longest = self.chain_on()
        if longest == 0:
            return
        device.clear(self.enter, runs * self.n, np.int32)
        device.clear(self.count, runs, np.int32)
        device.fill(self.key, np.uint64(NONE), runs * self.csr.arcs)
        actors = {"status": self.status, "from_": self.begin, "to": self.end}
        among = {**self.graph, **actors, **self.near}
        spiky.spikyball_count((longest, runs), n=self.n, **among, count=self.count)
        spiky.spikyball_keys(
            (longest, runs),
            **self.head,
            **self.powers,
            table=device_tables(device),
            **among,
            round=self.round,
            key=self.key,
        )
        wanted = [self.wanted_of(count) for count in device.download(self.count, np.int32, runs).tolist()]
        taken = self.arcs.take(self.key, self.arcs.cut(self.key, np.array(wanted, np.int64)), equal=True)
        spiky.spikyball_take(
            (int(taken.total.max(initial=0)), runs),
            n=self.n,
            **self.csr.buffers,
            offset=device.upload(taken.offset, writable=True),
            list=taken.items,
            round=self.round,
            claim=self.claim,
            parent=self.parent,
            order=self.order,
            seen=self.seen,
            named=self.named,
        )

    def wanted_of(self, count: int) -> int:
        """How many of a stage's arcs are taken; -1: there is none."""
        return max(1, floor(self.wish.share * count + Fraction(1, 2))) if count else -1
