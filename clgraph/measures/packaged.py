"""The power-law fit of the package `powerlaw` (Alstott, Bullmore, Plenz: PLoS ONE 9(1), 2014)."""

from __future__ import annotations

import warnings
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.measures.fits import TAIL, Likelihood

Fit = Literal["own", "powerlaw"]


def check_fit(fit: Any) -> None:
    """Validate `fit`, and that its package is there."""
    if not isinstance(fit, str) or fit not in get_args(Fit):
        raise InputError(f"fit is {shown(fit)}: use one of {', '.join(get_args(Fit))}")
    if fit == "powerlaw":
        _package()


def _package() -> Any:
    from clgraph.graph.exchange.common import library

    return library("powerlaw", "powerlaw")


def packaged_tail(degree: npt.NDArray[np.int64], count: npt.NDArray[np.int64]) -> Likelihood:
    """As `clgraph.measures.fits.likely_tail`, by the package, with its test against a lognormal distribution.

    Parameters
    ----------
    degree, count : int64 arrays
        Positive degrees that occur, ascending, and the vertices of each.
    """
    vertices = int(count.sum())
    if len(degree) < 3 or vertices < TAIL:
        reason = f"{vertices} vertices of {len(degree)} degrees: {TAIL} of three are needed"
        return Likelihood(None, None, None, vertices, reason=reason)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # it warns of every distribution that does not fit
        fit = _package().Fit(np.repeat(degree, count), discrete=True, verbose=0)
        law = fit.power_law
        alpha, minimum = float(law.alpha), float(law.xmin)
        if not (np.isfinite(alpha) and np.isfinite(minimum)):
            return Likelihood(None, None, None, vertices, reason="the package powerlaw finds no fit")
        ratio, p = map(float, fit.distribution_compare("power_law", "lognormal", normalized_ratio=True))
    known = np.isfinite(ratio) and np.isfinite(p)
    return Likelihood(
        -alpha,
        alpha,
        minimum,
        int(count[degree >= minimum].sum()),
        float(law.standard_err),
        float(law.D),
        lognormal_ratio=ratio if known else None,
        lognormal_p=p if known else None,
    )
