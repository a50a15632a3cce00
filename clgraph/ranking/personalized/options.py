"""The options of a personalized PageRank call, checked. Host only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.arguments import shown
from clgraph.errors import InputError
from clgraph.keyed import check_seed
from clgraph.ranking.personalized.walk_count import check_walks
from clgraph.ranking.problem import make_stop

if TYPE_CHECKING:
    from clgraph.ranking.problem import Stop

LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Options:
    """How the ranks are to be found, and when that ends.

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
    options = Options(
        method,
        make_stop(tol, norm, max_iter, n),
        None if top is None else _whole(top, "top", 1, n),
        _whole(check_every, "check_every", 1, LARGEST),
        _flag(squared, "squared"),
        _whole(stable_top, "stable_top", 0, LARGEST),
        _flag(stored, "stored"),
        walks=0,
        seed=0,
    )
    if method != "monte-carlo":
        for name, value in (("walks", walks), ("epsilon", epsilon), ("seed", seed)):
            if value is not None:
                raise InputError(
                    f"{name} is {shown(value)}: an option of method 'monte-carlo', not of {method!r}"
                )
        _check_iterating(options)
        return options
    for name, given in (
        ("check_every", options.check_every != 1),
        ("squared", options.squared),
        ("stored", options.stored),
        ("stable_top", options.stable_top != 0),
    ):
        if given:
            raise InputError(f"{name} is an option of the iterating methods, not of 'monte-carlo'")
    count = check_walks(walks, epsilon, confidence, damping, n, policy)
    return Options(method, options.stop, options.top, 1, False, 0, False, count, check_seed(seed))


def _check_iterating(options: Options) -> None:
    if options.squared and options.stop.norm != "l2":
        raise InputError(f"squared=True is a form of the test in norm 'l2', not {options.stop.norm!r}")
    if options.stable_top and options.top is None:
        raise InputError("stable_top needs top: which k vertices are to be the same")
    if options.stable_top and options.stop.tol == 0:
        raise InputError("stable_top stops early, and tol=0 asks for exactly max_iter iterations")


def _whole(value: Any, name: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise InputError(f"{name} is {shown(value)}: use a whole number from {least} to {most}")
    return int(value)


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} is {shown(value)}: use True or False")
    return bool(value)
