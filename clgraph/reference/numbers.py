"""Keyed numbers, logarithms and race keys of the literature's samplers, one by one in plain Python."""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache

NEVER = 2**64 - 1


def words(seed: int, i: int, j: int, k: int, tag: int) -> tuple[int, int]:
    """Words a and b of the number that belongs to (seed; i, j, k; tag): ten rounds of Philox4x32."""
    low32 = 2**32 - 1
    x, y, z, w = int(i), int(j), int(k), int(tag)
    key, other = seed & low32, seed >> 32
    for _ in range(10):
        first, second = x * 0xD2511F53, z * 0xCD9E8D57
        x, y = second >> 32 ^ y ^ key, second & low32
        z, w = first >> 32 ^ w ^ other, first & low32
        key, other = key + 0x9E3779B9 & low32, other + 0xBB67AE85 & low32
    return x | y << 32, z | w << 32


def below(x: int, k: int) -> int:
    """A number 0 .. k-1 from 64 random bits."""
    return x * k >> 64


@cache
def _tables() -> tuple[list[int], list[int]]:
    with localcontext() as context:
        context.prec = 50
        two = Decimal(2).ln()
        inverse, logarithm = [], []
        for i in range(256):
            middle = 513 + 2 * i
            inverse.append((2**63 * 512) // middle)
            exact = (Decimal(middle) / 512).ln() / two * 2**40
            logarithm.append(int((exact + Decimal("0.5")).to_integral_value(rounding="ROUND_FLOOR")))
        return inverse, logarithm


@cache
def _log2_e() -> int:
    with localcontext() as context:
        context.prec = 50
        return round(Decimal(2**31) / Decimal(2).ln())


def lg(x: int) -> int:
    """log2(x) in units of 2^-40 by the definition's integer steps."""
    inverse, logarithm = _tables()
    z = 64 - len(bin(x)[2:])
    m = x * 2**z
    i = m // 2**55 % 256
    s = m * inverse[i] // 2**64 - 2**62
    r = s // 2**22
    r2 = r * r // 2**40
    r3 = r2 * r // 2**40
    r4 = r3 * r // 2**40
    p = r - r2 // 2 + 21845 * r3 // 2**16 - r4 // 4
    return (63 - z) * 2**40 + logarithm[i] + p * _log2_e() // 2**31


def clock(x: int) -> int:
    """An exponential time of rate ln 2 in units of 2^-40."""
    return max(1, 64 * 2**40 - lg(x | 1))


def race_key(a: int, b: int, lg_weight: int) -> int:
    """The key of an item whose weight has this logarithm."""
    return (lg(clock(a)) - lg_weight + 2**46) * 2**16 + b // 2**48
