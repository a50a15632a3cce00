"""Models of random graphs: which edge draw i of a seed is, decided by keyed numbers and integers alone.

The host's half of `clgraph.csr.generate`: checked parameters, tables made once in decimal arithmetic (the
last bit of pow() differs between machines, integers do not), and the draws in NumPy. ``cl/csr/generate.cl``
draws the same on a device.
"""

from __future__ import annotations

import itertools
from decimal import Decimal, localcontext
from math import ceil, gcd

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.arguments import flag, real, whole
from clgraph.errors import InputError
from clgraph.graph.building import INT32_MAX
from clgraph.lazy import lazy

# --- laws of ranks, degrees and sizes as integer tables ---


GUIDE_BITS = 10  # the upper bits of a word: a table of so few entries stays in a cache
# values of a power law, at most: each is computed in decimal arithmetic, one by one
LARGEST_RANGE = 1 << 20

RankTable = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]


def number(value: float, name: str, least: float, most: float, hint: str = "") -> float:
    """Return a number from `least` to `most`, or raise InputError."""
    value = real(value, name)
    if not least <= value <= most:
        raise InputError(f"{name} {value}: give a number from {least} to {most}{hint}")
    return value


def exact(value: float) -> Decimal:
    """Return a number as the decimal that it is written as."""
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
    """Return the tables of ``cl/csr/ranks.h``: guide, thresholds, bounds."""
    words = np.arange((1 << GUIDE_BITS) + 1, dtype=np.int64) << (32 - GUIDE_BITS)
    guide = np.searchsorted(thresholds, words, side="right").astype(np.int32)
    return guide, thresholds, bounds.astype(np.int32)


def scatter(n: int) -> int:
    """Return a multiplier coprime to n near the golden section: rank * it mod n spreads ranks out."""
    stride = max(1, int(n * 0.6180339887498949))
    while gcd(stride, n) != 1:
        stride += 1
    return stride


def check_range(least: int, most: int, name: str) -> tuple[int, int]:
    """Check the least and the most of a power law, from 1 up, and return them."""
    least = whole(least, f"minimum {name}", 1, INT32_MAX)
    most = whole(most, f"maximum {name}", 1, INT32_MAX)
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
    power = -exact(number(exponent, "exponent", 0, 20))
    with localcontext() as context:
        context.prec = 40
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


LARGEST_SCALE = 30  # 2**31 vertices are one more than int32 counts
LOW32 = 0xFFFFFFFF

Shares = tuple[float, float, float]  # of the quadrants a, b and c
Ends = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]


def _words(seed: int, begin: int, end: int, block: int) -> tuple[keyed.Words, ...]:
    """Four words for each of the draws begin .. end - 1; `block` numbers the fours of one draw."""
    number = np.arange(begin, end, dtype=np.int64)
    return keyed.philox4x32(number & LOW32, number >> 32, block, keyed.TAG_GENERATE, seed)


class PowerLaw:
    """Chung and Lu's model: both ends of an edge in proportion to an expected degree.

    Attributes
    ----------
    num_vertices, count : int
        Vertices, and edges to draw (loops and parallels among them).
    seed : int
    stride : int
        ``rank * stride mod num_vertices`` is the vertex of a rank.
    bounds : int64 array, shape (classes + 1,)
        Class c holds the ranks bounds[c] .. bounds[c + 1] - 1.
    thresholds : uint32 array, shape (classes - 1,)
        A word w falls into class c where thresholds[c - 1] <= w < thresholds[c].
    """

    directed = False

    def __init__(self, num_vertices: int, average_degree: float, exponent: float, seed: int | None) -> None:
        num_vertices = whole(num_vertices, "number of vertices", 1, INT32_MAX)
        average_degree, exponent = real(average_degree, "average degree"), real(exponent, "exponent")
        if not 0 < average_degree < num_vertices:
            raise InputError(
                f"average degree {average_degree}: give a number above 0 and below the "
                f"{num_vertices} vertices"
            )
        if not 2 < exponent <= 10:
            raise InputError(
                f"exponent {exponent}: give a number above 2, at most 10 (below, the mean is infinite)"
            )
        self.num_vertices = num_vertices
        self.seed = keyed.check_seed(seed)
        self.count = round(self.num_vertices * average_degree / 2)
        self.stride = scatter(self.num_vertices)
        self.bounds, self.thresholds = _expected_degrees(self.num_vertices, average_degree, exponent)

    def draw(self, begin: int, end: int) -> Ends:
        """Tails and heads of the draws begin .. end - 1."""
        words = _words(self.seed, begin, end, 0)
        return self._vertex(words[1], words[0]), self._vertex(words[3], words[2])

    def _vertex(self, high: keyed.Words, low: keyed.Words) -> npt.NDArray[np.int32]:
        which = np.searchsorted(self.thresholds, high, side="right")
        first = self.bounds[which]
        rank = first + (low.astype(np.int64) * (self.bounds[which + 1] - first) >> 32)
        return ((rank * self.stride) % self.num_vertices).astype(np.int32)


