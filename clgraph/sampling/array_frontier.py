"""The largest component of what is left in COPRA by array-frontier searches (Tariq 2018, Algorithm 5).

Host half of ``cl/sampling/array_frontier.cl``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.sampling.batched import Finder
from clgraph.sampling.copra import Copra


class ArrayFrontier(Finder):
    """A finder for the batched loop: searches one component after another until no larger one can be left.

    The thesis keeps the first component that is large enough; this keeps the largest, and of equally large
    ones the component with the smallest vertex.

    Parameters
    ----------
    copra : Copra
    hub : int
        Where the first search starts: a vertex likely to be in the largest component.
    """

    def __init__(self, copra: Copra, hub: int) -> None:
        device = copra.device
        self.copra, self.hub, self.n = copra, hub, copra.n
        self.v_start, self.v_end, self.edges = copra.v_start, copra.v_end, copra.edges
        self.label, self.frontier, self.next = (device.empty(copra.n, np.int32) for _ in range(3))
        self.found = self.smallest = device.empty(1, np.int32)
        self.program = device.program(
            "sampling/array_frontier", ITEMS=device.tuning.items, **copra.csr.defines
        )
        step = self.program.copra_bfs_step
        named = step.arguments_of(self)
        self.step = step.bind(**{name: named[name] for name in named if name not in ("frontier", "next")})

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest component, its size) among `live` vertices."""
        self.program.copra_bfs_clear.launch(self, self.copra.passes)
        # the hub is a guess at the giant component; once it is removed it belongs to none
        first = self.hub if self.copra.is_live(self.hub) else self._unreached()
        best, best_size, left, source = -1, 0, live, first
        smallest_of_best = -1
        # a component that is smaller than what is left unsearched may still be beaten
        while left > 0 and best_size <= left:
            size = self._search(source)
            left -= size
            if size > best_size:
                best, best_size = source, size
                smallest_of_best = self._smallest(source) if source == self.hub else source
            elif size == best_size and source < smallest_of_best:
                best, smallest_of_best = source, source
            if left > 0:
                source = self._unreached()
        return self.label, best, best_size

    def _search(self, source: int) -> int:
        """Label the component of `source`; returns its size."""
        device = self.copra.device
        self.program.copra_bfs_start.launch(self, 1, source=source)
        size, found = 1, 1
        while found:
            device.clear(self.found, 1, np.int32)
            self.step(self.copra.passes, source=source, frontier=self.frontier, next=self.next)
            found = int(device.download(self.found, np.int32, 1)[0])
            size += found
            self.frontier, self.next = self.next, self.frontier
        return size

    def _unreached(self) -> int:
        """The smallest live vertex that no search has reached; it is the smallest of its component."""
        device = self.copra.device
        device.fill(self.smallest, np.int32(self.n), 1)
        self.program.copra_bfs_unreached.launch(self, self.copra.passes)
        return int(device.download(self.smallest, np.int32, 1)[0])

    def _smallest(self, label: int) -> int:
        labels = self.copra.device.download(self.label, np.int32, self.n)
        return int(np.argmax(labels == label))
