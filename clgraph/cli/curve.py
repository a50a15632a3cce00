"""``clgraph curve``: what a reduction leaves after each number of deletions."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.command import Command, Run, direction, edges_word, fields_of, table_of
from clgraph.cli.forest import saved_forest, work_folder
from clgraph.cli.options import MethodName, forest_options, on_graph, option, table_option
from clgraph.cli.outputs import check_drawn, check_without_graph, seeds_of
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.sampling.curve import ReductionCurve, ReductionCurves
    from clgraph.scale import Shards

POINTS_MAX = 10_000  # rows of a table for people; a file has them all


@click.command(cls=Command)
@option("--method", "Method: drv, dre, drve, dhyb, cre or crve.", MethodName(drawing=False), "drv")
@option("--seed", "0 .. 2^64-1 (default: drawn and printed).", int)
@option("--seeds", "Number of runs; of several, the table has mean and 95 % interval.", int, 1)
@option("--size", "Size at which to stop: a count, or a share of the vertices.", default="1")
@option("--mode", "auto (exact where it exists), exact or batched.", default="auto")
@option("--mix", "dhyb: probability of a drve step (default: 0.8).")
@option("--points", "Number of rows of the table.", int, 20)
@option("--plot PICTURE", "Draw the curves (.png, .svg or .pdf; needs matplotlib).")
@option("--columns", "Draw for print: as wide as 1 or 2 columns of a journal (3.3 or 7 inch).", ["1", "2"])
@table_option("Print the table for a paper, with 95 % intervals.")
@forest_options
@on_graph("Write every row of every curve as CSV.", energy=False)
def curve(run: Run) -> None:
    """Show vertices, edges and average degree of GRAPH while it is reduced.

    \b
    clgraph curve internet.txt --method dre --seeds 5 --plot curve.png
    """
    from clgraph.arguments import parse_size

    given = run.options
    options: dict[str, Any] = {name: getattr(given, name) for name in ("size", "mode", "mix")}
    method = check_without_graph(given.method, {"mode": given.mode, "mix": given.mix})
    parse_size(given.size)
    if not 1 <= given.points <= POINTS_MAX:
        raise InputError(
            f"--points {given.points}: give a count of rows, 1 to {POINTS_MAX} (-o has every row)"
        )
    seeds = seeds_of(given.seed, given.seeds)
    if given.plot:
        check_drawn("--plot", given.plot, otherwise="leave it out and take -o OUT")
    elif given.columns:
        raise InputError("--columns is for --plot PICTURE, which is not given")
    run.check_output()
    if not run.of_shards:
        run.only_datasets(forest=given.forest, resume=given.resume)
    saved, method, seed = saved_forest(run, given.forest, method, given.seed)
    refused = {"mode": given.mode == "batched", "mix": given.mix}
    with run.data("curve", {"method": method}, **refused) as data:
        if run.of_shards:
            from clgraph.scale.comm import shared_seed

            options |= {"forest": saved, "checkpoint": work_folder(run.output, given.resume)}
            seeds = seeds_of(shared_seed(seed), given.seeds)
        device, curves = run.device, []
        for number in seeds:
            with run.progress(f"reducing, seed {number}") as progress:
                curves.append(
                    clgraph.reduction_curve(data, method, number, progress=progress, device=device, **options)
                )
        if run.speaks:
            _deliver(run, data, curves)


def _deliver(run: Run, data: Graph | Shards, curves: list[ReductionCurve]) -> None:
    """Write and draw the curves, and print their table."""
    from clgraph.formats import atomic_write
    from clgraph.sampling.curve import ReductionCurves

    points, plot, several = run.options.points, run.options.plot, ReductionCurves(tuple(curves))
    table = several.summary(points)
    if run.output:
        with atomic_write(run.output, "w") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["seed", "deletions", "vertices", "edges"])
            for each in curves:
                rows = zip(each.deletions.tolist(), each.vertices.tolist(), each.edges.tolist(), strict=True)
                writer.writerows((each.seed, *row) for row in rows)
        run.say(f"{run.output}: {sum(len(each.vertices) for each in curves)} rows")
    if plot:
        from clgraph.sampling.figures import write_curves

        columns = run.options.columns
        write_curves(curves, plot, Path(run.graph).name, None if columns is None else int(columns))
        run.say(f"{plot}: {len(curves)} curve{'s' * (len(curves) > 1)}")
    if run.options.table:
        click.echo(several.table(points, format=run.options.table), nl=False)
        return
    facts = {
        "method": curves[0].method,
        "directed": data.directed,
        "mode": curves[0].mode,
        "seeds": [each.seed for each in curves],
        **fields_of(curves[-1], "device"),
        "seconds": [each.seconds for each in curves],
        "table": table,
    }
    run.print(facts, _table(data, table, several))


def _table(data: Graph | Shards, table: dict[str, list[Any]], curves: ReductionCurves) -> Iterator[Any]:
    seeds = f"{curves[0].seed}" + (f" to {curves[-1].seed}" if len(curves) > 1 else "")
    shown = table_of(
        ("share", "deletions", "vertices", edges_word(data), "average degree"),
        title=f"{direction(data)} graph, {curves[0].method} ({curves[0].mode}), seed {seeds}",
        names=0,
    )
    for i, share in enumerate(table["share"]):
        degree = f"{table['average_degree'][i]:.4f}"
        if len(curves) > 1:
            half = (table["average_degree_high"][i] - table["average_degree_low"][i]) / 2
            degree += f" ± {half:.4f}"
        counts = (f"{table[name][i]:.0f}" for name in ("deletions", "vertices", "edges"))
        shown.add_row(f"{share:.1%}", *counts, degree)
    yield shown
    yield from (f"- {note}" for note in curves.notes)
