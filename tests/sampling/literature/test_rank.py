"""PageRank in integers on every device against the reference's."""

import numpy as np
import pytest
from samplers import awkward_graphs

from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.common import Rows
from clgraph.reference.races import integer_pagerank
from clgraph.sampling.literature.weighted_draw import integer_ranks


@pytest.mark.smoke
def test_equals_reference(device):
    for graph in [powerlaw_graph(200, seed=1), *awkward_graphs()]:
        x = integer_ranks(device, graph.undirected.without_self_loops)
        assert device.download(x, np.uint64, graph.num_vertices).tolist() == integer_pagerank(Rows(graph))
