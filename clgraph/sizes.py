"""Numbers given as text, and sizes of samples: shares, percentages and counts, without binary rounding.

Python's own ``int``, ``float`` and ``Fraction`` take ``1_2`` and digits of any script, raise a plain
ValueError for 4301 digits and compute for hours on ``1e99999999``; the functions here take ASCII of a sane
length.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import floor

import numpy as np

from clgraph.arguments import shown
from clgraph.errors import InputError

LONGEST = 1000  # characters of a number
WHOLE = re.compile(r"[+-]?[0-9]+")
REAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?")
RATIO = re.compile(r"[+-]?[0-9]+/[0-9]+")
EXPONENT_MAX = 400  # a little beyond float64


def whole_number(text: str) -> int | None:
    """The number that ASCII digits, perhaps with a sign, spell; None if `text` is anything else."""
    return int(text) if len(text) <= LONGEST and WHOLE.fullmatch(text) else None


def real_number(text: str) -> float | None:
    """The float64 that a decimal in ASCII spells (nan and inf are none); None if `text` is anything else."""
    return float(text) if REAL.fullmatch(text) else None


def exact_number(text: str) -> Fraction | None:
    """The exact number that a decimal or a ratio such as ``4/5`` spells; None if `text` is neither."""
    if len(text) > LONGEST:
        return None
    if RATIO.fullmatch(text):
        top, bottom = map(int, text.split("/"))
        return Fraction(top, bottom) if bottom else None
    found = REAL.fullmatch(text)
    if found is None or (found[1] and (len(found[1]) > 10 or abs(int(found[1])) > EXPONENT_MAX)):
        return None
    return Fraction(text)


def number_given(value: object) -> Fraction | None:
    """The exact number that the decimals of a caller's value say, whatever it is; None if it is none."""
    try:
        return exact_number(str(value).strip())
    except ValueError:  # a whole number of more than 4300 digits
        return None


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
        raise InputError(f"size {shown(size)}: give {hint}")
    if isinstance(size, (int, np.integer)):
        count = int(size)
        if count < 1:
            raise InputError(f"size {shown(size)}: a sample has at least one vertex; give {hint}")
        if count >= 2**63:
            raise InputError(f"size {shown(size)}: no graph has so many vertices; give {hint}")
        return count
    text = size.strip() if isinstance(size, str) else repr(float(size))
    percent = text.endswith("%")
    digits = text[:-1].strip() if percent else text
    if not percent and (whole := whole_number(digits)) is not None:
        return parse_size(whole)
    number = None if "/" in digits else exact_number(digits)
    if number is None:
        raise InputError(f"size {shown(size)}: give {hint}")
    share = number / (100 if percent else 1)
    if share <= 0:
        raise InputError(f"size {text[:80]}: a sample has at least one vertex; give {hint}")
    if share > 1:
        raise InputError(f"size {text[:80]} is more than the whole graph; give {hint}")
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
