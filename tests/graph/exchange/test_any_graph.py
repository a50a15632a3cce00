"""Every public function takes the graphs of other libraries as they are."""

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from mixed_calls import equal
from public_calls import EXAMPLES, example, parts, verify

import clgraph
from clgraph import Graph, InputError
from clgraph.arguments import shown
from clgraph.graph import as_graph


def karate():
    graph = nx.Graph()
    graph.add_nodes_from(range(34))  # in order, whichever edges come first
    graph.add_edges_from(nx.karate_club_graph().edges)
    return graph


OURS = Graph.from_networkx(karate())


def called(each, graph):
    return example(each, graph=graph)


def verified(each, graph):
    verify(each, example(each, graph=OURS), graph=graph)
    return True


def in_shards(graph):
    with TemporaryDirectory() as folder:
        return clgraph.write_shards(graph, f"{folder}/a.clgs").num_vertices


def written(graph):
    with TemporaryDirectory() as folder:
        clgraph.write(graph, f"{folder}/a.txt")
        return Path(folder, "a.txt").read_text()


WITH_GRAPHS = [each for each in EXAMPLES if "(graph" in each.call]
FUNCTIONS = {
    **{each.name: partial(called, each) for each in WITH_GRAPHS},
    **{f"{each.name}, verified": partial(verified, each) for each in WITH_GRAPHS if each.verifier},
    "largest_component": clgraph.largest_component,
    "write_shards": in_shards,
    "write": written,
}


FORMS = {
    "networkx": lambda graph: graph,
    "scipy": nx.to_scipy_sparse_array,
    "pandas": nx.to_pandas_edgelist,
    "pyarrow": lambda graph: pytest.importorskip("pyarrow").Table.from_pandas(nx.to_pandas_edgelist(graph)),
    "igraph": lambda graph: pytest.importorskip("igraph").Graph.from_networkx(graph),
}


@pytest.mark.parametrize("library", FORMS)
def test_the_answer_is_that_of_the_graph(library):
    pytest.importorskip(library)
    theirs = FORMS[library](karate())
    for name, function in FUNCTIONS.items():
        assert equal(parts(function(theirs)), parts(function(OURS))), name


def test_a_sample_may_be_of_another_library():
    part = karate().subgraph(range(9))
    assert clgraph.quality(karate(), part, eigenvalues=False).sample.vertices == 9


def test_directed_graphs_stay_directed():
    chain = nx.DiGraph([(0, 1), (1, 2)])
    assert clgraph.bfs(chain, 1).reached == 2
    assert clgraph.connected_components(chain, connection="strong").count == 3


def test_a_sparse_array_that_is_not_symmetric_is_refused():
    """SciPy's own csgraph reads it as directed, others as undirected: it is not for us to guess."""
    matrix = sp.csr_array(sp.triu(nx.to_scipy_sparse_array(karate())))
    said = r"not symmetric: .* entry \(0, 1\) and none at \(1, 0\).*Graph\.from_scipy\(A, directed=\.\.\.\)$"
    others = {
        "quality": lambda matrix: clgraph.quality(karate(), matrix, eigenvalues=False),
        "to_pandas": clgraph.bfs(karate(), 0).to_pandas,
    }
    for name, function in {**FUNCTIONS, **others}.items():
        with pytest.raises(InputError, match=said):
            pytest.fail(f"{name} took it: {function(matrix)}")


@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia", "lil", "dok"])
def test_symmetric_is_a_matter_of_stored_entries(form, kind):
    dense = np.array([[5, 2, 0, 0], [2, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 0]])  # values play no part
    make = getattr(sp, f"{form}_{kind}")
    for dtype in (bool, np.int8, np.int64, np.float32, np.float64, complex):
        found = as_graph(make(dense.astype(dtype)))
        assert not found.directed and not found.is_weighted and found.multiplicity is None
        assert np.array_equal(found.to_scipy().toarray(), dense > 0)
        for u, v in ([1, 2], [2, 1], [0, 1], [1, 0]):
            part = dense.copy()
            part[u, v] = 0
            with pytest.raises(InputError, match=rf"entry \({v}, {u}\) and none at \({u}, {v}\)"):
                as_graph(make(part.astype(dtype)))
    with pytest.raises(InputError, match=r"entry \(1, 0\) and none at \(0, 1\)"):
        as_graph(make(np.roll(np.eye(3), -1, axis=1)))  # in-degrees are out-degrees
    for n in (0, 1, 3):
        assert as_graph(make(sp.coo_array((n, n)))).num_vertices == n


