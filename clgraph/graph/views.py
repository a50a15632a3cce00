"""Graphs made from a graph's arrays: reversed, undirected, some of the vertices, some of the arcs.

And the connected components that say which.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from clgraph.graph.arrays import Arrays
from clgraph.graph.building import row_ptr_of, sorted_rows, stable_argsort

# --- connected components on the host, by SciPy: for what must not need a device ---


def component_labels(graph: Arrays) -> tuple[int, npt.NDArray[np.int32]]:
    """Return the number of weakly connected components, and each vertex's label (SciPy), shape (n,)."""
    n = graph.num_vertices
    if n == 0:
        return 0, np.zeros(0, np.int32)
    from scipy import sparse as sp
    from scipy.sparse import csgraph

    pattern = sp.csr_array((np.ones(graph.num_arcs, np.int8), graph.col_idx, graph.row_ptr), shape=(n, n))
    # for a symmetric pattern both are the same, and "strong" saves SciPy the transpose
    connection: Literal["weak", "strong"] = "weak" if graph.directed else "strong"
    count, labels = csgraph.connected_components(pattern, directed=True, connection=connection)
    return int(count), labels


def largest_component_mask(graph: Arrays) -> npt.NDArray[np.bool_]:
    """Return the mask of the largest weakly connected component (SciPy), shape (n,)."""
    if graph.num_vertices == 0:
        return np.zeros(0, dtype=bool)
    _, labels = component_labels(graph)
    sizes = np.bincount(labels)
    # the first vertex of any of the largest components settles a tie
    winner = labels[np.argmax(sizes[labels] == sizes.max())]
    return labels == winner


def reversed_arcs(graph: Arrays) -> Arrays:
    """Reverse every arc."""
    order = stable_argsort(graph.col_idx)
    return replace(
        graph,
        row_ptr=row_ptr_of(np.bincount(graph.col_idx, minlength=graph.num_vertices)),
        col_idx=graph.tails()[order],
        **graph.values(order),
    )


def without_directions(graph: Arrays, *, keep_copies: bool) -> Arrays:
    """Join arcs u->v and v->u into one edge (weights and counts summed), or make each arc an edge."""
    return sorted_rows(
        graph.tails(),
        graph.col_idx,
        graph.num_vertices,
        weights=graph.weights,
        multiplicity=graph.multiplicity,
        ids=graph.ids,
        directed=False,
        duplicates="keep" if keep_copies else "merge",
    )


def some_arcs(graph: Arrays, keep: npt.NDArray[np.bool_]) -> Arrays:
    """Return the same vertices with some of the arcs (of an undirected edge both or none)."""
    # how many arcs stay before each: the new offsets are those of the old ones' positions
    kept_before = np.zeros(len(keep) + 1, dtype=graph.row_ptr.dtype)
    np.cumsum(keep, dtype=graph.row_ptr.dtype, out=kept_before[1:])
    return replace(
        graph,
        row_ptr=kept_before[graph.row_ptr],
        col_idx=graph.col_idx[keep],
        **graph.values(keep),
        num_self_loops=None,
    )


def some_vertices(graph: Arrays, vertices: npt.NDArray[np.bool_], arcs: npt.NDArray[np.bool_]) -> Arrays:
    """Return some vertices, renumbered in order with their ids, and some arcs between them."""
    smaller = some_arcs(graph, arcs)
    # heads outside have been dropped, so entries of vertices that go are never looked up
    new_index = np.cumsum(vertices, dtype=np.int32)
    new_index -= 1
    return replace(
        smaller,
        row_ptr=np.concatenate((smaller.row_ptr[:-1][vertices], smaller.row_ptr[-1:])),
        col_idx=new_index[smaller.col_idx],
        ids=np.flatnonzero(vertices) if graph.ids is None else graph.ids[vertices],
    )
