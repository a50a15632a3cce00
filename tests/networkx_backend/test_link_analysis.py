"""PageRank of the backend against NetworkX's own."""

from __future__ import annotations

import warnings

import pytest

from clgraph.errors import ConvergenceWarning

nx = pytest.importorskip("networkx")

from networkx_graphs import convert, types_in  # noqa: E402

from clgraph import networkx_backend as backend  # noqa: E402
from clgraph.networkx_backend.centrality import STRICT  # noqa: E402


def test_pagerank(on, graph):
    nodes = list(graph)
    arguments = [
        {},
        {"alpha": 0.5},
        {"weight": None},
        {"tol": 1e-10, "max_iter": 500},
        {"weight": "absent"},
        {"personalization": {nodes[0]: 1, nodes[3]: 2.5, "no node": 5}},
        {"personalization": {nodes[1]: 1}, "dangling": {nodes[2]: 3}, "nstart": {nodes[0]: 2, nodes[1]: 1}},
    ]
    for given in arguments:
        expected = nx.pagerank(graph, **given)
        found = backend.pagerank(convert(graph, given.get("weight", "weight")), **given)
        assert list(found) == list(expected)
        assert types_in(list(found.values())) == {float}
        assert found == pytest.approx(expected, abs=1e-12)


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
        found = backend.pagerank(converted, tol=0.05)
    assert sum(abs(found[v] - exact[v]) for v in G) < STRICT / 0.15
    with warnings.catch_warnings():  # stricter than NetworkX, which need not be told
        warnings.simplefilter("error")
        found = backend.pagerank(converted, tol=0.01)
    assert sum(abs(found[v] - exact[v]) for v in G) < STRICT / 0.15
    # NetworkX's tolerance is met by then, ours is not: a result with a warning
    with pytest.warns(ConvergenceWarning, match="after 4 iterations"):
        backend.pagerank(converted, tol=0.01, max_iter=4)


def test_what_cannot_be_ranked_is_left_to_networkx(on):
    G = nx.path_graph(3, create_using=nx.DiGraph)
    G[0][1]["weight"] = -1
    with pytest.raises(NotImplementedError, match=r"arc 0 -> 1 is -1"):
        backend.pagerank(convert(G, "weight"))
    G[0][1]["weight"] = "heavy"
    with pytest.raises(NotImplementedError, match=r"edge \(0, 1\) has weight 'heavy'"):
        convert(G, "weight")
    for value in (None, float("nan"), float("inf")):
        G[0][1]["weight"] = value
        with pytest.raises(NotImplementedError, match=r"arc 0 -> 1 is (nan|inf)"):
            backend.pagerank(convert(G, "weight"))
