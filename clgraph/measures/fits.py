"""Power laws fitted to data: least squares in log-log, the cumulative fit, maximum likelihood.

A value for which there are too few data is None and `reason` says why; nothing is ever NaN.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import word
from clgraph.graph.exchange.common import library

Floats = npt.NDArray[np.float64]
# smallest degrees tried for the tail, at most
CANDIDATES = 50
# fewest vertices in a tail
TAIL = 10
# ranks whose logarithms are summed one by one; beyond, a formula is used
DIRECT = 1 << 20
# Bernoulli's numbers over the factorials, for 2, 4, ..., 12
BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000)
# degrees of tails whose distances NumPy finds in one call: a call for each histogram would take the time
PORTION = 1 << 19
# steps of a golden section search from 1 to 20, down to 1e-8
STEPS = 45


@dataclass(frozen=True)
class Line:
    """A least-squares line through the logarithms.

    Attributes
    ----------
    slope, intercept : float or None
        log y = intercept + slope log x (natural logarithms).
    correlation : float or None
        Pearson's, of the logarithms; None also if all y are equal.
    points : int
    reason : str or None
        Why something is None.
    """

    slope: float | None = None
    intercept: float | None = None
    correlation: float | None = None
    points: int = 0
    reason: str | None = None


@dataclass(frozen=True)
class Cumulative:
    """The fit of the complementary cumulative distribution, which noise in the tail affects less.

    Attributes
    ----------
    exponent : float or None
        The fit converted to the exponent that it belongs to.
    slope, correlation : float or None
        Of the line of log P(X >= x) on log x.
    points : int
    reason : str or None
    """

    exponent: float | None = None
    slope: float | None = None
    correlation: float | None = None
    points: int = 0
    reason: str | None = None


@dataclass(frozen=True)
class Likelihood:
    """The maximum-likelihood fit of P(x) ~ x ** -alpha to the tail x >= minimum [1]_.

    Attributes
    ----------
    exponent : float or None
        The fit converted to the exponent that it belongs to.
    alpha : float or None
    minimum : float or None
        Smallest value of the tail, chosen for the smallest Kolmogorov-Smirnov distance of the fit.
    tail : int
        Values in the tail.
    error : float or None
        Standard error of alpha.
    distance : float or None
        Kolmogorov-Smirnov distance of fit and tail.
    reason : str or None
    lognormal_ratio, lognormal_p : float or None
        By the package `powerlaw` (``fit="powerlaw"``): the normalized ratio of the tail's likelihoods as a
        power law and as a lognormal distribution, positive where the power law is the likelier, and the
        probability of one as far from 0 if neither were.

    References
    ----------
    .. [1] A. Clauset, C. R. Shalizi, M. E. J. Newman, "Power-law distributions in empirical data",
       SIAM Review 51(4), 2009.
    """

    exponent: float | None = None
    alpha: float | None = None
    minimum: float | None = None
    tail: int = 0
    error: float | None = None
    distance: float | None = None
    reason: str | None = None
    lognormal_ratio: float | None = None
    lognormal_p: float | None = None


@dataclass(frozen=True)
class Exponent(Line):
    """A power-law exponent: the slope of a line in log-log, and two other fits.

    Attributes
    ----------
    slope, intercept, correlation, points, reason
        Of the line.
    ccdf : Cumulative
    mle : Likelihood
    """

    ccdf: Cumulative = Cumulative()
    mle: Likelihood = Likelihood()

    @classmethod
    def of(cls, line: Line, ccdf: Cumulative, mle: Likelihood) -> Exponent:
        """Combine a line with the two other fits."""
        return cls(**vars(line), ccdf=ccdf, mle=mle)

    @classmethod
    def none(cls, reason: str) -> Exponent:
        """Return an exponent without any fit."""
        return cls.of(Line(reason=reason), Cumulative(reason=reason), Likelihood(reason=reason))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def line_through(x: npt.ArrayLike, y: npt.ArrayLike, what: str = "value") -> Line:
    """Fit the least-squares line of log y on log x; all values must be positive.

    Parameters
    ----------
    x, y : array_like, shape (k,)
    what : str
        What the points are, for the reason: a line needs two different ones.
    """
    a, b = np.log(np.asarray(x, np.float64)), np.log(np.asarray(y, np.float64))
    if len(a) < 2:
        reason = f"{len(a) or 'no'} {what}: a line takes two different ones"
        return Line(points=len(a), reason=reason)
    middle_a, middle_b = a.mean(), b.mean()
    a -= middle_a
    b -= middle_b
    along, across, both = float(a @ a), float(b @ b), float(a @ b)
    slope = both / along
    intercept = float(middle_b - slope * middle_a)
    if across <= 1e-24 * len(b):
        return Line(0.0, float(middle_b), None, len(b), "no correlation: the line is level")
    correlation = max(-1.0, min(1.0, both / float(np.sqrt(along * across))))
    return Line(slope, intercept, correlation, len(b))


def with_neighbours(
    degree: npt.NDArray[np.int64], count: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return a degree histogram without degree 0."""
    return degree[degree > 0], count[degree > 0]