def _expected_degrees(
    n: int, average_degree: float, exponent: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """The table of ranks; the largest expected degree is near sqrt(n * average_degree)."""
    with localcontext() as context:
        context.prec = 40
        power = 1 / (exact(exponent) - 1)
        mean = exact(average_degree)
        # The expected degree of the last rank if shift were 0, a closed form. It makes the largest one 1.9
        # times the root at exponent 2.1, n = 10^5; with the exact sum each seed would make another graph.
        smallest = mean * (1 - power)
        largest = (mean * n).sqrt()
        shift = max(1, ceil(n * (smallest / largest) ** (1 / power))) if largest > smallest else n
        return rank_table(n, power, Decimal(shift))


class RMat:
    """R-MAT: each edge descends through quadrants of the adjacency matrix, one bit of both ends per level.

    Attributes
    ----------
    num_vertices, count, seed : int
        As in `PowerLaw`.
    scale : int
    thresholds : tuple of int
        A word below the first means the upper left quadrant, below the second the upper right, below the
        third the lower left; at most 2**32.
    """

    def __init__(
        self, scale: int, edge_factor: float, shares: Shares, seed: int | None, directed: bool, scramble: bool
    ) -> None:
        scale = whole(scale, "scale")
        if not 1 <= scale <= LARGEST_SCALE:
            raise InputError(
                f"scale {scale}: give 1 to {LARGEST_SCALE}; a graph has 2**scale vertices, and vertex "
                "numbers are signed 32-bit integers"
            )
        edge_factor = real(edge_factor, "edge factor")
        directed, scramble = flag(directed, "directed"), flag(scramble, "scramble")
        if not edge_factor > 0:
            raise InputError(
                f"edge factor {edge_factor}: give the edges to draw per vertex, a number above 0 (such as 16)"
            )
        self.scale, self.num_vertices = scale, 1 << scale
        self.count = round(edge_factor * self.num_vertices)
        if not self.count:
            raise InputError(
                f"edge factor {edge_factor}: no edges on {self.num_vertices} vertices; give a larger number"
            )
        self.thresholds = _quadrant_thresholds(shares)
        self.seed = keyed.check_seed(seed)
        self.directed, self.scramble = directed, scramble

    def draw(self, begin: int, end: int) -> Ends:
        """Tails and heads of the draws begin .. end - 1."""
        tail, head = (np.zeros(end - begin, np.uint32) for _ in range(2))
        a, b, c = self.thresholds
        words: tuple[keyed.Words, ...] = ()
        for level in range(self.scale):
            if level % 4 == 0:  # the power law uses block 0
                words = _words(self.seed, begin, end, 1 + level // 4)
            word = words[level % 4].astype(np.int64)
            below_b = word < b
            lower = ~below_b
            tail = tail << np.uint32(1) | lower
            head = head << np.uint32(1) | (below_b & (word >= a)) | (word >= c)
        return self._label(tail), self._label(head)

    @lazy
    def scrambling(self) -> npt.NDArray[np.uint32]:
        """Keys of the scrambling's three rounds: (addend, odd factor) each, shape (6,)."""
        # no draw has this number: there are fewer than 2**63
        words = [keyed.philox4x32(LOW32, LOW32, block, keyed.TAG_GENERATE, self.seed) for block in (1, 2)]
        keys = np.concatenate([np.concatenate(four) for four in words])[:6]
        keys[1::2] |= 1
        return keys & np.uint32(self.num_vertices - 1)

    def _label(self, x: npt.NDArray[np.uint32]) -> npt.NDArray[np.int32]:
        """Vertex numbers of R-MAT's own: a bijection of 0 .. 2**scale - 1, each step of it being one."""
        if self.scramble:
            mask, half = np.uint32(self.num_vertices - 1), np.uint32((self.scale + 1) // 2)
            for addend, factor in self.scrambling.reshape(3, 2):
                x = ((x + addend) * factor) & mask
                x = x ^ (x >> half)
        return x.astype(np.int32)


def _quadrant_thresholds(quadrants: Shares) -> tuple[int, int, int]:
    """Ends of the quadrants on the scale of a 32-bit word."""
    for name, share in zip("abc", quadrants, strict=True):
        if not 0 <= real(share, name) <= 1:
            raise InputError(f"probability {name} = {share}: give a number from 0 to 1")
    a, b, c = map(exact, quadrants)
    if a + b + c > 1:
        raise InputError(
            f"probabilities a + b + c = {a} + {b} + {c} = {a + b + c}: they are three of four shares of one; "
            "give smaller ones (Graph500: 0.57, 0.19, 0.19)"
        )
    return int(a * 2**32), int((a + b) * 2**32), int((a + b + c) * 2**32)
