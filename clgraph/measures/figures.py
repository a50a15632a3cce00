"""The figures of a quality report (matplotlib, the extra `plot`)."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.arguments import shown
from clgraph.drawing import COLUMNS, PRINT, label_narrow, thousands
from clgraph.errors import InputError
from clgraph.measures.fits import Exponent, with_neighbours
from clgraph.measures.scalars import Measures, Pair

if TYPE_CHECKING:
    from clgraph.sampling.curve import ReductionCurve


# inches: narrow enough that the text can be read on a phone
SIZE = (5.4, 4.1)
DATES = {"pdf": "CreationDate", "svg": "Date"}  # what a file says of when it was written
# Okabe and Ito's colours, which colour-blind readers can tell apart; markers and dashes differ too, for print
PAPER = {"ink": "#1b1b1b", "grid": "#d0d0d0", "original": "#0072B2", "sample": "#D55E00", "third": "#009E73"}
# placeholders that become CSS variables in an SVG, so that the page can be dark
TOKENS = {"ink": "#0a0b01", "grid": "#0a0b02", "original": "#0a0b03", "sample": "#0a0b04", "third": "#0a0b05"}


# "original", and "sample" where there is one
Named = dict[str, Measures]


# title and description of each figure
TITLES = {
    "degrees": ("Degree distribution", "Number of vertices of each degree against the degree"),
    "ranks": ("Rank plot", "Degree of each vertex against its rank by degree"),
    "hops": ("Hop plot", "Ordered pairs of vertices within h hops against h"),
    "clustering": (
        "Clustering by degree",
        "Mean local clustering coefficient of vertices of about the same degree, against the degree",
    ),
    "eigenvalues": (
        "Largest eigenvalues",
        "The largest eigenvalues of the adjacency matrix against their rank",
    ),
}


@dataclass(frozen=True)
class Drawing:
    """One figure: a short name, its title, a description in words, and the function that draws it.

    Attributes
    ----------
    name, title, words : str
    draw : callable
        Takes axes, or with `height` the figure, and colours by name.
    height : callable, optional
        From the width to the height of a figure of several panels, in inches.
    """

    name: str
    title: str
    words: str
    draw: Callable[[Any, dict[str, str]], None]
    height: Callable[[float], float] | None = None


def drawings(quality: Pair, curve: ReductionCurve | None = None) -> list[Drawing]:
    """Return the figures for which there are data."""
    graphs = quality._graphs
    means = "; ".join(f"{name}: mean {short(graph.clustering)}" for name, graph in graphs.items())
    made = []
    for name, (title, words) in TITLES.items():
        if name == "clustering":
            draw = partial(draw_clustering, graphs=graphs)
            made.append(Drawing(name, title, f"{words}. {means}.", draw))
        elif name != "eigenvalues" or any(len(graph.eigenvalues) for graph in graphs.values()):
            words = f"{words}, both axes logarithmic. {_slopes(graphs, FITTED[name][0])}"
            made.append(Drawing(name, title, words, partial(draw_fitted, figure=name, graphs=graphs)))
    if curve is not None:
        made.append(
            Drawing(
                "curve",
                "Reduction curve",
                f"Average degree while {curve.method} with seed {curve.seed} shrinks the original: from "
                f"{short(float(curve.average_degree[0]))} at {int(curve.vertices[0])} vertices to "
                f"{short(float(curve.average_degree[-1]))} at {int(curve.vertices[-1])}.",
                partial(draw_curve, curve=curve),
            )
        )
    return made


def check_panels(panels: Sequence[str] | str | None) -> list[str] | None:
    """Check the names of panels; None for all.

    Raises
    ------
    InputError
        An unknown name, one twice, or none.
    """
    if panels is None:
        return None
    names = [part.strip() for part in panels.split(",")] if isinstance(panels, str) else panels
    known = (*TITLES, "curve")
    if not isinstance(names, Sequence) or not names:
        raise InputError(f"panels is {shown(panels)}: give some of {', '.join(known)}")
    for i, name in enumerate(names):
        if not isinstance(name, str) or name not in known:
            raise InputError(f"{shown(name)} is no panel: use {', '.join(known)}")
        if name in names[:i]:
            raise InputError(f"the panel {name} is named twice")
    return list(names)


def chosen(drawn: list[Drawing], panels: Sequence[str] | str | None) -> list[Drawing]:
    """Return the figures of some panels, in the order in which they are named.

    Raises
    ------
    InputError
        As `check_panels`, or if there are no data for one.
    """
    names = check_panels(panels)
    there = {each.name: each for each in drawn}
    if names is None:
        return drawn
    for name in names:
        if name not in there:
            raise InputError(f"there is no panel {name} here: no data for it; there are {', '.join(there)}")
    return [there[name] for name in names]


def _slopes(graphs: Named, exponent: str) -> str:
    parts = []
    for name, graph in graphs.items():
        fit: Exponent = getattr(graph, exponent)
        if fit.slope is None:
            parts.append(f"{name}: no line ({fit.reason})")
        else:
            parts.append(f"{name}: slope {short(fit.slope)}, correlation {short(fit.correlation)}")
    return "; ".join(parts) + "."


def picture(drawn: list[Drawing], file: Any, format: str, title: str) -> None:
    """Write all figures on one page, two in a row, to a file."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # ticks are drawn as the page is saved
    with rc_context(_style(PAPER)):
        draw_page(Figure, drawn, title).savefig(file, format=format, dpi=150)


