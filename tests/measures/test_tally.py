"""Histograms of several graphs at once against NumPy: values counted in local and in global memory."""

import numpy as np
import pytest
from graphs import tangle

from clgraph import Graph
from clgraph.measures.pack import Pack
from clgraph.measures.tally import BINS, component_sizes, degree_histograms, tally


def assert_counts(device, graph, **options):
    ((degrees, counts),) = degree_histograms(Pack.of(device, [graph]), **options)
    want = np.bincount(graph.degrees)
    assert degrees.dtype == counts.dtype == np.int64
    assert degrees.tolist() == np.flatnonzero(want).tolist()
    assert counts.tolist() == want[want > 0].tolist()


def test_degrees_of_all_kinds(device):
    star = Graph.from_edges(np.zeros(3000, int), np.arange(1, 3001))
    for graph in (star, tangle(3).without_self_loops):
        for bins in (2, BINS):
            assert_counts(device, graph, bins=bins)


@pytest.mark.parametrize("leaves", [BINS - 1, BINS, 70_000])
def test_hubs_on_both_sides_of_the_limit(device, leaves):
    tail, head = np.zeros(leaves, int), np.arange(1, leaves + 1)
    assert_counts(device, Graph.from_edges(np.append(tail, 1), np.append(head, 2)))


def test_all_vertices_alike(device):
    n = 100_000  # every work-item of every group counts the same degree
    assert_counts(device, Graph.from_edges(np.arange(n), (np.arange(n) + 1) % n))


def test_large_offsets(device):
    graph = tangle(2).without_self_loops
    assert_counts(device, Graph(graph.row_ptr.astype(np.int64), graph.col_idx, directed=False))


def test_each_graph_has_its_own(device):
    none = Graph.from_edges([], [])
    graphs = [none, *(tangle(seed, n=20 + 90 * seed).without_self_loops for seed in range(4)), none]
    pack = Pack.of(device, graphs)
    for graph, found in zip(graphs, degree_histograms(pack), strict=True):
        want = np.bincount(graph.degrees) if graph.num_vertices else np.zeros(0, int)
        assert np.repeat(*found).tolist() == np.sort(graph.degrees).tolist()
        assert found[0].tolist() == np.flatnonzero(want).tolist()
    for graph, (sizes, counts) in zip(graphs, component_sizes(pack), strict=True):
        from clgraph import connected_components

        want = connected_components(graph, device=device).sizes
        assert np.repeat(sizes, counts).tolist() == np.sort(want).tolist()
    value = np.full(pack.csr.n, -1, np.int32)
    value[[0, 25, 26]] = 7, 3, 3
    counted = tally(pack, device.upload(value))
    assert [np.repeat(*each).tolist() for each in counted] == [[], [7], [3, 3], [], [], []]


def test_no_vertices_and_no_edges(device):
    ((degrees, counts),) = degree_histograms(Pack.of(device, [Graph.from_edges([], [])]))
    assert (len(degrees), len(counts)) == (0, 0)
    ((degrees, counts),) = degree_histograms(Pack.of(device, [Graph.from_edges([], [], vertices=[1, 2, 3])]))
    assert (degrees.tolist(), counts.tolist()) == ([0], [3])
