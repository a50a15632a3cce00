"""Several graphs on a device, one behind the other, as one graph to be measured in one pass.

Host half of ``cl/measures/pack.cl``. Nothing joins the graphs, so that one pass of a kernel over all of them
does for each what a pass over it alone would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.compact import compact
from clgraph.csr.device_csr import Joined
from clgraph.csr.properties import distinct_arcs
from clgraph.csr.upload import SMALL, DeviceCSR, DeviceGraph, device_graph, graph_of, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.graph import Graph, build_csr
from clgraph.graph.building import exclusive_sums

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.launch import Kernel
    from clgraph.device.program import Program


Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Pack:
    """Graphs on a device, one behind the other.

    Attributes
    ----------
    device : Device
    graph : Graph
        All of them as one: undirected, without loops and parallel edges.
    begin, arc_begin : int64 arrays, shape (graphs + 1,)
        Where each one's vertices and arcs begin.
    """

    device: Device
    graph: Graph
    begin: Ints
    arc_begin: Ints

    @property
    def count(self) -> int:
        """Number of graphs."""
        return len(self.begin) - 1

    @cached_property
    def csr(self) -> DeviceCSR:
        """The rows of all."""
        return upload_csr(self.device, self.graph)

    @cached_property
    def begins(self) -> Any:
        """`begin` on the device, int32."""
        return self.device.upload(self.begin.astype(np.int32))

    def passes(self, count: int | None = None) -> int:
        """Return the work-items of a pass over all vertices, or over `count` entries."""
        return -(-(self.csr.n if count is None else count) // self.device.tuning.items)

    def program(self, name: str, **variant: Any) -> Program:
        """Build kernels of the measures, for passes over the rows."""
        items, csr = self.device.tuning.items, self.csr
        return self.device.program(f"measures/{name}", ITEMS=items, **variant, **csr.defines)

    @classmethod
    def of(cls, device: Device, graphs: Sequence[Graph]) -> Pack:
        """Pack graphs that are undirected and simple; several are copied, below 2**31 arcs in all."""
        if len(graphs) == 1:
            begin, arcs = np.array([[0, graphs[0].num_vertices], [0, graphs[0].num_arcs]], np.int64)
            return cls(device, graphs[0], begin, arcs)
        return cls.join(device, [alone(device, graph) for graph in graphs])

    @classmethod
    def join(cls, device: Device, parts: Sequence[Joined]) -> Pack:
        """Pack the graphs of several parts."""
        if len(parts) == 1:
            (one,) = parts
            return cls(device, of_rows(device, one.rows), one.begin, one.arc_begin)
        base, n = exclusive_sums(np.array([part.rows.n for part in parts], np.int64))
        before, total = exclusive_sums(np.array([part.rows.arcs for part in parts], np.int64))
        items = device.tuning.items
        device.reserve({"row_ptr": 4 * (n + 1), "col_idx": 4 * total})
        row_ptr, col_idx = device.output(n + 1, np.int32), device.output(total, np.int32)
        device.fill(row_ptr, np.int32(0), 1)
        for part, vertex, arc in zip(parts, base, before, strict=True):
            rows = part.rows
            append = device.program("measures/pack", ITEMS=items, **rows.defines).pack_append
            size, into = -(-max(rows.n, rows.arcs) // items), {"into_ptr": row_ptr, "into_idx": col_idx}
            append.launch(rows, size, base=vertex, before=arc, **into)
        begins = [part.begin[:-1] + at for part, at in zip(parts, base, strict=True)]
        arc_begins = [part.arc_begin[:-1] + at for part, at in zip(parts, before, strict=True)]
        graph = of_rows(device, DeviceCSR(n, total, row_ptr, col_idx, np.int32))
        return cls(
            device, graph, np.append(np.concatenate(begins), n), np.append(np.concatenate(arc_begins), total)
        )

    def rows_of(self, i: int) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.int32]]:
        """The rows of one of the graphs, on the host: row_ptr and col_idx."""
        first, end = self.begin[i : i + 2].tolist()
        at, to = self.arc_begin[i : i + 2].tolist()
        csr, device = self.csr, self.device
        row_ptr = device.download(csr.row_ptr, csr.offset, end - first + 1, offset=first)
        col_idx = device.download(csr.col_idx, np.int32, to - at, offset=at)
        return row_ptr - row_ptr[0], col_idx - np.int32(first)


def alone(device: Device, graph: Graph) -> Joined:
    """Return an undirected simple graph as a part of its own."""
    rows = upload_csr(device, graph)
    return Joined(rows, np.array([0, rows.n], np.int64), np.array([0, rows.arcs], np.int64))


def of_rows(device: Device, rows: DeviceCSR, *, directed: bool = False) -> Graph:
    """Return the graph of simple rows on a device."""
    return graph_of(device, DeviceGraph(rows, directed=directed, num_self_loops=0, is_multigraph=False))


def measured_view(device: Device, graph: Graph) -> Graph:
    """Return the graph that is measured: the undirected view, no loops, each pair of neighbours once.

    Made where the graph is, and kept with it.
    """
    if device.has_compiler and not device.is_second:
        if graph.num_arcs >= SMALL or not graph.is_on_host:
            upload_csr(device, graph)
        view = graph.undirected.without_self_loops
        if view.is_multigraph and (view.num_arcs >= SMALL or not view.is_on_host):
            return device.cached(graph, "distinct", lambda: _distinct(device, view))
    return simple_view(graph)


def _distinct(device: Device, view: Graph) -> Graph:
    parts = device_graph(device, view)
    made = compact(device, parts, arcs=distinct_arcs(device, parts.rows))
    return of_rows(device, made.rows, directed=view.directed)


def directed_view(device: Device, graph: Graph) -> Graph:
    """Return a directed graph without loops, each arc once."""
    view = graph.without_self_loops
    if not view.is_multigraph:
        return view
    if device.has_compiler and not device.is_second:
        return _distinct(device, view)
    return build_csr(view.tails, view.col_idx, view.num_vertices, directed=True, duplicates="merge")


def simple_view(graph: Graph) -> Graph:
    """The undirected graph without self-loops in which each pair of neighbours is one edge; on the host."""
    view = graph.undirected.without_self_loops
    if not view.is_multigraph:
        return view
    upper = view.tails < view.col_idx
    ids = None if view._has_identity_ids else view.ids
    return build_csr(
        view.tails[upper], view.col_idx[upper], view.num_vertices, ids=ids, directed=False, duplicates="merge"
    )


# --- Work-groups that share a pass over all vertices, however many there are: ``cl/measures/spread.h`` ---


# work-groups per compute unit
LAUNCH = LaunchTable(gpu=8, cpu=4, simulator=2)


def spread(dev: Device, kernel: Kernel, graphs: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Global and local size of a launch in which several graphs share a device, each with its own groups."""
    local = min(dev.tuning.local_size, kernel.limit)
    groups = max(1, LAUNCH.of(dev) * min(dev.compute_units, 1024) // graphs)
    return (groups * local, graphs), (local, 1)
