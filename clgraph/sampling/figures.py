"""Figures of samples and reduction curves (matplotlib, the extra `plot`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.drawing import COLUMNS, PRINT, need_matplotlib, t_interval, thousands
from clgraph.errors import InputError

# colours of Okabe and Ito, which can be told apart with any colour vision; dashes and markers for print
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
POINTS = 4000  # of a curve: more are not seen
BANDS = 200  # points of a mean and its band


def draw_curves(curves: Sequence[Any], axes: Sequence[Any] | None = None) -> list[Any]:
    """Vertices and edges against deletions, and average degree against vertices left.

    Parameters
    ----------
    curves : sequence of ReductionCurve
        Of one graph and method, one a seed.
    axes : two matplotlib Axes, optional
        To draw on; by default those of a new figure.

    Returns
    -------
    list of matplotlib Axes
    """
    need_matplotlib("a plot")
    if axes is None:
        from matplotlib import pyplot

        figure, axes = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
        figure.suptitle(title_of(curves))
    if len(axes) != 2:
        raise InputError(f"axes has {len(axes)} of them: a reduction curve is drawn on two")
    counts, degree = axes
    several = len(curves) > 1
    for each in curves:
        thin = slice(None, None, max(1, len(each.vertices) // POINTS))
        look = {"alpha": 0.35, "linewidth": 0.5} if several else {"linewidth": 1.5}
        x = each.deletions[thin]
        counts.plot(x, each.vertices[thin], color=BLUE, label=None if several else "vertices", **look)
        counts.plot(x, each.edges[thin], "--", color=ORANGE, label=None if several else "edges", **look)
        degree.plot(each.vertices[thin], each.average_degree[thin], color=GREEN, **look)
    if several:
        _draw_means(curves, counts, degree)
    what = "contractions" if curves[0].method in ("cre", "crve") else "deletions"
    counts.set(xlabel=what, ylabel="left", ylim=(0, None), xlim=(0, None))
    counts.legend(frameon=False)
    degree.set(xlabel="vertices left", ylabel="average degree", ylim=(0, None))
    degree.invert_xaxis()
    for each_axes in axes:
        _frame(each_axes)
        each_axes.locator_params(axis="x", nbins=5)
        for axis in (each_axes.xaxis, each_axes.yaxis):
            axis.set_major_formatter(thousands)
    return list(axes)


def title_of(curves: Sequence[Any]) -> str:
    """Return method, mode and seeds of some curves, and of several what their bands are."""
    one, several = curves[0], len(curves) > 1
    seeds = f"seed {one.seed}" + (f" to {curves[-1].seed}" if several else "")
    return f"{one.method} ({one.mode}), {seeds}{'; bands: 95 % intervals of the mean' if several else ''}"


def _draw_means(curves: Sequence[Any], counts: Any, degree: Any) -> None:
    """Draw means of curves over the seeds, and their 95 % intervals as bands."""
    # where one curve has ended a mean would be of the others alone
    deletions = np.linspace(0, min(int(each.deletions[-1]) for each in curves), BANDS)
    for name, colour, line in (("vertices", BLUE, "-"), ("edges", ORANGE, "--")):
        values = [np.interp(deletions, each.deletions, getattr(each, name)) for each in curves]
        _band(counts, deletions, np.array(values, np.float64), colour, line, name)
    most, least = int(curves[0].vertices[0]), max(int(each.vertices[-1]) for each in curves)
    vertices = np.linspace(most, least, BANDS)
    values = [np.interp(-vertices, -each.vertices, each.average_degree) for each in curves]
    _band(degree, vertices, np.array(values), GREEN, "-", None)


def _band(axes: Any, x: Any, values: Any, colour: str, line: str, label: str | None) -> None:
    low, high = np.array([t_interval(column) for column in values.T], np.float64).T
    axes.fill_between(x, low, high, color=colour, alpha=0.25, linewidth=0)
    axes.plot(x, values.mean(axis=0), line, color=colour, linewidth=1.6, label=label)


def write_curves(curves: Sequence[Any], path: str, name: str, columns: int | None) -> None:
    """Write a picture of curves: for the screen, or for print as wide as columns of a journal.

    Parameters
    ----------
    curves : sequence of ReductionCurve
    path : str
        A name that ends in .png, .svg or .pdf.
    name : str
        Of the graph.
    columns : int, optional
        1 or 2; in one column one panel stands above the other.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from clgraph.formats import atomic_write

    form = path.rsplit(".", 1)[1].lower()
    sizes = {None: (10.0, 4.0), 1: (COLUMNS[1], 4.4), 2: (COLUMNS[2], 2.7)}
    # fonts are embedded as TrueType, as publishers ask
    style: Any = PRINT if columns else {"pdf.fonttype": 42}
    with rc_context(style):
        figure = Figure(figsize=sizes[columns], layout="constrained")
        axes = figure.subplots(2, 1) if columns == 1 else figure.subplots(1, 2)
        title = f"{name}: {title_of(curves)}"
        figure.suptitle(title.replace("; ", "\n") if columns == 1 else title)
        draw_curves(curves, list(axes))
        for letter, each in zip("ab" if columns else "", axes, strict=False):
            each.set_title(letter, loc="left", fontweight="bold")
        with atomic_write(path, "wb") as out:
            figure.savefig(out, format=form, dpi=300 if columns else 150)


def draw_degrees(sample: Any, axes: Any = None) -> Any:
    """The share of vertices with a degree of at least k, against k: the sample's, and its original's.

    Parameters
    ----------
    sample : Sample
    axes : matplotlib Axes, optional
        To draw on; by default those of a new figure.

    Returns
    -------
    matplotlib Axes
    """
    need_matplotlib("a plot")
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.subplots(figsize=(5.4, 4.1), layout="constrained")[1]
        axes.set_title(f"{sample.method} sample, seed {sample.seed}")
    graphs = [("sample", sample.graph, ORANGE, "^")]
    if sample.original is not None:
        graphs.insert(0, ("original", sample.original, BLUE, "o"))
    for name, graph, colour, marker in graphs:
        x, y = at_least(graph.degrees)
        size = f"{name}, {graph.num_vertices} vertices"
        axes.loglog(x, y, marker, markersize=3, color=colour, label=size, linestyle="none")
    axes.set(xlabel="degree k", ylabel="share of vertices of degree k or more")
    axes.legend(frameon=False)
    _frame(axes)
    return axes


def at_least(degrees: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
    """The positive degrees that occur, and the share of all vertices that have as many or more."""
    counts = np.bincount(degrees)
    shares = counts[::-1].cumsum()[::-1] / max(len(degrees), 1)
    x = np.flatnonzero(counts)
    x = x[x > 0]
    return x, shares[x]


def _frame(axes: Any) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.3)
