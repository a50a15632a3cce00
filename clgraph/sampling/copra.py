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
    n, row_ptr, col_idx, v_start, v_end, edges
        As in the head of ``cl/sampling/copra.cl``.
    program : Program
        The kernels of ``cl/sampling/copra.cl`` with these options.
    """

    def __init__(self, device: Device, graph: Graph, *, far_scan: bool = False) -> None:
        self.device, self.far_scan = device, far_scan
        self.n, self.arcs = graph.num_vertices, graph.num_arcs
        self.slots = 2 * self.n + self.arcs
        self.csr = csr = upload_csr(device, graph, wide=self.slots > INT32_MAX)
        self.row_ptr, self.col_idx, self.offset = csr.row_ptr, csr.col_idx, csr.offset
        self.has_copies = graph.is_multigraph
        size = np.dtype(self.offset).itemsize
        device.reserve({"v_start": self.n * size, "v_end": self.n * size, "edges": 4 * self.slots})
        self.v_start, self.v_end = (device.empty(self.n, self.offset) for _ in range(2))
        self.edges = device.empty(self.slots, np.int32)
        self.removed = device.empty(1, np.int32)
        self.passes = self.over(self.n)
        self.program = device.program(
            "sampling/copra",
            ITEMS=device.tuning.items,
            FAR_SCAN=int(far_scan),
            HAS_COPIES=int(self.has_copies),
            **csr.defines,
        )

    def over(self, count: int) -> int:
        """Work-items of a pass over `count` entries."""
        return -(-count // self.device.tuning.items)

    def build(self) -> None:
        """Fill the arrays: every vertex and every edge is live (again)."""
        self.program.copra_build.launch(self, self.passes)

    def change(self, step: str, count: int, **listed: Any) -> None:
        """Launch ``copra_<step>`` over `count` vertices or edges, which are listed in buffers by its names.

        A slot of -1 is ignored where edges are given by two buffers. `restore_vertices` is for runs that have
        removed only vertices.
        """
        steps = ("restore_vertices", "restore_blocks") if step == "restore_vertices" else (step,)
        for each in steps:
            getattr(self.program, f"copra_{each}").launch(self, self.over(count), count=count, **listed)

    def keep_component(self, label: Any, keep: int) -> int:
        """Remove every vertex whose label is not `keep`; returns the number of edges removed with them."""
        self.device.clear(self.removed, 1, np.int32)
        self.program.copra_keep_component.launch(self, self.passes, keep=keep, label=label)
        # both slots of an edge count
        return int(self.device.download(self.removed, np.int32, 1)[0]) // 2

    def is_live(self, vertex: int) -> bool:
        """True if a vertex is live."""
        return bool(self.device.download(self.v_start, self.offset, 1, offset=vertex)[0] >= 0)

    def vertex_marks(self) -> Any:
        """1 for each live vertex: a new uint8 device buffer, shape (n,)."""
        live = self.device.empty(self.n, np.uint8)
        self.program.copra_live_vertices.launch(self, self.passes, live=live)
        return live

    def arc_marks(self) -> Any:
        """1 for each live arc of the graph's CSR: a new uint8 device buffer, shape (arcs,)."""
        live = self.device.output(self.arcs, np.uint8)
        self.program.copra_live_arcs.launch(self, self.passes, live_arc=live)
        return live

    def live_vertices(self) -> npt.NDArray[np.bool_]:
        """Mask of live vertices, bool (n,)."""
        return self.device.download(self.vertex_marks(), np.uint8, self.n).view(np.bool_)

    def live_arcs(self) -> npt.NDArray[np.bool_]:
        """Mask of live arcs of the graph's CSR, bool (arcs,)."""
        return self.device.take(self.arc_marks(), np.uint8, self.arcs).view(np.bool_)
