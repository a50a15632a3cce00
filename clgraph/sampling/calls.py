"""The runs behind `clgraph.sample`: side by side, or one after the other; drawn again where asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from clgraph import keyed
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.methods import known
from clgraph.progress import Tell
from clgraph.run import run_on
from clgraph.sampling.methods import make_run, make_views, side_by_side, upload
from clgraph.sampling.options import (
    Size,
    check_min_size,
    check_names,
    check_seeds,
    check_sizes,
    given_options,
)
from clgraph.sampling.replicates import Replicates
from clgraph.sampling.request import Request, check_request
from clgraph.sampling.result import Sample, notes_of
from clgraph.sampling.selection import prepare_extraction
from clgraph.sampling.sequence import Batch, Samples, batch_of


def draw_samples(
    graph: Graph,
    method: str,
    size: Size | None,
    sizes: Sequence[Size] | None,
    seeds: int | None,
    options: Mapping[str, Any],
) -> Samples:
    """The samples of a graph, as `clgraph.sample` returns them; it warns of nothing.

    Parameters
    ----------
    graph : Graph
        With at least one vertex.
    method, size, sizes, seeds
        As `clgraph.sample` takes them.
    options : mapping
        The others.
    """
    if options.get("min_size") is not None:
        return _of_min_size(graph, method, size, sizes, seeds, options)
    drawing = known(method)
    if drawing is not None:
        from clgraph.sampling.literature.runs import drawn_samples

        check_names(options)
        return Samples([drawn_samples(graph, drawing, size, sizes, seeds, options)])
    how = replace(check_request(graph, method, options), given=given_options(options, sizes))
    wanted = check_sizes(graph, size, sizes, options.get("strict", False))
    first = keyed.check_seed(options.get("seed"))
    runs = check_seeds(first, seeds)

    started, progress = perf_counter(), options.get("progress")
    sections = ("pairs",) if how.exact else ()
    with run_on(options.get("device"), graph, *sections, values=True) as run:
        device, run.seconds["device"] = run.device, perf_counter() - started
        if run.blocks is not None:
            from clgraph.sampling.shards.samples import samples_of_blocks

            given = run, run.blocks, graph, how
            return Samples([samples_of_blocks(*given, first + i, wanted, progress) for i in range(runs)])
        make_views(device, graph)
        run.lap("build")
        upload(device, graph)
        run.lap("upload")
        made: list[Sequence[Sample]] = []
        if engine := side_by_side(device, graph, how, runs):
            made += _portions(engine, graph, run, how, first, runs, wanted, progress)
        else:
            for i in range(runs):
                made.append(_one_run(graph, run, how, first + i, wanted, progress))
    return Samples(made)


def _of_min_size(
    graph: Graph,
    method: str,
    size: Size | None,
    sizes: Sequence[Size] | None,
    seeds: int | None,
    options: Mapping[str, Any],
) -> Samples:
    """The same; a run with a sample of too few vertices is drawn again."""
    plain = {name: value for name, value in options.items() if name != "min_size"}
    least = check_min_size(options["min_size"], graph, method)
    made = draw_samples(graph, method, size, sizes, seeds, plain)

    def again(seed: int) -> Samples:
        return draw_samples(graph, method, size, sizes, 1, {**plain, "seed": seed})

    per_run = 1 if sizes is None else len(sizes)
    return Samples(large_enough(made, again, least, per_run, made[-1].seed + 1)[0])


def _one_run(
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
        smaller = left.sampled(graph, larger=smaller)
        device.finish()
        untouched = whole <= target
        loops = graph.undirected.num_self_loops
        told = notes_of(graph.num_vertices, target, untouched, smaller.num_vertices, loops)
        notes = (*options.idle(), *told, *run.notes)
        call.lap("result")
        made[target] = Sample(
            options.method,
            options.mode,
            size,
            target,
            seed,
            device.name,
            dict(call.seconds),
            "untouched" if untouched else run.way,
            0 if untouched else run.iterations,
            notes,
            graph,
            options.given,
            left,
            provenance=how(),
        )._with_graph(smaller)
    return [made[target]._changed(size=size) for size, target in wanted]


BRIEF = 0.2  # seconds that a launch of runs side by side should take, so that Ctrl-C is noticed


def _portions(
    engine: type[Replicates],
    graph: Graph,
    call: run_on,
    options: Request,
    first: int,
    runs: int,
    wanted: list[tuple[Size, int]],
    progress: Tell | None,
) -> list[Batch]:
    """The samples of runs side by side, in portions that take a moment each."""
    device, started = call.device, perf_counter()
    how = device.watch()
    targets = sorted({target for _, target in wanted}, reverse=True)
    several = engine(device, graph.undirected.without_self_loops, targets, options)
    seconds = {**call.seconds, "compile": perf_counter() - started}
    made: list[Batch] = []
    done, held, at_once = 0, 0, several.at_first
    while done < runs:
        count = min(at_once, several.most, runs - done)
        started = perf_counter()
        packed = several.run(first + done, count)
        held += several.bits * count
        if held > device.global_memory // 8:  # too much to stay on the device
            packed.leave()
        took = perf_counter() - started
        about = {
            "options": options.given,
            "device": device.name,
            "seconds": {**seconds, "sample": took / count},
            "algorithm": several.way,
            "provenance": how(),
        }
        made.append(batch_of(packed, graph, options, first + done, wanted, targets, about))
        done += count
        if progress:
            excess = max(0, packed.whole - targets[-1])
            progress(done * excess, runs * excess)
        if took < BRIEF / 2:  # twice as many runs take twice as long: still within BRIEF
            at_once *= 2
        elif took > 2 * BRIEF:
            at_once = max(1, at_once // 2)
    return made


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
        while (fewest := min(each.num_vertices for each in run)) < least:
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
        kept.append([each._changed(notes=(*each.notes, *notes)) for each in run] if notes else run)
        told += notes
    return kept, told, following
