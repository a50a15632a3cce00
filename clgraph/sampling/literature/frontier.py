"""Frontier sampling (fs): host half of ``cl/sampling/literature/frontier.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.device.shapes import Shapes
from clgraph.sampling.literature.clock import NONE, device_tables
from clgraph.sampling.literature.drawn import Drawn, Packed
from clgraph.sampling.literature.smallest import Cut, Smallest
from clgraph.sampling.literature.starts import Queue, queue_room
from clgraph.sampling.literature.walk import LEG, LONG, batches_of, gathered

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.arguments import Wish
    from clgraph.sampling.literature.view import View


@dataclass(frozen=True)
class Shape:
    """Launch shape.

    Attributes
    ----------
    moves : int
        Moves of a run in one launch.
    """

    moves: int


SHAPES = Shapes(gpu=Shape(moves=1 << 13), cpu=Shape(moves=1 << 18), simulator=Shape(moves=50))


def bytes_per_run(view: View, wish: Wish) -> int:
    """Device memory that one run takes, roughly."""
    arcs = 4 * view.rows.num_arcs if wish.keep == "visited" else 0
    return 24 * view.n + arcs + 20 * wish.walkers


def draw(device: Device, view: View, wish: Wish, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Frontier(device, view, wish, seed, runs).run()


class _Frontier:
    def __init__(self, device: Device, view: View, wish: Wish, seed: int, runs: int) -> None:
        self.device, self.wish, self.seed, self.runs = device, wish, seed, runs
        self.n, self.csr = view.n, view.csr(device)
        n, walkers, csr = self.n, wish.walkers, self.csr
        device.reserve({"runs": runs * bytes_per_run(view, wish)})
        self.total = LONG if wish.steps is None else wish.steps * walkers
        self.burn_in = wish.burn_in * walkers
        self.counted = 0 if wish.steps is None else (self.total - self.burn_in) // wish.thin
        self.batches = batches_of(n, runs, self.counted)
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
        target = 2**31 - 1 if wish.target is None else min(wish.target, int(np.count_nonzero(view.degrees)))
        device.fill(self.target, np.int32(target), runs)
        self.wanted = target
        self.counts = device.empty(2, np.int32)
        self.queue = Queue(device, n, runs, queue_room(n, walkers))
        given = wish.start
        self.given = 0 if given is None else len(given)
        self.starts = None if given is None else device.upload(np.array(given, np.int32), writable=True)
        self.legs = np.zeros(runs, np.int64)
        self.table = device_tables(device)
        self.program = device.program("sampling/literature/frontier", **csr.defines)
        self.note = device.program("sampling/literature/walk_note", **csr.defines)

    def run(self) -> Drawn:
        """All legs of all runs, and what came of them."""
        going = self.begin()
        while going:
            going = self.go_on()
            if self.device.download(self.counts, np.int32, 2)[1]:
                going = self.begin()
        return self.pack()

    def sizes(self) -> tuple[Any, ...]:
        return np.int32(self.n), np.int32(self.runs), np.int32(self.wish.walkers), np.uint64(self.seed)

    def go_on(self) -> bool:
        device, wish, csr = self.device, self.wish, self.csr
        device.fill(self.counts, np.int32(0), 2)
        self.program.frontier_move(
            self.runs,
            *self.sizes(),
            np.int32(SHAPES.of(device).moves),
            np.uint64(self.total),
            np.uint64(self.burn_in),
            np.uint64(wish.thin),
            np.uint64(self.batches),
            np.uint64(max(self.counted, 1)),
            np.uint64(2**40 if wish.steps is not None else wish.patience),
            self.table,
            csr.row_ptr,
            csr.col_idx,
            self.target,
            self.time,
            self.heap,
            self.step,
            self.pos,
            self.moves,
            self.leg_moves,
            self.seen,
            self.leg_seen,
            self.first,
            self.visits,
            self.parent,
            self.walked,
            self.status,
            self.counts,
        )
        return bool(device.download(self.counts, np.int32, 2).any())

    def begin(self) -> bool:
        """New legs of the runs that want one; whether any run goes on."""
        device, queue = self.device, self.queue
        short = device.empty(1, np.int32)
        self.legs += device.download(self.status, np.int32, self.runs) == LEG
        counts = device.download(self.counts, np.int32, 2) if self.legs.max() > 1 else np.zeros(2, np.int32)
        device.write(self.counts, np.array([counts[0], 0], np.int32))
        while True:
            device.fill(short, np.int32(0), 1)
            self.program.frontier_begin(
                self.runs,
                *self.sizes(),
                np.int32(self.given),
                self.starts,
                np.int32(queue.room),
                queue.vertices,
                queue.length,
                queue.next,
                self.table,
                self.csr.row_ptr,
                self.target,
                self.time,
                self.heap,
                self.step,
                self.pos,
                self.leg_moves,
                self.seen,
                self.leg_seen,
                self.first,
                self.parent,
                self.status,
                short,
                self.counts,
            )
            if not device.download(short, np.int32, 1)[0]:
                return bool(device.download(self.counts, np.int32, 1)[0])
            key = device.empty(self.runs * self.n, np.uint64)
            self.note.walk_start_keys(
                (self.n, self.runs), np.int32(self.n), np.uint64(self.seed), self.first, self.csr.row_ptr, key
            )
            queue.fill(key, device.download(self.status, np.int32, self.runs) == LEG)

    def pack(self) -> Drawn:
        """The sample of each run."""
        device, wish, n, runs = self.device, self.wish, self.n, self.runs
        smallest = Smallest(device, runs, n)
        key = self.first
        if wish.steps is not None:
            key = device.empty(runs * n, np.uint64)
            first = None if wish.keep == "induced" else self.first
            self.note.walk_visited((n, runs), np.int32(n), np.int32(self.batches), self.visits, first, key)
            everything = device.upload(np.full(runs, NONE, np.uint64), writable=True)
            cut = Cut(everything, device.zeros(runs, np.int32))
        else:
            cut = smallest.cut(key, np.full(runs, self.wanted, np.int64))
        taken = smallest.take(key, cut, equal=wish.steps is None, keys=True)
        many = int(taken.offset[-1])
        vertices = Packed(taken.offset, device.download(taken.items, np.int32, many))
        came = None
        if wish.steps is None or wish.keep != "induced":
            came = Packed(taken.offset, device.download(taken.keys, np.uint64, many))
        each = [gathered(device, self.note, n, taken, self.visits, b * n) for b in range(self.batches)]
        visits = Packed(taken.offset, np.array(each).sum(axis=0, dtype=np.int64))
        more = {}
        if self.batches > 1:
            more["batches"] = Packed(np.array([0, self.batches * many]), np.concatenate(each))
        parent = arcs = None
        if self.parent is not None:
            parent = Packed(taken.offset, gathered(device, self.note, n, taken, self.parent, 0))
        if self.walked is not None:
            walked = device.download(self.walked, np.int32, runs * self.csr.arcs).reshape(runs, -1)
            arcs = Packed.of_parts([np.flatnonzero(row) for row in walked])
        notes = [(f"{legs} legs",) if legs > 1 else () for legs in self.legs.tolist()]
        return Drawn(vertices, came, None, arcs, parent, visits, more, notes, self.legs)  # type: ignore[arg-type]
