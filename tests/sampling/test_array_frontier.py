"""The array-frontier search on what is left in COPRA, against SciPy's components."""

import numpy as np
import pytest
from graphs import random_graph
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from clgraph import Graph
from clgraph.sampling.array_frontier import ArrayFrontier
from clgraph.sampling.copra import Copra


def expected(graph, live):
    """(vertices of the largest component among the live ones; of equals that of the smallest vertex)."""
    inside = live[graph.tails] & live[graph.col_idx]
    pairs = (graph.tails[inside], graph.col_idx[inside])
    shape = (graph.num_vertices,) * 2
    _, labels = connected_components(coo_array((np.ones(len(pairs[0]), np.int8), pairs), shape))
    sizes = np.bincount(labels[live], minlength=labels.max() + 1)
    winner = labels[live][np.flatnonzero(sizes[labels[live]] == sizes.max())[0]]
    return live & (labels == winner)


def check(device, graph, gone, hub):
    copra = Copra(device, graph)
    copra.build()
    live = np.ones(graph.num_vertices, bool)
    live[gone] = False
    if len(gone):
        copra.change("remove_vertices", len(gone), list=device.upload(np.asarray(gone, np.int32)))
    finder = ArrayFrontier(copra, hub)
    label, keep, size = finder.find(int(live.sum()))
    kept = expected(graph, live)
    assert size == kept.sum()
    found = device.download(label, np.int32, graph.num_vertices)
    np.testing.assert_array_equal(found == keep, kept)
    inside = live[graph.tails] & live[graph.col_idx]
    left = kept[graph.tails] & kept[graph.col_idx]
    assert finder.keep(label, keep) == np.count_nonzero(inside & ~left) // 2
    np.testing.assert_array_equal(copra.live_vertices(), kept)
    np.testing.assert_array_equal(copra.live_arcs(), left)


@pytest.mark.parametrize("share", [0, 0.2, 0.6])
def test_equals_scipy(device, share):
    rng = np.random.default_rng(4)
    for seed, (n, m) in enumerate([(2, 1), (9, 8), (60, 45), (120, 300), (700, 800)]):
        graph = random_graph(seed, n, m).without_self_loops
        gone = rng.permutation(n)[: int(share * n)]
        # the hub is a guess: the search must be right from any vertex, also from one that is gone
        for hub in (int(graph.degrees.argmax()), 0, n - 1):
            check(device, graph, gone, hub)


def test_a_tie_goes_to_the_smallest_vertex(device):
    graph = Graph.from_edges([0, 1, 3, 4, 7], [5, 5, 6, 6, 8], vertices=np.arange(9))
    for hub in range(9):  # {0, 1, 5} and {3, 4, 6} are equally large
        check(device, graph, [], hub)


def test_a_long_path(device):
    path = Graph.from_edges(np.arange(299), np.arange(1, 300))
    check(device, path, [100, 250], 0)
    check(device, path, [100, 250], 299)
