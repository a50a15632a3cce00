"""``clgraph quality``: how good a sample is, as a table, JSON, a picture or an HTML report."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.command import Command, Run, direction, edges_word, table_of
from clgraph.cli.options import MethodName, also_option, measure_options, option, run_options, table_option
from clgraph.cli.outputs import PICTURES, check_drawn
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.measures import Quality
    from clgraph.sampling.curve import ReductionCurve
    from clgraph.studies.origin import Origin


PAGES = (".html", ".htm")
ABOUT_SAMPLE = ("record", "method", "sample_seed", "command", "relation", "sample_format")


@click.command(cls=Command)
@click.argument("original", metavar="ORIGINAL")
@click.argument("sample", metavar="[SAMPLE]", required=False)
@option("--report PAGE", "Write a report: one HTML file (needs matplotlib).")
@option("--plot PICTURE", "Draw the figures (.png, .svg or .pdf; needs matplotlib).")
@option(
    "--panel NAMES",
    "Draw these alone, for print: degrees, ranks, hops, clustering, eigenvalues, curve; of several "
    "PICTURE has {panel} in its name.",
)
@option("--columns", "Width of a panel: 1 or 2 columns of a journal (3.3 or 7 inch; default: 1).", ["1", "2"])
@table_option("Print the measures as a table for a paper.")
@option("--record FILE", "Record of SAMPLE: what `clgraph sample --record` (or --json) wrote.")
@option("--method", "Method that made SAMPLE, if there is no record.", MethodName())
@option("--sample-seed N", "Seed that made SAMPLE.", int)
@option("--command TEXT", "Command that made SAMPLE, for the report.")
@option(
    "--relation",
    "Require SAMPLE to be a subset of ORIGINAL (default); a contraction of it, with vertices of ORIGINAL "
    "(default for cre and crve); or nothing, to compare any two graphs.",
    ["subset", "contraction", "none"],
)
@option("--sample-format NAME", "Format of SAMPLE (default: by its suffix).")
@option("--seed", "Seed for the vertices from which a large graph's hop plot is estimated.", int, 0)
@measure_options
@also_option
@option(
    "--fit",
    "Fit the power law of the degrees by clgraph, or by the package powerlaw, which also tests it against "
    "a lognormal distribution.",
    ["own", "powerlaw"],
    "own",
)
@run_options
def quality(run: Run) -> None:
    """Measure ORIGINAL, and compare a SAMPLE with it: degrees, exponents, clustering, distances.

    \b
    clgraph sample internet.txt --method drve --size 50% --seed 7 -o half.txt --record half.json
    clgraph quality internet.txt half.txt --record half.json --report half.html
    """
    from clgraph import keyed
    from clgraph.arguments import whole as whole_number
    from clgraph.measures.compare import check_part
    from clgraph.measures.figures import check_panels
    from clgraph.measures.fits import check_fit
    from clgraph.measures.optional import check_also
    from clgraph.methods import CONTRACTING
    from clgraph.studies.origin import curve_of, read_origin

    given = run.options
    original, sample = given.original, given.sample
    keyed.check_seed(given.seed)
    whole_number(given.hop_sources, "hop_sources", 1)
    check_fit(given.fit)
    check_also(given.also)
    for name in ABOUT_SAMPLE if sample is None else ():
        if getattr(given, name) is not None:
            raise InputError(f"--{name.replace('_', '-')} is about a SAMPLE, but none is given")
    for name, endings in (("report", PAGES), ("plot", PICTURES)):
        if getattr(given, name) is not None:
            check_drawn(f"--{name}", getattr(given, name), endings)
    panels = check_panels(given.panel)
    if panels and not given.plot:
        raise InputError("--panel is for --plot PICTURE, which is not given")
    if given.columns and not panels:
        raise InputError("--columns is for --panel NAMES, which is not given")
    if panels and len(panels) > 1 and "{panel}" not in given.plot:
        raise InputError(
            f"--plot {given.plot}: {len(panels)} panels would go to one file; put {{panel}} into it"
        )
    made = read_origin(given.record, given.method, given.sample_seed, given.command, sample)
    # the record was checked first: a large file is not read for a wrong one
    whole, part = run.read(original), None
    if sample is not None:
        part = run.read(sample, format=given.sample_format)
        made = made.checked(part, given.record)
        if made.left_out:
            run.say(f"note: {sample} lacks {made.lacks} of the sample, and so do the figures")
    names = Path(original).name, Path(sample).name if sample else ""
    dev = run.device
    if part is not None:
        relation = given.relation or ("contraction" if made.method in CONTRACTING else "subset")
        with dev.alone():
            check_part(whole, part, relation, names, device=dev)
    options = {name: getattr(given, name) for name in ("seed", "hop_sources", "eigenvalues", "fit", "also")}
    options["relation"] = "none" if part is not None else None  # it has been checked
    with run.progress("measuring") as progress:
        found = clgraph.quality(whole, part, **options, device=dev, progress=progress)
    if given.report or given.plot:
        curve, why = (None, None) if part is None else curve_of(whole, part, made, dev)
        _draw(run, found, made, curve, why)
    if given.table:
        click.echo(found.table(format=given.table), nl=False)
        return
    known = {"method": made.method, "sample_seed": made.seed, "command": made.command}
    known |= {"left_out": made.left_out} if made.left_out else {}
    files = {"original": original, "sample": sample}
    run.print(
        lambda: {"files": files, "directed": whole.directed, **known, **found.to_dict()},
        _tables(whole, found, names),
    )


def _draw(run: Run, found: Quality, made: Origin, curve: ReductionCurve | None, why_none: str | None) -> None:
    """Write the report and the picture."""
    import datetime
    from importlib.metadata import version

    from clgraph.formats import atomic_write
    from clgraph.measures.figures import PAPER, chosen, drawings, picture, write_print
    from clgraph.measures.report import report_html, write_page
    from clgraph.studies.origin import facts_of

    given = run.options
    original, sample = given.original, given.sample
    names = Path(original).name, Path(sample).name if sample else ""
    if given.report:
        device, now = run.device, datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
        seconds = sum(sum(graph.seconds.values()) for graph in (found.original, found.sample) if graph)
        packages = ("NumPy", "SciPy", "pyopencl", "matplotlib")
        others = ", ".join(f"{name} {version(name.lower())}" for name in packages)
        facts = [
            *facts_of(original, sample, made),
            ("measured by", " ".join(["clgraph", *sys.argv[1:]])),
            (
                "measured on",
                f"{device.name} ({device.kind}, {device.platform_name}, driver {device.driver_version})",
            ),
            ("measured with", f"clgraph {clgraph.__version__}, Python {platform.python_version()}, {others}"),
            ("report of", f"{now}, after {seconds:.1f} s of measuring"),
        ]
        page = report_html(found, names=names, facts=facts, curve=curve, no_curve=why_none)
        write_page(given.report, page)
        run.say(f"{given.report}: {len(page) // 1000} kB")
    if given.plot:
        drawn, form = chosen(drawings(found, curve), given.panel), given.plot.rsplit(".", 1)[1].lower()
        title = f"{names[1]}, a sample of {names[0]}" if sample else names[0]
        if given.panel:
            for each in drawn:
                name = given.plot.replace("{panel}", each.name)
                write_print(each, Path(), int(given.columns or 1), PAPER, forms=(form,), name=name)
                run.say(f"{name}: {each.name}")
        else:
            with atomic_write(given.plot, "wb") as out:
                picture(drawn, out, form, title)
            run.say(f"{given.plot}: {len(drawn)} figure{'s' * (len(drawn) > 1)}")
    if why_none:
        run.say(f"no reduction curve: {why_none}")


def _tables(whole: Graph, found: Quality, names: tuple[str, str]) -> Iterator[Any]:
    from clgraph.drawing import figure
    from clgraph.measures.report import DISTANCES, TABLES, missing, rows

    two, kind = found.sample is not None, direction(whole)
    title = f"{names[1]}, a sample of {names[0]} ({kind})" if two else f"{names[0]} ({kind})"
    table = table_of(("", "original", "sample", "difference") if two else ("", ""), title=title)
    for _, entries in TABLES:
        for row in rows(found, entries):
            name = edges_word(whole) if row.name == "edges" else row.name
            table.add_row(("  " if row.under else "") + name, *row.cells)
        table.add_section()
    if found.ks is not None:
        for key, name, _ in DISTANCES:
            table.add_row(f"KS distance, {name}", "", "", figure(found.ks[key]))
    yield table
    yield from (f"- {reason}" for reason in missing(found))
