"""Random walks, and frontier sampling.

Host half of ``cl/sampling/literature/walk.cl``, ``walk_legs.cl``, ``walk_note.cl``, ``guides.cl``,
``shares.cl`` and ``frontier.cl``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.errors import CapacityError
from clgraph.run import host_cpu
from clgraph.sampling.literature.engine import NOBODY, UNSEEN, Engine
from clgraph.sampling.literature.selection import first_seen, gathered, picked, visited
from clgraph.sampling.literature.smallest import Column, Smallest, smallest
from clgraph.sampling.literature.starts import Queue, queue_room
from clgraph.sampling.literature.view import NONE, View
from clgraph.sampling.selection import Selection

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.sampling.request import Request

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
    "node2vec": 11,
}
WALK = "sampling/literature/walk"
# jumps are steps of these like others; other walks jump from dead ends alone, where their rows end
JUMPING = ("rwr", "rj", "rwj")
# their steps all read the same amount, whatever is drawn
EVEN = ("rw", "rwr", "rj", "rwj")
# visits whose order one run keeps, for the error of estimates
RECORDED = 1 << 24
# parts of a walk: the standard error is estimated from their spread
BATCHES = 20
# counters of all parts together: 512 MB
ROOM = 1 << 27
# steps that nobody makes: where no number is given
LONG = 2**62
RUNNING, LEG, OVER, ENDING = range(4)


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

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
    each : int
        Entries of its queue that each of them looks at, at a time.
    abreast : int
        Walkers of a work-item, where there are enough of them.
    enough : int
        Work-items with several walkers, at least.
    noting : int
        The same where it counts no visits and needs less of the cache.
    uneven : int
        At most so many where steps differ in what they read: a warp waits for its longest.
    ahead : int
        Steps for which numbers are made at once, where a work-item has one walker.
    moves : int
        Moves of a frontier's run in one launch.
    own : int or None
        Steps of a single chain up to which a device makes them itself, although the host has a CPU device;
        None: always.
    """

    trail: int
    steps: int
    items: int
    lanes: int
    each: int
    abreast: int
    enough: int
    noting: int
    uneven: int
    ahead: int
    moves: int
    own: int | None = None

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        return replace(self, lanes=fit_group(self.lanes, device, each=4))


LAUNCH = LaunchTable(
    gpu=LaunchConfig(
        trail=1 << 25,
        steps=1 << 30,
        items=1,
        lanes=256,
        each=4,
        abreast=4,
        enough=1 << 17,
        noting=1,
        uneven=1,
        ahead=1,
        moves=1 << 13,
        own=1 << 20,
    ),
    cpu=LaunchConfig(
        trail=1 << 20,
        steps=1 << 26,
        items=1024,
        lanes=1,
        each=1,
        abreast=16,
        enough=2,
        noting=32,
        uneven=32,
        ahead=16,
        moves=1 << 18,
    ),
    simulator=LaunchConfig(
        trail=256,
        steps=256,
        items=4,
        lanes=4,
        each=3,
        abreast=2,
        enough=2,
        noting=3,
        uneven=3,
        ahead=3,
        moves=50,
    ),
)


def chain_device(device: Device, requests: Sequence[Request]) -> tuple[Device, tuple[str, ...]]:
    """Return the device for a run, and notes: a GPU leaves a long chain of steps to the host's CPU.

    It is slow at them: a step waits for memory several times, and there is nothing else to do meanwhile.
    """
    own, longest = LAUNCH.of(device).own, max(requests, key=lambda each: each.chain)
    if own is None or longest.chain <= own:
        return device, ()
    view, walker, engine = longest.view, host_cpu(), Frontier if longest.kind == "frontier" else Walks
    if walker is None:
        where = f"{device.name}: the host has no CPU device that works"
    elif engine.bytes_per_run(view, longest) + 20 * view.rows.num_arcs + 8 * view.n > walker.global_memory:
        where = f"{device.name}: the memory of {walker.name} does not hold it"
    else:
        device, where = walker, walker.name
    # frontier sampling moves one walker at a time, however many there are
    advice = "" if longest.kind == "frontier" else "; walkers=1000, say, walk side by side"
    return device, (f"the walk, which is serial, ran on {where}{advice}",)


