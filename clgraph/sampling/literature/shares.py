"""The shares by which a common-neighbour-aware walk goes on: host half of ``cl/.../shares.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View


def arc_shares(device: Device, view: View) -> tuple[Any, Any]:
    """Where each arc's share of its row ends, in 2^-32, and the sum of each row; kept with the rows.

    Returns
    -------
    limit : uint64 device buffer, shape (arcs,)
    total : uint64 device buffer, shape (n,)
    """

    def make() -> tuple[Any, Any]:
        csr, items = view.csr(device), device.tuning.items
        device.reserve({"shares": 8 * (csr.arcs + csr.n)})
        limit, total = device.empty(max(csr.arcs, 1), np.uint64), device.empty(csr.n, np.uint64)
        program = device.program("sampling/literature/shares", ITEMS=items, **csr.defines)
        program.shares_sum(
            -(-csr.n // items), n=csr.n, row_ptr=csr.row_ptr, col_idx=csr.col_idx, limit=limit, total=total
        )
        return limit, total

    found: tuple[Any, Any] = device.cached(view.rows, ("literature", "shares"), make)
    return found
