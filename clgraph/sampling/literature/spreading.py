"""Searches that spread, in stages or from a queue (snowball, ff, rds), and spikyballs.

Host half of ``cl/sampling/literature/stage.cl``, ``stage_chain.cl``, ``spikyball.cl`` and
``spikyball_chain.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.sampling.literature.engine import NOBODY, UNSEEN, Engine, died_out
from clgraph.sampling.literature.selection import gathered
from clgraph.sampling.literature.smallest import Smallest, smallest
from clgraph.sampling.literature.starts import Queue, queue_room
from clgraph.sampling.literature.view import NONE, View
from clgraph.sampling.selection import Selection

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.request import Request

NUMBER = {"snowball": 0, "ff": 1, "rds": 2, "spikyball": 3}
WANTING = 1


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    acts : int
        Vertices that act in one launch of a chain, each after the other.
    small : int
        Vertices of a stage that are one run's chain; of several runs as many times more.
    room : int
        Of spikyballs: arcs of a stage that is one run's chain, at most.
    arcs : int
        Of spikyballs: arcs of a launch's stages, about.
    """

    acts: int
    small: int
    room: int
    arcs: int


LAUNCH = LaunchTable(
    gpu=LaunchConfig(acts=8192, small=32, room=1024, arcs=8192),
    cpu=LaunchConfig(acts=1 << 16, small=512, room=8192, arcs=1 << 20),
    simulator=LaunchConfig(acts=3, small=2, room=9, arcs=20),
)


