"""The figures of a study (matplotlib, the extra `plot`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.arguments import shown
from clgraph.drawing import figure as number
from clgraph.drawing import need_matplotlib
from clgraph.errors import InputError
from clgraph.measures.figures import Drawing, write_print
from clgraph.studies.answer import Answer
from clgraph.studies.aspects import OVERALL, Choice, words_of
from clgraph.studies.columns import COMPARED, measures_of

if TYPE_CHECKING:
    from clgraph.studies.summary import Result

# Paul Tol's bright and muted colours, ordered so that neighbours stay apart for colour-blind readers, too
# (a test simulates them); markers and dashes differ as well, for print
SERIES = ("#4477AA", "#CC3311", "#0099AA", "#997700", "#7755CC", "#AA3377", "#228833", "#666666")
DARK = ("#7fb2e5", "#ff8a6b", "#4fd0de", "#e0bb45", "#b39dff", "#e08abf", "#6cc07a", "#b8b8b8")
ACCEPTED = "series6"  # green
MARKERS = "o^sDvPX*"
DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (7, 2, 1, 2)))
INK = {"ink": "#1b1b1b", "grid": "#d0d0d0", "faint": "#c4c4c4"}
PAPER = {**INK, **{f"series{i}": colour for i, colour in enumerate(SERIES)}}
# placeholders that become CSS variables in an SVG, so that the page can be dark
TOKENS = {name: f"#0a0b{number:02x}" for number, name in enumerate(PAPER, 16)}
MOST = len(SERIES)  # methods in one panel; of more each has a panel of its own
NARROW = 4.0  # inches below which a figure is one column
WIDE = 6.0  # inches above which the panels of the answer stand in one row
POINTS = 200  # of a curve: more are not seen, and make a file large
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Line = Callable[[Any, str, dict[str, Any]], bool]  # draws a method's line; False if it has none


def look(i: int, colours: dict[str, str]) -> dict[str, Any]:
    """Return the style of the i-th method's line."""
    k = i % len(SERIES)
    return {"color": colours[f"series{k}"], "marker": MARKERS[k], "linestyle": DASHES[k], "linewidth": 1.3}


def plot(study: Result, measure: str, axes: Any = None) -> Any:
    """See `Study.plot`."""
    if measure not in (known := measures_of(study.plan.also)):
        raise InputError(f"{shown(measure)} is not a measure of this study: use {', '.join(known)}")
    need_matplotlib("a plot")
    if axes is None:
        from matplotlib.figure import Figure

        axes = Figure(layout="constrained").add_subplot()
    draw_measure(study, measure, axes, PAPER)
    axes.set_title(axes.get_ylabel())
    # beside the axes it hides no line, however many methods there are
    axes.legend(fontsize=8.5, labelspacing=0.3, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    return axes


def draw_measure(study: Result, measure: str, axes: Any, colours: dict[str, str]) -> None:
    """Draw a measure against the size, with the 95 % intervals of its mean, a line for each method."""
    for i, method in enumerate(study.plan.methods):
        measure_line(study, measure, axes, method, look(i, colours))
    finish_measure(study, measure, axes, colours)


def measure_line(study: Result, measure: str, axes: Any, method: str, style: dict[str, Any]) -> bool:
    """Draw a measure of one method against the size."""
    whole = study.original["vertices"]
    rows = [r for r in study.summary if (r["measure"], r["method"]) == (measure, method)]
    found = sorted((r["target"], r) for r in rows if r["mean"] is not None)
    if not found:
        return False
    x = [100 * target / whole for target, _ in found]
    axes.plot(x, [row["mean"] for _, row in found], label=method, **style)
    if all(row["low"] is not None for _, row in found) and style.get("marker"):
        low, high = ([row[end] for _, row in found] for end in ("low", "high"))
        axes.fill_between(x, low, high, color=style["color"], alpha=0.18, linewidth=0)
    return True


def finish_measure(study: Result, measure: str, axes: Any, colours: dict[str, str]) -> None:
    """Draw the original's value, and the axes."""
    original = next(row["original"] for row in study.summary if row["measure"] == measure)
    if original is not None:
        axes.axhline(original, color=colours["ink"], linewidth=1, linestyle=":", label="original")
    axes.set_xlabel("size in % of the vertices")
    axes.set_ylabel(COMPARED.get(measure, measure.replace("_", " ")))
    whole, wide = study.original["vertices"], axes.figure.get_figwidth()
    shares = sorted({100 * target / whole for target in study.plan.targets}, reverse=True)
    # labels stand where there are sizes, and nowhere else; of many those that have room
    room = (shares[0] - shares[-1]) / (10 if wide > NARROW else 6)
    ticks: list[float] = []
    for share in shares:
        if not ticks or ticks[-1] - share >= room:
            ticks.append(share)
    axes.set_xticks(ticks, [f"{share:.3g}" for share in ticks])
    axes.minorticks_off()
    limits, _ = span_of(study, measure)
    if limits:
        axes.set_ylim(*limits)
    if not axes.xaxis_inverted():  # sizes fall from left to right, as a reduction goes
        axes.invert_xaxis()
    if max(map(abs, axes.get_ylim())) >= 10_000:
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}".replace(",", "\u202f"))


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
    if min(seen) >= 0:  # no interval makes such a measure negative
        low = max(low, -room / 4)
    if measure.startswith("ks_"):
        high = min(high, 1 + room / 4)
    return (max(low, min([*seen, *ends]) - room / 4), min(high, max([*seen, *ends]) + room / 4)), cut


