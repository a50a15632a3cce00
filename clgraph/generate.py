"""Graphs made from a seed, the same on every machine: keyed numbers, and decisions taken by integers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from decimal import Decimal, localcontext
from math import ceil, gcd

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.errors import InputError
from clgraph.graph import INT32_MAX, Graph, build_csr

CHUNK = 1 << 20


def powerlaw_graph(
    num_vertices: int,
    *,
    average_degree: float = 5.0,
    exponent: float = 2.71,
    seed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Graph:
    """An undirected graph whose degrees follow a power law (the model of Chung and Lu, 2002).

    ``round(num_vertices * average_degree / 2)`` edges are drawn, both ends independently with a probability
    in proportion to the expected degree ``(i + i0) ** (-1 / (exponent - 1))`` of rank i; i0 keeps the largest
    one at ``sqrt(num_vertices * average_degree)``, where a simple graph can still have it. Loops are dropped
    and parallel edges merged (a few in a thousand), so the average degree comes out slightly lower. Ranks are
    scattered over the vertex numbers. About one vertex in twenty gets no edge at the default settings.

    Parameters
    ----------
    num_vertices : int
    average_degree : float
    exponent : float
        Of the degree distribution P(d) ~ d ** -exponent; above 2.
    seed : int, optional
        None draws one from the operating system.
    progress : callable, optional
        Called with (edges drawn, edges to draw).

    Returns
    -------
    Graph
        On vertices 0 .. num_vertices - 1.

    Examples
    --------
    >>> from clgraph import powerlaw_graph
    >>> powerlaw_graph(1000, seed=1)
    <Graph: undirected, 1000 vertices, 2471 edges>
    """
    if not 1 <= num_vertices <= INT32_MAX:
        raise InputError(f"{num_vertices} vertices: give 1 to {INT32_MAX}")
    if not 0 < average_degree < num_vertices:
        raise InputError(
            f"average degree {average_degree}: give a number above 0 and below the {num_vertices} vertices"
        )
    if not 2 < exponent <= 10:
        raise InputError(
            f"exponent {exponent}: give a number above 2, at most 10 (a smaller one has no mean)"
        )
    key = keyed.check_seed(seed)
    bounds, thresholds = _rank_table(num_vertices, average_degree, exponent)
    stride = _scatter(num_vertices)
    count = round(num_vertices * average_degree / 2)
    ends = np.empty((2, count), dtype=np.int32)
    for begin in range(0, count, CHUNK):
        number = np.arange(begin, min(begin + CHUNK, count), dtype=np.int64)
        words = keyed.philox4x32(number & 0xFFFFFFFF, number >> 32, 0, keyed.TAG_GENERATE, key)
        for end, high, low in ((0, words[1], words[0]), (1, words[3], words[2])):
            which = np.searchsorted(thresholds, high, side="right")
            rank = bounds[which] + keyed.below(
                low.astype(np.uint64) << np.uint64(32), bounds[which + 1] - bounds[which]
            )
            ends[end, begin : begin + len(number)] = (rank * stride) % num_vertices
        if progress:
            progress(begin + len(number), count)
    proper = ends[0] != ends[1]
    graph = build_csr(ends[0][proper], ends[1][proper], num_vertices, directed=False)
    graph.multiplicity = None  # how often the model drew an edge means nothing
    return graph


def _rank_table(
    n: int, average_degree: float, exponent: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """Classes of ranks and 32-bit thresholds: class c holds ranks bounds[c] .. bounds[c+1]-1, drawn where
    thresholds[c-1] <= word < thresholds[c].

    The first 256 ranks have classes of their own, then 32 classes an octave, uniform inside. Decimal
    arithmetic, because pow() differs between machines in its last bit.
    """
    bounds = list(range(min(n, 256) + 1))
    while bounds[-1] < n:
        bounds.append(min(n, bounds[-1] + max(1, bounds[-1] >> 5)))
    with localcontext() as context:
        context.prec = 40
        power = 1 / (Decimal(repr(float(exponent))) - 1)
        mean = Decimal(repr(float(average_degree)))
        smallest = mean * (1 - power)  # the expected degree of the last rank
        largest = (mean * n).sqrt()
        shift = max(1, ceil(n * (smallest / largest) ** (1 / power))) if largest > smallest else n
        total, running = Decimal(0), []
        for low, high in itertools.pairwise(bounds):
            middle = Decimal(low + high - 1) / 2 + shift
            total += (high - low) * middle**-power
            running.append(total)
        thresholds = [int(mass / total * 2**32) for mass in running[:-1]]
    return np.array(bounds, dtype=np.int64), np.array(thresholds, dtype=np.uint32)


def _scatter(n: int) -> int:
    """A multiplier coprime to n near the golden section: rank * it mod n spreads ranks over the vertices."""
    stride = max(1, int(n * 0.6180339887498949))
    while gcd(stride, n) != 1:
        stride += 1
    return stride
