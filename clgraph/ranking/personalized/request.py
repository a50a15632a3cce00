"""The request of a personalized PageRank call: validated options, graph and device."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.arguments import flag, real, shown, whole
from clgraph.errors import InputError
from clgraph.keyed import check_seed
from clgraph.ranking.problem import check_reachable, make_stop, round_off

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.progress import Tell
    from clgraph.ranking.personalized.sources import Queries
    from clgraph.ranking.problem import Problem, Stop
    from clgraph.ranking.solver import Numbers


LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Options:
    """Options of a call: method, selection, and when to stop.

    Attributes
    ----------
    method : str
    stop : Stop
        Unused by "monte-carlo".
    top : int or None
        Select this many highest ranks.
    check_every : int
        Sum the difference only once in this many iterations.
    squared : bool
        Compare its square with the squared tolerance.
    stable_top : int
        Stop once the top k set was the same at this many checks in a row after the first; 0: never.
    stored : bool
        Answer sources without out-arcs from stored ranks.
    walks : int
        Walks from each source; 0 unless the method is "monte-carlo".
    seed : int
        Of the walks.
    """

    method: str
    stop: Stop
    top: int | None
    check_every: int
    squared: bool
    stable_top: int
    stored: bool
    walks: int
    seed: int


@dataclass(frozen=True)
class Request:
    """A validated call.

    Attributes
    ----------
    device : Device
    graph : Graph
    problem : Problem
    queries : Queries
    options : Options
    numbers : Numbers
        The types of ranks and sums.
    weight : bool
        Whether the graph's weights count: what is kept on the device depends on it.
    progress : callable, optional
        Called with (distinct sources done, of how many).
    stays : bool
        The ranks of all vertices stay on the device.
    """

    device: Device
    graph: Graph
    problem: Problem
    queries: Queries
    options: Options
    numbers: Numbers
    weight: bool
    progress: Tell | None = None
    stays: bool = False

    def tell(self, done: int, of: int) -> None:
        """Report how many of an engine's sources are done."""
        if self.progress:
            self.progress(done, of)

    def checked_round_off(self, chain: int) -> float:
        """rho for a longest chain of additions of that length; an InputError if `tol` is below it.

        What is returned is for the error bound: W has its own chain, which does not hinder convergence.
        """
        from clgraph.ranking.solver import longest_row  # which needs OpenCL

        rho = round_off(self.numbers.dtype, chain)
        check_reachable(self.options.stop, self.problem.n, self.numbers.dtype, rho)
        if self.problem.weighing.weighted and self.numbers.dtype == "float64":
            chain += longest_row(self.device, self.graph)
        return round_off(self.numbers.dtype, chain)


def check_options(
    n: int,
    method: str,
    damping: float,
    policy: str,
    *,
    tol: Any,
    norm: Any,
    max_iter: Any,
    top: Any,
    walks: Any,
    epsilon: Any,
    confidence: Any,
    check_every: Any,
    squared: Any,
    stored: Any,
    stable_top: Any,
    seed: Any,
) -> Options:
    """Validate the options for a graph of `n` vertices; a seed that is None is drawn.

    What is invalid for one vertex is invalid for more: so a caller may find out before there is a graph.

    Raises
    ------
    InputError
        If a value is out of range, the method does not have an option, or two do not go together.
    """
    stop, by_walks = make_stop(tol, norm, max_iter, n), method == "monte-carlo"
    options = Options(
        method,
        stop,
        None if top is None else whole(top, "top", 1, n),
        whole(check_every, "check_every", 1, LARGEST),
        flag(squared, "squared"),
        whole(stable_top, "stable_top", 0, LARGEST),
        flag(stored, "stored"),
        check_walks(walks, epsilon, confidence, damping, n, policy) if by_walks else 0,
        check_seed(seed) if by_walks else 0,
    )
    if not by_walks:
        for name, value in (("walks", walks), ("epsilon", epsilon), ("seed", seed)):
            if value is not None:
                raise InputError(
                    f"{name} is {shown(value)}: an option of method 'monte-carlo', not of {method!r}"
                )
        _check_iterating(options)
        return options
    usual = {"check_every": 1, "squared": False, "stored": False, "stable_top": 0}
    for name, value in usual.items():
        if getattr(options, name) != value:
            raise InputError(f"{name} is an option of the iterating methods, not of 'monte-carlo'")
    return options


