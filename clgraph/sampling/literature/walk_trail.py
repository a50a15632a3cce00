"""Trails of walks that are kept: where the walkers were, in the order of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.sampling.literature.drawn import Packed
from clgraph.sampling.literature.walk_plan import BATCHES, Plan

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.wish import Wish


class Trails:
    """Those of all launches, on the device until they are looked at.

    Parameters
    ----------
    device : Device
    plan : Plan
    wish : Wish

    Attributes
    ----------
    going : bool
        Whether they are still kept.
    """

    def __init__(self, device: Device, plan: Plan, wish: Wish) -> None:
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

    def batches(self, vertices: Packed) -> Packed:
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

        return Packed(np.array([0, parts * int(vertices.offset[-1])]), count)

    def walks(self, home: Any) -> Packed:
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

        return Packed(np.arange(runs + 1) * (self.length // runs + walkers), ordered)


def _vertices(device: Device, kept: list[tuple[Any, int]]) -> npt.NDArray[np.int32]:
    with device.alone():
        pieces = [device.download(buffer, np.int32, length) for buffer, length in kept]
    trail = np.concatenate([np.zeros(0, np.int32), *pieces])
    return np.where(trail < 0, ~trail, trail)
