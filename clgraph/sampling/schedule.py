"""The batches of contraction: half of the way first, then ever smaller ones (Tariq's schedule)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil


def batch_size(step: int, excess: int, missing: int) -> int:
    """How many vertices the batch `step` (from 0) shall take.

    Parameters
    ----------
    step : int
    excess : int
        Vertices above the target at the beginning.
    missing : int
        Vertices above the target now, at least 1.
    """
    share = max(Fraction(1, 2 ** (step + 1)), Fraction(3, 100))
    return max(1, min(ceil(share * excess), missing))
