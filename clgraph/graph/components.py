"""Connected components on the host, by SciPy: for what must not need a device."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from clgraph.graph.arrays import Arrays


def component_labels(graph: Arrays) -> tuple[int, npt.NDArray[np.int32]]:
    """Number of weakly connected components, and the number of each vertex's (SciPy), shape (n,)."""
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
    """Which vertices form the largest weakly connected component (SciPy), shape (n,)."""
    if graph.num_vertices == 0:
        return np.zeros(0, dtype=bool)
    _, labels = component_labels(graph)
    sizes = np.bincount(labels)
    # the first vertex of any of the largest components settles a tie
    winner = labels[np.argmax(sizes[labels] == sizes.max())]
    return labels == winner
