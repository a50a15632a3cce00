"""The tree of merges, and what every deletion leaves: against the loop, and against each other.

All rows of a curve are found from the forest at once, or by one serial pass through the tree.
"""

import numpy as np
import pytest
from graphs import random_graph, tangle
from samplers import rows_of_deletions

from clgraph import Graph, powerlaw_graph
from clgraph.reference.common import Rows
from clgraph.sampling import deletion_times
from clgraph.sampling.curve import _edge_order, _vertex_order
from clgraph.sampling.deletion_times import rows_of_curve
from clgraph.sampling.merge_tree import MergeTree, whole_tree

GRAPHS = {
    "random": lambda seed: random_graph(seed, 25, 40).without_self_loops,
    "sparse": lambda seed: random_graph(seed, 30, 24).without_self_loops,
    "path": lambda seed: Graph.from_edges(np.arange(20), np.arange(1, 21)),
    "star": lambda seed: Graph.from_edges(np.zeros(20, int), np.arange(1, 21)),
    "parallel": lambda seed: random_graph(seed, 12, 40, duplicates="keep").without_self_loops,
}


@pytest.mark.parametrize("by", ["vertices", "edges"])
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.cross
def test_orders(device, name, by):
    for seed in range(6):
        graph, rng = GRAPHS[name](seed), np.random.default_rng(seed)
        pairs = Rows(graph).ends
        if by == "vertices":
            given = rng.permutation(graph.num_vertices).astype(np.int32)
            order = given.tolist()
        else:
            given = rng.permutation(np.array(pairs, np.int32)).T.copy()
            order = list(zip(*given.tolist(), strict=True))
        rows = zip(*(each.tolist() for each in whole_tree(device, graph, **{by: given})), strict=True)
        assert list(rows) == rows_of_deletions(graph.num_vertices, pairs, order)


def test_progress_reaches_the_end(device, monkeypatch):
    monkeypatch.setattr("clgraph.sampling.merge_tree.STEPS", 8)
    graph, seen = random_graph(1, 25, 40).without_self_loops, []
    order = np.arange(25, dtype=np.int32)
    whole_tree(device, graph, vertices=order, progress=lambda *told: seen.append(told))
    assert seen == [(8, 25), (16, 25), (24, 25), (25, 25)]


def test_following_the_larger_child():
    """A vertex that held three components together: one node with three children, not a chain of pairs."""
    tree = MergeTree([4, 6, 6], [9, 3, 1])
    node = tree.merge(0, {0, 1, 2}, 7)
    assert (tree.size[node], tree.smallest[node]) == (17, 1)
    assert tree.top(0) == tree.top(2) == node
    assert tree.follow(node, 17) == (node, None)
    assert tree.follow(node, 16) == (2, 0)  # of the two with six vertices the one with vertex 1
    above = tree.merge(5, {node}, 0)
    assert tree.follow(above, 10) == (2, 0)
    assert tree.follow(above, 17) == (node, 5)


# --- all deletions at once ------------------------------------------------------------------------------

LARGER = {
    "power law": powerlaw_graph(3000, seed=1),
    "parts": random_graph(2, 400, 300).without_self_loops,
    "copies": tangle(3, duplicates="keep").without_self_loops,
    "path": Graph.from_edges(np.arange(700), np.arange(1, 701)),
    "star": Graph.from_edges(np.zeros(300, int), np.arange(1, 301)),
    "pair": Graph.from_edges([0], [1]),
}


@pytest.mark.parametrize("name", LARGER)
@pytest.mark.parametrize("edges", [False, True], ids=["drv", "dre"])
def test_rows_of_the_serial_pass(device, name, edges):
    graph = LARGER[name]
    if edges and graph.is_multigraph:
        pytest.skip("the forest does not tell copies of an edge apart: reduction_curve goes another way")
    for seed in (1, 2**63 + 5):
        if edges:
            low, high, sequence = _edge_order(graph, seed)
            wanted = whole_tree(device, graph, edges=(low[sequence], high[sequence]))
        else:
            order = _vertex_order(graph.num_vertices, seed).astype(np.int32)
            wanted = whole_tree(device, graph, vertices=order)
        for target in (1, max(1, graph.num_vertices // 3), graph.num_vertices):
            last = min(int(np.searchsorted(-wanted[1], -target)), len(wanted[1]) - 1)
            rows = rows_of_curve(device, graph, seed, target, edges=edges)
            for found, want in zip(rows, wanted, strict=True):
                assert found.dtype == want.dtype and found.tolist() == want[: last + 1].tolist()


def test_edges_of_one_time(device, monkeypatch):
    """Edges' words decide then, in two sorts more: the same rows, and told by times that are equal."""
    graph = LARGER["power law"]
    wanted = rows_of_curve(device, graph, 5, 1, edges=True)
    monkeypatch.setattr(deletion_times, "_tied", lambda *_: True)
    for found, want in zip(rows_of_curve(device, graph, 5, 1, edges=True), wanted, strict=True):
        assert np.array_equal(found, want)
    monkeypatch.undo()
    program = device.program("sampling/deletion_times", ITEMS=device.tuning.items, BY_EDGE=1)
    up = device.upload(np.array([-1, 0, 1, -1, 1], np.int32))
    for order, tied in (([1, 2, 4, 0, 3], False), ([1, 2, 2, 0, 3], True), ([0, 3, 0, 4], False)):
        listed = device.upload(np.array(order, np.int32))
        assert deletion_times._tied(device, program, len(order), 7, listed, up) == tied
