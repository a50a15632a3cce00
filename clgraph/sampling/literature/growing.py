"""Samples that grow from roots: first passage (diffusion), expansion (xsn), and uniform spanning trees (ust).

Host half of ``cl/sampling/literature/roots.cl``, ``diffusion.cl``, ``expansion.cl`` and ``ust.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.finder import graph_components
from clgraph.device.launch_config import LaunchTable
from clgraph.sampling.literature.engine import (
    COMPONENT,
    NOBODY,
    PRIORITY,
    RUN,
    UNSEEN,
    VALUE,
    Engine,
    died_out,
)
from clgraph.sampling.literature.selection import gathered
from clgraph.sampling.literature.smallest import smallest
from clgraph.sampling.literature.view import NONE, View
from clgraph.sampling.selection import Selection

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.request import Request


@dataclass(frozen=True)
class LaunchConfig:
    """Launch configuration.

    Attributes
    ----------
    acts : int
        Of expansion: vertices that a run takes in one launch.
    rounds : int
        Of trees: rounds in which all cycles are popped at once; what is left then is popped one by one.
    units : int
        With fewer compute units to a run, cycles are popped one by one from the beginning.
    steps : int
        Steps of a run in one launch of that.
    """

    acts: int
    rounds: int
    units: int
    steps: int


LAUNCH = LaunchTable(
    gpu=LaunchConfig(acts=512, rounds=64, units=0, steps=1 << 16),
    cpu=LaunchConfig(acts=1 << 16, rounds=8, units=8, steps=1 << 24),
    simulator=LaunchConfig(acts=3, rounds=2, units=0, steps=7),
)


class Roots(Engine):
    """The roots of each run: those given, or one of the largest component; the smallest of other components.

    Attributes
    ----------
    wanted : int
    root : int32 device buffer, shape (all,)
        1 for roots; made by `find`.
    """

    def __init__(self, device: Device, view: View, request: Request, seed: int, runs: int) -> None:
        super().__init__(device, view, request, seed, runs)
        self.wanted = self.n if request.target is None else min(request.target, self.n)
        self.reserve()

    def find(self) -> bool:
        """Find them; return whether other components than the one in which a run begins have some, too.

        They need none if that is the largest component, and has as many vertices as are wanted.
        """
        rows = self.view.original.undirected.without_self_loops
        largest = graph_components(self.device, rows).largest()
        further = self.request.start is not None or largest.size < self.wanted
        program, self.label = self.program("roots"), largest.label
        self.high, self.low = self.filled(UNSEEN, np.uint32), self.filled(UNSEEN, np.uint32)
        smallest_of, self.root = self.filled(NOBODY), self.filled(0)
        for number in range(3 if further else 0):
            program.roots_find.launch(self, self.passes, pass_=number, root=smallest_of)
        self.find_starts()
        program.roots_given.launch(self, self.flat(self.runs), root=smallest_of, chosen=self.root)
        if further:
            program.roots_mark.launch(self, self.passes, root=smallest_of, chosen=self.root)
        return further

    def grown(self, key: Any, parent: Any) -> Selection:
        """Return the vertices of smallest keys, with their parents, if there are any."""
        vertices, came = smallest(self.device, self.runs, self.n, key, self.wanted)
        return Selection(vertices, came, parent=self.gathered(vertices, parent))


class Diffusion(Roots):
    """Diffusion as first passage: vertices in order of their distances, component after component."""

    vertex_bytes, arc_bytes = 64, 4

    def draw(self) -> Selection:
        """Draw all runs."""
        device, passing = self.device, self.program("diffusion")
        self.wait = device.empty(self.runs * self.arcs, np.uint32)
        further = self.find()
        passing.diffusion_waits.launch(self, self.passes)
        key = time = self.distances(passing)
        if further:
            rank = self.ranks(self.sorted(*VALUE, *COMPONENT, RUN, value=time))
            key = device.empty(self.all, np.uint64)
            passing.diffusion_keys.launch(self, self.passes, rank=rank, key=key)
        parent = None
        if self.request.keep == "tree":
            parent = device.empty(self.all, np.int32)
            passing.diffusion_parents.launch(self, self.passes, time=time, parent=parent)
        drawn = self.grown(key, parent)
        roots = gathered(drawn.vertices, self.n, self.root)
        starts = np.array([roots.of(run).sum() for run in range(self.runs)], np.int64)
        return died_out(drawn, starts - len(set(self.request.start or (0,))))

    def distances(self, passing: Any) -> Any:
        """Find the distance of each vertex from the root nearest to it."""
        time, later = (self.device.empty(self.all, np.uint64) for _ in range(2))
        passing.diffusion_begin.launch(self, self.passes, time=time)
        while self.counting(passing.diffusion_pass, self.passes, time=time, later=later):
            time, later = later, time
        return time


class Expansion(Roots):
    """Expansion snowball sampling (xsn): a run is a chain, which takes the best vertex from a heap."""

    vertex_bytes = 56

    def draw(self) -> Selection:
        """Draw all runs."""
        device, runs, request = self.device, self.runs, self.request
        self.rank = self.ranks(self.sorted(*PRIORITY, RUN))
        self.by_rank, self.gain, self.heap, self.held = (device.empty(self.all, np.int32) for _ in range(4))
        self.state, self.came = self.filled(0), self.filled(NONE, np.uint64)
        self.parent = device.empty(self.all, np.int32) if request.keep == "tree" else None
        self.size, self.seen, self.next, self.tries = (device.zeros(runs, np.int32) for _ in range(4))
        self.program("expansion").expansion_begin.launch(self, self.passes)
        self.find_starts()
        self.acts, self.target = LAUNCH.of(device).acts, self.wanted
        grow = self.program("expansion", serial=True).expansion_grow
        grow = grow.bind(**grow.arguments_of(self))
        while self.counting(grow, runs):
            pass
        begun = device.download(self.tries, np.int32, runs).astype(np.int64)
        return died_out(self.grown(self.came, self.parent), begun - len(request.start or (0,)))


class Trees(Roots):
    """Uniform spanning trees: cycles of arrows are popped, all at once, then one by one."""

    vertex_bytes = 72

    def draw(self) -> Selection:
        """Grow the trees; what is taken of them are branches, until there are enough vertices."""
        # a tree spans all vertices, whatever is wanted of it
        wanted, self.wanted = self.wanted, self.n
        tree = self.grow()
        key, self.wanted = self.branches(tree), wanted
        return self.grown(key, tree)

    def grow(self) -> Any:
        """Return the vertex to which each vertex's last arrow leads; roots: themselves."""
        device, program, shape = self.device, self.program("ust"), LAUNCH.of(self.device)
        self.find()
        self.next, self.shown = device.empty(self.all, np.int32), self.filled(0, np.uint32)
        program.ust_show.launch(self, self.passes)
        # whose content has been used
        self.mark, jump, further = self.filled(0), self.high, self.low
        # rounds of all cycles at once pay off only where the device has units for them
        rounds = shape.rounds if device.compute_units >= shape.units * self.runs else 0
        for _ in range(rounds):
            jump, further = self.far(program, jump, further)
            program.ust_mark.launch(self, self.passes, jump=jump)
            if not self.counting(program.ust_pop, self.passes):
                return self.next
        if rounds:
            jump, further = self.far(program, jump, further)
            program.ust_hangs.launch(self, self.passes, jump=jump, tree=self.mark)
        else:
            device.copy(self.mark, self.root, 4 * self.all)
        self.begun, self.at = (device.zeros(self.runs, np.int32) for _ in range(2))
        while self.counting(program.ust_walk, self.flat(self.runs), steps=shape.steps, tree=self.mark):
            pass
        return self.next

    def far(self, program: Any, jump: Any, further: Any) -> tuple[Any, Any]:
        """Return where n steps lead, and a spare buffer."""
        self.device.copy(jump, self.next, 4 * self.all)
        for _ in range((self.n - 1).bit_length()):
            program.ust_double.launch(self, self.passes, jump=jump, further=further)
            jump, further = further, jump
        return jump, further

    def branches(self, tree: Any) -> Any:
        """Return the keys by which vertices come: the first vertex of each one's subtree, and its depth."""
        device = self.device
        cut = self.program("ust")
        self.first = self.ranks(self.sorted(*PRIORITY, RUN))
        depth, deeper, jump, further = (device.empty(self.all, np.int32) for _ in range(4))
        cut.cut_begin.launch(self, self.passes, next=tree, jump=jump, depth=depth)
        going = 1
        while going:
            buffers = {"jump": jump, "depth": depth, "further": further, "deeper": deeper}
            going = self.counting(cut.cut_climb, self.passes, **buffers)
            jump, further, depth, deeper = further, jump, deeper, depth
        key = device.empty(self.all, np.uint64)
        cut.cut_keys.launch(self, self.passes, depth=depth, key=key)
        return key
