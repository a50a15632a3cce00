"""Weighted shortest paths on every device against the reference (Dijkstra), the verifier, and SciPy."""

from dataclasses import replace

import numpy as np
import pytest
from graphs import tangle
from personalized import everywhere
from samplers import awkward_graphs

import clgraph
from clgraph import ClgraphError, DeviceError, Graph, InputError, shortest_paths
from clgraph.csr.generate import powerlaw_graph, rmat_graph
from clgraph.csr.upload import device_graph, graph_of
from clgraph.reference.weighted import reference_shortest_paths, verify_shortest_paths
from clgraph.traversal import weighted

WEIGHTS = {
    "whole": [1, 2, 3, 255],
    "zeros": [0, 0, 1],
    "only zeros": [0],
    "floats": [0.1, 0.7, 3.3, 1e-3],
    "absorbed": [0, 1e-30, 1e-17, 0.1, 1, 1e16],
    "tiny": [0, 2.0**-30, 2.0**-29],
    "large": [2.0**40, 2.0**52, 2.0**53 + 2],
}


def drawn(seed, directed, kind, n=40, edges=150, **options):
    weights = np.random.default_rng(seed).choice(WEIGHTS[kind], edges)
    return tangle(seed, n, edges, directed=directed, weights=weights, duplicates="keep", **options)


def on_device_alone(device, graph, weights):
    """The graph with other weights, as kernels make it: the host has nothing of its arcs."""
    given = {"weights": device.upload(np.array(weights, np.float64))}
    made = device_graph(device, graph)
    return graph_of(device, replace(made, rows=replace(made.rows, values=given)))


def same_bytes(found, want):
    assert found.distance.tobytes() == want.distance.tobytes()
    assert found.predecessor.tobytes() == want.predecessor.tobytes()


def needs_doubles(device, graph):
    """Whether the device lacks float64 that these weights need: it says so."""
    if "HAVE_FP64" in device.features:
        return False
    try:
        shortest_paths(graph, graph.ids[0], device=device)
    except DeviceError as error:
        assert "float64" in str(error)
        return True
    return False


def equal(graph, sources, device, **options):
    found = shortest_paths(graph, sources, device=device, **options)
    known = {name: value for name, value in options.items() if name in ("weights", "cutoff", "dtype")}
    distance, predecessor = reference_shortest_paths(graph, sources, **known)
    np.testing.assert_array_equal(found.distance, distance)
    assert found.distance.dtype == distance.dtype
    np.testing.assert_array_equal(found.predecessor, predecessor)
    verify_shortest_paths(graph, found, weights=options.get("weights", True))
    return found


@pytest.mark.smoke
@pytest.mark.cross
@pytest.mark.parametrize("kind", WEIGHTS)
@pytest.mark.parametrize("directed", [False, True])
def test_equals_reference(device, directed, kind):
    for seed in range(3):
        graph = drawn(seed, directed, kind)
        for dtype in ("float64", "float32"):
            if dtype == "float64" and needs_doubles(device, graph):
                continue
            many = equal(graph, [0, 7, 39, 7], device, dtype=dtype)
            one = equal(graph, 7, device, dtype=dtype, delta=0.3)
            assert one.distance.tobytes() == many.distance[1].tobytes() == many.distance[3].tobytes()
            assert one.predecessor.tobytes() == many.predecessor[1].tobytes()
            for cutoff in (0, 0.5, 3, 300):
                equal(graph, 7, device, dtype=dtype, cutoff=cutoff)


def test_delta_changes_no_byte(device):
    graph = drawn(5, True, "whole", 300, 1500)
    want = shortest_paths(graph, [0, 1], device=device)
    for delta in (1e-9, 1, 17, 1e300):
        same_bytes(shortest_paths(graph, [0, 1], delta=delta, device=device), want)


def test_awkward_graphs(device):
    for graph in awkward_graphs():
        equal(graph, graph.ids[0], device)
        equal(graph, graph.ids[:3], device, weights=False)
    lonely = Graph.from_edges([0], [0], weights=[2.5])
    found = shortest_paths(lonely, [0], device=device, dtype="float32")
    assert found.distance.tolist() == [[0]] and found.predecessor.tolist() == [[-1]]


