"""Runs whose samples are too small, drawn again with other seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from clgraph.errors import InputError
from clgraph.sampling.result import Sample

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
