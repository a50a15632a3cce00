"""Single values that options of samplers may have."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

from clgraph.arguments import given_ids, shown
from clgraph.errors import InputError
from clgraph.sampling.literature.view import View
from clgraph.sizes import number_given, target_size

Size = float | int | str


def probability(name: str, value: Any, *, below_one: bool = False) -> Fraction:
    """A probability as the exact number that its decimals say."""
    number = number_given(value) if not isinstance(value, bool) else None
    if number is None or number < 0 or number > 1 or (below_one and number == 1):
        raise InputError(
            f"{name} {shown(value)}: give a probability, 0 to 1" + (", below 1" if below_one else "")
        )
    return number


def positive(name: str, value: Any) -> Fraction:
    number = number_given(value) if not isinstance(value, bool) else None
    if number is None or not 0 < number <= 2**30:
        raise InputError(f"{name} {shown(value)}: give a number above 0, at most 2**30")
    return number


def target_of(size: Size, whole_count: int, name: str, what: str) -> int:
    """A count, or a share of `whole_count` things, as `target_size` reads a size."""
    try:
        return target_size(size, whole_count)
    except InputError as error:
        raise InputError(f"{name}={shown(size)}: {error} (here: of {whole_count} {what})") from None


def default_c(view: View) -> int:
    """The mean degree, rounded up; at least 1."""
    return max(1, ceil(Fraction(view.rows.num_arcs, view.n)))


def check_start(view: View, start: Any) -> tuple[int, ...]:
    """The vertices of one id or several.

    Raises
    ------
    InputError
        If one is not in the graph, or has no edges.
    """
    found = view.original.index(given_ids(start, "start")).tolist()
    if not found:
        raise InputError("start is empty: give an id, several, or leave it out")
    degrees = view.original.undirected.simple.degrees
    for v in found:
        if degrees[v] == 0:
            raise InputError(f"start {view.original.ids[v]} has no edges: give a vertex that has some")
    return tuple(found)


def check_powers(powers: Any) -> tuple[int, int, int]:
    """The powers of a spikyball in units of 2^-16: of d_out, of the weight, of d_in."""
    each = powers.split(",") if isinstance(powers, str) else powers
    try:
        numbers = [None if isinstance(x, bool) else number_given(x) for x in each]
    except TypeError:
        numbers = []
    if len(numbers) != 3 or any(x is None or abs(x) > 4 for x in numbers):
        raise InputError(
            f"powers {shown(powers)}: give three numbers from -4 to 4, the powers of d_out, of the edge's "
            "weight, and of d_in"
        )
    a, b, c = (floor(x * 2**16) for x in numbers if x is not None)
    return a, b, c
