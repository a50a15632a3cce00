"""``clgraph study``: how small a sample may be, by which method, and how sure that is."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import clgraph
from clgraph.cli.common import open_device, print_json, print_table, progress_bar, read_for, say, table_of
from clgraph.cli.options import measure_options, option, run_options

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.studies import Study
    from clgraph.studies.plan import Tolerance
    from clgraph.studies.report import Comparison

METHODS, SIZES = "drv,dre,drve,dhyb,cre,crve,ebfs,edfs", "70%,50%,30%,10%"
VERTICES = 300_000  # of the graph of a preset, unless told


@click.command()
@click.argument("graph", metavar="GRAPH", required=False)
@option(
    "--preset",
    "A study that was made before, beside what is printed of it: copra makes its graph itself, "
    "internet2007 needs a graph of the Internet's autonomous systems.",
    ["copra", "internet2007"],
)
@option("--vertices", "Of the graph that --preset copra makes (default: 300000; thesis: 30000000).", int)
@option("--methods", "Names as `clgraph methods` lists them, with commas between.", default=METHODS)
@option("--sizes", "Sizes, with commas between.", default=SIZES)
@option("--seeds", "Number of runs of each method.", int, 20)
@option("--seed", "The first run's seed.", int, 0)
@option(
    "-o --output",
    "The folder of the results; a study that was interrupted goes on there.",
    metavar="DIR",
    required=True,
)
@option(
    "--tolerance",
    "How far from the original is near enough: ks=0.1,clustering=10% (default: ks=0.1,all=10%).",
    metavar="TEXT",
)
@option("--min-size", "Draw the next seed where a sample is smaller than this.", metavar="SIZE")
@measure_options
@option("--figures/--no-figures", "Draw figures and a report (needs matplotlib).", bool, True)
@run_options
@click.pass_context
def study(
    context: click.Context,
    graph: str | None,
    preset: str | None,
    vertices: int | None,
    methods: str,
    sizes: str,
    seeds: int,
    output: str,
    tolerance: str | None,
    figures: bool,
    reading: dict[str, Any],
    device: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Sample GRAPH by several methods, sizes and seeds, and say how small is small enough.

    \b
    clgraph study internet.txt --methods drv,dre,drve --sizes 70%,50%,30%,10% --seeds 20 -o internet-study
    clgraph study --preset copra -o copra-study

    DIR gets study.csv (a row a sample), summary.csv, study.json (the record, for `clgraph replay`), figures
    and report.html, which begins with the answer.
    """
    from clgraph.cli.outputs import input_of
    from clgraph.drawing import need_matplotlib
    from clgraph.files.summary import read_with_summary
    from clgraph.studies.plan import check_tolerance
    from clgraph.studies.report import complete_record, write_outputs
    from clgraph.theses.presets import PRESETS

    checked = check_tolerance(tolerance)
    if figures:
        need_matplotlib("the report", "--no-figures")
    _check_preset(graph, preset, vertices)
    if preset:
        methods, sizes, seeds = (
            getattr(PRESETS[preset], name)
            if context.get_parameter_source(name) is ParameterSource.DEFAULT
            else context.params[name]
            for name in ("methods", "sizes", "seeds")
        )
    folder = Path(output)
    if graph is None:
        dev = open_device(device)
        graph = _made(folder, VERTICES if vertices is None else vertices, dev)
        data = read_with_summary(graph, **reading)[0]
    else:
        data = read_for(device, graph, reading)
        dev = open_device(device)
    told = [0, 0]
    try:
        with progress_bar("sampling and measuring", counts=True) as bar:

            def tell(done: int, of: int) -> None:
                told[:] = done, of
                if bar:
                    bar(done, of)

            found = clgraph.study(
                data,
                methods,
                sizes,
                seeds=seeds,
                folder=folder,
                device=dev,
                progress=tell,
                on_note=lambda note: say(f"note: {note}"),
                **options,
            )
    except KeyboardInterrupt:
        if told[1]:
            say(f"{told[0]} of {told[1]} samples are in {folder}; the same command goes on from there")
        raise
    known = input_of(graph, reading)
    complete_record(
        folder, {"files": known["input"], "reading": known["reading"], "command": ["clgraph", *sys.argv[1:]]}
    )
    facts = [
        ("command", shlex.join(["clgraph", *sys.argv[1:]])),
        ("graph", f"{graph}: {data.num_vertices} vertices, {data.num_edges} edges"),
    ]
    beside = PRESETS[preset].compare(found) if preset else None
    name = Path(graph).name
    written = write_outputs(found, folder, checked, name=name, facts=facts, figures=figures, beside=beside)
    say(f"{folder}: study.csv ({len(found.rows)} rows), study.json, {', '.join(written)}")
    if as_json:
        compared = {"beside": asdict(beside)} if beside else {}
        print_json({**found.to_dict(), "answer": _answer(found, checked), **compared})
    else:
        _print(found, checked)
        if beside:
            _print_beside(beside)


def _check_preset(graph: str | None, preset: str | None, vertices: int | None) -> None:
    """Whether the graph is given where one is needed, and only there."""
    makes = preset == "copra"
    if graph is None and not makes:
        more = " of the Internet's autonomous systems" if preset else ", or --preset copra, which makes one"
        raise click.UsageError(f"Missing argument 'GRAPH': name a file with a graph{more}.")
    if vertices is not None and (graph is not None or not makes):
        raise click.UsageError("--vertices is for the graph that --preset copra makes.")


def _made(folder: Path, vertices: int, device: Device) -> str:
    """The file with the graph of the COPRA thesis; made again only where it is not there."""
    from clgraph.studies.state import make_folder

    path = folder / f"copra-{vertices}.clg"
    if not path.is_file():
        make_folder(folder)
        graph = clgraph.copra_graph(vertices, device=device)
        clgraph.write(graph, path)
        say(f"{path}: {graph.num_vertices} vertices, {graph.num_edges} edges")
    return str(path)


def _answer(found: Study, tolerance: Tolerance) -> dict[str, Any]:
    best = found.best(tolerance)
    return {
        "ranking": [asdict(place) for place in best.ranking],
        "smallest": {verdict.measure: verdict.smallest for verdict in best.verdicts},
        "not_measured": best.missing,
    }


def _print(found: Study, tolerance: Tolerance) -> None:
    from clgraph.measures.words import figure
    from clgraph.studies.columns import COMPARED
    from clgraph.studies.report import NONE, sentence

    best = found.best(tolerance)
    table = table_of(
        ("measure", "original", "tolerance", *(place.method for place in best.ranking)),
        title="The smallest size within the tolerance",
    )
    for verdict in best.verdicts:
        sizes = [verdict.smallest.get(place.method) or NONE for place in best.ranking]
        original = "" if verdict.measure.startswith("ks_") else figure(verdict.original)
        table.add_row(COMPARED[verdict.measure], original, tolerance.words(verdict.measure), *sizes)
    table.add_section()
    away = [f"{100 * place.deviation:.1f}" for place in best.ranking]
    table.add_row("% from the original on average", "", "", *away)
    missing = (f"- {COMPARED[name]} is not defined: {why}" for name, why in best.missing.items())
    print_table(table, (sentence(found, best), *missing))


def _print_beside(beside: Comparison) -> None:
    from rich.table import Table

    table = Table(title=beside.title)
    for number, head in enumerate(beside.heads):
        table.add_column(head, justify="right" if number else "left", overflow="fold", no_wrap=not number)
    for row in beside.rows:
        table.add_row(*row)
    print_table(table, [beside.words])
