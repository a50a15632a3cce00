"""Samples that keep the largest strong component, on every device against the reference."""

import numpy as np
import pytest
from graphs import random_graph
from samplers import built, equals_reference

from clgraph import Graph, connected_components
from clgraph.components.finder import graph_components
from clgraph.reference import verify_sample
from clgraph.sampling import sample
from clgraph.sampling.strong import StrongCopraFinder

METHODS = ["drv", "dre", "drve", "dhyb"]
STRONG = {"connection": "strong"}


@pytest.mark.parametrize("duplicates", ["merge", "keep"])
@pytest.mark.parametrize("method", METHODS)
def test_equals_reference(device, method, duplicates):
    for seed, (n, m) in enumerate([(4, 6), (6, 14), (40, 100), (60, 400), (150, 500)]):
        graph = random_graph(seed, n, m, directed=True, duplicates=duplicates)
        for size in ("50%", "20%", 1):
            made = equals_reference(graph, method, device, size=size, seed=seed, **STRONG)
            assert made.mode == "batched"


@pytest.mark.parametrize("method", METHODS)
def test_undo_and_tolerance(device, method):
    """Strong components shatter: batches must be taken back."""
    for seed in range(4):
        graph = random_graph(seed, 80, 240, directed=True)
        for tolerance in (0, 5):
            equals_reference(graph, method, device, size="40%", seed=seed, tolerance=tolerance, **STRONG)


def two_cycles(first, second):
    """A cycle of `first` vertices, an arc from it to one of `second` vertices, and no way back."""
    v, w = np.arange(first), np.arange(first, first + second)
    return Graph.from_edges(np.r_[v, w, 0], np.r_[np.roll(v, -1), np.roll(w, -1), first], directed=True)


@pytest.mark.parametrize("method", METHODS)
def test_the_largest_one_is_kept_whole(device, method):
    for sizes, kept in [((5, 9), range(5, 14)), ((9, 5), range(9)), ((7, 7), range(7))]:
        graph = two_cycles(*sizes)
        made = equals_reference(graph, method, device, size="100%", seed=0, **STRONG)
        assert made.vertices.tolist() == list(kept)  # a tie goes to the smallest vertex
        assert made.num_edges == made.graph.num_arcs == len(kept)
        assert made.iterations == 0


def test_one_deletion_shatters_a_cycle(device):
    """Without a vertex or a pair a cycle has strong components of one vertex: the smallest one left stays."""
    for method in METHODS:
        made = equals_reference(two_cycles(9, 4), method, device, size=8, seed=3, **STRONG)
        assert len(made.vertices) == 1 and made.num_edges == 0


def test_a_pair_goes_with_both_arcs(device):
    """A ring with both arcs of each pair: without one pair it is a two-way path, still one component."""
    v = np.arange(12)
    graph = Graph.from_edges(np.r_[v, np.roll(v, -1)], np.r_[np.roll(v, -1), v], directed=True)
    for seed in range(5):
        made = equals_reference(graph, "dre", device, size=11, seed=seed, tolerance=0, **STRONG)
        assert 1 < len(made.vertices) < 12
        assert made.graph.num_arcs == 2 * made.num_edges == 2 * len(made.vertices) - 2


@pytest.mark.parametrize("method", METHODS)
def test_undirected_graphs_are_as_ever(device, method):
    graph = random_graph(2, 80, 200)
    for mode in ("batched", "auto"):
        weak, strong = (
            equals_reference(graph, method, device, size="50%", seed=4, mode=mode, connection=connection)
            for connection in ("weak", "strong")
        )
        assert weak.mode == strong.mode
        np.testing.assert_array_equal(weak.edges, strong.edges)


def test_kept_copies_keep_their_own_weights(device):
    """Each parallel arc of a directed graph is an edge of its own: the one that stays brings its weight."""
    graph = random_graph(1, 20, 200, directed=True, duplicates="keep", weights=np.arange(1.0, 201.0))
    view = graph.undirected
    rank = np.cumsum(view.tails <= view.col_idx) - 1
    for connection in ("weak", "strong"):
        made = sample(graph, "dre", size="60%", seed=2, device=device, mode="batched", connection=connection)
        verify_sample(graph, made, connection=connection)
        of_edges = view.weights[(view.tails <= view.col_idx) & np.isin(rank, made.edges)]
        np.testing.assert_array_equal(np.sort(made.graph.weights), np.sort(of_edges))


@pytest.mark.first_device
@pytest.mark.parametrize("long_row", [None, 2])
def test_the_finder_on_what_is_left(device, long_row):
    """Some vertices gone, long rows in pieces (what GPUs do): what connected_components finds."""
    rng = np.random.default_rng(7)
    for _ in range(6):
        graph = random_graph(int(rng.integers(99)), 50, 220, directed=True)
        view = graph.undirected.without_self_loops
        copra, components = built(device, view), graph_components(device, view)
        finder = StrongCopraFinder(copra, graph, components, long_row=long_row)
        gone = np.unique(rng.integers(0, 50, 8)).astype(np.int32)
        copra.change("remove_vertices", len(gone), list=device.upload(gone))
        label, root, size = finder.find(50 - len(gone))
        left = np.delete(np.arange(50), gone)
        largest = left[connected_components(graph.subgraph(left), connection="strong", device=device).largest]
        assert (root, size) == (largest[0], len(largest))
        assert np.all(device.download(label, np.int32, 50)[gone] == -1)
        before = np.count_nonzero(copra.live_arcs()) // 2
        lost = finder.keep(label, root)
        np.testing.assert_array_equal(np.flatnonzero(copra.live_vertices()), largest)
        inside = np.isin(view.tails, largest) & np.isin(view.col_idx, largest)
        np.testing.assert_array_equal(copra.live_arcs(), inside)
        assert lost == before - np.count_nonzero(inside) // 2


def test_the_verifier_tells_strong_from_weak(device):
    graph = random_graph(0, 60, 150, directed=True)
    made = sample(graph, "drv", size="50%", seed=1, device=device)
    verify_sample(graph, made)
    with pytest.raises(AssertionError, match="strongly"):
        verify_sample(graph, made, connection="strong")
