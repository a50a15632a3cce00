"""The quality report: one self-contained HTML file for screen, phone or paper, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from string import Template
from typing import TYPE_CHECKING

from clgraph._version import __version__
from clgraph.drawing import need_matplotlib
from clgraph.measures.figures import drawings, inline_svg
from clgraph.measures.words import DISTANCES, TABLES, Pair, figure, rows

if TYPE_CHECKING:
    from clgraph.sampling.curve import ReductionCurve


Facts = Sequence[tuple[str, str]]


def report_html(
    quality: Pair,
    *,
    names: tuple[str, str] = ("original", "sample"),
    facts: Facts = (),
    curve: ReductionCurve | None = None,
    no_curve: str | None = None,
) -> str:
    """The report as the text of one HTML file.

    Parameters
    ----------
    quality : Quality
    names : pair of str
        Of the original and the sample, for instance file names.
    facts : sequence of (str, str)
        What was sampled, and how: names and values, shown as they are.
    curve : ReductionCurve, optional
        Of the sample's method and seed.
    no_curve : str, optional
        Why there is none.

    Raises
    ------
    ClgraphError
        If matplotlib is not installed.
    """
    need_matplotlib("a report")
    whole, part = names
    two = quality.sample is not None
    figures = [
        f"<figure>\n<h3>{escape(each.title)}</h3>\n{inline_svg(each)}\n"
        f"<figcaption>{escape(each.words)}</figcaption>\n</figure>"
        for each in drawings(quality, curve)
    ]
    heads = '<th scope="col" class="original">original</th>'
    if two:
        heads += '<th scope="col" class="sample">sample</th><th scope="col">difference</th>'
    legend = '<b class="original">Circles, solid lines: original.</b>'
    if two:
        legend += ' <b class="sample">Triangles, dashed lines: sample.</b>'
    return PAGE.substitute(
        version=escape(__version__),
        title=escape(f"How good a sample is {part}?" if two else f"The shape of {whole}"),
        lead=escape(f"{part}, compared with its original {whole}." if two else "The measures of one graph."),
        how="What was sampled, and how" if two else "What was measured",
        cards="\n".join(_cards(quality)),
        facts="\n".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts),
        legend=legend,
        figures="\n".join(figures),
        left_out=f'<p class="note">Reduction curve: {escape(no_curve)}</p>' if no_curve else "",
        columns=heads,
        table="\n".join(_table(quality, two)),
        distances=_distances(quality),
        missing=_missing(quality),
        hops=escape(_hops(quality)),
    )


def _cards(quality: Pair) -> list[str]:
    one, other = quality.original, quality.sample
    if other is None:
        shown = [
            (figure(one.vertices), "vertices"),
            (figure(one.edges), "edges"),
            (figure(one.average_degree), "average degree"),
            (figure(one.degree_exponent.slope), "degree exponent"),
        ]
    else:
        assert quality.ks is not None
        share = f"{100 * other.vertices / one.vertices:.1f} %" if one.vertices else "-"
        shown = [
            (share, f"of the vertices: {figure(other.vertices)} of {figure(one.vertices)}"),
            (_change(one.average_degree, other.average_degree), "average degree"),
            (_change(one.degree_exponent.slope, other.degree_exponent.slope), "degree exponent"),
            (_change(one.clustering, other.clustering), "clustering"),
            (figure(quality.ks["degree"]), "distance of the degrees (0: the same, 1: nothing in common)"),
        ]
    return [f"<div><b>{escape(value)}</b><span>{escape(name)}</span></div>" for value, name in shown]


def _change(one: float | None, other: float | None) -> str:
    return f"{figure(one)} \u2192 {figure(other)}"


def _table(quality: Pair, two: bool) -> list[str]:
    lines = []
    for group, entries in TABLES:
        lines.append(f'<tr class="group"><th colspan="{4 if two else 2}" scope="colgroup">{group}</th></tr>')
        for row in rows(quality, entries):
            cells = [row.original, row.sample, row.difference] if two else [row.original]
            under = ' class="under"' if row.under else ""
            marked = "".join(
                f'<td data-column="{column}">{_break_share(cell)}</td>'
                for column, cell in zip(("original", "sample", "difference"), cells, strict=False)
            )
            name = f"<b>{escape(row.name)}</b><small>{escape(row.meaning)}</small>"
            lines.append(f'<tr{under}><th scope="row">{name}</th>{marked}</tr>')
    return lines


def _break_share(cell: str) -> str:
    """The share in brackets may move to its own line on a phone."""
    if " (" not in cell:
        return escape(cell)
    value, share = cell.split(" (", 1)
    return f'{escape(value)} <span class="share">({escape(share)}</span>'


def _distances(quality: Pair) -> str:
    if quality.ks is None:
        return ""
    lines = [
        f'<tr><th scope="row"><b>{escape(name)}</b><small>{escape(meaning)}</small></th>'
        f"<td>{figure(quality.ks[key])}</td></tr>"
        for key, name, meaning in DISTANCES
    ]
    return (
        "<h2>How far the distributions differ</h2>\n"
        '<p class="note">The Kolmogorov-Smirnov distance is the largest gap between two cumulative '
        "distributions: 0 where they are equal, 1 where they have nothing in common.</p>\n"
        '<div class="scroll"><table><thead><tr><th scope="col">distribution</th>'
        f'<th scope="col">distance</th></tr></thead><tbody>\n{chr(10).join(lines)}\n</tbody></table></div>'
    )


def _missing(quality: Pair) -> str:
    missing = [
        f"{row.name}, {reason}"
        for _, entries in TABLES
        for row in rows(quality, entries)
        for reason in row.reasons
    ]
    for whose, graph in (("original", quality.original), ("sample", quality.sample)):
        missing += [f"{whose}: {note}" for note in (graph.notes if graph else ())]
    if not missing:
        return ""
    items = "\n".join(f"<li>{escape(text)}</li>" for text in missing)
    return f"<h2>What is missing or left out</h2>\n<ul>\n{items}\n</ul>"


def _hops(quality: Pair) -> str:
    parts = []
    for whose, graph in (("original", quality.original), ("sample", quality.sample)):
        if graph is not None and not graph.hop_plot_exact:
            parts.append(f"of the {whose} from {graph.hop_plot_sources} of {graph.vertices} vertices")
    if not parts:
        return "Hop plots are searched from every vertex."
    return f"The hop plot is searched {' and '.join(parts)}, which seed {quality.seed} drew."


# --- The head of every HTML report: what their styles have in common ---


_HEAD = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="clgraph $version">
<title>$title</title>
<style>
:root { --paper: #ffffff; --card: #f4f5f7; --ink: #1b1b1b; --soft: #5a5f66; --grid: #d5d8dc; @light }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #15181c; --card: #1e2329; --ink: #e9ebee; --soft: #a8afb8; --grid: #3a414a; @dark }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 1.2rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: .4rem 0 .2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0; }
.note { color: var(--soft); margin: .2rem 0 1rem; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .7rem; }
.cards div { background: var(--card); border-radius: .5rem; padding: .6rem .8rem; }
.cards b { display: block; font-size: 1.15rem; line-height: 1.4; }
.cards span { color: var(--soft); font-size: .88rem; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: .4rem .55rem; border-top: 1px solid var(--grid); white-space: nowrap;
  font-variant-numeric: tabular-nums; }
th:first-child { text-align: left; font-weight: 400; white-space: normal; }
thead th { border-top: 0; color: var(--soft); font-weight: 600; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
figure { margin: 0; background: var(--card); border-radius: .5rem; padding: .8rem; min-width: 0; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .88rem; margin-top: .4rem; }
ul { padding-left: 1.2rem; } li { overflow-wrap: anywhere; }
@media (max-width: 36rem) {
  main { padding: .8rem .8rem 2rem; } h1 { font-size: 1.4rem; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; }
}
@media print {
  figure, .cards div, tr { break-inside: avoid; } h2, .note { break-after: avoid; }
  .figures { grid-template-columns: 1fr 1fr; }
}
@style</style>
</head>
<body>
<main>
"""
_END = """\
</main>
</body>
</html>
"""