def thresholds(p: Fraction) -> list[int]:
    """Return floor(2^64 p^j), j = 1, 2, ..., as long as it is not 0."""
    made, top, bottom = [], p.numerator, p.denominator
    while (limit := (top << 64) // bottom) > 0:
        made.append(limit)
        top, bottom = top * p.numerator, bottom * p.denominator
    return made


class Stages(Engine):
    """Searches in stages: all vertices that the last stage brought act at once."""

    vertex_bytes, visited_bytes = 24, 4

    def __init__(self, device: Device, view: View, request: Request, seed: int, runs: int) -> None:
        super().__init__(device, view, request, seed, runs)
        n, shape, queued = self.n, LAUNCH.of(device), request.mode == "exact"
        self.reserve()
        self.claim, self.parent = self.filled(UNSEEN, np.uint32), None
        if request.keep == "tree" or request.method == "rds":
            self.parent = self.filled(NOBODY)
        self.named = device.zeros(runs * self.arcs, np.int32) if request.keep == "visited" else None
        self.order = device.empty(self.all, np.int32)
        self.seen, self.tries, self.from_, self.to = (device.zeros(runs, np.int32) for _ in range(4))
        self.round, self.last = (device.zeros(runs, np.uint32) for _ in range(2))
        self.status = self.each_run(WANTING)
        # stages are counted where no target is given: then all that they bring is taken
        self.wanted = n if request.target is None else min(request.target, n)
        self.target = self.each_run(NOBODY if request.target is None else self.wanted)
        self.counts = device.empty(4, np.int32)
        self.initial = min(request.starts or 1, n)
        self.queue = Queue(device, self.csr, runs, queue_room(n, self.initial, runs))
        self.find_starts()
        self.acts, self.small, self.most, self.queued = (
            shape.acts,
            min(n, shape.small * runs),
            request.k,
            queued,
        )
        self.rounds = UNSEEN if request.stages is None else request.stages
        self.find_limits()
        method = NUMBER[request.method]
        self.stage = self.program("stage", METHOD=method)
        self.chain = self.program("stage_chain", serial=True, METHOD=method, QUEUED=int(queued))

    def find_limits(self) -> None:
        """Upload the thresholds of fires, and the reversed rows along which they burn backward."""
        device, request = self.device, self.request
        forward, back = thresholds(request.p), thresholds(request.p * request.r)
        self.limits, self.back_limits = len(forward), len(back)
        self.limit = device.upload(np.array([*forward, *back, 0], np.uint64), writable=True)
        self.back_ptr = self.back_idx = None
        if back and request.direction != "both" and self.view.original.directed:
            reverse = upload_csr(device, self.view.rows.reverse, wide=self.csr.offset is np.int64)
            self.back_ptr, self.back_idx = reverse.row_ptr, reverse.col_idx

    def draw(self) -> Selection:
        """Make all stages of all runs: small ones in turn, then a large one where there is one."""
        device, runs = self.device, self.runs
        going = True
        while going:
            device.clear(self.counts, 4, np.int32)
            local = min(device.tuning.local_size, 4)
            self.chain.stage_chain.launch(self, runs, local=local, **self.queue.args)
            waiting, on, crowded, longest = device.download(self.counts, np.int32, 4).tolist()
            if crowded:
                self.large(longest)
                self.stage.stage_judge.launch(self, self.flat(runs))
            if waiting:
                self.queue.refill(self.seed, self.claim, self.status, WANTING)
            going = bool(waiting or on or crowded)
        return self.pack()

    def large(self, longest: int) -> None:
        """Make a stage of all runs that have a large one."""
        self.stage.stage_act.launch(self, (longest, self.runs))

    def pack(self) -> Selection:
        """Return the sample of each run."""
        device, n, runs = self.device, self.n, self.runs
        key = device.empty(self.all, np.uint64)
        self.stage.stage_keys.launch(self, self.passes, key=key)
        vertices, _ = smallest(device, runs, n, key, self.wanted, keys=False)
        tries = device.download(self.tries, np.int32, runs).astype(np.int64)
        arcs, parent = self.marked(self.named), self.gathered(vertices, self.parent)
        return died_out(Selection(vertices, gathered(vertices, n, self.claim), None, arcs, parent), tries - 1)


class Spikyballs(Stages):
    """Spikyballs: of a stage's arcs a share is taken, by race."""

    vertex_bytes, arc_bytes = 32, 8

    def __init__(self, device: Device, view: View, request: Request, seed: int, runs: int) -> None:
        super().__init__(device, view, request, seed, runs)
        self.selected, shape = Smallest(device, runs, self.arcs), LAUNCH.of(device)
        item = "int" if self.selected.item is np.int32 else "long"
        self.spiky = self.program("spikyball", serial=True, ITEM=item)
        self.spiky_chain = self.program("spikyball_chain", serial=True)
        device.reserve({"stages": runs * (8 * view.n + 8 * self.arcs)})
        self.out, self.in_ = (device.empty(self.all, np.int32) for _ in range(2))
        self.count, self.crowded = device.empty(runs, np.int32), device.empty(2, np.int32)
        self.key = device.empty(max(runs * self.arcs, 1), np.uint64)
        # no stage is a chain's of `stage_chain`
        self.small = -1
        self.room, self.arcs_at_once = shape.room, shape.arcs
        self.arc_list = device.empty(runs * self.room, np.int64)
        self.arc_key = device.empty(runs * self.room, np.uint64)
        counts = view.weighted and request.powers[1]
        self.weight = view.on_device(device, "integers") if counts else None
        self.a, self.b, self.c = request.powers
        self.top, self.bottom = request.share.numerator, request.share.denominator

    def small_ones(self) -> int:
        """Make small stages, one after the other; return the most vertices of a stage that is none."""
        device = self.device
        device.clear(self.crowded, 2, np.int32)
        device.clear(self.in_, self.all, np.int32)
        arrays = {"list": self.arc_list, "key": self.arc_key, "acts": self.arcs_at_once}
        self.spiky_chain.spikyball_chain.launch(
            self, self.runs, local=min(device.tuning.local_size, 4), **arrays
        )
        crowded, longest = device.download(self.crowded, np.int32, 2).tolist()
        return longest if crowded else 0

    def large(self, longest: int) -> None:
        """Make a stage of all runs that have one."""
        device, spiky, runs, share = self.device, self.spiky, self.runs, self.request.share
        # else a share of a stage's arcs has no room in 64 bits
        if self.bottom < 2**40:
            longest = self.small_ones()
        if longest == 0:
            return
        device.clear(self.in_, self.all, np.int32)
        device.clear(self.count, runs, np.int32)
        device.fill(self.key, np.uint64(NONE), runs * self.arcs)
        spiky.spikyball_count.launch(self, (longest, runs))
        spiky.spikyball_keys.launch(self, (longest, runs))
        counts = device.download(self.count, np.int32, runs).tolist()
        # of those that have arcs at least one is taken, else the search would never go on
        wanted = [max(1, floor(share * count + Fraction(1, 2))) if count else -1 for count in counts]
        taken, _ = self.selected.take(self.key, self.selected.cut(self.key, wanted), equal=True)
        offset = device.upload(taken.offset, writable=True)
        size = int(np.diff(taken.offset).max(initial=0)), runs
        spiky.spikyball_take.launch(self, size, offset=offset, list=taken.buffer)
