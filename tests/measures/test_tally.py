"""What is counted of several graphs at once, and what follows from it, against NumPy and NetworkX."""

import dataclasses
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from graphs import same, tangle, to_networkx

from clgraph import Graph, connected_components, powerlaw_graph
from clgraph.measures.pack import Pack, measured_view, simple_view
from clgraph.measures.scalars import MeasureRequest, measure, measure_all
from clgraph.measures.tally import (
    BINS,
    assortativity,
    component_sizes,
    degree_histograms,
    degree_products,
    find_corners,
    tally,
)
from clgraph.measures.triangle_count import count_triangles

# --- degrees ----------------------------------------------------------------------------------------------


def star(leaves):
    return np.zeros(leaves, int), np.arange(1, leaves + 1)


def graphs_by_degree():
    """Hubs on both sides of the limit; of no vertices, and of no edges; all vertices alike; large offsets."""
    yield Graph.from_edges(*star(3000))
    for leaves in (BINS - 1, BINS, 70_000):
        yield Graph.from_edges(*np.append(star(leaves), [[1], [2]], axis=1))
    yield tangle(3).without_self_loops
    yield Graph.from_edges([], [])
    yield Graph.from_edges([], [], vertices=[1, 2, 3])
    n = 100_000  # every work-item of every group counts the same degree
    yield Graph.from_edges(np.arange(n), (np.arange(n) + 1) % n)
    graph = tangle(2).without_self_loops
    yield Graph(graph.row_ptr.astype(np.int64), graph.col_idx, directed=False)


@pytest.mark.parametrize("bins", [2, BINS])
def test_degrees_of_all_kinds(device, bins):
    """Counted in local and in global memory."""
    for graph in graphs_by_degree():
        ((degrees, counts),) = degree_histograms(Pack.of(device, [graph]), bins=bins)
        want = np.bincount(graph.degrees)
        assert degrees.dtype == counts.dtype == np.int64
        assert degrees.tolist() == np.flatnonzero(want).tolist()
        assert counts.tolist() == want[want > 0].tolist()


def test_each_graph_has_its_own(device):
    none = Graph.from_edges([], [])
    graphs = [none, *(tangle(seed, n=20 + 90 * seed).without_self_loops for seed in range(4)), none]
    pack = Pack.of(device, graphs)
    for graph, found, sizes in zip(graphs, degree_histograms(pack), component_sizes(pack), strict=True):
        assert np.repeat(*found).tolist() == np.sort(graph.degrees).tolist()
        assert found[0].tolist() == np.unique(graph.degrees).tolist()
        want = connected_components(graph, device=device).sizes
        assert np.repeat(*sizes).tolist() == np.sort(want).tolist()
    value = np.full(pack.csr.n, -1, np.int32)
    value[[0, 25, 26]] = 7, 3, 3
    counted = tally(pack, device.upload(value))
    assert [np.repeat(*each).tolist() for each in counted] == [[], [7], [3, 3], [], [], []]


# --- pairs of degree and triangles, correlation of degrees ------------------------------------------------


def test_pairs_and_what_follows_from_them(device):
    graphs = [simple_view(tangle(seed, n=60 + 50 * seed)) for seed in range(3)]
    graphs.insert(1, Graph.from_edges([0, 1], [1, 2]))
    pack = Pack.of(device, graphs)
    for graph, found in zip(graphs, find_corners(pack, count_triangles(device, pack.graph)), strict=True):
        whole, n = to_networkx(graph), graph.num_vertices
        corner_of, local = nx.triangles(whole), nx.clustering(whole)
        pairs = Counter((whole.degree[v], corner_of[v]) for v in whole if corner_of[v])
        told = zip(found.degree.tolist(), found.triangles.tolist(), strict=True)
        assert list(zip(told, found.vertices.tolist(), strict=True)) == sorted(pairs.items())
        values, counts = found.distribution(n)
        assert np.allclose(np.repeat(values, counts), sorted(local.values()), rtol=1e-14)
        assert np.isclose(found.mean(n), np.mean(list(local.values())))
        assert found.total == sum(corner_of.values()) // 3


def test_triangles_beyond_32_bits(device):
    """Sums whose high words decide the order."""
    graph = Graph.from_edges(*np.triu_indices(6, 1))
    count = np.array([5 << 32, 7, 2**32 - 1, (5 << 32) + 1, 7, 5 << 32], np.int64)
    (found,) = find_corners(Pack.of(device, [graph]), device.upload(count))
    assert found.triangles.tolist() == sorted(set(count.tolist()))
    assert found.vertices.tolist() == [2, 1, 2, 1]


@pytest.mark.smoke
def test_assortativity(device):
    graphs = [simple_view(tangle(seed, n=40 + 60 * seed)) for seed in range(3)]
    graphs.append(powerlaw_graph(2000, seed=3))
    pack = Pack.of(device, graphs)
    for graph, degrees, products in zip(graphs, degree_histograms(pack), degree_products(pack), strict=True):
        whole = to_networkx(graph)
        assert products == 2 * sum(whole.degree[u] * whole.degree[v] for u, v in whole.edges)
        found, why = assortativity(degrees, products)
        assert why is None
        assert found == pytest.approx(nx.degree_assortativity_coefficient(whole), abs=1e-12)


def test_where_there_is_no_assortativity(device):
    for graph, why in (
        (Graph.from_edges([0, 1, 2], [1, 2, 0]), "same degree"),
        (Graph.from_edges([], [], vertices=[1]), "no vertex has a neighbour"),
        (Graph.from_edges([], []), "no vertex has a neighbour"),
    ):
        pack = Pack.of(device, [graph])
        found, reason = assortativity(degree_histograms(pack)[0], degree_products(pack)[0])
        assert found is None and why in reason
    assert "64 bits" in assortativity((np.array([3_000_000]), np.array([1])), 0)[1]


# --- all measures -----------------------------------------------------------------------------------------


def test_all_at_once_as_each_alone(device):
    """What is measured of graphs one behind the other is what each alone gives."""
    path = Graph.from_edges(np.arange(70), np.arange(1, 71))  # deeper than searches go on together alone
    graphs = [
        tangle(1, n=90).without_self_loops,
        Graph.from_edges([], []),
        path,
        Graph.from_edges([], [], vertices=[1, 2]),
        Graph.from_edges(*np.triu_indices(9, 1)),
        powerlaw_graph(300, seed=2),
    ]
    pack = Pack.of(device, [simple_view(graph) for graph in graphs])
    for sources in (40, 1024):
        wish = MeasureRequest(seed=5, sources=sources)
        for i, (graph, found) in enumerate(zip(graphs, measure_all(pack, wish), strict=True)):
            same(Graph(*pack.rows_of(i)), Graph(graph.row_ptr, graph.col_idx))
            alone = measure(graph, device, wish)
            for field in dataclasses.fields(alone):
                if field.compare and field.name != "notes":  # of what was left out before
                    one, other = (getattr(each, field.name) for each in (alone, found))
                    np.testing.assert_equal(one, other, err_msg=field.name)


def test_views_made_on_the_device(device):
    for options in ({"duplicates": "keep"}, {"duplicates": "keep", "directed": True}, {"directed": True}):
        graph = tangle(4, n=3000, edges=80_000, **options)
        found = measured_view(device, graph)
        assert not found.is_on_host or not device.has_compiler
        want = simple_view(graph)
        assert found.row_ptr.tolist() == want.row_ptr.tolist()
        assert found.col_idx.tolist() == want.col_idx.tolist()
