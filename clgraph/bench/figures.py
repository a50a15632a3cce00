"""The figures: time, speed-up and energy against the size of the graph, as SVG and PNG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from clgraph.bench.cases.ppr import SLIDES, does
from clgraph.bench.cases.sampling import METHODS
from clgraph.bench.run import show
from clgraph.bench.tables import ONE_CORE, Labels, beside, energy, order_of, value
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


class _Lines:
    """Log-log line plots in panels that share one legend."""

    def __init__(self, panels: Sequence[str], title: str, x: str, y: str, unit: str = "") -> None:
        from matplotlib import pyplot

        across = min(len(panels), 3)
        down = -(-len(panels) // across)
        self._figure, grid = pyplot.subplots(
            down,
            across,
            figsize=(3.6 * across if across > 1 else 6, 2.8 * down + 0.9),
            squeeze=False,
            sharex=True,
            sharey=True,
            layout="constrained",
        )
        self._panels = dict(zip(panels, grid.flat, strict=False))
        for empty in list(grid.flat)[len(panels) :]:
            empty.set_visible(False)
        self._series: dict[str, int] = {}
        self._shown: dict[str, Any] = {}
        self._figure.suptitle(title)
        self._x, self._y, self._unit = x, y, unit
        for name, axes in self._panels.items():
            axes.set(xscale="log", yscale="log", title=name if len(panels) > 1 else "")

    def add(self, panel: str, name: str, points: Sequence[Point], dash: str = "", shown: str = "") -> None:
        """Add a line; a series has the same colour and marker in every panel."""
        if not points:
            return
        # the order of first appearance, in all panels together
        place = self._series.setdefault(name, len(self._series))
        (line,) = self._panels[panel].plot(
            *zip(*sorted(points), strict=True),
            color=COLOURS[place % len(COLOURS)],
            marker=MARKS[place % len(MARKS)],
            linestyle=dash or "-",
            markerfacecolor=None if dash in ("", "-") else "white",  # a single point has no dashes
        )
        self._shown.setdefault(shown or name, line)

    def done(self) -> Any:
        """Add legend and axis labels, and return the figure."""
        across = max(axes.get_subplotspec().colspan.start for axes in self._panels.values()) + 1
        names = list(self._panels)
        for place, (_, axes) in enumerate(self._panels.items()):
            if place % across == 0:
                axes.set_ylabel(self._y)
            if place + across >= len(names):  # the bottom panel of its column
                axes.set_xlabel(self._x)
                axes.tick_params(labelbottom=True)
            _number(axes.xaxis, axes.get_xlim())
            _number(axes.yaxis, axes.get_ylim(), self._unit)
        longest = max(len(name) for name in self._shown)
        width = self._figure.get_size_inches()[0]  # an inch of legend holds about 13 letters
        columns = max(1, min(len(self._shown), int(width * 13 / (longest + 8))))
        self._figure.legend(
            self._shown.values(), self._shown.keys(), loc="outside lower center", ncols=columns
        )
        return self._figure


# --- sampling ------------------------------------------------------------------------------------------


# name, title, and what the axis of values is
SAMPLING = (
    ("time", "Half of a power-law graph sampled", "time", "s"),
    ("speedup", "Speed-up over one core of the same machine", "times as fast", ""),
    ("energy", "Energy of a sample", "energy", "J"),
    ("efficiency", "Vertices sampled per joule", "vertices/s/W", ""),
)


def _sampling(records: list[Record], labels: Labels) -> Iterable[tuple[str, Any]]:
    found = [r for r in records if r["suite"] == "sampling" and not r["what"].startswith("characteristics")]
    one_core = beside(found, ONE_CORE)

    def speed_up(record: Record) -> float | None:
        alone, ours = one_core(record), value(record, "kernels")
        if alone is None or alone is record or not ours:
            return None
        return (value(alone, "kernels") or 0) / ours

    figures: dict[str, Callable[[Record], float | None]] = {
        "time": lambda r: value(r, "kernels") or value(r, "call"),
        "speedup": speed_up,
        "energy": lambda r: energy(r, "joules"),
        "efficiency": lambda r: energy(r, "vertices_per_second_per_watt"),
    }
    for name, title, y, unit in SAMPLING:
        points: dict[tuple[str, str, str], list[Point]] = {}
        for record in found:
            method, mode = record["what"].split()
            figure = figures[name](record)
            n = record["details"].get("of_vertices") or _vertices(record, found)
            if figure and n:
                points.setdefault((method, labels.series(record), mode), []).append((n, figure))
        panels = [method for method in METHODS if any(key[0] == method for key in points)]
        if not panels:
            continue
        lines = _Lines(panels, title, "vertices", y, unit)
        for (method, series, mode), line in points.items():
            lines.add(method, series, line, DASHES[mode], f"{series}, {mode}")
        yield f"sampling_{name}", lines.done()


def _vertices(record: Record, among: Iterable[Record]) -> int | None:
    """Number of vertices of the same graph, from another record."""
    same = (r["details"].get("of_vertices") for r in among if r["graph"] == record["graph"])
    return next((n for n in same if n), None)


# --- PageRank ------------------------------------------------------------------------------------------


def _pagerank(records: list[Record], labels: Labels) -> Iterable[tuple[str, Any]]:
    found = [r for r in records if r["suite"] == "pagerank"]
    for what, key, title in (
        ("iteration", "iteration", "One PageRank iteration, float32"),
        ("solve", "call", "PageRank to an L1 error of 1e-8, float64"),
    ):
        points: dict[tuple[str, str], list[Point]] = {}
        for record in found:
            figure = value(record, key)
            if record["what"] == what and figure:
                place = labels.series(record) if record["device"] is None else labels.of(record)
                name = place if record["device"] is None else f"{record['who']}, {place}"
                panel = "" if record["device"] is None else labels.of(record)
                points.setdefault((panel, name), []).append((record["details"]["of_arcs"], figure))
        panels = list(dict.fromkeys(panel for panel, _ in points if panel))
        if not panels:
            continue
        lines = _Lines(panels, title, "arcs", "time", "s")
        for (panel, name), line in points.items():
            # other libraries have no device of their own: they appear in every panel
            for each in [panel] if panel else panels:
                lines.add(each, name.replace(f", {panel}", "") if panel else name, line)
        yield f"pagerank_{what}", lines.done()


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
    found = [r for r in records if r["graph"] in printed.PAGERANK and "iterate" in r["values"]]
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

    ours: list[Record] = []
    slides: list[Record] = []
    for record in (r for r in records if r["suite"] == "ppr"):
        (slides if record["what"].startswith(SLIDES) else ours).append(record)
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
    found = [r for r in records if r["suite"] == "traversal" and r["graph"].startswith("rmat")]
    panels = list(dict.fromkeys(r["what"] for r in found))
    if not panels:
        return
    lines = _Lines(panels, "Traversal of R-MAT graphs", "arcs", "time", "s")
    points: dict[tuple[str, str, str], list[Point]] = {}
    for record in found:
        series = labels.series(record)
        if record["device"]:
            words = record["who"].removeprefix("clgraph").strip().replace("hybrid", "")
            series += f", {words}" if words else ""
        for key, dash in (("kernels", ":"), ("call", "-")):
            figure = value(record, key)
            if figure:
                place = (record["what"], series, dash)
                points.setdefault(place, []).append((record["details"]["of_arcs"], figure))
    for (panel, series, dash), line in points.items():
        lines.add(panel, series, line, dash, f"{series}{' (kernels)' if dash == ':' else ''}")
    yield "traversal_time", lines.done()
