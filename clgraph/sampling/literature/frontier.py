"""Frontier sampling (fs): host half of ``cl/sampling/literature/frontier.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clgraph.device.launch_config import LaunchTable
from clgraph.sampling.literature.clock import NONE, device_tables
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import (
    Column,
    first_seen,
    gathered,
    marked_arcs,
    smallest,
    visited,
    visits_of,
)
from clgraph.sampling.literature.starts import Given, Queue, queue_room
from clgraph.sampling.literature.walk_legs import LEG, LONG, batches_of, no_error

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request


LAUNCH = LaunchTable(gpu=1 << 13, cpu=1 << 18, simulator=50)  # moves of a run in one launch


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    arcs = 4 * view.rows.num_arcs if wish.keep == "visited" else 0
    return 24 * view.n + arcs + 20 * wish.walkers


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Frontier(device, view, wish, seed, runs).run()


class _Frontier:
    def __init__(self, device: Device, view: View, wish: Request, seed: int, runs: int) -> None:
        self.device, self.wish, self.seed, self.runs = device, wish, seed, runs
        self.n, self.csr = view.n, view.csr(device)
        n, walkers, csr = self.n, wish.walkers, self.csr
        device.reserve({"runs": runs * bytes_per_run(view, wish)})
        self.total = LONG if wish.steps is None else wish.steps * walkers
        self.burn_in = wish.burn_in * walkers
        self.counted = 0 if wish.steps is None else (self.total - self.burn_in) // wish.thin
        self.batches = batches_of(n, self.counted) if runs == 1 else 1
        self.first = device.empty(runs * n, np.uint64)
        device.fill(self.first, np.uint64(NONE), runs * n)
        self.visits = device.zeros(self.batches * runs * n, np.int32)
        self.parent = device.empty(runs * n, np.int32) if wish.keep == "tree" else None
        visited = wish.keep == "visited"
        self.walked = device.zeros(runs * csr.arcs, np.int32) if visited else None
        self.time = device.zeros(runs * walkers, np.uint64)
        self.heap, self.pos = (device.zeros(runs * walkers, np.int32) for _ in range(2))
        self.step = device.zeros(runs * walkers, np.uint32)
        self.moves, self.leg_moves = (device.zeros(runs, np.uint64) for _ in range(2))
        self.seen, self.leg_seen = (device.zeros(runs, np.int32) for _ in range(2))
        self.status = device.empty(runs, np.int32)
        device.fill(self.status, np.int32(LEG), runs)
        self.target = device.empty(runs, np.int32)
        target = 2**31 - 1 if wish.target is None else min(wish.target, view.num_nonisolated)
        device.fill(self.target, np.int32(target), runs)
        self.wanted = target
        self.counts = device.empty(2, np.int32)
        self.queue = Queue(device, csr, runs, queue_room(n, walkers, runs), np.uint64)

        self.legs = np.zeros(runs, np.int64)

        self.state = {
            "table": device_tables(device),
            "row_ptr": csr.row_ptr,
            "target": self.target,
            "time": self.time,
            "heap": self.heap,
            "step": self.step,
            "pos": self.pos,
            "leg_moves": self.leg_moves,
            "seen": self.seen,
            "leg_seen": self.leg_seen,
            "first": self.first,
            "parent": self.parent,
            "status": self.status,
            "counts": self.counts,
        }
        sizes = {"n": n, "runs": runs, "walkers": walkers, "seed": seed}
        program = device.program("sampling/literature/frontier", **csr.defines)
        self.move = program.frontier_move.bind(
            **sizes,
            most=LAUNCH.of(device),
            total=self.total,
            burn_in=self.burn_in,
            thin=wish.thin,
            batches=self.batches,
            counted=max(self.counted, 1),
            patience=2**40 if wish.steps is not None else wish.patience,
            col_idx=csr.col_idx,
            moves=self.moves,
            visits=self.visits,
            walked=self.walked,
            **self.state,
        )
        given = Given.of(device, wish, pooled=False)
        self.start = program.frontier_begin.bind(
            **sizes, given=given.count, starts=given.vertices, **self.state
        )

    def run(self) -> Drawn:
        """All legs of all runs, and what came of them."""
        going = self.begin()
        while going:
            going = self.go_on()
            if self.device.download(self.counts, np.int32, 2)[1]:
                going = self.begin()
        return self.pack()

    def go_on(self) -> bool:
        self.device.clear(self.counts, 2, np.int32)
        self.move(self.runs)
        return bool(self.device.download(self.counts, np.int32, 2).any())

    def begin(self) -> bool:
        """New legs of the runs that want one; whether any run goes on."""
        device, queue = self.device, self.queue
        short = device.empty(1, np.int32)
        self.legs += device.download(self.status, np.int32, self.runs) == LEG
        counts = device.download(self.counts, np.int32, 2) if self.legs.max() > 1 else np.zeros(2, np.int32)
        device.write(self.counts, np.array([counts[0], 0], np.int32))
        while True:
            device.clear(short, 1, np.int32)
            self.start(self.runs, **queue.args, short_of=short)
            if not device.download(short, np.int32, 1)[0]:
                return bool(device.download(self.counts, np.int32, 1)[0])
            queue.refill(self.seed, self.first, self.status, LEG, lonely=False)

    def pack(self) -> Drawn:
        """The sample of each run."""
        device, wish, n, runs = self.device, self.wish, self.n, self.runs
        noting = wish.steps is None or wish.keep != "induced"
        came: Column | None
        if wish.steps is None:
            vertices, came = smallest(device, runs, n, self.first, self.wanted)
        elif noting:
            vertices, came = first_seen(device, runs, n, self.first)
        else:
            vertices, came = visited(device, runs, n, self.batches, self.visits), None
        visits, batches = visits_of(vertices, n, self.visits, self.batches)
        short = () if wish.steps is None else no_error(n, self.counted, "moves")
        return Drawn(
            vertices,
            came,
            None,
            None if self.walked is None else marked_arcs(device, runs, self.csr.arcs, self.walked),
            None if self.parent is None else gathered(vertices, n, self.parent),
            visits,
            {} if batches is None else {"batches": batches},
            [(*((f"{legs} legs",) if legs > 1 else ()), *short) for legs in self.legs.tolist()],
            self.legs,
        )
