"""Which vertices and arcs of the input a sample has: host half of ``cl/sampling/marks.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import DeviceCSR
from clgraph.lazy import lazy

if TYPE_CHECKING:
    from clgraph.device import Device


class LeftThere:
    """What a run left, on the device; see `clgraph.sampling.result.Left` for its form on the host.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
        Rows of ``graph.undirected.simple``.
    live : uint8 device buffer, shape (n,)
        1 for each vertex left. It belongs to this object from now on, as does `live_arcs`.
    live_arcs : uint8 device buffer, shape (arcs,), or None
        1 for each arc left; None: those between vertices left.
    """

    def __init__(self, device: Device, csr: DeviceCSR, live: Any, live_arcs: Any = None) -> None:
        self._device, self.csr, self.live, self.live_arcs = device, csr, live, live_arcs

    @property
    def group(self) -> npt.NDArray[np.int32] | None:
        """Of contractions: the smallest vertex of each vertex's group."""
        return None

    @lazy
    def vertices(self) -> npt.NDArray[np.bool_]:
        """Which vertices are left, bool (n,)."""
        return self._device.download(self.live, np.uint8, self.csr.n).view(np.bool_)

    @lazy
    def arcs(self) -> npt.NDArray[np.bool_]:
        """Which arcs are left, bool (arcs,)."""
        device, csr = self._device, self.csr
        with device.alone():
            marks = self.live_arcs
            if marks is None:
                marks = device.output(csr.arcs, np.uint8)
                items = device.tuning.items
                device.program("sampling/marks", ITEMS=items, **csr.defines).exact_induced_arcs(
                    -(-csr.n // items),
                    n=csr.n,
                    row_ptr=csr.row_ptr,
                    col_idx=csr.col_idx,
                    live_vertices=self.live,
                    live=marks,
                )
            return device.take(marks, np.uint8, csr.arcs).view(np.bool_)


class Marks:
    """A byte per vertex on the device, 1 where the sample has it; and one per arc where it is not induced.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
        Rows of an undirected graph.
    """

    def __init__(self, device: Device, csr: DeviceCSR) -> None:
        self._device, self._csr = device, csr
        self._passes = -(-csr.n // device.tuning.items)
        device.reserve({"live": csr.n + csr.arcs})
        self._program = device.program("sampling/marks", ITEMS=device.tuning.items, **csr.defines)
        self._vertices: Any = None
        self._arcs: Any = None

    @property
    def vertices(self) -> Any:
        """The marks of vertices: uint8 device buffer, shape (n,)."""
        if self._vertices is None:
            self._vertices = self._device.empty(self._csr.n, np.uint8)
        return self._vertices

    @property
    def arcs(self) -> Any:
        """The marks of arcs, to be filled: uint8 device buffer, shape (arcs,)."""
        if self._arcs is None:
            self._arcs = self._device.output(self._csr.arcs, np.uint8)
        return self._arcs

    def component(self, label: Any, root: int) -> None:
        """Mark the vertices labelled `root` in an int32 buffer."""
        self._program.exact_live_vertices(
            self._passes, n=self._csr.n, label=label, root=root, live=self.vertices
        )

    def induced(self) -> None:
        """Take the arcs between marked vertices."""
        self._arcs = None

    def download(self) -> LeftThere:
        """What is marked; the next marks will be in other buffers."""
        if self._vertices is None:
            raise AssertionError("nothing has been marked since the last download")
        made = LeftThere(self._device, self._csr, self.vertices, self._arcs)
        self._vertices = self._arcs = None
        return made