def panels(
    study: Result,
    line: Line,
    finish: Callable[[Any], None],
    figure: Any,
    colours: dict[str, str],
    *,
    markers: bool = True,
) -> None:
    """Draw a line for each method: up to eight in one panel with a legend below, of more each in its own.

    In a method's own panel the lines of all others are faint.
    """
    methods = study.plan.methods
    wide = figure.get_figwidth() > NARROW
    if len(methods) <= MOST:
        axes = figure.add_subplot()
        axes.grid(visible=True, linewidth=0.6)
        for i, method in enumerate(methods):
            line(axes, method, look(i, colours) | ({} if markers else {"marker": None}))
        finish(axes)
        handles, labels = axes.get_legend_handles_labels()
        columns = min(len(handles), 9 if wide else 5)
        figure.legend(handles, labels, loc="outside lower center", ncols=columns, columnspacing=1.2)
        return
    columns = grid_columns(figure.get_figwidth())
    rows = -(-len(methods) // columns)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    own = {
        "color": colours["series0"],
        "linewidth": 1.4,
        "marker": "o" if markers else None,
        "markersize": 2.5,
    }
    other = {"color": colours["faint"], "linewidth": 0.5}
    label = ""
    for k, axes in enumerate(grid.flat):
        if k >= len(methods):
            axes.set_visible(False)
            continue
        axes.grid(visible=True, linewidth=0.4)
        for method in methods:
            if method != methods[k]:
                line(axes, method, other)
        drawn = line(axes, methods[k], own)
        finish(axes)
        label, below = axes.get_ylabel(), axes.get_xlabel()
        axes.set(xlabel="", ylabel="")
        axes.set_title(methods[k] + ("" if drawn else ": not defined"), fontsize="medium", pad=2)
        # a panel below which there is none has its own labels
        axes.tick_params(labelbottom=k + columns >= len(methods), labelleft=k % columns == 0)
    figure.supxlabel(f"{below} (black: original; grey: other methods)", fontsize="medium")
    figure.supylabel(label, fontsize="medium")


def grid_columns(width: float) -> int:
    """Return how many panels stand in a row."""
    return 5 if width > NARROW else 3


