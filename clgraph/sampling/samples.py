"""One run through a graph: samples of decreasing size, with their notes and seconds by phase."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.progress import Tell
from clgraph.sampling.extract import extract_sample, prepare_extraction
from clgraph.sampling.methods import make_run
from clgraph.sampling.options import Size
from clgraph.sampling.request import Request
from clgraph.sampling.result import Sample
from clgraph.sampling.sequence import COLLAPSED

if TYPE_CHECKING:
    from clgraph.run import run_on


def samples_of_run(
    graph: Graph,
    call: run_on,
    options: Request,
    seed: int,
    wanted: list[tuple[Size, int]],
    progress: Tell | None,
) -> list[Sample]:
    """One run: a sample for each (size, target), in the order given."""
    device = call.device
    call.forget("compile")
    how = device.watch()
    run = make_run(device, graph, options, seed)
    prepare_extraction(device, graph, induced=options.induced)
    call.lap("compile")
    whole = run.start()
    made: dict[int, Sample] = {}
    smaller: Graph | None = None
    # the largest first: samples are nested, and an induced one is cut out of the one before
    for size, target in sorted(wanted, key=lambda pair: -pair[1]):
        if target in made:
            continue
        run.shrink_to(target, progress)
        device.finish()
        call.forget("sample", "download", "result")
        call.lap("sample")
        left = run.download()
        call.lap("download")
        smaller = extract_sample(device, graph, left, larger=smaller)
        device.finish()
        untouched = whole <= target
        loops = graph.undirected.num_self_loops
        told = notes_of(graph.num_vertices, target, untouched, smaller.num_vertices, loops)
        notes = (*options.idle(), *told, *run.notes)
        call.lap("result")
        made[target] = Sample(
            smaller,
            options.method,
            options.mode,
            size,
            target,
            seed,
            device.name,
            0 if untouched else run.iterations,
            dict(call.seconds),
            "untouched" if untouched else run.way,
            notes,
            graph,
            left,
            options=options.given,
            provenance=how(),
        )
    return [replace(made[target], size=size) for size, target in wanted]


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
