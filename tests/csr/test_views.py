"""Views, and some vertices and arcs of rows, made on devices, against the host."""

from dataclasses import replace

import numpy as np
import pytest
from graphs import random_graph, same
from placed_graphs import KINDS, looked_at, made_there, make, of_kinds

from clgraph import Graph, InputError, largest_component
from clgraph.csr import upload
from clgraph.csr.compact import arcs_of_view, compact, host_rows, labelled, some_rows
from clgraph.csr.upload import device_graph, graph_of, upload_csr
from clgraph.graph.building import sorted_rows
from clgraph.sampling.selection import extract


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


# --- some vertices and arcs ----------------------------------------------------------------------------


def chosen_by_numpy(graph, live, keep):
    """The same by another way: the list of arcs, filtered and built again; arc by arc its columns."""
    number = np.cumsum(live) - 1
    ends = (number[end[keep]].astype(np.int32) for end in (graph.tails, graph.col_idx))
    ids = np.flatnonzero(live) if graph._has_identity_ids else graph.ids[live]
    made = sorted_rows(*ends, int(live.sum()), directed=True, duplicates="keep", ids=ids)
    assert len(made.col_idx) == keep.sum()
    columns = {"weights": graph.weights, "multiplicity": graph.multiplicity}
    kept = {name: column[keep] for name, column in columns.items() if column is not None}
    return Graph._from_arrays(replace(made, directed=graph.directed, **kept))


@of_kinds()
@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.cross
def test_vertices_and_arcs(device, kind, loops):
    rng = np.random.default_rng(1)
    for n, m, share in ((1, 0, 1), (40, 200, 0.5), (700, 3000, 0.7), (60, 90, 0)):
        graph = make(n, m, **kind) if m else Graph.from_edges([], [], vertices=[3])
        n = graph.num_vertices
        live = rng.random(n) < share
        between = live[graph.tails] & live[graph.col_idx]
        some = between & (rng.random(graph.num_arcs) < 0.5)
        there = device.upload(live.view(np.uint8))
        for mask, arcs in ((between, None), (some, device.upload(some.view(np.uint8)))):
            made = graph_of(device, compact(device, device_graph(device, graph), there, arcs, loops=loops))
            keep = mask if loops else mask & (graph.tails != graph.col_idx)
            want = chosen_by_numpy(graph, live, keep)
            same(made, want)
            assert made.row_ptr.dtype == want.row_ptr.dtype
            # chosen from once more, the ids are those of the original
            again = rng.random(made.num_vertices) < 0.6
            parts = compact(device, device_graph(device, made), device.upload(again.view(np.uint8)))
            assert graph_of(device, parts).ids.tolist() == made.ids[again].tolist()


@of_kinds(KINDS[6:])
def test_arcs_of_a_directed_graph_by_those_of_its_view(device, kind):
    graph = make(60, 500, **kind)
    view = graph.undirected
    simple = view.without_self_loops
    rng = np.random.default_rng(2)
    live = rng.random(60) < 0.8
    for share in (0.3, 1):
        edge = rng.random(simple.num_arcs) < share
        mirror = np.lexsort((simple.tails, simple.col_idx))  # k-th copy there is the k-th copy back
        edge &= (simple.tails < simple.col_idx) & live[simple.tails] & live[simple.col_idx]
        edge[mirror] |= edge
        rows = (upload_csr(device, each) for each in (graph, simple))
        arcs = arcs_of_view(device, *rows, device.upload(edge.view(np.uint8)), copies=view.is_multigraph)
        there = device.upload(live.view(np.uint8))
        made = graph_of(device, compact(device, device_graph(device, graph), there, arcs, loops=False))
        same(made, extract(graph, live, edge))


def test_labelled(device):
    label = np.random.default_rng(3).integers(0, 4, 500).astype(np.int32)
    rows = upload_csr(device, random_graph(1, 500, 20))
    live = labelled(device, rows, device.upload(label), 2)
    np.testing.assert_array_equal(device.download(live, np.uint8, 500), label == 2)


@pytest.mark.parametrize("count", [0, 1, 5, 300])
def test_some_rows(device, count):
    graph = random_graph(4, 90, 700, duplicates="keep")
    listed = np.random.default_rng(count).integers(0, 90, count).astype(np.int32)
    for found in (
        some_rows(device, upload_csr(device, graph), listed),
        host_rows(graph.row_ptr, graph.col_idx, listed),
    ):
        assert found.first.tolist() == graph.row_ptr[listed].tolist()
        for i, v in enumerate(listed):
            assert found.of(i).tolist() == graph.col_idx[graph.row_ptr[v] : graph.row_ptr[v + 1]].tolist()
