"""Laws of ranks, degrees and sizes as integer tables, made once in decimal arithmetic.

The last bit of pow() differs between machines; integers are the same everywhere.
"""

from __future__ import annotations

import itertools
from decimal import Decimal, localcontext
from math import gcd

import numpy as np
import numpy.typing as npt

from clgraph.arguments import real, whole
from clgraph.errors import InputError

GUIDE_BITS = 10
LARGEST_RANGE = 1 << 20  # values of a power law

RankTable = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]


def exact(value: float) -> Decimal:
    """The decimal number as it is written."""
    return Decimal(repr(float(value)))


def rank_table(n: int, power: Decimal, shift: Decimal) -> RankTable:
    """Classes of the ranks 0 .. n - 1 with the weights (rank + shift) ** -power, and their 32-bit thresholds.

    The first 256 ranks have classes of their own, then 32 classes an octave, uniform inside.

    Returns
    -------
    bounds : int64 array, shape (classes + 1,)
        Class c holds the ranks bounds[c] .. bounds[c + 1] - 1.
    thresholds : uint32 array, shape (classes - 1,)
        A word w falls into class c where thresholds[c - 1] <= w < thresholds[c].
    """
    bounds = list(range(min(n, 256) + 1))
    while bounds[-1] < n:
        bounds.append(min(n, bounds[-1] + max(1, bounds[-1] >> 5)))
    with localcontext() as context:
        context.prec = 40
        total, running = Decimal(0), []
        for low, high in itertools.pairwise(bounds):
            middle = Decimal(low + high - 1) / 2 + shift
            total += (high - low) * middle**-power
            running.append(total)
        thresholds = [int(mass / total * 2**32) for mass in running[:-1]]
    return np.array(bounds, dtype=np.int64), np.array(thresholds, dtype=np.uint32)


def rank_guide(bounds: npt.NDArray[np.int64], thresholds: npt.NDArray[np.uint32]) -> tuple[npt.NDArray, ...]:
    """The tables of ``cl/csr/ranks.h``: guide, thresholds, bounds."""
    words = np.arange((1 << GUIDE_BITS) + 1, dtype=np.int64) << (32 - GUIDE_BITS)
    guide = np.searchsorted(thresholds, words, side="right").astype(np.int32)
    return guide, thresholds, bounds.astype(np.int32)


def scatter(n: int) -> int:
    """A multiplier coprime to n near the golden section: rank * it mod n spreads ranks over the vertices."""
    stride = max(1, int(n * 0.6180339887498949))
    while gcd(stride, n) != 1:
        stride += 1
    return stride


def check_range(least: int, most: int, name: str) -> tuple[int, int]:
    """The least and the most of a power law, from 1 up."""
    least = whole(least, f"minimum {name}", 1, 2**31 - 1)
    most = whole(most, f"maximum {name}", 1, 2**31 - 1)
    if least > most:
        raise InputError(f"minimum {name} {least} is above the maximum, {most}: exchange them")
    if most - least >= LARGEST_RANGE:
        raise InputError(
            f"{name} from {least} to {most}: at most {LARGEST_RANGE} different values; give a smaller maximum"
        )
    return least, most


def power_law(least: int, most: int, exponent: float) -> npt.NDArray[np.uint64]:
    """Thresholds of P(k) ~ k ** -exponent on least .. most: a number x means least + (those up to x).

    Powers of primes are raised, those of other numbers are products.
    """
    exponent = real(exponent, "exponent")
    if not 0 <= exponent <= 20:
        raise InputError(f"exponent {exponent}: give a number from 0 to 20")
    with localcontext() as context:
        context.prec = 40
        power = -exact(exponent)
        factor = _smallest_factors(most)
        raised = [Decimal(1)] * (most + 1)
        for k in range(2, most + 1):
            p = factor[k]
            raised[k] = Decimal(k) ** power if p == k else raised[p] * raised[k // p]
        running = list(itertools.accumulate(raised[least:]))
        thresholds = [int(mass / running[-1] * 2**64) for mass in running[:-1]]
    return np.array(thresholds, dtype=np.uint64)


def _smallest_factors(most: int) -> list[int]:
    factor = np.arange(most + 1)
    for p in range(2, int(most**0.5) + 1):
        if factor[p] == p:
            multiples = factor[p * p :: p]
            multiples[multiples == np.arange(p * p, most + 1, p)] = p
    return factor.tolist()
