"""The options of a personalized PageRank call, checked. Host only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.errors import InputError
from clgraph.ranking.personalized.problem import check_walks
from clgraph.ranking.problem import make_stop

if TYPE_CHECKING:
    from clgraph.ranking.problem import Stop


@dataclass(frozen=True)
class Options:
    """What the caller may change about the end of an iteration.

    Attributes
    ----------
    check_every : int
        The difference is summed at every so many iterations.
    squared : bool
        Its square is held against the squared tolerance.
    stable_top : int
        Stop once the top k set was the same at so many checks in a row after the first; 0: never.
    top : int or None
        k.
    """

    check_every: int = 1
    squared: bool = False
    stable_top: int = 0
    top: int | None = None


def whole(value: Any, name: str, least: int, most: int) -> int:
    """A whole number in its range, or an InputError that names it."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise InputError(f"{name} is {value!r}: use a whole number from {least} to {most}")
    return int(value)


def check_options(
    method: str, options: Options, stop: Stop, stored: bool, walks: Any, epsilon: Any, seed: Any
) -> None:
    """Refuse options that the method does not have, or that do not go together."""
    for name, value in (("squared", options.squared), ("stored", stored)):
        if not isinstance(value, (bool, np.bool_)):
            raise InputError(f"{name} is {value!r}: use True or False")
    if method == "monte-carlo":
        for name, given in (
            ("check_every", options.check_every != 1),
            ("squared", options.squared),
            ("stored", stored),
            ("stable_top", options.stable_top != 0),
        ):
            if given:
                raise InputError(f"{name} is an option of the iterating methods, not of 'monte-carlo'")
        return
    for name, value in (("walks", walks), ("epsilon", epsilon), ("seed", seed)):
        if value is not None:
            raise InputError(f"{name} is {value!r}: an option of method 'monte-carlo', not of {method!r}")
    if options.squared and stop.norm != "l2":
        raise InputError(f"squared=True is a form of the test in norm 'l2', not {stop.norm!r}")
    if options.stable_top and options.top is None:
        raise InputError("stable_top needs top: which k vertices are to be the same")
    if options.stable_top and stop.tol == 0:
        raise InputError("stable_top stops early, and tol=0 asks for exactly max_iter iterations")


def check_numbers(
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
) -> tuple[Stop, Options, int]:
    """What says when to stop, checked for `n` vertices; how many walks (0: none).

    Whatever is refused for one vertex is refused for more: so a caller may find out before a graph is there.
    """
    stop = make_stop(tol, norm, max_iter, n)
    k = whole(top, "top", 1, n) if top is not None else None
    most = 2**31 - 1
    options = Options(
        whole(check_every, "check_every", 1, most), squared, whole(stable_top, "stable_top", 0, most), k
    )
    check_options(method, options, stop, stored, walks, epsilon, seed)
    count = check_walks(walks, epsilon, confidence, damping, n, policy) if method == "monte-carlo" else 0
    return stop, options, count