def draw_page(new: Callable[..., Any], drawn: list[Drawing], title: str) -> Any:
    """Draw all figures on one page, two in a row, and return it.

    Parameters
    ----------
    new : callable
        Makes a matplotlib Figure: the class, or ``pyplot.figure``, which shows it in a notebook.
    """
    from matplotlib import rc_context

    rows = -(-len(drawn) // 2)
    with rc_context(_style(PAPER)):
        page = new(figsize=(2 * SIZE[0], rows * SIZE[1] + 0.4), layout="constrained")
        page.suptitle(title)
        for i, each in enumerate(drawn):
            _draw(page.add_subplot(rows, 2, i + 1), each, PAPER, title=True)
    return page


def figure_of(
    drawing: Drawing, colours: dict[str, str], *, title: bool = True, width: float = SIZE[0]
) -> Any:
    """Draw one figure on a page of its own, `width` inches wide.

    Pages of a journal's columns (`COLUMNS`) have smaller text than those of a report.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    height = drawing.height(width) if drawing.height else SIZE[1] / SIZE[0] * min(width, SIZE[0])
    with rc_context(_style(colours) | (PRINT if width in COLUMNS.values() else {})):
        figure = Figure(figsize=(width, height), layout="constrained")
        if drawing.height:
            if title:
                figure.suptitle(drawing.title)
            drawing.draw(figure, colours)
        else:
            _draw(figure.add_subplot(), drawing, colours, title=title)
    return figure


def write_print(
    drawing: Drawing,
    folder: Path,
    columns: int,
    colours: dict[str, str],
    *,
    forms: Sequence[str] = ("pdf", "svg", "png"),
    name: str | None = None,
) -> None:
    """Write one figure as PDF, SVG and PNG, as wide as one or two columns of a journal.

    With `name` it is written to that file alone, in the one format of `forms`.
    """
    from matplotlib import rc_context

    from clgraph.formats import atomic_write

    # without the date and random ids, the same study gives the same bytes
    style: Any = {**_style(colours), **PRINT, "svg.hashsalt": drawing.name}
    with rc_context(style):
        page = figure_of(drawing, colours, width=COLUMNS[columns])
        page.set_dpi(300)  # as PNG has it: widths of text differ by resolution
        page.draw_without_rendering()  # places everything, once for all formats
        page.set_layout_engine("none")
        for form in forms:
            known: Any = {"metadata": {DATES[form]: None}} if form in DATES else {}
            path = folder / f"{drawing.name}.{form}" if name is None else Path(name)
            with atomic_write(path, "wb") as out:
                page.savefig(out, format=form, dpi=300, **known)


def inline_svg(drawing: Drawing, tokens: dict[str, str] = TOKENS, width: float = SIZE[0]) -> str:
    """Return a figure as an SVG element for a page that defines a CSS variable per token: ``--ink``, ..."""
    from html import escape

    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context({**_style(tokens), "svg.hashsalt": drawing.name, "svg.fonttype": "path"}):
        figure = figure_of(drawing, tokens, title=False, width=width)
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = out.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    # ids are unique within a figure, but a page has several figures
    text = re.sub(r'\bid="', f'id="{drawing.name}-', text)
    text = re.sub(r'(href="#|url\(#)', rf"\g<1>{drawing.name}-", text)
    for name, token in tokens.items():
        text = text.replace(token, f"var(--{name})")
    head, rest = text.split(">", 1)
    box = re.search(r'viewBox="[^"]*"', head)
    assert box is not None
    words = escape(f"{drawing.title}. {drawing.words}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {box[0]} '
        f'role="img" aria-label="{words}"><title>{words}</title>{rest}'
    )


def _style(colours: dict[str, str]) -> Any:
    inked = ("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color")
    return {
        **dict.fromkeys(inked, colours["ink"]),
        "font.size": 11.5,
        "axes.titlesize": 12,
        "grid.color": colours["grid"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "legend.frameon": False,
        "legend.fontsize": 10,
        "font.family": "DejaVu Sans",
        "axes.facecolor": "none",
        "pdf.fonttype": 42,
    }


def _draw(axes: Any, drawing: Drawing, colours: dict[str, str], *, title: bool) -> None:
    if title:
        axes.set_title(drawing.title)
    axes.grid(visible=True, linewidth=0.6)
    drawing.draw(axes, colours)


# --- Contents of the figures: points, fitted lines and axes ---


# most points drawn per curve
POINTS = 300
LOOKS = {"original": ("o", "-"), "sample": ("^", "--")}


def short(value: float | None) -> str:
    """Format a number for a legend or a sentence."""
    return "none" if value is None else f"{value:.3g}".replace("-", "\u2212")


def _points(axes: Any, x: Any, y: Any, name: str, colour: str, label: str | None) -> None:
    from matplotlib import rcParams

    small = min(5.0, rcParams["lines.markersize"])  # in print they are smaller
    style = {"color": colour, "markersize": small, "markerfacecolor": "none", "markeredgewidth": 0.22 * small}
    axes.plot(x, y, LOOKS[name][0], label=label, **style)


def _finish(axes: Any, x: str, y: str, *, logarithmic: bool = True) -> None:
    axes.set(xlabel=x, ylabel=y)
    if not axes.has_data():
        axes.text(0.5, 0.5, "nothing to draw", transform=axes.transAxes, ha="center", va="center")
        axes.set(xticks=[], yticks=[])
        return
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        # room for the legend above the data: lines that cross the whole square leave no corner free
        low, high = axes.get_ylim()
        axes.set_ylim(low, high * (high / low) ** 0.16)
        label_narrow(axes.yaxis, *axes.get_ylim())
        label_narrow(axes.xaxis, *axes.get_xlim())
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="upper right", borderaxespad=0.1, labelspacing=0.25)


def _thin(count: int) -> Any:
    """Return at most POINTS indices of 0 .. count - 1, denser at the beginning."""
    if count <= POINTS:
        return np.arange(count)
    return np.unique(np.geomspace(1, count, POINTS).astype(np.int64)) - 1


# x, y, and the ends of the line through them
Points = tuple[Any, Any, tuple[float, float]]


def _degrees(graph: Measures) -> Points:
    """Return the number of vertices of each degree."""
    degree, count = with_neighbours(*graph.degree_histogram)
    fit, keep, end = graph.degree_exponent, _thin(len(degree)), float(degree[-1])
    if fit.intercept is not None and fit.slope is not None and fit.slope < 0:
        # not below half a vertex, where the line means nothing
        end = min(end, float(np.exp((np.log(0.5) - fit.intercept) / fit.slope)))
    return degree[keep], count[keep], (degree[0], end)


def _ranks(graph: Measures) -> Points:
    """Return the degree of each vertex by its rank."""
    degree, count = (each[::-1] for each in with_neighbours(*graph.degree_histogram))
    ends = np.cumsum(count)
    ranks = np.unique(np.geomspace(1, int(ends[-1]), 90).astype(np.int64))
    return ranks, degree[np.searchsorted(ends, ranks)], (1, int(ends[-1]))


def _hops(graph: Measures) -> Points:
    """Return the pairs of vertices within h hops."""
    keep = _thin(len(graph.hop_plot) - 1) + 1
    return keep, graph.hop_plot[keep], (1, max(2, graph.hop_plot_exponent.points))


def _eigenvalues(graph: Measures) -> Points:
    """Return the largest eigenvalues by their rank."""
    values = graph.eigenvalues
    return np.arange(1, len(values) + 1), values, (1, len(values))


# by figure: the exponent whose line is drawn, its points, and the axes' labels
FITTED = {
    "degrees": ("degree_exponent", _degrees, "degree", "vertices"),
    "ranks": ("rank_exponent", _ranks, "rank by degree", "degree"),
    "hops": ("hop_plot_exponent", _hops, "hops", "pairs within this many hops"),
    "eigenvalues": ("eigen_exponent", _eigenvalues, "rank", "eigenvalue"),
}


def draw_fitted(axes: Any, colours: dict[str, str], figure: str, graphs: Named) -> None:
    """Draw each graph's points and the line fitted to them; the legend names the line, or else the points."""
    exponent, points, *labels = FITTED[figure]
    for name, graph in graphs.items():
        if not graph.edges or (figure == "eigenvalues" and not len(graph.eigenvalues)):
            continue
        (x, y, between), fit = points(graph), getattr(graph, exponent)
        _points(axes, x, y, name, colours[name], name if fit.slope is None else None)
        if fit.slope is None or fit.intercept is None:
            continue
        ends = np.array(between, np.float64)
        label = f"{name}: slope {short(fit.slope)}"
        if fit.correlation is not None:
            label += f", r {short(fit.correlation)}"
        line = np.exp(fit.intercept) * ends**fit.slope
        axes.plot(ends, line, LOOKS[name][1], color=colours[name], linewidth=1.8, label=label)
    _finish(axes, *labels)
    if figure == "eigenvalues":
        _ticks(axes, [1, 2, 3, 5, 10, 20])
    if figure == "hops" and axes.has_data():
        furthest = max(1, *(len(graph.hop_plot) - 1 for graph in graphs.values()))
        many = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000)
        some = many if furthest > 20 else (1, 2, 3, 4, 6, 8, 10, 15, 20)
        _ticks(axes, [h for h in some if h <= furthest])
        axes.legend(loc="lower right", borderaxespad=0.1)