class _Walkers(Engine):
    """Base of walks and frontier sampling: legs of several walkers, and visits.

    Attributes
    ----------
    noting : bool
        True if it matters when a vertex is seen, how often up to there, or by which edges: else visits are
        all that counts.
    total : int
        Steps of a walker, at most.
    counted : int
        Visits of a walker that count.
    legs : int64 array, shape (runs,)
    """

    def __init__(
        self, device: Device, view: View, request: Request, seed: int, runs: int, reach: int, moves: int = 1
    ) -> None:
        super().__init__(device, view, request, seed, runs)
        self.walkers, self.thin, self.burn_in = request.walkers, request.thin, request.burn_in * moves
        self.exact = request.steps is not None
        self.total = LONG if request.steps is None else request.steps * moves
        self.patience = 2**40 if self.exact else request.patience
        self.noting = not self.exact or request.keep != "induced"
        self.counted = max((self.total - self.burn_in) // self.thin, 1) if self.exact else 1
        # of several runs, a run whose error is asked for is walked again, alone (`Sample`)
        self.batches = batches_of(self.n, self.counted) if runs == 1 else 1
        self.shape = LAUNCH.of(device)
        self.every = runs * request.walkers
        self.wanted = NOBODY if request.target is None else min(request.target, reach)
        self.target, self.status = self.each_run(self.wanted), self.each_run(LEG)
        self.seen, self.leg_seen = (device.zeros(runs, np.int32) for _ in range(2))
        self.legs = np.zeros(runs, np.int64)

    def allocate(self, parts: int, *, first: bool = True, **more: int) -> None:
        """Allocate what vertices have, visits in `parts` parts of the walk; check that `more` fits, too."""
        device, keep = self.device, self.request.keep
        self.reserve(**more)
        self.first = self.filled(NONE, np.uint64) if first else None
        self.visits = device.zeros(parts * self.all, np.int32)
        self.parent = device.empty(self.all, np.int32) if keep == "tree" else None
        self.walked = device.zeros(self.runs * self.arcs, np.int32) if keep == "visited" else None

    def no_error(self, what: str) -> tuple[str, ...]:
        """Return a note if estimates have no standard error; `what` is counted: steps or moves."""
        if self.counted < BATCHES:
            return (f"estimates have no standard error: {self.counted} {what} count, and it takes {BATCHES}",)
        if batches_of(self.n, self.counted) == 1:
            return (
                f"estimates have no standard error: visits to {self.n} vertices are not counted in parts",
            )
        return ()

    def packed(
        self, parts: int, legs: list[str], short: list[tuple[str, ...]], walking: float = 0.0
    ) -> Selection:
        """Return the sample of each run, with visits in `parts` parts of the walk.

        `legs` are notes of runs of several legs, `short` of those whose estimates have no standard error.
        """
        device, n, runs = self.device, self.n, self.runs
        several = [(note,) if many > 1 else () for note, many in zip(legs, self.legs, strict=True)]
        notes = [(*note, *other) for note, other in zip(several, short, strict=True)]
        came: Column | None = None
        if not self.noting:
            vertices = visited(device, runs, n, parts, self.visits)
        elif self.exact:
            vertices, came = first_seen(device, runs, n, self.first)
        else:
            vertices, came = smallest(device, runs, n, self.first, self.wanted)
        visits = in_parts = gathered(vertices, n, self.visits, parts)
        if parts > 1:
            visits = Column(
                vertices.offset, lambda: in_parts.values.reshape(parts, -1).sum(axis=0, dtype=np.int64)
            )
        return Selection(
            vertices,
            came,
            None,
            self.marked(self.walked),
            self.gathered(vertices, self.parent),
            visits,
            {"batches": in_parts} if parts > 1 else {},
            notes,
            self.legs,
            walking=walking,
        )


def batches_of(n: int, counted: int) -> int:
    """Return the number of parts of a walk of fixed length from which its standard error is estimated."""
    return max(1, min(BATCHES, ROOM // n)) if counted >= BATCHES else 1


class Walks(_Walkers):
    """Walks of which all walkers make a step at a time; the methods differ in how a step is chosen.

    Attributes
    ----------
    recording : bool
        True if trails are recorded while they are short: for `walks`, and to split visits into batches.
    parts : int
        Parts of the walk that have counters.
    trailing : bool
        True if launches write trails.
    most : int
        Steps of a launch.
    home, pos, prev : int32 device buffers, shape (every,)
        Where each walker started, is, and was.
    done, todo, made : device buffers, shape (runs,)
        Steps before this launch (uint64), in the next one, and in the last one that was judged (int32).
    """

    vertex_bytes, visited_bytes, walker_bytes = 28, 4, 32

    def __init__(self, device: Device, view: View, request: Request, seed: int, runs: int) -> None:
        super().__init__(device, view, request, seed, runs, view.n)
        n, every, shape = self.n, self.every, self.shape
        brief = runs == 1 and (not self.exact or (self.batches > 1 and self.total * self.walkers <= RECORDED))
        self.recording = bool(request.walks) or brief
        self.parts = 1 if self.recording else self.batches
        self.trailing = self.noting or self.recording
        abreast = shape.noting if self.noting else shape.abreast
        if request.method not in EVEN:
            abreast = min(abreast, shape.uneven)
        self.abreast = abreast if every >= shape.enough * abreast else 1
        # a visit's number within a launch has 32 bits, of a walker's steps 16
        longest = min(1 << 16, self.total, (1 << 32) // self.walkers - 2)
        self.most = max(1, min(longest, (shape.trail if self.trailing else shape.steps) // every))
        if every * self.most > 2**31 - 1:
            raise CapacityError(f"{every} walkers side by side: at most {2**31 - 1} have room in a trail")
        self.trails = Trails(self)
        self.seconds = 0.0
        # visits up to the last vertex, of the runs that end by one
        self.ended = np.full(runs, -1, np.int64)
        # vertices of the first leg
        self.seen_first = np.zeros(runs, np.int64)
        self.allocate_walkers()
        # enough for one leg, or more
        room = min(n, self.walkers) if self.exact else queue_room(n, self.walkers, runs)
        self.queue = Queue(device, self.csr, runs, room)
        self.find_starts()
        self.build()

    @classmethod
    def bytes_per_run(cls, view: View, request: Request) -> int:
        parents, counters = request.keep == "tree", counters_of(view, request) * request.walkers
        return super().bytes_per_run(view, request) + 4 * (view.n * parents + counters)

    # --- before -----------------------------------------------------------------------------------

    def allocate_walkers(self) -> None:
        """Allocate what walkers and runs have."""
        device, runs, every, request, view = self.device, self.runs, self.every, self.request, self.view
        trail = self.most * every if self.trailing else 0
        self.allocate(self.parts, first=self.noting, trail=4 * trail)
        self.claim = self.filled(UNSEEN, np.uint32) if self.noting else None
        self.trail = device.empty(trail, np.int32) if self.trailing else None
        self.place = device.empty(trail, np.int32) if request.keep == "visited" else None
        self.home, self.pos, self.prev, self.from_ = (device.zeros(every, np.int32) for _ in range(4))
        self.todo, self.made, self.chosen = (device.zeros(runs, np.int32) for _ in range(3))
        self.done, self.leg_begin, self.boundary = (device.zeros(runs, np.uint64) for _ in range(3))
        self.short_of, self.longest = device.empty(1, np.int32), device.empty(1, np.int32)
        self.tally = device.empty(5, np.int32)
        # a pipeline bisects the limits: a halving is a turn there, and other walkers have theirs meanwhile
        bisects = device.has_pipeline(WALK, METHOD=NUMBER[request.method])
        self.limit = view.on_device(device, "limits") if view.weighted and bisects else None
        self.shares = guided_shares(device, view) if view.weighted and not bisects else None
        if request.method == "cnarw":
            self.limit, _ = arc_shares(device, view)
        counters = counters_of(view, request)
        self.entries = device.zeros(counters * every, np.uint32) if counters else None

    def build(self) -> None:
        """Build the kernels of the method."""
        request, shape = self.request, self.shape
        method = NUMBER[request.method] + (request.method == "mhrw" and request.alpha < 1)
        self.p = {
            "rwr": floor(request.p * 2**64),
            "rj": floor(request.p * 2**64),
            "rwj": floor(request.alpha * 2**16),
            "mhrw": floor(request.alpha * 2**32),
            "gmd": request.c,
        }.get(request.method, 0)
        self.near = self.far = 0
        self.first_walker = request.first_walker
        if request.method == "node2vec":
            self.p, self.near, self.far = largest_coins(request.p, request.q)
        ahead = shape.ahead if self.abreast == 1 else 1
        variant = {"METHOD": method, "WEIGHTED": int(self.view.weighted), "ABREAST": self.abreast}
        if request.method == "node2vec":
            variant["SYMMETRIC"] = int(not self.view.rows.directed)
        self.step = self.program("walk", serial=True, **variant, AHEAD=ahead)
        items, build, folder = shape.items, self.device.program, "sampling/literature"
        self.note = build(f"{folder}/walk_note", ITEMS=items, **self.csr.defines)
        self.leg = build(f"{folder}/walk_legs", ITEMS=items, LANES=shape.lanes, EACH=shape.each)

    # --- legs -------------------------------------------------------------------------------------

    def begin(self) -> int:
        """Begin new legs of the runs that want one; return the most steps of one in the next launch."""
        device, leg, runs, items = self.device, self.leg, self.runs, self.shape.items
        before = device.download(self.status, np.int32, runs) == LEG
        seen = device.download(self.seen, np.int32, runs)
        self.seen_first = np.where(before & (self.legs == 1), seen, self.seen_first)
        self.legs += before
        by_walker, lanes = -(-self.every // items), self.shape.lanes
        device.clear(self.longest, 1, np.int32)
        while True:
            device.clear(self.short_of, 1, np.int32)
            leg.legs_choose.launch(self, (lanes, runs), local=(lanes, 1), **self.queue.args)
            leg.legs_set.launch(self, by_walker)
            if self.noting:
                leg.legs_settle.launch(self, by_walker)
            # the first look at a leg comes early: later ones at twice as many steps, and so on
            leg.legs_run.launch(self, -(-runs // items), gap=LONG if self.exact else 64)
            if not device.download(self.short_of, np.int32, 1)[0]:
                return int(device.download(self.longest, np.int32, 1)[0])
            self.queue.refill(self.seed, self.claim, self.status, LEG)

    # --- during -----------------------------------------------------------------------------------

    def draw(self) -> Selection:
        """Make all legs of all runs."""
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

    def launch(self, steps: int) -> npt.NDArray[np.int32]:
        """Make up to `steps` steps of all runs; return how many go on, want a leg, are over, end now."""
        device, shape, note = self.device, self.shape, self.note
        self.step.walk_step.launch(
            self,
            -(-self.every // self.abreast),
            local=min(device.tuning.local_size, 4) if device.kind != "gpu" else None,
            visits=None if self.noting else self.visits,
        )
        size = -(-steps * self.every // shape.items)
        if self.noting:
            note.walk_note.launch(self, size, steps=steps, made=self.todo)
            note.walk_settle.launch(self, size, steps=steps, made=self.todo)
        by_run, cut = -(-self.runs // shape.items), None
        device.clear(self.tally, 5, np.int32)
        self.leg.legs_judge.launch(self, by_run)
        tally = device.download(self.tally, np.int32, 5)
        if tally[ENDING]:
            ending = device.download(self.status, np.int32, self.runs) == ENDING
            # the key of the last vertex taken
            found = Smallest(device, self.runs, self.n).cut(self.first, np.where(ending, self.wanted - 1, -1))
            cut, last = found.key, device.download(found.key, np.uint64, self.runs).astype(np.int64)
            # starts are no visits
            self.ended = np.where(ending, last - self.walkers + 1, self.ended)
        if self.trails.going:
            made = int(device.download(self.made, np.int32, self.runs).max())
            self.trails.keep(self.trail, made, None if cut is None else int(self.ended[0]))
        if self.noting:
            note.walk_tally.launch(self, size, steps=steps, cut=cut)
        self.leg.legs_go_on.launch(self, by_run)
        return tally

    # --- after ------------------------------------------------------------------------------------

    def pack(self) -> Selection:
        """Return the sample of each run."""
        legs = [
            f"{legs} legs: {first} vertices came in the first, the others after new starts"
            for legs, first in zip(self.legs.tolist(), self.seen_first.tolist(), strict=True)
        ]
        drawn = self.packed(self.parts, legs, self.no_errors(), self.seconds)
        if self.trails.going and self.runs == 1 and (self.batches > 1 or not self.exact):
            drawn.more["batches"] = self.trails.batches(drawn.vertices)
        if self.request.walks:
            drawn.more["walks"] = self.trails.walks(self.home, self.note)
        if self.request.method == "cnarw":
            _, total = arc_shares(self.device, self.view)
            drawn.more["share"] = picked(self.device, self.n, total, drawn.vertices)
        return drawn

    def no_errors(self) -> list[tuple[str, ...]]:
        """Return a note for each run whose estimates have no standard error."""
        if self.exact:
            return [self.no_error("steps")] * self.runs
        done = self.device.download(self.done, np.uint64, self.runs).astype(np.int64)
        visits = np.where(self.ended < 0, done * self.walkers, self.ended).tolist()
        made = "estimates have no standard error: the walk made"
        return [
            (f"{made} {each} visits, and it takes 2",)
            if each < 2
            else (f"{made} {each} visits, and the order of at most {RECORDED} is kept",)
            if each > RECORDED
            else ()
            for each in visits
        ]


def counters_of(view: View, request: Request) -> int:
    """Return how many counters a walker has: of cnrw one for each arc and each start.

    Raises
    ------
    CapacityError
        If they cannot be numbered by 32 bits.
    """
    if request.method != "cnrw":
        return 0
    counters = view.rows.num_arcs + view.n
    if counters >= 2**32:
        raise CapacityError(f"cnrw numbers arcs and vertices by 32 bits, and the graph has {counters}")
    return counters


def largest_coins(p: Fraction, q: Fraction) -> tuple[int, int, int]:
    """Return the largest coins by which node2vec goes back, to a neighbour of the vertex before, and further.

    They are in units of 2^-64; the likeliest of the three is always accepted.
    """
    alphas = (1 / p, Fraction(1), 1 / q)
    back, near, far = (floor(2**64 * alpha / max(alphas)) - 1 for alpha in alphas)
    return back, near, far


# --- Recorded trails of walks: where the walkers were, in the order of steps ---


class Trails:
    """Trails of all launches; they stay on the device until they are read.

    Attributes
    ----------
    going : bool
        True while trails are recorded: they end at `RECORDED` entries.
    """

    def __init__(self, walks: Walks) -> None:
        # not the walks themselves, whose buffers would stay as long as anything is to be looked at
        self.device, self.request = walks.device, walks.request
        self.runs, self.walkers, self.every = walks.runs, walks.walkers, walks.every
        self.exact, self.counted, self.parts = walks.exact, walks.counted, walks.batches
        # one launch makes all steps, so that its trail need not be copied
        self.at_once = walks.exact and walks.most == walks.total
        self.going = walks.recording
        self.recorded: list[tuple[Any, int]] = []
        self.length = 0

    def keep(self, trail: Any, steps: int, visits: int | None) -> None:
        """Record the trail of a launch of `steps` steps.

        `visits` of a run that ends are those that count, from the first launch on.
        """
        device, length = self.device, steps * self.every
        if visits is not None:
            length = min(length, visits - self.length)
        if not self.request.walks and self.length + length > RECORDED:
            self.going, self.recorded = False, []
            return
        self.length += length
        # the next launch would write over it
        if not self.at_once:
            device.reserve({"walks": 4 * length})
            copied = device.empty(max(length, 1), np.int32)
            device.copy(copied, trail, 4 * length)
            trail = copied
        self.recorded.append((trail, length))

    def batches(self, vertices: Column) -> Column:
        """Count visits by vertex in each of up to 20 parts of the walk, when they are looked at."""
        length, request = self.length, self.request
        parts = self.parts if self.exact else max(1, min(BATCHES, length))

        def part_of(entry: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
            if not self.exact:
                return entry * parts // max(length, 1)
            rank, rest = np.divmod(entry // self.walkers - request.burn_in, request.thin)
            return np.where((rest == request.thin - 1) & (rank >= 0), rank * parts // self.counted, parts)

        def count() -> npt.NDArray[np.int64]:
            steps = self.vertices(self.recorded)
            part, many = part_of(np.arange(length)), len(vertices.values)
            counts = part < parts
            place = np.searchsorted(vertices.values, steps[counts])
            return np.bincount(part[counts] * many + place, minlength=parts * many)

        return Column(np.array([0, parts * int(vertices.offset[-1])]), count)

    def walks(self, home: Any, note: Program) -> Column:
        """Return where walkers began and were after each step, run after run: (walkers, steps + 1) each.

        The rows are made on the device, when they are looked at or, to stay there, at once.
        """
        device, every, recorded = self.device, self.every, [(home, self.every), *self.recorded]
        columns = self.length // every + 1
        offset = np.arange(self.runs + 1) * (columns * self.walkers)
        named = {"every": every, "columns": columns, "ends": self.request.method not in JUMPING}

        def rows() -> Any:
            device.reserve({"walks": 4 * every * columns})
            made, first = device.empty(every * columns, np.int32), 0
            for trail, length in recorded:
                steps, size = length // every, -(-every // LAUNCH.of(device).items)
                note.walk_rows(size, steps=steps, first=first, trail=trail, rows=made, **named)
                first += steps
            return made

        def fetch() -> npt.NDArray[np.int32]:
            with device.alone():
                return device.download(rows(), np.int32, every * columns)

        stays = self.request.walks == "device"
        return Column.on(device, offset, rows(), np.int32) if stays else Column(offset, fetch)

    def vertices(self, recorded: list[tuple[Any, int]]) -> npt.NDArray[np.int32]:
        """Download trails, whose entries are vertices, or their complements where no edge led there."""
        with self.device.alone():
            parts = [self.device.download(buffer, np.int32, length) for buffer, length in recorded]
        trail = np.concatenate([np.zeros(0, np.int32), *parts])
        return np.where(trail < 0, ~trail, trail)


GUIDES = LaunchTable(gpu=16, cpu=4096, simulator=8)  # arcs of a work-item


def guided_shares(device: Device, view: View) -> Any:
    """Return the limits of a weighted view with guides and heads, 16 bytes per arc; built once, cached."""

    def make() -> Any:
        csr = view.csr(device)
        device.reserve({"shares": 32 * csr.arcs})
        up_to, limit = device.upload(view.up_to), device.empty(max(csr.arcs, 1), np.uint64)
        run = GUIDES.of(device)
        program = device.program("sampling/literature/guides", RUN=run, **csr.defines)
        size, rows = -(-csr.arcs // run), {"n": csr.n, "arcs": csr.arcs, **csr.buffers}
        program.guides_limits(size, n=csr.n, arcs=csr.arcs, row_ptr=csr.row_ptr, up_to=up_to, limit=limit)
        shares = device.empty(2 * max(csr.arcs, 1), np.uint64)
        program.guides_build(size, **rows, limit=limit, shares=shares)
        return shares

    return view.cached(device, "guided shares", make)


# --- The shares by which a common-neighbour-aware walk goes on: host half of ``cl/.../shares.cl`` ---


def arc_shares(device: Device, view: View) -> tuple[Any, Any]:
    """Return where each arc's share of its row ends, in 2^-32, and the sum of each row; cached."""

    def make() -> tuple[Any, Any]:
        csr, items = view.csr(device), device.tuning.items
        device.reserve({"shares": 8 * (csr.arcs + csr.n)})
        limit, total = device.empty(max(csr.arcs, 1), np.uint64), device.empty(csr.n, np.uint64)
        program = device.program("sampling/literature/shares", ITEMS=items, **csr.defines)
        program.shares_sum(-(-csr.n // items), n=csr.n, **csr.buffers, limit=limit, total=total)
        return limit, total

    found: tuple[Any, Any] = view.cached(device, "shares", make)
    return found


# --- Frontier sampling: of several walkers one moves at a time ---


class Frontier(_Walkers):
    """Frontier sampling (fs): a run is a chain of moves, of whichever walker is next."""

    vertex_bytes, visited_bytes, walker_bytes = 24, 4, 20

    def __init__(self, device: Device, view: View, request: Request, seed: int, runs: int) -> None:
        # a step of each walker is as many moves as there are walkers
        super().__init__(device, view, request, seed, runs, view.num_nonisolated, moves=request.walkers)
        self.most = self.shape.moves
        self.allocate(self.batches)
        self.time, self.step = device.zeros(self.every, np.uint64), device.zeros(self.every, np.uint32)
        self.heap, self.pos = (device.zeros(self.every, np.int32) for _ in range(2))
        self.moves, self.leg_moves = (device.zeros(runs, np.uint64) for _ in range(2))
        self.counts, self.short_of = device.zeros(2, np.int32), device.empty(1, np.int32)
        self.queue = Queue(device, self.csr, runs, queue_room(self.n, self.walkers, runs), np.uint64)
        self.find_starts(pooled=False)
        self.kernels = self.program("frontier", serial=True)

    def draw(self) -> Selection:
        """Make all legs of all runs."""
        device = self.device
        move = self.kernels.frontier_move
        move = move.bind(**move.arguments_of(self))
        going = self.begin()
        while going:
            device.clear(self.counts, 2, np.int32)
            move(self.runs)
            going, wanting = device.download(self.counts, np.int32, 2).tolist()
            if wanting:
                going = self.begin()
        short = self.no_error("moves") if self.exact else ()
        return self.packed(self.batches, [f"{each} legs" for each in self.legs], [short] * self.runs)

    def begin(self) -> int:
        """Begin new legs of the runs that want one; return how many runs go on."""
        device = self.device
        self.legs += device.download(self.status, np.int32, self.runs) == LEG
        while True:
            device.clear(self.short_of, 1, np.int32)
            self.kernels.frontier_begin.launch(self, self.runs, **self.queue.args)
            if not device.download(self.short_of, np.int32, 1)[0]:
                return int(device.download(self.counts, np.int32, 1)[0])
            self.queue.refill(self.seed, self.first, self.status, LEG, lonely=False)
