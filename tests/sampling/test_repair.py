"""The finders of batched mode against SciPy: looking at everything, following the component, from a hub."""

import numpy as np
import pytest
from graphs import random_graph
from samplers import built
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import clgraph.sampling.repair as repair
from clgraph import Graph, powerlaw_graph, sample
from clgraph.components.finder import graph_components
from clgraph.sampling.array_frontier import ArrayFrontier
from clgraph.sampling.repair import LinkCompress, Repair


def largest_part(live, tail, head):
    """Of live vertices and the edges left: the largest component, of equals that of the smallest vertex."""
    pairs = coo_array((np.ones(len(tail), np.int8), (tail, head)), (len(live), len(live)))
    _, label = connected_components(pairs, directed=False)
    sizes = np.bincount(label[live], minlength=len(live))
    winner = label[live][np.flatnonzero(sizes[label[live]] == sizes.max())[0]]
    return live & (label == winner)


# --- after edges have gone, batch by batch -------------------------------------------------------------


class Edges:
    """Removes listed edges (arcs with tail < head) from COPRA."""

    def __init__(self, device, graph):
        self.device, self.graph = device, graph
        self.copra = built(device, graph)
        self.tail = np.asarray(graph.tails).astype(np.int32)
        self.once = np.flatnonzero(self.tail < graph.col_idx)
        self.there = np.ones(len(self.once), bool)

    def remove(self, gone):
        arcs = self.once[gone]
        self.gone, self.count = gone, len(gone)
        self.there[gone] = False
        slots = (arcs + 2 * (self.tail[arcs] + 1)).astype(self.copra.offset)
        listed = (self.tail[arcs], slots)
        self.owners, self.slots = (self.device.upload(np.resize(x, max(len(gone), 1))) for x in listed)
        self.copra.change("remove_vertex_edges", self.count, vertices=self.owners, slots=self.slots)

    def undo(self):
        self.copra.change("restore_vertex_edges", self.count, vertices=self.owners, slots=self.slots)
        self.there[self.gone] = True

    def removed(self):
        return self.owners, self.slots, self.count


def check(edges, finder, live):
    """Find and keep; the vertices that are kept, which SciPy must keep, too."""
    left = edges.once[edges.there]
    kept = largest_part(live, edges.tail[left], edges.graph.col_idx[left])
    label, root, size = finder.find(np.count_nonzero(live))
    assert size == np.count_nonzero(kept)
    ends = edges.tail[left]
    assert finder.keep(label, root) == np.count_nonzero(~kept[ends])
    edges.there[edges.there] = kept[ends]
    assert np.array_equal(edges.copra.live_vertices(), kept)
    assert np.count_nonzero(edges.copra.live_arcs()) == 2 * np.count_nonzero(edges.there)
    return kept


GRID = np.arange(900).reshape(30, 30)
GRAPHS = {
    "power-law": lambda: powerlaw_graph(4000, seed=3),
    "grid": lambda: Graph.from_edges(np.append(GRID[:, :-1], GRID[:-1]), np.append(GRID[:, 1:], GRID[1:])),
    "path": lambda: Graph.from_edges(np.arange(999), np.arange(1, 1000)),  # levels deeper than a byte tells
    "parallel": lambda: random_graph(6, 300, 900, duplicates="keep").without_self_loops,
    "star": lambda: Graph.from_edges(np.zeros(3000, int), np.arange(1, 3001)),
    # two components of four, equal; the one without vertex 0 has the vertex of highest degree
    "tie": lambda: Graph.from_edges([0, 1, 2, 4, 4, 4, 8], [1, 2, 3, 5, 6, 7, 9]),
}


# whether the component is followed; a path is too deep: a byte does not hold its levels
FOLLOWED = {"power-law": [True] * 4, "path": [False] * 7}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("follow", [True, False])
def test_against_scipy(device, name, follow):
    """Batch after batch; every other one is tried with more edges first, which are then put back."""
    found, expected = batches(device, GRAPHS[name](), follow), FOLLOWED.get(name, []) if follow else []
    assert found[: len(expected)] == expected


