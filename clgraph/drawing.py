"""Shared by all figures: matplotlib (the extra `plot`), and numbers on logarithmic axes."""

from __future__ import annotations

from typing import Any

from clgraph._version import pip_hint
from clgraph.errors import ClgraphError


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
