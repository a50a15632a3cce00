"""The Graph against slow and obvious truths."""

import pickle
from collections import Counter

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from exchanges import on_rich_graphs, rich
from graph_files import arcs_of
from graphs import same

import clgraph.graph.building
from clgraph import Graph, InputError
from clgraph.files import read
from clgraph.graph import build_csr
from clgraph.graph.views import component_labels


def random_rows(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 12)), int(rng.integers(0, 40))
    return n, rng.integers(0, n, m), rng.integers(0, n, m), rng.random(m)


def drawn_rows():
    yield from map(random_rows, range(60))
    rng = np.random.default_rng(5)
    for extra in (3, 700):  # above one in 32 merged, counts are taken in another way
        rows = np.append(np.arange(1000), rng.integers(0, 1000, extra))
        yield 500, *rng.integers(0, 500, (2, 1000))[:, rows], rng.random(len(rows))


def check_shape(graph):
    """What every Graph promises."""
    n = graph.num_vertices
    assert graph.row_ptr[0] == 0 and graph.row_ptr[-1] == graph.num_arcs
    assert graph.row_ptr.dtype == np.int32 and graph.col_idx.dtype == np.int32
    assert not graph.num_arcs or (graph.col_idx.min() >= 0 and graph.col_idx.max() < n)
    key = graph.tails.astype(np.int64) * n + graph.col_idx
    assert np.all(np.diff(key) >= 0)
    for payload, kind in ((graph.weights, np.float64), (graph.multiplicity, np.int32)):
        assert payload is None or (payload.dtype == kind and len(payload) == graph.num_arcs)
    assert graph.num_self_loops == np.count_nonzero(graph.tails == graph.col_idx)
    if not graph.directed:
        back = sorted((v, u) for u, v in arcs_of(graph))
        assert back == sorted(arcs_of(graph))


@pytest.mark.smoke
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
@pytest.mark.parametrize("directed", [False, True])
def test_from_edges_equals_a_dictionary(directed, duplicates, weighted):
    for n, source, target, weights in drawn_rows():
        how = {"directed": directed, "duplicates": duplicates, "vertices": np.arange(n)}
        graph = Graph.from_edges(source, target, weights=weights if weighted else None, **how)
        check_shape(graph)
        count, total = Counter(), Counter()
        for u, v, w in zip(source.tolist(), target.tolist(), weights.tolist(), strict=True):
            for arc in {(u, v)} if directed or u == v else {(u, v), (v, u)}:
                count[arc] += 1
                total[arc] += w
        arcs = arcs_of(graph)
        if duplicates == "merge":
            assert arcs == sorted(count)
            counts = [1] * len(arcs) if graph.multiplicity is None else graph.multiplicity.tolist()
            assert counts == [count[arc] for arc in arcs]
            assert graph.multiplicity is None or max(counts) > 1
        else:
            assert arcs == sorted(count.elements()) and graph.multiplicity is None
        if weighted:
            found = Counter()
            for arc, w in zip(arcs, graph.weights.tolist(), strict=True):
                found[arc] += w
            assert found == pytest.approx(total)
        edges = {(u, v) if directed else (min(u, v), max(u, v)) for u, v in count}
        assert graph.num_edges == (len(edges) if duplicates == "merge" else len(source))
        assert graph.num_duplicates == len(source) - len(edges)


def test_copies_stand_in_the_order_of_the_input():
    graph = Graph.from_edges([2, 1, 2, 0], [1, 2, 1, 1], weights=[3.0, 1.0, 2.0, 9.0], duplicates="keep")
    assert graph.weights.tolist() == [9.0, 9.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    "ids",
    [[0, 1, 2, 3, 4], [3, 10, 7, 1000, 5], [2**40, 7, 2**62, 2**63 - 1, 12], ["b", "a", "zoë", "B", "10"]],
)
def test_ids(ids):
    a, b, c, d, e = ids
    graph = Graph.from_edges([a, b, c, a], [b, c, d, d], vertices=[e], directed=True)
    assert graph.ids.tolist() == sorted(ids)
    assert sorted(arcs_of(graph)) == sorted([(a, b), (b, c), (c, d), (a, d)])
    assert graph.indices_of(ids).tolist() == [sorted(ids).index(x) for x in ids]
    assert graph.indices_of(a).tolist() == [sorted(ids).index(a)]
    assert sorted(graph.neighbors(a).tolist()) == sorted([b, d])
    assert graph.neighbors(e).tolist() == []
    assert graph._has_identity_ids == (ids[0] == 0)


