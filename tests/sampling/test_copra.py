"""The COPRA arrays: layout, the three removals and their undoing, both ways to the far side."""

import numpy as np
import pytest
from graphs import random_graph
from samplers import built, twins

from clgraph import Graph
from clgraph.sampling.copra import Copra


def arrays(copra):
    start, end = (copra.device.download(each, copra.offset, copra.n) for each in (copra.v_start, copra.v_end))
    return start, end, copra.device.download(copra.edges, np.int32, copra.slots)


def test_layout(device):
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2])
    start, end, edges = arrays(built(device, graph))
    assert edges.tolist() == [-2, 0, 1, 2, -2, 1, 0, 2, -2, 2, 0, 1]
    assert (start.tolist(), end.tolist()) == ([2, 6, 10], [4, 8, 12])


@pytest.mark.slow
@pytest.mark.parametrize("far_scan", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
@pytest.mark.cross
def test_remove_and_restore_vertices(device, far_scan, duplicates):
    graph = random_graph(0, 30, 90, duplicates=duplicates).without_self_loops
    copra = built(device, graph, far_scan=far_scan)
    before = arrays(copra)
    gone = np.array([3, 0, 7, 8, 20], np.int32)
    listed = device.upload(gone)
    copra.change("remove_vertices", len(gone), list=listed)
    start, end, edges = arrays(copra)
    dead = np.isin(np.arange(graph.num_vertices), gone)
    np.testing.assert_array_equal(start == -1, dead)
    np.testing.assert_array_equal(end == -1, dead)
    expected = []
    for v, row in enumerate(np.split(graph.col_idx, graph.row_ptr[1:-1])):
        expected += [-2, v, *np.where(dead[row] | dead[v], -1, row)]
    np.testing.assert_array_equal(edges, expected)
    copra.change("restore_vertices", len(gone), list=listed)
    for was, now in zip(before, arrays(copra), strict=True):
        np.testing.assert_array_equal(was, now)


@pytest.mark.parametrize("far_scan", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
@pytest.mark.parametrize("kernel", ["edges", "vertex_edges"])
@pytest.mark.cross
def test_remove_and_restore_edges(device, far_scan, duplicates, kernel):
    graph = random_graph(3, 12, 80, duplicates=duplicates).without_self_loops
    copra = built(device, graph, far_scan=far_scan)
    before = arrays(copra)
    tail = graph.tails
    slot = (np.arange(graph.num_arcs) + 2 * (tail + 1)).astype(copra.offset)
    rng = np.random.default_rng(1)
    upper = rng.permutation(np.flatnonzero(tail < graph.col_idx))[:15]
    twin = twins(graph)[upper]
    drawn = np.where(rng.random(15) < 0.5, upper, twin)  # either side of an edge may have been drawn
    slots = slot[drawn]
    expected = before[2].copy()
    expected[slot[np.append(upper, twin)]] = -1
    vertices = tail[drawn]
    if kernel == "vertex_edges":  # a slot of -1 is skipped
        vertices, slots = np.append(vertices, 5).astype(np.int32), np.append(slots, -1).astype(copra.offset)
    edges = {"vertices": device.upload(vertices), "slots": device.upload(slots)}
    removed = {"slots": edges["slots"]} if kernel == "edges" else edges
    copra.change(f"remove_{kernel}", len(slots), **removed)
    np.testing.assert_array_equal(arrays(copra)[2], expected)
    copra.change("restore_vertex_edges", len(slots), **edges)
    np.testing.assert_array_equal(arrays(copra)[2], before[2])


def test_keep_component_counts_what_went(device):
    graph = Graph.from_edges([0, 1, 3, 4, 3], [1, 2, 4, 5, 5])  # a path 0-1-2, a triangle 3-4-5
    copra = built(device, graph)
    label = device.upload(np.array([0, 0, 0, 3, 3, 3], np.int32))
    assert copra.keep_component(label, 3) == 2
    assert copra.live_vertices().tolist() == [False] * 3 + [True] * 3
    assert copra.live_arcs().sum() == 6


def test_graph_is_uploaded_once(device):
    graph = random_graph(0, 30, 90).without_self_loops
    assert Copra(device, graph).csr is Copra(device, graph).csr
