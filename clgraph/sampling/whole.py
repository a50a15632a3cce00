"""The input's largest component on a device; no seed changes it, so it is kept with the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.finder import GiantFinder
from clgraph.csr.upload import upload_csr
from clgraph.graph import Graph

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class Whole:
    """The components of a graph: the largest has `size` vertices, labelled `root` in `label` (read only).

    A label is the smallest vertex of the component: int32 (n,) on the device.
    """

    label: Any
    root: int
    size: int


class WholeFinder:
    """Finds them at the first time; made beforehand, so that a clock sees no kernels being built.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected.
    """

    def __init__(self, device: Device, graph: Graph) -> None:
        self._device, self._graph = device, graph
        self._csr = csr = upload_csr(device, graph)
        self._finder = GiantFinder(device, csr.n, csr.arcs, wide=csr.offset is np.int64)

    def find(self) -> Whole:
        """The components, from the graph's keeping if they are there."""
        return self._device.cached(self._graph, "whole", self._find)

    def _find(self) -> Whole:
        device, csr = self._device, self._csr
        device.reserve({"labels of the graph": 4 * csr.n})
        label = device.empty(csr.n, np.int32)
        self._finder.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label)
        root, size, _ = self._finder.largest_label(label)
        return Whole(label, root, size)
