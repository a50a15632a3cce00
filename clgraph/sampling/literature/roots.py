"""Roots of components, and vertices in an order: host half of ``cl/sampling/literature/roots.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.finder import graph_components
from clgraph.csr.sort import sort_by_key
from clgraph.sampling.literature.starts import Given

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.request import Request

NOBODY = 2**31 - 1
PRIORITY, RUN, COMPONENT, VALUE = (0, 1), 2, (3, 4), (5, 6)  # words of `roots_words`


class Roots:
    """The roots of each run: those given, or one of the largest component; the smallest of other components.

    Parameters
    ----------
    device : Device
    wish : Request
    seed, runs : int

    Attributes
    ----------
    chosen : int32 device buffer, shape (runs * n,)
        1 for roots; made by `find`.
    """

    def __init__(self, device: Device, wish: Request, seed: int, runs: int) -> None:
        self.device, self.wish, self.runs, self.n = device, wish, runs, wish.view.n
        self.all, items = runs * self.n, device.tuning.items
        self.passes, self.flat, self.by_run = (
            (-(-self.n // items), runs),
            -(-self.all // items),
            -(-runs // items),
        )
        self.head = {"n": self.n, "seed": seed}
        self.program = device.program("sampling/literature/roots", ITEMS=items)
        self.count = device.empty(1, np.int32)
        self.label = self.high = self.low = self.chosen = None

    def filled(self, value: int, kind: type = np.int32) -> Any:
        """A buffer of a value for each vertex of each run."""
        buffer = self.device.empty(self.all, kind)
        self.device.fill(buffer, kind(value), self.all)
        return buffer

    def counted(self, kernel: Any, size: Any, **arguments: Any) -> int:
        """Launch a kernel that counts something in `count`; what it has counted."""
        self.device.clear(self.count, 1, np.int32)
        kernel(size, **arguments)
        return int(self.device.download(self.count, np.int32, 1)[0])

    def one_is_enough(self, wanted: int) -> bool:
        """Whether each run begins in the largest component, which has as many vertices as are wanted."""
        if self.wish.start is not None:
            return False
        rows = self.wish.view.original.undirected.without_self_loops
        return bool(graph_components(self.device, rows).largest().size >= wanted)

    def find(self, *, further: bool = True) -> None:
        """Find them, in the components of the undirected view; `further`: those of other components, too."""
        device, program, rows = (
            self.device,
            self.program,
            self.wish.view.original.undirected.without_self_loops,
        )
        label = self.label = graph_components(device, rows).largest().label
        high = self.high = self.filled(2**32 - 1, np.uint32)
        low = self.low = self.filled(2**32 - 1, np.uint32)
        root, self.chosen = self.filled(NOBODY), self.filled(0)
        for number in range(3 if further else 0):
            program.roots_find(
                self.passes, **self.head, pass_=number, label=label, high=high, low=low, root=root
            )
        given = Given.of(device, self.wish)
        program.roots_given(
            self.by_run,
            **self.head,
            runs=self.runs,
            **given.args,
            label=label,
            high=high,
            low=low,
            root=root,
            chosen=self.chosen,
        )
        if further:
            program.roots_mark(self.passes, n=self.n, label=label, root=root, chosen=self.chosen)

    def ranked(self, *words: int, value: Any = None) -> Any:
        """The rank of each vertex within its run, by words, the least of them first; equal ones by index.

        Parameters
        ----------
        *words : int
            As `roots_words` numbers them.
        value : uint64 device buffer, shape (runs * n,), or None

        Returns
        -------
        int32 device buffer, shape (runs * n,)
        """
        device, program, place = self.device, self.program, None
        for which in (*words, RUN):
            bits = (self.runs - 1).bit_length() if which == RUN else 32
            if bits:
                word = device.empty(self.all, np.uint32)
                program.roots_words(
                    self.flat,
                    many=self.all,
                    **self.head,
                    which=which,
                    place=place,
                    label=self.label,
                    high=self.high,
                    low=self.low,
                    value=value,
                    word=word,
                )
                _, place = sort_by_key(device, word, self.all, bits, place)
        rank = device.empty(self.all, np.int32)
        program.roots_rank(self.flat, many=self.all, n=self.n, place=place, rank=rank)
        return rank
