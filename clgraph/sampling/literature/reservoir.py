"""Reservoirs of stream samplers: the edges held at the end, and estimates from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import word
from clgraph.errors import InputError
from clgraph.formats.arrivals import Names
from clgraph.lazy import lazy
from clgraph.sampling.literature.estimates import Estimate

Reals = npt.NDArray[np.float64]
COUNTED = ("edges", "wedges", "triangles")
# pairs of an edge and a neighbour that are looked at together
TAKEN = 1 << 24


@dataclass(frozen=True)
class Reservoir:
    """The edges that one run holds when the stream has ended, in the order in which they came.

    Attributes
    ----------
    arrivals : int
        Edges that came, without loops.
    vertices : uint64 array, or object array of str
        Ids (of a graph: indices), ascending.
    source, target : uint64 array, or object array of str, shape (k,)
        Ends of each edge, as it came.
    arrival : int64 array, shape (k,)
        When it came: 1, 2, ...
    probability : float64 array, shape (k,), or None
        The probability that it is held; None: unknown.
    in_stream : float or None
        Of gps: the number of triangles, estimated as they came.
    complete : bool
        True if the stream was long enough for the size requested.
    """

    arrivals: int
    vertices: npt.NDArray[Any]
    source: npt.NDArray[Any]
    target: npt.NDArray[Any]
    arrival: npt.NDArray[np.int64]
    probability: Reals | None
    in_stream: float | None = None
    complete: bool = True

    def estimate(self, what: str, *, in_stream: bool = False) -> Estimate:
        """Estimate the number of edges, wedges or triangles in the stream; parallel edges count one by one.

        Parameters
        ----------
        what : {"edges", "wedges", "triangles"}
            A wedge is a pair of edges that share a vertex.
        in_stream : bool
            Of gps, triangles: the estimate that was made as the edges came, which varies less; one sample
            does not tell its error.

        Raises
        ------
        InputError
            If the sampler (pies) has no probabilities, or it has no such estimate.
        """
        word(what, "what", COUNTED)
        if self.probability is None:
            raise InputError(
                "the probabilities of pies are not known: gsh and gps have them, and give estimates"
            )
        if in_stream:
            if what != "triangles" or self.in_stream is None:
                raise InputError("in_stream is of gps, for triangles: leave it out")
            return Estimate(self.in_stream, float("nan"))
        x = 1 / self.probability
        if what == "edges":
            return Estimate(float(x.sum()), float(np.sum(x * (x - 1))) ** 0.5)
        return self._wedges(x) if what == "wedges" else self._triangles(x)

    @lazy
    def ends(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
        """The ends of each edge as numbers 0, 1, ..., and how many these are."""
        names, place = np.unique(np.concatenate((self.source, self.target)), return_inverse=True)
        k = len(self.source)
        return place[:k].astype(np.int64), place[k:].astype(np.int64), len(names)

    def _wedges(self, x: Reals) -> Estimate:
        u, v, n = self.ends
        sums = [np.bincount(u, x**i, n) + np.bincount(v, x**i, n) for i in (1, 2, 4)]
        one, two, four = (each.astype(np.float64) for each in sums)
        value = float(np.sum(one**2 - two)) / 2
        own = float(np.sum(two**2 - four)) / 2 - value
        # of the wedges of each edge: the sum, and the sum of squares
        through = x * (one[u] - x + one[v] - x)
        squares = x**2 * (two[u] - x**2 + two[v] - x**2)
        shared = float(np.sum((1 - 1 / x) * (through**2 - squares)))
        return Estimate(value, max(own + shared, 0.0) ** 0.5)

    def _triangles(self, x: Reals) -> Estimate:
        e = self.triangles()
        t = np.prod(x[e], axis=1)
        every, weight = e.ravel(), np.repeat(t, 3)
        through = np.bincount(every, weight, len(x))
        squares = np.bincount(every, weight**2, len(x))
        shared = float(np.sum((1 - 1 / x) * (through**2 - squares)))
        return Estimate(float(t.sum()), max(float(np.sum(t * (t - 1))) + shared, 0.0) ** 0.5)

    def triangles(self) -> npt.NDArray[np.int64]:
        """Return the numbers of the three edges of each triangle in the reservoir, shape (count, 3)."""
        u, v, n = self.ends
        # rows lead to larger degrees: none is longer than the square root of twice the edges
        degree = np.bincount(u, minlength=n) + np.bincount(v, minlength=n)
        turned = (degree[u] > degree[v]) | ((degree[u] == degree[v]) & (u > v))
        # each row leads to larger degrees
        low, high = np.where(turned, v, u), np.where(turned, u, v)
        order = np.lexsort((high, low))
        low, high = low[order], high[order]
        begin = np.searchsorted(low, np.arange(n + 1))
        pair = low * n + high
        width = begin[high + 1] - begin[high]
        found: list[npt.NDArray[Any]] = [np.zeros((0, 3), np.int64)]
        up_to = np.concatenate(([0], np.cumsum(width)))
        first = 0
        while first < len(low):
            last = max(first + 1, int(np.searchsorted(up_to, up_to[first] + TAKEN, side="right")) - 1)
            one = np.repeat(np.arange(first, last), width[first:last])
            other = np.arange(len(one)) - (up_to[one] - up_to[first]) + begin[high[one]]
            closing = low[one] * n + high[other]
            here = np.searchsorted(pair, closing)
            copies = np.searchsorted(pair, closing, side="right") - here
            each = np.repeat(np.arange(len(one)), copies)
            third = np.arange(len(each)) - np.repeat(np.cumsum(copies) - copies, copies) + here[each]
            found.append(order[np.stack((one[each], other[each], third), axis=1)])
            first = last
        return np.concatenate(found)

    def named(self, names: Names) -> Reservoir:
        """Return a copy with vertex names in place of their numbers, or with numbers as int64."""
        if not names.text:
            whole = {name: getattr(self, name).astype(np.int64) for name in ("vertices", "source", "target")}
            return replace(self, **whole)
        source, target = names.of(self.source), names.of(self.target)
        return replace(self, vertices=np.sort(names.of(self.vertices)), source=source, target=target)

    def taken(self, order: npt.NDArray[np.int64]) -> Reservoir:
        """Return a copy with the edges in another order."""
        known = ("source", "target", "arrival", "probability")[: 3 if self.probability is None else 4]
        return replace(self, **{name: getattr(self, name)[order] for name in known})


def estimates_of(reservoir: Reservoir) -> dict[str, Any]:
    """Return the estimates as plain values; an empty dict where probabilities are unknown."""
    if reservoir.probability is None:
        return {}
    made: dict[str, dict[str, float | None]] = {}
    for what in ("edges", "wedges", "triangles"):
        value, error = reservoir.estimate(what)
        made[what] = {"value": value, "standard_error": error}
    if reservoir.in_stream is not None:
        made["triangles in stream"] = {"value": reservoir.in_stream, "standard_error": None}
    return {"estimates": made}
