"""The notes of samples, and runs whose samples are too small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from clgraph.errors import InputError
from clgraph.sampling.result import Sample
from clgraph.sampling.sequence import COLLAPSED


def notes_of(n: int, target: int, untouched: bool, found: int, loops: int) -> list[str]:
    """What the user should know of a sample of `found` vertices; its graph has `n` and `loops` loops."""
    notes = []
    if loops:
        notes.append(f"{loops} self-loops play no part and are not in the sample")
    if untouched:
        notes.append(
            f"the largest component has {found} of {n} vertices, not more than the "
            f"target of {target}: it is returned untouched"
        )
    elif collapse := collapsed(found, target):
        notes.append(collapse)
    return notes


def collapsed(found: int, target: int) -> str | None:
    """What to say of a sample with less than half of the vertices that were asked for."""
    return f"{COLLAPSED} to {found} of {target} vertices" if 2 * found < target else None


# --- Runs whose samples are too small, drawn again with other seeds ---


TRIES = 20  # seeds that are tried for a run

Runs = list[Sequence[Sample]]


def large_enough(
    made: Sequence[Sample], draw: Callable[[int], Sequence[Sample]], least: int, per_run: int, following: int
) -> tuple[Runs, list[str], int]:
    """Some runs; of those with a sample of fewer than `least` vertices others, which say so in their notes.

    Parameters
    ----------
    made : sequence of Sample
        Run after run, `per_run` samples each.
    draw : callable
        Gives the samples of the run with a seed.
    least, per_run : int
    following : int
        The first seed that no run has.

    Returns
    -------
    runs : list of sequences of Sample
    notes : list of str
    following : int

    Raises
    ------
    InputError
        If no seed gives samples that are large enough.
    """
    kept: Runs = []
    told: list[str] = []
    for at in range(0, len(made), per_run):
        run, notes = made[at : at + per_run], list[str]()
        while (fewest := min(each.graph.num_vertices for each in run)) < least:
            if len(notes) == TRIES:
                raise InputError(
                    f"{TRIES} seeds in a row, up to {run[0].seed}, give samples of fewer than {least} "
                    "vertices; ask for a smaller min_size or for a larger size"
                )
            notes.append(
                f"seed {run[0].seed} gave a sample of {fewest} vertices, below min_size {least}: "
                f"seed {following} was drawn instead"
            )
            run = draw(following)
            following += 1
        kept.append([replace(each, notes=(*each.notes, *notes)) for each in run] if notes else run)
        told += notes
    return kept, told, following
