"""Triangles, local clustering and core numbers against NetworkX."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import as_networkx, tangle, to_networkx
from personalized import everywhere
from samplers import awkward_graphs

import clgraph
from clgraph import Graph, clustering, core_numbers, powerlaw_graph, triangles
from clgraph.measures import triangle_count
from clgraph.reference.measures import (
    reference_clustering,
    reference_core_numbers,
    verify_clustering,
    verify_core_numbers,
)


@pytest.mark.parametrize("options", [{}, {"duplicates": "keep"}, {"directed": True}], ids=str)
def test_equal_to_networkx(device, options):
    for seed in range(3):
        graph = tangle(seed, **options)
        whole = to_networkx(graph)
        found = triangles(graph, device)
        assert found.dtype == np.int64
        assert dict(enumerate(found.tolist())) == nx.triangles(whole)
        local = list(nx.clustering(whole).values())
        assert np.allclose(clustering(graph, device), local, rtol=1e-14, atol=0)
        cores = core_numbers(graph, device)
        assert cores.dtype == np.int32
        assert cores.tolist() == reference_core_numbers(graph).tolist()
        if graph.directed:
            whole = as_networkx(graph)
            whole.remove_edges_from(list(nx.selfloop_edges(whole)))
        assert dict(enumerate(cores.tolist())) == nx.core_number(whole)
        verify_core_numbers(graph, cores)


@pytest.mark.smoke
def test_known_graphs(device):
    n = 400
    complete = Graph.from_edges(*np.triu_indices(n, 1))
    assert np.all(triangles(complete, device) == (n - 1) * (n - 2) // 2)
    assert np.all(clustering(complete, device) == 1)
    rim = np.arange(1, n + 1)
    wheel = Graph.from_edges(np.append(np.zeros(n, int), rim), np.concatenate((rim, np.roll(rim, -1))))
    assert triangles(wheel, device).tolist() == [n] + [2] * n
    path = Graph.from_edges(np.arange(5000), np.arange(1, 5001))
    assert triangles(path, device).sum() == 0


def by_matrix_products(graph):
    """The triangles of each vertex."""
    matrix = graph.without_self_loops.to_scipy().astype(bool).astype(np.int64)
    return ((matrix @ matrix).multiply(matrix).sum(axis=1) // 2).tolist()


def test_a_large_graph(device, data_path):
    graph = clgraph.read(data_path("facebook_combined.txt"))
    assert triangles(graph, device).tolist() == by_matrix_products(graph)


@pytest.mark.parametrize("most", [32, 64, 128])
def test_any_core(device, monkeypatch, most):
    """Cores of few vertices and of nearly all, rows that work-items share, lists searched and merged."""
    for run, skew in ((3, 1), (64, 100)):
        shape = everywhere(triangle_count.LaunchConfig(run, skew, most, 8))
        monkeypatch.setattr(triangle_count, "LAUNCH", shape)
        for graph in (tangle(6), tangle(7, n=100, edges=2500), clgraph.rmat_graph(8, seed=1, device=device)):
            assert triangles(graph, device).tolist() == by_matrix_products(graph)


def test_sums_beyond_32_bits_carry(device):
    """The low word of a sum is made to wrap, where a sum is two words."""
    if "HAVE_INT64_ATOMICS" in device.features:
        pytest.skip("this device adds 64 bits in one go")
    prog = device.program("measures/triangle_count", RUN=512, SKEW=16, OFFSET="int")
    n = 40
    up = [np.arange(u + 1, n, dtype=np.int32) for u in range(n)]
    up_ptr = np.cumsum([0, *map(len, up)], dtype=np.int32)
    start = np.full(n, 2**32 - 3, np.int64)
    count = device.upload(start, writable=True)
    given = {"up_ptr": device.upload(up_ptr), "up_idx": device.upload(np.concatenate(up))}
    prog.triangles_lists(2, n=n, rows=n, **given, count=count)
    expected = start + (n - 1) * (n - 2)  # each triangle twice
    assert device.download(count, np.int64, n).tolist() == expected.tolist()


def test_small_and_foreign(device):
    empty = Graph.from_edges([], [])
    assert triangles(empty, device).tolist() == []
    assert triangles(Graph.from_edges([], [], vertices=[3, 5]), device).tolist() == [0, 0]
    assert clustering(sp.csr_array(np.ones((3, 3))), device).tolist() == [1, 1, 1]
    arcs = Graph.from_edges([0, 1, 2, 3], [1, 2, 0, 3], directed=True)  # directions play no part
    assert triangles(arcs, device).tolist() == clustering(arcs, device).tolist() == [1, 1, 1, 0]


DEFINITIONS = ("undirected", "ldbc", "networkx")


@pytest.mark.smoke
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_directed_coefficients(device, duplicates):
    for seed in range(3):
        graph = tangle(seed, directed=True, duplicates=duplicates)
        other = as_networkx(graph)
        for definition in DEFINITIONS:
            found = clustering(graph, device, definition=definition)
            assert found.tolist() == reference_clustering(graph, definition)
            verify_clustering(graph, found, definition)
            if definition == "networkx":
                assert found.tolist() == list(nx.clustering(other).values())
            mean = clgraph.average_clustering(graph, device, definition=definition)
            assert mean == pytest.approx(found.mean(), rel=1e-14)


def test_known_directed_graphs(device):
    cycle = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=True)
    n = 60
    complete = Graph.from_edges(*np.nonzero(~np.eye(n, dtype=bool)), directed=True)
    for definition in ("ldbc", "networkx"):
        assert clustering(cycle, device, definition=definition).tolist() == [0.5] * 3
        assert clustering(complete, device, definition=definition).tolist() == [1] * n
        for arcs in ([], [0]):  # no arcs, and a loop alone
            graph = Graph.from_edges(arcs, arcs, directed=True, vertices=range(3))
            assert clustering(graph, device, definition=definition).tolist() == [0] * 3
    pair = Graph.from_edges([0, 1], [1, 0], directed=True)
    assert clustering(pair, device, definition="networkx").tolist() == [0, 0]


@pytest.mark.parametrize("name", ["example-directed", "example-undirected"])
def test_the_example_of_ldbc(device, data_path, name):
    folder = data_path("ldbc")
    graph = clgraph.read(folder / f"{name}.e", directed=name == "example-directed")
    want = np.loadtxt(folder / f"{name}-LCC")
    assert want[:, 0].tolist() == graph.ids.tolist()
    found = clustering(graph, device, definition="ldbc")
    assert np.allclose(found, want[:, 1], rtol=1e-12, atol=0)


def test_definitions_of_undirected_graphs_agree(device):
    graph = tangle(4)
    expected = clustering(graph, device)
    for definition in DEFINITIONS:
        assert clustering(graph, device, definition=definition).tolist() == expected.tolist()
        verify_clustering(graph, expected, definition)


def test_the_verifier_of_coefficients_sees_what_is_wrong():
    graph = tangle(1, directed=True)
    for definition in DEFINITIONS:
        wrong = clustering(graph, definition=definition)
        wrong[int(np.argmax(wrong > 0))] *= 1.001
        with pytest.raises(AssertionError, match="the coefficient of vertex"):
            verify_clustering(graph, wrong, definition)


# --- core numbers -----------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_cores(device):
    for graph in [*awkward_graphs(), powerlaw_graph(800, seed=1)]:
        assert core_numbers(graph, device).tolist() == reference_core_numbers(graph).tolist()
    clique = Graph.from_edges(*np.triu_indices(40, 1))
    assert core_numbers(clique, device).tolist() == [39] * 40
    assert core_numbers(Graph.from_edges([], [], vertices=[1, 2]), device).tolist() == [0, 0]
    assert core_numbers(Graph.from_edges([], []), device).tolist() == []


def test_the_verifier_of_cores_sees_what_is_wrong():
    graph = powerlaw_graph(100, seed=2)
    right = reference_core_numbers(graph)
    verify_core_numbers(graph, right)
    for change in (1, -1):
        wrong = right.copy()
        wrong[int(np.argmax(right))] += change
        with pytest.raises(AssertionError):
            verify_core_numbers(graph, wrong)