def _check_iterating(options: Options) -> None:
    if options.squared and options.stop.norm != "l2":
        raise InputError(f"squared=True is a form of the test in norm 'l2', not {options.stop.norm!r}")
    if options.stable_top and options.top is None:
        raise InputError("stable_top needs top: which k vertices are to be the same")
    if options.stable_top and options.stop.tol == 0:
        raise InputError("stable_top stops early, and tol=0 asks for exactly max_iter iterations")


# --- how many walks: as given, or as many as an error bound needs ---------------------------------------


# they find 90 % of the best 20 vertices in a graph of 3.6 M vertices and 45 M arcs, and 20 000 find 81 %
DEFAULT_WALKS = 200_000


def check_walks(walks: Any, epsilon: Any, confidence: Any, damping: float, n: int, policy: str) -> int:
    """The number of walks: as given, from the error that is allowed, or the default."""
    if walks is not None and epsilon is not None:
        raise InputError("walks and epsilon are both given: the number of walks follows from epsilon")
    most = most_walks(damping)
    if epsilon is None:
        if walks is None:
            return min(DEFAULT_WALKS, most)
        if (walks := whole(walks, "walks", 1)) > most:
            raise InputError(f"walks is {walks}: at most {most} fit 32-bit counters at damping {damping}")
        return walks
    if not 0 < real(epsilon, "epsilon") < 1:
        raise InputError(f"epsilon is {shown(epsilon)}: an error of a rank is above 0 and below 1")
    if not 0 < real(confidence, "confidence") < 1:
        raise InputError(f"confidence is {shown(confidence)}: use a probability above 0 and below 1")
    needed = walks_for(float(epsilon), float(confidence), damping, n, policy)
    if needed > most:
        raise InputError(
            f"epsilon {epsilon} at confidence {confidence} needs {needed} walks, and at most {most} fit "
            "32-bit counters: use a larger epsilon, or method='power'"
        )
    return needed


def most_walks(damping: float) -> int:
    """So many walks make fewer than 2**32 visits (their mean is walks / (1 - d); this leaves half of it)."""
    return min(2**31 - 1, int(2**31 * (1 - damping)))


def walks_for(epsilon: float, confidence: float, damping: float, n: int, policy: str = "uniform") -> int:
    """Walks after which, with probability `confidence`, no rank is off by more than `epsilon`.

    What a walk adds to the estimate of a rank x has a variance of at most (1+d) x, and an m-th moment of at
    most m! x. So Chebyshev bounds the chance that x is off by (1+d) x / (N eps^2), and Bernstein by
    2 exp(-N eps^2 / 2 ((1+d) x + 2 eps / (1+d))). Ranks sum to 1: summed over all vertices, Chebyshev gives
    (1+d) / (N eps^2). For Bernstein the n vertices below some x0 are taken at x0, and of those above, the sum
    is at most the largest bound / x. The smaller of both is used. Hoeffding's bound does not hold: a walk's
    number of visits has no limit.

    With "personalization", y / |y| is off by at most 2 / (1-d) times what y and |y| (one more vertex) are.
    """
    allowed = 1 - confidence
    if policy == "personalization":
        epsilon *= (1 - damping) / 2
        n += 1
    total = 2.0 if policy == "personalization" else 1.0  # of what the ranks (and their sum) add up to
    chebyshev = total * (1 + damping) / (epsilon**2 * allowed)
    low, high = 0.0, chebyshev
    for _ in range(100):
        middle = (low + high) / 2
        if _failure(middle, epsilon, damping, n) * total <= allowed:
            high = middle
        else:
            low = middle
    return max(1, ceil(high))


def _failure(walks: float, epsilon: float, damping: float, n: int) -> float:
    """Bernstein's bound of the chance that any of n ranks of sum 1 is off by epsilon."""
    a = walks * epsilon**2 / 2
    b, c = 1 + damping, 2 * epsilon / (1 + damping)

    def each(x: float) -> float:
        return 2 * exp(-a / (b * x + c))

    # each(x) / x rises between the roots of a b x = (b x + c)^2, and falls outside them
    root = (a * b - 2 * b * c) ** 2 - 4 * b * b * c * c
    top = min(1.0, (a * b - 2 * b * c + sqrt(root)) / (2 * b * b)) if root > 0 else 1.0
    best = inf
    for x0 in np.geomspace(epsilon * 1e-3, 1.0, 60).tolist():
        highest = max(each(x0) / x0, each(max(x0, top)) / max(x0, top), each(1.0))
        best = min(best, n * each(x0) + highest)
    return best
