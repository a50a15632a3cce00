"""What tests of generated graphs share."""

import numpy as np


def same(graph, other):
    """Whether two undirected graphs have the same rows."""
    return (
        graph.directed == other.directed
        and graph.row_ptr.dtype == other.row_ptr.dtype
        and np.array_equal(graph.row_ptr, other.row_ptr)
        and np.array_equal(graph.col_idx, other.col_idx)
    )
