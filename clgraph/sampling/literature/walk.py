"""Random walks: host half of ``cl/sampling/literature/walk.cl``, ``walk_note.cl`` and ``walk_legs.cl``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.shapes import OfKind, Shapes, fitting
from clgraph.errors import CapacityError
from clgraph.sampling.literature.clock import NONE, device_tables
from clgraph.sampling.literature.drawn import Drawn, Packed
from clgraph.sampling.literature.listed import Listed, marked_arcs, picked, visits_of
from clgraph.sampling.literature.shares import arc_shares
from clgraph.sampling.literature.smallest import Cut, Smallest
from clgraph.sampling.literature.starts import Given, Queue, queue_room

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.literature.wish import Wish

NUMBER = {
    "rw": 0,
    "rwr": 1,
    "rj": 2,
    "rwj": 3,
    "mhrw": 4,
    "gmd": 6,
    "nbrw": 7,
    "mhda": 8,
    "cnarw": 9,
    "cnrw": 10,
}
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
    steps : int
        Steps of a launch that writes none.
    items : int
        Entries that a work-item looks at afterwards.
    lanes : int
        Work-items that choose the starts of a run.
    abreast : int
        Walkers of a work-item, where there are twice as many or more.
    noting : int
        The same where it counts no visits and needs less of the cache.
    ahead : int
        Steps for which numbers are made at once, where a work-item has one walker.
    """

    trail: int
    steps: int
    items: int
    lanes: int
    abreast: int
    noting: int
    ahead: int

    def within(self, device: OfKind) -> Shape:
        """Cut to a device's limits."""
        return replace(self, lanes=fitting(self.lanes, device, each=4))


SHAPES = Shapes(
    gpu=Shape(trail=1 << 25, steps=1 << 30, items=1, lanes=256, abreast=1, noting=1, ahead=1),
    cpu=Shape(trail=1 << 20, steps=1 << 26, items=1024, lanes=1, abreast=16, noting=32, ahead=16),
    simulator=Shape(trail=256, steps=256, items=4, lanes=4, abreast=2, noting=3, ahead=3),
)


