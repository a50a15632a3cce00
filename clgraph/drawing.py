"""What all figures share: matplotlib (the extra `plot`), and numbers on logarithmic axes."""

from __future__ import annotations

from typing import Any

from clgraph.errors import ClgraphError


def need_matplotlib(wanted_by: str, otherwise: str = "leave it out") -> None:
    """Refuse, before the work is done, what could not be drawn after it.

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
        raise ClgraphError(
            f"{wanted_by} needs matplotlib: python -m pip install 'clgraph[plot]' (or {otherwise})"
        ) from error


def label_narrow(
    axis: Any, low: float, high: float, formatter: Any = None, digits: Any = (1, 2, 3, 5, 7)
) -> None:
    """Numbers on a logarithmic axis of less than two powers of ten, where there would be one or none.

    Parameters
    ----------
    axis : matplotlib Axis
    low, high : float
        From where to where it goes.
    formatter : matplotlib Formatter, optional
        Default: plain numbers.
    digits : sequence of int
        The first digits that may have a number.
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
