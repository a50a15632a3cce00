"""The report of a study: one self-contained HTML file that begins with the answer."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.drawing import NONE, figure, need_matplotlib
from clgraph.formats import atomic_write
from clgraph.graph.exchange.common import library
from clgraph.measures.figures import inline_svg
from clgraph.measures.report import facts_html, figures_html, page, table_html, write_page
from clgraph.studies.answer import Answer, some_sizes, weighting
from clgraph.studies.aspects import ASPECTS, OVERALL, Place, listed, named, smallest_within, words_of
from clgraph.studies.columns import COMPARED, columns_of
from clgraph.studies.figures import DARK, SERIES, TOKENS, answer_drawings, drawings, plain
from clgraph.studies.plan import Tolerance
from clgraph.studies.record import save_record

if TYPE_CHECKING:
    from clgraph.studies.summary import Result


NOTES = 30  # that the report lists: study.json has all


@dataclass(frozen=True)
class Comparison:
    """A table of ours beside what is printed.

    Attributes
    ----------
    title, words : str
    heads : tuple of str
    rows : list of tuple of str
        The first cell of each names it.
    """

    title: str
    words: str
    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def html(self) -> str:
        """Return the table as a part of the report."""
        lines = [(escape(one), "".join(f"<td>{escape(c)}</td>" for c in rest)) for one, *rest in self.rows]
        return table_html(self.title, self.words, self.heads, lines)


def report_html(
    study: Result,
    tolerance: Tolerance,
    *,
    name: str = "the graph",
    facts: Sequence[tuple[str, str]] = (),
    beside: Comparison | None = None,
    weights: Mapping[str, float] | None = None,
) -> str:
    """Return the report as the text of one HTML file.

    Parameters
    ----------
    study : Result
    tolerance : Tolerance
    name : str
        Of the graph.
    facts : sequence of (str, str)
        What else is known of the input and the run.
    beside : Comparison, optional
        What is shown after the answer.
    weights : dict of str to float, optional
        Of the aspects.

    Raises
    ------
    ClgraphError
        If matplotlib is not installed.
    """
    need_matplotlib("a report")
    found = study.best(tolerance, weights)
    # the page has the heat map as a table, and begins with one of the answer's pictures
    left_out = {"heat-map", f"answer-{plain(shown_size(found))}"} if found.choices else {"heat-map"}
    drawn = [*answer_drawings(found), *drawings(study, found)]
    figures = figures_html((each for each in drawn if each.name not in left_out), TOKENS)
    plan = study.plan
    sizes = (f"{s} ({figure(t)} vertices)" for s, t in zip(plan.sizes, plan.targets, strict=True))
    about = {
        "methods": ", ".join(map(named, plan.methods)),
        "sizes": ", ".join(sizes),
        "seeds": f"{plan.seeds}, from {plan.seed} on",
        "device": study.device,
        "clgraph": study.version,
        "hash of the graph": study.input,
        "hash of the measures": study.digest,
    }
    # names of files and methods are escaped: a record may come from anywhere
    return PAGE.substitute(
        version=escape(study.version),
        title=escape(f"How small can a sample of {name} be?"),
        light=_series(SERIES),
        dark=_series(DARK),
        answer=answer_html(study, found, tolerance, pictures=True) + (f"\n{beside.html()}" if beside else ""),
        figures=figures,
        facts=facts_html((*facts, *about.items())),
    )


def _series(colours: tuple[str, ...]) -> str:
    return " ".join(f"--series{i}: {colour};" for i, colour in enumerate(colours))


def answer_html(study: Result, found: Answer, tolerance: Tolerance, pictures: bool = False) -> str:
    """Return the answer: in a sentence, as a picture (which needs matplotlib), and in tables."""
    parts = [f'<p class="lead">{escape(found.headline)}</p>']
    if lines := [line for lines in found.warnings.values() for line in lines]:
        parts.append(f'<ul class="warnings">{"".join(f"<li>{escape(line)}.</li>" for line in lines)}</ul>')
    if pictures and found.choices:
        parts.append(_picture(found))
    parts += [_choices(found), *_distances(found), _smallest(found, tolerance), _heat(found)]
    parts += [_measures(found, tolerance), _missing(study, found)]
    return "\n".join(parts)


def _picture(found: Answer) -> str:
    """Return the picture at the size of the answer, for screens and narrow for phones."""
    size = shown_size(found)
    drawing = next(each for each in answer_drawings(found) if each.name == f"answer-{plain(size)}")
    wide, narrow = (
        inline_svg(replace(drawing, name=f"{drawing.name}-{kind}"), TOKENS, width)
        for kind, width in (("wide", 11.0), ("narrow", 3.8))
    )
    return (
        f'<figure class="first"><h2>{escape(drawing.title)}</h2>\n<div class="wide">{wide}</div>'
        f'<div class="narrow">{narrow}</div>\n<figcaption>{escape(drawing.words)}</figcaption></figure>'
    )


def shown_size(found: Answer) -> str:
    """Return the size that the sentence names."""
    if best := smallest_within(found.choices):
        return best[0].size
    overall = [choice for choice in found.choices if choice.aspect == OVERALL] or found.choices
    return min(overall, key=lambda choice: choice.places[0].distance).size


def _choices(found: Answer) -> str:
    lines = []
    for choice in found.choices:
        place, kind = choice.places[0], ""
        if choice.aspect == OVERALL:
            kind = f"<b>{escape(choice.size)}</b> <small>{figure(choice.target)} vertices</small>"
        mark = ' class="best"' if choice.accepts(place) else ""
        alike = escape(listed(choice.alike)) if choice.alike else NONE
        if len(choice.places) > 1 and place.low is None:
            alike = "one seed has no interval"
        weak = ' <span class="warned">see the warning</span>' if choice.method in found.warnings else ""
        cells = (
            f'<td class="text">{escape(choice.aspect)}</td>'
            f'<td class="text">{_name(choice.method)}{weak}</td><td{mark}>{_interval(place)}</td>'
            f'<td>{100 * choice.tolerance:.1f}</td><td class="text fold">{alike}</td>'
        )
        lines.append((kind, cells))
    text = table_html(
        "What to take at each size",
        f"The method that is nearest to the original, in % (0: like the original, at most 100), with the "
        f"95 % interval over the seeds; green: within the tolerance. {weighting(found)}",
        ("size", "aspect", "method", "distance", "accepted", "not distinguishable from"),
        lines,
    )
    return text.replace('<div class="scroll">', '<div class="scroll choices">')


def _name(method: str) -> str:
    return f"<b>{escape(method)}</b> <small>{escape(words_of(method))}</small>"


def _interval(place: Place) -> str:
    text = f"{100 * place.distance:.1f}"
    if place.low is None or place.high is None:
        return text
    return f"{text} <small>{100 * place.low:.1f}\u2013{100 * place.high:.1f}</small>"


def _distances(found: Answer) -> Iterator[str]:
    """Yield a table for each size (of many for some): methods in rows, aspects in columns."""
    some = some_sizes(found)
    for overall in (each for each in found.choices if each.aspect == OVERALL and each.size in some):
        choices = [choice for choice in found.choices if choice.size == overall.size]
        at = [{place.method: place for place in choice.places} for choice in choices]
        lines = []
        for place in overall.places:
            cells = ""
            for choice, places in zip(choices, at, strict=True):
                kind = "best" if choice.accepts(places[place.method]) else ""
                cells += f'<td class="{kind}">{_interval(places[place.method])}</td>'
            lines.append((_name(place.method), cells))
        yield table_html(
            f"Distances at {overall.size}",
            "In % of the original, with 95 % intervals; green: within the tolerance.",
            ("method", *(choice.aspect for choice in choices)),
            lines,
        )


def _smallest(found: Answer, tolerance: Tolerance) -> str:
    lines = []
    for standing in found.ranking:
        cells = ""
        for verdict in found.verdicts:
            size = verdict.smallest.get(standing.method)
            kind = "none" if size is None else "best" if size == verdict.size else ""
            cells += f'<td class="{kind}">{escape(size or NONE)}</td>'
        lines.append((_name(standing.method), cells))
    return _turned(
        "The smallest size within the tolerance",
        "The smallest size at which the whole 95 % interval of the mean over the seeds is within the "
        "tolerance, as it is at all larger sizes. \u2013: at none of the sizes.",
        found,
        lines,
    )


def _heat(found: Answer) -> str:
    lines = []
    for standing in found.ranking:
        gaps = (found.deviations.get((standing.method, verdict.measure)) for verdict in found.verdicts)
        cells = (
            f'<td class="none">{NONE}</td>'
            if gap is None
            else f'<td class="heat" style="--share: {0.75 * min(1.0, gap):.2f}">{100 * gap:.0f}</td>'
            for gap in gaps
        )
        lines.append((_name(standing.method), "".join(cells)))
    return _turned(
        "How far each method is from the original",
        "The mean distance of a sample in %, over samples and sizes. \u2013: not defined.",
        found,
        lines,
    )


def _turned(title: str, words: str, found: Answer, lines: list[tuple[str, str]]) -> str:
    """Return a table with methods in rows, whose columns are headed by measures from bottom to top."""
    text = table_html(title, words, ("method", *(COMPARED[v.measure] for v in found.verdicts)), lines)
    return text.replace('<div class="scroll">', '<div class="scroll turned">')


def _measures(found: Answer, tolerance: Tolerance) -> str:
    lines = []
    for verdict in found.verdicts:
        original = "" if verdict.measure.startswith("ks_") else figure(verdict.original)
        aspect = next(name for name, measures in ASPECTS.items() if verdict.measure in measures)
        best = NONE if verdict.method is None else f"{verdict.size} by {verdict.method}"
        cells = f'<td class="text">{aspect}</td><td>{original}</td>'
        cells += f"<td>{tolerance.words(verdict.measure)}</td><td>{escape(best)}</td>"
        lines.append((COMPARED[verdict.measure], cells))
    heads = ("measure", "aspect", "original", "tolerance", "smallest size within")
    return table_html("The measures", "KS distances compare whole distributions.", heads, lines)


def _missing(study: Result, found: Answer) -> str:
    items = [f"{COMPARED[name]}: not defined, {why}" for name, why in found.missing.items()]
    partly = [row for row in study.summary if row["measure"] in COMPARED and row["defined"] < row["samples"]]
    items += [
        f"{COMPARED[row['measure']]}, {row['method']} at {row['size']}: not defined for "
        f"{row['samples'] - row['defined']} of {row['samples']} samples, which have no part in the mean"
        for row in partly
        if row["measure"] not in found.missing
    ]
    items += study.notes
    if not items:
        return ""
    more = f"<li>and {len(items) - NOTES} more: see study.json</li>" if len(items) > NOTES else ""
    listed = "\n".join(f"<li>{escape(text)}</li>" for text in items[:NOTES])
    return f"<h2>What was not measured, and what to know</h2>\n<ul>\n{listed}\n{more}</ul>"


# --- The files of a study beside its table: summary, Parquet, figures, report ---


def complete_record(folder: Path, more: dict[str, Any]) -> None:
    """Add to ``study.json`` what only the command knows: the input's files, how they were read."""
    path = folder / "study.json"
    save_record(path, {**json.loads(path.read_text(encoding="utf-8")), **more})


