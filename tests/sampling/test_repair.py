"""The finders of batched mode against SciPy: looking at everything, and following the component."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import clgraph.sampling.repair as repair
from clgraph import Graph, powerlaw_graph, sample
from clgraph.components.finder import graph_components
from clgraph.sampling.copra import Copra
from clgraph.sampling.repair import LinkCompress, Repair


class Edges:
    """Removes listed edges (arcs with tail < head) from COPRA."""

    def __init__(self, device: Any, graph: Graph) -> None:
        self.device, self.graph = device, graph
        self.copra = Copra(device, graph)
        self.copra.build()
        self.tail = np.asarray(graph.tails).astype(np.int32)
        self.once = np.flatnonzero(self.tail < graph.col_idx)
        self.there = np.ones(len(self.once), bool)

    def remove(self, gone: np.ndarray[Any, Any]) -> None:
        arcs = self.once[gone]
        self.gone, self.count = gone, len(gone)
        self.there[gone] = False
        self.owners = self.device.upload(np.resize(self.tail[arcs], max(len(gone), 1)))
        slots = (arcs + 2 * (self.tail[arcs] + 1)).astype(self.copra.offset)
        self.slots = self.device.upload(np.resize(slots, max(len(gone), 1)))
        edges = {"vertices": self.owners, "slots": self.slots}
        self.copra.change("remove_vertex_edges", self.count, **edges)

    def undo(self) -> None:
        edges = {"vertices": self.owners, "slots": self.slots}
        self.copra.change("restore_vertex_edges", self.count, **edges)
        self.there[self.gone] = True

    def removed(self) -> tuple[Any, Any, int]:
        return self.owners, self.slots, self.count

    def components(self) -> np.ndarray[Any, Any]:
        n = self.graph.num_vertices
        left = self.once[self.there]
        pairs = (self.tail[left], self.graph.col_idx[left])
        return connected_components(coo_array((np.ones(len(left), np.int8), pairs), (n, n)), directed=False)[
            1
        ]


def check(edges: Edges, finder: Any, live: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Find and keep; the vertices that are kept, which SciPy must keep, too."""
    labels = edges.components()
    sizes = np.bincount(labels[live], minlength=labels.max() + 1)
    # of equals the one with the smallest vertex
    winner = labels[live][np.flatnonzero(sizes[labels[live]] == sizes.max())[0]]
    kept = live & (labels == winner)
    label, root, size = finder.find(np.count_nonzero(live))
    assert size == sizes.max()
    ends = edges.tail[edges.once[edges.there]]
    assert finder.keep(label, root) == np.count_nonzero(~kept[ends])
    edges.there[edges.there] = kept[ends]
    assert np.array_equal(edges.copra.live_vertices(), kept)
    assert np.count_nonzero(edges.copra.live_arcs()) == 2 * np.count_nonzero(edges.there)
    return kept


GRID = np.arange(900).reshape(30, 30)
GRAPHS = {
    "power-law": lambda: powerlaw_graph(4000, seed=3),
    "grid": lambda: Graph.from_edges(
        np.concatenate((GRID[:, :-1].ravel(), GRID[:-1].ravel())),
        np.concatenate((GRID[:, 1:].ravel(), GRID[1:].ravel())),
    ),
    "path": lambda: Graph.from_edges(np.arange(999), np.arange(1, 1000)),  # levels deeper than a byte tells
    "parallel": lambda: (
        Graph.from_edges(
            *np.random.default_rng(6).integers(0, 300, (2, 900)), duplicates="keep"
        ).without_self_loops
    ),
    "star": lambda: Graph.from_edges(np.zeros(3000, int), np.arange(1, 3001)),
    # two components of four, equal; the one without vertex 0 has the vertex of highest degree
    "tie": lambda: Graph.from_edges([0, 1, 2, 4, 4, 4, 8], [1, 2, 3, 5, 6, 7, 9]),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("follow", [True, False])
def test_against_scipy(device: Any, name: str, follow: bool) -> None:
    """Batch after batch; every other one is tried with more edges first, which are then put back."""
    batches(device, GRAPHS[name](), follow)


def batches(device: Any, graph: Graph, follow: bool = True) -> list[bool]:
    """Remove and compare; whether the component was followed, at the start and through each batch."""
    edges = Edges(device, graph)
    components = graph_components(device, graph)
    finder = (
        Repair(edges.copra, graph, edges, vertices=False) if follow else LinkCompress(edges.copra, components)
    )
    live = np.ones(graph.num_vertices, bool)
    live = check(edges, finder, live)
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
def test_samples_are_the_same(device: Any, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever finds the components; and on the power-law graph they are followed nearly to the end."""
    graph = powerlaw_graph(3000, seed=2)
    found = []
    find = Repair.find

    def noted(self: Any, live: int) -> tuple[Any, int, int]:
        found.append(find(self, live))
        return found[-1]

    monkeypatch.setattr(Repair, "find", noted)

    def run(finder: Any) -> Any:
        monkeypatch.setattr("clgraph.sampling.runs.finder_for", finder)
        return sample(graph, method, size="60%", seed=3, mode="batched", tolerance=0, device=device)

    followed = run(Repair)
    assert sum(label is None for label, _, _ in found) > len(found) / 2
    plain = run(lambda copra, simple, choice, vertices: LinkCompress(copra, graph_components(device, simple)))
    assert np.array_equal(followed.graph.ids, plain.graph.ids)
    assert np.array_equal(followed.graph.col_idx, plain.graph.col_idx)
    assert followed.iterations == plain.iterations


def test_the_component_is_followed(device: Any) -> None:
    """What the tests below give up is kept up here."""
    assert batches(device, GRAPHS["power-law"]())[:4] == [True] * 4


def test_too_many_waves(device: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first batch that needs a wave more is the last one that is tried; the results stay right."""
    monkeypatch.setattr(repair, "WAVES", 0)
    followed = batches(device, GRAPHS["power-law"]())
    assert followed == [True] + [False] * (len(followed) - 1)


def test_levels_that_a_byte_does_not_hold(device: Any) -> None:
    """A path is too deep: it is never followed."""
    assert not any(batches(device, GRAPHS["path"]()))
