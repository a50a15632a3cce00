"""The figures of a study (matplotlib, the extra `plot`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.arguments import shown
from clgraph.drawing import need_matplotlib
from clgraph.errors import InputError
from clgraph.formats import atomic_write
from clgraph.measures.figures import Drawing, figure_of
from clgraph.studies.columns import COMPARED, MEASURES
from clgraph.studies.summary import Answer

if TYPE_CHECKING:
    from clgraph.studies.summary import Result

# Paul Tol's bright and muted colours; markers and dashes differ too, for print and for colour-blind readers
SERIES = ("#4477AA", "#CC3311", "#228833", "#AA3377", "#997700", "#0099AA", "#7755CC", "#666666")
DARK = ("#7fb2e5", "#ff8a6b", "#6cc07a", "#e08abf", "#e0bb45", "#4fd0de", "#b39dff", "#b8b8b8")
MARKERS = "o^sDvPX*"
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2, 1, 2)))
INK = {"ink": "#1b1b1b", "grid": "#d0d0d0"}
PAPER = {**INK, **{f"series{i}": colour for i, colour in enumerate(SERIES)}}
# placeholders that become CSS variables in an SVG, so that the page can be dark
TOKENS = {name: f"#0a0b{number:02x}" for number, name in enumerate(PAPER, 16)}


def look(i: int, colours: dict[str, str]) -> dict[str, Any]:
    """Return the style of the i-th method's line."""
    k = i % len(SERIES)
    return {"color": colours[f"series{k}"], "marker": MARKERS[k], "linestyle": DASHES[k], "linewidth": 1.4}


def plot(study: Result, measure: str, axes: Any = None) -> Any:
    """See `Study.plot`."""
    if measure not in MEASURES:
        raise InputError(f"{shown(measure)} is not a measure of a study: use {', '.join(MEASURES)}")
    need_matplotlib("a plot")
    if axes is None:
        from matplotlib.figure import Figure

        axes = Figure(layout="constrained").add_subplot()
    draw_measure(study, measure, axes, PAPER)
    axes.set_title(axes.get_ylabel())
    return axes


def draw_measure(study: Result, measure: str, axes: Any, colours: dict[str, str]) -> None:
    """Draw a measure against the size, with the 95 % intervals of its mean, a line for each method."""
    plan = study.plan
    whole = study.original["vertices"]
    rows = {(r["method"], r["target"]): r for r in study.summary if r["measure"] == measure}
    targets = sorted(plan.targets)
    for i, method in enumerate(plan.methods):
        found = [(100 * t / whole, rows[method, t]) for t in targets if rows[method, t]["mean"] is not None]
        if not found:
            continue
        x = [share for share, _ in found]
        style = look(i, colours)
        axes.plot(x, [row["mean"] for _, row in found], label=method, markersize=5, **style)
        if all(row["low"] is not None for _, row in found):
            low, high = ([row[end] for _, row in found] for end in ("low", "high"))
            axes.fill_between(x, low, high, color=style["color"], alpha=0.18, linewidth=0)
    original = next(iter(rows.values()))["original"]
    if original is not None:
        axes.axhline(original, color=colours["ink"], linewidth=1, linestyle=":", label="original")
    axes.set_xlabel("size in % of the vertices")
    axes.set_ylabel(COMPARED.get(measure, measure.replace("_", " ")))
    # sizes fall from left to right, as a reduction goes
    axes.invert_xaxis()
    limits, _ = span_of(study, measure)
    if limits:
        axes.set_ylim(*limits)
    _legend(axes)


def span_of(study: Result, measure: str) -> tuple[tuple[float, float] | None, bool]:
    """Return the limits of a measure's figure, so that intervals of few seeds do not flatten its lines.

    Returns
    -------
    limits : (low, high) or None
        Of its values; None if they are all the same.
    cut : bool
        Whether some interval goes on beyond them.
    """
    rows = [row for row in study.summary if row["measure"] == measure]
    seen = [value for row in rows for value in (row["mean"], row["original"]) if value is not None]
    if not seen or min(seen) == max(seen):
        return None, False
    # intervals may reach a third of the means' span beyond them: then lines still fill most of the figure
    room = (max(seen) - min(seen)) / 3
    ends = [row[end] for row in rows for end in ("low", "high") if row[end] is not None]
    low, high = min(seen) - room, max(seen) + room
    cut = min(ends, default=low) < low or max(ends, default=high) > high
    if measure.startswith("ks_"):
        low = max(low, -room / 4)
    return (max(low, min([*seen, *ends]) - room / 4), min(high, max([*seen, *ends]) + room / 4)), cut


