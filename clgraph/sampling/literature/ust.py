"""Uniform spanning trees: host half of ``cl/sampling/literature/ust.cl`` and ``ust_cut.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.kept import graph_components
from clgraph.csr.sort import sort_by_key
from clgraph.device.shapes import Shapes
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import Listed
from clgraph.sampling.literature.starts import Given

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.arguments import Wish
    from clgraph.sampling.literature.view import View

NOBODY = 2**31 - 1


@dataclass(frozen=True)
class Shape:
    """Launch shape.

    Attributes
    ----------
    rounds : int
        Rounds in which all cycles are popped at once; what is left then is popped one by one.
    steps : int
        Steps of a run in one launch of that.
    """

    rounds: int
    steps: int


SHAPES = Shapes(
    gpu=Shape(rounds=64, steps=1 << 16),
    cpu=Shape(rounds=8, steps=1 << 24),
    simulator=Shape(rounds=2, steps=7),
)


def draw(device: Device, view: View, wish: Wish, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Trees(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Wish) -> int:
    """Device memory that one run takes, roughly."""
    return 68 * view.n


class _Trees:
    def __init__(self, device: Device, view: View, wish: Wish, seed: int, runs: int) -> None:
        self.device, self.wish, self.runs, self.seed = device, wish, runs, seed
        self.view, self.n, self.csr = view, view.n, view.csr(device)
        self.all, items = runs * self.n, device.tuning.items
        device.reserve({"runs": runs * bytes_per_run(view, wish)})
        self.passes, self.flat = (-(-self.n // items), runs), -(-self.all // items)
        self.size, self.head = np.int32(self.n), (np.int32(self.n), np.uint64(seed))
        self.program = device.program("sampling/literature/ust", ITEMS=items, **self.csr.defines)
        self.cut = device.program("sampling/literature/ust_cut", ITEMS=items)
        self.rows = self.csr.row_ptr, self.csr.col_idx
        self.count = device.empty(1, np.int32)

    def filled(self, value: Any) -> Any:
        buffer = self.device.empty(self.all, type(value))
        self.device.fill(buffer, value, self.all)
        return buffer

    def counted(self, kernel: Any, size: Any, *arguments: Any) -> int:
        """Launch a kernel that counts something; the count."""
        self.device.fill(self.count, np.int32(0), 1)
        kernel(size, *arguments, self.count)
        return int(self.device.download(self.count, np.int32, 1)[0])

    def run(self) -> Drawn:
        """The trees, and what of them is taken."""
        wish, n = self.wish, self.n
        tree = self.grow()
        wanted = n if wish.target is None else min(wish.target, n)
        listed = Listed.smallest(self.device, self.runs, n, self.ranked(tree), wanted)
        parent = listed.gathered(tree)
        return Drawn(listed.vertices, listed.keys, parent=parent, listed=listed)

    def grow(self) -> Any:
        """The vertex to which each vertex's last arrow leads; roots: themselves."""
        device, program, runs = self.device, self.program, self.runs
        label = graph_components(device, self.view.rows).largest().label
        high, low = self.filled(np.uint32(2**32 - 1)), self.filled(np.uint32(2**32 - 1))
        root, tree = self.filled(np.int32(NOBODY)), self.filled(np.int32(-1))
        for number in range(3):
            program.ust_roots(self.passes, *self.head, np.int32(number), label, high, low, root)
        given = Given.of(device, self.wish)
        by_run = -(-runs // device.tuning.items)
        seed = np.uint64(self.seed)
        program.ust_given(by_run, self.size, np.int32(runs), seed, *given.args, label, root, tree)
        program.ust_show(self.passes, *self.head, *self.rows, label, root, tree)
        shown, mark = self.filled(np.uint32(0)), self.filled(np.int32(0))
        jump, further = high, low  # whose content has been used
        for _ in range(SHAPES.of(device).rounds):
            jump, further = self.far(tree, jump, further)
            program.ust_mark(self.passes, self.size, jump, mark)
            if not self.counted(program.ust_pop, self.passes, *self.head, *self.rows, mark, shown, tree):
                return tree
        jump, further = self.far(tree, jump, further)
        program.ust_hangs(self.passes, self.size, jump, tree, mark)
        begun, at = device.zeros(runs, np.int32), device.zeros(runs, np.int32)
        steps = np.int32(SHAPES.of(device).steps)
        head = self.size, np.int32(runs), seed, steps, *self.rows
        while self.counted(program.ust_walk, by_run, *head, mark, shown, tree, begun, at):
            pass
        return tree

    def far(self, tree: Any, jump: Any, further: Any) -> tuple[Any, Any]:
        """Where n steps lead, and a spare buffer."""
        self.device.copy(jump, tree, 4 * self.all)
        for _ in range((self.n - 1).bit_length()):
            self.program.ust_double(self.passes, self.size, jump, further)
            jump, further = further, jump
        return jump, further

    def ranked(self, tree: Any) -> Any:
        """The keys by which the vertices come: of the first vertex of each one's subtree, and depths."""
        device, cut, runs = self.device, self.cut, self.runs
        many, place = np.int32(self.all), None
        for shift, bits in ((0, 32), (32, 32), (64, (runs - 1).bit_length())):
            if bits:
                word = device.empty(self.all, np.uint32)
                cut.cut_words(self.flat, many, *self.head, np.int32(shift), place, word)
                _, place = sort_by_key(device, word, self.all, bits, place)
        first, depth, deeper, jump, further = (device.empty(self.all, np.int32) for _ in range(5))
        cut.cut_rank(self.flat, many, self.size, place, first)
        cut.cut_begin(self.passes, self.size, tree, jump, depth)
        going = 1
        while going:
            steps = self.size, jump, depth, further, deeper, first
            going = self.counted(cut.cut_climb, self.passes, *steps)
            jump, further, depth, deeper = further, jump, deeper, depth
        key = device.empty(self.all, np.uint64)
        cut.cut_keys(self.passes, self.size, first, depth, key)
        return key
