"""Where the legs of walks begin, and when they are over: host half of ``cl/.../walk_legs.cl``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.launch_config import DeviceLimits, fit_group
from clgraph.errors import CapacityError
from clgraph.sampling.literature.starts import Given, Queue, queue_room

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.sampling.request import Request


# --- How long the launches of walks are, and what is counted of them ---


BATCHES = 20
ROOM = 1 << 27  # counters of these parts
LONG = 2**62  # steps that nobody makes


def batches_of(n: int, counted: int) -> int:
    """Into how many parts a walk of fixed length is cut, for its error, if it goes alone."""
    return max(1, min(BATCHES, ROOM // n)) if counted >= BATCHES else 1


def no_error(n: int, counted: int, what: str) -> tuple[str, ...]:
    """A note, if estimates from a walk of fixed length, counted in steps or moves, have no standard error."""
    if counted < BATCHES:
        return (f"estimates have no standard error: {counted} {what} count, and it takes {BATCHES}",)
    if batches_of(n, counted) == 1:
        return (f"estimates have no standard error: visits to {n} vertices are not counted in parts",)
    return ()


@dataclass(frozen=True)
class LaunchConfig:
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

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        return replace(self, lanes=fit_group(self.lanes, device, each=4))


@dataclass(frozen=True)
class Plan:
    """What is settled before the first launch.

    Attributes
    ----------
    n, runs, walkers : int
    exact : bool
        Whether the number of steps is given.
    total : int
        Steps of a walker, at most.
    noting : bool
        Whether it matters when a vertex is seen, how often up to there, or by which edges: else visits are
        all that counts.
    counted : int
        Visits of a walker that count, at least 1.
    batches : int
        Parts of the walk, for the error of estimates.
    recording : bool
        Whether trails are kept, if they are short: those asked for, and those that tell the batches.
    recorded : int
        Visits whose order is kept, at most, unless it is asked for.
    parts : int
        Parts of the walk that have counters.
    trailing : bool
        Whether launches write trails.
    abreast, ahead : int
        Walkers of a work-item, and steps for which numbers are made at once.
    most : int
        Steps of a launch.
    """

    n: int
    runs: int
    walkers: int
    exact: bool
    total: int
    noting: bool
    counted: int
    batches: int
    recording: bool
    recorded: int
    parts: int
    trailing: bool
    abreast: int
    ahead: int
    most: int

    @property
    def all(self) -> int:
        """Walkers of all runs."""
        return self.runs * self.walkers

    @staticmethod
    def of(wish: Request, n: int, runs: int, shape: LaunchConfig, recorded: int) -> Plan:
        """The plan for a wish.

        Raises
        ------
        CapacityError
            If a trail of one step is too long.
        """
        walkers, every = wish.walkers, runs * wish.walkers
        exact = wish.steps is not None
        total = LONG if wish.steps is None else wish.steps
        noting = not exact or wish.keep != "induced"
        counted = 0 if wish.steps is None else (wish.steps - wish.burn_in) // wish.thin
        # of several runs, a run whose error is asked for is walked again, alone (`Sample`)
        batches = batches_of(n, counted) if runs == 1 else 1
        brief = runs == 1 and (not exact or (batches > 1 and total * walkers <= recorded))
        recording = wish.walks or brief
        trailing = noting or recording
        abreast = shape.noting if noting else shape.abreast
        abreast = abreast if every >= 2 * abreast else 1
        longest = min(1 << 16, total, (1 << 32) // walkers - 2)
        most = max(1, min(longest, (shape.trail if trailing else shape.steps) // every))
        if every * most > 2**31 - 1:
            raise CapacityError(f"{every} walkers side by side: at most {2**31 - 1} have room in a trail")
        return Plan(
            n=n,
            runs=runs,
            walkers=walkers,
            exact=exact,
            total=total,
            noting=noting,
            counted=max(counted, 1),
            batches=batches,
            recording=recording,
            recorded=recorded,
            parts=1 if recording else batches,
            trailing=trailing,
            abreast=abreast,
            ahead=shape.ahead if abreast == 1 else 1,
            most=most,
        )


RUNNING, LEG, OVER, ENDING = range(4)


class Legs:
    """The legs of all runs.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
    plan : Plan
    wish : Request
    seed : int
    items, lanes : int
        Of the launch shape.

    Attributes
    ----------
    home, pos, prev : int32 device buffers, shape (runs * walkers,)
        Where each walker started, is, and was.
    done, todo, made : device buffers, shape (runs,)
        Steps before this launch (uint64), in the next one, and in the last one that was judged (int32).
    status, seen : int32 device buffers, shape (runs,)
        What goes on, and vertices seen.
    many : int64 array, shape (runs,)
        Legs so far.
    """

    def __init__(
        self, device: Device, csr: DeviceCSR, plan: Plan, wish: Request, seed: int, items: int, lanes: int
    ) -> None:
        self.device, self.plan, self.wish, self.seed = device, plan, wish, seed
        self.items, self.lanes = items, lanes
        n, runs = plan.n, plan.runs
        self.home, self.pos, self.prev = (device.zeros(plan.all, np.int32) for _ in range(3))
        zeros = [device.zeros(runs, np.int32) for _ in range(5)]
        self.todo, self.made, self.seen, self.leg_seen, self.chosen = zeros
        self.done, self.leg_begin, self.boundary = (device.zeros(runs, np.uint64) for _ in range(3))
        self.status, self.target = (device.empty(runs, np.int32) for _ in range(2))
        device.fill(self.status, np.int32(LEG), runs)
        target = 2**31 - 1 if wish.target is None else min(wish.target, n)
        device.fill(self.target, np.int32(target), runs)
        self.tally = device.empty(5, np.int32)
        self.short, self.longest = device.empty(1, np.int32), device.empty(1, np.int32)
        # enough for one leg, or more
        room = min(n, plan.walkers) if plan.exact else queue_room(n, plan.walkers, runs)
        self.queue, self.given = Queue(device, csr, runs, room), Given.of(device, wish)
        self.many, self.first_seen = np.zeros(runs, np.int64), np.zeros(runs, np.int64)
        self.program = device.program("sampling/literature/walk_legs", ITEMS=items, LANES=lanes)
        self.by_run = -(-runs // items)
        self.state = {
            "runs": runs,
            "walkers": plan.walkers,
            "most": plan.most,
            "patience": 2**40 if plan.exact else wish.patience,
            "total": plan.total,
            "target": self.target,
            "seen": self.seen,
            "leg_seen": self.leg_seen,
            "leg_begin": self.leg_begin,
            "boundary": self.boundary,
            "done": self.done,
            "todo": self.todo,
            "status": self.status,
        }

    def begin(self, first: Any, claim: Any, parent: Any) -> int:
        """New legs of the runs that want one; the most steps that one makes in the next launch.

        Parameters
        ----------
        first, claim, parent : device buffers, or None
            Of the vertices: see ``walk_note.cl``.
        """
        device, program, plan = self.device, self.program, self.plan
        before = device.download(self.status, np.int32, plan.runs) == LEG
        seen = device.download(self.seen, np.int32, plan.runs)
        self.first_seen = np.where(before & (self.many == 1), seen, self.first_seen)
        self.many += before
        by_walker = -(-plan.all // self.items)
        device.clear(self.longest, 1, np.int32)
        while True:
            device.clear(self.short, 1, np.int32)
            program.legs_choose.exact(
                (self.lanes, plan.runs),
                local=(self.lanes, 1),
                n=plan.n,
                walkers=plan.walkers,
                seed=self.seed,
                **self.given.args,
                **self.queue.args,
                done=self.done,
                status=self.status,
                claim=claim,
                seen=self.seen,
                leg_seen=self.leg_seen,
                home=self.home,
                chosen=self.chosen,
                short_of=self.short,
            )
            begun = {
                "n": plan.n,
                "runs": plan.runs,
                "walkers": plan.walkers,
                "chosen": self.chosen,
                "home": self.home,
                "claim": claim,
            }
            program.legs_set(by_walker, **begun, pos=self.pos, prev=self.prev)
            if claim is not None:
                program.legs_settle(
                    by_walker, **begun, done=self.done, first=first, parent=parent, seen=self.seen
                )
            program.legs_run(
                self.by_run,
                **self.state,
                gap=LONG if plan.exact else 64,
                chosen=self.chosen,
                longest=self.longest,
            )
            if not device.download(self.short, np.int32, 1)[0]:
                return int(device.download(self.longest, np.int32, 1)[0])
            self.queue.refill(self.seed, claim, self.status, LEG)

    def judge(self) -> npt.NDArray[np.int32]:
        """After a launch: how many runs go on, want a leg, are over, end just now; steps of the next one."""
        device = self.device
        device.clear(self.tally, 5, np.int32)
        self.program.legs_judge(self.by_run, **self.state, made=self.made, tally=self.tally)
        return device.download(self.tally, np.int32, 5)

    def go_on(self) -> None:
        """Past the launch that was judged."""
        self.program.legs_go_on(self.by_run, runs=self.plan.runs, made=self.made, done=self.done)

    def notes(self) -> list[tuple[str, ...]]:
        """Of each run: its legs."""
        made: list[tuple[str, ...]] = []
        for legs, first in zip(self.many.tolist(), self.first_seen.tolist(), strict=True):
            told = f"{legs} legs: {first} vertices came in the first, the others after new starts"
            made.append((told,) if legs > 1 else ())
        return made
