"""The largest strong component of what is left in COPRA.

Host half of ``cl/sampling/strong.cl``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.components.finder import GraphComponents
from clgraph.components.strong import ArcRows, StrongFinder
from clgraph.csr.upload import upload_csr
from clgraph.graph import Graph
from clgraph.sampling.copra import Copra


class StrongCopraFinder:
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
        Rows with more arcs are cut into pieces for work-groups (default: by device).
    """

    def __init__(
        self, copra: Copra, graph: Graph, components: GraphComponents, *, long_row: int | None = None
    ) -> None:
        device, n, arcs, csr = copra.device, copra.n, copra.arcs, copra.csr
        self._copra = copra
        self._passes = -(-n // device.tuning.items)
        self._program = device.program(
            "sampling/strong",
            ITEMS=device.tuning.items,
            HAS_COPIES=int(copra.is_multigraph),
            ARC_OFFSET=upload_csr(device, graph).defines["OFFSET"],
            **csr.defines,
        )
        size = np.dtype(copra.offset).itemsize
        device.reserve(
            {"way": arcs, "arcs": 4 * arcs, "reverse": 4 * arcs, "ends": 2 * size * n, "label": 4 * n}
        )
        self._ends = [device.empty(n, copra.offset) for _ in range(2)]
        self._heads, self._tails = (device.empty(max(arcs, 1), np.int32) for _ in range(2))
        self._label = device.empty(n, np.int32)
        self._lost = device.empty(1, np.int32)
        rows = ArcRows(
            n,
            arcs,
            (csr.row_ptr, self._ends[0], self._heads),
            (csr.row_ptr, self._ends[1], self._tails),
            copra.offset,
            0,
        )
        self._strong = StrongFinder(device, rows, long_row=long_row)
        self._giant = components.finder
        self._way = device.cached(graph, "strong-ways", lambda: self._make_ways(graph))

    def _make_ways(self, graph: Graph) -> Any:
        """Which arcs of the directed graph each arc of the view represents, one byte per arc."""
        copra, device = self._copra, self._copra.device
        rows = upload_csr(device, graph)
        way = device.empty(max(copra.arcs, 1), np.uint8)
        self._run("ways", **copra.csr.buffers, arc_ptr=rows.row_ptr, arc_idx=rows.col_idx, way=way)
        return way

    def _run(self, what: str, **arguments: Any) -> None:
        getattr(self._program, f"strong_{what}")(self._passes, n=self._copra.n, **arguments)

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest strong component, its size) among `live` vertices."""
        copra = self._copra
        out_end, in_end = self._ends
        self._run(
            "live_rows",
            row_ptr=copra.csr.row_ptr,
            edges=copra.edges,
            way=self._way,
            out_end=out_end,
            out_idx=self._heads,
            in_end=in_end,
            in_idx=self._tails,
        )
        self._strong.labels_into(self._label)
        self._run("absent", v_start=copra.v_start, label=self._label)
        self._giant.sample(self._label)
        root, size, _ = self._giant.largest_label(self._label)
        return self._label, root, size

    def keep(self, label: Any, keep: int) -> int:
        """Remove every vertex with another label; returns the number of edges removed with them."""
        copra, device = self._copra, self._copra.device
        device.clear(self._lost, 1, np.int32)
        self._run("keep", keep=keep, label=label, **copra.slots_of, removed=self._lost)
        return int(device.download(self._lost, np.int32, 1)[0]) // 2
