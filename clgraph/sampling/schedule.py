"""Sizes of batches: first half of the distance to the target, then ever smaller shares (Tariq's schedule)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil


def batch_share(step: int) -> Fraction:
    """The share of the initial distance to the target that the batch `step` (from 0) covers."""
    return max(Fraction(1, 2 ** (step + 1)), Fraction(3, 100))


def batch_size(step: int, excess: int, missing: int) -> int:
    """How many vertices the batch `step` (from 0) removes.

    Parameters
    ----------
    step : int
    excess : int
        Vertices above the target at the beginning.
    missing : int
        Vertices above the target now, at least 1.
    """
    return max(1, min(ceil(batch_share(step) * excess), missing))
