"""Random walks: host half of ``cl/sampling/literature/walk.cl`` and ``walk_note.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.shapes import Shapes
from clgraph.errors import CapacityError
from clgraph.sampling.literature.clock import NONE, device_tables
from clgraph.sampling.literature.drawn import Drawn, Packed
from clgraph.sampling.literature.smallest import Cut, Smallest, Taken
from clgraph.sampling.literature.starts import Queue, pool_of, queue_room

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.sampling.literature.arguments import Wish
    from clgraph.sampling.literature.view import View

NUMBER = {"rw": 0, "rwr": 1, "rj": 2, "rwj": 3, "mhrw": 4, "gmd": 6, "nbrw": 7}
RUNNING, LEG, OVER, ENDING = range(4)
BATCHES = 20
ROOM = 1 << 27  # counters of these parts
LONG = 2**62  # steps that nobody makes
RECORDED = 1 << 24  # visits whose order one run keeps, for the error of estimates


@dataclass(frozen=True)
class Shape:
    """Launch shape.

    Attributes
    ----------
    trail : int
        Entries of the trail that one launch writes, at most.
    items : int
        Entries that a work-item looks at afterwards.
    """

    trail: int
    items: int


SHAPES = Shapes(
    gpu=Shape(trail=1 << 25, items=1),
    cpu=Shape(trail=1 << 20, items=1024),
    simulator=Shape(trail=256, items=4),
)


def draw(device: Device, view: View, wish: Wish, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Walks(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Wish) -> int:
    """Device memory that one run takes, roughly."""
    each = 28 + 4 * (wish.keep == "tree")
    arcs = 4 * view.rows.num_arcs if wish.keep == "visited" else 0
    return each * view.n + arcs + 32 * wish.walkers


def batches_of(n: int, runs: int, counted: int) -> int:
    """Into how many parts one walk of fixed length is cut, for its error; several runs are not cut."""
    return max(1, min(BATCHES, ROOM // n)) if runs == 1 and counted >= BATCHES else 1


def gathered(
    device: Device, program: Program, n: int, taken: Taken, values: Any, base: int
) -> npt.NDArray[np.int32]:
    """A value of each vertex taken, by the program of ``walk_note.cl``."""
    many, runs = int(taken.offset[-1]), len(taken.total)
    out = device.empty(max(many, 1), np.int32)
    program.walk_gather(
        (int(taken.total.max(initial=0)), runs),
        np.int32(n),
        np.int64(base),
        device.upload(taken.offset, writable=True),
        taken.items,
        values,
        out,
    )
    return device.download(out, np.int32, many)


class _Walks:
    def __init__(self, device: Device, view: View, wish: Wish, seed: int, runs: int) -> None:
        self.device, self.view, self.wish, self.seed, self.runs = device, view, wish, seed, runs
        self.n, self.csr, self.walkers = view.n, view.csr(device), wish.walkers
        self.all = runs * wish.walkers
        self.wanted = min(wish.target or 0, self.n)
        shape = SHAPES.of(device)
        self.items = shape.items
        self.exact = wish.steps is not None
        self.total = wish.steps if wish.steps is not None else LONG
        longest = min(1 << 16, self.total, (1 << 32) // self.walkers - 2)
        self.most = max(1, min(longest, shape.trail // self.all))
        if self.all * self.most > 2**31 - 1:
            raise CapacityError(f"{self.all} walkers side by side: at most {2**31 - 1} have room in a trail")
        self.noting = not self.exact or wish.keep != "induced"
        self.batches = batches_of(self.n, runs, self.counted if self.exact else 0)
        self.recording = wish.walks or (not self.exact and runs == 1)
        self.records: list[npt.NDArray[np.int32]] = []
        self.recorded = 0
        self.legs = np.zeros(runs, np.int64)
        self.first_leg = np.zeros(runs, np.int64)

    @property
    def counted(self) -> int:
        """Steps of a walker that count, of a walk of fixed length."""
        wish = self.wish
        return ((wish.steps or 0) - wish.burn_in) // wish.thin

    # --- before -----------------------------------------------------------------------------------

    def allocate(self) -> None:
        device, n, runs, wish = self.device, self.n, self.runs, self.wish
        device.reserve({"runs": runs * bytes_per_run(self.view, wish), "trail": 4 * self.most * self.all})
        self.table = device_tables(device)
        self.first = device.empty(runs * n, np.uint64)
        device.fill(self.first, np.uint64(NONE), runs * n)
        self.claim = device.empty(runs * n, np.uint32)
        device.fill(self.claim, np.uint32(2**32 - 1), runs * n)
        self.visits = device.zeros(self.batches * runs * n, np.int32)
        self.parent = device.empty(runs * n, np.int32) if wish.keep == "tree" else None
        visited = wish.keep == "visited"
        self.walked = device.zeros(runs * self.csr.arcs, np.int32) if visited else None
        self.trail = device.empty(self.most * self.all, np.int32)
        self.place = device.empty(self.most * self.all, np.int32) if visited else None
        names = ("home", "pos", "prev", "origin")
        self.home, self.pos, self.prev, self.origin = (device.zeros(self.all, np.int32) for _ in names)
        zeros = [device.zeros(runs, np.int32) for _ in range(4)]
        self.todo, self.made, self.seen, self.leg_seen = zeros
        self.done, self.leg_begin, self.boundary = (device.zeros(runs, np.uint64) for _ in range(3))
        self.status = device.empty(runs, np.int32)
        device.fill(self.status, np.int32(LEG), runs)
        target = 2**31 - 1 if wish.target is None else self.wanted
        self.target = device.empty(runs, np.int32)
        device.fill(self.target, np.int32(target), runs)
        self.tally = device.empty(4, np.int32)
        self.queue = Queue(device, n, runs, queue_room(n, self.walkers))
        self.limit = None
        if self.view.weighted:
            self.limit = self.view.kept(device, "limits", lambda: self.view.limits)
        given = wish.start
        self.given = 0 if given is None else len(given)
        self.starts = None if given is None else device.upload(np.array(given, np.int32), writable=True)
        self.pool, self.pool_size = (None, 0)
        if given is None:
            self.pool, self.pool_size = pool_of(device, self.view.original)

    def build(self) -> None:
        device, wish, csr = self.device, self.wish, self.csr
        method = NUMBER[wish.method] + (wish.method == "mhrw" and wish.alpha < 1)
        self.p = {
            "rwr": floor(wish.p * 2**64),
            "rj": floor(wish.p * 2**64),
            "rwj": floor(wish.alpha * 2**16),
            "mhrw": floor(wish.alpha * 2**32),
            "gmd": wish.c,
        }.get(wish.method, 0)
        name = "sampling/literature/walk"
        self.step = device.program(name, METHOD=method, WEIGHTED=int(self.view.weighted), **csr.defines)
        self.note = device.program("sampling/literature/walk_note", ITEMS=self.items, **csr.defines)
        self.by_vertex = -(-self.n // self.items), self.runs

    # --- during -----------------------------------------------------------------------------------

    def run(self) -> Drawn:
        """All legs of all runs, and what came of them."""
        self.allocate()
        self.build()
        self.begin()
        while True:
            tally = self.launch()
            if tally[LEG]:
                self.begin()
                tally[RUNNING] += tally[LEG]
            if not tally[RUNNING]:
                return self.pack()

    def by_run(self, kernel: str, *arguments: Any) -> None:
        getattr(self.note, kernel)(-(-self.runs // self.items), *arguments)

    def begin(self) -> None:
        """New legs of the runs that want one."""
        device, queue = self.device, self.queue
        short = device.empty(1, np.int32)
        before = device.download(self.status, np.int32, self.runs) == LEG
        self.first_leg = np.where(
            before & (self.legs == 1), device.download(self.seen, np.int32, self.runs), self.first_leg
        )
        self.legs += before
        while True:
            device.fill(short, np.int32(0), 1)
            self.by_run(
                "walk_begin",
                np.int32(self.n),
                np.int32(self.runs),
                np.int32(self.walkers),
                np.int32(self.most),
                np.uint64(self.total),
                np.uint64(self.seed),
                np.int32(self.given),
                self.starts,
                np.int32(self.pool_size),
                self.pool,
                np.int32(queue.room),
                queue.vertices,
                queue.length,
                queue.next,
                self.target,
                self.seen,
                self.leg_seen,
                self.leg_begin,
                self.boundary,
                self.done,
                self.todo,
                self.status,
                self.home,
                self.pos,
                self.prev,
                self.claim,
                self.first,
                self.parent,
                short,
            )
            if not device.download(short, np.int32, 1)[0]:
                return
            key = device.empty(self.runs * self.n, np.uint64)
            self.note.walk_start_keys(
                self.by_vertex, np.int32(self.n), np.uint64(self.seed), self.first, None, key
            )
            queue.fill(key, device.download(self.status, np.int32, self.runs) == LEG)

    def launch(self) -> npt.NDArray[np.int32]:
        """Some steps of all runs; how many of them go on, want a leg, are over."""
        device, wish, csr = self.device, self.wish, self.csr
        sizes = np.int32(self.runs), np.int32(self.walkers)
        self.step.walk_step(
            self.all,
            np.int32(self.n),
            *sizes,
            np.uint64(self.seed),
            np.uint64(self.p),
            self.table,
            csr.row_ptr,
            csr.col_idx,
            self.limit,
            self.done,
            self.todo,
            self.home,
            self.pos,
            self.prev,
            self.origin,
            self.trail,
            self.place,
        )
        shape = (np.int32(self.n), *sizes, np.int32(self.most))
        entries = -(-self.most * self.all // self.items)
        if self.noting:
            self.note.walk_note(entries, *shape, self.todo, self.trail, self.claim)
            self.note.walk_settle(
                entries,
                *shape,
                self.todo,
                self.done,
                self.trail,
                self.origin,
                self.claim,
                self.first,
                self.parent,
                self.seen,
            )
        device.fill(self.tally, np.int32(0), 4)
        self.by_run(
            "walk_judge",
            *sizes,
            np.uint64(2**40 if self.exact else wish.patience),
            np.uint64(self.total),
            self.target,
            self.seen,
            self.leg_seen,
            self.leg_begin,
            self.boundary,
            self.done,
            self.todo,
            self.made,
            self.status,
            self.tally,
        )
        tally = device.download(self.tally, np.int32, 4)
        cut = None
        if tally[ENDING]:
            ending = device.download(self.status, np.int32, self.runs) == ENDING
            # the key of the last vertex taken
            cut = Smallest(device, self.runs, self.n).cut(self.first, np.where(ending, self.wanted - 1, -1))
        if self.recording:
            self.record(cut)
        self.note.walk_tally(
            entries,
            *shape,
            self.made,
            self.done,
            self.status,
            None if cut is None else cut.key,
            np.uint64(wish.burn_in),
            np.uint64(wish.thin),
            np.uint64(self.batches),
            np.uint64(max(self.counted, 1)),
            csr.row_ptr,
            self.trail,
            self.place,
            self.origin,
            self.visits,
            self.walked,
        )
        self.by_run(
            "walk_go_on",
            np.int32(self.runs),
            np.int32(self.most),
            np.uint64(self.total),
            self.made,
            self.status,
            self.boundary,
            self.done,
            self.todo,
        )
        return tally

    def record(self, cut: Cut | None) -> None:
        """Keep the trail of this launch on the host, in the order of steps (one run)."""
        device, walkers = self.device, self.walkers
        steps = device.download(self.made, np.int32, self.runs)
        longest = int(steps.max())
        if not self.wish.walks and self.recorded + longest * self.all > RECORDED:
            self.recording, self.records = False, []
            return
        trail = device.download(self.trail, np.int32, longest * self.all)
        trail = np.where(trail < 0, ~trail, trail)
        if cut is not None:
            last = int(device.download(cut.key, np.uint64, 1)[0])
            done = int(device.download(self.done, np.uint64, 1)[0])
            trail = trail[: max(0, last - (done + 1) * walkers + 1)]
        self.recorded += len(trail)
        self.records.append(trail)

    # --- after ------------------------------------------------------------------------------------

    def pack(self) -> Drawn:
        """The sample of each run."""
        device, wish, n, runs = self.device, self.wish, self.n, self.runs
        smallest = Smallest(device, runs, n)
        key = self.first
        if self.exact:
            key = device.empty(runs * n, np.uint64)
            first = self.first if self.noting else None
            self.note.walk_visited(
                self.by_vertex, np.int32(n), np.int32(self.batches), self.visits, first, key
            )
            cut = Cut(
                device.upload(np.full(runs, NONE, np.uint64), writable=True), device.zeros(runs, np.int32)
            )
        else:
            cut = smallest.cut(key, np.full(runs, self.wanted, np.int64))
        taken = smallest.take(key, cut, equal=not self.exact, keys=True)
        many = int(taken.offset[-1])
        vertices = Packed(taken.offset, device.download(taken.items, np.int32, many))
        came = None
        if self.noting:
            came = Packed(taken.offset, device.download(taken.keys, np.uint64, many))
        each = [gathered(device, self.note, n, taken, self.visits, b * n) for b in range(self.batches)]
        visits = Packed(taken.offset, np.array(each).sum(axis=0, dtype=np.int64))
        more: dict[str, Packed] = {}
        if self.batches > 1:
            more["batches"] = Packed(np.array([0, self.batches * many]), np.concatenate(each))
        elif self.recording and runs == 1 and not self.exact:
            more["batches"] = self.cut_into_batches(vertices.values)
        if wish.walks:
            made = self.records[0] if self.records else np.zeros(0, np.int32)
            more["walks"] = self.walks(made)
        parent = None
        if self.parent is not None:
            parent = Packed(taken.offset, gathered(device, self.note, n, taken, self.parent, 0))
        arcs = None
        if self.walked is not None:
            walked = device.download(self.walked, np.int32, runs * self.csr.arcs).reshape(runs, -1)
            arcs = Packed.of_parts([np.flatnonzero(row) for row in walked])
        return Drawn(vertices, came, None, arcs, parent, visits, more, self.notes(), self.legs)

    def cut_into_batches(self, vertices: npt.NDArray[np.int32]) -> Packed:
        """Visits by vertex in each of up to 20 consecutive parts of the walk."""
        steps = np.concatenate(self.records) if self.records else np.zeros(0, np.int32)
        parts = max(1, min(BATCHES, len(steps)))
        part = np.arange(len(steps)) * parts // max(len(steps), 1)
        place = np.searchsorted(vertices, steps)
        flat = np.bincount(part * len(vertices) + place, minlength=parts * len(vertices))
        return Packed(np.array([0, len(flat)]), flat)

    def walks(self, _: Any) -> Packed:
        """Where each walker was after each step, run after run: (steps, walkers) of each."""
        steps = np.concatenate([part.reshape(-1, self.runs, self.walkers) for part in self.records])
        parts = [steps[:, run].ravel() for run in range(self.runs)]
        return Packed.of_parts(parts)

    def notes(self) -> list[tuple[str, ...]]:
        """Of each run: its legs."""
        made: list[tuple[str, ...]] = []
        for run in range(self.runs):
            legs = int(self.legs[run])
            if legs < 2:
                made.append(())
                continue
            told = (
                f"{legs} legs: {self.first_leg[run]} vertices came in the first, the others after new starts"
            )
            made.append((told,))
        return made
