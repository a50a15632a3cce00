"""The input's largest component on a device; no seed changes it, so it is kept with the graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.copra import upload_csr
from clgraph.giant_finder import GiantFinder
from clgraph.graph import Graph

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class Whole:
    """The components of a graph: the largest has `size` vertices, labelled `root` in `label` (read only)."""

    label: Any
    root: int
    size: int


def whole_component(device: Device, graph: Graph) -> Whole:
    """Components of an undirected graph, each labelled by its smallest vertex: int32 (n,) on the device."""

    def find() -> Whole:
        csr = upload_csr(device, graph)
        device.reserve({"labels of the graph": 4 * csr.n})
        label = device.empty(csr.n, np.int32)
        finder = GiantFinder(device, csr.n, csr.arcs, wide=csr.offset is np.int64)
        finder.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label)
        root, size, _ = finder.largest_label(label)
        return Whole(label, root, size)

    return device.cached(graph, "whole", find)
