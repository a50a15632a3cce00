"""`Graph.from_networkx` and `Graph.to_networkx`."""

import random

import numpy as np
import pytest

from clgraph import Graph, InputError
from clgraph.graph.exchange.networkx import Nodes

nx = pytest.importorskip("networkx")

MAKERS = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)


def decorated(make, names):
    """A graph with attributes on everything, self-loops, and parallel edges where it can have them."""
    rng = random.Random(len(names))
    G = make(title="decorated", made=[1, 2])
    G.add_nodes_from((v, {"colour": i % 3} if i % 2 else {}) for i, v in enumerate(names))
    for i in range(3 * len(names)):
        known = {"weight": i / 4, "kind": "ab"[i % 2]} if i % 3 else {}
        G.add_edge(rng.choice(names), rng.choice(names), **known)
    G.add_edge(names[0], names[0], weight=2)
    return G


NAMES = {
    "counted": list(range(30)),
    "shuffled": random.Random(1).sample(range(30), 30),
    "integers": [7 * v + 3 for v in random.Random(2).sample(range(30), 30)],
    "far": [10**15 * v for v in random.Random(3).sample(range(1, 31), 30)],
    "negative": [v - 10 for v in range(30)],
    "huge": [2**70 + v for v in range(30)],
    "strings": [f"v{v}" for v in range(30)],
    "mixed": [*"abc", 1, (2, "b"), 2.5, frozenset({1}), "1", True + 1, *((0, v) for v in range(21))],
}


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("kind", NAMES)
def test_there_and_back(make, kind):
    G = decorated(make, NAMES[kind])
    graph = Graph.from_networkx(G)
    assert graph.num_vertices == 30 and graph.directed is G.is_directed()
    assert graph._has_identity_ids is (kind in ("counted", "negative", "huge", "mixed"))
    if kind in ("shuffled", "integers", "far", "strings"):
        assert graph.ids.tolist() == list(G)
    matrix = nx.to_scipy_sparse_array(G, nodelist=list(G))
    if not G.is_multigraph():  # NetworkX counts loops of undirected multigraphs twice
        assert np.array_equal(graph.to_scipy().toarray(), matrix.toarray())
    rows = np.flatnonzero(np.diff(graph.tails) == 0)
    assert np.all(np.diff(graph.col_idx)[rows] > 0)  # ascending, no arc twice

    back = graph.to_networkx(attributes=G)
    assert type(back) is make and list(back) == list(G)
    assert nx.utils.graphs_equal(back, G)
    back.nodes[NAMES[kind][1]]["colour"] = "changed"
    assert G.nodes[NAMES[kind][1]]["colour"] == 1


def test_parallel_edges_are_merged_or_kept():
    G = nx.MultiGraph([("a", "b", {"weight": 2}), ("a", "b", {}), ("b", "b", {"weight": 5}), ("b", "c", {})])
    G.add_edge("b", "b")
    merged = Graph.from_networkx(G)
    assert merged.num_edges == 3
    assert merged.to_edges().weights.tolist() == [3, 6, 1]
    assert merged.to_edges().multiplicity.tolist() == [2, 2, 1]
    kept = Graph.from_networkx(G, duplicates="keep")
    assert kept.num_edges == 5 and kept.multiplicity is None
    assert sorted(kept.to_edges().weights.tolist()) == [1, 1, 1, 2, 5]
    assert nx.utils.graphs_equal(kept.to_networkx(attributes=G), G)
    plain = kept.to_networkx()
    assert type(plain) is nx.MultiGraph and plain.number_of_edges() == 5
    counted = Graph.from_networkx(G, weight=False).to_networkx()
    assert (counted["a"]["b"], counted["b"]["c"]) == ({"multiplicity": 2}, {"multiplicity": 1})


