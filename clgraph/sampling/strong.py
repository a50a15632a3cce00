"""The largest strong component of what is left in COPRA.

Host half of ``cl/sampling/strong.cl``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.components.finder import GraphComponents
from clgraph.components.strong import StrongFinder
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.graph import Graph
from clgraph.sampling.batched import Finder
from clgraph.sampling.copra import Copra


class StrongCopraFinder(Finder):
    """Finds the strong components of what COPRA still has of the undirected view of a directed graph.

    Its labels are the smallest vertices of the strong components, -1 where a vertex is gone.

    Parameters
    ----------
    copra : Copra
        Of ``graph.undirected.without_self_loops``.
    graph : Graph
        Directed.
    components : GraphComponents
        Of ``graph.undirected.without_self_loops``.
    long_row : int, optional
        Rows with more arcs are shared by several work-groups (default: by device).
    """

    def __init__(
        self, copra: Copra, graph: Graph, components: GraphComponents, *, long_row: int | None = None
    ) -> None:
        device, n, arcs, csr = copra.device, copra.n, copra.arcs, copra.csr
        self.copra, self.n, self.edges = copra, n, copra.edges
        self.row_ptr, self.col_idx = csr.row_ptr, csr.col_idx
        self.v_start, self.v_end, self.removed = copra.v_start, copra.v_end, copra.removed
        self.program = device.program(
            "sampling/strong",
            ITEMS=device.tuning.items,
            HAS_COPIES=int(copra.has_copies),
            ARC_OFFSET=upload_csr(device, graph).defines["OFFSET"],
            **csr.defines,
        )
        size = np.dtype(copra.offset).itemsize
        device.reserve(
            {"directions": arcs, "arcs": 4 * arcs, "reverse": 4 * arcs, "ends": 2 * size * n, "label": 4 * n}
        )
        self.out_end, self.in_end = (device.empty(n, copra.offset) for _ in range(2))
        self.out_idx, self.in_idx = (device.empty(max(arcs, 1), np.int32) for _ in range(2))
        self.label = device.empty(n, np.int32)
        rows = (DeviceCSR(n, arcs, csr.row_ptr, idx, copra.offset) for idx in (self.out_idx, self.in_idx))
        self.strong = StrongFinder(device, *rows, ends=(self.out_end, self.in_end), long_row=long_row)
        self.giant = components
        self.way = device.cached(graph, "strong-ways", lambda: self._make_ways(graph))

    def _make_ways(self, graph: Graph) -> Any:
        """Mark which arcs of the directed graph each arc of the view represents, one byte per arc."""
        device = self.copra.device
        rows, way = upload_csr(device, graph), device.empty(max(self.copra.arcs, 1), np.uint8)
        self.program.strong_ways.launch(
            self, self.copra.passes, arc_ptr=rows.row_ptr, arc_idx=rows.col_idx, way=way
        )
        return way

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest strong component, its size) among `live` vertices."""
        self.program.strong_live_rows.launch(self, self.copra.passes)
        self.strong.labels_into(self.label)
        self.program.strong_absent.launch(self, self.copra.passes)
        # `largest_label` needs a guess at the giant component, as these labels were made elsewhere
        self.giant.sample(self.label)
        root, size, _ = self.giant.largest_label(self.label)
        return self.label, root, size

    def keep(self, label: Any, keep: int) -> int:
        """Remove every vertex with another label; returns the number of edges removed with them."""
        device = self.copra.device
        device.clear(self.removed, 1, np.int32)
        self.program.strong_keep.launch(self, self.copra.passes, keep=keep, label=label)
        return int(device.download(self.removed, np.int32, 1)[0]) // 2