def degree_exponents(
    degree: npt.NDArray[np.int64], count: npt.NDArray[np.int64], tail: Likelihood
) -> tuple[Exponent, Exponent]:
    """Return the degree exponent and the rank exponent of a degree histogram.

    Parameters
    ----------
    degree, count : int64 arrays
        Positive degrees that occur, ascending, and the number of vertices with each.
    tail : Likelihood
        From `likely_tails` or `packaged_tail`.
    """
    if len(degree) == 0:
        return (Exponent.none("no vertex has a neighbour"),) * 2
    cumulative = line_through(degree, np.cumsum(count[::-1])[::-1] / count.sum(), "degree that occurs")
    by_degree = Exponent.of(
        line_through(degree, count, "degree that occurs"), beside(cumulative, lambda slope: slope - 1), tail
    )
    by_rank = Exponent.of(
        rank_line(degree, count),
        beside(cumulative, _inverse),
        replace(tail, exponent=None if tail.alpha is None else -1 / (tail.alpha - 1)),
    )
    return by_degree, by_rank


def _inverse(slope: float) -> float | None:
    return 1 / slope if slope else None


def beside(line: Line, convert: Any) -> Cumulative:
    """Return the cumulative fit, with its slope converted to another exponent."""
    exponent = None if line.slope is None else convert(line.slope)
    return Cumulative(exponent, line.slope, line.correlation, line.points, line.reason)


def rank_line(degree: npt.NDArray[np.int64], count: npt.NDArray[np.int64]) -> Line:
    """Fit the line of log degree on log rank, with a point per vertex; degrees ascend."""
    degree, count = degree[::-1], count[::-1]
    vertices = int(count.sum())
    if vertices < 2:
        return Line(points=vertices, reason="1 vertex: a line takes two")
    if len(degree) == 1:
        reason = f"no correlation: every vertex has degree {degree[0]}, and the line is level"
        return Line(0.0, float(np.log(degree[0])), None, vertices, reason)
    starts = np.cumsum(count) - count
    sums, squares = _log_ranks(starts, vertices)
    middle = float(sums.sum()) / vertices
    y = np.log(degree.astype(np.float64))
    y -= (height := float(y @ count / vertices))
    both = float((sums - middle * count) @ y)
    along, across = squares - vertices * middle * middle, float((y * y) @ count)
    slope = both / along
    return Line(slope, height - slope * middle, both / float(np.sqrt(along * across)), vertices)


def _log_ranks(starts: npt.NDArray[np.int64], n: int) -> tuple[Floats, float]:
    """Sums of log k over runs of the ranks 1 .. n that begin after `starts`, and the sum of all log(k)^2.

    Beyond DIRECT by the gamma function, and by the formula of Euler and Maclaurin.
    """
    logs = _logs(min(1 << (n - 1).bit_length(), DIRECT))[:n]
    # NumPy's sum: BLAS may add in a different order at each run
    squares = float(np.square(logs).sum())
    if n <= DIRECT:
        return np.add.reduceat(logs, starts), squares
    from scipy.special import gammaln

    def whole(k: float) -> float:
        log = float(np.log(k))
        integral = k * (log * log - 2 * log + 2)
        return integral + log * log / 2 + log / (6 * k) - (2 * log - 3) * 2 / (720 * k**3)

    ends = gammaln(np.append(starts, n) + 1.0)
    return np.diff(ends), squares + whole(float(n)) - whole(float(DIRECT))


@lru_cache(maxsize=4)
def _logs(most: int) -> Floats:
    """The logarithms of 1 .. `most`: kept, since a study fits hundreds of samples of a few sizes."""
    return np.log(np.arange(1, most + 1, dtype=np.float64))


@lru_cache
def _candidates(count: int) -> npt.NDArray[np.intp]:
    """Which of `count` tails are tried."""
    if count <= CANDIDATES:
        return np.arange(count)
    return np.unique(np.geomspace(1, count, CANDIDATES).astype(int) - 1)