def write_outputs(
    study: Result,
    folder: Path,
    tolerance: Tolerance,
    *,
    name: str,
    facts: Sequence[tuple[str, str]],
    figures: bool,
    beside: Comparison | None = None,
    weights: Mapping[str, float] | None = None,
    columns: int = 1,
) -> list[str]:
    """Write what a study has beside ``study.csv`` and ``study.json``.

    Parameters
    ----------
    study : Result
    folder : Path
    tolerance : Tolerance
        Of the answer with which the report begins.
    name : str
        Of the graph.
    facts : sequence of (str, str)
        For the report.
    figures : bool
        Whether to draw: figures and the report need matplotlib.
    beside : Comparison, optional
        What the report shows after the answer.
    weights : dict of str to float, optional
        Of the aspects.
    columns : int
        Width of the figures: 1 or 2 columns of a journal.

    Returns
    -------
    list of str
        The names of the files.
    """
    written = ["summary.csv"]
    with atomic_write(folder / "summary.csv", "w") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(study.summary[0])
        writer.writerows(row.values() for row in study.summary)
    # the CSV has everything; Parquet is a convenience for those who have pyarrow
    if find_spec("pyarrow") is not None:
        pa, parquet = library("pyarrow", "arrow"), library("pyarrow.parquet", "arrow")
        values = {column: [row[column] for row in study.rows] for column in columns_of(study.plan.also)}
        with atomic_write(folder / "study.parquet", "wb") as out:
            parquet.write_table(pa.table(values), out)
        written.append("study.parquet")
    if figures:
        from clgraph.studies.figures import write_figures

        count = write_figures(study, study.best(tolerance, weights), folder / "figures", columns)
        text = report_html(study, tolerance, name=name, facts=facts, beside=beside, weights=weights)
        write_page(folder / "report.html", text)
        written += [f"figures ({count}, as PDF, SVG and PNG)", "report.html"]
    return written


# the page, of ``report.html`` and ``report.css``
PAGE = page(
    __file__,
    light="--faint: #c4c4c4; --good: #00795a; --heat: 213, 94, 0; $light",
    dark="--faint: #505a66; --good: #35c79b; --heat: 230, 130, 30; $dark",
)