def test_without_weights_it_is_bfs(device):
    graph = powerlaw_graph(2000, seed=3)
    found, other = shortest_paths(graph, 5, device=device), clgraph.bfs(graph, 5, device=device)
    assert (np.where(np.isinf(found.distance), -1, found.distance) == other.distance).all()
    assert (found.predecessor == other.predecessor).all() and found.reached == other.reached


def test_parallel_arcs_and_loops(device):
    ends = [0, 0, 0, 1, 1], [1, 1, 0, 1, 2]
    for weights, length in (([5, 2, 0, 0, 1], 3), ([2, 5, 1, 3, 0], 2)):
        graph = Graph.from_edges(*ends, weights=weights, directed=True, duplicates="keep")
        found = equal(graph, 0, device)
        assert found.distance[2] == length and found.predecessor.tolist() == [-1, 0, 1]
    merged = Graph.from_edges(*ends, weights=[5, 2, 0, 0, 1], directed=True)
    assert equal(merged, 0, device).distance[1] == 7  # of merged arcs the weights were added up


def test_long_chains_of_zeros(device):
    n = 300
    order = np.random.default_rng(2).permutation(n)
    ring = Graph.from_edges(order, np.roll(order, 1), weights=np.zeros(n))
    found = equal(ring, int(order[0]), device)
    assert (found.distance == 0).all() and np.count_nonzero(found.predecessor < 0) == 1
    ends = np.append(order, n), np.append(np.roll(order, 1), order[0])
    absorbed = Graph.from_edges(*ends, weights=np.append(np.full(n, 1e-9), 1e9))
    if not needs_doubles(device, absorbed):
        equal(absorbed, n, device)