class _Tails:
    """The tails of one histogram that are tried: where they begin in it, and the mean of their logarithms."""

    def __init__(self, degree: npt.NDArray[np.int64], count: npt.NDArray[np.int64]) -> None:
        self.degree, self.count = degree, count
        self.above = np.cumsum(count[::-1])[::-1]
        # at least two degrees, too
        first = np.flatnonzero(self.above[:-1] >= TAIL)
        self.first = first = first[_candidates(len(first))]
        sums = np.cumsum((np.log(degree.astype(np.float64)) * count)[::-1])[::-1]
        self.mean_log = sums[first] / self.above[first]

    @property
    def values(self) -> int:
        """How many degrees all tails have together."""
        return len(self.first) * len(self.degree) - int(self.first.sum())

    def best(self, alphas: Floats, distances: Floats) -> Likelihood:
        """Return the tail with the best fit, of those with these exponents and distances."""
        degree, above = self.degree, self.above
        if not len(self.first):
            if not len(degree):
                return Likelihood(reason="no vertex has a neighbour")
            if len(degree) == 1:
                return Likelihood(reason=f"every vertex has degree {degree[0]}")
            return Likelihood(
                tail=int(above[0]), reason=f"{int(above[0])} vertices: a tail of {TAIL} is needed"
            )
        fits = (alphas > 1.001) & (alphas < 19.9)
        if not fits.any():
            return Likelihood(tail=int(above[0]), reason="no power law: degrees fall off too fast")
        at = int(np.argmin(np.where(fits, distances, np.inf)))
        first, alpha = self.first[at], float(alphas[at])
        size = int(above[first])
        error = (alpha - 1) / float(np.sqrt(size))
        return Likelihood(-alpha, alpha, float(degree[first]), size, error, float(distances[at]))


def _distances(tails: list[_Tails], alphas: list[Floats]) -> list[Floats]:
    """Return the Kolmogorov-Smirnov distance of each tail of several histograms from its fit."""
    if not any(own.values for own in tails):
        return [np.zeros(0) for _ in tails]
    rows = []
    for own in tails:
        lengths = len(own.degree) - own.first
        starts = np.cumsum(lengths) - lengths
        which = np.repeat(np.arange(len(own.first)), lengths)
        at = np.arange(len(which)) - starts[which] + own.first[which]
        above = own.above[at]
        rows.append((own.degree[at], above, above - own.count[at], own.above[own.first], lengths))
    degree, above, beyond, size, lengths = map(np.concatenate, zip(*rows, strict=True))
    degree, starts = degree.astype(np.float64), np.cumsum(lengths) - lengths
    alpha, size = np.repeat(np.concatenate(alphas), lengths), np.repeat(size, lengths)
    # both are step functions: they differ most at a degree that occurs or just after one
    fit = hurwitz(alpha, degree)
    after = fit - degree**-alpha
    whole = np.repeat(fit[starts], lengths)
    apart = np.maximum(np.abs(fit / whole - above / size), np.abs(after / whole - beyond / size))
    return np.split(np.maximum.reduceat(apart, starts), np.cumsum([len(own.first) for own in tails])[:-1])


def likely_tails(
    histograms: Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]],
) -> list[Likelihood]:
    """Fit a discrete power law to each histogram of positive degrees, over the tail that it fits best."""
    tails = [_Tails(*each) for each in histograms]
    minimum = np.concatenate([each.degree[each.first] for each in tails]).astype(np.float64)
    alphas = _likeliest(minimum, np.concatenate([each.mean_log for each in tails]))
    ends = np.cumsum([len(each.first) for each in tails])
    likeliest = np.split(alphas, ends[:-1])
    found: list[Likelihood] = []
    portion = np.cumsum([each.values for each in tails]) // PORTION
    for _, numbers in groupby(range(len(tails)), portion.tolist().__getitem__):
        group = list(numbers)
        some = [tails[k] for k in group]
        apart = _distances(some, [likeliest[k] for k in group])
        found += [tails[k].best(likeliest[k], own) for k, own in zip(group, apart, strict=True)]
    return found


def hurwitz(alpha: Floats, q: Floats) -> Floats:
    """Hurwitz's zeta function, the sum of (q + k) ** -alpha over all k from 0 on, to 12 digits.

    SciPy's function takes a quarter of a microsecond per value, and the Euler-Maclaurin formula a twentieth
    of that, so SciPy is used only where the formula would need more terms.
    """
    from scipy.special import zeta

    far = q >= 16 + 2 * alpha
    found = np.empty(len(q))
    found[~far] = zeta(alpha[~far], q[~far])
    a, x = alpha[far], q[far]
    term, rest = a / x, np.zeros(len(x))
    for k, bernoulli in enumerate(BERNOULLI):
        rest += bernoulli * term
        term = term * (a + 2 * k + 1) * (a + 2 * k + 2) / (x * x)
    found[far] = x**-a * (x / (a - 1) + 0.5 + rest)
    return found


