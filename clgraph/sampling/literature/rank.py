"""PageRank in integers, the weights of rpn: host half of ``cl/sampling/literature/rank.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.upload import upload_csr

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

STEPS = 100
DAMPING = 85 * 2**64 // 100


def integer_ranks(device: Device, graph: Graph) -> Any:
    """The ranks of a graph's vertices in units of 2^-62, uint64 device buffer; kept with the graph.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without loops.
    """

    def make() -> Any:
        csr, items, n = upload_csr(device, graph), device.tuning.items, graph.num_vertices
        program = device.program("sampling/literature/rank", ITEMS=items, **csr.defines)
        lonely = int(np.count_nonzero(np.diff(graph.row_ptr) == 0))
        first = 2**62 // n
        x, share = device.empty(n, np.uint64), device.empty(n, np.uint64)
        device.fill(x, np.uint64(first), n)
        shares = program.rank_shares.bind(n=n, row_ptr=csr.row_ptr, x=x, share=share)
        step = program.rank_step.bind(n=n, damping=DAMPING, **csr.buffers, share=share, x=x)
        alone = first  # the rank of a vertex without edges: the same for all of them
        for _ in range(STEPS):
            lost = lonely * alone
            base = 2**62 * 15 // 100 // n + (lost * DAMPING >> 64) // n
            alone = base
            shares(-(-n // items))
            step(-(-n // items), base=base)
        return x

    return device.cached(graph, "integer ranks", make)
