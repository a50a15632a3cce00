"""Marks of a sample's edges on the device: host half of ``cl/sampling/literature/listed_edges.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clgraph.csr.upload import upload_csr
from clgraph.sampling.literature.drawn import There
from clgraph.sampling.marks import LeftThere

if TYPE_CHECKING:
    from clgraph.graph import Graph
    from clgraph.sampling.literature.listed import Listed


def left_of(
    simple: Graph,
    run: int,
    listed: Listed | None,
    arcs: There | None,
    parent: There | None,
    *,
    whole: bool = False,
) -> LeftThere:
    """The vertices and edges of one run's sample.

    Parameters
    ----------
    simple : Graph
        Undirected, without loops.
    run : int
        Which of those that are listed.
    listed : Listed, or None
        The vertices; None: the ends of the arcs.
    arcs : There, or None
        Places of arcs, one or both of each edge.
    parent : There, or None
        The parent of each vertex listed, instead of `arcs`.
    whole : bool
        All vertices are in the sample; `listed` is None.
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
    first, end = source.offset[run : run + 2].tolist()
    passes, part = -(-(end - first) // device.tuning.items), {"first": first, "many": end - first}
    if listed is not None:
        live = listed.marked(run)
    else:
        live = device.zeros(-(-csr.n // 4) * 4, np.uint8)
        if whole:
            device.fill(live, np.uint8(1), csr.n)
        else:
            program.listed_ends(passes, n=csr.n, **part, list=source.buffer, **csr.buffers, live=live)
    part |= {**csr.buffers, "live": live, "mark": mark}
    if arcs is not None:
        program.listed_arcs(passes, n=csr.n, list=source.buffer, **part)
    else:
        assert listed is not None
        program.listed_tree(passes, list=listed.taken.items, parent=source.buffer, **part)
    return LeftThere(device, csr, live, mark)
