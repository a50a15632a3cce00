"""igraph graphs, there and back."""

import numpy as np
import pytest
from exchanges import needed, on_rich_graphs, rich
from graphs import same

from clgraph import Graph, InputError

igraph = needed("igraph")


@on_rich_graphs
def test_there_and_back(kind, directed, weighted, copies):
    graph = rich(kind, directed, weighted, copies)
    same(Graph.from_igraph(graph.to_igraph(), duplicates="keep" if copies else "merge"), graph)


@pytest.mark.smoke
def test_igraph_sees_the_same_graph():
    graph = rich("names", True, True, False)
    made = graph.to_igraph()
    assert made.is_directed() and made.vs["name"] == graph.ids.tolist()
    rows = np.split(graph.col_idx, graph.row_ptr[1:-1])
    assert [made.neighbors(v, mode="out") for v in range(8)] == [sorted(row.tolist()) for row in rows]
    np.testing.assert_allclose(made.get_adjacency(attribute="weight").data, graph.to_scipy().toarray())


def test_igraph_keeps_its_order_and_names():
    made = igraph.Graph(n=4, edges=[(2, 0), (0, 1), (1, 0)])
    made.vs["name"] = ["d", "a", "c", "b"]
    graph = Graph.from_igraph(made)
    assert graph.ids.tolist() == ["d", "a", "c", "b"] and graph.neighbors("d").tolist() == ["a", "c"]
    assert graph.multiplicity.tolist() == [2, 1, 2, 1]
    assert graph.indices_of(["b", "d"]).tolist() == [3, 0]
    made.vs["name"] = [7, 3, 9, 1]
    assert Graph.from_igraph(made).ids.tolist() == [7, 3, 9, 1]
    assert Graph.from_igraph(made, duplicates="keep").num_edges == 3
    assert Graph.from_igraph(igraph.Graph()).num_vertices == 0
    assert Graph.from_edges([], []).to_igraph().vcount() == 0
    made.es["length"] = [1, 2, 3]
    assert Graph.from_igraph(made, weight="length").weights.tolist() == [5, 1, 5, 1]
    assert Graph.from_igraph(made).weights is None


def test_igraph_attributes_come_back_with_a_part():
    ring = igraph.Graph.Ring(6, directed=True)
    ring.vs["name"] = [10, 20, 30, 40, 50, 60]
    ring.vs["colour"] = list("abcdef")
    ring.es["label"] = list("uvwxyz")
    part = Graph.from_igraph(ring).subgraph([5, 0, 3])
    made = part.to_igraph(attributes=ring)
    assert made.vs["name"] == [10, 40, 60] and made.vs["colour"] == ["a", "d", "f"]
    assert made.es["label"] == ["z"]
    view = Graph.from_edges([20, 10, 10], [10, 60, 40]).to_igraph(attributes=ring)  # 10-40 is no edge there
    assert view.es["label"] == ["u", None, "z"]
    with pytest.raises(InputError, match="vertex 11 is not in"):
        Graph.from_edges([10], [11]).to_igraph(attributes=ring)
    del ring.vs["name"]
    with pytest.raises(InputError, match="vertex 60 is not in that igraph graph"):
        part.to_igraph(attributes=ring)


@pytest.mark.parametrize(
    ("vertices", "edges", "options", "said"),
    [
        ({"name": ["a", "b", "a"]}, {}, {}, "igraph graph: two vertices have the id 'a'"),
        ({"name": ["a", None, "b"]}, {}, {}, r"igraph graph: vertex id None \(vertex 1\)"),
        ({"name": [1, -2, 3]}, {}, {}, r"igraph graph: vertex id -2 \(vertex 1\)"),
        ({}, {"weight": [1, None, 2]}, {}, "edge 1 has weight None"),
        ({}, {"weight": [1, "x", 2]}, {}, "edge 1 has weight 'x'"),
        ({}, {"weight": [1, 2, float("inf")]}, {}, "edge 2 has weight inf"),
        ({}, {}, {"weight": "cost"}, "no edge attribute 'cost'"),
    ],
)
def test_bad_input_is_told_once_and_clearly(vertices, edges, options, said):
    ring = igraph.Graph(3, [(0, 1), (1, 2), (2, 0)], vertex_attrs=vertices, edge_attrs=edges)
    with pytest.raises(InputError, match=said):
        Graph.from_igraph(ring, **options)
    with pytest.raises(InputError, match=r"igraph\.Graph is needed, not int"):
        Graph.from_igraph(3)
