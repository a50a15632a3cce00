"""Views made on devices, against those of the host."""

import numpy as np
import pytest
from graphs import random_graph, same
from placed_graphs import KINDS, looked_at, made_there, make, of_kinds

from clgraph import Graph, InputError, largest_component
from clgraph.csr import upload


@of_kinds()
@pytest.mark.parametrize("size", [(3, 2), (40, 300), (900, 5000)])
@pytest.mark.cross
def test_as_on_the_host(device, kind, size):
    graph = make(*size, **kind)
    for view in ("reverse", "undirected", "without_self_loops"):
        there = made_there(device, graph)
        made, want = getattr(there, view), getattr(graph, view)
        if "HAVE_FP64" in device.features or not kind["weighted"]:
            assert made is there or not looked_at(made), view
        assert (made.num_self_loops, made.is_multigraph) == (want.num_self_loops, want.is_multigraph)
        same(made, want)
    same(made_there(device, graph).undirected.without_self_loops, graph.undirected.without_self_loops)


@pytest.mark.parametrize("small", [0, 1 << 16], ids=["sorted on the device", "sorted on the host"])
@pytest.mark.parametrize("edges", [0, 5000])
@pytest.mark.cross
def test_places_of_reversed(device, monkeypatch, small, edges):
    monkeypatch.setattr(upload, "SMALL", small)
    graph = make(900, edges, weighted=False, names=False, directed=True)
    numbered = Graph(graph.row_ptr, graph.col_idx, weights=np.arange(1.0, graph.num_arcs + 1), directed=True)
    for each in (graph, made_there(device, graph)):
        with device.alone():
            places = upload.places_of_reversed(device, each)
            assert places is upload.places_of_reversed(device, each)
            found = device.download(places, np.int32, graph.num_arcs)
        np.testing.assert_array_equal(found + 1, numbered.reverse.weights)


def test_counts_that_are_given(device):
    rng = np.random.default_rng(1)
    ends = rng.integers(0, 30, (2, 200))
    graph = Graph.from_edges(*ends, multiplicity=rng.integers(1, 9, 200), directed=True)
    same(made_there(device, graph).undirected, graph.undirected)
    once = Graph.from_edges([0, 1], [1, 2], multiplicity=[1, 1], directed=True)
    assert once.undirected.multiplicity is None and made_there(device, once).undirected.multiplicity is None
    for beyond, words in (
        ({"multiplicity": [2**31 - 1, 1]}, "multiplicities of the parallel edges"),
        ({"weights": [1.7e308, 1.7e308]}, "weights of the parallel edges"),
    ):
        large = Graph.from_edges([0, 1], [1, 0], **beyond, directed=True)
        with pytest.raises(InputError, match=words):
            made_there(device, large).undirected  # noqa: B018


@of_kinds(KINDS[::3])
def test_subgraph_and_largest_component(device, kind):
    graph = make(300, 280, **kind)
    there = made_there(device, graph)
    mask = np.random.default_rng(2).random(300)[: graph.num_vertices] < 0.5
    made = there.subgraph(mask), largest_component(there, device=device)
    assert not looked_at(there) and not looked_at(made[0]) and not looked_at(made[1])
    same(made[0], graph.subgraph(mask))
    same(made[1], graph.largest_component())
    same(largest_component(graph, device=device), graph.largest_component())


def test_a_view_that_was_given_up_is_made_again(device):
    graph = random_graph(5, 50, 300, directed=True)
    there = made_there(device, graph)
    view = there.undirected
    device.graph_cache.forget(view)
    assert view._drop_residence(view._residence)
    same(view, graph.undirected)
