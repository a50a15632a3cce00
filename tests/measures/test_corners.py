"""Pairs of degree and triangles against NetworkX."""

from collections import Counter

import networkx as nx
import numpy as np
from graphs import tangle, to_networkx

from clgraph import Graph
from clgraph.measures.pack import Pack, simple_view
from clgraph.measures.tally import find_corners
from clgraph.measures.triangle_count import count_triangles


def test_pairs_and_what_follows_from_them(device):
    graphs = [simple_view(tangle(seed, n=60 + 50 * seed)) for seed in range(3)]
    graphs.insert(1, Graph.from_edges([0, 1], [1, 2]))
    pack = Pack.of(device, graphs)
    for graph, found in zip(graphs, find_corners(pack, count_triangles(device, pack.graph)), strict=True):
        whole, n = to_networkx(graph), graph.num_vertices
        corner_of, local = nx.triangles(whole), nx.clustering(whole)
        pairs = Counter((whole.degree[v], corner_of[v]) for v in whole if corner_of[v])
        assert (
            dict(
                zip(
                    zip(found.degree.tolist(), found.triangles.tolist(), strict=True),
                    found.vertices.tolist(),
                    strict=True,
                )
            )
            == pairs
        )
        assert list(pairs) == [] or sorted(pairs) == list(
            zip(found.degree.tolist(), found.triangles.tolist(), strict=True)
        )
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
