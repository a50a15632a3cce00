"""Random walks: host half of ``cl/sampling/literature/walk.cl`` and ``walk_note.cl``."""

from __future__ import annotations

from math import floor
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import LaunchTable
from clgraph.errors import CapacityError
from clgraph.sampling.literature.clock import NONE, device_tables
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import (
    Column,
    first_seen,
    gathered,
    marked_arcs,
    picked,
    smallest,
    visited,
    visits_of,
)
from clgraph.sampling.literature.smallest import Smallest
from clgraph.sampling.literature.walk_legs import (
    BATCHES,
    ENDING,
    LEG,
    RUNNING,
    LaunchConfig,
    Legs,
    Plan,
    no_error,
)

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
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
}
RECORDED = 1 << 24  # visits whose order one run keeps, for the error of estimates


LAUNCH = LaunchTable(
    gpu=LaunchConfig(trail=1 << 25, steps=1 << 30, items=1, lanes=256, abreast=1, noting=1, ahead=1),
    cpu=LaunchConfig(trail=1 << 20, steps=1 << 26, items=1024, lanes=1, abreast=16, noting=32, ahead=16),
    simulator=LaunchConfig(trail=256, steps=256, items=4, lanes=4, abreast=2, noting=3, ahead=3),
)


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Walks(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    each = 28 + 4 * (wish.keep == "tree")
    arcs = 4 * view.rows.num_arcs if wish.keep == "visited" else 0
    return each * view.n + arcs + (32 + 4 * counters_of(view, wish)) * wish.walkers


def counters_of(view: View, wish: Request) -> int:
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


class _Walks:
    def __init__(self, device: Device, view: View, wish: Request, seed: int, runs: int) -> None:
        self.device, self.view, self.wish, self.seed, self.runs = device, view, wish, seed, runs
        self.n, self.csr, self.wanted = view.n, view.csr(device), min(wish.target or 0, view.n)
        self.shape = LAUNCH.of(device)
        self.plan = Plan.of(wish, self.n, runs, self.shape, RECORDED)
        self.trails = Trails(device, self.plan, wish)
        self.counting = {
            "burn_in": wish.burn_in,
            "thin": wish.thin,
            "parts": self.plan.parts,
            "counted": self.plan.counted,
        }
        self.sizes = {"n": self.n, "runs": runs, "walkers": wish.walkers}
        self.seconds = 0.0
        self.ended = np.full(runs, -1, np.int64)  # visits up to the last vertex, of the runs that end by one
        self.allocate()
        self.build()

    # --- before -----------------------------------------------------------------------------------

    def allocate(self) -> None:
        device, n, runs, wish, plan = self.device, self.n, self.runs, self.wish, self.plan
        trail = plan.most * plan.all if plan.trailing else 0
        device.reserve({"runs": runs * bytes_per_run(self.view, wish), "trail": 4 * trail})
        self.table = device_tables(device)
        self.first = self.claim = self.trail = self.limit = None
        if plan.noting:
            self.first, self.claim = device.empty(runs * n, np.uint64), device.empty(runs * n, np.uint32)
            device.fill(self.first, np.uint64(NONE), runs * n)
            device.fill(self.claim, np.uint32(2**32 - 1), runs * n)
        self.visits = device.zeros(plan.parts * runs * n, np.int32)
        self.parent = device.empty(runs * n, np.int32) if wish.keep == "tree" else None
        visited = wish.keep == "visited"
        self.walked = device.zeros(runs * self.csr.arcs, np.int32) if visited else None
        if plan.trailing:
            self.trail = device.empty(trail, np.int32)
        self.place = device.empty(trail, np.int32) if visited else None
        self.origin = device.zeros(plan.all, np.int32)
        if self.view.weighted:
            self.limit = self.view.kept(device, "limits", lambda: self.view.limits)
        if wish.method == "cnarw":
            self.limit, _ = arc_shares(device, self.view)
        counters = counters_of(self.view, wish)
        self.entries = device.zeros(counters * plan.all, np.uint32) if counters else None
        self.legs = Legs(device, self.csr, plan, wish, self.seed, self.shape.items, self.shape.lanes)

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
        shape = {"ABREAST": self.plan.abreast, "AHEAD": self.plan.ahead}
        self.step = device.program(name, **variant, **shape, **csr.defines)
        self.note = device.program("sampling/literature/walk_note", ITEMS=self.shape.items, **csr.defines)

    # --- during -----------------------------------------------------------------------------------

    def run(self) -> Drawn:
        """All legs of all runs, and what came of them."""
        found = self.first, self.claim, self.parent
        steps = self.legs.begin(*found)
        while True:
            began = perf_counter()
            tally = self.launch(steps)
            self.seconds += perf_counter() - began
            steps = int(tally[4])
            if tally[LEG]:
                steps = max(steps, self.legs.begin(*found))
                tally[RUNNING] += tally[LEG]
            if not tally[RUNNING]:
                return self.pack()

    def launch(self, steps: int) -> npt.NDArray[np.int32]:
        """Some steps of all runs, at most so many; what `Legs.judge` says then."""
        device, csr, plan, legs = self.device, self.csr, self.plan, self.legs
        self.step.walk_step(
            -(-plan.all // plan.abreast),
            local=min(device.tuning.local_size, 4) if device.kind != "gpu" else None,
            **self.sizes,
            seed=self.seed,
            p=self.p,
            table=self.table,
            **csr.buffers,
            limit=self.limit,
            entries=self.entries,
            done=legs.done,
            todo=legs.todo,
            **self.counting,
            home=legs.home,
            pos=legs.pos,
            prev=legs.prev,
            from_=self.origin,
            trail=self.trail,
            place=self.place,
            visits=None if plan.noting else self.visits,
        )
        size = -(-steps * plan.all // self.shape.items)
        noted = {**self.sizes, "steps": steps, "trail": self.trail}
        if plan.noting:
            self.note.walk_note(size, **noted, made=legs.todo, claim=self.claim)
            self.note.walk_settle(
                size,
                **noted,
                made=legs.todo,
                done=legs.done,
                from_=self.origin,
                claim=self.claim,
                first=self.first,
                parent=self.parent,
                seen=legs.seen,
            )
        tally = legs.judge()
        cut = None
        if tally[ENDING]:
            ending = device.download(legs.status, np.int32, self.runs) == ENDING
            # the key of the last vertex taken
            cut = Smallest(device, self.runs, self.n).cut(self.first, np.where(ending, self.wanted - 1, -1))
            last = device.download(cut.key, np.uint64, self.runs).astype(np.int64)
            self.ended = np.where(ending, last - plan.walkers + 1, self.ended)  # starts are no visits
        if self.trails.going:
            made = int(device.download(legs.made, np.int32, self.runs).max())
            self.trails.keep(self.trail, made, None if cut is None else int(self.ended[0]))
        if plan.noting:
            self.note.walk_tally(
                size,
                **noted,
                made=legs.made,
                done=legs.done,
                status=legs.status,
                cut=None if cut is None else cut.key,
                **self.counting,
                row_ptr=csr.row_ptr,
                place=self.place,
                from_=self.origin,
                visits=self.visits,
                walked=self.walked,
            )
        legs.go_on()
        return tally

    # --- after ------------------------------------------------------------------------------------

    def pack(self) -> Drawn:
        """The sample of each run."""
        device, wish, n, runs, plan = self.device, self.wish, self.n, self.runs, self.plan
        came: Column | None
        if not plan.noting:
            vertices, came = visited(device, runs, n, plan.parts, self.visits), None
        elif plan.exact:
            vertices, came = first_seen(device, runs, n, self.first)
        else:
            vertices, came = smallest(device, runs, n, self.first, self.wanted)
        visits, batches = visits_of(vertices, n, self.visits, plan.parts)
        more: dict[str, Column] = {}
        if batches is not None:
            more["batches"] = batches
        elif self.trails.going and runs == 1 and (plan.batches > 1 or not plan.exact):
            more["batches"] = self.trails.batches(vertices)
        if wish.walks:
            more["walks"] = self.trails.walks(self.legs.home)
        if wish.method == "cnarw":
            _, total = arc_shares(device, self.view)
            more["share"] = picked(device, n, total, vertices)
        return Drawn(
            vertices,
            came,
            None,
            None if self.walked is None else marked_arcs(device, runs, self.csr.arcs, self.walked),
            None if self.parent is None else gathered(vertices, n, self.parent),
            visits,
            more,
            [(*legs, *short) for legs, short in zip(self.legs.notes(), self.no_errors(), strict=True)],
            self.legs.many,
            walking=self.seconds,
        )

    def no_errors(self) -> list[tuple[str, ...]]:
        """Of each run a note, if its estimates have no standard error."""
        plan, made = self.plan, "estimates have no standard error: the walk made"
        if plan.exact:
            return [no_error(plan.n, plan.counted, "steps")] * plan.runs
        done = self.device.download(self.legs.done, np.uint64, plan.runs).astype(np.int64)
        visits = np.where(self.ended < 0, done * plan.walkers, self.ended).tolist()
        return [
            (f"{made} {each} visits, and it takes 2",)
            if each < 2
            else (f"{made} {each} visits, and the order of at most {plan.recorded} is kept",)
            if each > plan.recorded
            else ()
            for each in visits
        ]


# --- Trails of walks that are kept: where the walkers were, in the order of steps ---


class Trails:
    """Those of all launches, on the device until they are looked at.

    Parameters
    ----------
    device : Device
    plan : Plan
    wish : Request

    Attributes
    ----------
    going : bool
        Whether they are still kept.
    """

    def __init__(self, device: Device, plan: Plan, wish: Request) -> None:
        self.device, self.plan, self.wish = device, plan, wish
        self.going = plan.recording
        self.kept: list[tuple[Any, int]] = []
        self.length = 0

    def keep(self, trail: Any, steps: int, visits: int | None) -> None:
        """Keep the trail of a launch.

        Parameters
        ----------
        trail : int32 device buffer
        steps : int
            Of the launch.
        visits : int, or None
            Of one run that ends: visits that count, from the first launch on.
        """
        device, plan = self.device, self.plan
        length = steps * plan.all
        if visits is not None:
            length = min(length, visits - self.length)
        if not self.wish.walks and self.length + length > plan.recorded:
            self.going, self.kept = False, []
            return
        self.length += length
        if plan.exact and plan.most == plan.total:  # one launch made all
            self.kept = [(trail, length)]
            return
        device.reserve({"walks": 4 * length})
        copied = device.empty(max(length, 1), np.int32)
        device.copy(copied, trail, 4 * length)
        self.kept.append((copied, length))

    def batches(self, vertices: Column) -> Column:
        """Visits by vertex in each of up to 20 consecutive parts of the walk, when they are looked at."""
        device, kept, length, plan, wish = self.device, self.kept, self.length, self.plan, self.wish
        parts = plan.batches if plan.exact else max(1, min(BATCHES, length))

        def part_of(entry: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
            if not plan.exact:
                return entry * parts // max(length, 1)
            rank, rest = np.divmod(entry // plan.walkers - wish.burn_in, wish.thin)
            return np.where((rest == wish.thin - 1) & (rank >= 0), rank * parts // plan.counted, parts)

        def count() -> npt.NDArray[np.int64]:
            steps = _vertices(device, kept)
            part, many = part_of(np.arange(length)), len(vertices.values)
            counts = part < parts
            place = np.searchsorted(vertices.values, steps[counts])
            return np.bincount(part[counts] * many + place, minlength=parts * many)

        return Column(np.array([0, parts * int(vertices.offset[-1])]), count)

    def walks(self, home: Any) -> Column:
        """Where each walker began and was after each step, run after run: (steps + 1, walkers) of each.

        Parameters
        ----------
        home : int32 device buffer, shape (runs * walkers,)
        """
        device, runs, walkers = self.device, self.plan.runs, self.plan.walkers
        kept = [(home, runs * walkers), *self.kept]

        def ordered() -> npt.NDArray[np.int32]:
            steps = _vertices(device, kept).reshape(-1, runs, walkers)
            return np.ascontiguousarray(steps.transpose(1, 0, 2)).ravel()

        return Column(np.arange(runs + 1) * (self.length // runs + walkers), ordered)


def _vertices(device: Device, kept: list[tuple[Any, int]]) -> npt.NDArray[np.int32]:
    with device.alone():
        pieces = [device.download(buffer, np.int32, length) for buffer, length in kept]
    trail = np.concatenate([np.zeros(0, np.int32), *pieces])
    return np.where(trail < 0, ~trail, trail)


# --- The shares by which a common-neighbour-aware walk goes on: host half of ``cl/.../shares.cl`` ---


def arc_shares(device: Device, view: View) -> tuple[Any, Any]:
    """Where each arc's share of its row ends, in 2^-32, and the sum of each row; kept with the rows.

    Returns
    -------
    limit : uint64 device buffer, shape (arcs,)
    total : uint64 device buffer, shape (n,)
    """

    def make() -> tuple[Any, Any]:
        csr, items = view.csr(device), device.tuning.items
        device.reserve({"shares": 8 * (csr.arcs + csr.n)})
        limit, total = device.empty(max(csr.arcs, 1), np.uint64), device.empty(csr.n, np.uint64)
        program = device.program("sampling/literature/shares", ITEMS=items, **csr.defines)
        program.shares_sum(
            -(-csr.n // items), n=csr.n, row_ptr=csr.row_ptr, col_idx=csr.col_idx, limit=limit, total=total
        )
        return limit, total

    found: tuple[Any, Any] = device.cached(view.rows, ("literature", "shares"), make)
    return found
