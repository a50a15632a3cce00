"""Presets of earlier studies: their requests, and results beside the printed ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clgraph.drawing import NONE, figure
from clgraph.studies.columns import COMPARED
from clgraph.studies.report import Comparison
from clgraph.theses.copra import CHARACTERISTICS

if TYPE_CHECKING:
    from clgraph.studies.summary import Result

THESIS = ("average_degree", "degree_exponent", "rank_exponent")
# what the paper of 2007 compares: degrees, degree and rank exponent, hop plot, spectrum
PAPER = (
    "average_degree",
    "degree_exponent",
    "rank_exponent",
    "hop_plot_exponent",
    "effective_diameter",
    "eigen_exponent",
)
MINUS = "\u2212"


@dataclass(frozen=True)
class Preset:
    """A study with its methods and sizes.

    Attributes
    ----------
    methods, sizes : str
    seeds : int
    compare : callable
        From what was found to what is shown beside it.
    """

    methods: str
    sizes: str
    seeds: int
    compare: Callable[[Result], Comparison]


def _mean(found: Result, method: str, size: str, measure: str) -> float | None:
    """Over the seeds, of the samples for which it is defined."""
    row = next(
        (r for r in found.summary if (r["method"], r["size"], r["measure"]) == (method, size, measure)), None
    )
    return None if row is None else row["mean"]


def _left(percent: float) -> str:
    return f"{100 - percent:.2f}%"


def _shown(value: float) -> str:
    return f"{value:.3f}".replace("-", MINUS)


def _off(ratio: float, digits: int) -> str:
    return f"{100 * (ratio - 1):+.{digits}f}\N{NO-BREAK SPACE}%".replace("-", MINUS)


def _copra(found: Result) -> Comparison:
    rows = []
    for method, lines in CHARACTERISTICS.items():
        for percent, *printed in lines:
            cells = [f"{method} {percent:.2f}\N{NO-BREAK SPACE}%"]
            for measure, values in zip(THESIS, printed, strict=True):
                ours = _mean(found, method, _left(percent), measure)
                cells += [" / ".join(map(_shown, values)), NONE if ours is None else _shown(ours)]
                if measure == "average_degree":
                    cells.append(NONE if ours is None else _off(ours / values[0], 1))
            rows.append(tuple(cells))
    words = (
        "The thesis (Tariq 2018, Table 4.2): samples of a graph of 30 million vertices, average degree 5 and "
        "exponent 2.71, whose generator it does not name; two values are those of its "
        "sequential and its parallel program. The share is that of the vertices removed. Degree exponents "
        "depend on how far the tail reaches, and so on the number of vertices: here "
        f"{found.original['vertices']}. The thesis's rank exponents are reached by no graph that was tried."
    )
    heads = ("sample", "average degree: thesis", "here", "off", "degree exponent: thesis", "here")
    return Comparison("Beside the thesis's Table 4.2", words, (*heads, "rank exponent: thesis", "here"), rows)


def _internet(found: Result) -> Comparison:
    plan = found.plan
    size = min(zip(plan.targets, plan.sizes, strict=True))[1]
    whole = {measure: found.original[measure] for measure in PAPER}
    rows = [("original", *(NONE if value is None else figure(value) for value in whole.values()))]
    for method in plan.methods:
        cells = [method]
        for measure, original in whole.items():
            mean = _mean(found, method, size, measure)
            known = mean is not None and original
            cells.append(f"{figure(mean)} ({_off(mean / original, 0)})" if known else NONE)
        rows.append(tuple(cells))
    words = (
        "Krishnamurthy, Faloutsos and others (Computer Networks 51(15), 2007) reduced graphs of the Internet "
        "by such methods, and conclude that as much as 70 % of the vertices can go while important "
        f"properties stay. These are such properties, of the original and of what is left at {size}: means "
        "over the seeds, and how far they are from the original. The paper's own values, of its own graphs, "
        "are not repeated here."
    )
    heads = ("graph", *(COMPARED[measure] for measure in PAPER))
    return Comparison("What the paper of 2007 measured", words, heads, rows)


PRESETS = {
    "copra": Preset(
        "drv,dre,drve",
        ",".join(_left(row[0]) for lines in CHARACTERISTICS.values() for row in lines),
        1,
        _copra,
    ),
    "internet2007": Preset("drv,dre,drve,dhyb,cre,crve,ebfs,edfs", "90%,70%,50%,30%", 10, _internet),
}