def _ticks(axes: Any, at: list[int]) -> None:
    from matplotlib.ticker import NullFormatter

    axes.set_xticks(at, [str(each) for each in at])
    axes.xaxis.set_minor_formatter(NullFormatter())


def draw_clustering(axes: Any, colours: dict[str, str], graphs: Named) -> None:
    """Draw the mean local clustering of vertices of about the same degree."""
    for name, graph in graphs.items():
        degree, count = graph.degree_histogram
        inside = degree > 1
        degree, count, mean = degree[inside], count[inside], graph.clustering_by_degree[inside]
        if not len(degree):
            continue
        # eight bins of degrees to a power of ten: most large degrees occur once
        bins = np.floor(8 * np.log10(degree)).astype(int)
        _, which = np.unique(bins, return_inverse=True)
        weight = np.bincount(which, weights=count)
        x = np.exp(np.bincount(which, weights=count * np.log(degree)) / weight)
        y = np.bincount(which, weights=count * mean) / weight
        axes.plot(x, y, LOOKS[name][1], color=colours[name], linewidth=1.2)
        _points(axes, x, y, name, colours[name], f"{name}: mean {short(graph.clustering)}")
    _finish(axes, "degree", "mean local clustering", logarithmic=False)
    if axes.has_data():
        axes.set_xscale("log")
        label_narrow(axes.xaxis, *axes.get_xlim())
        axes.set_ylim(0, max(axes.get_ylim()[1] * 1.18, 0.01))


def draw_curve(axes: Any, colours: dict[str, str], curve: ReductionCurve) -> None:
    """Draw vertices, edges and average degree while the original is reduced."""
    keep = np.unique(np.linspace(0, len(curve.vertices) - 1, POINTS).astype(np.int64))
    vertices, edges = curve.vertices[keep], curve.edges[keep]
    degree = curve.average_degree[keep] / max(curve.average_degree[0], 1e-300)
    for share, line, colour, width, label in (
        (vertices / vertices[0], ":", "ink", 1.4, "vertices left"),
        (edges / max(edges[0], 1), "--", "third", 1.8, "edges left"),
        (degree, "-", "original", 1.8, "average degree"),
    ):
        axes.plot(vertices, share, line, color=colours[colour], linewidth=width, label=label)
    last = {"color": colours["sample"], "markersize": 8, "label": "average degree of the sample"}
    axes.plot(vertices[-1:], degree[-1:], "^", **last)
    axes.set(xlabel="vertices left", ylabel="as a share of the original", ylim=(0, None))
    axes.locator_params(axis="x", nbins=5)
    axes.xaxis.set_major_formatter(thousands)
    axes.invert_xaxis()
    axes.legend(loc="lower left", borderaxespad=0.1, labelspacing=0.25)