def test_integers_inside(device):
    """As long as no sum exceeds 31 bits (of float32 24), and the same results as in floats."""
    for top, dtype, name in (
        (2**31 // 39 - 1, "float64", "uint"),
        (2**31 // 39 + 1, "float64", "double"),
        (2**24 // 39 - 1, "float32", "uint"),
        (2**24 // 39 + 1, "float32", "float"),
    ):
        rng = np.random.default_rng(3)
        graph = tangle(3, 40, 90, weights=np.append(rng.integers(0, top, 89), float(top)), duplicates="keep")
        if name == "double" and needs_doubles(device, graph):
            continue
        assert weighted.lengths_of(device, graph, True, dtype).numbers.value == name
        equal(graph, [3, 9], device, dtype=dtype)
    path = Graph.from_edges(np.arange(39), np.arange(1, 40), weights=np.full(39, 2**31 // 39 - 1))
    assert equal(path, 0, device).distance[-1] == 39 * (2**31 // 39 - 1)


def test_rows_are_pulled_without_64_bit_atomics(device, monkeypatch):
    if "HAVE_FP64" not in device.features:
        pytest.skip("no float64")
    graph = drawn(4, True, "floats", 200, 900)
    want = shortest_paths(graph, [0, 3], device=device)
    monkeypatch.setattr(weighted, "is_listed", lambda dev, numbers: True)
    same_bytes(shortest_paths(graph, [0, 3], device=device), want)


def as_gpus_do(monkeypatch, **shape):
    """Rounds that are launched ahead, and groups that share the arcs: small ones, so that lists overflow."""
    sizes = {"local": 8, "chunk": 4, "queue": 6, "few": 8, "groups": 2, "rounds": 3, "places": 1 << 12}
    config = replace(weighted.LAUNCH.gpu, **sizes | shape)
    monkeypatch.setattr(weighted, "LAUNCH", everywhere(config))


# a minute for the programs of each type of numbers, in the form of GPUs
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] * (kind != "whole")) for kind in WEIGHTS]
)
def test_rounds_are_launched_ahead(device, monkeypatch, kind):
    for directed in (False, True):
        graph = drawn(6, directed, kind, 120, 900)
        if needs_doubles(device, graph):
            return
        with monkeypatch.context() as patched:
            as_gpus_do(patched, local=min(8, device.max_work_group))
            for options in ({}, {"delta": 0.3}, {"cutoff": 3}, {"dtype": "float32", "delta": 1e300}):
                one = equal(graph, 5, device, **options)
                many = equal(graph, [0, 5, 119], device, **options)
                assert one.distance.tobytes() == many.distance[1].tobytes()


@pytest.mark.parametrize("local", [2, pytest.param(64, marks=pytest.mark.slow)])
def test_groups_that_share_arcs(device, monkeypatch, local):
    """The form of GPUs, with rows of 0 and of 1 arc and of more than a group among those of one group."""
    as_gpus_do(monkeypatch, local=min(local, device.max_work_group))
    ends = np.concatenate((np.zeros(200, int), np.arange(300))), np.arange(500) % 331
    weights = np.random.default_rng(1).choice([0.5, 1, 2, 7], 500)
    graph = Graph.from_edges(*ends, weights=weights, directed=True, duplicates="keep")
    equal(graph, [0, 5, 330], device)
    equal(drawn(2, False, "whole"), [0, 7], device)


def test_cutoff_is_rounded_as_weights_are(device):
    """As a number of 32 bits 0.1 is more than of 64, 0.7 is less: a path of just that length is within it."""
    for weights in ([0.1, 0.7, 0.5], [1, 7, 5]):
        graph = Graph.from_edges([0, 0, 1], [1, 2, 3], weights=weights)
        for cutoff, reached in ((weights[0], 2), (weights[1] * (1 - 1e-9), 4), (1e300, 4)):
            found = equal(graph, 0, device, dtype="float32", cutoff=cutoff)
            assert found.reached == reached and found.cutoff == cutoff


def test_batches_of_sources(device, monkeypatch):
    graph = powerlaw_graph(300, seed=2)
    want = shortest_paths(graph, range(20), device=device)
    config = replace(weighted.LAUNCH.of(device), places=900)
    monkeypatch.setattr(weighted, "LAUNCH", everywhere(config))
    told = []
    found = shortest_paths(graph, range(20), device=device, progress=lambda *at: told.append(at))
    assert found.distance.tobytes() == want.distance.tobytes()
    assert told[0] == (3, 20) and told[-1] == (20, 20)


@pytest.mark.parametrize("whole", [True, False])
def test_large_graph(device, whole):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    graph = rmat_graph(11, seed=4)
    rng = np.random.default_rng(1)
    tails, heads, *_ = graph.edge_indices()
    weights = rng.integers(1, 256, len(tails)) if whole else rng.random(len(tails)) + 0.01
    graph = Graph.from_edges(tails, heads, weights=weights)
    if needs_doubles(device, graph):
        return
    source = graph.ids[int(np.argmax(graph.degrees))]
    found = shortest_paths(graph, source, device=device)
    verify_shortest_paths(graph, found)
    matrix = csr_array((graph.weights, graph.col_idx, graph.row_ptr), shape=(graph.num_vertices,) * 2)
    expected = dijkstra(matrix, indices=graph.indices_of([source])[0])
    np.testing.assert_array_equal(found.distance, expected)  # it adds up from the source on, too


# --- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"sources": []}, "no source"),
        ({"sources": 9}, "9"),
        ({"delta": 0}, "delta is 0"),
        ({"delta": "x"}, "delta is 'x'"),
        ({"cutoff": -1}, "cutoff is -1"),
        ({"cutoff": "x"}, "cutoff is 'x'"),
        ({"predecessors": None}, "predecessors is None"),
    ],
)
def test_arguments(device, options, word):
    graph = Graph.from_edges([0, 1], [1, 2], weights=[1, 2])
    with pytest.raises(InputError, match=word):
        shortest_paths(graph, **{"sources": 0, **options}, device=device)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("weight", [2.0**40, 1e300])
def test_a_loop_alone_may_have_any_weight(device, weight):
    found = shortest_paths(Graph.from_edges([0], [0], weights=[weight]), 0, device=device)
    assert found.distance.tolist() == [0] and found.predecessor.tolist() == [-1]


def test_weights_that_are_refused(device):
    negative = Graph.from_edges(["a", "b"], ["b", "c"], weights=[1, -0.5], directed=True)
    with pytest.raises(InputError, match=r"arc 'b' -> 'c' has weight -0\.5"):
        shortest_paths(negative, "a", device=device)
    assert shortest_paths(negative, "a", weights=False, device=device).distance.tolist() == [0, 1, 2]
    for value in (np.nan, np.inf):
        with pytest.raises(InputError, match="finite"):
            Graph.from_edges([0], [1], weights=[value])
        # no graph has such weights: on a device they may come from a kernel
        for other in (1, 0.5):
            loop = Graph([0, 2, 2], [0, 1], ids=[4, 7], directed=True)
            stolen = on_device_alone(device, loop, [other, value])
            with pytest.raises(InputError, match=f"arc 4 -> 7 has weight {value}"):
                shortest_paths(stolen, 4, device=device)
    with pytest.raises(InputError, match=r"edge 0 -> 1 has weight 1e.50: beyond what float32 holds"):
        shortest_paths(Graph.from_edges([0], [1], weights=[1e50]), 0, dtype="float32", device=device)


def test_sums_that_overflow(device):
    for dtype, top in (("float32", 3e38), ("float64", 1.7e308)):
        graph = Graph.from_edges([0, 1, 0, 3], [1, 2, 3, 4], weights=[top, top, 1, 1], directed=True)
        if dtype == "float64" and needs_doubles(device, graph):
            continue
        with pytest.raises(InputError, match=f"arc 1 -> 2: the sum .* from 0 is beyond what {dtype} holds"):
            shortest_paths(graph, [3, 0], dtype=dtype, device=device)
        equal(graph, [3, 1], device, dtype=dtype)  # where no sum overflows
        found = equal(graph, 0, device, dtype=dtype, cutoff=1e30)
        assert found.reached == 3
        # reached by a lighter path, too
        other = Graph.from_edges([0, 1, 0], [1, 2, 2], weights=[top, top, 1], directed=True)
        assert equal(other, 0, device, dtype=dtype).distance[2] == 1


def test_verifier_finds_what_is_wrong(device):
    graph = drawn(1, True, "zeros", 30, 90)
    right = shortest_paths(graph, [0, 4], device=device)
    verify_shortest_paths(graph, right)
    at = np.flatnonzero((right.distance[0] > 0) & (right.distance[0] < np.inf))[0]
    changes = [{"reached": right.reached + 1}]
    for name, change in (("distance", 0.5), ("distance", -1), ("predecessor", 1)):
        changes.append({name: getattr(right, name).copy()})
        changes[-1][name][0, at] += change
    for wrong in changes:
        with pytest.raises(ClgraphError):
            verify_shortest_paths(graph, replace(right, **wrong))
    with pytest.raises(InputError):
        verify_shortest_paths(graph, clgraph.bfs(graph, 0, device=device))


# --- paths and means ---------------------------------------------------------------------------------------


def test_one_path(device):
    graph = Graph.from_edges(list("abcad"), list("bcddc"), weights=[1, 1, 5, 10, 2])
    for options, path, length in (({}, "ad", 1), ({"weights": True}, "abcd", 9)):
        options = {**options, "device": device}
        assert clgraph.shortest_path(graph, "a", "d", **options).tolist() == list(path)
        assert clgraph.shortest_path_length(graph, "a", "d", **options) == length
    apart = Graph.from_edges([0, 2], [1, 3], weights=[1, 1])
    with pytest.raises(InputError, match="no path leads from 0 to 3"):
        clgraph.shortest_path(apart, 0, 3, weights=True, device=device)


@pytest.mark.parametrize("kind", ["whole", "floats"])
def test_mean_distance(device, kind):
    graph = clgraph.largest_component(drawn(8, False, kind, 60, 300), device=device)
    if needs_doubles(device, graph):
        return
    distance, _ = reference_shortest_paths(graph, graph.ids)
    n = graph.num_vertices
    found = clgraph.average_shortest_path_length(graph, weights=True, device=device)
    assert found == pytest.approx(distance.sum() / (n * (n - 1)), rel=1e-14 if kind == "floats" else 0)
    apart = Graph.from_edges([0, 2], [1, 3], weights=[1, 2])
    with pytest.raises(InputError, match="not connected"):
        clgraph.average_shortest_path_length(apart, weights=True, device=device)
    assert clgraph.average_shortest_path_length(Graph.from_edges([0], [0], weights=[1]), weights=True) == 0


def test_centralities_refuse_weights():
    graph = Graph.from_edges([0, 1], [1, 2], weights=[1, 2])
    for call in (clgraph.closeness_centrality, clgraph.betweenness_centrality):
        with pytest.raises(InputError, match=r"weights is True: .*shortest_paths"):
            call(graph, weights=True)


def test_frame(device):
    pytest.importorskip("pandas")
    graph = Graph.from_edges(["a"], ["b"], weights=[3])
    frame = shortest_paths(graph, ["a", "b"], device=device).to_pandas(graph)
    assert frame["vertex"].tolist() == ["a", "b", "a", "b"] and frame["distance"].tolist() == [0, 3, 3, 0]


def test_results_stay_on_the_device(device):
    """As arrays of the device: the same numbers as on the host, from one source and from several batches."""
    single = [(kind, "float32") for kind in ("whole", "zeros", "floats")]
    for kind, dtype in (("whole", "float64"), *single):
        graph = drawn(8, True, kind)
        for sources in (3, [3, 0, 3, 17, 39]):
            want = shortest_paths(graph, sources, dtype=dtype, device=device)
            found = shortest_paths(graph, sources, dtype=dtype, arrays="device", device=device)
            assert found.reached == want.reached and found.distance.dtype == dtype
            assert found.distance.get().tobytes() == want.distance.tobytes()
            assert found.predecessor.get().tobytes() == want.predecessor.tobytes()
    alone = shortest_paths(graph, 3, dtype="float32", predecessors=False, arrays="device", device=device)
    assert alone.predecessor is None


@pytest.mark.parametrize("arrays", ["host", "device"])
def test_searches_keep_their_memory(device, arrays, monkeypatch):
    """The next search of a graph works in the same memory, and leaves the results of the last one alone."""
    graph, made, make = drawn(8, True, "whole"), [], weighted.WeightedSearch._make_area
    monkeypatch.setattr(weighted.WeightedSearch, "_make_area", lambda self: made.append(self) or make(self))
    first = shortest_paths(graph, 3, arrays=arrays, device=device)
    kept, allocated = numbers_of(first), device.allocated
    for source in (17, 39, 0):
        shortest_paths(graph, source, device=device)
        assert device.allocated <= allocated
    np.testing.assert_array_equal(numbers_of(first), kept)
    assert len(made) == 1
    shortest_paths(graph, [3, 17], device=device)  # as much as two searches need, which is not kept
    again = shortest_paths(graph, 3, arrays=arrays, device=device)
    assert len(made) == 2
    np.testing.assert_array_equal(numbers_of(again), kept)


def numbers_of(found):
    """A copy of the distances and predecessors, wherever they are."""
    arrays = found.distance, found.predecessor
    return np.array([array.get() if hasattr(array, "get") else array for array in arrays])


def test_whole_numbers_as_floats(device):
    """Every power of two and its neighbours, as bits of float64 made without that type."""
    lengths = sorted({abs(2**e + d) for e in range(31) for d in (-1, 0, 1)} - {2**30 + 1})
    lightest = Graph.from_edges([0, 1], [1, 2], weights=[2**29 + 1, 3])
    assert shortest_paths(lightest, 0, device=device).distance.tolist() == [0, 2**29 + 1, 2**29 + 4]
    for each in (15, 25, len(lengths)):
        part = Graph.from_edges(np.zeros(each, int), np.arange(1, each + 1), weights=lengths[:each])
        if needs_doubles(device, part):
            continue
        assert shortest_paths(part, 0, device=device).distance.tolist() == [0, *lengths[:each]]


@pytest.mark.parametrize("kind", ["whole", "floats", "large"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_weights_that_only_the_device_has_stay_there(device, kind, dtype):
    if "HAVE_FP64" not in device.features:
        pytest.skip("the device has no float64")
    graph = drawn(3, True, kind)
    there = on_device_alone(device, graph, graph.weights)
    found = shortest_paths(there, graph.ids[0], dtype=dtype, device=device)
    assert "weights" not in vars(there)
    wanted = shortest_paths(graph, graph.ids[0], dtype=dtype, device=device)
    np.testing.assert_array_equal(found.distance, wanted.distance)
    np.testing.assert_array_equal(found.predecessor, wanted.predecessor)
