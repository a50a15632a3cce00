"""Which vertices and arcs of the input a sample has: host half of ``cl/sampling/marks.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.upload import DeviceCSR
from clgraph.sampling.result import Left

if TYPE_CHECKING:
    from clgraph.device import Device


class Marks:
    """A byte per vertex and per arc on the device, 1 where the sample has it.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
        Rows of an undirected graph.

    Attributes
    ----------
    vertices : device buffer, uint8 (n,)
    arcs : device buffer, uint8 (arcs,)
    """

    def __init__(self, device: Device, csr: DeviceCSR) -> None:
        self._device, self._csr = device, csr
        self._passes = -(-csr.n // device.tuning.items)
        device.reserve({"live": csr.n + csr.arcs})
        self._program = device.program("sampling/marks", ITEMS=device.tuning.items, **csr.defines)
        self.vertices = device.empty(csr.n, np.uint8)
        self.arcs = device.empty(max(csr.arcs, 1), np.uint8)

    def component(self, label: Any, root: int) -> None:
        """Mark the vertices labelled `root` in an int32 buffer."""
        self._program.exact_live_vertices(
            self._passes, np.int32(self._csr.n), label, np.int32(root), self.vertices
        )

    def induced(self) -> None:
        """Mark the arcs between marked vertices."""
        csr = self._csr
        self._program.exact_induced_arcs(
            self._passes, np.int32(csr.n), csr.row_ptr, csr.col_idx, self.vertices, self.arcs
        )

    def download(self) -> Left:
        """The marks on the host."""
        vertices = self._device.download(self.vertices, np.uint8, self._csr.n)
        arcs = self._device.download(self.arcs, np.uint8, self._csr.arcs)
        return Left(vertices.view(np.bool_), arcs.view(np.bool_))
