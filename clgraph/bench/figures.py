"""The figures: time, speed-up and energy against the size of the graph, as SVG and PNG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from clgraph.bench.cases.ppr import SLIDES, does
from clgraph.bench.cases.sampling import METHODS
from clgraph.bench.run import show
from clgraph.bench.tables import ONE_CORE, Labels, beside, energy, order_of, table_of, value
from clgraph.drawing import label_narrow, need_matplotlib
from clgraph.formats.atomic import atomic_write
from clgraph.theses import printed

Record = dict[str, Any]
Point = tuple[float, float]
# the palette of Okabe and Ito, safe for colour-blind readers; markers and dashes for print without colour
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C8C00")
MARKS = "osD^vPX*"
DASHES = {"exact": "-", "batched": "--"}


def check_drawing() -> None:
    """Raise ClgraphError before any case runs if the figures could not be drawn afterwards."""
    need_matplotlib("drawing", "give --no-figures; `clgraph bench report` draws them later")


def draw_all(records: Sequence[Record], labels: Labels, folder: Path) -> list[Path]:
    """Draw every figure for which there are results, each as SVG and PNG."""
    import matplotlib

    matplotlib.use("Agg")
    done = sorted((record for record in records if record["status"] == "done"), key=order_of)
    written = []
    settings: Any = {
        "font.size": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "svg.hashsalt": "clgraph",
        "lines.markersize": 4.5,
        "lines.linewidth": 1.4,
    }
    with matplotlib.rc_context(settings):
        for draw in (_sampling, _pagerank, _pagerank_table, _ppr, _traversal):
            for name, figure in draw(done, labels):
                written += _save(figure, folder / name)
    return written


def _save(figure: Any, stem: Path) -> list[Path]:
    from matplotlib import pyplot

    paths = []
    for suffix, options in ((".svg", {"metadata": {"Date": None}}), (".png", {"dpi": 150})):
        path = stem.with_suffix(suffix)
        with atomic_write(path) as out:
            figure.savefig(out, format=suffix[1:], **options)
        paths.append(path)
    pyplot.close(figure)
    return paths


def _number(axis: Any, ends: tuple[float, float], unit: str = "") -> None:
    """Label a logarithmic axis with short numbers: 20 ms, 300 k."""
    from matplotlib.ticker import EngFormatter, NullFormatter

    axis.set_major_formatter(EngFormatter(unit))
    axis.set_minor_formatter(NullFormatter())
    label_narrow(axis, *ends, EngFormatter(unit), digits=(1, 2, 5))


@dataclass
class _Lines:
    """Log-log line plots in panels that share one legend."""

    title: str
    x: str
    y: str
    unit: str = ""
    # panel, series, dash and name in the legend -> points
    lines: dict[tuple[str, str, str, str], list[Point]] = field(default_factory=dict)

    def add(
        self, panel: str, series: str, at: tuple[float | None, float | None], dash: str = "-", shown: str = ""
    ) -> None:
        """Add a point to a line; a series has the same colour and marker in every panel."""
        x, y = at
        if x and y:
            self.lines.setdefault((panel, series, dash, shown or series), []).append((x, y))

    @property
    def panels(self) -> list[str]:
        """The panels that have lines."""
        return list(dict.fromkeys(line[0] for line in self.lines))

    def drawn(self, file: str, panels: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Draw the panels in this order, and yield the figure with its name, unless there are none."""
        from matplotlib import pyplot

        if not panels:
            return
        across = min(len(panels), 3)
        down = -(-len(panels) // across)
        figure, grid = pyplot.subplots(
            down,
            across,
            figsize=(3.6 * across if across > 1 else 6, 2.8 * down + 0.9),
            squeeze=False,
            sharex=True,
            sharey=True,
            layout="constrained",
        )
        figure.suptitle(self.title)
        for empty in grid.flat[len(panels) :]:
            empty.set_visible(False)
        of_panel = dict(zip(panels, grid.flat, strict=False))
        for panel, axes in of_panel.items():
            axes.set(xscale="log", yscale="log", title=panel if len(panels) > 1 else "")
        # in the order of first appearance, in all panels together
        series = list(dict.fromkeys(line[1] for line in self.lines))
        legend: dict[str, Any] = {}
        for (panel, name, dash, shown), points in self.lines.items():
            number = series.index(name)
            (line,) = of_panel[panel].plot(
                *zip(*sorted(points), strict=True),
                color=COLOURS[number % len(COLOURS)],
                marker=MARKS[number % len(MARKS)],
                linestyle=dash,
                markerfacecolor=None if dash == "-" else "white",  # a single point has no dashes
            )
            legend.setdefault(shown, line)
        for place, axes in enumerate(of_panel.values()):
            if place % across == 0:
                axes.set_ylabel(self.y)
            if place + across >= len(panels):  # the bottom panel of its column
                axes.set_xlabel(self.x)
                axes.tick_params(labelbottom=True)
            _number(axes.xaxis, axes.get_xlim())
            _number(axes.yaxis, axes.get_ylim(), self.unit)
        width = figure.get_size_inches()[0]  # an inch of legend holds about 13 letters
        columns = max(1, min(len(legend), int(width * 13 / (max(map(len, legend)) + 8))))
        figure.legend(legend.values(), legend.keys(), loc="outside lower center", ncols=columns)
        yield file, figure


# --- sampling ------------------------------------------------------------------------------------------


PER_JOULE = "vertices_per_second_per_watt"


def _sampling(records: list[Record], labels: Labels) -> Iterable[tuple[str, Any]]:
    found = [r for r in records if table_of(r) == "sampling"]
    peer = beside(found)
    # results on one core and of the loop do not say how many vertices their graph has; the others do
    vertices = {r["graph"]: r["details"]["of_vertices"] for r in found if r["details"].get("of_vertices")}

    def speed_up(record: Record) -> float | None:
        alone, ours = peer(record, ONE_CORE), value(record, "kernels")
        if alone is None or alone is record or not ours:
            return None
        return (value(alone, "kernels") or 0) / ours

    for name, title, y, unit, figure_of in (
        ("time", "Half of a power-law graph sampled", "time", "s", _seconds),
        ("speedup", "Speed-up over one core of the same machine", "times as fast", "", speed_up),
        ("energy", "Energy of a sample", "energy", "J", partial(energy, key="joules")),
        ("efficiency", "Vertices sampled per joule", "vertices/s/W", "", partial(energy, key=PER_JOULE)),
    ):
        lines = _Lines(title, "vertices", y, unit)
        for record in found:
            method, mode = record["what"].split()
            series = labels.series(record)
            point = vertices.get(record["graph"]), figure_of(record)
            lines.add(method, series, point, DASHES[mode], f"{series}, {mode}")
        yield from lines.drawn(f"sampling_{name}", [each for each in METHODS if each in lines.panels])


def _seconds(record: Record) -> float | None:
    return value(record, "kernels") or value(record, "call")


# --- PageRank ------------------------------------------------------------------------------------------


def _pagerank(records: list[Record], labels: Labels) -> Iterable[tuple[str, Any]]:
    for what, key, title in (
        ("iteration", "iteration", "One PageRank iteration, float32"),
        ("solve", "call", "PageRank to an L1 error of 1e-8, float64"),
    ):
        found = [r for r in records if r["suite"] == "pagerank" and r["what"] == what]
        panels = dict.fromkeys(labels.of(r) for r in found if r["device"] and value(r, key))
        lines = _Lines(title, "arcs", "time", "s")
        for record in found:
            point = record["details"]["of_arcs"], value(record, key)
            # other libraries have no device of their own: they appear in every panel
            for panel in [labels.of(record)] if record["device"] else panels:
                lines.add(panel, record["who"] if record["device"] else labels.series(record), point)
        yield from lines.drawn(f"pagerank_{what}", list(panels))


class _Devices:
    """The devices of some records: a colour for each, and how bars and titles name them."""

    def __init__(self, records: Iterable[Record], labels: Labels) -> None:
        self._labels = labels
        self._names = list(dict.fromkeys(map(labels.of, records)))
        one = len(self._names) == 1
        self.title = f", {self._names[0]}" if one else ""
        self._several = not one

    def colour(self, record: Record) -> str:
        return COLOURS[self._names.index(self._labels.of(record)) % len(COLOURS)]

    def suffix(self, record: Record) -> str:
        """The device behind a bar's name, if there are several."""
        return f", {self._labels.of(record)}" if self._several else ""


def _bars(axes: Any, bars: Sequence[tuple[str, float, str]], what: str, title: str = "") -> None:
    """Horizontal bars of seconds, the first at the top, with the value at the end of each."""
    from matplotlib.ticker import EngFormatter, NullFormatter

    names, values, colours = zip(*bars, strict=True)
    drawn = axes.barh(range(len(bars)), values, color=colours)
    shown = [show({"value": seconds, "unit": "s"}, 3) for seconds in values]
    axes.bar_label(drawn, labels=shown, padding=3, fontsize=8)
    axes.set_yticks(range(len(bars)), names)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.grid(visible=False, axis="y")
    axes.set(xscale="log", xlabel=what)
    axes.xaxis.set_major_formatter(EngFormatter("s"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    if title:
        axes.set_title(title, loc="left", fontsize=9)


def _pagerank_table(records: list[Record], labels: Labels) -> Iterable[tuple[str, Any]]:
    found = [r for r in records if table_of(r) == "pagerank_table"]
    if not found:
        return
    from matplotlib import pyplot

    devices = _Devices(found, labels)
    figure, panels = pyplot.subplots(1, 2, figsize=(11, 4.6), layout="constrained", sharex=True)
    for axes, (graph, theirs) in zip(panels, printed.PAGERANK.items(), strict=True):
        rows = printed.PAGERANK_ROWS
        bars = [(f"thesis: {rows[f'clgraph {name}']}", s, "#999999") for name, s in theirs.items()]
        for record in (r for r in found if r["graph"] == graph):
            name = record["who"].removeprefix("clgraph ") + devices.suffix(record)
            bars.append((name, value(record, "iterate") or 0, devices.colour(record)))
        _bars(axes, bars, "time", f"{graph}: 1000 iterations")
    figure.suptitle(f"The PageRank thesis's Table 6.2{devices.title}")
    yield "pagerank_table", figure


def _ppr(records: list[Record], labels: Labels) -> Iterable[tuple[str, Any]]:
    """Bars for each graph: the slides' rows with ours below each, and all methods and libraries."""
    from matplotlib import pyplot

    def rank(record: Record, name: str, colour: str) -> tuple[str, float, str]:
        return f"{name} [{value(record, 'accuracy') or 0:.0%}]", value(record, "call") or 0, colour

    slides, ours = ([r for r in records if table_of(r) == name] for name in ("ppr_printed", "ppr"))
    for found in (slides, ours):
        for graph in dict.fromkeys(r["graph"] for r in found):
            here = [r for r in found if r["graph"] == graph]
            devices, bars = _Devices((r for r in here if r["device"]), labels), []
            for name, theirs, right, *_ in printed.PPR if found is slides else ():
                bars.append((f"{name}: printed [{right}]", theirs / 1e3, "#999999"))
                for record in (r for r in here if does(r["what"], name)):
                    place = labels.of(record) + record["what"].removeprefix(f"{SLIDES}{name}")
                    bars.append(rank(record, place, devices.colour(record)))
            for record in here if found is not slides else ():
                colour, who = "#444444", record["who"]
                if record["device"]:
                    colour, at_once = devices.colour(record), f"{record['details']['at_once']} at once"
                    who = record["what"].replace("all at once", at_once) + devices.suffix(record)
                bars.append(rank(record, who, colour))
            file = Path(graph)
            title = f"Personalized PageRank on {file.name}{devices.title} [accuracy of the top 20]"
            if found is slides:
                title = f"The slides' table on {file.name}: one source [accuracy of the top 20]"
            figure, axes = pyplot.subplots(figsize=(9, 0.22 * len(bars) + 1.4), layout="constrained")
            figure.suptitle(title)  # over the whole figure: the axes are narrower than it
            _bars(axes, bars, "time for a source, whole call")
            yield f"ppr_{'slides_' * (found is slides)}{file.stem}", figure


# --- traversal -----------------------------------------------------------------------------------------


def _traversal(records: list[Record], labels: Labels) -> Iterable[tuple[str, Any]]:
    lines = _Lines("Traversal of R-MAT graphs", "arcs", "time", "s")
    for record in (r for r in records if r["suite"] == "traversal" and r["graph"].startswith("rmat")):
        series = labels.series(record)
        if record["device"]:
            words = record["who"].removeprefix("clgraph").strip().replace("hybrid", "")
            series += f", {words}" if words else ""
        for key, dash, shown in (("kernels", ":", f"{series} (kernels)"), ("call", "-", series)):
            point = record["details"]["of_arcs"], value(record, key)
            lines.add(record["what"], series, point, dash, shown)
    yield from lines.drawn("traversal_time", lines.panels)