@pytest.mark.parametrize(
    ("source", "target", "wanted"),
    [
        *(([0, 1], [1, last], x) for x in (9, -1, [0, 9], "a", 1.5, True, None, 2**70) for last in (2, 5)),
        (["a"], ["b"], ["c"]),
        ([], [], 0),
    ],
)
def test_index_names_what_is_not_there(source, target, wanted):
    with pytest.raises(InputError, match="not in the graph"):
        Graph.from_edges(source, target).indices_of(wanted)
    with pytest.raises(InputError, match="strings"):
        Graph.from_edges(["a"], ["b"]).indices_of([1])


@pytest.mark.smoke
def test_empty_and_one_vertex():
    for directed in (False, True):
        empty = Graph.from_edges([], [], directed=directed)
        assert (empty.num_vertices, empty.num_edges, empty.num_arcs) == (0, 0, 0)
        assert empty.largest_component().num_vertices == 0
        assert empty.reverse.num_arcs == empty.undirected.num_arcs == empty.without_self_loops.num_arcs == 0
        one = Graph.from_edges([], [], vertices=[7], directed=directed)
        assert one.ids.tolist() == [7] and one.degrees.tolist() == [0]
        assert one.largest_component().ids.tolist() == [7]
        loop = Graph.from_edges([7], [7], directed=directed)
        assert (loop.num_vertices, loop.num_edges, loop.num_arcs, loop.num_self_loops) == (1, 1, 1, 1)
        assert loop.without_self_loops.num_edges == 0 and loop.without_self_loops.ids.tolist() == [7]
        for graph in (empty, one, loop):
            check_shape(graph)


@pytest.mark.smoke
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_reverse_undirected_simple(duplicates):
    for seed in range(40):
        _, source, target, weights = random_rows(seed)
        ends, how = (source * 3, target * 3), {"weights": weights, "duplicates": duplicates}
        graph = Graph.from_edges(*ends, directed=True, **how)
        dense = graph.to_scipy().toarray()
        assert np.array_equal(graph.reverse.to_scipy().toarray(), dense.T)
        check_shape(graph.reverse)
        assert graph.reverse is graph.reverse
        both = graph.undirected
        check_shape(both)
        plain = Graph.from_edges(*ends, **how)
        assert both.num_edges == plain.num_edges or duplicates == "keep"
        assert np.allclose(both.to_scipy().toarray(), plain.to_scipy().toarray())
        assert both.undirected is both and both.reverse is both
        assert both.num_duplicates == plain.num_duplicates or duplicates == "keep"
        simple = graph.without_self_loops
        check_shape(simple)
        assert simple.num_self_loops == 0
        assert np.array_equal(simple.to_scipy().toarray(), dense - np.diag(np.diag(dense)))
        assert np.array_equal(simple.ids, graph.ids)


@pytest.mark.smoke
def test_subgraph_is_the_induced_one():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, *ends, weights = random_rows(seed)
        graph = Graph.from_edges(*ends, weights=weights, vertices=np.arange(n), directed=bool(seed % 2))
        keep = rng.random(n) < 0.6
        dense = graph.to_scipy().toarray()[keep][:, keep]
        for vertices in (keep, rng.permutation(np.flatnonzero(keep))):
            small = graph.subgraph(vertices)
            check_shape(small)
            assert small.ids.tolist() == np.flatnonzero(keep).tolist()
            assert np.array_equal(small.to_scipy().toarray(), dense)
        arcs = graph.tails + graph.col_idx > n  # the same for both arcs of an edge
        part = graph.subgraph(np.ones(n, bool), arcs)
        check_shape(part)
        assert part.num_arcs == np.count_nonzero(arcs) and part.num_vertices == n


@pytest.mark.smoke
def test_largest_component_equals_networkx():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        source, target = rng.integers(0, 30, (2, 18)) * 2
        graph = Graph.from_edges(source, target, directed=bool(seed % 2))
        truth = nx.Graph(list(zip(source.tolist(), target.tolist(), strict=True)))
        components = list(nx.connected_components(truth))
        largest = min(components, key=lambda c: (-len(c), min(c)))
        assert graph.largest_component().ids.tolist() == sorted(largest)
        assert component_labels(graph._arrays)[0] == len(components)
    tied = Graph.from_edges([10, 4, 2], [11, 5, 3])
    assert tied.largest_component().ids.tolist() == [2, 3]  # the smallest vertex decides


