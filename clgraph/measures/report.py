"""The quality report, one self-contained HTML file for screen, phone or paper, and its tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from operator import attrgetter
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from clgraph._version import __version__
from clgraph.drawing import NONE, check_format, figure, need_matplotlib, written
from clgraph.formats import atomic_write
from clgraph.measures.figures import TOKENS, Drawing, drawings, inline_svg
from clgraph.measures.scalars import Measures, Pair

if TYPE_CHECKING:
    from clgraph.sampling.curve import ReductionCurve


@dataclass(frozen=True)
class Row:
    """A row of the table; a measure that is undefined is "-", and `reasons` says why.

    Its cells are the original's value and, if there is a sample, the sample's and their difference.
    """

    name: str
    meaning: str
    cells: list[str]
    reasons: list[str]
    path: str
    values: list[Any]

    @property
    def under(self) -> bool:
        """True if it belongs to an exponent above it: its correlation, or another fit."""
        return self.name.startswith(("its ", "by ", "where "))


# what measures mean, by their attributes
SIZE = {
    "vertices": "How many vertices there are.",
    "edges": "Pairs of vertices that are joined; self-loops and parallel edges are not counted.",
    "average_degree": "Neighbours of a vertex on average, 2m/n.",
    "largest_degree": "Neighbours of the vertex that has the most.",
    "density": "The share of all possible edges that exist.",
    "components": "Parts that are not connected with each other.",
    "largest_component": "Vertices of the largest part; a sample by reduction is one part.",
}
SHAPE = {
    "clustering": "How likely two neighbours of a vertex are neighbours, averaged over the vertices.",
    "transitivity": "The same over all pairs of edges that meet: hubs count more.",
    "triangles": "Triples of vertices that are all neighbours.",
    "assortativity": "Correlation of the degrees of neighbours: negative where hubs are joined with vertices "
    "of few.",
    "largest_core": "The largest k for which a part has k or more neighbours each within it.",
    "effective_diameter": "Hops within which 90 % of the connected pairs lie.",
    "mean_distance": "Hops between two vertices on average.",
    "diameter": "The longest distance; of a large graph the longest that was found.",
    "modularity": "How far edges keep within the communities that Louvain's method finds in the original.",
    "weighted_distance": "The least sum of weights between two vertices on average.",
    "ks_in_degree": "How far degrees by arcs in are from the original's (KS distance; 0: the same).",
    "ks_out_degree": "The same by arcs out.",
}
# exponents, and what their slope, its correlation, the cumulative fit and that by maximum likelihood mean
EXPONENTS = (
    (
        "degree",
        "Slope of the number of vertices of a degree against the degree, both as logarithms: the steeper, "
        "the rarer the hubs.",
        "How well a line fits: \u22121 or 1 is a perfect power law.",
        "The same exponent from the share of vertices with at least a degree, which is less noisy.",
        "The same exponent for the tail of the distribution, statistically the soundest of the three.",
    ),
    (
        "rank",
        "Slope of a vertex's degree against its rank by degree, both as logarithms.",
        "How well a line fits.",
        "Derived from the cumulative fit of the degrees.",
        "Derived from the tail's alpha: \u22121/(alpha \u2212 1).",
    ),
    (
        "eigen",
        "Slope of the 20 largest eigenvalues of the adjacency matrix against their rank, both as logarithms.",
        "How well a line fits.",
        "A line through the same points, rank against value.",
        "Hill's estimator of the same points.",
    ),
    (
        "hop-plot",
        "How fast the number of pairs of vertices within h hops grows: 2 in a grid, more in a small world.",
        "How well a line fits its first few points.",
    ),
)
TAIL = (
    ("minimum", "where that tail begins", "The smallest degree of the tail."),
    (
        "lognormal_ratio",
        "by its likelihood, against a lognormal",
        "Positive: a power law is the likelier of the two. The next row says how sure that is.",
    ),
    (
        "lognormal_p",
        "by chance, if they were equal",
        "The probability of a ratio as far from 0: small where its sign means something.",
    ),
)
Entry = tuple[str, str, str]  # path of attributes, name, what it means


def _named(meanings: dict[str, str]) -> list[Entry]:
    names = {path: path.replace("_", " ").replace("ks ", "KS distance, ") for path in meanings}
    return [(path, names[path], meaning) for path, meaning in meanings.items()]


def _laws() -> Iterator[Entry]:
    fits = {"correlation": "its correlation"}
    fits |= {"ccdf.exponent": "by the cumulative fit", "mle.exponent": "by maximum likelihood"}
    for law, slope, *meanings in EXPONENTS:
        path = f"{law.replace('-', '_')}_exponent"
        yield f"{path}.slope", f"{law} exponent", slope
        for (fit, name), meaning in zip(fits.items(), meanings, strict=False):
            yield f"{path}.{fit}", name, meaning
        if law == "degree":
            yield from ((f"{path}.mle.{attribute}", name, meaning) for attribute, name, meaning in TAIL)


TABLES = (("Size", _named(SIZE)), ("Power laws", list(_laws())), ("Shape", _named(SHAPE)))
DISTANCES = (
    ("degree", "degrees", "Neighbours of the vertices."),
    ("clustering", "local clustering", "How likely a vertex's neighbours are neighbours, vertex by vertex."),
    ("hop_plot", "hop plot", "The share of pairs within h hops."),
    ("component_share", "component sizes, as shares", "Each part's share of the vertices."),
    ("component_size", "component sizes", "Vertices of each part: a sample's are meant to be fewer."),
    ("core_number", "core numbers", "How deep in the core each vertex is."),
)


def rows(quality: Pair, entries: Any) -> Iterator[Row]:
    """Return the rows of one table of TABLES."""
    for path, name, meaning in entries:
        if not quality.original.is_made(path):
            continue
        values = {whose: attrgetter(path)(graph) for whose, graph in quality._graphs.items()}
        # only by the package powerlaw
        if values["original"] is None and "lognormal" in path:
            continue
        cells, reasons = [], []
        for whose, value in values.items():
            graph = quality._graphs[whose]
            # a diameter is the longest distance that was found, which may not be the longest
            bound = path == "diameter" and value and not graph.hop_plot_exact
            # the hop plot of a large graph is an estimate
            ends = graph.effective_diameter_interval if path == "effective_diameter" else None
            within = f" ({figure(ends[0])} to {figure(ends[1])})" if ends and ends[0] < ends[1] else ""
            cells.append(("\u2265 " if bound else "") + figure(value) + within)
            if value is None:
                reasons.append(f"{whose}: {why(graph, path)}")
        if "sample" in values:
            cells.append(difference(*values.values()))
        yield Row(name, meaning, cells, reasons, path, list(values.values()))


def why(measures: Measures, path: str) -> str:
    """Return why a measure is None."""
    if "." not in path:
        return measures.reasons.get(path, "it is undefined")
    return str(attrgetter(path.rsplit(".", 1)[0] + ".reason")(measures))


def difference(one: float | None, other: float | None) -> str:
    """Sample minus original, and as a share of the original if both are positive."""
    if one is None or other is None:
        return "-"
    gap = other - one
    if gap == 0:
        return "0"
    text = figure(gap) if gap < 0 else f"+{figure(gap)}"
    if one > 0 and other > 0:
        text += f" ({100 * (other / one - 1):+.1f} %)".replace("-", "\u2212")
    return text


def print_table(quality: Pair, form: str) -> str:
    """See `Quality.table`."""
    check_format(form)
    two = quality.sample is not None
    found = [row for _, entries in TABLES for row in rows(quality, entries)]
    gaps = [(key, name, quality.ks[key]) for key, name, _ in DISTANCES] if quality.ks is not None else []
    if form == "csv":
        lines = [[row.path, *("" if value is None else value for value in row.values)] for row in found]
        lines += [[f"ks.{key}", "", "" if gap is None else gap] for key, _, gap in gaps]
        return written(["measure", *quality._graphs], lines, form)
    lines, above = [], ""
    for row in found:
        above = above if row.under else row.name
        name = f"{above}, {row.name}" if row.under else row.name
        lines.append([name, *(NONE if cell == "-" else cell for cell in row.cells)])
    lines += [[f"KS distance, {name}", "", "", NONE if gap is None else figure(gap)] for _, name, gap in gaps]
    return written(["measure", *quality._graphs, *(["difference"] if two else [])], lines, form)


# --- The report ---

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
        facts=facts_html(facts),
        legend=legend,
        figures=figures_html(drawings(quality, curve)),
        left_out=f'<p class="note">Reduction curve: {escape(no_curve)}</p>' if no_curve else "",
        columns=heads,
        table="\n".join(_table(quality, two)),
        distances=_distances(quality),
        missing=list_html("What is missing or left out", missing(quality)),
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
            under = ' class="under"' if row.under else ""
            marked = "".join(
                f'<td data-column="{column}">{_break_share(cell)}</td>'
                for column, cell in zip(("original", "sample", "difference"), row.cells, strict=False)
            )
            lines.append(f'<tr{under}><th scope="row">{_name(row.name, row.meaning)}</th>{marked}</tr>')
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
    return table_html(
        "How far the distributions differ",
        "The Kolmogorov-Smirnov distance is the largest gap between two cumulative distributions: 0 where "
        "they are equal, 1 where they have nothing in common.",
        ("distribution", "distance"),
        [(_name(name, meaning), f"<td>{figure(quality.ks[key])}</td>") for key, name, meaning in DISTANCES],
    )


def _name(name: str, meaning: str) -> str:
    return f"<b>{escape(name)}</b><small>{escape(meaning)}</small>"


def missing(quality: Pair) -> list[str]:
    """Return why measures are undefined, and what was left out of the graphs."""
    undefined = [
        f"{row.name}, {reason}"
        for _, entries in TABLES
        for row in rows(quality, entries)
        for reason in row.reasons
    ]
    return undefined + [
        f"{whose}: {note}" for whose, graph in quality._graphs.items() for note in graph.notes
    ]


def _hops(quality: Pair) -> str:
    parts = [
        f"of the {whose} from {graph.hop_plot_sources} of {graph.vertices} vertices"
        for whose, graph in quality._graphs.items()
        if not graph.hop_plot_exact
    ]
    if not parts:
        return "Hop plots are searched from every vertex."
    return f"The hop plot is searched {' and '.join(parts)}, which seed {quality.seed} drew."


# --- What several reports have: figures, facts and tables as HTML ---


def figures_html(drawn: Iterable[Drawing], tokens: dict[str, str] = TOKENS) -> str:
    """Figures, each with its title and its description."""
    return "\n".join(
        f"<figure>\n<h3>{escape(each.title)}</h3>\n{inline_svg(each, tokens)}\n"
        f"<figcaption>{escape(each.words)}</figcaption>\n</figure>"
        for each in drawn
    )


def facts_html(facts: Facts) -> str:
    """Names and values."""
    return "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts)


def list_html(title: str, items: Iterable[str]) -> str:
    """A list below its title; nothing without items."""
    listed = "\n".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<h2>{title}</h2>\n<ul>\n{listed}\n</ul>" if listed else ""


def table_html(title: str, words: str, heads: Iterable[str], lines: Iterable[tuple[str, str]]) -> str:
    """A table below its title and a note; a line is the name of a row, and its cells, as HTML."""
    head = "".join(f'<th scope="col">{escape(each)}</th>' for each in heads)
    body = "\n".join(f'<tr><th scope="row">{name}</th>{cells}</tr>' for name, cells in lines)
    return (
        f'<h2>{escape(title)}</h2>\n<p class="note">{escape(words)}</p>\n'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def write_page(path: str | os.PathLike[str], text: str) -> None:
    """Write a page as a file; the name of a graph's file in it may be no UTF-8."""
    with atomic_write(path, "wb") as out:
        out.write(text.encode("utf-8", "backslashreplace"))


# --- Pages: ``report.html`` and ``report.css`` in ``page.html``, which all reports have ---


def page(module: str, light: str, dark: str) -> Template:
    """Return the template of a page, with `version`, `title` and the placeholders of its parts.

    Parameters
    ----------
    module : str
        A module's file: beside it there are a ``.html`` and a ``.css`` of its name.
    light, dark : str
        Colours of its own.
    """
    text = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    for place, suffix in (("@style", ".css"), ("@body", ".html")):
        text = text.replace(place, Path(module).with_suffix(suffix).read_text(encoding="utf-8"))
    return Template(text.replace("@light", light).replace("@dark", dark))


PAGE = page(
    __file__,
    light="--original: #0072B2; --sample: #D55E00; --third: #00795a;",
    dark="--original: #56B4E9; --sample: #E69F00; --third: #35c79b;",
)