def _likeliest(minimum: Floats, mean_log: Floats) -> Floats:
    """Return the likeliest exponents, from 1 to 20, of tails with these minima and means of logarithms."""

    def unlikely(alpha: Floats) -> Floats:
        found: Floats = np.log(hurwitz(alpha, minimum)) + alpha * mean_log
        return found

    golden = (np.sqrt(5) - 1) / 2
    low, high = np.full(len(minimum), 1.0001), np.full(len(minimum), 20.0)
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = unlikely(left), unlikely(right)
    for _ in range(STEPS):
        less = at_left < at_right
        low, high = np.where(less, low, left), np.where(less, right, high)
        kept, at_kept = np.where(less, left, right), np.where(less, at_left, at_right)
        fresh = np.where(less, high - golden * (high - low), low + golden * (high - low))
        at_fresh = unlikely(fresh)
        left, right = np.where(less, fresh, kept), np.where(less, kept, fresh)
        at_left, at_right = np.where(less, at_fresh, at_kept), np.where(less, at_kept, at_fresh)
    return (low + high) / 2


def hop_exponent(pairs: Floats) -> Exponent:
    """Fit the hop-plot exponent: log P(h) on log h for h = 1 .. min(4, first h with P(h) >= 0.9 P(end))."""
    no = "a hop plot is cumulative itself, over a handful of distances: it has no such fit"
    if len(pairs) < 2:
        line = Line(reason="no vertex has a neighbour")
    elif (last := min(4, max(1, int(np.argmax(pairs >= 0.9 * pairs[-1]))))) == 1:
        line = Line(points=1, reason="a hop reaches nine tenths of all pairs: no line through one point")
    else:
        line = line_through(np.arange(1, last + 1), pairs[1 : last + 1])
    return Exponent.of(line, Cumulative(reason=no), Likelihood(reason=no))


def eigen_exponent(eigenvalues: Floats, reason: str | None) -> Exponent:
    """Fit the eigen exponent: log of the i-th largest eigenvalue on log i; they descend and are positive."""
    if reason is not None:
        return Exponent.none(reason)
    ranks = np.arange(1, len(eigenvalues) + 1)
    line = line_through(ranks, eigenvalues, "positive eigenvalue")
    if line.slope is None or line.correlation is None:
        ccdf = Cumulative(points=line.points, reason=line.reason)
        return Exponent.of(line, ccdf, Likelihood(tail=line.points, reason=line.reason))
    # Hill's estimator
    above = float(np.log(eigenvalues[:-1] / eigenvalues[-1]).mean())
    alpha, size = 1 + 1 / above, len(eigenvalues)
    mle = Likelihood(-above, alpha, float(eigenvalues[-1]), size, (alpha - 1) / float(np.sqrt(size)))
    return Exponent.of(line, beside(line_through(eigenvalues, ranks), _inverse), mle)


# --- The power-law fit of the package `powerlaw` (Alstott, Bullmore, Plenz: PLoS ONE 9(1), 2014) ---


Fit = Literal["own", "powerlaw"]


def check_fit(fit: Any) -> None:
    """Validate `fit`, and check that its package is installed."""
    if word(fit, "fit", get_args(Fit)) == "powerlaw":
        library("powerlaw", "powerlaw")


def packaged_tail(degree: npt.NDArray[np.int64], count: npt.NDArray[np.int64]) -> Likelihood:
    """Fit as `likely_tails`, by the package, with its test against a lognormal distribution.

    Parameters
    ----------
    degree, count : int64 arrays
        Positive degrees that occur, ascending, and the vertices of each.
    """
    vertices = int(count.sum())
    if len(degree) < 3 or vertices < TAIL:
        reason = f"{vertices} vertices of {len(degree)} degrees: {TAIL} of three are needed"
        return Likelihood(tail=vertices, reason=reason)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # the package warns about every distribution that does not fit
        warnings.simplefilter("ignore")
        fit = library("powerlaw", "powerlaw").Fit(np.repeat(degree, count), discrete=True, verbose=0)
        law = fit.power_law
        alpha, minimum = float(law.alpha), float(law.xmin)
        if not (np.isfinite(alpha) and np.isfinite(minimum)):
            return Likelihood(tail=vertices, reason="the package powerlaw finds no fit")
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
