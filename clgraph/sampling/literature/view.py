"""The rows that a sampler of the literature walks on, and the keys by which weighted things race.

Logarithms by integers alone are the host half of ``cl/sampling/literature/clock.h``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import log2
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.lazy import lazy

if TYPE_CHECKING:
    from clgraph.device import Device

# 1 in units of 2^-40
ONE = 1 << 40
# the key of what is never drawn
NONE = 2**64 - 1
# round(2^31 log2 e)
LOG2_E = 3098164009

# of weighted rows, found once, as that takes passes over all arcs: how many vertices have edges that weigh
# something, and the first whose edges all weigh nothing (-1: there is none)
_strong: WeakKeyDictionary[Graph, tuple[int, int]] = WeakKeyDictionary()
# rows without negative weights
_sound: WeakSet[Graph] = WeakSet()


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


def device_tables(device: Device) -> Any:
    """Return the tables on a device, uploaded once."""
    # owned by the function, which lives as long as the process
    return device.cached(tables, "logarithms", lambda: device.upload(tables(), writable=True))


def rates(cut: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """The rate e at which an item of weight 1 has a key below `cut`: P(key < cut) = 1 - 2^-(W e).

    Infinite where `cut` is `NONE`: everything was taken.
    """
    time = (cut >> np.uint64(16)).astype(np.float64) / ONE - 64 - 40
    return np.where(cut == np.uint64(NONE), np.inf, np.exp2(time))


def check_weights(graph: Graph, rows: Graph) -> None:
    """Raise InputError if weights are to count, and a graph has none, or its rows negative ones."""
    if graph.weights is None:
        raise InputError("weighted=True, and the graph has no weights: read it with weights, or leave it out")
    if rows not in _sound and rows.weights is not None and np.any(rows.weights < 0):
        at = int(np.argmax(rows.weights < 0))
        u, v = rows.ids[rows.tails[at]], rows.ids[rows.col_idx[at]]
        raise InputError(
            f"weighted=True, and the edge from {u} to {v} has the weight {rows.weights[at]}: "
            "weights must not be negative"
        )
    _sound.add(rows)


@dataclass(frozen=True)
class View:
    """The view of a graph that a sampler works on, without loops.

    Attributes
    ----------
    original : Graph
    rows : Graph
        Its undirected view ("both"), its arcs as they are ("out"), or reversed ("in").
    weighted : bool
        Whether edge weights count.
    """

    original: Graph
    rows: Graph
    weighted: bool

    @staticmethod
    def of(graph: Graph, direction: str, weighted: bool) -> View:
        """Return the view of a graph in a direction.

        Raises
        ------
        InputError
            If weights are to count and the graph has none, or negative ones.
        """
        if direction == "out" and graph.directed:
            rows = graph.without_self_loops
        elif direction == "in" and graph.directed:
            rows = graph.reverse.without_self_loops
        else:
            rows = graph.undirected.without_self_loops
        if weighted:
            check_weights(graph, rows)
        return View(graph, rows, weighted)

    @property
    def n(self) -> int:
        """Number of vertices."""
        return self.rows.num_vertices

    @lazy
    def degrees(self) -> npt.NDArray[np.int64]:
        """Arcs that leave each vertex, shape (n,)."""
        return self.rows.degrees

    @property
    def num_nonisolated(self) -> int:
        """Vertices with edges; of weighted views with edges that weigh something. Cached with the rows."""
        if not self.weighted:
            return self.rows.num_nonisolated
        return self._strength[0]

    @property
    def weightless(self) -> int:
        """The first vertex whose edges all have the weight 0; -1 if there is none. Cached with the rows."""
        return self._strength[1]

    @property
    def _strength(self) -> tuple[int, int]:
        if self.rows not in _strong:
            none = (self.strengths == 0) & (self.degrees > 0)
            first = int(np.argmax(none)) if none.any() else -1
            _strong[self.rows] = int(np.count_nonzero(self.strengths)), first
        return _strong[self.rows]

    @lazy
    def integers(self) -> npt.NDArray[np.uint64]:
        """The weights of the arcs as integers, max(1, floor(w 2^40 / max + 1/2)); 0 stays 0."""
        weights = self.rows.weights
        assert weights is not None
        top = float(weights.max(initial=0.0))
        whole = np.floor(weights / (top or 1.0) * 2**40 + 0.5).astype(np.uint64)
        whole[(whole == 0) & (weights > 0)] = 1
        return whole

    @lazy
    def sums(self) -> npt.NDArray[np.uint64]:
        """Running sums of the integer weights in each row, shape (arcs,)."""
        up_to = self.up_to
        found: npt.NDArray[np.uint64] = up_to[1:] - np.repeat(up_to[self.rows.row_ptr[:-1]], self.degrees)
        return found

    @lazy
    def positives(self) -> npt.NDArray[np.int32]:
        """Arcs of each vertex that weigh something, shape (n,)."""
        before = np.append(0, np.cumsum(self.integers > 0))
        return np.diff(before[self.rows.row_ptr]).astype(np.int32)

    @property
    def up_to(self) -> npt.NDArray[np.uint64]:
        """Running sums of the integer weights, from 0 on, shape (arcs + 1,); they may overflow."""
        sums = np.zeros(len(self.integers) + 1, np.uint64)
        # differences are right even where this overflows
        np.cumsum(self.integers, out=sums[1:])
        return sums

    @lazy
    def strengths(self) -> npt.NDArray[np.uint64]:
        """Sums of the integer weights of each vertex's arcs, shape (n,)."""
        return np.diff(self.up_to[self.rows.row_ptr])

    @lazy
    def limits(self) -> npt.NDArray[np.uint64]:
        """Where each arc's share of its row ends, in units of 2^-62, shape (arcs,)."""
        up_to = self.up_to
        rest = up_to[1:] - np.repeat(up_to[self.rows.row_ptr[:-1]], self.degrees)
        total = np.repeat(self.strengths, self.degrees)
        # long division: bit by bit, everything below 2^63
        made = (rest == total).astype(np.uint64)
        rest -= made * total
        for _ in range(62):
            rest <<= np.uint64(1)
            bit = rest >= total
            rest -= bit * total
            made = (made << np.uint64(1)) | bit.astype(np.uint64)
        return made

    def csr(self, device: Device) -> DeviceCSR:
        """Return the rows on a device, cached there with the graph."""
        return upload_csr(device, self.rows)

    def on_device(self, device: Device, name: str) -> Any:
        """Return one of the arrays of the rows by its name, on a device, cached there with them."""
        return self.cached(device, name, lambda: device.upload(getattr(self, name), writable=True))

    def cached(self, device: Device, name: str, make: Any) -> Any:
        """Return what `make` gives, cached on a device with the rows."""
        return device.cached(self.rows, ("literature", name), make)
