"""Chordal subgraphs on every device against their references, and against their definition."""

from itertools import combinations

import networkx as nx
import numpy as np
from samplers import equals_reference

from clgraph import Graph
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.chordal import is_chordal, may_join
from clgraph.sampling import sample


def test_parts_given(device):
    graph = powerlaw_graph(120, seed=2)
    words = np.array(["a", "b", "c"])[np.arange(120) // 50]
    made = equals_reference(graph, "quasi-chordal", device, seed=1, parts=np.arange(120) // 50)
    named = sample(graph, "quasi-chordal", parts=words, seed=1, device=device)
    assert made.edges.tolist() == named.edges.tolist()
    assert made.parts.tolist() == (np.arange(120) // 50).tolist()
    alone = equals_reference(graph, "quasi-chordal", device, seed=1, parts=1)
    assert (
        alone.edges.tolist() == sample(graph, "chordal", mode="exact", seed=1, device=device).edges.tolist()
    )


def test_a_chordal_graph_is_kept_whole(device):
    """A 3-tree is chordal: the exact method keeps all of it, in any case a chordal part."""
    rng = np.random.default_rng(4)
    cliques = [(0, 1, 2)]
    edges = {(0, 1), (0, 2), (1, 2)}
    for v in range(3, 60):
        base = cliques[rng.integers(len(cliques))]
        edges |= {(u, v) for u in base}
        cliques += [(*pair, v) for pair in combinations(base, 2)]
    graph = Graph.from_edges(*zip(*edges, strict=True))
    made = sample(graph, "chordal", mode="exact", seed=3, device=device)
    assert made.num_edges == graph.num_edges
    ordered = sample(graph, "chordal", seed=3, device=device)
    assert nx.is_chordal(ordered.graph.to_networkx())
    assert any("not always maximal" in note for note in ordered.notes)


def test_the_criterion():
    """An edge may be added iff the graph stays chordal; `is_chordal` agrees with NetworkX."""
    rng = np.random.default_rng(1)
    tried = 0
    for _ in range(60):
        wide = nx.gnp_random_graph(7, rng.uniform(0.2, 0.8), seed=int(rng.integers(1 << 30)))
        near = [set(wide[v]) for v in range(7)]
        assert is_chordal(near) == nx.is_chordal(wide)
        if not nx.is_chordal(wide):
            continue
        for u, v in nx.non_edges(wide):
            more = nx.Graph(wide)
            more.add_edge(u, v)
            assert may_join(near, u, v) == nx.is_chordal(more)
            tried += 1
    assert tried > 100
