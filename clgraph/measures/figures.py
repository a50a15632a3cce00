"""The figures of a quality report (matplotlib, the extra `plot`)."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clgraph.measures.fits import Exponent
from clgraph.measures.pair import Pair
from clgraph.measures.plots import (
    draw_clustering,
    draw_curve,
    draw_degrees,
    draw_eigenvalues,
    draw_hops,
    draw_ranks,
    short,
)
from clgraph.measures.scalars import Measures

if TYPE_CHECKING:
    from clgraph.sampling.curve import ReductionCurve

SIZE = (5.4, 4.1)  # inches: narrow enough that the text can be read on a phone
# Okabe and Ito's colours, which colour-blind readers can tell apart; markers and dashes differ too, for print
PAPER = {"ink": "#1b1b1b", "grid": "#d0d0d0", "original": "#0072B2", "sample": "#D55E00", "third": "#009E73"}
# placeholders that become CSS variables in an SVG, so that the page can be dark
TOKENS = {"ink": "#0a0b01", "grid": "#0a0b02", "original": "#0a0b03", "sample": "#0a0b04", "third": "#0a0b05"}


@dataclass(frozen=True)
class Drawing:
    """One figure: a short name, its title, a description in words, and the function that draws it."""

    name: str
    title: str
    words: str
    draw: Callable[[Any, dict[str, str]], None]


def drawings(quality: Pair, curve: ReductionCurve | None = None) -> list[Drawing]:
    """The figures for which there are data."""
    graphs = [("original", quality.original)]
    if quality.sample is not None:
        graphs.append(("sample", quality.sample))
    made = [
        Drawing(
            "degrees",
            "Degree distribution",
            "Number of vertices of each degree against the degree, both axes logarithmic. "
            + _slopes(graphs, "degree_exponent"),
            lambda axes, colours: draw_degrees(axes, colours, graphs),
        ),
        Drawing(
            "ranks",
            "Rank plot",
            "Degree of each vertex against its rank by degree, both axes logarithmic. "
            + _slopes(graphs, "rank_exponent"),
            lambda axes, colours: draw_ranks(axes, colours, graphs),
        ),
        Drawing(
            "hops",
            "Hop plot",
            "Ordered pairs of vertices within h hops against h, both axes logarithmic. "
            + _slopes(graphs, "hop_plot_exponent"),
            lambda axes, colours: draw_hops(axes, colours, graphs),
        ),
        Drawing(
            "clustering",
            "Clustering by degree",
            "Mean local clustering coefficient of vertices of about the same degree, against the degree. "
            + "; ".join(f"{name}: mean {short(graph.clustering)}" for name, graph in graphs)
            + ".",
            lambda axes, colours: draw_clustering(axes, colours, graphs),
        ),
    ]
    if any(len(graph.eigenvalues) for _, graph in graphs):
        made.append(
            Drawing(
                "eigenvalues",
                "Largest eigenvalues",
                "The largest eigenvalues of the adjacency matrix against their rank, both axes logarithmic. "
                + _slopes(graphs, "eigen_exponent"),
                lambda axes, colours: draw_eigenvalues(axes, colours, graphs),
            )
        )
    if curve is not None:
        made.append(
            Drawing(
                "curve",
                "Reduction curve",
                f"Average degree while {curve.method} with seed {curve.seed} shrinks the original: from "
                f"{short(float(curve.average_degree[0]))} at {int(curve.vertices[0])} vertices to "
                f"{short(float(curve.average_degree[-1]))} at {int(curve.vertices[-1])}.",
                lambda axes, colours: draw_curve(axes, colours, curve),
            )
        )
    return made


def _slopes(graphs: list[tuple[str, Measures]], exponent: str) -> str:
    parts = []
    for name, graph in graphs:
        fit: Exponent = getattr(graph, exponent)
        if fit.slope is None:
            parts.append(f"{name}: no line ({fit.reason})")
        else:
            parts.append(f"{name}: slope {short(fit.slope)}, correlation {short(fit.correlation)}")
    return "; ".join(parts) + "."


def picture(drawn: list[Drawing], file: Any, format: str, title: str) -> None:
    """All figures on one page, two in a row, into a file."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_style(PAPER)):  # ticks are drawn as the page is saved
        draw_page(Figure, drawn, title).savefig(file, format=format, dpi=150)


def draw_page(new: Callable[..., Any], drawn: list[Drawing], title: str) -> Any:
    """All figures on one page, two in a row.

    Parameters
    ----------
    new : callable
        Makes a matplotlib Figure: the class, or ``pyplot.figure``, which shows it in a notebook.

    Returns
    -------
    matplotlib Figure
    """
    from matplotlib import rc_context

    rows = -(-len(drawn) // 2)
    with rc_context(_style(PAPER)):
        page = new(figsize=(2 * SIZE[0], rows * SIZE[1] + 0.4), layout="constrained")
        page.suptitle(title)
        for i, each in enumerate(drawn):
            axes = page.add_subplot(rows, 2, i + 1)
            axes.set_title(each.title)
            _frame(axes)
            each.draw(axes, PAPER)
    return page


def figure_of(drawing: Drawing, colours: dict[str, str]) -> Any:
    """A figure of its own, with its title."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_style(colours)):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(drawing.title)
        _frame(axes)
        drawing.draw(axes, colours)
    return figure


def inline_svg(drawing: Drawing, tokens: dict[str, str] = TOKENS) -> str:
    """A figure as an SVG element for a page that defines ``--ink``, ``--grid``, ..., one for each token."""
    from html import escape

    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({**_style(tokens), "svg.hashsalt": drawing.name, "svg.fonttype": "path"}):
        figure = Figure(figsize=SIZE, layout="constrained")
        axes = figure.add_subplot()
        _frame(axes)
        drawing.draw(axes, tokens)
        out = io.StringIO()
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
    ink = colours["ink"]
    return {
        "font.size": 11.5,
        "axes.titlesize": 12,
        "axes.edgecolor": ink,
        "axes.labelcolor": ink,
        "text.color": ink,
        "xtick.color": ink,
        "ytick.color": ink,
        "grid.color": colours["grid"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "legend.frameon": False,
        "legend.fontsize": 10,
        "font.family": "DejaVu Sans",
        "axes.facecolor": "none",
    }


def _frame(axes: Any) -> None:
    axes.grid(visible=True, linewidth=0.6)
