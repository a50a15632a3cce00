"""Self-loops and parallel arcs of rows on a device: host half of ``cl/csr/facts.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from clgraph.csr.parts import DeviceCSR
    from clgraph.device import Device


def count_loops_and_copies(device: Device, rows: DeviceCSR) -> tuple[int, int]:
    """Arcs from a vertex to itself, and arcs that repeat the one before them in their row."""
    with device.alone():
        items = device.tuning.items
        found = device.zeros(2, np.uint32)
        program = device.program("csr/facts", ITEMS=items, **rows.defines)
        program.facts_count(-(-rows.n // items), np.int32(rows.n), rows.row_ptr, rows.col_idx, found)
        loops, copies = device.download(found, np.uint32, 2).tolist()
    return loops, copies
