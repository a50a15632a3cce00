"""NetworkX's order of a search, on levels small and large."""

from __future__ import annotations

import random

import pytest

nx = pytest.importorskip("networkx")

from networkx_graphs import random_graph, same  # noqa: E402

from clgraph.networkx_backend import traversal  # noqa: E402


@pytest.mark.parametrize("few", [0, 12, 10**9])
def test_order_of_levels_small_and_large(on, few, monkeypatch):
    monkeypatch.setattr(traversal, "FEW", few)
    rng = random.Random(5)
    G = nx.compose(nx.path_graph(300), nx.gnm_random_graph(400, 700, seed=2))
    nodes = rng.sample(list(G), len(G))
    H = nx.relabel_nodes(G, dict(zip(G, nodes, strict=True)))
    same("bfs_edges", H, 0)
    same("single_source_shortest_path", H, 7)
    same("all_pairs_shortest_path_length", nx.path_graph(70))
    D = random_graph(nx.DiGraph, list(range(200)), 260, rng)
    same("bfs_tree", D, 3)
    same("strongly_connected_components", D)
    same("condensation", D)
