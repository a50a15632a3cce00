"""The report of a study: one self-contained HTML file that begins with the answer."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.drawing import need_matplotlib
from clgraph.formats import atomic_write
from clgraph.graph.exchange.common import library
from clgraph.measures.report import facts_html, figure, figures_html, page, table_html, write_page
from clgraph.studies.columns import COLUMNS, COMPARED
from clgraph.studies.figures import DARK, SERIES, TOKENS, drawings
from clgraph.studies.plan import Tolerance
from clgraph.studies.record import save_record
from clgraph.studies.summary import Answer, Standing

if TYPE_CHECKING:
    from clgraph.studies.summary import Result


NOTES = 30  # that the report lists: study.json has all
SIZES = 6  # that a sentence names: with more nobody reads it
NONE = "\u2013"


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

    Raises
    ------
    ClgraphError
        If matplotlib is not installed.
    """
    need_matplotlib("a report")
    found = study.best(tolerance)
    # the page has the heat map as a table
    figures = figures_html((e for e in drawings(study, found) if e.name != "heat-map"), TOKENS)
    plan = study.plan
    sizes = (f"{s} ({t} vertices)" for s, t in zip(plan.sizes, plan.targets, strict=True))
    about = {
        "methods": ", ".join(plan.methods),
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
        answer=answer_html(study, found, tolerance) + (f"\n{beside.html()}" if beside else ""),
        figures=figures,
        facts=facts_html((*facts, *about.items())),
    )


def _series(colours: tuple[str, ...]) -> str:
    return " ".join(f"--series{i}: {colour};" for i, colour in enumerate(colours))


def answer_html(study: Result, found: Answer, tolerance: Tolerance) -> str:
    """Return the answer: in a sentence, as cards, and in tables."""
    parts = [f'<p class="lead">{escape(sentence(study, found))}</p>', '<div class="cards">']
    for number, place in enumerate(found.ranking, 1):
        kept = _kept(study, place)
        parts.append(
            f"<div><b>{number}. {escape(place.method)}</b><span>of {len(found.verdicts)} measures "
            f"{escape(kept)} within the tolerance; {100 * place.deviation:.1f} % from the original on "
            "average</span></div>"
        )
    parts += ["</div>", _smallest(found, tolerance), _heat(found), _missing(study, found)]
    return "\n".join(parts)


def _kept(study: Result, place: Standing) -> str:
    """Return how many measures a method keeps at each size, from the largest on; of many sizes at some."""
    plan = study.plan
    sizes = [size for _, size in sorted(zip(plan.targets, plan.sizes, strict=True), reverse=True)]
    if len(sizes) > SIZES:
        sizes = [sizes[i * (len(sizes) - 1) // (SIZES - 1)] for i in range(SIZES)]
    return ", ".join(f"{place.kept[size]} at {size}" for size in sizes)


def sentence(study: Result, found: Answer) -> str:
    """Return the answer in words."""
    if not found.ranking:
        return "Nothing could be compared: no measure of the original is defined."
    best, of = found.ranking[0], len(found.verdicts)
    closest = min(found.ranking, key=lambda place: place.deviation)
    away = f"{100 * closest.deviation:.1f} %"
    if not any(best.kept.values()):
        return (
            "No method keeps any measure within the tolerance at any of the sizes. "
            f"{closest.method} stays closest: {away} from the original on average."
        )
    text = f"{best.method} keeps most: of {of} measures {_kept(study, best)} are within the tolerance."
    if len(found.ranking) > 1:
        text += f" On average {closest.method} is closest to the original: {away} away."
    return text


def _smallest(found: Answer, tolerance: Tolerance) -> str:
    methods = [place.method for place in found.ranking]
    lines = []
    for verdict in found.verdicts:
        original = "" if verdict.measure.startswith("ks_") else figure(verdict.original)
        cells = f"<td>{original}</td><td>{tolerance.words(verdict.measure)}</td>"
        for method in methods:
            size = verdict.smallest.get(method)
            kind = "none" if size is None else "best" if size == verdict.size else ""
            cells += f'<td class="{kind}">{escape(size or NONE)}</td>'
        lines.append((COMPARED[verdict.measure], cells))
    return table_html(
        "The smallest size within the tolerance",
        "The smallest size at which the whole 95 % interval of the mean over the seeds is within the "
        "tolerance, as it is at all larger sizes. \u2013: at none of the sizes.",
        ("measure", "original", "tolerance", *methods),
        lines,
    )


def _heat(found: Answer) -> str:
    methods = [place.method for place in found.ranking]
    lines = []
    for verdict in found.verdicts:
        gaps = (found.deviations.get((method, verdict.measure)) for method in methods)
        cells = (
            '<td class="none">not defined</td>'
            if gap is None
            else f'<td class="heat" style="--share: {0.75 * min(1.0, gap):.2f}">{100 * gap:.1f}</td>'
            for gap in gaps
        )
        lines.append((COMPARED[verdict.measure], "".join(cells)))
    return table_html(
        "How far each method is from the original",
        "In % of the original\u2019s value, 100 at most, on average over the sizes; of KS distances 100 "
        "times the distance.",
        ("measure", *methods),
        lines,
    )


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
        columns = {column: [row[column] for row in study.rows] for column in COLUMNS}
        with atomic_write(folder / "study.parquet", "wb") as out:
            parquet.write_table(pa.table(columns), out)
        written.append("study.parquet")
    if figures:
        from clgraph.studies.figures import write_figures

        count = write_figures(study, study.best(tolerance), folder / "figures")
        text = report_html(study, tolerance, name=name, facts=facts, beside=beside)
        write_page(folder / "report.html", text)
        written += [f"figures ({count})", "report.html"]
    return written


# the page, of ``report.html`` and ``report.css``
PAGE = page(
    __file__,
    light="--good: #00795a; --heat: 213, 94, 0; $light",
    dark="--good: #35c79b; --heat: 230, 130, 30; $dark",
)