def test_without_the_graph_it_came_from():
    graph = Graph.from_edges(["x", "y"], ["y", "z"], weights=[1.5, 2], directed=True, vertices=["alone"])
    G = graph.to_networkx()
    assert type(G) is nx.DiGraph and list(G) == ["alone", "x", "y", "z"]
    assert list(G.edges(data="weight")) == [("x", "y", 1.5), ("y", "z", 2.0)]
    assert type(G["x"]["y"]["weight"]) is float
    assert Graph.from_networkx(G).to_edges().source.tolist() == ["x", "y"]


def test_a_part_keeps_its_attributes():
    G = decorated(nx.Graph, NAMES["mixed"])
    nodes = list(G)
    part = Graph.from_networkx(G).subgraph(np.array([3, 4, 5, 12, 20]))
    made = part.to_networkx(attributes=G)
    assert list(made) == [nodes[i] for i in (3, 4, 5, 12, 20)]
    assert nx.utils.graphs_equal(made, nx.Graph(G.subgraph(made)))
    directed = Graph.from_networkx(nx.DiGraph([(0, 1), (2, 1)])).undirected.to_networkx()
    assert sorted(directed.edges) == [(0, 1), (1, 2)]


def test_weights():
    G = nx.path_graph(4)
    assert Graph.from_networkx(G).weights is None
    G[1][2]["weight"] = 3
    G[0][1]["miles"] = 2
    assert Graph.from_networkx(G).to_edges().weights.tolist() == [1, 3, 1]
    assert Graph.from_networkx(G, weight="miles").to_edges().weights.tolist() == [2, 1, 1]
    assert Graph.from_networkx(G, weight=False).weights is None
    with pytest.raises(InputError, match="no edge of the NetworkX graph has the attribute 'km'"):
        Graph.from_networkx(G, weight="km")
    infinite = float("inf"), "weight inf"
    for value, said in (("far", "'far'"), ([1], r"\[1\]"), (None, "weight None"), infinite):
        G[1][2]["weight"] = value
        with pytest.raises(InputError, match=rf"the edge \(1, 2\) has weight.*{said}|has {said}"):
            Graph.from_networkx(G)


def test_bad_input():
    with pytest.raises(InputError, match=r"a networkx\.Graph is needed, not dict"):
        Graph.from_networkx({0: [1]})
    with pytest.raises(InputError, match="duplicates is 'both'"):
        Graph.from_networkx(nx.Graph(), duplicates="both")
    graph = Graph.from_edges([0, 1], [1, 7])
    for other, strange in ((nx.path_graph(3), 7), (nx.relabel_nodes(nx.path_graph(3), str), 0)):
        with pytest.raises(InputError, match=f"vertex {strange} is not in that NetworkX graph"):
            graph.to_networkx(attributes=other)
    assert Graph.from_networkx(nx.DiGraph()).num_vertices == 0
    assert len(Graph.from_networkx(nx.Graph()).to_networkx()) == 0


def test_views_and_rows_in_another_order():
    G = nx.gnm_random_graph(30, 80, seed=1)
    view = G.subgraph(range(5, 25))
    assert nx.utils.graphs_equal(Graph.from_networkx(view).to_networkx(), nx.Graph(view))
    strange = nx.path_graph(4)
    strange._adj = dict(reversed(strange._adj.items()))
    assert Graph.from_networkx(strange).to_edges().target.tolist() == [1, 2, 3]


@pytest.mark.smoke
def test_nodes():
    for names in NAMES.values():
        G = nx.Graph()
        G.add_nodes_from(names)
        nodes = Nodes(G)
        assert [nodes.find(v) for v in names] == list(range(30))
        assert nodes.numbers(reversed(names)).tolist() == list(range(30))[::-1]
        assert nodes.names(np.array([3, 1])) == [names[3], names[1]]
        assert nodes.find("nobody") is nodes.find(31 - 2**65) is None
        for stranger in (-1000, 1000, 10**12 + 1, 10**30, "nobody"):
            with pytest.raises(KeyError):
                nodes.numbers([names[1], stranger])
    with pytest.raises(TypeError):
        nodes.find([])
