"""What the two ways of building rows on a device share (`clgraph.csr.build`, `clgraph.csr.build_buckets`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.parts import DeviceCSR
from clgraph.graph.building import INT32_MAX

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program


def offset_type(arcs: int) -> type:
    """The type of offsets into `arcs` arcs: int32, or int64 from 2**31 arcs on."""
    return np.int32 if arcs <= INT32_MAX else np.int64


class Building:
    """What both ways of building share: the program, and room for the rows.

    Parameters
    ----------
    device : Device
    n : int
        Number of vertices.
    mirror : bool
        Whether each arc represents both directions.
    merge : bool
        Whether parallel arcs become one.
    loops : bool
        Whether loops are kept, one arc each.
    counts : bool
        Whether to count how many arcs each merged one stands for.
    heads : int, optional
        Heads are below it, where that is not `n`.

    Attributes
    ----------
    copies : int32 device buffer, shape (arcs,), or None
        These counts; None where each is 1.
    """

    copies: Any = None

    def __init__(
        self,
        device: Device,
        n: int,
        mirror: bool,
        merge: bool,
        loops: bool = False,
        counts: bool = False,
        heads: int | None = None,
    ) -> None:
        self.device, self.n = device, n
        self.heads = n if heads is None else heads
        self.mirror, self.merge = mirror, merge
        self.loops, self.counts = loops, counts and merge

    def program(self, name: str, offset: Any = np.int32, new_offset: Any = np.int32, **more: int) -> Program:
        """A program of ``cl/csr/``, for offsets of these types."""
        names = {np.int32: "int", np.int64: "long"}
        return self.device.program(
            name,
            MERGE=int(self.merge),
            LOOPS=self.loops or None,
            COUNTS=self.counts or None,
            OFFSET=names[offset],
            NEW_OFFSET=names[new_offset],
            **more,
        )

    def rows(self, arcs: int) -> DeviceCSR:
        """Buffers for the rows of so many arcs, not filled yet."""
        offset = offset_type(arcs)
        row_ptr = self.device.output(self.n + 1, offset)
        return DeviceCSR(self.n, arcs, row_ptr, self.device.output(arcs, np.int32), offset)

    def no_arcs(self) -> DeviceCSR:
        """Rows without arcs."""
        rows = self.rows(0)
        self.device.fill(rows.row_ptr, np.int32(0), self.n + 1)
        return rows
