"""Uniform spanning trees: host half of ``cl/sampling/literature/ust.cl`` and ``ust_cut.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.device.launch_config import LaunchTable
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import gathered, smallest
from clgraph.sampling.literature.roots import PRIORITY, Roots

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape.

    Attributes
    ----------
    rounds : int
        Rounds in which all cycles are popped at once; what is left then is popped one by one.
    units : int
        With fewer compute units to a run, cycles are popped one by one from the beginning.
    steps : int
        Steps of a run in one launch of that.
    """

    rounds: int
    units: int
    steps: int


LAUNCH = LaunchTable(
    gpu=LaunchConfig(rounds=64, units=0, steps=1 << 16),
    cpu=LaunchConfig(rounds=8, units=8, steps=1 << 24),
    simulator=LaunchConfig(rounds=2, units=0, steps=7),
)


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Trees(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    return 72 * view.n


class _Trees(Roots):
    def __init__(self, device: Device, view: View, wish: Request, seed: int, runs: int) -> None:
        super().__init__(device, wish, seed, runs)
        csr, items = view.csr(device), device.tuning.items
        device.reserve({"runs": runs * bytes_per_run(view, wish)})
        self.grow_program = device.program("sampling/literature/ust", ITEMS=items, **csr.defines)
        self.cut = device.program("sampling/literature/ust_cut", ITEMS=items)
        self.rows = csr.buffers

    def run(self) -> Drawn:
        """The trees, and what of them is taken."""
        wish, n = self.wish, self.n
        tree = self.grow()
        wanted = n if wish.target is None else min(wish.target, n)
        vertices, came = smallest(self.device, self.runs, n, self.branches(tree), wanted)
        return Drawn(vertices, came, parent=gathered(vertices, n, tree))

    def grow(self) -> Any:
        """The vertex to which each vertex's last arrow leads; roots: themselves."""
        device, program, runs = self.device, self.grow_program, self.runs
        self.find(further=not self.one_is_enough(self.n))
        tree, shown = device.empty(self.all, np.int32), self.filled(0, np.uint32)
        program.ust_show(self.passes, **self.head, **self.rows, root=self.chosen, next=tree)
        mark, jump, further = self.filled(0), self.high, self.low  # whose content has been used
        shape = LAUNCH.of(device)
        steps = {**self.head, **self.rows, "shown": shown, "next": tree}
        pop = program.ust_pop.bind(**steps, mark=mark, popped=self.count)
        rounds = shape.rounds if device.compute_units >= shape.units * runs else 0
        for _ in range(rounds):
            jump, further = self.far(tree, jump, further)
            program.ust_mark(self.passes, n=self.n, jump=jump, mark=mark)
            if not self.counted(pop, self.passes):
                return tree
        if rounds:
            jump, further = self.far(tree, jump, further)
            program.ust_hangs(self.passes, n=self.n, jump=jump, next=tree, tree=mark)
        else:
            device.copy(mark, self.chosen, 4 * self.all)
        begun, at = device.zeros(runs, np.int32), device.zeros(runs, np.int32)
        walk = program.ust_walk.bind(
            **steps, runs=runs, steps=shape.steps, tree=mark, begun=begun, at=at, left=self.count
        )
        while self.counted(walk, self.by_run):
            pass
        return tree

    def far(self, tree: Any, jump: Any, further: Any) -> tuple[Any, Any]:
        """Where n steps lead, and a spare buffer."""
        self.device.copy(jump, tree, 4 * self.all)
        for _ in range((self.n - 1).bit_length()):
            self.grow_program.ust_double(self.passes, n=self.n, jump=jump, further=further)
            jump, further = further, jump
        return jump, further

    def branches(self, tree: Any) -> Any:
        """The keys by which the vertices come: of the first vertex of each one's subtree, and depths."""
        device, cut = self.device, self.cut
        first = self.ranked(*PRIORITY)
        depth, deeper, jump, further = (device.empty(self.all, np.int32) for _ in range(4))
        cut.cut_begin(self.passes, n=self.n, next=tree, jump=jump, depth=depth)
        going = 1
        while going:
            going = self.counted(
                cut.cut_climb,
                self.passes,
                n=self.n,
                jump=jump,
                depth=depth,
                further=further,
                deeper=deeper,
                first=first,
                going=self.count,
            )
            jump, further, depth, deeper = further, jump, deeper, depth
        key = device.empty(self.all, np.uint64)
        cut.cut_keys(self.passes, n=self.n, first=first, depth=depth, key=key)
        return key
