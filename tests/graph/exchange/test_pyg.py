"""Edge indices, and graphs of PyTorch Geometric."""

import re
import sys

import numpy as np
import pytest
from graph_files import arcs_of
from graphs import random_graph, same, tangle

import clgraph
from clgraph import Graph, InputError


@pytest.mark.smoke
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"duplicates": "keep"}, {"weights": np.random.default_rng(1).random(200)}],
    ids=["merged", "kept", "weighted"],
)
def test_there_and_back(directed, options):
    graph = random_graph(3, 30, 200, directed=directed, **options)
    edges = graph.to_edge_index()
    assert edges.edge_index.dtype == np.int64 and edges.edge_index.flags.writeable
    assert list(zip(*edges.edge_index.tolist(), strict=True)) == arcs_of(graph)
    kept = {"duplicates": "keep"} if "duplicates" in options else {}
    index = edges.edge_index
    if edges.weights is None and edges.multiplicity is not None:  # which has no place in an edge index
        index = np.repeat(index, edges.multiplicity, axis=1)
    back = Graph.from_edge_index(index, edges.weights, directed=directed, num_vertices=30, **kept)
    if edges.weights is None:
        same(back, graph)
    else:
        assert arcs_of(back) == arcs_of(graph) and back.weights.tolist() == graph.weights.tolist()


def test_loops_and_edges_once():
    loops = Graph.from_edge_index([[0, 0, 1, 1], [0, 1, 0, 1]], directed=False)
    assert arcs_of(loops) == [(0, 0), (0, 1), (1, 0), (1, 1)] and loops.num_edges == 3
    once = Graph.from_edge_index([[2, 0, 1], [0, 1, 2]], [1.0, 2.0, 3.0], directed=False)
    assert arcs_of(once) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]
    assert once.weights.tolist() == [2, 1, 2, 3, 1, 3]
    down = Graph.from_edge_index([[2, 1], [0, 0]], directed=False, num_vertices=5)
    assert down.num_edges == 2 and down.num_vertices == 5


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.uint64, np.int8, np.int64])
def test_integers_of_any_type(dtype):
    index = np.array([[0, 1], [1, 2]], dtype)
    same(Graph.from_edge_index(index, directed=False), Graph.from_edges([0, 1], [1, 2]))
    assert Graph.from_edge_index(index[:, :0], directed=True).num_vertices == 0


def test_parallel_edges_in_both_directions():
    index = [[0, 1, 0, 1], [1, 0, 1, 0]]
    merged = Graph.from_edge_index(index, [1, 2, 2, 1], directed=False)
    assert merged.multiplicity.tolist() == [2, 2] and merged.weights.tolist() == [3, 3]
    kept = Graph.from_edge_index(index, directed=False, duplicates="keep")
    assert kept.num_edges == 2 and kept.is_multigraph


