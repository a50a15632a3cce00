"""Marks of a sample's edges on the device: host half of ``cl/sampling/literature/listed_edges.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.upload import upload_csr
from clgraph.sampling.literature.drawn import There
from clgraph.sampling.marks import LeftThere

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.sampling.literature.listed import Listed


def left_of(simple: Graph, listed: Listed | None, arcs: There | None, parent: There | None) -> LeftThere:
    """The vertices and edges of one run's sample.

    Parameters
    ----------
    simple : Graph
        Undirected, without loops.
    listed : Listed, or None
        The vertices; None: the ends of the arcs.
    arcs : There, or None
        Places of arcs, one or both of each edge.
    parent : There, or None
        The parent of each vertex listed, instead of `arcs`.
    """
    source = arcs or parent
    assert source is not None
    device, csr = source.device, upload_csr(source.device, simple)
    device.reserve({"live": csr.n + csr.arcs})
    item = "long" if np.dtype(source.dtype).itemsize == 8 else "int"
    program = device.program(
        "sampling/literature/listed_edges", ITEMS=device.tuning.items, ITEM=item, **csr.defines
    )
    mark = device.zeros(-(-csr.arcs // 4) * 4, np.uint8)
    passes, many, rows = (
        -(-source.count // device.tuning.items),
        np.int64(source.count),
        (csr.row_ptr, csr.col_idx),
    )
    n = np.int32(csr.n)
    if listed is None:
        live: Any = device.zeros(-(-csr.n // 4) * 4, np.uint8)
        program.listed_ends(passes, n, many, source.buffer, *rows, live)
    else:
        live = listed.marked(0)
    if arcs is not None:
        program.listed_arcs(passes, n, many, source.buffer, *rows, live, mark)
    else:
        assert listed is not None
        program.listed_tree(passes, many, listed.taken.items, source.buffer, *rows, live, mark)
    return LeftThere(device, csr, live, mark)
