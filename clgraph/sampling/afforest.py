"""The largest component of what is left in COPRA, by linking and compressing (Afforest)."""

from __future__ import annotations

from typing import Any

import numpy as np

from clgraph.copra import Copra
from clgraph.giant_finder import GiantFinder
from clgraph.graph import Graph


class LinkCompress:
    """A finder for the batched loop; its labels are roots of the components.

    Parameters
    ----------
    copra : Copra
    graph : Graph
        Which `copra` was made of.
    anchored : bool, optional
        Begin with every vertex hung onto its neighbour of highest degree (``cl/anchors.cl``; default: on
        CPUs, whose caches then hold the labels that matter).
    """

    def __init__(self, copra: Copra, graph: Graph, *, anchored: bool | None = None) -> None:
        device = copra.device
        self._copra, self._graph = copra, graph
        self._giant = GiantFinder(device, copra.n, copra.slots, copra=True, wide=copra.offset is np.int64)
        self._label = device.empty(copra.n, np.int32)
        self._anchored = device.kind == "cpu" if anchored is None else anchored
        self._passes = -(-copra.n // device.tuning.items)
        if self._anchored:
            self._program = device.program("anchors", ITEMS=device.tuning.items, **copra.csr.defines)

    def find(self, live: int) -> tuple[Any, int, int]:
        """(label buffer, label of the largest component, its size) among `live` vertices."""
        copra, giant = self._copra, self._giant
        rows = (copra.v_start, copra.v_end, copra.edges)
        if self._anchored:
            self._hang(*rows)
            giant.labels_into(*rows, self._label, begun=True)
            root, size, _ = giant.largest_label(self._label)
            if 2 * size > live:
                return self._label, root, size
            # of two equal ones the one with the smallest vertex is kept: that takes labels which tell it
        giant.labels_into(*rows, self._label)
        root, size, _ = giant.largest_label(self._label)
        return self._label, root, size

    def _hang(self, *rows: Any) -> None:
        """The components of a part of the arcs: each vertex's to its anchor, and one more."""
        giant, n = self._giant, np.int32(self._copra.n)
        anchors = self._copra.device.cached(self._graph, "anchors", self.find_anchors)
        self._program.anchors_hang(self._passes, n, *rows, anchors, self._label, giant.scratch)
        giant.compress(self._label)
        giant.link(self._label)
        giant.compress(self._label)

    def find_anchors(self) -> Any:
        """Buffer of the graph's anchors: see the head of ``cl/anchors.cl``."""
        copra = self._copra
        anchors = copra.device.empty(copra.n, np.uint32)
        self._program.anchors_find(
            self._passes, np.int32(copra.n), copra.csr.row_ptr, copra.csr.col_idx, anchors
        )
        return anchors

    def keep(self, label: Any, keep: int) -> int:
        """Remove every vertex whose label is not `keep`; returns the number of edges that went with them."""
        return self._copra.keep_component(label, keep)
