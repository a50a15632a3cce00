"""``clgraph quality``: how good a sample is, as a table, JSON, a picture or an HTML report."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import clgraph
from clgraph.cli.command import Command, Run, direction, edges_word, table_of
from clgraph.cli.options import MethodName, measure_options, option, run_options
from clgraph.cli.outputs import PICTURES, check_drawn
from clgraph.device.launch_config import LaunchTable
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.measures import Quality
    from clgraph.sampling.curve import ReductionCurve


PAGES = (".html", ".htm")
ABOUT_SAMPLE = ("record", "method", "sample_seed", "command", "relation", "sample_format")


@click.command(cls=Command)
@click.argument("original", metavar="ORIGINAL")
@click.argument("sample", metavar="[SAMPLE]", required=False)
@option("--report PAGE", "Write a report: one HTML file (needs matplotlib).")
@option("--plot PICTURE", "Draw the figures (.png, .svg or .pdf; needs matplotlib).")
@option("--record FILE", "How SAMPLE was made: what `clgraph sample --record` (or --json) wrote.")
@option("--method", "Method by which SAMPLE was made, if there is no record.", MethodName())
@option("--sample-seed N", "The seed that it was made with.", int)
@option("--command TEXT", "How SAMPLE was made, in words, for the report.")
@option(
    "--relation",
    "What SAMPLE must be: a subset of ORIGINAL (default); a contraction of it, whose vertices are "
    "(default for cre and crve); anything, to compare any two graphs.",
    ["subset", "contraction", "none"],
)
@option("--sample-format NAME", "Format of SAMPLE (default: by its suffix).")
@option("--seed", "Chooses the vertices from which a large graph's hop plot is searched.", int, 0)
@measure_options
@option(
    "--fit",
    "Who fits the power law of the degrees: clgraph, or the package powerlaw, which also tests it "
    "against a lognormal distribution.",
    ["own", "powerlaw"],
    "own",
)
@run_options
def quality(run: Run) -> None:
    """Measure ORIGINAL and a SAMPLE of it: degrees, exponents, clustering, distances.

    \b
    clgraph sample internet.txt --method drve --size 50% --seed 7 -o half.txt --record half.json
    clgraph quality internet.txt half.txt --record half.json --report half.html
    """
    from clgraph import keyed
    from clgraph.arguments import whole as whole_number
    from clgraph.measures.compare import check_part
    from clgraph.measures.fits import check_fit
    from clgraph.methods import CONTRACTING

    given = run.options
    original, sample = given.original, given.sample
    keyed.check_seed(given.seed)
    whole_number(given.hop_sources, "hop_sources", 1)
    check_fit(given.fit)
    for name in ABOUT_SAMPLE if sample is None else ():
        if getattr(given, name) is not None:
            raise InputError(f"--{name.replace('_', '-')} is about a SAMPLE, but none is given")
    for name, endings in (("report", PAGES), ("plot", PICTURES)):
        if getattr(given, name) is not None:
            check_drawn(f"--{name}", getattr(given, name), endings)
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
    with run.progress("measuring") as progress:
        found = clgraph.quality(
            whole,
            part,
            seed=given.seed,
            device=dev,
            relation="none" if part is not None else None,  # it has been checked
            hop_sources=given.hop_sources,
            eigenvalues=given.eigenvalues,
            fit=given.fit,
            progress=progress,
        )
    if given.report or given.plot:
        curve, why = (None, None) if part is None else curve_of(whole, part, made, dev)
        _draw(run, found, made, curve, why)
    known = {"method": made.method, "sample_seed": made.seed, "command": made.command}
    known |= {"left_out": made.left_out} if made.left_out else {}
    files = {"original": original, "sample": sample}
    run.print(
        lambda: {"files": files, "directed": whole.directed, **known, **found.to_dict()},
        _tables(whole, found, names),
    )


def _draw(run: Run, found: Quality, made: Origin, curve: ReductionCurve | None, why_none: str | None) -> None:
    """Write the report and the picture."""
    from clgraph.formats import atomic_write
    from clgraph.measures.figures import drawings, picture
    from clgraph.measures.report import report_html

    given = run.options
    original, sample = given.original, given.sample
    names = Path(original).name, Path(sample).name if sample else ""
    if given.report:
        facts = facts_of(original, sample, made) + _facts(run.device, found)
        page = report_html(found, names=names, facts=facts, curve=curve, no_curve=why_none)
        with atomic_write(given.report, "wb") as out:  # a file's name may be no UTF-8
            out.write(page.encode("utf-8", "backslashreplace"))
        run.say(f"{given.report}: {len(page) // 1000} kB")
    if given.plot:
        drawn = drawings(found, curve)
        title = f"{names[1]}, a sample of {names[0]}" if sample else names[0]
        with atomic_write(given.plot, "wb") as out:
            picture(drawn, out, given.plot.rsplit(".", 1)[1].lower(), title)
        run.say(f"{given.plot}: {len(drawn)} figures")
    if why_none:
        run.say(f"no reduction curve: {why_none}")


def _facts(dev: Device, found: Quality) -> list[tuple[str, str]]:
    """How this report was made."""
    import datetime
    from importlib.metadata import version

    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    measured = [graph for graph in (found.original, found.sample) if graph is not None]
    seconds = sum(sum(graph.seconds.values()) for graph in measured)
    packages = ("NumPy", "SciPy", "pyopencl", "matplotlib")
    others = ", ".join(f"{name} {version(name.lower())}" for name in packages)
    return [
        ("measured by", " ".join(["clgraph", *sys.argv[1:]])),
        ("measured on", f"{dev.name} ({dev.kind}, {dev.platform_name}, driver {dev.driver_version})"),
        ("measured with", f"clgraph {clgraph.__version__}, Python {platform.python_version()}, {others}"),
        ("report of", f"{now}, after {seconds:.1f} s of measuring"),
    ]


def _tables(whole: Graph, found: Quality, names: tuple[str, str]) -> Iterator[Any]:
    from clgraph.measures.report import DISTANCES, TABLES, figure, rows

    two, kind = found.sample is not None, direction(whole)
    title = f"{names[1]}, a sample of {names[0]} ({kind})" if two else f"{names[0]} ({kind})"
    table = table_of(("", "original", "sample", "difference") if two else ("", ""), title=title)
    reasons = []
    for _, entries in TABLES:
        for row in rows(found, entries):
            name = edges_word(whole) if row.name == "edges" else row.name
            cells = (row.original, row.sample, row.difference)[: 3 if two else 1]
            table.add_row(("  " if row.under else "") + name, *cells)
            reasons += [f"{row.name}, {reason}" for reason in row.reasons]
        table.add_section()
    if found.ks is not None:
        for key, name, _ in DISTANCES:
            table.add_row(f"KS distance, {name}", "", "", figure(found.ks[key]))
    for whose, graph in (("original", found.original), ("sample", found.sample)):
        reasons += [f"{whose}: {note}" for note in (graph.notes if graph else ())]
    yield table
    yield from (f"- {reason}" for reason in reasons)


# --- What is known of how a sample was made: from its record, or from what the user says ---


# edges of the largest graph whose exact curve is drawn: it is one serial pass
CURVE_EDGES = LaunchTable(gpu=500_000, cpu=20_000_000, simulator=20_000_000)


@dataclass(frozen=True)
class Origin:
    """How a sample was made; what is unknown is None."""

    method: str | None = None
    mode: str | None = None
    seed: int | None = None
    target: int | None = None
    command: str | None = None
    options: dict[str, Any] | None = None
    samples: tuple[dict[str, Any], ...] = ()  # in the record; one of them is the sample's
    facts: tuple[tuple[str, str], ...] = ()  # what else the record says
    output: str | None = None
    left_out: int = 0  # vertices without edges that the sample has and its file has not

    @property
    def lacks(self) -> str:
        """The vertices that are left out, in words."""
        from clgraph.formats.common import counted

        return counted(self.left_out, "vertex without edges", "vertices without edges")

    def checked(self, sample: Graph, record: str | None) -> Origin:
        """Return this origin, completed by what the record says of this very sample."""
        if not self.samples:
            return self
        same = [each for each in self.samples if _fits(each, sample)]
        if not same:
            sizes = ", ".join(str(each["vertices"]) for each in self.samples[:8])
            raise InputError(
                f"--record {record}: it is about samples of {sizes} vertices, but the sample given has "
                f"{sample.num_vertices}; give the record that was written with it"
            )
        file = Path(self.output or "").name
        # samples of several seeds may have one size: then the file's name says which it is
        named = [each for each in same if self.output and Path(str(each.get("output"))).name == file]
        entry = (named or same)[0]
        labels = {
            "size": "size asked for",
            "target": "target",
            "iterations": "batches or probes",
            "way": "way",
        }
        # a target of 0 is none, 0 batches are of methods that have none
        facts = [(label, str(entry[key])) for key, label in labels.items() if entry.get(key)]
        facts += [("note", note) for note in entry.get("notes", ())]
        known: dict[str, Any] = {name: entry.get(name) for name in ("method", "mode", "seed", "target")}
        return replace(
            self,
            **known,
            options=entry.get("options", {}),
            facts=(*self.facts, *facts),
            left_out=entry["vertices"] - sample.num_vertices,
        )


def _fits(entry: dict[str, Any], sample: Graph) -> bool:
    """True if a graph may be a sample of a record; its file may lack vertices without edges."""
    if entry["vertices"] <= sample.num_vertices:
        return bool(entry["vertices"] == sample.num_vertices)
    edges = sample.undirected.without_self_loops
    return edges.num_nonisolated == sample.num_vertices and bool(entry["edges"] == edges.num_edges)


def read_origin(
    record: str | None, method: str | None, seed: int | None, command: str | None, output: str | None
) -> Origin:
    """Find out how a sample was made, from its record or the options: these must not contradict it."""
    if method is not None:
        from clgraph.methods import METHODS, plain_method

        method = plain_method(method)
        if method not in METHODS:
            raise InputError(f"unknown method {method!r}: the known ones are {', '.join(METHODS)}")
    if record is None:
        return Origin(method=method, seed=seed, command=command)
    if method is not None or seed is not None:
        raise InputError("--record says how the sample was made: leave --method and --sample-seed out")
    from clgraph.studies.record import WRITTEN, load_record

    content = load_record(record)
    result = content.get("result", content)
    samples = result.get("samples", [result])
    if "study" in content or not samples:
        raise InputError(f"{record}: it describes no sample; {WRITTEN}")
    facts = [
        ("input", f"{each['path']}, {each.get('bytes')} bytes, SHA-256 {each['sha256']}")
        for each in content.get("input", [])
    ]
    device = content.get("device", samples[0].get("device"))
    if isinstance(device, dict):
        details = f"{device.get('kind')}, {device.get('platform')}, driver {device.get('driver')}"
        device = f"{device.get('name')} ({details})"
    if device:
        facts.append(("sampled on", device))
    if "versions" in content:
        names = {"python": "Python", "numpy": "NumPy", "scipy": "SciPy"}
        versions = [f"{names.get(name, name)} {value}" for name, value in content["versions"].items()]
        facts.append(("sampled with", ", ".join([f"clgraph {content.get('clgraph')}", *versions])))
    command = command or shlex.join(content.get("command", [])) or None
    return Origin(command=command, samples=tuple(samples), facts=tuple(facts), output=output)


def facts_of(original: str, sample: str | None, made: Origin) -> list[tuple[str, str]]:
    """What the report says about the files and the sampling."""
    if sample is None:
        return [("original", original)]
    from clgraph.methods import METHODS
    from clgraph.sampling.result import with_mode

    facts: dict[str, str | None] = {"original": original, "sample": sample}
    if made.left_out:
        facts["not in its file"] = f"{made.lacks}, which an edge list does not hold"
    if made.method:
        each = METHODS[made.method]
        facts["method"] = f"{with_mode(made.method, made.mode)}, {each.words}: {each.does}"
    facts |= {"seed": None if made.seed is None else str(made.seed), "sampled by": made.command}
    known = [(name, value) for name, value in facts.items() if value] + list(made.facts)
    if not (made.method or made.command):
        unknown = "unknown: `clgraph sample --record FILE` writes it to a file for --record"
        known.append(("how it was sampled", unknown))
    return known


def curve_of(
    original: Graph, sample: Graph, made: Origin, dev: Device
) -> tuple[ReductionCurve | None, str | None]:
    """The reduction curve down to the sample, or why it is left out."""
    from clgraph.methods import EXACT, EXPLORING, REDUCTIONS
    from clgraph.studies.record import is_lost

    if made.method is None or made.seed is None:
        how = "give --record, or --method and --sample-seed"
        return None, f"method and seed of the sample are unknown ({how})."
    if made.method not in REDUCTIONS or made.method in EXPLORING:
        return None, f"{made.method} deletes nothing, so it has none."
    mode = made.mode or ("exact" if made.method in EXACT else "batched")
    limit = CURVE_EDGES.of(dev)
    if mode == "exact" and original.num_edges > limit:
        return None, f"left out: an exact curve of more than {limit} edges takes long on this device."
    options = made.options or {}
    if lost := next((name for name, value in options.items() if is_lost(value)), None):
        return None, f"{lost} was {options[lost]}, which the record does not hold."
    curve = clgraph.reduction_curve(
        original,
        made.method,
        made.seed,
        size=made.target or max(1, sample.num_vertices),
        device=dev,
        mode=mode,  # type: ignore[arg-type]
        tolerance=options.get("tolerance"),
        mix=options.get("mix", options.get("weight")),
        connection=options.get("connection", "weak"),
    )
    return curve, None