def test_symmetric_with_entries_out_of_order_repeated_or_zero():
    rows, columns = np.array([2, 0, 1, 0, 1]), np.array([0, 2, 0, 1, 0])
    repeated = sp.coo_array((np.zeros(5), (rows, columns)), shape=(3, 3))
    for matrix in (repeated, sp.csr_array(([0.0, 1, 2, 3], [2, 1, 0, 0], [0, 2, 3, 4]))):
        assert as_graph(matrix).num_edges == 2
    assert repeated.nnz == 5  # it is left as it was
    with pytest.raises(InputError, match=r"entry \(0, 2\) and none at \(2, 0\)"):
        as_graph(sp.csr_array(([0.0, 1, 2], [2, 1, 0], [0, 2, 3, 3]), shape=(3, 3)))


@pytest.mark.parametrize("value", [[1], None, "g.txt", np.zeros((3, 3)), nx])
def test_what_is_no_graph_is_named(value):
    kind = {"ndarray": "numpy.ndarray"}.get(type(value).__name__, type(value).__name__)
    for function in FUNCTIONS.values():
        with pytest.raises(InputError, match=f"a Graph is needed, or a SciPy .* not {kind}$"):
            function(value)


def test_scalars_of_numpy_are_shown_as_numbers():
    values = np.int64(-5), np.float32(2), np.str_("x"), 3
    assert list(map(shown, values)) == ["-5", "2.0", "'x'", "3"]
    array = [np.array([1, 2])]
    for said, function in (
        (r"^damping is 2\.0: ", lambda: clgraph.pagerank(karate(), damping=np.float32(2))),
        ("^seeds is -7: ", lambda: clgraph.sample(karate(), "drv", size=9, seeds=np.int64(-7))),
        ("^source 2.5: ", lambda: clgraph.personalized_pagerank(karate(), [np.float32(2.5)])),
        ("^dangling is 'zz': ", lambda: clgraph.pagerank(karate(), dangling=np.str_("zz"))),
        ("from 0 to 40$", lambda: clgraph.shortest_path(nx.empty_graph(99), np.int64(0), np.int64(40))),
        (r"^sizes is \[array\(\[1, 2\]\)\]|^size array", lambda: clgraph.study(OURS, ["drv"], sizes=array)),
    ):
        with pytest.raises(InputError, match=said):
            function()
    assert len(clgraph.sample(karate(), "drv", size=9, seeds=np.uint8(3), seed=2**40)) == 3


NESTED = [[[1]], [(1, 2)], [{1}], [[]], [1, [2]], [[1, 2], [3]]]
NESTED += [[np.array([1])], np.array([[1, 2]]), np.zeros((1, 0))]


@pytest.mark.parametrize("value", NESTED, ids=repr)
def test_lists_of_vertices_are_flat(value):
    several = r"^(source|vertices|start)[^\n]* is [^\n]*: use one flat list"
    one = r" is [^\n]*: use the id of one vertex"
    for said, function in (
        (several, lambda: clgraph.harmonic_centrality(OURS, sources=value)),
        (several, lambda: clgraph.harmonic_centrality(OURS, vertices=value)),
        (several, lambda: clgraph.closeness_centrality(OURS, vertices=value)),
        (several, lambda: clgraph.betweenness_centrality(OURS, sources=value)),
        (several, lambda: clgraph.bfs_many(OURS, value)),
        (several, lambda: clgraph.bfs(OURS, value)),
        (several, lambda: clgraph.sample(OURS, "rw", size=9, start=value)),
        (several, lambda: clgraph.reference_bfs(OURS, value)),
        (several, lambda: clgraph.personalized_pagerank(OURS, [[0], [value]])),
        (one, lambda: clgraph.shortest_path(OURS, 0, value)),
        (one, lambda: clgraph.shortest_path_length(OURS, value, 0)),
        (one, lambda: clgraph.sample(OURS, "ebfs", size=9, start=value)),
        (one, lambda: OURS.neighbors(value)),
    ):
        with pytest.raises(InputError, match=said):
            function()


def test_lists_of_vertices_take_many_forms():
    wanted = clgraph.bfs(OURS, [3, 5]).distance
    for value in ((3, 5), {3, 5}, range(3, 6, 2), np.array([3, 5]), iter([3, 5]), {3: 0, 5: 0}):
        assert np.array_equal(clgraph.bfs(OURS, value).distance, wanted)
    for value in ("35", b"35", 3, None, 3.0, np.array(3)):
        with pytest.raises(InputError, match=r"^sources is .*: use a list of ids of vertices$"):
            clgraph.bfs_many(OURS, value)
    table = pytest.importorskip("pandas").DataFrame({"a": [1, 2]})
    with pytest.raises(InputError, match=r"^sources is a 0 1 1 2: use one flat list"):
        clgraph.bfs_many(OURS, table)


@pytest.mark.parametrize("extra", ["pandas", "arrow", "igraph", "networkx"])
def test_a_missing_library_is_named_with_its_extra(monkeypatch, extra):
    library = {"arrow": "pyarrow"}.get(extra, extra)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(InputError, match=rf"needs {library}, which .*'pyclgraph\[{extra}\]'"):
        getattr(Graph.from_edges([0], [1]), f"to_{extra}")()
