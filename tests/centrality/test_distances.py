"""Distances, closeness and harmonic centrality on every device against the reference and NetworkX."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from graphs import as_networkx, tangle
from samplers import awkward_graphs

import clgraph
from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference import centrality as reference
from clgraph.reference.traversal import reference_bfs
from clgraph.traversal import many


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
def test_equals_reference_and_networkx(device, directed):
    graph = tangle(3, 150, 400, directed=directed, duplicates="keep")
    other = as_networkx(graph)
    for improved in (True, False):
        found = clgraph.closeness_centrality(graph, improved=improved, device=device)
        assert found.tolist() == pytest.approx(reference.reference_closeness(graph, improved), abs=1e-15)
        assert found.tolist() == list(nx.closeness_centrality(other, wf_improved=improved).values())
    some, sources = [7, 149, 0, 7], [3, 0, 100, 149]
    expected = reference.reference_harmonic(graph)
    assert clgraph.harmonic_centrality(graph, device=device).tolist() == pytest.approx(expected, rel=1e-14)
    expected = [reference.reference_harmonic(graph, set(sources))[v] for v in some]
    found = clgraph.harmonic_centrality(graph, some, sources=sources, device=device)
    assert found.tolist() == pytest.approx(expected, rel=1e-14)
    theirs = nx.harmonic_centrality(other, some, sources=sources)
    assert found.tolist() == pytest.approx([theirs[v] for v in some], rel=1e-12)
    closest = clgraph.closeness_centrality(graph, some, device=device)
    expected = np.array(reference.reference_closeness(graph))
    assert closest.tolist() == pytest.approx(expected[some], abs=1e-15)


def test_awkward_and_deep_graphs(device):
    deep = Graph.from_edges(np.arange(120), np.arange(1, 121))  # more levels than are counted one by one
    for graph in [*awkward_graphs(), deep, Graph.from_edges([], [])]:
        found = clgraph.closeness_centrality(graph, device=device)
        assert found.tolist() == pytest.approx(reference.reference_closeness(graph), abs=1e-15)
        found = clgraph.harmonic_centrality(graph, device=device)
        assert found.tolist() == pytest.approx(reference.reference_harmonic(graph), rel=1e-14)


def test_vertices_numbered_by_degree(device, monkeypatch):
    monkeypatch.setattr("clgraph.traversal.many.MANY_VERTICES", 100)
    monkeypatch.setattr(many, "RENUMBER_SEARCHES", 1)
    graph = powerlaw_graph(700, seed=3)
    sources = list(range(0, 700, 3))
    counted = clgraph.harmonic_centrality(graph, [5, 6, 690], sources=sources, device=device)
    expected = reference.reference_harmonic(graph, set(sources))
    assert counted.tolist() == pytest.approx([expected[v] for v in (5, 6, 690)], rel=1e-14)
    found = clgraph.closeness_centrality(graph, [5, 6], device=device)
    assert found.tolist() == pytest.approx(reference.reference_closeness(graph)[5:7], abs=1e-15)


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
def test_paths_and_their_mean_length(device, directed):
    whole, seen = tangle(5, 90, 400, directed=directed), []
    graph = clgraph.largest_component(whole, connection="strong", device=device)
    told = {"progress": lambda done, of: seen.append((done, of))}
    mean = clgraph.average_shortest_path_length(graph, device=device, **told)
    assert mean == reference.reference_average_shortest_path_length(graph)
    assert seen[-1] == (graph.num_vertices,) * 2
    source, target = graph.ids[0], graph.ids[-1]
    distance = int(reference_bfs(graph, source)[0][-1])
    assert clgraph.shortest_path_length(graph, source, target, device=device) == distance
    path = clgraph.shortest_path(graph, source, target, device=device)
    assert len(path) == distance + 1 and (path[0], path[-1]) == (source, target)
    assert all(head in graph.neighbors(tail) for tail, head in pairwise(path))


def test_errors(device):
    graph = Graph.from_edges(["a", "b"], ["b", "c"], directed=True)
    assert clgraph.shortest_path(graph, "a", "c").tolist() == ["a", "b", "c"]
    assert clgraph.shortest_path_length(graph, "b", "b") == 0
    for call in (clgraph.shortest_path, clgraph.shortest_path_length):
        with pytest.raises(InputError, match="no path leads from 'c' to 'a'"):
            call(graph, "c", "a")
        with pytest.raises(InputError, match="vertex x"):
            call(graph, "x", "a")
    for given, words in ((graph, "not strongly connected"), (Graph.from_edges([], []), "empty")):
        with pytest.raises(InputError, match=words):
            clgraph.average_shortest_path_length(given)
    with pytest.raises(InputError, match="vertex x"):
        clgraph.closeness_centrality(graph, ["x"])
    for ends in (([[0, 1]], 1), (0, np.array([[0, 1]]))):
        with pytest.raises(InputError, match="use the id of one vertex"):
            clgraph.shortest_path(Graph.from_edges([0, 1], [1, 2]), *ends, device=device)
