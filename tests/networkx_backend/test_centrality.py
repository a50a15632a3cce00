"""Centralities of the backend against NetworkX's own, PageRank and betweenness among them."""

import warnings

import pytest
from networkx_graphs import close, convert, nx, same

from clgraph import DeviceError
from clgraph import networkx_backend as backend
from clgraph.errors import ConvergenceWarning
from clgraph.networkx_backend.centrality import STRICT
from clgraph.networkx_backend.running import RELEASE

HAS_METHODS = RELEASE >= (3, 7)  # of `hits`


@pytest.fixture
def doubles(on):
    if "HAVE_FP64" not in on.features:
        for name in ("katz_centrality", "betweenness_centrality", "edge_betweenness_centrality"):
            with pytest.raises(DeviceError, match="float64"):
                getattr(backend, name)(convert(nx.path_graph(3)))
        with nx.config(fallback_to_nx=True), pytest.raises(NotImplementedError, match="float64"):
            backend.hits(convert(nx.path_graph(3), "weight"))
        pytest.skip("no float64")
    return on


def test_distances(on, graph):
    nodes = list(graph)
    same("closeness_centrality", graph)
    same("closeness_centrality", graph, wf_improved=False)
    same("closeness_centrality", graph, nodes[3])
    converted = convert(graph)
    assert backend.harmonic_centrality(converted) == pytest.approx(nx.harmonic_centrality(graph))
    for some in (nodes[:5], nodes[3]):
        for sources in (None, nodes[4:9], [*nodes[:20], "nobody"]):
            expected = nx.harmonic_centrality(graph, some, sources=sources)
            found = backend.harmonic_centrality(converted, some, sources=sources)
            assert found == pytest.approx(expected)
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
    close("hits", largest, max_iter=5000, attribute="weight")
    if not graph.is_multigraph():
        start = {node: i + 1 for i, node in enumerate(reversed(nodes))}
        for given in ({}, {"nstart": start}, {"beta": {node: i / 9 for i, node in enumerate(nodes)}}):
            close("katz_centrality", graph, 0.01, **given)
            close("katz_centrality", graph, 0.01, normalized=False, **given)
        close("katz_centrality", graph, 0.01, weight="weight", attribute="weight", abs=1e-9)
        for given in ({}, {"nstart": start}):
            close("eigenvector_centrality", graph, max_iter=5000, **given)
        close("eigenvector_centrality", graph, 5000, weight="weight", attribute="weight")


def test_hubs_and_authorities(doubles):
    for seed in (1, 2):
        G = nx.gnp_random_graph(40, 0.1, seed=seed, directed=True)
        hubs_and_authorities = backend.hits(convert(G, "weight"), normalized=False)
        for ours, theirs in zip(hubs_and_authorities, nx.hits(G, normalized=False), strict=True):
            sizes = [abs(v) for v in theirs.values()]
            assert [abs(v) for v in ours.values()] == pytest.approx(sizes, abs=1e-8)
        start = {node: node + 1.0 for node in reversed(list(G))}
        newer = ({"method": "svd"}, {"normalized": False}, {"nstart": start})
        for given in ({}, {"nstart": dict.fromkeys(G, 1.0)}, *(newer if HAS_METHODS else ())):
            close("hits", G, attribute="weight", **given)
    same("hits", nx.Graph())
    if HAS_METHODS:  # two components that are alike: what comes of it is the start's
        G = nx.disjoint_union(nx.star_graph(4), nx.star_graph(4))
        close("hits", G, attribute="weight", nstart={node: node + 1.0 for node in G})
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


# --- betweenness ------------------------------------------------------------------------------------------

SOME = ({}, {"normalized": False}, {"k": 7, "seed": 3})


def test_betweenness(doubles, graph):
    name, all_else = "betweenness_centrality", {"endpoints": True, "normalized": False}
    ends = ({"endpoints": True}, {"k": 7, "seed": 3, **all_else}, {"k": 1, "seed": 5}, {"k": len(graph)})
    for given in (*SOME, *ends):
        close(name, graph, rel=1e-9, abs=1e-12, **given)
    same(name, graph, k=len(graph) + 1)


def test_edge_betweenness(doubles, graph):
    name = "edge_betweenness_centrality"
    if graph.is_multigraph():
        assert "multigraph" in backend.can_run(name, (graph,), {})
        return
    for given in (*SOME, {"k": 7, "seed": 3, "normalized": False}):
        close(name, graph, rel=1e-9, abs=1e-12, **given)
    same(name, graph, k=len(graph) + 1)


def test_betweenness_of_small_graphs(doubles):
    for n in (0, 1, 2):
        for name, kind in (("betweenness_centrality", nx.Graph), ("edge_betweenness_centrality", nx.DiGraph)):
            same(name, nx.complete_graph(n))
            same(name, nx.empty_graph(n, kind), normalized=False)


# --- PageRank ---------------------------------------------------------------------------------------------


def test_pagerank(on, graph):
    first, second, third, fourth = list(graph)[:4]
    for given in (
        {},
        {"alpha": 0.5},
        {"weight": None},
        {"tol": 1e-10, "max_iter": 500},
        {"weight": "absent"},
        {"personalization": {first: 1, fourth: 2.5, "no node": 5}},
        {"personalization": {second: 1}, "dangling": {third: 3}, "nstart": {first: 2, second: 1}},
    ):
        close("pagerank", graph, attribute=given.get("weight", "weight"), abs=1e-12, **given)


def test_pagerank_ends_as_networkx_says(on):
    G = nx.barabasi_albert_graph(50, 2, seed=1)
    converted = convert(G)
    for given in ({"max_iter": 3}, {"max_iter": 0}, {"max_iter": -2}, {"tol": 0}, {"tol": float("nan")}):
        with pytest.raises(nx.PowerIterationFailedConvergence):
            backend.pagerank(converted, **given)
    with pytest.raises(ZeroDivisionError):
        backend.pagerank(converted, personalization={0: 0, "nobody": 3})
    with pytest.raises(TypeError):
        backend.pagerank(converted, max_iter=2.5)
    exact = nx.pagerank(G, tol=1e-14, max_iter=1000)
    with pytest.warns(ConvergenceWarning, match="cannot fail"):
        loose = backend.pagerank(converted, tol=0.05)
    with warnings.catch_warnings():  # stricter than NetworkX, which need not be told
        warnings.simplefilter("error")
        strict = backend.pagerank(converted, tol=0.01)
    for found in (loose, strict):
        assert sum(abs(found[v] - exact[v]) for v in G) < STRICT / 0.15
    # NetworkX's tolerance is met by then, ours is not: a result with a warning
    with pytest.warns(ConvergenceWarning, match="after 4 iterations"):
        backend.pagerank(converted, tol=0.01, max_iter=4)


def test_what_cannot_be_ranked_is_left_to_networkx(on):
    G = nx.path_graph(3, create_using=nx.DiGraph)
    for value, said in ((-1, "-1"), (None, "nan"), (float("nan"), "nan"), (float("inf"), "inf")):
        G[0][1]["weight"] = value
        with pytest.raises(NotImplementedError, match=rf"arc 0 -> 1 is {said}"):
            backend.pagerank(convert(G, "weight"))
    G[0][1]["weight"] = "heavy"
    with pytest.raises(NotImplementedError, match=r"edge \(0, 1\) has weight 'heavy'"):
        convert(G, "weight")
