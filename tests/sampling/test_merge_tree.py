"""The tree of merges and its kernels, against a plain union-find that tries every number of deletions."""

import numpy as np
import pytest
from graphs import random_graph

from clgraph import Graph
from clgraph.sampling.merge_tree import MergeTree, whole_tree


def largest(n, inside, edges):
    """(vertices, edges) of the largest component among `inside`; of equals that of the smallest vertex."""
    above = {v: v for v in range(n) if inside[v]}

    def top(v):
        while above[v] != v:
            v = above[v]
        return v

    for u, v in edges:
        a, b = top(u), top(v)
        above[max(a, b)] = min(a, b)  # a root is the smallest vertex
    sizes = dict.fromkeys(above, 0)
    for v in above:
        sizes[top(v)] += 1
    root = min(above, key=lambda v: (-sizes[v], v))
    kept = {v for v in above if top(v) == root}
    return kept, [(u, v) for u, v in edges if u in kept]


def loop(graph, order, by_vertices):
    """Rows (deletions, vertices, edges) of the loop, whenever the number of vertices has changed."""
    n = graph.num_vertices
    upper = graph.tails < graph.col_idx
    edges = list(zip(graph.tails[upper].tolist(), graph.col_idx[upper].tolist(), strict=True))
    kept, left = largest(n, np.ones(n, bool), edges)
    rows, deletions = [(0, len(kept), len(left))], 0
    for thing in order:
        if by_vertices:
            if thing not in kept or len(kept) == 1:
                continue
            inside = kept - {thing}
            left = [(u, v) for u, v in left if thing not in (u, v)]
        else:
            if thing not in left:
                continue
            inside = kept
            left.remove(thing)
        deletions += 1
        kept, left = largest(n, [v in inside for v in range(n)], left)
        if len(kept) != rows[-1][1]:
            rows.append((deletions, len(kept), len(left)))
    return rows


GRAPHS = {
    "random": lambda seed: random_graph(seed, 25, 40).without_self_loops,
    "sparse": lambda seed: random_graph(seed, 30, 24).without_self_loops,
    "path": lambda seed: Graph.from_edges(np.arange(20), np.arange(1, 21)),
    "star": lambda seed: Graph.from_edges(np.zeros(20, int), np.arange(1, 21)),
    "parallel": lambda seed: random_graph(seed, 12, 40, duplicates="keep").without_self_loops,
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.cross
def test_orders_of_vertices(device, name):
    for seed in range(6):
        graph = GRAPHS[name](seed)
        order = np.random.default_rng(seed).permutation(graph.num_vertices).astype(np.int32)
        found = np.stack(whole_tree(device, graph, vertices=order), axis=1)
        assert found.tolist() == [list(row) for row in loop(graph, order.tolist(), True)]


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.cross
def test_orders_of_edges(device, name):
    for seed in range(6):
        graph = GRAPHS[name](seed)
        upper = np.flatnonzero(graph.tails < graph.col_idx)
        shuffled = np.random.default_rng(seed).permutation(upper)
        low, high = graph.tails[shuffled].astype(np.int32), graph.col_idx[shuffled]
        found = np.stack(whole_tree(device, graph, edges=(low, high)), axis=1)
        order = list(zip(low.tolist(), high.tolist(), strict=True))
        assert found.tolist() == [list(row) for row in loop(graph, order, False)]


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
