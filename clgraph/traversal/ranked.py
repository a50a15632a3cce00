"""A graph's arcs with its vertices numbered by decreasing degree: host half of ``cl/traversal/ranked.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import DeviceCSR, upload_csr

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

MANY_VERTICES = 1 << 17  # with fewer vertices the frontiers of 64 searches are in the caches anyway
HOT_SHARE = 8  # one vertex in this many must hold half of all arcs: otherwise there is little to gain
MEMORY_SHARE = 4  # the second copy may take at most 1 / MEMORY_SHARE of the device's memory


@dataclass(frozen=True)
class Ranked:
    """The arcs between ranks, on a device.

    Attributes
    ----------
    rows : int
        Vertices with arcs, leaving or arriving; they have the lowest ranks.
    rank : int32 array, shape (n,)
        The rank of each vertex; `ranks` is the same on the device.
    leaving, arriving : DeviceCSR
        The arcs and the reversed arcs; the same object if the graph is undirected.
    """

    rows: int
    rank: npt.NDArray[np.int32]
    ranks: Any
    leaving: DeviceCSR
    arriving: DeviceCSR


def rank_graph(dev: Device, graph: Graph, items: int) -> Ranked | None:
    """The graph by rank, kept with it on the device; None if searches would not be faster.

    Parameters
    ----------
    dev : Device
        A CPU: its work-items share caches.
    graph : Graph
    items : int
        Vertices a work-item.
    """
    made: Ranked | None = dev.cached(graph, "ranked", lambda: _rank(dev, graph, items))
    return made


def _rank(dev: Device, graph: Graph, items: int) -> Ranked | None:
    n = graph.num_vertices
    size = (2 if graph.directed else 1) * (graph.col_idx.nbytes + graph.row_ptr.nbytes) + 8 * n
    if n < MANY_VERTICES or size * MEMORY_SHARE > dev.global_memory:
        return None
    degrees = np.diff(graph.row_ptr)
    key = np.minimum(degrees, 65534)
    if graph.directed:
        key += np.diff(graph.reverse.row_ptr) > 0  # vertices that only receive arcs precede those with none
    # 16 bits, which NumPy sorts by radix; few vertices have more arcs than that
    order = np.argsort((65535 - key).astype(np.uint16), kind="stable").astype(np.int32)
    if degrees[order[: n // HOT_SHARE]].sum() * 2 < graph.num_arcs:
        return None
    rank = np.empty(n, np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    rows = int(np.count_nonzero(key))
    orders, ranks = dev.upload(order), dev.upload(rank)

    def by_rank(of: Graph) -> DeviceCSR:
        csr = upload_csr(dev, of)
        row_ptr: npt.NDArray[Any] = np.zeros(n + 1, csr.offset)
        np.cumsum(np.diff(of.row_ptr)[order], out=row_ptr[1:])  # beyond `rows` too: searches may start there
        made = DeviceCSR(n, csr.arcs, dev.upload(row_ptr), dev.output(csr.arcs, np.int32), csr.offset)
        kernel = dev.program("traversal/ranked", **csr.defines).bfs_many_rank
        into = {"ranked_ptr": made.row_ptr, "ranked_idx": made.col_idx}
        kernel.launch(csr, -(-rows // items), rows=rows, order=orders, rank=ranks, **into, local=1)
        return made

    leaving = by_rank(graph)
    arriving = by_rank(graph.reverse) if graph.directed else leaving
    dev.finish()  # `orders` is freed
    return Ranked(rows, rank, ranks, leaving, arriving)
