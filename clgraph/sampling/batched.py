"""The batched loop (Tariq 2018): delete a batch, keep the largest component, undo where that was too much."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import Any, Protocol

from clgraph.copra import Copra

Progress = Callable[[int, int], None]


class Choice(Protocol):
    """Which things a batch deletes: lists them on the device, removes them from COPRA, can take that back."""

    def remove(self, step: int, count: int, live: int) -> None:
        """Choose the first `count` of `live` things and remove them."""

    def undo(self) -> None:
        """Put back what the last `remove` of this step took."""

    def accept(self) -> None:
        """The step is done: what was removed stays so."""


class Finder(Protocol):
    """How the largest component is found."""

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest component, its size) among `live` vertices."""


def run(
    copra: Copra,
    choice: Choice,
    finder: Finder,
    *,
    target: int,
    slack: Fraction,
    edges: bool,
    progress: Progress | None = None,
) -> int:
    """Delete until the largest component has at most `target` vertices.

    Parameters
    ----------
    edges : bool
        Whether the things deleted are edges: batches are then larger by the rate of edges to vertices.

    Returns
    -------
    iterations : int
        Batches.
    """
    label, keep, size = finder.find(copra.n)
    lost = copra.keep_component(label, keep)
    live_edges = copra.arcs // 2 - lost
    start, excess = size, size - target
    rate = Fraction(live_edges, start) if edges else Fraction(1)
    step = deleted = 0
    while size > target:
        if progress:
            progress(start - size, excess)
        share = max(Fraction(1, 2 ** (step + 1)), Fraction(3, 100))
        things = live_edges if edges else size
        count = min(max(1, min(ceil(share * excess * rate), ceil((size - target) * rate))), things)
        if edges and count == things > 1:
            count = -(-count // 2)  # without any edge one vertex would be left
        left = _delete(choice, finder, step, count, things, size, edges)
        while left[2] < target - slack and count > 1:
            choice.undo()
            count = -(-count // 2)
            left = _delete(choice, finder, step, count, things, size, edges)
        label, keep, size = left
        choice.accept()
        live_edges -= count if edges else 0
        live_edges -= copra.keep_component(label, keep)
        deleted += count
        step += 1
        if edges and size < start:
            rate = Fraction(deleted, start - size)
    return step


def _delete(
    choice: Choice, finder: Finder, step: int, count: int, things: int, size: int, edges: bool
) -> tuple[Any, int, int]:
    """Remove a batch and find the largest component of what is left."""
    choice.remove(step, count, things)
    return finder.find(size if edges else size - count)
