"""The rows that a sampler of the literature walks on, on the host and on a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.errors import InputError
from clgraph.graph import Graph
from clgraph.lazy import lazy
from clgraph.sampling.literature.clock import integer_weights

if TYPE_CHECKING:
    from clgraph.device import Device

_linked: WeakKeyDictionary[Graph, int] = WeakKeyDictionary()  # of weighted rows


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
        """The view of a graph in a direction.

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
            if graph.weights is None:
                raise InputError(
                    "weighted=True, and the graph has no weights: read it with weights, or leave it out"
                )
            if rows.weights is not None and np.any(rows.weights < 0):
                at = int(np.argmax(rows.weights < 0))
                u, v = rows.ids[rows.tails[at]], rows.ids[rows.col_idx[at]]
                raise InputError(
                    f"weighted=True, and the edge from {u} to {v} has the weight {rows.weights[at]}: "
                    "weights must not be negative"
                )
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
        """Vertices with edges; of weighted views with edges that weigh something. Kept with the rows."""
        if not self.weighted:
            return self.rows.num_nonisolated
        if self.rows not in _linked:
            _linked[self.rows] = int(np.count_nonzero(self.strengths))
        return _linked[self.rows]

    @lazy
    def integers(self) -> npt.NDArray[np.uint64]:
        """The weights of the arcs as integers, shape (arcs,)."""
        assert self.rows.weights is not None
        return integer_weights(self.rows.weights)

    @lazy
    def strengths(self) -> npt.NDArray[np.uint64]:
        """Sums of the integer weights of each vertex's arcs, shape (n,)."""
        up_to = np.zeros(len(self.integers) + 1, np.uint64)
        np.cumsum(self.integers, out=up_to[1:])  # differences are right even where this overflows
        return up_to[self.rows.row_ptr[1:]] - up_to[self.rows.row_ptr[:-1]]

    @lazy
    def limits(self) -> npt.NDArray[np.uint64]:
        """Where each arc's share of its row ends, in units of 2^-62, shape (arcs,)."""
        row_ptr, whole = self.rows.row_ptr, self.strengths
        up_to = np.zeros(len(self.integers) + 1, np.uint64)
        np.cumsum(self.integers, out=up_to[1:])
        rest = up_to[1:] - np.repeat(up_to[row_ptr[:-1]], self.degrees)
        total = np.repeat(whole, self.degrees)
        made = (rest == total).astype(np.uint64)  # long division: bit by bit, everything below 2^63
        rest -= made * total
        for _ in range(62):
            rest <<= np.uint64(1)
            bit = rest >= total
            rest -= bit * total
            made = (made << np.uint64(1)) | bit.astype(np.uint64)
        return made

    def csr(self, device: Device) -> DeviceCSR:
        """The rows on a device, kept there with the graph."""
        return upload_csr(device, self.rows)

    def kept(self, device: Device, name: str, make: Any) -> Any:
        """An array of the view on a device, kept there with the rows."""
        return device.cached(self.rows, ("literature", name), lambda: device.upload(make(), writable=True))