@pytest.mark.smoke
def test_pickle():
    graph = Graph.from_edges(["x", "x"], ["y", "y"], weights=[1.5, 2.0], directed=True)
    assert graph.reverse is not graph  # cached: not pickled
    copy = pickle.loads(pickle.dumps(graph))
    assert "reverse" not in vars(copy)
    assert vars(copy).keys() >= {"row_ptr", "col_idx", "weights", "multiplicity", "_ids", "directed"}
    assert arcs_of(copy) == [("x", "y")] and copy.directed
    assert copy.weights.tolist() == [3.5] and copy.multiplicity.tolist() == [2]
    assert repr(copy) == "<Graph: directed, 2 vertices, 1 edges, weighted>"


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.lil_array])
def test_from_scipy(kind):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        dense = rng.integers(1, 9, (7, 7)) * (rng.random((7, 7)) < 0.3)
        matrix = kind(dense)
        directed = Graph.from_scipy(matrix, directed=True, weighted=True)
        check_shape(directed)
        assert np.array_equal(directed.to_scipy().toarray(), dense)
        plain = Graph.from_scipy(matrix, directed=False, asymmetric="sum")
        check_shape(plain)
        assert np.array_equal(plain.to_scipy().toarray(), (dense + dense.T) > 0)
        assert plain.multiplicity is None and plain._has_identity_ids and plain.num_vertices == 7
        weighted = Graph.from_scipy(matrix, directed=False, weighted=True, asymmetric="sum")
        expected = dense if np.array_equal(dense, dense.T) else dense + dense.T - np.diag(np.diag(dense))
        assert np.array_equal(weighted.to_scipy().toarray(), expected)
        symmetric = np.maximum(dense, dense.T)
        again = Graph.from_scipy(kind(symmetric), directed=False, weighted=True)
        assert np.array_equal(again.to_scipy().toarray(), symmetric)


def test_more_vertices_than_int32(monkeypatch):
    monkeypatch.setattr(clgraph.graph.building, "INT32_MAX", 3)
    for last in (2, 2**60):
        with pytest.raises(InputError, match="4 vertices: clgraph takes at most 3"):
            Graph.from_edges([0, last], [1, 3])
    with pytest.raises(InputError, match="at most 3"):
        Graph.from_scipy(sp.csr_array((4, 4)), directed=True)


def test_offsets_grow_to_int64(monkeypatch):
    monkeypatch.setattr(clgraph.graph.building, "INT32_MAX", 5)
    small = build_csr(np.array([0, 1], np.int32), np.array([1, 2], np.int32), 3, directed=False)
    large = build_csr(np.array([0, 1, 0], np.int32), np.array([1, 2, 2], np.int32), 3, directed=False)
    assert small.row_ptr.dtype == np.int32 and large.row_ptr.dtype == np.int64
    assert large.reverse is large and large.subgraph(np.array([0, 1])).num_arcs == 2


@pytest.mark.parametrize(
    ("name", "directed", "vertices", "edges", "loops", "dangling"),
    [
        ("facebook_combined.txt", None, 4039, 88234, 0, None),
        ("facebook_combined.txt", True, 4039, 88234, 0, 376),
        ("cit-DBLP.edges", True, 12591, 49743, 15, 9433),
        ("cit-DBLP.edges", False, 12591, 49620 + 15, 15, None),
        ("California.mtx", None, 9664, 16150, 0, 4637),
        ("contest-small.mtx", None, 16, 127, 6, None),
        ("internet.txt", None, 22963, 48436, 0, None),
        ("Email-Enron.txt", None, 36692, 183831, 0, None),
        ("Wiki-Vote.txt", True, 7115, 103689, 0, None),
        ("Wiki-Vote.txt", False, 7115, 100762, 0, None),
        ("cnr-2000.edges.gz", True, 325557, 3216152, 87442, 78056),
        ("cnr-2000.edges.gz", False, 325557, 2738969 + 87442, 87442, None),
        ("karate.mtx", None, 34, 78, 0, None),
        ("west0067.mtx", None, 67, 294, 2, None),
        ("wing.graph", None, 62032, 121544, 0, None),
        ("power.graph", None, 4941, 6594, 0, None),
        ("ldbc/example-directed.v", True, 10, 17, 0, None),
        ("ldbc/example-undirected.v", None, 9, 12, 0, None),
    ],
)
def test_counted_facts(data_path, name, directed, vertices, edges, loops, dangling):
    graph = read(data_path(name), directed=directed)
    assert (graph.num_vertices, graph.num_edges, graph.num_self_loops) == (vertices, edges, loops)
    assert graph.without_self_loops.num_edges == edges - loops
    if dangling is not None:
        assert graph.directed and np.count_nonzero(graph.degrees == 0) == dangling


def test_isolated_vertices_and_negative_weights(data_path):
    graph, west = read(data_path("California.mtx")), read(data_path("west0067.mtx"), weights=True)
    assert len(np.union1d(np.flatnonzero(graph.degrees), graph.col_idx)) == 6175
    assert np.count_nonzero(west.weights < 0) == 122


@on_rich_graphs
def test_edges_there_and_back(kind, directed, weighted, copies):
    graph = rich(kind, directed, weighted, copies)
    edges = graph.to_edges()
    assert len(edges.source) == graph.num_edges
    columns = {"weights": edges.weights, "multiplicity": edges.multiplicity}
    how = {"directed": directed, "duplicates": "keep" if copies else "merge"}
    same(Graph.from_edges(edges.source, edges.target, **columns, **how), graph)
