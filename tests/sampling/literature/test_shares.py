"""Shares of common-neighbour-aware walks, against sets."""

import numpy as np
from graphs import random_graph

from clgraph import Graph
from clgraph.sampling.literature.view import View
from clgraph.sampling.literature.walks import arc_shares


def test_shares(device):
    v, u = np.triu_indices(5, 1)
    for graph in (
        random_graph(1, 40, 160),
        random_graph(2, 30, 90, duplicates="keep"),
        Graph.from_edges(v, u),
    ):
        view = View.of(graph, "both", False)
        rows = [
            view.rows.col_idx[a:b].tolist()
            for a, b in zip(view.rows.row_ptr, view.rows.row_ptr[1:], strict=False)
        ]
        limit, total = arc_shares(device, view)
        limit = device.download(limit, np.uint64, view.rows.num_arcs).tolist()
        total = device.download(total, np.uint64, view.n).tolist()
        at = 0
        for v, row in enumerate(rows):
            up_to = 0
            for u in row:
                least = min(len(row), len(rows[u]))
                up_to += ((least - len(set(row) & set(rows[u]))) << 32) // least
                assert limit[at] == up_to
                at += 1
            assert total[v] == up_to
