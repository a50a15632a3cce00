"""Breadth-first search: every method, launch shape and kind of graph against reference and verifier."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import scipy.sparse.csgraph
from graphs import READINGS
from mixed_calls import equal
from searches import TEAM, first_device_but, put_shape, random_graph
from sharded_calls import values

from clgraph import Graph, bfs, read
from clgraph.errors import ClgraphError, InputError
from clgraph.reference.traversal import reference_bfs, verify_bfs
from clgraph.traversal import bfs_many, search
from clgraph.traversal.results import distance_type

# launch shapes that send small graphs through every kernel, whatever the device is: the work-group kernels
# of GPUs run on CPUs too
SMALL = {"long_row": 4, "long_piece": 3, "fuse_arcs": 6, "alpha": 4, "beta": 4}
PULL = {"fuse_arcs": 0, "alpha": 10**9, "beta": 1}
LAUNCH = {
    "own": None,
    "serial, small": replace(search.SERIAL, items=32, push_items=2, **SMALL),
    "serial, pull": replace(search.SERIAL, items=32, long_row=3, long_piece=2, **PULL),
    "team": TEAM,
    "team, small": replace(TEAM, fuse_count=4, pull_short=2, **SMALL),
    "team, pull": replace(TEAM, fuse_count=1, pull_short=1, **PULL),
}


@pytest.fixture(params=first_device_but("own", LAUNCH, slow=("team, small", "serial, small", "serial, pull")))
def shape(request, device, monkeypatch):
    """Each launch shape in turn, in place of the device's own."""
    if (wanted := LAUNCH[request.param]) is not None:
        put_shape(monkeypatch, search, device, wanted)


def check(graph, sources, device, **options):
    """Run, compare with the reference, verify; returns the result."""
    found = bfs(graph, sources, device=device, **options)
    distance, predecessor, source_of = reference_bfs(graph, sources, depth_limit=options.get("depth_limit"))
    np.testing.assert_array_equal(found.distance, distance)
    if found.predecessor is not None:
        np.testing.assert_array_equal(found.predecessor, predecessor)
        assert found.predecessor.dtype == np.int32
    if found.source_of is not None:
        np.testing.assert_array_equal(found.source_of, source_of)
    assert found.distance.dtype == np.int32
    verify_bfs(graph, found)
    return found


# --- against the definition ---------------------------------------------------------------------------


def test_random(device, shape):
    for seed in range(8):
        graph = random_graph(seed)
        rng = np.random.default_rng(seed)
        for options in ({}, {"depth_limit": 2}, {"predecessors": False}):
            check(graph, int(rng.integers(graph.num_vertices)), device, **options)
            graph = Graph(graph.row_ptr, graph.col_idx, directed=graph.directed)  # scratch is kept per graph


def test_several_sources(device, shape):
    for seed in range(6):
        graph = random_graph(seed)
        sources = np.random.default_rng(seed).integers(0, graph.num_vertices, 4)
        found = check(graph, sources, device)
        assert found.sources.tolist() == sorted(set(sources.tolist()))


def test_frontier_method_and_large_offsets(device):
    for seed in range(8):
        graph = random_graph(seed)
        found = check(graph, [0, graph.num_vertices - 1], device, method="frontier")
        assert found.method == "frontier"
        check(graph, 0, device, method="frontier", depth_limit=1, predecessors=False)
        wide = Graph(graph.row_ptr.astype(np.int64), graph.col_idx, directed=graph.directed)
        check(wide, 0, device)


def test_middling(device):
    """Large enough for every switch of the device's own launch shape."""
    rng = np.random.default_rng(3)
    hubs = (rng.random(300_000) ** 4 * 40_000).astype(np.int64)
    for directed in (False, True):
        graph = Graph.from_edges(hubs, rng.integers(0, 40_000, 300_000), directed=directed)
        for source in (graph.ids[0], graph.ids[-1], [graph.ids[5], graph.ids[70]]):
            check(graph, source, device)


# --- scratch areas ------------------------------------------------------------------------------------


WAYS = {"hybrid": bfs, "frontier": partial(bfs, method="frontier"), "many": bfs_many}


