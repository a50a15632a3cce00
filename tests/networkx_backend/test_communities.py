"""Communities of the backend: partitions as good as NetworkX's own, since seeds need not agree."""

from __future__ import annotations

import random

import pytest
from networkx_graphs import convert, nx

from clgraph import networkx_backend as backend

METHODS = ("louvain_communities", "leiden_communities")


@pytest.mark.parametrize("name", METHODS)
def test_partitions(on, graph, name):
    if graph.is_directed():
        assert "directed" in backend.can_run(name, (graph,), {})
        return
    modularity = {"metric": "modularity"} if name == "leiden_communities" else {}
    assert backend.can_run(name, (graph,), {"seed": 1} | modularity) is True
    for weight in ("weight", None):
        given = {"weight": weight, "resolution": 0.75}
        converted, before = convert(graph, weight), backend.call_counts().get(name, 0)
        found = getattr(backend, name)(converted, seed=3, **given)
        assert backend.call_counts()[name] == before + 1
        assert nx.community.is_partition(graph, found) and all(found)
        assert sorted(map(len, found), reverse=True) == list(map(len, found))
        assert {type(each) for each in found} == {set}
        for seed in (3, random.Random(3)):
            assert getattr(backend, name)(converted, seed=seed, **given) == found
        own = nx.community.louvain_communities(graph, seed=3, **given)
        quality = [nx.community.modularity(graph, each, **given) for each in (found, own)]
        assert quality[0] > quality[1] - 0.03
        if name == "leiden_communities":
            edges = graph.edges(keys=True) if graph.is_multigraph() else graph.edges
            heavy = [each for each in edges if not weight or graph.edges[each].get("weight", 1) > 0]
            weighed = graph.edge_subgraph(heavy)
            assert all(len(each) == 1 or nx.is_connected(weighed.subgraph(each)) for each in found)


@pytest.mark.parametrize("name", METHODS)
def test_corners(on, name):
    call = getattr(backend, name)
    assert call(convert(nx.Graph(), "weight")) == []
    assert call(convert(nx.empty_graph(3), "weight")) == [{0}, {1}, {2}]
    assert call(convert(nx.path_graph(2), "weight"), seed=None) == [{0, 1}]
    two = nx.disjoint_union(nx.complete_graph(5), nx.complete_graph(4))
    assert call(convert(two, "weight"), resolution=0.5) == [{0, 1, 2, 3, 4}, {5, 6, 7, 8}]
    two.add_edge(0, 1, weight=-1)
    with pytest.raises(NotImplementedError, match="not negative"):
        call(convert(two, "weight"))
    assert len(call(convert(two), weight=None)) == 2
