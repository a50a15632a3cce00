"""The largest component of what is left in COPRA by array-frontier searches (Tariq 2018, Algorithm 5).

Host half of ``cl/sampling/array_frontier.cl``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.sampling.copra import Copra


class ArrayFrontier:
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
        self._copra, self._hub = copra, hub
        self._program = device.program(
            "sampling/array_frontier", ITEMS=device.tuning.items, **copra.csr.defines
        )
        self._label = device.empty(copra.n, np.int32)
        self._frontier = device.empty(copra.n, np.int32)
        self._next = device.empty(copra.n, np.int32)
        self._word = device.empty(1, np.int32)
        self._passes = -(-copra.n // device.tuning.items)
        self._step = self._program.copra_bfs_step.bind(
            n=copra.n, **copra.slots_of, label=self._label, found=self._word
        )

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest component, its size) among `live` vertices."""
        self._program.copra_bfs_clear(
            self._passes, n=self._copra.n, label=self._label, frontier=self._frontier, next=self._next
        )
        # the hub is a guess at the giant component; once it is removed it belongs to none
        first = self._hub if self._is_live(self._hub) else self._unreached()
        best, best_size, left, source = -1, 0, live, first
        smallest_of_best = -1
        while left > 0 and best_size <= left:
            size = self._search(source)
            left -= size
            if size > best_size:
                best, best_size = source, size
                smallest_of_best = self._smallest(source) if source == self._hub else source
            elif size == best_size and source < smallest_of_best:
                best, smallest_of_best = source, source
            if left > 0:
                source = self._unreached()
        return self._label, best, best_size

    def keep(self, label: Any, keep: int) -> int:
        """Remove every vertex whose label is not `keep`; returns the number of edges removed with them."""
        return self._copra.keep_component(label, keep)

    def _is_live(self, vertex: int) -> bool:
        start = self._copra.device.download(self._copra.v_start, self._copra.offset, 1, offset=vertex)
        return bool(start[0] >= 0)

    def _search(self, source: int) -> int:
        """Label the component of `source`; returns its size."""
        device = self._copra.device
        self._program.copra_bfs_start(1, source=source, label=self._label, frontier=self._frontier)
        size, found = 1, 1
        while found:
            device.clear(self._word, 1, np.int32)
            self._step(self._passes, source=source, frontier=self._frontier, next=self._next)
            found = int(device.download(self._word, np.int32, 1)[0])
            size += found
            self._frontier, self._next = self._next, self._frontier
        return size

    def _unreached(self) -> int:
        """The smallest live vertex that no search has reached; it is the smallest of its component."""
        copra, device = self._copra, self._copra.device
        device.fill(self._word, np.int32(copra.n), 1)
        self._program.copra_bfs_unreached(
            self._passes, n=copra.n, v_start=copra.v_start, label=self._label, smallest=self._word
        )
        return int(device.download(self._word, np.int32, 1)[0])

    def _smallest(self, label: int) -> int:
        labels = self._copra.device.download(self._label, np.int32, self._copra.n)
        return int(np.argmax(labels == label))
