"""Self-loops and parallel arcs, counted on devices."""

import numpy as np
import pytest
from graphs import random_graph

from clgraph import Graph
from clgraph.csr.facts import count_loops_and_copies
from clgraph.csr.upload import upload_csr


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_as_on_the_host(device, directed, duplicates):
    for graph in (
        random_graph(4, 30, 400, directed=directed, duplicates=duplicates),
        Graph.from_edges([], [], vertices=[1, 2], directed=directed),
    ):
        loops, copies = count_loops_and_copies(device, upload_csr(device, graph))
        assert loops == np.count_nonzero(graph.rows == graph.col_idx)
        edges = set(zip(graph.rows.tolist(), graph.col_idx.tolist(), strict=True))
        assert copies == graph.num_arcs - len(edges)
        assert (copies > 0) == graph.has_copies
