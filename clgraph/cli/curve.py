"""``clgraph curve``: what a reduction leaves after so many deletions."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.common import (
    MethodName,
    check_without_graph,
    direction,
    edges_word,
    is_dataset,
    open_device,
    output_option,
    print_json,
    print_table,
    progress_bar,
    read_for,
    run_options,
    say,
    speaks,
    table_of,
)
from clgraph.cli.outputs import check_drawn
from clgraph.cli.shards import (
    forest_options,
    job,
    only_datasets,
    open_dataset,
    plan_option,
    planned,
    refuse,
    saved_forest,
    work_folder,
)
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.sampling.curve import ReductionCurve
    from clgraph.scale import Shards

POINTS_MAX = 10_000  # rows of a table for people; a file has them all


@click.command()
@click.argument("graph", metavar="GRAPH")
@click.option(
    "--method",
    type=MethodName(drawing=False),
    default="drv",
    show_default=True,
    help="drv, dre, drve, dhyb, cre or crve.",
)
@click.option("--seed", type=int, help="0 .. 2^64-1 (default: drawn and printed).")
@click.option("--seeds", type=int, default=1, show_default=True, help="Number of runs: mean and spread.")
@click.option(
    "--size", default="1", show_default=True, help="Where to stop: a count, or a share of the vertices."
)
@click.option(
    "--mode", default="auto", show_default=True, help="auto (exact where it exists), exact or batched."
)
@click.option("--mix", help="dhyb: the probability of a drve step (default 0.8).")
@click.option("--weight", help="dhyb: the older name of --mix.")
@click.option("--points", type=int, default=20, show_default=True, help="Rows of the table.")
@click.option("--plot", metavar="PICTURE", help="Draw the curves (.png, .svg or .pdf; needs matplotlib).")
@output_option("Every row of every curve, as CSV.")
@forest_options
@plan_option
@run_options
def curve(
    graph: str,
    method: str,
    seed: int | None,
    seeds: int,
    size: str,
    mode: str,
    mix: str | None,
    weight: str | None,
    points: int,
    plot: str | None,
    output: str | None,
    forest: str | None,
    resume: bool,
    only_plan: bool,
    reading: dict[str, Any],
    device: str | None,
    as_json: bool,
) -> None:
    """Vertices, edges and average degree of GRAPH while it is reduced.

    \b
    clgraph curve internet.txt --method dre --seeds 5 --plot curve.png
    """
    from clgraph import keyed
    from clgraph.formats import check_writable
    from clgraph.sampling.table import plain_method
    from clgraph.sizes import parse_size

    method = plain_method(method)
    check_without_graph(method, mode=mode, mix=mix, weight=weight)
    parse_size(size)
    if seeds < 1:
        raise InputError(f"--seeds {seeds}: give a count of runs, 1 or more")
    if not 1 <= points <= POINTS_MAX:
        raise InputError(f"--points {points}: give a count of rows, 1 to {POINTS_MAX} (-o has every row)")
    first = keyed.check_seed(seed)
    keyed.check_seed(first + seeds - 1)
    if plot:
        check_drawn("--plot", plot, otherwise="leave it out and take -o OUT")
    if output:
        check_writable(output, "edges")
    data: Graph | Shards
    options: dict[str, Any] = {"size": size, "mode": mode, "mix": mix, "weight": weight}
    if is_dataset(graph):
        refuse(mode=mode == "batched", mix=mix, weight=weight)
        from clgraph.scale.ranks import shared_seed

        with job():
            saved, method, seed = saved_forest(forest, method, seed)
            options |= {"forest": saved, "checkpoint": work_folder(output, resume)}
            first = shared_seed(seed)
            data = open_dataset(graph)
            if planned(data, "curve", method=method):
                return
            curves = _curves(data, method, range(first, first + seeds), device, options)
            if speaks():
                _tell(data, graph, curves, points, plot, output, as_json=as_json)
        return
    only_datasets(forest=forest, resume=resume, plan=only_plan)
    data = read_for(device, graph, reading)
    dev = open_device(device)
    curves = _curves(data, method, range(first, first + seeds), dev, options)
    _tell(data, graph, curves, points, plot, output, as_json=as_json)


def _curves(
    data: Graph | Shards, method: str, seeds: range, device: Any, options: dict[str, Any]
) -> list[ReductionCurve]:
    """A curve for each seed."""
    curves = []
    for number in seeds:
        with progress_bar(f"reducing, seed {number}") as progress:
            curves.append(
                clgraph.reduction_curve(data, method, number, progress=progress, device=device, **options)
            )
    return curves


def _tell(
    data: Graph | Shards,
    graph: str,
    curves: list[ReductionCurve],
    points: int,
    plot: str | None,
    output: str | None,
    *,
    as_json: bool,
) -> None:
    """Write and draw the curves, and print their table."""
    from clgraph.formats import atomic_write
    from clgraph.sampling.curve import curve_table

    last = min(int(each.vertices[-1]) for each in curves) / int(curves[0].vertices[0])
    shares = [1 - i * (1 - last) / points for i in range(points + 1)]
    table = curve_table(curves, shares)
    if output:
        with atomic_write(output, "w") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["seed", "deletions", "vertices", "edges"])
            for each in curves:
                rows = zip(each.deletions.tolist(), each.vertices.tolist(), each.edges.tolist(), strict=True)
                writer.writerows((each.seed, *row) for row in rows)
        say(f"{output}: {sum(len(each.vertices) for each in curves)} rows")
    if plot:
        draw(curves, plot, graph)
        say(f"{plot}: {len(curves)} curve{'s' * (len(curves) > 1)}")
    if as_json:
        print_json(
            {
                "method": curves[0].method,
                "directed": data.directed,
                "mode": curves[0].mode,
                "seeds": [each.seed for each in curves],
                "device": curves[-1].device,
                **curves[-1].how(),
                "seconds": [each.seconds for each in curves],
                "table": table,
            }
        )
    else:
        _print_table(data, table, curves)


def _print_table(data: Graph | Shards, table: dict[str, list[float]], curves: list[ReductionCurve]) -> None:
    seeds = f"{curves[0].seed}" + (f" to {curves[-1].seed}" if len(curves) > 1 else "")
    shown = table_of(
        ("share", "deletions", "vertices", edges_word(data), "average degree"),
        title=f"{direction(data)} graph, {curves[0].method} ({curves[0].mode}), seed {seeds}",
        names=0,
    )
    for i, share in enumerate(table["share"]):
        degree = f"{table['average_degree'][i]:.4f}"
        if len(curves) > 1:
            degree += f" ± {table['average_degree_spread'][i]:.4f}"
        counts = (f"{table[name][i]:.0f}" for name in ("deletions", "vertices", "edges"))
        shown.add_row(f"{share:.1%}", *counts, degree)
    print_table(shown)


def draw(curves: list[ReductionCurve], path: str, name: str) -> None:
    """Draw vertices, edges and average degree against deletions into a picture file."""
    from pathlib import Path

    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    from clgraph.formats import atomic_write
    from clgraph.sampling.figures import draw_curves

    figure = draw_curves(curves)[0].figure
    figure.suptitle(f"{Path(name).name}: {figure.get_suptitle()}")
    with atomic_write(path, "wb") as out:
        figure.savefig(out, format=path.rsplit(".", 1)[1].lower(), dpi=150)
    pyplot.close(figure)