@pytest.mark.parametrize(
    ("index", "options", "message"),
    [
        ([[0, 1, 1], [1, 0, 2]], {}, "not symmetric: the edge of 1 and 2 "),
        ([[0, 0, 1, 2], [1, 1, 0, 1]], {}, "not symmetric: the edge of 0 and 1 "),
        ([[0, 1], [1, 0]], {"weights": [1, 2]}, "other weights from 0 to 1 than back"),
        ([0, 1], {}, "edge_index has shape (2,): it has two rows"),
        ([[0], [1], [2]], {}, "edge_index has shape (3, 1)"),
        ([[0.5], [1]], {}, "edge_index is of type float64"),
        ([[0, -1], [1, 1]], {}, "edge_index[0][1] is -1"),
        ([[0, 1], [1, 7]], {"num_vertices": 3}, "edge_index[1][1] is 7: the numbers of 3 vertices"),
        ([[0], [2**40]], {}, "at most 2147483647"),
        ([[0], [1]], {"weights": [np.nan]}, "weight 0 (counted from 0) is not finite"),
        ([[0], [1]], {"weights": [1, 2]}, "1 edges but weights of shape (2,)"),
        ([[0], [1]], {"num_vertices": -1}, "num_vertices is -1"),
        ([[0], [1]], {"duplicates": "x"}, "duplicates is 'x'"),
        ([[0, 1], [1]], {}, "edge_index is no array"),
    ],
)
def test_wrong_edge_indices(index, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        Graph.from_edge_index(index, directed=False, **options)


def test_without_pyg(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InputError, match="this needs torch, which cannot be imported"):
        clgraph.to_pyg_data(tangle(1, 5, 5))


def test_several_batches_are_refused(device):
    found = clgraph.sample_neighbors(tangle(1), [0, 1], [2], batches=2, device=device)
    with pytest.raises(InputError, match=r"there are 2 batches: use batch\(0\)"):
        found.to_pyg_data(tangle(1))


# --- with PyTorch Geometric -----------------------------------------------------------------------------


@pytest.fixture
def torch():
    pytest.importorskip("torch_geometric")
    return pytest.importorskip("torch")


def test_tensors_are_taken(torch):
    index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    graph = Graph.from_edge_index(index, torch.tensor([1.0, 1, 2, 2]), directed=False)
    assert graph.num_edges == 2 and graph.weights.tolist() == [1, 1, 2, 2]
    with pytest.raises(InputError, match=r"weights is no array: .*detach"):
        Graph.from_edge_index(index, torch.ones(4, requires_grad=True), directed=False)
    edges = graph.to_edge_index()
    there = torch.from_dlpack(edges.edge_index)
    assert torch.equal(there, index) and there.data_ptr() == edges.edge_index.ctypes.data


def test_data_of_a_graph(torch):
    from torch_geometric.utils import is_undirected

    graph = tangle(2, 20, 60, weights=np.arange(60.0))
    data = clgraph.to_pyg_data(graph)
    assert data.validate() and is_undirected(data.edge_index) and not hasattr(data, "ids")
    assert data.num_nodes == 20 and data.num_edges == graph.num_arcs
    assert data.edge_weight.tolist() == graph.weights.tolist()
    assert data.multiplicity.tolist() == graph.multiplicity.tolist()
    named = clgraph.to_pyg_data(Graph.from_edges(["a"], ["b"], directed=True))
    assert named.ids == ["a", "b"] and named.edge_index.tolist() == [[0], [1]]
    assert clgraph.to_pyg_data(Graph.from_edges([10], [20])).ids.tolist() == [10, 20]


def test_attributes(torch, tmp_path):
    pandas = pytest.importorskip("pandas")
    columns = {"source": [0, 1], "target": [1, 2], "km": [1.5, None], "x": [1, 2], "road": ["A", "B"]}
    data = clgraph.to_pyg_data(Graph.from_pandas(pandas.DataFrame(columns)))
    assert data.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert data.road == ["A", "A", "B", "B"] and data.x_.tolist() == [1, 1, 2, 2]
    assert data.km[:2].tolist() == [1.5, 1.5] and np.isnan(data.km[2:].numpy()).all()


def test_a_batch_as_pyg_makes_it(torch, device):
    graph = tangle(4, 40, 200, directed=True, weights=np.arange(200.0))
    whole = clgraph.to_pyg_data(graph)
    found = clgraph.sample_neighbors(graph, [3, 1], [4, 2], seed=1, device=device)
    data = found.to_pyg_data(graph)
    assert data.validate() and data.batch_size == 2 and data.n_id[:2].tolist() == [3, 1]
    assert torch.equal(whole.edge_index[:, data.e_id], data.n_id[data.edge_index])
    assert torch.equal(whole.edge_weight[data.e_id], data.edge_weight)
    assert sum(data.num_sampled_nodes) == data.num_nodes == len(data.n_id)
    assert sum(data.num_sampled_edges) == data.num_edges
    trees = clgraph.sample_neighbors(graph, [3, 1], [4, 2], seed=1, disjoint=True, device=device)
    assert trees.to_pyg_data(graph).batch[:2].tolist() == [0, 1]
