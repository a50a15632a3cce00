"""Random numbers keyed by (seed, identity): Philox4x32-10 (Salmon et al., Random123, SC'11) in NumPy.

A number belongs to a vertex, an edge or a draw, never to a work-item, a time or a device: that is why one
seed gives one sample everywhere. The device half, ``cl/keyed.h``, gives the same bits.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from clgraph.arguments import shown
from clgraph.errors import InputError

# the fourth word of the counter says what the number is for; cl/keyed.h has the same table
TAG_VERTEX: Final = 1
TAG_EDGE: Final = 2
TAG_DRAW: Final = 3
TAG_GENERATE: Final = 4
TAG_ARC: Final = 5
TAG_WALK: Final = 6
TAG_START: Final = 8
TAG_STEP: Final = 9
TAG_COIN: Final = 10
TAG_MODEL: Final = 11

P = ParamSpec("P")
R = TypeVar("R")
Words = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]


def philox4x32(c0: Any, c1: Any, c2: Any, c3: Any, seed: int) -> tuple[Words, Words, Words, Words]:
    """Ten rounds of Philox4x32 on counters (c0, c1, c2, c3) under the key `seed`; the arguments broadcast."""
    a, b, c, d = (np.atleast_1d(np.asarray(x, dtype=np.uint32)) for x in np.broadcast_arrays(c0, c1, c2, c3))
    key0, key1 = seed & 0xFFFFFFFF, seed >> 32
    low32, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    for _ in range(10):
        first = a.astype(np.uint64) * np.uint64(0xD2511F53)
        second = c.astype(np.uint64) * np.uint64(0xCD9E8D57)
        a, b, c, d = (
            (second >> shift).astype(np.uint32) ^ b ^ np.uint32(key0),
            (second & low32).astype(np.uint32),
            (first >> shift).astype(np.uint32) ^ d ^ np.uint32(key1),
            (first & low32).astype(np.uint32),
        )
        key0 = (key0 + 0x9E3779B9) & 0xFFFFFFFF
        key1 = (key1 + 0xBB67AE85) & 0xFFFFFFFF
    return a, b, c, d


def _join(low: Words, high: Words) -> UInt64s:
    return low.astype(np.uint64) | (high.astype(np.uint64) << np.uint64(32))


def vertex_priority(seed: int, vertex: Any) -> UInt64s:
    """Priorities of vertices (indices): the smaller one goes first."""
    x = philox4x32(vertex, 0, 0, TAG_VERTEX, seed)
    return _join(x[0], x[1])


def edge_priority(seed: int, low: Any, high: Any, copy: Any = 0) -> UInt64s:
    """Priorities of undirected edges given by (smaller index, larger index, rank among parallel ones)."""
    x = philox4x32(low, high, copy, TAG_EDGE, seed)
    return _join(x[0], x[1])


def arc_number(seed: int, tail: Any, head: Any) -> UInt64s:
    """Numbers of arcs given by their ends: those of u->v and v->u are independent."""
    x = philox4x32(tail, head, 0, TAG_ARC, seed)
    return _join(x[0], x[1])


def draw(seed: int, step: int, number: Any) -> tuple[UInt64s, UInt64s]:
    """Two independent 64-bit numbers for each draw `number` of a step."""
    x = philox4x32(step, number, 0, TAG_DRAW, seed)
    return _join(x[0], x[1]), _join(x[2], x[3])


def coin(seed: int, step: int, number: Any) -> UInt64s:
    """A 64-bit number for each draw, independent of those of `draw`: which kind of draw it is (dhyb)."""
    x = philox4x32(step, number, 1, TAG_DRAW, seed)
    return _join(x[0], x[1])


def below(bits: UInt64s, bound: Any) -> npt.NDArray[np.int64]:
    """Uniform integers 0 .. bound-1 from 64 random bits: the high word of bits * bound (bound < 2**63).

    Multiply-shift (Lemire 2019) without its rejection: the bias is below bound / 2**64.
    """
    n = np.asarray(bound, dtype=np.uint64)
    shift, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    high, low, n_high, n_low = bits >> shift, bits & mask, n >> shift, n & mask
    cross = high * n_low + ((low * n_low) >> shift)
    carry = low * n_high + (cross & mask)
    return (high * n_high + (cross >> shift) + (carry >> shift)).astype(np.int64)


def check_seed(seed: int | None) -> int:
    """Return a seed as an integer 0 .. 2**64 - 1; None draws one from the operating system."""
    if seed is None:
        return secrets.randbits(32)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= int(seed) < 2**64:
        raise InputError(f"seed {shown(seed)}: a seed is an integer from 0 to 2**64 - 1")
    return int(seed)


#: what public calls take as `rng` (a text: `numpy.random` is loaded when the first is given)
Rng: TypeAlias = "int | np.random.SeedSequence | np.random.Generator | np.random.BitGenerator"


def seed_from(rng: Rng) -> int:
    """Return the 64-bit seed that `rng` gives: an int itself, a SeedSequence its first word.

    A Generator or BitGenerator draws one number of 64 bits, and so advances: the next seed is another.
    """
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool):
        if 0 <= int(rng) < 2**64:
            return int(rng)
    elif isinstance(rng, np.random.SeedSequence):
        return int(rng.generate_state(1, np.uint64)[0])
    elif isinstance(rng, (np.random.Generator, np.random.BitGenerator)):
        generator = rng if isinstance(rng, np.random.Generator) else np.random.Generator(rng)
        return int(generator.integers(2**64, dtype=np.uint64))  # MT19937's own words have 32 bits
    raise InputError(
        f"rng {shown(rng)}: use an integer from 0 to 2**64 - 1, or a SeedSequence, Generator or BitGenerator "
        "of numpy.random, such as numpy.random.default_rng(7)"
    )


def takes_rng(call: Callable[P, R]) -> Callable[P, R]:
    """Decorate a public call that takes `seed`: its keyword `rng` (SPEC 7) gives the seed instead.

    The call itself has `rng` among its parameters for type checkers and help only, and never gets it.

    Raises
    ------
    InputError
        By the decorated call: if both are given, or `rng` is none of `Rng`.
    """
    code = getattr(call, "__wrapped__", call).__code__  # beneath other decorators
    positional = code.co_varnames[: code.co_argcount]
    first = positional.index("seed") if "seed" in positional else 0
    place = slice(first, first + ("seed" in positional))  # where it may stand without its name

    @wraps(call)
    def begin(*args: Any, rng: Any = None, **options: Any) -> Any:
        if rng is not None:
            if args[place] or options.get("seed") is not None:
                given = shown((*args[place], options.get("seed"))[0])
                raise InputError(
                    f"{call.__name__}: seed {given} and rng {shown(rng)}: pass one of them, not both"
                )
            options["seed"] = seed_from(rng)
        return call(*args, **options)

    return cast(Callable[P, R], begin)