def panels_height(study: Result, width: float) -> float:
    """Return the height of a figure of `panels`."""
    methods = len(study.plan.methods)
    if methods > MOST:
        return 0.7 + 1.0 * -(-methods // grid_columns(width)) * (1.25 if width > 5 else 1.0)
    return 2.9 if width < NARROW else 0.76 * width if width < 6 else 4.2


def draw_heat(study: Result, answer: Answer, figure: Any, colours: dict[str, str]) -> None:
    """Draw how far each method is from the original in each measure, on average over samples and sizes."""
    methods = [place.method for place in answer.ranking]
    measures = [verdict.measure for verdict in answer.verdicts]
    known = answer.deviations
    values = [[100 * known.get((m, measure), np.nan) for measure in measures] for m in methods]
    table = np.array(values, float).reshape(len(methods), len(measures))
    axes = figure.add_subplot()
    image = axes.imshow(table, "Blues", vmin=0, vmax=100, aspect="auto")
    wide = figure.get_figwidth() > NARROW
    names = [
        COMPARED[measure].replace("KS distance of", "KS:").replace("by maximum likelihood", "(ML)")
        for measure in measures
    ]
    axes.set_xticks(range(len(measures)), names, rotation=90)
    labels = [f"{words_of(m)}  {m}" if wide else m for m in methods]
    axes.set_yticks(range(len(methods)), labels)
    axes.tick_params(length=0)
    for y, row in enumerate(table):
        for x, value in enumerate(row):
            text = "\u2013" if np.isnan(value) else f"{value:.0f}"
            ink = "#ffffff" if value > 55 else "#1b1b1b"  # on the map's own colours, on paper and in the dark
            axes.text(x, y, text, ha="center", va="center", fontsize=7 if wide else 5.5, color=ink)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.grid(visible=False)
    bar = figure.colorbar(image, ax=axes, location="bottom", aspect=40, shrink=0.8, pad=0.02)
    bar.set_label("distance from the original in %")
    bar.outline.set_visible(False)


def heat_height(answer: Answer, width: float) -> float:
    """Return the height of the heat map: its labels, its rows, its bar."""
    return 2.9 + 0.2 * len(answer.ranking)


# --- The picture of the answer: methods in rows, a dot with its interval for each aspect ---


def draw_choices(choices: list[Choice], figure: Any, colours: dict[str, str]) -> None:
    """Draw the distances at one size: methods in rows, ranked over all, a panel for each aspect."""
    order = [place.method for place in choices[0].places][::-1]
    wide = figure.get_figwidth() > WIDE
    columns = len(choices) if wide else 2
    rows = -(-len(choices) // columns)
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
    at = {method: y for y, method in enumerate(order)}
    for k, axes in enumerate(grid.flat):
        if k >= len(choices):
            axes.set_visible(False)
            continue
        choice = choices[k]
        axes.grid(visible=True, linewidth=0.4)
        accepted = 100 * choice.tolerance
        # what is accepted: from nothing to the line
        axes.axvspan(0, accepted, color=colours[ACCEPTED], alpha=0.13, linewidth=0)
        axes.axvline(accepted, color=colours[ACCEPTED], linewidth=1)
        best = {choice.method, *choice.alike}
        for place in choice.places:
            inside = place.method in best
            style = {"color": colours["series0" if inside else "ink"], "linewidth": 1.2}
            y = at[place.method]
            if place.low is not None and place.high is not None:
                axes.plot([100 * place.low, 100 * place.high], [y, y], **style)
            # filled: the nearest, and what cannot be told from it
            face = style["color"] if inside else "none"
            axes.plot([100 * place.distance], [y], "o", markerfacecolor=face, **style)
        most = max(100 * (place.high or place.distance) for place in choice.places)
        axes.set_xlim(0, min(102.0, 1.08 * max(most, accepted)))
        axes.locator_params(axis="x", nbins=4)
        axes.set_ylim(-0.6, len(order) - 0.4)
        words = [f"{words_of(m)}  {m}" for m in order] if wide else order
        axes.set_yticks(range(len(order)), words)
        axes.tick_params(axis="y", length=0, labelleft=k % columns == 0)
        name = f"{LETTERS[k]}  {choice.aspect}"
        axes.set_title(name, loc="left", fontsize="medium", fontweight="bold" if k == 0 else "normal")
    label = "distance from the original in %" if wide else "distance in %"
    figure.supxlabel(f"{label} (shaded: accepted)", fontsize="medium")


def choices_height(choices: list[Choice], width: float) -> float:
    """Return the height of the picture of the answer."""
    rows = 1 if width > WIDE else -(-len(choices) // 2)
    return 0.75 + rows * (0.35 + 0.165 * len(choices[0].places))


# --- Curves of original and samples, one over the other ---


def degree_points(histogram: Any) -> Any:
    """Return the share of vertices with at least a degree."""
    degree, count = (np.asarray(each, np.int64) for each in histogram)
    degree, count = degree[degree > 0], count[degree > 0]
    if not len(degree):
        return degree, count
    return _thinned(degree, np.cumsum(count[::-1])[::-1] / count.sum())


def hop_points(plot: Any) -> Any:
    """Return the share of connected pairs within h hops, of pairs of different vertices."""
    pairs = np.asarray(plot, np.float64)
    pairs = pairs[1:] - pairs[:1]
    if not len(pairs) or pairs[-1] <= 0:
        return np.zeros(0), np.zeros(0)
    return np.arange(1, len(pairs) + 1), pairs / pairs[-1]


def spectrum_points(values: Any) -> Any:
    """Return the largest eigenvalues by rank."""
    found = np.asarray(values, np.float64)
    found = found[found > 0]
    return np.arange(1, len(found) + 1), found


def _thinned(x: Any, y: Any) -> Any:
    keep = np.unique(np.geomspace(1, len(x), POINTS).astype(np.int64)) - 1
    return x[keep], y[keep]


# by name: attribute of a study, its points, title, words, labels of the axes, whether both are logarithmic
CURVES: dict[str, tuple[str, Callable[[Any], Any], str, str, tuple[str, str], bool]] = {
    "degrees": (
        *("degrees", degree_points, "Degree distributions", "Share of vertices with at least a degree"),
        *(("degree", "share with this degree or more"), True),
    ),
    "hops": (
        *("hop_plots", hop_points, "Hop plots", "Share of the connected pairs of vertices within h hops"),
        *(("hops", "share of connected pairs"), False),
    ),
    "spectra": (
        *("spectra", spectrum_points, "Spectra", "The largest eigenvalues of the adjacency matrix by rank"),
        *(("rank", "eigenvalue"), True),
    ),
}


def draw_curves(study: Result, name: str, size: str, figure: Any, colours: dict[str, str]) -> None:
    """Draw curves of the original and of each method's first sample of a size."""
    attribute, points, _, _, labels, logarithmic = CURVES[name]
    known = getattr(study, attribute)

    def line(axes: Any, method: str, style: dict[str, Any]) -> bool:
        values = known.get(method, {}).get(size)
        x, y = points(values) if values is not None else ((), ())
        if not len(x):
            return False
        axes.plot(x, y, label=method, **style)
        return True

    from matplotlib.ticker import LogLocator

    def finish(axes: Any) -> None:
        ink = {"color": colours["ink"], "linewidth": 2.0, "zorder": 1}  # below the methods' thinner lines
        axes.plot(*points(known["original"]), label="original", **ink)
        if logarithmic:
            axes.set_xscale("log")
            axes.set_yscale("log")
        if name == "spectra":
            axes.set_xticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
            # they span less than two decades: powers of ten alone would be a single tick
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        if name == "hops":
            axes.xaxis.get_major_locator().set_params(integer=True)
        if name != "degrees":
            axes.minorticks_off()
        axes.set(xlabel=labels[0], ylabel=labels[1])

    panels(study, line, finish, figure, colours, markers=False)


# --- All of them ---


def answer_drawings(answer: Answer) -> list[Drawing]:
    """Return the pictures of the answer, one for each size."""
    made = []
    for overall in (choice for choice in answer.choices if choice.aspect == OVERALL):
        choices = [choice for choice in answer.choices if choice.size == overall.size]
        made.append(
            Drawing(
                f"answer-{plain(overall.size)}",
                f"Distance from the original at {overall.size} ({number(overall.target)} vertices)",
                "Mean over the seeds with its 95 % interval, methods in order of their distance over all. "
                "Filled: the nearest, and those that are not distinguishable from it. Shaded: within the "
                "tolerance. "
                f"Over all: {overall.text()}.",
                partial(draw_choices, choices),
                partial(choices_height, choices),
            )
        )
    return made


def plain(size: str) -> str:
    """Return a size as a part of a file's name."""
    return size.replace("%", "").replace(".", "_")


def drawings(study: Result, answer: Answer) -> Iterator[Drawing]:
    """Yield all figures but those of the answer: measures by size, the heat map, curves at each size."""
    height = partial(panels_height, study)
    many = len(study.plan.methods) > MOST
    grey = " Grey: the other methods." if many else ""
    for verdict in answer.verdicts:
        name = COMPARED[verdict.measure]
        best = (
            "no method is within the tolerance"
            if verdict.method is None
            else (f"smallest size within the tolerance: {verdict.size} by {verdict.method}")
        )
        cut = " (some go on beyond the figure)" if span_of(study, verdict.measure)[1] else ""
        line, finish = (
            partial(measure_line, study, verdict.measure),
            partial(_finished, study, verdict.measure),
        )
        yield Drawing(
            verdict.measure.replace("_", "-"),
            name[0].upper() + name[1:],
            f"Mean over {study.plan.seeds} seeds against the size, with 95 % intervals{cut}; {best}.{grey}",
            partial(_measure_panels, study, line, finish),
            height,
        )
    if answer.ranking:
        ranked = ", ".join(f"{place.method} {100 * place.deviation:.0f} %" for place in answer.ranking)
        yield Drawing(
            "heat-map",
            "Methods and measures",
            f"Mean distance from the original over samples and sizes, in %. Over all: {ranked}.",
            partial(draw_heat, study, answer),
            partial(heat_height, answer),
        )
    for name, (attribute, points, title, words, _, _) in CURVES.items():
        known = getattr(study, attribute)
        # records of earlier versions lack some, and large graphs have no eigenvalues
        if "original" not in known or not len(points(known["original"])[0]):
            continue
        for size in study.plan.sizes:
            yield Drawing(
                f"{name}-{plain(size)}",
                f"{title} at {size}",
                f"{words}, of the original and of the first sample (seed {study.plan.seed}) of each "
                f"method.{grey}",
                partial(draw_curves, study, name, size),
                height,
            )


def _finished(study: Result, measure: str, colours: dict[str, str], axes: Any) -> None:
    finish_measure(study, measure, axes, colours)


def _measure_panels(
    study: Result, line: Line, finish: Callable[..., None], figure: Any, colours: dict[str, str]
) -> None:
    panels(study, line, partial(finish, colours), figure, colours)


def write_figures(study: Result, answer: Answer, folder: Path, columns: int = 1) -> int:
    """Write every figure as PDF, SVG and PNG, as wide as one or two columns of a journal; return how many."""
    folder.mkdir(exist_ok=True)
    drawn = [*answer_drawings(answer), *drawings(study, answer)]
    for each in drawn:
        write_print(each, folder, columns, PAPER)
    return len(drawn)