@pytest.mark.parametrize("way", WAYS)
def test_two_threads_search_one_graph(device, way):
    ends = np.random.default_rng(2).integers(0, 3000, (2, 9000))
    graph = Graph.from_edges(*ends, vertices=range(3000), directed=True)
    search = partial(WAYS[way], graph, device=device)
    given = [range(begin, begin + 70) for begin in (0, 100, 200, 300)] if way == "many" else range(12)
    want = [search(each) for each in given]  # what both build is there, so that they do run at the same time
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(search, given))
    for one, other in zip(found, want, strict=True):
        assert equal(values(one), values(other))
        if way != "many":
            verify_bfs(graph, one)


def test_scratch_is_used_again(device, monkeypatch):
    """Made once for all searches of a graph, and once more after one that failed halfway."""
    made = []
    make = search.Search._make_scratch
    monkeypatch.setattr(search.Search, "_make_scratch", lambda own: made.append(make(own)) or made[-1])
    graph = random_graph(4)
    first = check(graph, 0, device)
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(search.Search, "_hybrid", lambda *_: 1 // 0)
        bfs(graph, 1, device=device)
    assert len(made) == 1
    for _ in range(3):
        assert np.array_equal(check(graph, 0, device).distance, first.distance)
    assert len(made) == 2


# --- shapes that hurt ---------------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("graph", "source", "distance"),
    [
        (Graph.from_edges([], [], vertices=[7]), 7, [0]),
        (Graph.from_edges([0, 1], [1, 2], vertices=range(5)), 4, [-1, -1, -1, -1, 0]),
        (Graph.from_edges([0, 0, 1, 1, 2], [0, 1, 1, 2, 2]), 0, [0, 1, 2]),  # with loops
        (Graph.from_edges(["a", "b"], ["b", "c"]), "c", [2, 1, 0]),
    ],
)
def test_small_graphs(device, graph, source, distance):
    found = check(graph, source, device)
    assert found.distance.tolist() == distance
    assert (found.levels, found.reached) == (max(distance) + 1, graph.num_vertices - distance.count(-1))
    assert bfs_many(graph, [source] * 2, device=device).distance.tolist() == [distance] * 2


@pytest.mark.smoke
def test_empty_graph(device):
    with pytest.raises(InputError, match="vertex 0 is not in the graph"):
        bfs(Graph.from_edges([], []), 0, device=device)


def test_long_chain(device):
    n = 1_000_000
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    found = bfs(graph, 0, device=device)
    assert np.array_equal(found.distance, np.arange(n))
    assert np.array_equal(found.predecessor, np.arange(-1, n - 1))
    assert (found.levels, found.reached) == (n, n)


@pytest.mark.parametrize("source", [0, 7])
def test_star(device, source):
    n = 200_000
    graph = Graph.from_edges(np.zeros(n - 1, np.int64), np.arange(1, n))
    found = bfs(graph, source, device=device)
    verify_bfs(graph, found)
    assert found.levels == (2 if source == 0 else 3)


def test_grid_and_star(device, shape):
    v = np.arange(30 * 40).reshape(30, 40)
    graph = Graph.from_edges(np.r_[v[:, :-1].ravel(), v[:-1].ravel()], np.r_[v[:, 1:].ravel(), v[1:].ravel()])
    assert check(graph, 0, device).levels == 69
    check(graph, 0, device, depth_limit=30)
    check(Graph.from_edges(np.zeros(2000, np.int64), np.arange(1, 2001)), 5, device)


@pytest.mark.smoke
def test_depth(device):
    graph = Graph.from_edges(range(9), range(1, 10))
    for method in ("hybrid", "frontier"):
        found = check(graph, 0, device, depth_limit=0, method=method)
        assert (found.levels, found.reached) == (1, 1)
        assert check(graph, 0, device, depth_limit=3, method=method).reached == 4
        assert check(graph, 0, device, depth_limit=2**40, method=method).reached == 10


# --- real graphs --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "directed"), READINGS)
@pytest.mark.cross
def test_like_scipy(device, data_path, name, directed):
    graph = read(data_path(name), directed=directed)
    matrix = graph.to_scipy()
    source = int(np.argmax(graph.degrees))
    found = bfs(graph, graph.ids[source], device=device)
    verify_bfs(graph, found)
    hops = scipy.sparse.csgraph.dijkstra(matrix, directed=True, indices=source, unweighted=True)
    np.testing.assert_array_equal(found.distance, np.where(np.isinf(hops), -1, hops))
    some = np.linspace(0, graph.num_vertices - 1, 40).astype(np.int64)
    rows = bfs_many(graph, graph.ids[some], device=device).distance
    for row in (0, 17, 39):
        np.testing.assert_array_equal(rows[row], bfs(graph, graph.ids[some[row]], device=device).distance)


