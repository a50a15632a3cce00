"""Degree histograms against NumPy: degrees counted in local memory, in global memory, and listed."""

import numpy as np
import pytest
from graphs import tangle

from clgraph import Graph
from clgraph.measures.degrees import BINS, LIMIT, degree_histogram


def assert_counts(device, graph, **options):
    degrees, counts = degree_histogram(device, graph, **options)
    want = np.bincount(graph.degrees)
    assert degrees.dtype == counts.dtype == np.int64
    assert degrees.tolist() == np.flatnonzero(want).tolist()
    assert counts.tolist() == want[want > 0].tolist()


def test_degrees_of_all_kinds(device):
    star = Graph.from_edges(np.zeros(3000, int), np.arange(1, 3001))
    for graph in (star, tangle(3).simple):
        for limit in (4, 65536):
            degrees, counts = degree_histogram(device, graph, limit=limit, bins=min(limit, 2))
            assert np.repeat(degrees, counts).tolist() == np.sort(graph.degrees).tolist()


@pytest.mark.parametrize("leaves", [BINS - 1, BINS, 3000, LIMIT - 1, LIMIT, LIMIT + 5])
def test_hubs_on_both_sides_of_each_limit(device, leaves):
    tail, head = np.zeros(leaves, int), np.arange(1, leaves + 1)
    graph = Graph.from_edges(np.append(tail, 1), np.append(head, 2))
    assert_counts(device, graph)


def test_all_vertices_alike(device):
    n = 100_000  # every work-item of every group counts the same degree
    assert_counts(device, Graph.from_edges(np.arange(n), (np.arange(n) + 1) % n))


def test_large_offsets(device):
    graph = tangle(2).simple
    assert_counts(device, Graph(graph.row_ptr.astype(np.int64), graph.col_idx, directed=False))


def test_no_vertices_and_no_edges(device):
    degrees, counts = degree_histogram(device, Graph.from_edges([], []))
    assert (len(degrees), len(counts)) == (0, 0)
    degrees, counts = degree_histogram(device, Graph.from_edges([], [], vertices=[1, 2, 3]))
    assert (degrees.tolist(), counts.tolist()) == ([0], [3])
