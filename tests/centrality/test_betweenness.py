"""Betweenness on every device against the reference, which counts pair by pair, and NetworkX."""

import inspect
from itertools import product
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from graphs import as_networkx, tangle
from personalized import everywhere
from samplers import awkward_graphs

import clgraph
from clgraph import Graph, InputError
from clgraph.centrality import betweenness
from clgraph.centrality.betweenness import dependencies
from clgraph.csr.generate import powerlaw_graph
from clgraph.device import Device
from clgraph.reference import centrality as reference
from clgraph.traversal import many


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
def test_equals_reference_and_networkx(doubles, directed):
    graph = tangle(3, 40, 90, directed=directed, duplicates="keep")
    other = as_networkx(graph)
    for endpoints in (False, True):
        for sources in (np.arange(40, dtype=np.int32), np.array([2, 5, 30, 39], np.int32)):
            found = dependencies(doubles, graph, sources, endpoints=endpoints)
            expected = reference.reference_betweenness(graph, sources.tolist(), endpoints)
            assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
        for normalized in (True, False):
            options = {"normalized": normalized, "endpoints": endpoints}
            found = clgraph.betweenness_centrality(graph, **options, device=doubles)
            expected = nx.betweenness_centrality(other, **options)
            assert found == pytest.approx(list(expected.values()), rel=1e-9, abs=1e-12)


def test_awkward_and_deep_graphs(doubles):
    deep = Graph.from_edges(np.arange(200), np.arange(1, 201))  # more levels than a byte holds
    for graph in [*awkward_graphs(), deep, Graph.from_edges([], [])]:
        n = graph.num_vertices
        found = clgraph.betweenness_centrality(graph, device=doubles)
        by_hand = [v * (200 - v) * 2 for v in range(201)]
        expected = by_hand if graph is deep else reference.reference_betweenness(graph)
        scale = 1 / ((n - 1) * (n - 2)) if n > 2 else 1
        assert found == pytest.approx(np.array(expected) * scale, rel=1e-12, abs=1e-15)


def test_some_sources(doubles):
    graph = powerlaw_graph(300, seed=2)
    other = as_networkx(graph)
    whole = clgraph.betweenness_centrality(graph, device=doubles)
    assert (whole == clgraph.betweenness_centrality(graph, k=300, device=doubles)).all()
    same_three = SimpleNamespace(sample=lambda nodes, k: [3, 7, 250])
    theirs = inspect.unwrap(nx.betweenness_centrality.orig_func)
    for normalized, endpoints in product((True, False), repeat=2):
        options = {"normalized": normalized, "endpoints": endpoints}
        found = clgraph.betweenness_centrality(graph, sources=[7, 3, 7, 250], device=doubles, **options)
        if tuple(map(int, nx.__version__.split(".")[:2])) >= (3, 6):
            expected = theirs(other, k=3, seed=same_three, **options)
            assert found == pytest.approx(list(expected.values()), rel=1e-9, abs=1e-12)
    one, two = (clgraph.betweenness_centrality(graph, k=40, seed=seed, device=doubles) for seed in (1, 2))
    assert not np.array_equal(one, two)
    assert np.abs(one - whole).max() < 0.3


def test_same_bytes_whatever_was_searched_before(doubles, monkeypatch):
    monkeypatch.setattr("clgraph.traversal.many.MANY_VERTICES", 100)
    monkeypatch.setattr(many, "RENUMBER_SEARCHES", 1)
    graph = powerlaw_graph(400, seed=5)
    fresh = Graph(graph.row_ptr, graph.col_idx)
    clgraph.bfs_many(fresh, range(100), device=doubles)
    one, two, three = (clgraph.betweenness_centrality(g, device=doubles) for g in (graph, graph, fresh))
    assert one.tobytes() == two.tobytes() == three.tobytes()


@pytest.mark.parametrize("sources", [pytest.param(1, marks=pytest.mark.slow), 4, 40])
@pytest.mark.parametrize("long_row", [6, pytest.param(32, marks=pytest.mark.slow), None])
def test_same_bytes_from_any_launch_configuration(doubles, monkeypatch, sources, long_row):
    """Of rows with one, eight and many partial sums, whoever adds them up."""
    star = np.arange(1, 4200)
    tail, head = np.random.default_rng(1).integers(0, 4200, (2, 60000))  # many paths: shares are not whole
    hubs = np.where(head % 2, head, head % 97)
    graph = Graph.from_edges(np.append(np.zeros_like(star), tail), np.append(star, hubs))
    lengths = np.diff(graph.row_ptr)
    assert lengths.max() > 4096 and (lengths < 32).any() and ((lengths > 32) & (lengths < 4096)).any()
    chosen = np.arange(0, 4 * sources, 4, dtype=np.int32)
    found = dependencies(doubles, graph, chosen)
    shape = betweenness.LaunchConfig(split=True, entries=2, arcs=3, long_row=long_row)
    monkeypatch.setattr(betweenness, "LAUNCH", everywhere(shape))
    np.testing.assert_array_equal(dependencies(doubles, graph, chosen), found)


