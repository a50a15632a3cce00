"""A graph's rows on a device: uploaded once, kept as long as the graph lives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

INT32_MAX = 2**31 - 1


@dataclass(frozen=True)
class DeviceCSR:
    """A graph's arrays on a device; `offset` is the type of `row_ptr` there."""

    n: int
    arcs: int
    row_ptr: Any
    col_idx: Any
    offset: type

    @property
    def defines(self) -> dict[str, str]:
        """Build options that tell the kernels the type of an offset."""
        return {"OFFSET": "int" if self.offset is np.int32 else "long"}


def upload_csr(device: Device, graph: Graph, *, wide: bool = False) -> DeviceCSR:
    """The graph's CSR on the device; kept there as long as the graph lives.

    `wide` asks for 64-bit offsets even where `row_ptr` would fit 32 bits.
    """
    offset = np.int64 if wide or graph.row_ptr.dtype == np.int64 else np.int32

    def make() -> DeviceCSR:
        row_ptr = graph.row_ptr.astype(offset, copy=False)
        device.reserve({"row_ptr": row_ptr.nbytes, "col_idx": graph.col_idx.nbytes})
        return DeviceCSR(
            graph.num_vertices, graph.num_arcs, device.upload(row_ptr), device.upload(graph.col_idx), offset
        )

    made: DeviceCSR = device.cached(graph, _kept_as(offset), make)
    return made


def keep_csr(device: Device, graph: Graph, rows: DeviceCSR) -> None:
    """Let `upload_csr` find rows that were made on the device: they are the graph's own."""
    device.cached(graph, _kept_as(rows.offset), lambda: rows)


def _kept_as(offset: type) -> str:
    return f"csr-{np.dtype(offset).name}"
