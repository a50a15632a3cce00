"""The batched loop (Tariq 2018): delete a batch, keep the largest component, undo what went too far."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any, Protocol

import numpy as np

from clgraph.progress import Tell
from clgraph.sampling.copra import Copra
from clgraph.sampling.selection import Selection, marked_bytes

# --- Sizes of batches: half of the distance to the target first, then ever smaller shares (Tariq) ---


def batch_share(step: int) -> Fraction:
    """The share of the initial distance to the target that the batch `step` (from 0) covers."""
    # 3 per cent at least: halves alone would end in single deletions
    return max(Fraction(1, 2 ** (step + 1)), Fraction(3, 100))


def batch_size(step: int, excess: int, missing: int) -> int:
    """Return how many vertices the batch `step` (from 0) removes.

    Parameters
    ----------
    step : int
    excess : int
        Vertices above the target at the beginning.
    missing : int
        Vertices above the target now, at least 1.
    """
    return max(1, min(ceil(batch_share(step) * excess), missing))


class Choice(Protocol):
    """The vertices or edges that a batch deletes: lists them on the device, removes or restores them.

    Attributes
    ----------
    most : Fraction
        A batch takes at most this share of the vertices or edges left.
    """

    most: Fraction

    def remove(self, step: int, count: int, vertices: int, edges: int) -> None:
        """Choose and remove the first `count`; `vertices` and `edges` are how many are left before.

        `edges` is only used where edges are deleted.
        """

    def undo(self) -> None:
        """Put back what the last `remove` of this step took."""

    def accept(self) -> None:
        """The step is done: what was removed stays removed."""

    def removed(self) -> tuple[Any, Any, int]:
        """Vertices of the last batch, slots in their rows (None: the vertices themselves went), how many."""


class Finder:
    """Finds the component to keep.

    Attributes
    ----------
    copra : Copra
    """

    copra: Copra

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the component to keep, its size) among `live` vertices."""
        raise NotImplementedError

    def keep(self, label: Any, keep: int) -> int:
        """Remove every vertex whose label is not `keep`; returns the number of edges removed with them."""
        return self.copra.keep_component(label, keep)


class BatchedRun:
    """Samples of one graph, method and seed; for targets in decreasing order they are nested.

    Parameters
    ----------
    copra : Copra
    choice : Choice
    finder : Finder
    edges : bool
        Whether edges are deleted: batches are then larger by the ratio of edges to vertices.
    tolerance : Fraction or None
        By how many vertices a batch may fall below the target; None: 0.001 of the target.
    algorithm : str
        For `Sample.algorithm`.

    Attributes
    ----------
    iterations : int
        Batches so far.
    history : list of (int, int, int)
        Things deleted so far, vertices and edges left: at the start and after every batch, if `keep_history`
        is set (where vertices are deleted, the edges are counted only for this).
    """

    keep_history = False

    notes: tuple[str, ...] = ()

    def __init__(
        self,
        copra: Copra,
        choice: Choice,
        finder: Finder,
        *,
        edges: bool,
        tolerance: Fraction | None,
        algorithm: str,
    ) -> None:
        self._copra, self._choice, self._finder = copra, choice, finder
        self._edges, self._tolerance, self.algorithm = edges, tolerance, algorithm
        self.iterations = self._deleted = 0
        self.history: list[tuple[int, int, int]] = []

    def start(self) -> int:
        """Find the input's largest component; returns its size."""
        copra = self._copra
        copra.build()
        label, keep, self._size = self._finder.find(copra.n)
        self._live_edges = copra.arcs // 2 - self._finder.keep(label, keep)
        self._start = self._size
        self._rate = Fraction(self._live_edges, self._size) if self._edges else Fraction(1)
        self._record()
        return self._size

    def _record(self) -> None:
        if self.keep_history:
            edges = self._live_edges if self._edges else np.count_nonzero(self._copra.live_arcs()) // 2
            self.history.append((self._deleted, self._size, int(edges)))

    def shrink_to(self, target: int, progress: Tell | None = None) -> None:
        """Delete until at most `target` vertices are left; the schedule of batches starts again.

        The numbers of the batches, which key the draws, continue: no draw is used twice.
        """
        choice = self._choice
        slack = Fraction(target, 1000) if self._tolerance is None else self._tolerance
        before, excess, step = self._size, self._size - target, 0
        while self._size > target:
            if progress:
                progress(before - self._size, excess)
            things = self._live_edges if self._edges else self._size
            wanted = min(
                ceil(batch_share(step) * excess * self._rate), ceil((self._size - target) * self._rate)
            )
            count = max(1, min(wanted, things, int(things * choice.most)))
            if self._edges and count == things > 1:
                count = -(-count // 2)  # without any edge only one vertex would remain
            left = self._delete(count)
            while left[2] < target - slack and count > 1:
                choice.undo()
                count = -(-count // 2)
                left = self._delete(count)
            label, keep, self._size = left
            choice.accept()
            self._live_edges -= count if self._edges else 0
            self._live_edges -= self._finder.keep(label, keep)
            self._deleted += count
            self.iterations += 1
            step += 1
            if self._edges and self._size < self._start:
                self._rate = Fraction(self._deleted, self._start - self._size)
            self._record()

    def _delete(self, count: int) -> tuple[Any, int, int]:
        """Remove a batch and find the component to keep of what is left."""
        self._choice.remove(self.iterations, count, self._size, self._live_edges)
        return self._finder.find(self._size if self._edges else self._size - count)

    def download(self) -> Selection:
        """Return the selection of what is left."""
        copra = self._copra
        return marked_bytes(copra.device, copra.csr, copra.vertex_marks(), copra.arc_marks())
