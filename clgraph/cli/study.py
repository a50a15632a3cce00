"""``clgraph study``: how small a sample may be, by which method, and how sure that is; ``clgraph replay``."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

import clgraph
from clgraph.cli.command import Command, Run
from clgraph.cli.options import (
    also_option,
    device_options,
    limit_options,
    measure_options,
    option,
    run_options,
    table_option,
)
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.studies import Study
    from clgraph.studies.answer import Answer
    from clgraph.studies.aspects import Choice
    from clgraph.studies.plan import Tolerance
    from clgraph.studies.report import Comparison

METHODS, SIZES = "drv,dre,drve,dhyb,cre,crve,ebfs,edfs", "70%,50%,30%,10%"
VERTICES = 300_000  # of the graph of a preset, unless given


@click.command(cls=Command)
@click.argument("graph", metavar="GRAPH", required=False)
@option(
    "--preset",
    "Repeat a published study and compare: copra generates its graph, internet2007 needs a graph of the "
    "Internet's autonomous systems.",
    ["copra", "internet2007"],
)
@option("--vertices", "Vertices of the graph of --preset copra (default: 300000; thesis: 30000000).", int)
@option("--methods", "Methods, separated by commas; `clgraph methods` lists them.", default=METHODS)
@option("--sizes", "Sizes, separated by commas.", default=SIZES)
@option("--seeds", "Number of runs of each method.", int, 20)
@option("--seed", "Seed of the first run.", int, 0)
@option("-o --output DIR", "Folder of the results; an interrupted study continues from there.", required=True)
@option(
    "--tolerance TEXT",
    "Accepted deviations from the original: ks=0.1,clustering=10% (default: ks=0.1,all=10%).",
)
@option("--aspects TEXT", "Weights of the aspects over all: degrees=2,spectrum=0 (default: 1 each).")
@option("--min-size SIZE", "Redraw a sample of fewer vertices, with the next seed.")
@measure_options
@also_option
@option("--write", "Write the samples of the method and size that the answer names, with records.", ["best"])
@option("--write-as SUFFIX", "Format of these files, such as .graphml (default: as GRAPH, else .clg).")
@option("--figures/--no-figures", "Draw figures and a report (needs matplotlib).", bool, True)
@option("--columns", "Width of the figures: 1 or 2 columns of a journal (3.3 or 7 inch).", ["1", "2"], "1")
@table_option("Print means and intervals at each size as a table.")
@run_options
def study(run: Run) -> None:
    """Sample GRAPH by several methods, sizes and seeds, and find the smallest sizes that suffice.

    \b
    clgraph study internet.txt --methods drv,dre,drve --sizes 70%,50%,30%,10% --seeds 20 -o internet-study
    clgraph study --preset copra -o copra-study

    DIR gets study.csv (one row per sample), summary.csv, study.json (the record, for `clgraph replay`),
    figures and report.html, which begins with the answer.
    """
    from clgraph.drawing import need_matplotlib
    from clgraph.files.summary import read_with_summary
    from clgraph.studies.aspects import check_weights
    from clgraph.studies.origin import input_of
    from clgraph.studies.plan import check_tolerance
    from clgraph.studies.report import complete_record, write_outputs
    from clgraph.studies.state import make_folder
    from clgraph.theses.presets import PRESETS

    given, folder = run.options, Path(str(run.output))
    tolerance, weights = check_tolerance(given.tolerance), check_weights(given.aspects)
    if given.figures:
        need_matplotlib("the report", "--no-figures")
    suffix = _suffix(run)
    makes = given.preset == "copra"
    if not run.graph and not makes:
        more = (
            " of the Internet's autonomous systems"
            if given.preset
            else ", or --preset copra, which makes one"
        )
        raise click.UsageError(f"Missing argument 'GRAPH': name a file with a graph{more}.")
    if given.vertices is not None and (run.graph or not makes):
        raise click.UsageError("--vertices is for the graph that --preset copra makes.")
    context = click.get_current_context()
    for name in ("methods", "sizes", "seeds") if given.preset else ():
        if context.get_parameter_source(name) is ParameterSource.DEFAULT:
            setattr(given, name, getattr(PRESETS[given.preset], name))
    # a preset's options hold unless the user gave others; its graph lies in the folder of the results
    if graph := run.graph:
        data = run.read(graph)
    else:
        vertices = VERTICES if given.vertices is None else given.vertices
        path, device = folder / f"copra-{vertices}.clg", run.device
        if not path.is_file():  # generated only where it is not there
            make_folder(folder)
            made = clgraph.copra_graph(vertices, device=device)
            clgraph.write(made, path)
            run.say(f"{path}: {made.num_vertices} vertices, {made.num_edges} edges")
        graph = str(path)
        data = read_with_summary(graph, **run.reading)[0]
    found = _sampled(run, data, folder)
    # the hash of the file as it is now: replay then finds out if it was changed
    known, command = input_of(graph, run.reading), ["clgraph", *sys.argv[1:]]
    complete_record(folder, {"files": known["input"], "reading": known["reading"], "command": command})
    facts = [
        ("command", shlex.join(command)),
        ("graph", f"{graph}: {data.num_vertices} vertices, {data.num_edges} edges"),
    ]
    beside = PRESETS[given.preset].compare(found) if given.preset else None
    about: dict[str, Any] = {"name": Path(graph).name, "facts": facts, "beside": beside, "weights": weights}
    about["columns"] = int(given.columns)
    written = write_outputs(found, folder, tolerance, figures=given.figures, **about)
    run.say(f"{folder}: study.csv ({len(found.rows)} rows), study.json, {', '.join(written)}")
    best = found.best(tolerance, weights)
    samples = _write_best(run, graph, data, found, best, folder / "best", suffix) if given.write else []
    if given.table:
        click.echo(found.table(format=given.table), nl=False)
        return
    answer = {
        "headline": best.headline,
        "choices": [_choice(choice) for choice in best.choices],
        "weights": best.weights,
        "warnings": best.warnings,
        "ranking": [asdict(entry) for entry in best.ranking],
        "smallest": {verdict.measure: verdict.smallest for verdict in best.verdicts},
        "not_measured": best.missing,
    }
    compared: dict[str, Any] = {"beside": asdict(beside)} if beside else {}
    compared |= {"written": samples} if given.write else {}
    run.print(
        lambda: {**found.to_dict(), "answer": answer, **compared}, _answer_lines(best, tolerance, beside)
    )


def _sampled(run: Run, graph: Graph, folder: Path) -> Study:
    """Run the study; an interrupt says how far it has come."""
    given, device, counts = run.options, run.device, [0, 0]
    names = ("methods", "sizes", "seeds", "seed", "min_size", "hop_sources", "eigenvalues", "also")
    options = {name: getattr(given, name) for name in names}
    try:
        with run.progress("sampling and measuring", counts=True) as bar:

            def progress(done: int, of: int) -> None:
                counts[:] = done, of
                if bar:
                    bar(done, of)

            options |= {"on_note": lambda note: run.say(f"note: {note}"), "folder": folder}
            return clgraph.study(graph, **options, device=device, progress=progress)
    except KeyboardInterrupt:
        if counts[1]:
            run.say(
                f"{counts[0]} of {counts[1]} samples are in {folder}; the same command goes on from there"
            )
        raise


def _suffix(run: Run) -> str:
    """Return the suffix of the samples to write; checked before anything is drawn."""
    from clgraph.formats.table import find_format

    given, suffix = run.options, Path(run.graph or "").suffix
    if given.write_as is None:
        try:
            known = find_format(Path(f"best{suffix}")).name != "ldbc"  # which is two files
        except InputError:  # standard input, a file by --format
            known = False
        return suffix if known else ".clg"
    if not given.write:
        raise InputError("--write-as is for --write best, which is not given")
    if not given.write_as.startswith(".") or find_format(Path(f"best{given.write_as}")).name == "ldbc":
        raise InputError(f"--write-as {given.write_as}: give the suffix of one file, such as .graphml")
    return str(given.write_as)


def _write_best(
    run: Run, graph: str, data: Graph, found: Study, best: Answer, folder: Path, suffix: str
) -> list[str]:
    """Write the samples that the answer names, each with its record, and return the files."""
    from clgraph.studies.figures import plain
    from clgraph.studies.origin import write_record
    from clgraph.studies.state import make_folder

    if best.winner is None:
        run.say("note: nothing could be compared, so no samples are written")
        return []
    method, size = best.winner
    make_folder(folder)
    sizes, made = list(found.plan.sizes), []
    for row in found.rows:
        if (row["method"], row["size"]) != (method, size):
            continue
        with warnings.catch_warnings(action="ignore"):  # what it warns of is among the study's notes
            drawn = clgraph.sample(data, method, sizes=sizes, seed=row["seed"], device=run.device)
        each = drawn[sizes.index(size)]
        path = str(folder / f"{method}-{plain(size)}-{row['seed']}{suffix}")
        run.write_graph(each.graph, path)
        entry = {"directed": data.directed, **each.to_dict(), "output": path}
        write_record(f"{path}.json", graph, run.reading, run.device, entry)
        made.append(path)
    run.say(f"{folder}: {len(made)} samples by {method} at {size}, each with its record")
    return made


def _choice(choice: Choice) -> dict[str, Any]:
    return {**asdict(choice), "alike": list(choice.alike), "within": list(choice.within)}


def _answer_lines(best: Answer, tolerance: Tolerance, beside: Comparison | None) -> Iterator[Any]:
    """The answer as wide as the terminal, and what is printed of a preset."""
    from rich.console import Console
    from rich.table import Table

    from clgraph.studies.answer import answer_lines
    from clgraph.studies.columns import COMPARED

    yield from answer_lines(best, tolerance, max(60, Console().width))
    yield from (f"- {COMPARED[name]} is not defined: {why}" for name, why in best.missing.items())
    if beside is None:
        return
    table = Table(title=beside.title)
    for number, head in enumerate(beside.heads):
        table.add_column(head, justify="right" if number else "left", overflow="fold", no_wrap=not number)
    for row in beside.rows:
        table.add_row(*row)
    yield table
    yield beside.words


@click.command(cls=Command)
@click.argument("record", metavar="RECORD")
@option("--input graph GRAPH", "Input file, if it has moved (default: as recorded).")
@option("--dry-run", "Check the record and the input's hash, and say what would be drawn.", bool)
@limit_options
@device_options
def replay(run: Run) -> None:
    """Reproduce the samples or the study that RECORD describes, and compare the hashes.

    \b
    clgraph sample internet.txt --method drve --size 50% --seed 7 -o half.txt --record half.json
    clgraph replay half.json --dry-run
    clgraph replay half.json --device cpu

    Ends with status 1 if anything differs.
    """
    from clgraph.studies.origin import input_of
    from clgraph.studies.replay import check_input, contents, of_other_version, read_record
    from clgraph.studies.replay import replay as compare

    name, max_ratio = run.options.record, run.options.max_ratio
    record = read_record(name)
    path = run.graph or record.input
    if path is None:
        raise InputError(f"{name} does not say where the graph is: give --input GRAPH")
    if not os.path.exists(path):
        raise InputError(f"the input of {name}, {path}, is not there: give --input GRAPH")
    limits = {"max_vertices": run.options.max_vertices, "max_ratio": max_ratio}
    run.reading = {"format": None, **record.reading, **limits}
    if other := of_other_version(record):
        run.say(f"note: {other}")
    found = input_of(path, run.reading)["input"][0]["sha256"]
    # the file's hash first: a large file that differs need not be parsed
    if record.input_sha256 is not None and found != record.input_sha256:
        raise InputError(
            f"{path} is not the input of {name}: its SHA-256 is {found}, not {record.input_sha256}"
        )
    if run.options.dry_run:
        would = contents(record)
        same = "as recorded" if record.input_sha256 is not None else "not in the record"
        known = {"record": name, "clgraph": record.version, "input": path, "sha256": found, "would": would}
        head = [f"{name}: written by clgraph {record.version}", f"{path}: SHA-256 {found}, {same}"]
        run.print(known, [*head, *(f"would draw: {what}" for what in would)])
        return
    source: Any = path
    if not record.streamed:
        source = run.read(path)
        check_input(record, source)
    device = run.device
    # what sampling warns of is in the record's notes
    with run.progress("reproducing", counts=True) as progress, warnings.catch_warnings(action="ignore"):
        made = compare(record, source, device, progress, max_ratio=max_ratio)
    differs = any(why is not None for _, why in made)
    facts = {"record": name, "device": device.name, "equal": not differs}
    facts["made"] = [{"what": what, "differs": why} for what, why in made]
    run.print(facts, (f"equal: {what}" if why is None else f"differs: {what}: {why}" for what, why in made))
    if differs:
        sys.exit(1)
