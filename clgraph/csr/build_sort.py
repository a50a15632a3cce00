"""The heads of rows sorted on a device, each row separately: host half of ``cl/csr/build_sort.cl``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_local

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device


@dataclass(frozen=True)
class LaunchConfig:
    """Tunables of ``cl/csr/build_sort.cl``.

    Attributes
    ----------
    short : int
        Arcs of a row that one work-item sorts, at most.
    chunk : int
        Arcs that a work-group sorts in local memory.
    """

    short: int
    chunk: int

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits: a chunk's heads have up to eight bytes each."""
        return replace(self, chunk=fit_local(self.chunk, 8 * self.chunk, device))


# a short row fits in one work-item's private array, a chunk in the local memory of a group
_LARGE = LaunchConfig(short=32, chunk=1024)
LAUNCH = LaunchTable(gpu=_LARGE, cpu=_LARGE, simulator=LaunchConfig(short=2, chunk=4))


def sort_rows(device: Device, rows: DeviceCSR, longest: int, *, merge: bool, head: Any = np.int32) -> None:
    """Sort every row in place.

    Parameters
    ----------
    device : Device
    rows : DeviceCSR
        Its `col_idx` holds heads of type `head`, not negative.
    longest : int
        Arcs of the longest row, or more.
    merge : bool
        Mark parallel arcs (``MARKED`` of ``cl/csr/build.h``); for heads of 32 bits.
    head : {np.int32, np.int64}
    """
    shape, items, lanes = LAUNCH.of(device), device.tuning.items, device.tuning.local_size
    row_ptr, col = rows.row_ptr, rows.col_idx
    program = device.program(
        "csr/build_sort",
        **rows.defines,
        MERGE=int(merge),
        HEAD="int" if head is np.int32 else "long",
        ITEMS=items,
        SHORT=shape.short,
        CHUNK=shape.chunk,
    )
    room = rows.arcs // shape.short + 1  # a listed row has more than SHORT arcs per chunk
    listed = device.zeros(2, np.int32)
    chunks = {"list_row": device.empty(room, np.int32), "list_chunk": device.empty(room, np.int32)}
    long_room = 2 * (rows.arcs // shape.chunk) + 1  # and one of several chunks more than CHUNK / 2
    long_chunks = {name: device.empty(long_room, np.int32) for name in ("long_row", "long_chunk")}
    program.rows_sort_short(
        -(-rows.n // items), n=rows.n, row_ptr=row_ptr, col=col, listed=listed, **chunks, **long_chunks
    )
    if longest <= shape.short:
        return
    count, long_count = device.download(listed, np.int32, 2).tolist()
    program.rows_sort_chunks.exact(count * lanes, local=lanes, row_ptr=row_ptr, col=col, **chunks)
    if longest <= shape.chunk:
        return
    size = long_count * lanes
    other = device.empty(rows.arcs, head)
    source, target, width = col, other, shape.chunk
    # an odd number of passes, so that the rows end in `other` and rows_mark brings them back; a pass
    # over rows that are one run already copies them
    while width < longest or target is not col:
        program.rows_merge.exact(
            size, local=lanes, width=width, row_ptr=row_ptr, from_col=source, to_col=target, **long_chunks
        )
        source, target, width = target, source, 2 * width
    program.rows_mark.exact(size, local=lanes, row_ptr=row_ptr, merged=other, col=col, **long_chunks)
