"""Figures of samples and reduction curves (matplotlib, the extra `plot`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.drawing import need_matplotlib
from clgraph.errors import InputError

# colours of Okabe and Ito, which can be told apart with any colour vision; dashes and markers for print
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
POINTS = 4000  # of a curve: more are not seen


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
        seeds = f"seed {curves[0].seed}" + (f" to {curves[-1].seed}" if len(curves) > 1 else "")
        figure.suptitle(f"{curves[0].method} ({curves[0].mode}), {seeds}")
    if len(axes) != 2:
        raise InputError(f"axes has {len(axes)} of them: a reduction curve is drawn on two")
    counts, degree = axes
    for i, each in enumerate(curves):
        thin = slice(None, None, max(1, len(each.vertices) // POINTS))
        faint = {"alpha": max(0.25, 1 / len(curves)), "linewidth": 1.5}
        x = each.deletions[thin]
        counts.plot(x, each.vertices[thin], color=BLUE, label="vertices" if i == 0 else None, **faint)
        counts.plot(x, each.edges[thin], "--", color=ORANGE, label="edges" if i == 0 else None, **faint)
        degree.plot(each.vertices[thin], each.average_degree[thin], color=GREEN, **faint)
    what = "contractions" if curves[0].method in ("cre", "crve") else "deletions"
    counts.set(xlabel=what, ylabel="left", ylim=(0, None), xlim=(0, None))
    counts.legend(frameon=False)
    degree.set(xlabel="vertices left", ylabel="average degree", ylim=(0, None))
    degree.invert_xaxis()
    for each_axes in axes:
        _frame(each_axes)
        each_axes.ticklabel_format(axis="both", style="plain", useOffset=False)
        each_axes.tick_params(axis="x", labelrotation=20)
    return list(axes)


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
