"""COPRA, the Compressed Parallel-Removal Array, on a device (Tariq 2018).

Host half of ``cl/sampling/copra.cl``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import INT32_MAX, upload_csr
from clgraph.device.launch_config import LaunchTable

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph


# whether the other slot of an edge is found by a plain scan, which suits the bursts of an FPGA, instead of a
# binary search
LAUNCH = LaunchTable(gpu=False, cpu=False, simulator=False, emulator=True, fpga=True)


class Copra:
    """The removable arrays of a graph without self-loops, all vertices live.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected; self-loops must be gone (`graph.without_self_loops`).
    far_scan : bool
        Find the other slot of an edge by the thesis's plain scan instead of by binary search.

    Attributes
    ----------
    v_start, v_end, edges : device buffers
        As in the head of ``cl/sampling/copra.cl``.
    slots_of : dict
        The three, as kernels take them.
    program : Program
        The kernels of ``cl/sampling/copra.cl`` with these options.
    """

    def __init__(self, device: Device, graph: Graph, *, far_scan: bool = False) -> None:
        self.device = device
        self.n, self.arcs = graph.num_vertices, graph.num_arcs
        self.slots = 2 * self.n + self.arcs
        self.csr = upload_csr(device, graph, wide=self.slots > INT32_MAX)
        self.is_multigraph = graph.is_multigraph
        self.offset = self.csr.offset
        self.far_scan = far_scan
        size = np.dtype(self.offset).itemsize
        device.reserve({"v_start": self.n * size, "v_end": self.n * size, "edges": 4 * self.slots})
        self.v_start = device.empty(self.n, self.offset)
        self.v_end = device.empty(self.n, self.offset)
        self.edges = device.empty(self.slots, np.int32)
        self.slots_of = {"v_start": self.v_start, "v_end": self.v_end, "edges": self.edges}
        self._removed = device.empty(1, np.int32)
        self._passes = self._passes_over(self.n)
        self.program = device.program(
            "sampling/copra",
            ITEMS=device.tuning.items,
            FAR_SCAN=int(far_scan),
            HAS_COPIES=int(self.is_multigraph),
            **self.csr.defines,
        )

    def build(self) -> None:
        """Fill the arrays: every vertex and every edge is live (again)."""
        self.program.copra_build(self._passes, n=self.n, **self.csr.buffers, **self.slots_of)

    def _passes_over(self, count: int) -> int:
        """Work-items of a pass over `count` entries."""
        return -(-count // self.device.tuning.items)

    def remove_vertices(self, vertices: Any, count: int) -> None:
        """Remove `count` distinct live vertices (an int32 buffer)."""
        self.program.copra_remove_vertices(
            self._passes_over(count), count=count, list=vertices, **self.csr.buffers, **self.slots_of
        )

    def restore_vertices(self, vertices: Any, count: int) -> None:
        """Undo `remove_vertices`, in a run that has removed only vertices."""
        self.program.copra_restore_vertices(
            self._passes_over(count),
            count=count,
            list=vertices,
            row_ptr=self.csr.row_ptr,
            v_start=self.v_start,
            v_end=self.v_end,
        )
        self.program.copra_restore_blocks(
            self._passes_over(count),
            count=count,
            list=vertices,
            **self.csr.buffers,
            v_start=self.v_start,
            edges=self.edges,
        )

    def remove_edges(self, slots: Any, count: int) -> None:
        """Remove `count` distinct live edges, each given by one of its slots."""
        self.program.copra_remove_edges(
            self._passes_over(count), count=count, slots=slots, n=self.n, **self.csr.buffers, edges=self.edges
        )

    def remove_pairs(self, slots: Any, far: Any, count: int) -> None:
        """Remove edges given by both of their slots; a slot of -1 is ignored."""
        self.program.copra_remove_pairs(
            self._passes_over(count), count=count, slots=slots, far=far, edges=self.edges
        )

    def restore_pairs(self, vertices: Any, slots: Any, far: Any, count: int) -> None:
        """Undo `remove_pairs`, given also the owners of `slots`."""
        self.program.copra_restore_pairs(
            self._passes_over(count),
            count=count,
            vertices=vertices,
            slots=slots,
            far=far,
            col_idx=self.csr.col_idx,
            edges=self.edges,
        )

    def remove_vertex_edges(self, vertices: Any, slots: Any, count: int) -> None:
        """Remove drawn (vertex, slot) pairs; a slot of -1 is ignored."""
        self._vertex_edges(self.program.copra_remove_vertex_edges, vertices, slots, count)

    def restore_vertex_edges(self, vertices: Any, slots: Any, count: int) -> None:
        """Undo `remove_vertex_edges` (or `remove_edges`, given also the owners of the slots)."""
        self._vertex_edges(self.program.copra_restore_vertex_edges, vertices, slots, count)

    def _vertex_edges(self, kernel: Any, vertices: Any, slots: Any, count: int) -> None:
        kernel(
            self._passes_over(count),
            count=count,
            vertices=vertices,
            slots=slots,
            **self.csr.buffers,
            edges=self.edges,
        )

    def keep_component(self, label: Any, keep: int) -> int:
        """Remove every vertex whose label is not `keep`; returns the number of edges removed with them."""
        self.device.clear(self._removed, 1, np.int32)
        self.program.copra_keep_component(
            self._passes, n=self.n, keep=keep, label=label, **self.slots_of, removed=self._removed
        )
        return int(self.device.download(self._removed, np.int32, 1)[0]) // 2

    def vertex_marks(self) -> Any:
        """1 for each live vertex: a new uint8 device buffer, shape (n,)."""
        live = self.device.empty(self.n, np.uint8)
        self.program.copra_live_vertices(self._passes, n=self.n, v_start=self.v_start, live=live)
        return live

    def arc_marks(self) -> Any:
        """1 for each live arc of the graph's CSR: a new uint8 device buffer, shape (arcs,)."""
        live = self.device.output(self.arcs, np.uint8)
        self.program.copra_live_arcs(
            self._passes, n=self.n, row_ptr=self.csr.row_ptr, edges=self.edges, live_arc=live
        )
        return live

    def live_vertices(self) -> npt.NDArray[np.bool_]:
        """Which vertices are live, bool (n,)."""
        return self.device.download(self.vertex_marks(), np.uint8, self.n).view(np.bool_)

    def live_arcs(self) -> npt.NDArray[np.bool_]:
        """Which arcs of the graph's CSR are live, bool (arcs,)."""
        return self.device.take(self.arc_marks(), np.uint8, self.arcs).view(np.bool_)
