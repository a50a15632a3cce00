"""Many searches at once: every way to go on, depth, type and numbering of vertices against the reference."""

from dataclasses import replace

import numpy as np
import pytest
from graphs import tangle
from searches import TEAM, first_device_but, put_shape, random_graph

from clgraph import Graph, InputError, bfs_many
from clgraph.reference.traversal import reference_bfs
from clgraph.traversal import many, search
from clgraph.traversal.many import ManySearch, renumber

NO_FUSED = {"many_count": 0, "many_arcs": 0}
WAYS = {  # which kernels small graphs are sent through
    "own": {},
    "push": {**NO_FUSED, "pull_share": 0, "scatter_share": 0},
    "scatter": {**NO_FUSED, "pull_share": 0, "scatter_share": 10**9},
    "pull": {**NO_FUSED, "pull_share": 10**9, "scatter_share": 0},
    "mixed": {"many_count": 6, "many_arcs": 30, "pull_share": 8, "scatter_share": 2},
}


@pytest.mark.parametrize("way", first_device_but("own", WAYS, slow=("push", "mixed")))
@pytest.mark.parametrize("team", first_device_but(False, [False, True]))
def test_many(device, way, team, monkeypatch):
    config = replace(TEAM, long_row=3) if team else search.LAUNCH.of(device)
    put_shape(monkeypatch, search, device, replace(config, **WAYS[way]))
    for seed in range(6):
        graph = random_graph(seed)
        sources = np.random.default_rng(seed).integers(0, graph.num_vertices, (3, 70)[seed % 2])
        limit = (None, 2)[seed // 3]
        found = bfs_many(graph, sources, device=device, depth_limit=limit, lanes=(64, 32)[seed // 2 % 2])
        want = [reference_bfs(graph, source, depth_limit=limit)[0] for source in sources]
        np.testing.assert_array_equal(found.distance, want)
        assert found.distance.dtype == np.int8
        assert found.levels == np.max(want) + 1


@pytest.mark.parametrize("deep", [5, 10**6])
def test_many_deep(device, deep, monkeypatch):
    """One by one after so many levels, or more planes and more planes: the rows are the same."""
    monkeypatch.setattr(many, "DEEP", deep)
    n = 400
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    found = bfs_many(graph, [0, n - 1, 7], device=device)
    assert found.distance.dtype == np.int16
    assert np.array_equal(found.distance, np.abs(np.subtract.outer([0, n - 1, 7], np.arange(n))))
    assert found.levels == n


def test_many_types(device):
    n = 40_000
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    found = bfs_many(graph, [0, n - 1], device=device)
    assert found.distance.dtype == np.int32
    assert np.array_equal(found.distance, [np.arange(n), np.arange(n)[::-1]])
    assert bfs_many(graph, [n // 2], depth_limit=127, device=device).distance.dtype == np.int8
    assert bfs_many(graph, [n // 2], depth_limit=128, device=device).distance.dtype == np.int16
    assert bfs_many(graph, [0], depth_limit=3, dtype=np.int32, device=device).distance.dtype == np.int32
    with pytest.raises(InputError, match="distances reach 39999"):
        bfs_many(graph, [0], dtype=np.int16, device=device)


def test_scratch_is_given_back(device):
    """At the end of the block, unless by an exception; a second search beside the first gets another."""
    graph = random_graph(4)
    with ManySearch(device, graph, 64, 1) as one, ManySearch(device, graph, 64, 1) as other:
        areas = [one.scratch, other.scratch]
        assert areas[0] is not areas[1]
    with pytest.raises(ZeroDivisionError), ManySearch(device, graph, 64, 1) as one:
        assert one.scratch is areas[0]
        raise ZeroDivisionError
    with ManySearch(device, graph, 64, 1) as one, ManySearch(device, graph, 32, 1) as narrow:
        assert one.scratch is areas[1]
        assert narrow.scratch not in areas


# --- vertices numbered by degree ---------------------------------------------------------------------


def arcs_of(device, csr, rows, vertex):
    """The arcs of the first `rows` rows by their vertices (tail, head), sorted; shape (2, k)."""
    row_ptr = device.download(csr.row_ptr, csr.offset, rows + 1)
    head = device.download(csr.col_idx, np.int32, int(row_ptr[-1]))
    tail = np.repeat(np.arange(rows), np.diff(row_ptr))
    arcs = vertex[np.stack((tail, head))]
    return arcs[:, np.lexsort(arcs[::-1])]


@pytest.mark.slow
@pytest.mark.parametrize("directed", [False, True])
def test_the_rows_are_permuted(device, monkeypatch, directed):
    monkeypatch.setattr(many, "MANY_VERTICES", 0)
    monkeypatch.setattr(many, "HOT_SHARE", 1)
    graph = tangle(3, directed=directed, duplicates="keep")
    made = renumber(device, graph, items=8)
    n = graph.num_vertices
    assert sorted(made.position.tolist()) == list(range(n))
    assert device.download(made.positions, np.int32, n).tolist() == made.position.tolist()
    vertex = np.argsort(made.position)
    key = graph.degrees[vertex]
    if directed:
        key += graph.reverse.degrees[vertex] > 0  # vertices that only receive arcs have rows too
    assert np.all(np.diff(key) <= 0)
    assert made.rows == np.count_nonzero(key)
    for csr, of in ((made.leaving, graph), (made.arriving, graph.reverse)):
        want = np.stack((of.tails, of.col_idx))
        found = arcs_of(device, csr, made.rows, vertex)
        np.testing.assert_array_equal(found, want[:, np.lexsort(want[::-1])])
    assert renumber(device, graph, items=8).rows == made.rows


@pytest.mark.slow
def test_where_it_does_not_pay(device, monkeypatch):
    small = tangle(3)
    assert renumber(device, small, items=8) is None
    monkeypatch.setattr(many, "MANY_VERTICES", 0)
    ring = Graph.from_edges(np.arange(100), (np.arange(100) + 1) % 100)
    assert renumber(device, ring, items=8) is None  # no vertex has more arcs than another


@pytest.mark.slow
@pytest.mark.parametrize("short", [True, False])
def test_searches_find_the_same(device, short, monkeypatch):
    """Vertices numbered by degree, from the first pull on and in later calls: the rows are the same."""
    monkeypatch.setattr(many, "MANY_VERTICES", 0)
    monkeypatch.setattr(many, "HOT_SHARE", 1)
    pulls = replace(search.SERIAL, items=32, many_count=0, many_arcs=0, pull_share=10**9)
    put_shape(monkeypatch, search, device, pulls)
    rng = np.random.default_rng(8)
    for directed in (False, True):
        n, ends = 300, rng.integers(0, 250, (2, 900))  # 50 vertices and more have no arcs
        ends = np.hstack((ends, [np.arange(40), np.zeros(40, np.int64)], [np.full(40, 2), np.arange(40)]))
        graph = Graph.from_edges(*ends[:, :20] if short else ends, vertices=np.arange(n), directed=directed)
        for count, lanes, limit in ((40, 64, None), (70, 64, None), (70, 32, 2), (64, 64, 3)):
            sources = np.r_[rng.integers(0, n, count - 2), n - 1, n - 1]
            found = bfs_many(graph, sources, device=device, depth_limit=limit, lanes=lanes)
            want = [reference_bfs(graph, source, depth_limit=limit)[0] for source in sources]
            np.testing.assert_array_equal(found.distance, want)
        made = device.cached(graph, "renumbered", lambda: None)
        assert made.rows == np.count_nonzero(graph.undirected.degrees)
