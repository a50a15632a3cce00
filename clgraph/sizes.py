"""Sizes of samples: shares, percentages and counts, read exactly (no binary rounding)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import floor

import numpy as np

from clgraph.errors import InputError


def parse_size(size: float | int | str) -> int | Fraction:
    """A size as a count of vertices (int) or a share of the input's vertices (Fraction).

    Parameters
    ----------
    size : float, int or str
        ``0.3``, ``"0.3"`` and ``"30%"`` are shares; ``5000`` and ``"5000"`` are counts. ``1`` is one
        vertex, ``1.0`` and ``"100%"`` are all of them.

    Raises
    ------
    InputError
        Not a number; zero or negative; a share above 1.
    """
    hint = "a share such as 0.3 or 30%, or a count such as 5000"
    if isinstance(size, bool) or not isinstance(size, (int, float, str, np.integer, np.floating)):
        raise InputError(f"size {size!r}: give {hint}")
    if isinstance(size, (int, np.integer)):
        count = int(size)
        if count < 1:
            raise InputError(f"size {count}: a sample has at least one vertex; give {hint}")
        return count
    text = size.strip() if isinstance(size, str) else repr(float(size))
    percent = text.endswith("%")
    digits = text[:-1].strip() if percent else text
    if not percent and digits.lstrip("+-").isdigit():
        return parse_size(int(digits))
    try:
        number = Decimal(digits)
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise InputError(f"size {size!r}: give {hint}")
    share = Fraction(number) / (100 if percent else 1)
    if share <= 0:
        raise InputError(f"size {text}: a sample has at least one vertex; give {hint}")
    if share > 1:
        raise InputError(f"size {text} is more than the whole graph; give {hint}")
    return share


def target_size(size: float | int | str, num_vertices: int) -> int:
    """The target n* for a graph of `num_vertices` vertices: floor(share * |V| + 1/2), or the count.

    Raises
    ------
    InputError
        As `parse_size`; or a share that amounts to less than one vertex.
    """
    parsed = parse_size(size)
    if isinstance(parsed, int):
        return parsed
    count = floor(parsed * num_vertices + Fraction(1, 2))
    if count < 1:
        raise InputError(f"size {size} of {num_vertices} vertices is less than one vertex")
    return count