@pytest.mark.parametrize(("kind", "source"), [("directed", 1), ("undirected", 2)])
def test_ldbc(device, data_path, kind, source):
    graph = read(data_path(f"ldbc/example-{kind}.e"), format="ldbc", directed=kind == "directed")
    vertex, hops = np.loadtxt(data_path(f"ldbc/example-{kind}-BFS"), dtype=np.int64).T
    for method in ("hybrid", "frontier"):
        distance = bfs(graph, source, method=method, device=device).distance
        want = np.where(hops == np.iinfo(np.int64).max, -1, hops)
        np.testing.assert_array_equal(distance[graph.indices_of(vertex)], want)


# --- the verifier sees what is wrong ------------------------------------------------------------------


def test_verifier():
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(*rng.integers(0, 60, (2, 90)), vertices=range(60))
    right = bfs(graph, [3, 9])
    verify_bfs(graph, right)
    for name in ("distance", "predecessor", "source_of"):
        for vertex in range(60):
            wrong = getattr(right, name).copy()
            wrong[vertex] += 1
            with pytest.raises(ClgraphError):
                verify_bfs(graph, replace(right, **{name: wrong}))
    for change in ({"levels": right.levels + 1}, {"reached": right.reached - 1}, {"depth_limit": 1}):
        with pytest.raises(ClgraphError):
            verify_bfs(graph, replace(right, **change))


def test_verifier_in_slices(monkeypatch):
    monkeypatch.setattr("clgraph.reference.common.SLICE", 7)
    for seed in range(4):
        graph = random_graph(seed)
        verify_bfs(graph, bfs(graph, [0, graph.num_vertices - 1]))


# --- arguments ----------------------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.parametrize("search", [bfs, bfs_many])
def test_source_not_there(search):
    graph = Graph.from_edges([10, 20], [20, 30])
    for bad, name in ((25, "25"), (-1, "-1"), ("x", "x")):
        with pytest.raises(InputError, match=f"{name}.* not in the graph"):
            search(graph, [10, bad])
    with pytest.raises(InputError, match="no source"):
        search(graph, [])


@pytest.mark.parametrize(
    ("search", "options", "said"),
    [
        (bfs, {"method": "dijkstra"}, "method is 'dijkstra'"),
        *((bfs, {"depth_limit": bad}, "depth_limit") for bad in (-1, 1.5, True)),
        (bfs_many, {"lanes": 16}, "lanes"),
        (bfs_many, {"dtype": np.float32}, "dtype"),
    ],
)
def test_bad_options(search, options, said):
    with pytest.raises(InputError, match=said):
        search(Graph.from_edges([0], [1]), [0], **options)


def test_sources_as_indices(device):
    graph = Graph.from_edges([10, 20, 40], [20, 30, 50])
    for given, wanted, source_of in (
        (20, [1], None),
        (np.int64(20), [1], None),
        ([30, 10, 30], [0, 2], [0, 0, 2, -1, -1]),
        ([10, 40], [0, 3], [0, 0, 0, 3, 3]),
        (np.array([30]), [2], [2, 2, 2, -1, -1]),
        ((20,), [1], [1, 1, 1, -1, -1]),
    ):
        found = check(graph, given, device)
        assert (found.sources.tolist(), found.sources.dtype) == (wanted, np.int32)
        assert (None if found.source_of is None else found.source_of.tolist()) == source_of
    named = Graph.from_edges(["ab", "c"], ["c", "d"])
    assert bfs(named, "ab", device=device).sources.tolist() == named.indices_of(["ab"]).tolist()
    assert bfs_many(graph, [30, 10, 30], device=device).sources.tolist() == [2, 0, 2]


@pytest.mark.parametrize(
    ("levels", "kind"), [(1, "int8"), (128, "int8"), (129, "int16"), (32768, "int16"), (32769, "int32")]
)
def test_the_smallest_type_that_holds_all_distances(levels, kind):
    assert distance_type(levels, None) == kind
    assert distance_type(levels, np.int32) == np.int32
    if kind != "int8":
        with pytest.raises(InputError, match=f"distances reach {levels - 1}"):
            distance_type(levels, np.int8)
