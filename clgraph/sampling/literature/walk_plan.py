"""How long the launches of walks are, and what is counted of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clgraph.device.shapes import OfKind, fitting
from clgraph.errors import CapacityError

if TYPE_CHECKING:
    from clgraph.sampling.literature.wish import Wish

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
    def of(wish: Wish, n: int, runs: int, shape: Shape, recorded: int) -> Plan:
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
        # of several runs, a run whose error is asked for is walked again, alone (`DrawnSample`)
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