def draw(device: Device, view: View, wish: Wish, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Walks(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Wish) -> int:
    """Device memory that one run takes, roughly."""
    each = 28 + 4 * (wish.keep == "tree")
    arcs = 4 * view.rows.num_arcs if wish.keep == "visited" else 0
    return each * view.n + arcs + (32 + 4 * counters_of(view, wish)) * wish.walkers


def counters_of(view: View, wish: Wish) -> int:
    """How many counters a walker has: of cnrw one for each arc and each start.

    Raises
    ------
    CapacityError
        If they cannot be numbered by 32 bits.
    """
    if wish.method != "cnrw":
        return 0
    counters = view.rows.num_arcs + view.n
    if counters >= 2**32:
        raise CapacityError(f"cnrw numbers arcs and vertices by 32 bits, and the graph has {counters}")
    return counters


def batches_of(n: int, runs: int, counted: int) -> int:
    """Into how many parts one walk of fixed length is cut, for its error; several runs are not cut."""
    return max(1, min(BATCHES, ROOM // n)) if runs == 1 and counted >= BATCHES else 1


class _Walks:
    def __init__(self, device: Device, view: View, wish: Wish, seed: int, runs: int) -> None:
        self.device, self.view, self.wish, self.seed, self.runs = device, view, wish, seed, runs
        self.n, self.csr, self.walkers = view.n, view.csr(device), wish.walkers
        self.all = runs * wish.walkers
        self.wanted = min(wish.target or 0, self.n)
        shape = SHAPES.of(device)
        self.items, self.lanes = shape.items, shape.lanes
        self.exact = wish.steps is not None
        self.total = wish.steps if wish.steps is not None else LONG
        # whether it matters when, how often up to there, or by which edges: else visits are all that counts
        self.noting = not self.exact or wish.keep != "induced"
        abreast = shape.noting if self.noting else shape.abreast
        self.abreast = abreast if self.all >= 2 * abreast else 1
        self.ahead = shape.ahead if self.abreast == 1 else 1
        counted = 0 if wish.steps is None else (wish.steps - wish.burn_in) // wish.thin
        self.counted = max(counted, 1)
        self.batches = batches_of(self.n, runs, counted)
        # the batches of a walk are told by its trail, if that is short; else each has its counters
        brief = runs == 1 and (not self.exact or (self.batches > 1 and self.total * self.walkers <= RECORDED))
        self.recording = wish.walks or brief
        self.parts = 1 if self.recording else self.batches
        self.trailing = self.noting or self.recording
        longest = min(1 << 16, self.total, (1 << 32) // self.walkers - 2)
        self.most = max(1, min(longest, (shape.trail if self.trailing else shape.steps) // self.all))
        if self.all * self.most > 2**31 - 1:
            raise CapacityError(f"{self.all} walkers side by side: at most {2**31 - 1} have room in a trail")
        numbers = wish.burn_in, wish.thin, self.parts, self.counted
        self.counting = tuple(np.uint64(each) for each in numbers)
        self.records: list[tuple[Any, int]] = []
        self.recorded = 0
        self.seconds = 0.0
        self.legs = np.zeros(runs, np.int64)
        self.first_leg = np.zeros(runs, np.int64)

    # --- before -----------------------------------------------------------------------------------

    def allocate(self) -> None:
        device, n, runs, wish = self.device, self.n, self.runs, self.wish
        trail = self.most * self.all if self.trailing else 0
        device.reserve({"runs": runs * bytes_per_run(self.view, wish), "trail": 4 * trail})
        self.table = device_tables(device)
        self.first = self.claim = self.trail = self.limit = None
        if self.noting:
            self.first, self.claim = device.empty(runs * n, np.uint64), device.empty(runs * n, np.uint32)
            device.fill(self.first, np.uint64(NONE), runs * n)
            device.fill(self.claim, np.uint32(2**32 - 1), runs * n)
        self.visits = device.zeros(self.parts * runs * n, np.int32)
        self.parent = device.empty(runs * n, np.int32) if wish.keep == "tree" else None
        visited = wish.keep == "visited"
        self.walked = device.zeros(runs * self.csr.arcs, np.int32) if visited else None
        if self.trailing:
            self.trail = device.empty(trail, np.int32)
        self.place = device.empty(trail, np.int32) if visited else None
        names = ("home", "pos", "prev", "origin")
        self.home, self.pos, self.prev, self.origin = (device.zeros(self.all, np.int32) for _ in names)
        zeros = [device.zeros(runs, np.int32) for _ in range(5)]
        self.todo, self.made, self.seen, self.leg_seen, self.chosen = zeros
        self.done, self.leg_begin, self.boundary = (device.zeros(runs, np.uint64) for _ in range(3))
        self.status = device.empty(runs, np.int32)
        device.fill(self.status, np.int32(LEG), runs)
        target = 2**31 - 1 if wish.target is None else self.wanted
        self.target = device.empty(runs, np.int32)
        device.fill(self.target, np.int32(target), runs)
        self.tally = device.empty(5, np.int32)
        self.short, self.longest = device.empty(1, np.int32), device.empty(1, np.int32)
        room = min(n, self.walkers) if self.exact else queue_room(n, self.walkers, runs)  # one leg, or more
        self.queue = Queue(device, self.csr, runs, room)
        if self.view.weighted:
            self.limit = self.view.kept(device, "limits", lambda: self.view.limits)
        if wish.method == "cnarw":
            self.limit, _ = arc_shares(device, self.view)
        counters = counters_of(self.view, wish)
        self.entries = device.zeros(counters * self.all, np.uint32) if counters else None
        self.given = Given.of(device, wish)

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
        variant = {"METHOD": method, "WEIGHTED": int(self.view.weighted)}
        shape = {"ABREAST": self.abreast, "AHEAD": self.ahead}
        self.step = device.program(name, **variant, **shape, **csr.defines)
        self.note = device.program("sampling/literature/walk_note", ITEMS=self.items, **csr.defines)
        self.leg = device.program("sampling/literature/walk_legs", ITEMS=self.items, LANES=self.lanes)
        self.sizes = np.int32(self.runs), np.int32(self.walkers)
        self.by_run = -(-self.runs // self.items)
        self.bounds = (
            np.int32(self.most),
            np.uint64(2**40 if self.exact else wish.patience),
            np.uint64(self.total),
        )

    # --- during -----------------------------------------------------------------------------------

    def run(self) -> Drawn:
        """All legs of all runs, and what came of them."""
        self.allocate()
        self.build()
        steps = self.begin()
        while True:
            began = perf_counter()
            tally = self.launch(steps)
            self.seconds += perf_counter() - began
            steps = int(tally[4])
            if tally[LEG]:
                steps = max(steps, self.begin())
                tally[RUNNING] += tally[LEG]
            if not tally[RUNNING]:
                return self.pack()

    def begin(self) -> int:
        """New legs of the runs that want one; the most steps that one makes in the next launch."""
        device, leg, n, queue = self.device, self.leg, np.int32(self.n), self.queue
        before = device.download(self.status, np.int32, self.runs) == LEG
        seen = device.download(self.seen, np.int32, self.runs)
        self.first_leg = np.where(before & (self.legs == 1), seen, self.first_leg)
        self.legs += before
        by_walker = -(-self.all // self.items)
        device.fill(self.longest, np.int32(0), 1)
        while True:
            device.fill(self.short, np.int32(0), 1)
            leg.legs_choose.exact(
                (self.lanes, self.runs),
                n,
                np.int32(self.walkers),
                np.uint64(self.seed),
                *self.given.args,
                *queue.args,
                self.done,
                self.status,
                self.claim,
                self.seen,
                self.leg_seen,
                self.home,
                self.chosen,
                self.short,
                local=(self.lanes, 1),
            )
            leg.legs_set(by_walker, n, *self.sizes, self.chosen, self.home, self.pos, self.prev, self.claim)
            if self.noting:
                found = self.claim, self.first, self.parent, self.seen
                leg.legs_settle(by_walker, n, *self.sizes, self.chosen, self.home, self.done, *found)
            leg.legs_run(
                self.by_run,
                *self.sizes,
                *self.bounds,
                np.uint64(LONG if self.exact else 64),
                self.chosen,
                self.target,
                self.seen,
                self.leg_seen,
                self.longest,
                self.leg_begin,
                self.boundary,
                self.done,
                self.todo,
                self.status,
            )
            if not device.download(self.short, np.int32, 1)[0]:
                return int(device.download(self.longest, np.int32, 1)[0])
            queue.refill(self.seed, self.claim, self.status, LEG)

    def launch(self, steps: int) -> npt.NDArray[np.int32]:
        """Some steps of all runs, at most so many; how many of them go on, want a leg, are over."""
        device, csr = self.device, self.csr
        visits = None if self.noting else self.visits
        self.step.walk_step(
            -(-self.all // self.abreast),
            np.int32(self.n),
            *self.sizes,
            np.uint64(self.seed),
            np.uint64(self.p),
            self.table,
            csr.row_ptr,
            csr.col_idx,
            self.limit,
            self.entries,
            self.done,
            self.todo,
            *self.counting,
            self.home,
            self.pos,
            self.prev,
            self.origin,
            self.trail,
            self.place,
            visits,
            local=min(device.tuning.local_size, 4) if device.kind != "gpu" else None,
        )
        shape = -(-steps * self.all // self.items), np.int32(self.n), *self.sizes, np.int32(steps)
        if self.noting:
            self.note.walk_note(*shape, self.todo, self.trail, self.claim)
            found = self.claim, self.first, self.parent, self.seen
            self.note.walk_settle(*shape, self.todo, self.done, self.trail, self.origin, *found)
        device.fill(self.tally, np.int32(0), 5)
        self.leg.legs_judge(
            self.by_run,
            *self.sizes,
            *self.bounds,
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
        tally = device.download(self.tally, np.int32, 5)
        cut = None
        if tally[ENDING]:
            ending = device.download(self.status, np.int32, self.runs) == ENDING
            # the key of the last vertex taken
            cut = Smallest(device, self.runs, self.n).cut(self.first, np.where(ending, self.wanted - 1, -1))
        if self.recording:
            self.record(cut)
        if self.noting:
            marks = self.visits, self.walked
            walks = csr.row_ptr, self.trail, self.place, self.origin
            limit = None if cut is None else cut.key
            self.note.walk_tally(
                *shape, self.made, self.done, self.status, limit, *self.counting, *walks, *marks
            )
        self.leg.legs_go_on(self.by_run, np.int32(self.runs), self.made, self.done)
        return tally

    def record(self, cut: Cut | None) -> None:
        """Keep the trail of this launch, in the order of steps."""
        device, walkers = self.device, self.walkers
        length = int(device.download(self.made, np.int32, self.runs).max()) * self.all
        if not self.wish.walks and self.recorded + length > RECORDED:
            self.recording, self.records = False, []
            return
        if cut is not None:
            last = int(device.download(cut.key, np.uint64, 1)[0])
            done = int(device.download(self.done, np.uint64, 1)[0])
            length = min(length, max(0, last - (done + 1) * walkers + 1))
        self.recorded += length
        if self.exact and self.most == self.total:  # one launch made all
            self.records = [(self.trail, length)]
            return
        device.reserve({"walks": 4 * length})
        kept = device.empty(max(length, 1), np.int32)
        device.copy(kept, self.trail, 4 * length)
        self.records.append((kept, length))

    # --- after ------------------------------------------------------------------------------------

    def pack(self) -> Drawn:
        """The sample of each run."""
        device, wish, n, runs = self.device, self.wish, self.n, self.runs
        if not self.noting:
            listed = Listed.visited(device, runs, n, self.parts, self.visits)
        elif self.exact:
            listed = Listed.first_seen(device, runs, n, self.first)
        else:
            listed = Listed.smallest(device, runs, n, self.first, self.wanted)
        visits, batches = visits_of(listed, self.visits, self.parts)
        more: dict[str, Packed] = {}
        if batches is not None:
            more["batches"] = batches
        elif self.recording and runs == 1 and (self.batches > 1 or not self.exact):
            more["batches"] = self.cut_into_batches(listed.vertices)
        if wish.walks:
            more["walks"] = self.walks()
        if wish.method == "cnarw":
            _, total = arc_shares(device, self.view)
            more["share"] = picked(device, n, total, listed.vertices)
        return Drawn(
            listed.vertices,
            listed.keys if self.noting else None,
            None,
            None if self.walked is None else marked_arcs(device, runs, self.csr.arcs, self.walked),
            None if self.parent is None else listed.gathered(self.parent),
            visits,
            more,
            self.notes(),
            self.legs,
            listed=listed,
            walking=self.seconds,
        )

    def cut_into_batches(self, vertices: Packed) -> Packed:
        """Visits by vertex in each of up to 20 consecutive parts of the walk, when they are looked at."""
        device, records, length, wish = self.device, self.records, self.recorded, self.wish
        parts = self.batches if self.exact else max(1, min(BATCHES, length))

        def part_of(entry: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
            if not self.exact:
                return entry * parts // max(length, 1)
            rank, rest = np.divmod(entry // self.walkers - wish.burn_in, wish.thin)
            return np.where((rest == wish.thin - 1) & (rank >= 0), rank * parts // self.counted, parts)

        def count() -> npt.NDArray[np.int64]:
            steps = trail_of(device, records)
            part, many = part_of(np.arange(length)), len(vertices.values)
            counts = part < parts
            place = np.searchsorted(vertices.values, steps[counts])
            return np.bincount(part[counts] * many + place, minlength=parts * many)

        return Packed(np.array([0, parts * int(vertices.offset[-1])]), count)

    def walks(self) -> Packed:
        """Where each walker was after each step, run after run: (steps, walkers) of each."""
        device, records, runs, walkers = self.device, self.records, self.runs, self.walkers
        each = self.recorded // runs

        def ordered() -> npt.NDArray[np.int32]:
            steps = trail_of(device, records).reshape(-1, runs, walkers)
            return np.ascontiguousarray(steps.transpose(1, 0, 2)).ravel()

        return Packed(np.arange(runs + 1) * each, ordered)

    def notes(self) -> list[tuple[str, ...]]:
        """Of each run: its legs."""
        made: list[tuple[str, ...]] = []
        for legs, first in zip(self.legs.tolist(), self.first_leg.tolist(), strict=True):
            told = f"{legs} legs: {first} vertices came in the first, the others after new starts"
            made.append((told,) if legs > 1 else ())
        return made


def trail_of(device: Device, records: list[tuple[Any, int]]) -> npt.NDArray[np.int32]:
    """The vertices of a recorded walk, in the order of steps."""
    with device.alone():
        pieces = [device.download(buffer, np.int32, length) for buffer, length in records]
    trail = np.concatenate([np.zeros(0, np.int32), *pieces])
    return np.where(trail < 0, ~trail, trail)
