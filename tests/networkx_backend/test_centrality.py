"""Centralities of the backend against NetworkX's own."""

from __future__ import annotations

import pytest

nx = pytest.importorskip("networkx")

from networkx_graphs import convert, same, types_in  # noqa: E402

from clgraph import DeviceError  # noqa: E402
from clgraph import networkx_backend as backend  # noqa: E402
from clgraph.networkx_backend.running import RELEASE  # noqa: E402


@pytest.fixture
def doubles(on):
    if "HAVE_FP64" not in on.features:
        with pytest.raises(DeviceError, match="float64"):
            backend.katz_centrality(convert(nx.path_graph(3)))
        with nx.config(fallback_to_nx=True), pytest.raises(NotImplementedError, match="float64"):
            backend.hits(convert(nx.path_graph(3), "weight"))
        pytest.skip("no float64")
    return on


def close(name, graph, *args, weight=None, **kwargs):
    """Ours and NetworkX's values are the same to 1e-8, of the same nodes in the same order."""
    expected = getattr(nx, name)(graph, *args, **kwargs)
    found = getattr(backend, name)(convert(graph, weight), *args, **kwargs)
    for one, other in zip(found, expected, strict=True) if name == "hits" else [(found, expected)]:
        assert list(one) == list(other)
        assert one == pytest.approx(other, abs=1e-8)
    assert types_in(list(found.values() if name != "hits" else found[0].values())) <= {float, int}


def test_distances(on, graph):
    nodes = list(graph)
    same("closeness_centrality", graph)
    same("closeness_centrality", graph, wf_improved=False)
    same("closeness_centrality", graph, nodes[3])
    found, expected = backend.harmonic_centrality(convert(graph)), nx.harmonic_centrality(graph)
    assert found == pytest.approx(expected)
    for some in (nodes[:5], nodes[3]):
        for sources in (None, nodes[4:9], [*nodes[:20], "nobody"]):
            expected = nx.harmonic_centrality(graph, some, sources=sources)
            assert backend.harmonic_centrality(convert(graph), some, sources=sources) == pytest.approx(
                expected
            )
    same("closeness_centrality", graph, "nobody")
    if RELEASE >= (3, 5):  # NetworkX 3.4 has another word for it
        same("harmonic_centrality", graph, 10**9)
    same("harmonic_centrality", graph, [[1]])
    same("closeness_centrality", nx.Graph())
    same("closeness_centrality", nx.empty_graph(1))
    same("harmonic_centrality", nx.Graph())


def test_matrices(doubles, graph):
    nodes = list(graph)
    largest = nx.Graph(graph).subgraph(max(nx.connected_components(nx.Graph(graph)), key=len)).copy()
    largest.add_edge(nodes[0], nodes[0], weight=4)  # so that one singular value is the largest
    close("hits", largest, max_iter=5000, weight="weight")
    if not graph.is_multigraph():
        start = {node: i + 1 for i, node in enumerate(reversed(nodes))}
        for given in ({}, {"nstart": start}, {"beta": {node: i / 9 for i, node in enumerate(nodes)}}):
            close("katz_centrality", graph, 0.01, **given)
            close("katz_centrality", graph, 0.01, normalized=False, **given)
        found = backend.katz_centrality(convert(graph, "weight"), 0.01, weight="weight")
        assert found == pytest.approx(nx.katz_centrality(graph, 0.01, weight="weight"), abs=1e-9)
        for given in ({}, {"nstart": start}):
            close("eigenvector_centrality", graph, max_iter=5000, **given)
        found = backend.eigenvector_centrality(convert(graph, "weight"), 5000, weight="weight")
        assert found == pytest.approx(nx.eigenvector_centrality(graph, 5000, weight="weight"), abs=1e-8)


def test_hubs_and_authorities(doubles):
    for seed in (1, 2):
        G = nx.gnp_random_graph(40, 0.1, seed=seed, directed=True)
        close("hits", G, weight="weight")
        hubs, authorities = backend.hits(convert(G, "weight"), normalized=False)
        for ours, theirs in zip((hubs, authorities), nx.hits(G, normalized=False), strict=True):
            assert [abs(v) for v in ours.values()] == pytest.approx(
                [abs(v) for v in theirs.values()], abs=1e-8
            )
        close("hits", G, weight="weight", nstart=dict.fromkeys(G, 1.0))
    same("hits", nx.Graph())


@pytest.mark.skipif(RELEASE < (3, 7), reason="NetworkX has had a choice of methods since 3.7")
def test_methods_of_hits(doubles):
    for seed in (1, 2):
        G = nx.gnp_random_graph(40, 0.1, seed=seed, directed=True)
        start = {node: node + 1.0 for node in reversed(list(G))}
        for given in ({"method": "svd"}, {"normalized": False}, {"nstart": start}):
            close("hits", G, weight="weight", **given)
    # two components that are alike: what comes of it is the start's
    G = nx.disjoint_union(nx.star_graph(4), nx.star_graph(4))
    close("hits", G, weight="weight", nstart={node: node + 1.0 for node in G})
    same("hits", nx.path_graph(50), max_iter=1)
    same("hits", nx.path_graph(50))


def test_errors_are_networkx_own(doubles):
    G = nx.path_graph(4)
    for name in ("eigenvector_centrality", "katz_centrality", "hits"):
        same(name, G, max_iter=0)
    same("eigenvector_centrality", G, max_iter=1)
    same("katz_centrality", G, 5.0, max_iter=9)
    same("eigenvector_centrality", nx.Graph())
    same("eigenvector_centrality", G, nstart=dict.fromkeys(G, 0))
    same("katz_centrality", G, beta={0: 1})
    same("katz_centrality", nx.Graph())
