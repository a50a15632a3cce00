"""A graph's place on a device: its rows there, uploaded once and kept as long as the graph lives."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.graph.building import INT32_MAX

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

__all__ = ["INT32_MAX", "DeviceCSR", "Place", "upload_csr"]


@dataclass(frozen=True)
class DeviceCSR:
    """A graph's rows on a device.

    Attributes
    ----------
    n, arcs : int
        Number of vertices and of stored arcs.
    row_ptr : device buffer, `offset`, shape (n + 1,)
    col_idx : device buffer, int32, shape (arcs,)
    offset : type
        ``np.int32`` or ``np.int64``.
    """

    n: int
    arcs: int
    row_ptr: Any
    col_idx: Any
    offset: type

    @property
    def defines(self) -> dict[str, str]:
        """Build options that tell the kernels the type of an offset."""
        return {"OFFSET": "int" if self.offset is np.int32 else "long"}


class Place:
    """What one graph has on one device: its rows, with 32-bit offsets, 64-bit offsets, or both.

    The device keeps it as long as the graph lives or until `Device.release`; `Place.of` finds it. It holds
    buffers only, never the graph, which would then live as long as the device.
    """

    def __init__(self) -> None:
        self._rows: dict[type, DeviceCSR] = {}
        self._lock = Lock()

    @staticmethod
    def of(device: Device, graph: Graph) -> Place:
        """The place of a graph on a device; empty if nothing of the graph is on the device yet."""
        found: Place = device.cached(graph, Place, Place)
        return found

    def keep(self, rows: DeviceCSR) -> None:
        """Take over rows that were made on the device: they are the graph's own."""
        with self._lock:
            self._rows[rows.offset] = rows

    def rows(self, device: Device, graph: Graph, offset: type) -> DeviceCSR:
        """The graph's rows with offsets of this type, uploaded if they are not there yet."""
        with self._lock:  # two threads that want the same graph upload it once
            if offset not in self._rows:
                self._rows[offset] = _uploaded(device, graph, offset)
            return self._rows[offset]


def upload_csr(device: Device, graph: Graph, *, wide: bool = False) -> DeviceCSR:
    """The graph's rows on a device, kept there in its `Place`.

    Parameters
    ----------
    device : Device
    graph : Graph
    wide : bool
        Whether offsets are 64-bit even where 32 bits would do.

    Raises
    ------
    CapacityError
        If they do not fit the device.
    """
    offset = np.int64 if wide or graph.row_ptr.dtype == np.int64 else np.int32
    return Place.of(device, graph).rows(device, graph, offset)


def _uploaded(device: Device, graph: Graph, offset: type) -> DeviceCSR:
    row_ptr: npt.NDArray[Any] = graph.row_ptr.astype(offset, copy=False)
    device.reserve({"row_ptr": row_ptr.nbytes, "col_idx": graph.col_idx.nbytes})
    return DeviceCSR(
        graph.num_vertices, graph.num_arcs, device.upload(row_ptr), device.upload(graph.col_idx), offset
    )
