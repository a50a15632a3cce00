"""Logarithms by integers alone, and race keys: host half of ``cl/sampling/literature/clock.h``."""

from __future__ import annotations

from functools import cache
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from clgraph.device import Device

ONE = 1 << 40  # 1 in units of 2^-40
NONE = 2**64 - 1  # the key of what is never drawn
LOG2_E = 3098164009  # round(2^31 log2 e)


@cache
def tables() -> npt.NDArray[np.uint64]:
    """R, then L, as samplers read them: shape (512,)."""
    odd = [513 + 2 * i for i in range(256)]
    inverse = [(1 << 63) * 512 // q for q in odd]
    logarithm = [round(ONE * log2(q / 512)) for q in odd]
    return np.array(inverse + logarithm, np.uint64)


def lg(x: int) -> int:
    """log2(x) in units of 2^-40, 0 < x < 2^64, by the steps that devices take; wrong by less than 5 units."""
    z = 64 - x.bit_length()
    m = x << z
    i = (m >> 55) & 255
    table = tables()
    r = ((m * int(table[i]) >> 64) - (1 << 62)) >> 22
    r2 = r * r >> 40
    r3 = r2 * r >> 40
    r4 = r3 * r >> 40
    p = r - (r2 >> 1) + (21845 * r3 >> 16) - (r4 >> 2)
    return (63 - z) * ONE + int(table[256 + i]) + (p * LOG2_E >> 31)


class _Owner:
    """What a device's copy of the tables belongs to: the process."""


_OWNER = _Owner()


def device_tables(device: Device) -> Any:
    """The tables on a device, uploaded once."""
    return device.cached(_OWNER, "logarithms", lambda: device.upload(tables(), writable=True))


def rates(cut: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """The rate e at which an item of weight 1 has a key below `cut`: P(key < cut) = 1 - 2^-(W e).

    Infinite where `cut` is `NONE`: everything was taken.
    """
    time = (cut >> np.uint64(16)).astype(np.float64) / ONE - 64 - 40
    return np.where(cut == np.uint64(NONE), np.inf, np.exp2(time))


def integer_weights(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.uint64]:
    """Weights as integers: max(1, floor(w 2^40 / max + 1/2)); 0 stays 0."""
    top = float(weights.max(initial=0.0))
    if top == 0:
        return np.zeros(len(weights), np.uint64)
    whole = np.floor(weights / top * 2**40 + 0.5).astype(np.uint64)
    whole[(whole == 0) & (weights > 0)] = 1
    return whole
