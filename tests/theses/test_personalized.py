"""Arcs in coordinate form, by atomic adds and segmented sums in any launch shape; stored ranks."""

import numpy as np
import pytest
from personalized import as_reference, everywhere, random_graph, skewed_graph

from clgraph import Graph, personalized_pagerank
from clgraph.reference.pagerank import verify_ppr
from clgraph.theses import coo

LAUNCH = [
    coo.LaunchConfig(local=64, items=1, flat_local=32, flat_arcs=2),
    coo.LaunchConfig(local=1, items=7, flat_local=1, flat_arcs=5),
    coo.LaunchConfig(local=8, items=3, flat_local=4, flat_arcs=1),
]
METHODS = ["coo", "coo-flat"]


@pytest.mark.slow
@pytest.mark.parametrize("shape", LAUNCH)
@pytest.mark.parametrize("method", METHODS)
def test_shapes(device, method, shape, monkeypatch):
    """Rows that end within a work-item, a group, and many groups later."""
    monkeypatch.setattr(coo, "LAUNCH", everywhere(shape))
    graph = skewed_graph(400, 4000)
    sources = [0, 23, 391]
    found = as_reference(device, graph, sources, 8, method=method)
    top = personalized_pagerank(graph, sources, method=method, tol=0, max_iter=8, top=30, device=device)
    assert top.ids is not None
    assert np.array_equal(top.ids, np.argsort(-found.scores, axis=1, kind="stable")[:, :30])


@pytest.mark.parametrize("method", METHODS)
def test_weights(device, method):
    """Shares beside the arcs; both directions of an undirected graph."""
    for seed in (2, 3):
        graph, sources = random_graph(seed, weighted=True), [0, 4, 33]
        found = personalized_pagerank(graph, sources, method=method, dtype="float64", device=device)
        verify_ppr(graph, found, sources)


@pytest.mark.parametrize("method", METHODS)
def test_one_long_row(device, method):
    """All arcs arrive at one vertex: a sum that every group carries on."""
    n = 5000
    graph = Graph.from_edges(np.arange(1, n), np.zeros(n - 1, int), directed=True)
    as_reference(device, graph, [1, 0], 6, method=method)


@pytest.mark.parametrize("dangling", ["uniform", "personalization", "drop", {3: 1.0, 5: 2.0}])
@pytest.mark.parametrize("top", [None, 5])
@pytest.mark.cross
def test_stored(device, dangling, top):
    """Sources without out-arcs, answered from stored ranks."""
    graph = random_graph(1, n=100, arcs=120)
    ends = np.flatnonzero(graph.degrees == 0)
    both = [{int(ends[0]): 1.0, int(ends[1]): 2.0}]
    for sources in ([int(ends[0]), 0, int(ends[3])], both):
        found = personalized_pagerank(
            graph, sources, dangling=dangling, stored=True, top=top, dtype="float64", device=device
        )
        assert found.ended[0] == "store"
        assert found.ended[1:2] in ([], ["tol"])
        verify_ppr(graph, found, sources)
