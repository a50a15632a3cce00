"""Shared by all figures and tables: matplotlib (the extra `plot`), sizes for print, numbers, means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import floor, log10
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph._version import pip_hint
from clgraph.arguments import shown
from clgraph.errors import ClgraphError, InputError

# widths of one and two columns of a journal, in inches
COLUMNS = {1: 3.3, 2: 7.0}
# text that is read at its printed size; fonts embedded as TrueType, and SVG's text as text, as publishers ask
PRINT: dict[str, Any] = {
    "font.size": 7.5,
    "axes.titlesize": 8,
    "figure.titlesize": 8.5,
    "legend.fontsize": 7,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.markersize": 3.5,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
}


def need_matplotlib(wanted_by: str, otherwise: str = "leave it out") -> None:
    """Check that matplotlib is installed, before work starts whose result could not be drawn.

    Parameters
    ----------
    wanted_by : str
        An option, or other words for what is to be drawn.
    otherwise : str
        What to do without matplotlib.

    Raises
    ------
    ClgraphError
        If matplotlib is not installed; it names the extra.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ClgraphError(f"{wanted_by} needs matplotlib: {pip_hint('plot')} (or {otherwise})") from error


def thousands(value: float, _: Any = None) -> str:
    """Return a number on an axis, its digits in groups of three."""
    return f"{value:,.10g}".replace(",", "\u202f").replace("-", "\u2212")


def label_narrow(
    axis: Any, low: float, high: float, formatter: Any = None, digits: Any = (1, 2, 3, 5, 7)
) -> None:
    """Label a logarithmic axis that spans less than two powers of ten: by default it has one label or none.

    Parameters
    ----------
    axis : matplotlib Axis
    low, high : float
        Its limits.
    formatter : matplotlib Formatter, optional
        Default: plain numbers.
    digits : sequence of int
        Leading digits of the numbers that may be labelled.
    """
    from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator, ScalarFormatter

    if high / low > 60:
        return
    if high / low < 4:
        axis.set_major_locator(MaxNLocator(5))
    else:
        ticks = [a * 10.0**b for b in range(-12, 13) for a in digits]
        axis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
    if formatter is None:
        formatter = ScalarFormatter(useOffset=False)
        formatter.set_scientific(False)
    axis.set_major_formatter(formatter)
    axis.set_minor_locator(NullLocator())


# --- Numbers, means with intervals, and tables for print ---

FORMATS = ("latex", "markdown", "csv")
NONE = "\u2013"
SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def figure(value: float | int | None) -> str:
    """A number as a table shows it: whole numbers in groups, others with four significant digits."""
    if value is None:
        return "-"
    if isinstance(value, int) or float(value).is_integer():
        return f"{int(value):,}".replace(",", "\u202f").replace("-", "\u2212")
    return f"{value:#.4g}".replace("-", "\u2212")


def t_interval(values: npt.NDArray[np.float64]) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a mean by Student's t; none for a single value."""
    if len(values) < 2:
        return None, None
    from scipy.special import stdtrit

    half = float(stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / np.sqrt(len(values)))
    middle = float(values.mean())
    return middle - half, middle + half


def plus_minus(mean: float | None, low: float | None, high: float | None) -> str:
    """Return a mean and half of its interval, with as many decimals as the half has in two digits."""
    if mean is None:
        return NONE
    if low is None or high is None:
        return figure(mean)
    half = (high - low) / 2
    if half == 0:
        return f"{figure(mean)} \u00b1 0"
    decimals = max(0, 1 - floor(log10(half)))
    return f"{mean:.{decimals}f} \u00b1 {half:.{decimals}f}".replace("-", "\u2212")


def check_format(form: Any) -> str:
    """Check the format of a table.

    Raises
    ------
    InputError
        If it is none of `FORMATS`.
    """
    if not isinstance(form, str) or form not in FORMATS:
        raise InputError(f"format is {shown(form)}: use {', '.join(FORMATS)}")
    return form


def written(heads: Sequence[str], rows: Sequence[Sequence[Any]], form: str, caption: str = "") -> str:
    """Return a table as LaTeX (booktabs), Markdown or CSV; the first column is left-aligned.

    Parameters
    ----------
    heads : sequence of str
    rows : sequence of sequences of str
    form : {"latex", "markdown", "csv"}
    caption : str
        Of a LaTeX table, and above a Markdown table.
    """
    if form == "csv":
        import csv
        import io

        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([heads, *rows])
        return out.getvalue()
    if form == "markdown":
        cells = [[str(cell).replace("|", "\\|") for cell in row] for row in (heads, *rows)]
        rule = [":--", *["--:"] * (len(heads) - 1)]
        lines = [f"| {' | '.join(row)} |" for row in (cells[0], rule, *cells[1:])]
        return "\n".join([*([caption, ""] if caption else []), *lines, ""])
    body = [" & ".join(map(_latex, row)) + r" \\" for row in rows]
    lines = [r"\begin{tabular}{l" + "r" * (len(heads) - 1) + "}", r"\toprule"]
    lines += [" & ".join(map(_latex, heads)) + r" \\", r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    if caption:
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{_latex(caption)}}}", *lines, r"\end{table}"]
    return "% \\usepackage{booktabs}\n" + "\n".join(lines) + "\n"


def _latex(text: Any) -> str:
    done = "".join(SPECIAL.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in str(text))
    for sign, spelt in (
        *(("\u2212", "$-$"), ("\u00b1", r"$\pm$"), ("\u2265", r"$\geq$"), ("\u202f", r"\,")),
        (NONE, "--"),
    ):
        done = done.replace(sign, spelt)
    # 8.98e-05, with either minus
    return re.sub(r"e(\$?[-+]\$?)0*(\d+)", lambda m: rf"$\times 10^{{{m[1].strip('$+')}{m[2]}}}$", done)