def test_the_sum_is_that_of_distances(doubles):
    """A path of length d passes d - 1 vertices."""
    graph = clgraph.largest_component(powerlaw_graph(2000, seed=1), device=doubles)
    n = graph.num_vertices
    mean = clgraph.average_shortest_path_length(graph, device=doubles)
    total = clgraph.betweenness_centrality(graph, normalized=False, device=doubles).sum() * 2
    assert total == pytest.approx((mean - 1) * n * (n - 1), rel=1e-12)


def test_what_is_refused(doubles):
    graph = Graph.from_edges(["a", "b"], ["b", "c"])
    for options, word in (
        ({"k": 0}, "k is 0"),
        ({"k": 4}, "k is 4"),
        ({"k": 1, "sources": ["a"]}, "not both"),
        ({"sources": ["x"]}, "vertex x"),
        ({"normalized": 1}, "normalized is 1"),
        ({"seed": -1}, "seed"),
    ):
        with pytest.raises(InputError, match=word):
            clgraph.betweenness_centrality(graph, device=doubles, **options)
    only = clgraph.betweenness_centrality(graph, sources=["a"], device=doubles)
    assert np.isnan(only[0]) and only[1:].tolist() == [1, 0]


# --- betweenness of edges ---


def networkx_edges(graph):
    """NetworkX's betweenness of each edge, in our order."""
    found = nx.edge_betweenness_centrality(as_networkx(graph))
    return [found[pair] for pair in zip(*(each.tolist() for each in graph.edge_indices()[:2]), strict=True)]


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_edges_equal_reference_and_networkx(doubles, directed, duplicates):
    graph, n = tangle(3, 40, 90, directed=directed, duplicates=duplicates), 40
    for sources, count in ((None, n), ([2, 5, 30, 39], 4)):
        sums = np.array(reference.reference_edge_betweenness(graph, sources))
        found = clgraph.edge_betweenness_centrality(graph, sources=sources, device=doubles)
        assert found == pytest.approx(sums / (count * (n - 1)), rel=1e-12, abs=1e-15)
        plain = clgraph.edge_betweenness_centrality(graph, sources=sources, normalized=False, device=doubles)
        assert plain == pytest.approx(sums * n / count / (1 if directed else 2), rel=1e-12, abs=1e-15)
    found = clgraph.edge_betweenness_centrality(graph, device=doubles)
    reference.verify_edge_betweenness(graph, found)
    if duplicates == "merge":
        assert found == pytest.approx(networkx_edges(graph), rel=1e-9, abs=1e-12)


def test_edges_of_awkward_and_deep_graphs(doubles):
    deep = Graph.from_edges(np.arange(200), np.arange(1, 201))
    found = clgraph.edge_betweenness_centrality(deep, normalized=False, device=doubles)
    assert found == pytest.approx([(v + 1) * (200 - v) for v in range(200)], rel=1e-12)
    for graph in [*awkward_graphs(), Graph.from_edges([], []), Graph.from_edges([], [], vertices=[1, 2])]:
        if graph.num_vertices < 60:
            found = clgraph.edge_betweenness_centrality(graph, device=doubles)
            assert len(found) == graph.num_edges
            reference.verify_edge_betweenness(graph, found)


def test_edges_from_more_sources_than_lanes(doubles):
    graph = powerlaw_graph(300, seed=2)
    found = clgraph.edge_betweenness_centrality(graph, device=doubles)
    assert found == pytest.approx(networkx_edges(graph), rel=1e-9)
    assert found.tobytes() == clgraph.edge_betweenness_centrality(graph, device=doubles).tobytes()
    assert not np.array_equal(found, clgraph.edge_betweenness_centrality(graph, k=40, seed=1, device=doubles))
    with pytest.raises(InputError, match="not both"):
        clgraph.edge_betweenness_centrality(graph, k=1, sources=[0], device=doubles)


def test_memory_that_nothing_was_written_to_is_not_read(doubles, monkeypatch):
    graph, empty = tangle(2, 60, 90, directed=True), Device.empty  # from no vertex all others are reached
    calls = clgraph.betweenness_centrality, clgraph.edge_betweenness_centrality
    right = [call(graph, device=doubles).tobytes() for call in calls]

    def filled(device, n, dtype):
        made = empty(device, n, dtype)
        if dtype is np.float64:
            device.fill(made, np.float64("nan"), n)
        return made

    doubles.release()
    monkeypatch.setattr(Device, "empty", filled)
    assert [call(graph, device=doubles).tobytes() for call in calls] == right


def test_the_verifier_of_edges_sees_what_is_wrong():
    graph = tangle(3, 40, 90)
    right = np.array(reference.reference_edge_betweenness(graph)) / (40 * 39)
    reference.verify_edge_betweenness(graph, right)
    for at in (int(np.argmax(right)), int(np.argmin(right))):
        wrong = right.copy()
        wrong[at] += 1e-3
        with pytest.raises(AssertionError):
            reference.verify_edge_betweenness(graph, wrong)
