"""Samples that stay on the device: what moves, when arrays appear, and that the host makes the same ones."""

import pickle

import numpy as np
import pytest
from graphs import random_graph, same
from placed_graphs import KINDS, looked_at, made_there, make
from transfers import transfers

from clgraph import DeviceError, Graph, pagerank, powerlaw_graph, sample
from clgraph.methods import CONTRACTING, REDUCTIONS
from clgraph.sampling import selection as extraction
from clgraph.sampling.selection import extract


@pytest.mark.parametrize("method", REDUCTIONS)
def test_nothing_of_the_graphs_size_moves(device, method):
    if device.is_fpga and method == "ebfs":
        pytest.skip("the host lays out partitions")
    n = 200_000 if device.kind == "gpu" else 100_000
    sample(powerlaw_graph(n, seed=2, device=device), method, size="50%", device=device)
    with transfers() as seen:
        graph = powerlaw_graph(n, seed=1, device=device)
        made = sample(graph, method, size="50%", seed=3, device=device)
        n_left = made.graph.num_vertices
        assert repr(made.graph) == f"<Graph: undirected, {n_left} vertices, {made.num_edges} edges>"
        assert made.to_dict(hashes=False)["vertices"] == n_left
    assert max(seen)[0] < n, max(seen)
    assert not looked_at(graph) and not looked_at(made.graph)
    # on CPUs rows are laid out by the host, in place; and the host makes the shares of counted arcs
    if not device.shares_memory and method not in CONTRACTING:
        with transfers() as seen:
            pagerank(made.graph, device=device, arrays="device").top(10)
        assert max(seen)[0] < n, max(seen)


@pytest.mark.parametrize("method", REDUCTIONS)
@pytest.mark.parametrize("kind", KINDS[::2], ids=lambda kind: "-".join(map(str, kind.values())))
def test_a_graph_on_the_device_gives_the_hosts_sample(device, method, kind):
    graph = make(200, 900, **kind)
    one, other = (
        sample(each, method, sizes=["70%", "30%"], seed=4, device=device)
        for each in (graph, made_there(device, graph))
    )
    for here, there in zip(one, other, strict=True):
        same(here.graph, there.graph)
        np.testing.assert_array_equal(here._arc_mask, there._arc_mask)
        np.testing.assert_array_equal(here.edges, there.edges)
        assert (here.num_edges, here.notes) == (there.num_edges, there.notes)
        if method not in CONTRACTING:  # those have a reference that adds up
            chosen, at = there.selection, there.at
            same(there.graph, extract(graph, chosen.members(graph, at), chosen.arc_mask(graph, at)))


@pytest.mark.parametrize("directed", [False, True])
def test_a_smaller_sample_comes_out_of_the_larger_one(device, monkeypatch, directed):
    seen, compact = [], extraction.compact
    monkeypatch.setattr("clgraph.sampling.runs.side_by_side", lambda *_: False)
    monkeypatch.setattr(extraction, "compact", lambda *a, **k: seen.append(a[1].rows.n) or compact(*a, **k))
    graph = random_graph(3, 300, 1200, directed=directed, weights=np.arange(1200.0), duplicates="keep")
    sizes = ["40%", "70%", "10%"]
    made = sample(graph, "drv", sizes=sizes, seed=4, device=device)
    kept = [each.graph.num_vertices for each in made]
    assert seen == [graph.num_vertices, kept[1], kept[0]]
    for size, each in zip(sizes, made, strict=True):
        same(each.graph, sample(graph, "drv", size=size, seed=4, device=device).graph)
    # ids of a sample name the vertices of its original
    seen.clear()
    again = sample(made[1].graph, "ebfs", sizes=["90%", "50%"], seed=4, device=device)
    assert seen == [kept[1], kept[1]]
    for size, each in zip(["90%", "50%"], again, strict=True):
        same(each.graph, sample(made[1].graph, "ebfs", size=size, seed=4, device=device).graph)


@pytest.mark.parametrize("method", ["drv", "drve", "crve"])
@pytest.mark.parametrize("kind", KINDS[6:], ids=lambda kind: "-".join(map(str, kind.values())))
def test_views_of_large_directed_graphs_are_made_on_the_device(device, method, kind, monkeypatch):
    want = sample(make(200, 900, **kind), method, size="50%", seed=4, device=device)
    monkeypatch.setattr("clgraph.csr.upload.SMALL", 0)
    monkeypatch.setattr("clgraph.sampling.runs.SMALL", 0)
    graph = make(200, 900, **kind)
    made = sample(graph, method, size="50%", seed=4, device=device)
    assert graph.undirected._residence is not None or kind["weighted"]
    same(made.graph, want.graph)
    np.testing.assert_array_equal(made.edges, want.edges)


def test_looks_and_pickles(device):
    graph = random_graph(3, 300, 900)
    for method in ("drv", "dre", "cre"):
        larger, smaller = sample(graph, method, sizes=["80%", "40%"], seed=1, device=device)
        again = pickle.loads(pickle.dumps(larger))
        assert np.array_equal(again._arc_mask, larger._arc_mask) and again.selection.vertices is None
        assert np.array_equal(again.vertices, larger.vertices) and again.num_edges == larger.num_edges
        assert (again.contracted_to is None) == (larger.contracted_to is None)
        # looked at only now, after the smaller one was made
        assert larger._arc_mask.sum() >= smaller._arc_mask.sum() == 2 * smaller.num_edges
        alone = sample(graph, method, size="80%", seed=1, device=device)
        assert np.array_equal(alone._arc_mask, larger._arc_mask)


def test_sample_of_a_sample_has_the_first_ones_ids(device):
    graph = Graph.from_edges(*np.random.default_rng(1).integers(0, 100, (2, 300)) * 7)
    for whole, method in ((graph, "cre"), (powerlaw_graph(300, seed=1, device=device), "drv")):
        made = sample(whole, method, size="60%", seed=1, device=device)
        again = sample(made.graph, "crve", size="40%", seed=2, device=device)
        assert not looked_at(again.graph)
        assert set(again.vertices.tolist()) < set(made.vertices.tolist())
        assert set(made.vertices.tolist()) < set(whole.ids.tolist())


def test_a_device_lost_after_sampling(device, monkeypatch):
    graph = random_graph(1, 200, 800)
    made = sample(graph, "drve", size="50%", seed=1, device=device)

    def lost(*_, **__):
        raise DeviceError("the device is lost")

    monkeypatch.setitem(vars(device), "take", lost)
    monkeypatch.setitem(vars(device), "download", lost)
    with pytest.raises(DeviceError, match=r"is on .* only, and cannot be had from there"):
        made.graph.col_idx  # noqa: B018
    assert graph.largest_component().num_vertices > 100  # what the host has goes on
