"""What runs of many seeds side by side have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.upload import upload_csr
from clgraph.graph import Graph
from clgraph.sampling.packed import Packed, Words

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class EdgeList:
    """The edges u < v of a graph without loops, on a device: int32 buffers `low` and `high`, ascending."""

    low: Any
    high: Any


def edge_list(device: Device, graph: Graph) -> EdgeList:
    """The edges of a graph, kept with it on the device."""

    def make() -> EdgeList:
        tail, head = graph.rows, graph.col_idx
        upper = tail < head
        return EdgeList(device.upload(tail[upper]), device.upload(head[upper]))

    return device.cached(graph, EdgeList, make)


class Replicates:
    """Runs of one graph and method under seeds that follow each other.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops, with at least two edges.
    targets : sequence of int
        Decreasing.
    edges : bool
        Delete edges (dre) instead of vertices (drv).

    Attributes
    ----------
    most, at_first : int
        Runs that a call of `run` can take, and how many are a good start.
    """

    most: int
    at_first: int

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], *, edges: bool) -> None:
        self._device, self._edges = device, edges
        self._csr = csr = upload_csr(device, graph)
        self._n, self._m = csr.n, csr.arcs // 2
        self._things = self._m if edges else self._n
        self._targets = len(targets)
        self._target = device.upload(np.array(targets, np.int32))
        self._words, self._edge_words = -(-self._n // 32), -(-self._m // 32) if edges else 0

    @property
    def bits(self) -> int:
        """Bytes of a run's samples."""
        return 4 * self._targets * (self._words + self._edge_words)

    def run(self, first: int, runs: int) -> Packed:
        """The samples of the seeds `first` .. `first` + `runs` - 1."""
        device, slots = self._device, runs * self._targets
        sizes = slots * self._words, slots * self._edge_words
        device.reserve({"members": 4 * sizes[0], "edges": 4 * sizes[1]})
        member = device.output(sizes[0], np.uint32)
        kept = device.output(sizes[1], np.uint32) if self._edges else None
        count = device.output(3 * slots + 1, np.int32)
        device.clear(count, 3 * slots + 1, np.int32)
        self._launch(first, runs, member, kept, count)
        counts = device.take(count, np.int32, 3 * slots + 1)  # waits
        shape = (runs, self._targets)
        return Packed(
            Words(device, member, (*shape, self._words)),
            None if kept is None else Words(device, kept, (*shape, self._edge_words)),
            counts[:-1].reshape(*shape, 3),
            int(counts[-1]),
        )

    def _launch(self, first: int, runs: int, member: Any, kept: Any, count: Any) -> None:
        raise NotImplementedError
