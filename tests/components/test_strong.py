"""Strong components: every device against SciPy; launches and rounds that long thin graphs take."""

import dataclasses

import numpy as np
import pytest
from searches import drawn_graph

from clgraph.components import Components
from clgraph.components.strong import StrongFinder
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.graph import Graph
from clgraph.reference.traversal import reference_components, verify_components


def finder_of(device, graph, **options):
    return StrongFinder(device, upload_csr(device, graph), upload_csr(device, graph.reverse), **options)


def assert_finds(device, finder, expected):
    label = device.empty(len(expected), np.int32)
    finder.labels_into(label)
    np.testing.assert_array_equal(device.download(label, np.int32, len(expected)), expected)


def check(device, graph, finder):
    """Each vertex has the label of the smallest vertex of SciPy's component."""
    labels, _ = reference_components(graph, connection="strong")
    _, smallest = np.unique(labels, return_index=True)
    assert_finds(device, finder, smallest[labels])


@pytest.mark.smoke
def test_one_finder_many_times(device):
    rng = np.random.default_rng(7)
    for most in [12] * 20 + [80] * 15 + [2000] * 3:
        graph = drawn_graph(rng, most, directed=True)
        finder = finder_of(device, graph)
        for _ in range(3 if most == 80 else 1):
            check(device, graph, finder)


@pytest.mark.slow
def test_rows_that_leave_slots_out(device):
    """Rows with ends of their own, as of what is left of a graph: half of the arcs do not count."""
    rng = np.random.default_rng(8)
    for _ in range(10):
        n = 60
        ends = rng.integers(0, n, (2, 150))
        left = Graph.from_edges(*ends, directed=True, vertices=np.arange(n))
        rows = []
        for graph in (left, left.reverse):
            start = (2 * graph.row_ptr[:-1]).astype(np.int32)  # each row has room for twice its arcs
            slots = rng.integers(0, n, max(2 * graph.num_arcs, 1)).astype(np.int32)
            slots[np.arange(graph.num_arcs) + graph.row_ptr[graph.tails]] = graph.col_idx
            end = (start + np.diff(graph.row_ptr)).astype(np.int32)
            start, end, slots = (device.upload(array) for array in (start, end, slots))
            rows.append((DeviceCSR(n, 2 * left.num_arcs, start, slots, np.int32), end))
        (out, out_end), (back, in_end) = rows
        for pieces in ({}, {"long_row": 2, "piece": 3}):
            check(device, left, StrongFinder(device, out, back, ends=(out_end, in_end), **pieces))


@pytest.mark.parametrize("shape", ["cycle", "path"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_long_thin_graphs_takes_few_launches(device, shape, shuffled):
    n = 100_000
    place = np.random.default_rng(4).permutation(n) if shuffled else np.arange(n)
    arcs = (place, np.roll(place, -1)) if shape == "cycle" else (place[:-1], place[1:])
    graph = Graph.from_edges(*arcs, directed=True)
    finder = finder_of(device, graph, chase=2048)
    assert_finds(device, finder, np.zeros(n) if shape == "cycle" else np.arange(n))
    assert finder.launches < 300


def test_a_chain_of_components_takes_few_rounds(device):
    # 5000 two-cycles one after the other: priorities by number would take a round for each
    v = np.arange(10_000)
    tails, heads = np.concatenate((v[:-1], v[1::2])), np.concatenate((v[1:], v[::2]))
    graph = Graph.from_edges(tails, heads, directed=True)
    finder = finder_of(device, graph)
    assert_finds(device, finder, v // 2 * 2)
    assert finder.rounds < 60


@pytest.mark.slow
def test_rows_in_pieces(device):
    rng = np.random.default_rng(5)
    for _ in range(25):
        graph = drawn_graph(rng, 60, directed=True)
        check(device, graph, finder_of(device, graph, long_row=2, piece=3, chase=3))


def test_verifier_sees_a_wrong_partition():
    graph = Graph.from_edges([0, 1, 2, 3, 1], [1, 0, 3, 2, 2], directed=True)
    right = Components(*reference_components(graph, connection="strong"), connection="strong")
    verify_components(graph, right)
    with pytest.raises(AssertionError, match="not all of its strong component"):
        verify_components(graph, dataclasses.replace(right, labels=np.array([0, 1, 0, 1], np.int32)))
