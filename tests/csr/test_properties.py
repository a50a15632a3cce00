"""Self-loops and parallel arcs, counted on devices."""

import numpy as np
import pytest
from graphs import random_graph

from clgraph import Graph
from clgraph.csr.properties import count_loops_and_copies, count_nonisolated, find_hub, lengths_of
from clgraph.csr.upload import upload_csr


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_as_on_the_host(device, directed, duplicates):
    for graph in (
        random_graph(4, 30, 400, directed=directed, duplicates=duplicates),
        Graph.from_edges([], [], vertices=[1, 2], directed=directed),
    ):
        loops, copies = count_loops_and_copies(device, upload_csr(device, graph))
        assert loops == np.count_nonzero(graph.tails == graph.col_idx)
        edges = set(zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True))
        assert copies == graph.num_arcs - len(edges)
        assert (copies > 0) == graph.is_multigraph
        linked = count_nonisolated(device, upload_csr(device, graph))
        assert linked == np.count_nonzero(graph.degrees) == graph.num_nonisolated


def test_the_longest_row_and_some_lengths(device):
    for graph in (
        random_graph(5, 300, 900),
        Graph.from_edges([2, 2, 5, 5], [3, 4, 6, 7], vertices=range(9)),  # two of them
        Graph.from_edges([], [], vertices=[1, 2]),
    ):
        rows = upload_csr(device, graph)
        assert find_hub(device, rows) == graph.degrees.argmax()
        listed = np.random.default_rng(1).integers(0, graph.num_vertices, 40).astype(np.int32)
        assert lengths_of(device, rows, listed).tolist() == graph.degrees[listed].tolist()
