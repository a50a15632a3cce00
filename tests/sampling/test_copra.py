"""The COPRA arrays: layout, the three removals and their undoing, both ways to the far side."""

import numpy as np
import pytest

from clgraph import Graph
from clgraph.sampling.copra import Copra


def make(device, graph, **kwargs):
    copra = Copra(device, graph, **kwargs)
    copra.build()
    return copra


def arrays(copra):
    get = copra.device.download
    return (
        get(copra.v_start, copra.offset, copra.n),
        get(copra.v_end, copra.offset, copra.n),
        get(copra.edges, np.int32, copra.slots),
    )


def random_graph(seed=0, n=30, m=90, **kwargs):
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, n, m), rng.integers(0, n, m), **kwargs).without_self_loops


def slots_of(graph, v):
    """First and one past the last slot of v."""
    return graph.row_ptr[v] + 2 * (v + 1), graph.row_ptr[v + 1] + 2 * (v + 1)


def test_layout(device):
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2])
    start, end, edges = arrays(make(device, graph))
    assert edges.tolist() == [-2, 0, 1, 2, -2, 1, 0, 2, -2, 2, 0, 1]
    assert start.tolist() == [2, 6, 10]
    assert end.tolist() == [4, 8, 12]


@pytest.mark.slow
@pytest.mark.parametrize("far_scan", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
@pytest.mark.cross
def test_remove_and_restore_vertices(device, far_scan, duplicates):
    graph = random_graph(duplicates=duplicates)
    copra = make(device, graph, far_scan=far_scan)
    before = arrays(copra)
    gone = np.array([3, 0, 7, 8, 20], np.int32)
    listed = device.upload(gone)
    copra.change("remove_vertices", len(gone), list=listed)
    start, end, edges = arrays(copra)
    dead = np.isin(np.arange(graph.num_vertices), gone)
    np.testing.assert_array_equal(start == -1, dead)
    np.testing.assert_array_equal(end == -1, dead)
    for v in range(graph.num_vertices):
        low, high = slots_of(graph, v)
        neighbors = graph.col_idx[graph.row_ptr[v] : graph.row_ptr[v + 1]]
        expected = np.where(dead[neighbors] | dead[v], -1, neighbors)
        np.testing.assert_array_equal(edges[low:high], expected)
        assert edges[low - 2 : low].tolist() == [-2, v]
    copra.change("restore_vertices", len(gone), list=listed)
    for was, now in zip(before, arrays(copra), strict=True):
        np.testing.assert_array_equal(was, now)


@pytest.mark.parametrize("far_scan", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
@pytest.mark.parametrize("kernel", ["edges", "vertex_edges"])
@pytest.mark.cross
def test_remove_and_restore_edges(device, far_scan, duplicates, kernel):
    graph = random_graph(seed=3, n=12, m=80, duplicates=duplicates)
    copra = make(device, graph, far_scan=far_scan)
    before = arrays(copra)
    tail, place = graph.tails, np.arange(graph.num_arcs)
    copy = np.array(
        [np.count_nonzero((tail[:p] == tail[p]) & (graph.col_idx[:p] == graph.col_idx[p])) for p in place]
    )
    rng = np.random.default_rng(1)
    upper = rng.permutation(place[tail < graph.col_idx])[:15]

    def twin(p):
        return int(
            np.flatnonzero((tail == graph.col_idx[p]) & (graph.col_idx == tail[p]) & (copy == copy[p]))[0]
        )

    # either side of an edge may have been drawn
    drawn = np.array([p if rng.random() < 0.5 else twin(p) for p in upper])
    slots = (drawn + 2 * (tail[drawn] + 1)).astype(copra.offset)
    expected = before[2].copy()
    for p in upper:
        for q in (p, twin(p)):
            expected[q + 2 * (tail[q] + 1)] = -1
    if kernel == "edges":
        listed = device.upload(slots)
        copra.change("remove_edges", len(slots), slots=listed)
        np.testing.assert_array_equal(arrays(copra)[2], expected)
        owners = device.upload(tail[drawn])
        copra.change("restore_vertex_edges", len(slots), vertices=owners, slots=listed)
    else:
        vertices, skipped = (
            np.append(tail[drawn], 5).astype(np.int32),
            np.append(slots, -1).astype(copra.offset),
        )
        edges = {"vertices": device.upload(vertices), "slots": device.upload(skipped)}
        copra.change("remove_vertex_edges", len(skipped), **edges)
        np.testing.assert_array_equal(arrays(copra)[2], expected)
        copra.change("restore_vertex_edges", len(skipped), **edges)
    np.testing.assert_array_equal(arrays(copra)[2], before[2])


def test_keep_component_counts_what_went(device):
    graph = Graph.from_edges([0, 1, 3, 4, 3], [1, 2, 4, 5, 5])  # a path 0-1-2, a triangle 3-4-5
    copra = make(device, graph)
    label = device.upload(np.array([0, 0, 0, 3, 3, 3], np.int32))
    assert copra.keep_component(label, 3) == 2
    assert copra.live_vertices().tolist() == [False] * 3 + [True] * 3
    assert copra.live_arcs().sum() == 6


def test_graph_is_uploaded_once(device):
    graph = random_graph()
    first, second = Copra(device, graph), Copra(device, graph)
    assert first.csr is second.csr
