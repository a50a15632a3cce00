"""The runs behind `clgraph.sample`: side by side, or one after the other; drawn again where asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

from clgraph import keyed
from clgraph.graph import Graph
from clgraph.methods import known
from clgraph.run import run_on
from clgraph.sampling.methods import make_views, upload
from clgraph.sampling.options import (
    Size,
    check_min_size,
    check_names,
    check_seeds,
    check_sizes,
    given_options,
)
from clgraph.sampling.replicates import run_replicates, side_by_side
from clgraph.sampling.request import check_request
from clgraph.sampling.result import Sample
from clgraph.sampling.samples import large_enough, samples_of_run
from clgraph.sampling.sequence import Samples


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
    plain: dict[str, Any] = {name: value for name, value in options.items() if name != "min_size"}
    if options.get("min_size") is None:
        return _drawn(graph, method, size, sizes, seeds, plain)
    least = check_min_size(options["min_size"], graph, method)
    made = _drawn(graph, method, size, sizes, seeds, plain)

    def again(seed: int) -> Samples:
        return _drawn(graph, method, size, sizes, 1, {**plain, "seed": seed})

    per_run = 1 if sizes is None else len(sizes)
    return Samples(large_enough(made, again, least, per_run, made[-1].seed + 1)[0])


def _drawn(
    graph: Graph,
    method: str,
    size: Size | None,
    sizes: Sequence[Size] | None,
    seeds: int | None,
    options: dict[str, Any],
) -> Samples:
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
            from clgraph.sampling.shards.held import samples_of_blocks

            given = run, run.blocks, graph, how
            return Samples([samples_of_blocks(*given, first + i, wanted, progress) for i in range(runs)])
        make_views(device, graph)
        run.lap("build")
        upload(device, graph)
        run.lap("upload")
        made: list[Sequence[Sample]] = []
        if side_by_side(device, graph, how, runs):
            made += run_replicates(graph, run, how, first, runs, wanted, progress)
        else:
            for i in range(runs):
                made.append(samples_of_run(graph, run, how, first + i, wanted, progress))
    return Samples(made)