def page(body: str, style: str, light: str, dark: str) -> Template:
    """A page to fill in; it asks for `version` and `title`, and for what its parts ask for.

    Parameters
    ----------
    body : str
        What stands in its main part.
    style : str
        Rules of its own, after those that all pages have.
    light, dark : str
        Colours of its own.
    """
    head = _HEAD.replace("@light", light).replace("@dark", dark).replace("@style", style)
    return Template(head + body + _END)


# --- The page: its text and style ---


STYLE = """\
.lead { color: var(--soft); margin: .2rem 0 1rem; overflow-wrap: anywhere; }
.cards b { overflow-wrap: anywhere; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", monospace; }
th, td { vertical-align: top; }
th:first-child { min-width: 11rem; }
tbody th b { font-weight: 600; }
tr.under th b { font-weight: 400; padding-left: 1rem; } tr.under th small { padding-left: 1rem; }
tbody th small { display: block; color: var(--soft); line-height: 1.35; }
tr.group th { padding-top: 1.2rem; font-weight: 700; border-top: 0; font-size: 1.05rem; }
.original { color: var(--original); } .sample { color: var(--sample); }
@media (max-width: 36rem) {
  th:first-child { min-width: 0; }
  /* a row of the large table becomes its name, and below it the figures, each with its column's name */
  .rows thead { display: none; } .rows, .rows tbody { display: block; }
  .rows tr { display: grid; grid-template-columns: repeat(3, 1fr); border-top: 1px solid var(--grid); }
  .rows tr.group { border: 0; }
  .rows th, .rows td { border: 0; padding: .35rem .3rem; }
  .rows th { grid-column: 1 / -1; padding-bottom: 0; }
  .rows td { text-align: left; white-space: normal; font-size: .92rem; }
  .rows td::before { content: attr(data-column); display: block; font-size: .75rem; color: var(--soft); }
  .rows td .share { display: block; }
}
"""
BODY = """\
<header>
<h1>$title</h1>
<p class="lead">$lead</p>
<div class="cards">
$cards
</div>
</header>
<section>
<h2>$how</h2>
<dl>
$facts
</dl>
</section>
<section>
<h2>Figures</h2>
<p class="note">$legend</p>
<div class="figures">
$figures
</div>
$left_out
</section>
<section>
<h2>Numbers</h2>
<div class="scroll">
<table class="rows">
<thead><tr><th scope="col">what is measured</th>$columns</tr></thead>
<tbody>
$table
</tbody>
</table>
</div>
$distances
$missing
</section>
<section>
<h2>How it is measured</h2>
<p>Graphs are measured without directions, self-loops and parallel edges. Exponents are slopes of
least-squares lines through logarithms (M. Faloutsos, P. Faloutsos, C. Faloutsos, SIGCOMM 1999); the
maximum-likelihood fit picks its own tail (Clauset, Shalizi, Newman, SIAM Review 2009). A sample keeps the
shape of a graph where its exponents, correlations and distances come close to the original's; reduction
methods are compared so by Krishnamurthy, Faloutsos and others (Computer Networks 51(15), 2007). $hops</p>
</section>
"""
PAGE = page(
    BODY,
    STYLE,
    light="--original: #0072B2; --sample: #D55E00; --third: #00795a;",
    dark="--original: #56B4E9; --sample: #E69F00; --third: #35c79b;",
)
