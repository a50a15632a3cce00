"""Converted graphs: views, changes after the conversion, the way back."""

from __future__ import annotations

import pytest
from networkx_graphs import convert, nx, same

from clgraph import InputError
from clgraph import networkx_backend as backend


def test_a_graph_without_nodes():
    """No device is asked for."""
    for make in (nx.Graph, nx.DiGraph):
        G = make()
        assert backend.pagerank(convert(G)) == {}
        for kind in ("strongly_", "weakly_") if G.is_directed() else ("",):
            for form in ("{}connected_components", "number_{}connected_components", "is_{}connected"):
                same(form.format(kind), G)
    same("condensation", nx.DiGraph())


def test_views_are_read_as_they_are(on):
    G = nx.gnm_random_graph(40, 90, seed=3)
    D = nx.gnm_random_graph(40, 120, seed=4, directed=True)
    same("connected_components", G.subgraph(range(20)))
    same("bfs_edges", nx.subgraph_view(G, filter_edge=lambda u, v: (u + v) % 3), 1)
    same("single_source_shortest_path_length", D.reverse(copy=False), 0)
    same("single_target_shortest_path_length", D.reverse(copy=False), 0)
    same("bfs_tree", D.to_undirected(as_view=True), 2)
    view = G.subgraph(range(20))
    convert(view)
    assert view.__networkx_cache__ is None  # nobody would clear it when G changes


def test_predecessors_are_read_when_they_are_needed(on):
    D = nx.DiGraph([(0, 1), (2, 1), (1, 3)])
    converted = convert(D)
    assert list(backend.bfs_edges(converted, 3, reverse=True)) == [(3, 1), (1, 0), (1, 2)]
    converted = convert(D)
    D.add_edge(4, 1)
    with pytest.raises(InputError, match="changed after it was converted"):
        list(backend.bfs_edges(converted, 3, reverse=True))
    D.remove_node(4)
    D.add_edge(0, 3)
    converted = convert(D)
    D.remove_edge(0, 3)  # which keeps the nodes
    with pytest.raises(InputError, match="changed after it was converted"):
        list(backend.bfs_edges(converted, 3, reverse=True))


@pytest.mark.parametrize(
    ("remove", "add"),
    [
        ([], [(0, 30)]),
        ([(0, 10)], []),
        ([], [(30, "new")]),
        *(([(0, 10)], [(0, head)]) for head in ("new", 15, -1, 10**30)),
    ],
)
@pytest.mark.parametrize("last", [90, 10**12, "ninety"])
def test_a_graph_that_changed_is_not_read_half_new(on, remove, add, last):
    G = nx.path_graph(range(0, 90, 10), create_using=nx.DiGraph)
    G.add_edge(80, last)
    converted = convert(G)
    G.remove_edges_from(remove)
    G.add_edges_from(add)
    for call in (
        lambda: backend.number_strongly_connected_components(converted),
        lambda: list(backend.weakly_connected_components(converted)),
        lambda: list(backend.bfs_edges(converted, 20)),
    ):
        with pytest.raises(InputError, match="changed after it was converted"):
            call()


def test_back_from_the_backend(on):
    for make in (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph):
        G = make([("a", "b"), ("b", "c"), ("c", "c")])
        G.add_edge("a", "b")
        G.add_node("alone")
        G.graph["name"] = "small"
        converted = backend.convert_from_nx(G, preserve_graph_attrs=True)
        assert len(converted) == 4
        assert list(converted) == list(G)
        assert "a" in converted
        assert ["a"] not in converted
        back = backend.convert_to_nx(converted)
        assert type(back) is make
        assert nx.utils.graphs_equal(back, G)
        assert backend.convert_to_nx(3) == 3