def batches(device, graph, follow=True):
    """Remove and compare; whether the component was followed, at the start and through each batch."""
    edges = Edges(device, graph)
    if follow:
        finder = Repair(edges.copra, graph, edges, vertices=False)
    else:
        finder = LinkCompress(edges.copra, graph_components(device, graph))
    live = check(edges, finder, np.ones(graph.num_vertices, bool))
    followed = [isinstance(finder, Repair) and finder.follows]
    rng = np.random.default_rng(4)
    for step, share in enumerate((0.05, 0, 0.1, 0.2, 0.3, 0.5)):
        there = rng.permutation(np.flatnonzero(edges.there))
        count = int(share * len(there))
        if step % 2:
            # what has gone must come first: a batch that follows an undone one is its beginning
            edges.remove(there[: 2 * count])
            finder.find(np.count_nonzero(live))
            edges.undo()
        edges.remove(there[:count])
        live = check(edges, finder, live)
        followed.append(isinstance(finder, Repair) and finder.follows)
    return followed


@pytest.mark.parametrize("method", ["drv", "dre", "drve", "dhyb"])
def test_samples_are_the_same(device, method, monkeypatch):
    """Whatever finds the components; and on the power-law graph they are followed nearly to the end."""
    graph = powerlaw_graph(3000, seed=2)
    found, find = [], Repair.find
    monkeypatch.setattr(Repair, "find", lambda *given: found.append(find(*given)) or found[-1])

    def run(finder):
        monkeypatch.setattr("clgraph.sampling.runs.finder_for", finder)
        return sample(graph, method, size="60%", seed=3, mode="batched", tolerance=0, device=device)

    followed = run(Repair)
    assert sum(label is None for label, _, _ in found) > len(found) / 2
    plain = run(lambda copra, simple, choice, vertices: LinkCompress(copra, graph_components(device, simple)))
    assert np.array_equal(followed.graph.ids, plain.graph.ids)
    assert np.array_equal(followed.graph.col_idx, plain.graph.col_idx)
    assert followed.iterations == plain.iterations


def test_the_component_is_followed_until_there_are_too_many_waves(device, monkeypatch):
    """The first batch that needs a wave more is the last one tried; the results stay right."""
    monkeypatch.setattr(repair, "WAVES", 0)
    assert batches(device, GRAPHS["power-law"]()) == [True] + [False] * 6


# --- after vertices have gone ----------------------------------------------------------------------------


def search(device, graph, gone, hub):
    """The array-frontier search from a hub."""
    copra = built(device, graph)
    live = np.ones(graph.num_vertices, bool)
    live[gone] = False
    if len(gone):
        copra.change("remove_vertices", len(gone), list=device.upload(np.asarray(gone, np.int32)))
    finder = ArrayFrontier(copra, hub)
    label, keep, size = finder.find(int(live.sum()))
    inside = live[graph.tails] & live[graph.col_idx]
    kept = largest_part(live, graph.tails[inside], graph.col_idx[inside])
    assert size == kept.sum()
    np.testing.assert_array_equal(device.download(label, np.int32, graph.num_vertices) == keep, kept)
    left = kept[graph.tails] & kept[graph.col_idx]
    assert finder.keep(label, keep) == np.count_nonzero(inside & ~left) // 2
    np.testing.assert_array_equal(copra.live_vertices(), kept)
    np.testing.assert_array_equal(copra.live_arcs(), left)


@pytest.mark.parametrize("share", [0, 0.2, 0.6])
def test_searches_from_a_hub(device, share):
    rng = np.random.default_rng(4)
    for seed, (n, m) in enumerate([(2, 1), (9, 8), (60, 45), (120, 300), (700, 800)]):
        graph = random_graph(seed, n, m).without_self_loops
        gone = rng.permutation(n)[: int(share * n)]
        # the hub is a guess: the search must be right from any vertex, also from one that is gone
        for hub in (int(graph.degrees.argmax()), 0, n - 1):
            search(device, graph, gone, hub)


def test_searches_in_a_tie_and_on_a_long_path(device):
    graph = Graph.from_edges([0, 1, 3, 4, 7], [5, 5, 6, 6, 8], vertices=np.arange(9))
    for hub in range(9):  # {0, 1, 5} and {3, 4, 6} are equally large: it goes to the smallest vertex
        search(device, graph, [], hub)
    for hub in (0, 299):
        search(device, Graph.from_edges(np.arange(299), np.arange(1, 300)), [100, 250], hub)
