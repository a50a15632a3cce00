"""The marks of what a sample has, against NumPy."""

import numpy as np
from graphs import random_graph

from clgraph.csr.upload import upload_csr
from clgraph.sampling.selection import Marked, component_marks


def test_a_component_and_its_induced_arcs(device):
    rng = np.random.default_rng(1)
    for seed, (n, m) in enumerate([(1, 0), (5, 4), (60, 200), (700, 1500)]):
        graph = random_graph(seed, n, m, duplicates="keep").without_self_loops
        labels = rng.integers(-1, 3, n).astype(np.int32)
        csr = upload_csr(device, graph)
        for root in (0, 2, 9):  # no vertex is labelled 9
            left = Marked(device, csr, component_marks(device, csr, device.upload(labels), root))
            inside = labels == root
            assert left.members(graph).dtype == left.kept(graph).dtype == np.bool_
            np.testing.assert_array_equal(left.members(graph), inside)
            np.testing.assert_array_equal(left.kept(graph), inside[graph.tails] & inside[graph.col_idx])
            assert left.groups() is None