def _legend(axes: Any) -> None:
    """Put the legend above the axes, where it hides no line."""
    axes.legend(
        ncols=5, fontsize=8.5, labelspacing=0.3, columnspacing=1, loc="lower center", bbox_to_anchor=(0.5, 1)
    )


def draw_heat(study: Result, answer: Answer, axes: Any, colours: dict[str, str]) -> None:
    """Draw how far each method is from the original in each measure, on average over the sizes."""
    methods = [place.method for place in answer.ranking]
    measures = [verdict.measure for verdict in answer.verdicts]
    known = answer.deviations
    values = [[known.get((method, measure), np.nan) for method in methods] for measure in measures]
    table = np.array(values, float).reshape(len(measures), len(methods))
    axes.imshow(table, "YlOrRd", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(methods)), methods)
    axes.set_yticks(range(len(measures)), [COMPARED[measure] for measure in measures], fontsize=8)
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            if value == value:  # not NaN, where the measure is defined for no sample
                ink = "#ffffff" if value > 0.6 else "#1b1b1b"
                axes.text(x, y, f"{100 * value:.0f}", ha="center", va="center", fontsize=8, color=ink)
    axes.grid(visible=False)


def draw_degrees(study: Result, size: str, axes: Any, colours: dict[str, str]) -> None:
    """Draw the share of vertices with at least a degree: of the original, of each method's first sample."""

    def line(histogram: Any, **style: Any) -> None:
        degree, count = (np.asarray(each, np.int64) for each in histogram)
        degree, count = degree[degree > 0], count[degree > 0]
        if len(degree):
            axes.plot(degree, np.cumsum(count[::-1])[::-1] / count.sum(), **style)

    line(study.degrees["original"], color=colours["ink"], linewidth=2.2, alpha=0.6, label="original")
    for i, method in enumerate(study.plan.methods):
        histogram = study.degrees.get(method, {}).get(size)
        if histogram is not None:
            style = look(i, colours)
            line(histogram, label=method, **{**style, "marker": None, "linewidth": 1.2})
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("degree")
    axes.set_ylabel("share with this degree or more")
    _legend(axes)


def drawings(study: Result, answer: Answer) -> Iterator[Drawing]:
    """Yield all figures: measures against size, the heat map, degree distributions at each size."""
    for verdict in answer.verdicts:
        name = COMPARED[verdict.measure]
        best = (
            "no method is within the tolerance"
            if verdict.method is None
            else (f"smallest size within the tolerance: {verdict.size} by {verdict.method}")
        )
        cut = " (some go on beyond the figure)" if span_of(study, verdict.measure)[1] else ""
        yield Drawing(
            verdict.measure.replace("_", "-"),
            name[0].upper() + name[1:],
            f"Mean over {study.plan.seeds} seeds against the size, with 95 % intervals{cut}; {best}.",
            partial(draw_measure, study, verdict.measure),
        )
    ranked = ", ".join(f"{place.method} {100 * place.deviation:.0f} %" for place in answer.ranking)
    yield Drawing(
        "heat-map",
        "Methods and measures",
        f"Mean deviation from the original over the sizes, in %. Over all measures: {ranked}.",
        partial(draw_heat, study, answer),
    )
    for size in study.plan.sizes:
        yield Drawing(
            f"degrees-{size.replace('%', '').replace('.', '_')}",
            f"Degree distributions at {size}",
            f"Share of vertices with at least a degree, of the original and of the first sample (seed "
            f"{study.plan.seed}) of each method.",
            partial(draw_degrees, study, size),
        )


def write_figures(study: Result, answer: Answer, folder: Path) -> int:
    """Write every figure as an SVG file; return how many."""
    from matplotlib import rc_context

    folder.mkdir(exist_ok=True)
    drawn = list(drawings(study, answer))
    for each in drawn:
        figure, name = figure_of(each, PAPER), f"{each.name}.svg"
        # without the date and random ids, the same study gives the same bytes
        with rc_context({"svg.hashsalt": each.name}), atomic_write(folder / name, "wb") as out:
            figure.savefig(out, format="svg", metadata={"Date": None})
    return len(drawn)
