"""Sampling on every device against the reference, which deletes by the definition."""

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import assert_equals_reference, random_graph

import clgraph
from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.methods import CONTRACTING, REDUCTIONS
from clgraph.reference import reference_sample, verify_sample
from clgraph.sampling import sample

KEEPING = [method for method in REDUCTIONS if method not in CONTRACTING]  # test_contract.py has the others


@pytest.mark.smoke
@pytest.mark.parametrize("components", ["afforest", "bfs"])
@pytest.mark.parametrize("method", REDUCTIONS)
def test_equals_reference(device, method, components):
    for seed, (n, m) in enumerate([(4, 3), (5, 6), (40, 60), (120, 500), (300, 420)]):
        graph = random_graph(seed, n, m)
        for size in ("50%", "20%", "85%", 1):
            made = sample(
                graph, method, size=size, seed=seed, device=device, mode="batched", components=components
            )
            assert_equals_reference(graph, made, size=size)


@pytest.mark.parametrize("far_scan", [False, True])
@pytest.mark.parametrize("method", REDUCTIONS)
def test_parallel_edges_keep_their_multiplicity(device, method, far_scan):
    for seed in range(4):
        graph = random_graph(seed, 25, 120, duplicates="keep")
        made = sample(graph, method, size="60%", seed=seed, device=device, mode="batched", far_scan=far_scan)
        assert_equals_reference(graph, made, size="60%")


@pytest.mark.parametrize("method", REDUCTIONS)
@pytest.mark.parametrize("tolerance", [0, 3, 1000])
def test_undo_and_tolerance(device, method, tolerance):
    # two clusters on a thin bridge: batches that cut it must be taken back
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 60, (2, 200)), rng.integers(60, 120, (2, 200))
    bridge = np.array([[0, 60, 61], [60, 61, 1]])
    graph = Graph.from_edges(*np.concatenate((a, b, bridge), axis=1))
    for seed in range(5):
        made = sample(
            graph, method, size="70%", seed=seed, device=device, mode="batched", tolerance=tolerance
        )
        assert_equals_reference(graph, made, size="70%", tolerance=tolerance)


@pytest.mark.parametrize("method", KEEPING)
def test_directed_input_keeps_its_arcs(device, method):
    graph = random_graph(8, 80, 300, directed=True, weights=np.random.default_rng(1).random(300))
    made = sample(graph, method, size="50%", seed=2, device=device)
    assert_equals_reference(graph, made, size="50%")
    assert made.graph.directed
    index = graph.indices_of(made.vertices)
    original, small = graph.to_scipy().todense(), made.graph.to_scipy().todense()
    kept = small != 0
    np.testing.assert_array_equal(small[kept], original[np.ix_(index, index)][kept])


def counts_of(graph):
    """How many of the edges given each edge stands for, as a matrix."""
    counts = np.zeros((graph.num_vertices,) * 2, int)
    counts[graph.tails, graph.col_idx] = 1 if graph.multiplicity is None else graph.multiplicity
    return counts


@pytest.mark.parametrize("method", KEEPING)
def test_weights_ids_and_counts_come_along(device, method):
    rng = np.random.default_rng(5)
    source, target = 10 * rng.integers(0, 50, 300) + 3, 10 * rng.integers(0, 50, 300) + 3
    graph = Graph.from_edges(source, target, weights=rng.random(300))
    made = sample(graph, method, size="50%", seed=1, device=device)
    verify_sample(graph, made)
    small, index = made.graph, graph.indices_of(made.vertices)
    assert set(made.vertices.tolist()) <= set(graph.ids.tolist())
    np.testing.assert_array_equal(small.ids, made.vertices)
    dense = graph.to_scipy().todense()[np.ix_(index, index)]
    got = small.to_scipy().todense()
    np.testing.assert_array_equal(got[got != 0], dense[got != 0])
    assert graph.multiplicity.max() > 1  # there are edges drawn several times
    np.testing.assert_array_equal(
        counts_of(small)[got != 0], counts_of(graph)[np.ix_(index, index)][got != 0]
    )


def test_self_loops_are_left_out_and_said(device):
    graph = Graph.from_edges([0, 1, 2, 2, 3], [0, 2, 2, 3, 1])
    made = sample(graph, "drv", size=1.0, seed=0, device=device)
    assert made.graph.num_self_loops == 0
    assert any("2 self-loops" in note for note in made.notes)
    verify_sample(graph, made)


def test_nothing_to_delete_is_said(device):
    graph = Graph.from_edges([0, 1, 5], [1, 2, 6])
    made = sample(graph, "dre", size="60%", seed=0, device=device)
    assert made.vertices.tolist() == [0, 1, 2]
    assert made.iterations == 0
    assert any("untouched" in note for note in made.notes)
    bigger = sample(graph, "drv", size=99, seed=0, device=device)
    assert bigger.vertices.tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="larger than the graph"):
        sample(graph, "drv", size=99, seed=0, device=device, strict=True)


def test_a_tie_goes_to_the_smallest_vertex(device):
    graph = Graph.from_edges([0, 1, 3, 4], [5, 5, 6, 6])  # {0, 1, 5} and {3, 4, 6}
    for components in ("afforest", "bfs"):
        made = sample(graph, "drv", size=1.0, seed=0, device=device, mode="batched", components=components)
        assert made.vertices.tolist() == [0, 1, 5]
    assert sample(graph, "drv", size=1.0, seed=0, device=device).vertices.tolist() == [0, 1, 5]


@pytest.mark.parametrize("method", REDUCTIONS)
def test_small_and_odd_graphs(device, method):
    alone = Graph.from_edges([], [], vertices=[7])
    assert sample(alone, method, size=1, seed=0, device=device).vertices.tolist() == [7]
    edgeless = Graph.from_edges([], [], vertices=[3, 5, 9])
    assert sample(edgeless, method, size="100%", seed=0, device=device).vertices.tolist() == [3]
    star = Graph.from_edges(np.zeros(60, int), np.arange(1, 61))
    made = sample(star, method, size="50%", seed=3, device=device)
    assert_equals_reference(star, made, size="50%")
    path = Graph.from_edges(np.arange(80), np.arange(1, 81))
    made = sample(path, method, size="30%", seed=3, device=device)
    assert_equals_reference(path, made, size="30%")


def test_a_larger_graph(device):
    graph = powerlaw_graph(1200, seed=2)
    for method in REDUCTIONS:
        made = sample(graph, method, size="40%", seed=6, device=device)
        assert_equals_reference(graph, made, size="40%")


@pytest.mark.parametrize("method", ["drv", "dre"])
def test_batched_deletes_what_exact_deletes(device, method):
    """Both delete in one global order: with tolerance 0 the two schedules end with the same vertices.

    (As long as one component holds most vertices throughout, which it does in graphs as dense as these.)
    """
    for seed in range(10):
        graph = random_graph(seed, 80, 400)
        for size in ("70%", "40%"):
            options = {"size": size, "seed": seed}
            exact = sample(graph, method, device=device, mode="exact", **options)
            batched = sample(graph, method, device=device, mode="batched", tolerance=0, **options)
            np.testing.assert_array_equal(exact.vertices, batched.vertices)
            assert batched.iterations > 1
            if method == "drv":
                np.testing.assert_array_equal(exact.edges, batched.edges)
            for made in (exact, batched):
                expected = reference_sample(graph, method, mode=made.mode, tolerance=0, **options)
                np.testing.assert_array_equal(made.vertices, expected.vertices)


def test_a_scipy_array_is_taken(device):
    arcs = sp.random_array((50, 50), density=0.1, rng=np.random.default_rng(0), format="csr")
    matrix = arcs + arcs.T
    made = sample(matrix, "drv", size="50%", seed=1, device=device)
    verify_sample(Graph.from_scipy(matrix, directed=False), made)


@pytest.mark.parametrize(
    ("method", "mode"),
    [("drv", "exact"), ("dre", "exact"), ("drv", "batched"), ("drve", "batched"), ("cre", "batched")],
)
def test_progress_advances(device, method, mode, monkeypatch):
    monkeypatch.setattr("clgraph.sampling.threshold_search.FEW", 4)  # the host takes hardly any deletion
    monkeypatch.setattr("clgraph.sampling.runs.side_by_side", lambda *_: False)  # not all in one launch
    seen = []
    graph = random_graph(1, 300, 900)
    made = sample(
        graph, method, size="30%", seed=1, device=device, mode=mode, progress=lambda *a: seen.append(a)
    )
    done = [each for each, _ in seen]
    of = {each for _, each in seen}
    assert of == {graph.largest_component().num_vertices - made.target_vertices}  # the same all the way
    assert done[0] == 0
    assert done == sorted(done)
    assert len(set(done)) > 2  # it advances more than once
    assert max(of) / 2 < done[-1] <= max(of)


@pytest.mark.parametrize(
    ("kwargs", "word"),
    [
        ({"method": "magic", "size": 0.5}, "unknown method .magic.: `clgraph methods` lists all"),
        ({"size": 0}, "size"),
        ({"size": -1}, "size"),
        ({"size": "150%"}, "more than the whole"),
        ({"size": 0.5, "mode": "exact", "method": "drve"}, "exists for drv and dre"),
        ({"size": 0.5, "mode": "quick"}, "mode"),
        ({"size": 0.5, "components": "magic"}, "components"),
        ({"size": 0.5, "tolerance": -1}, "tolerance"),
        ({"size": 0.5, "tolerance": float("nan")}, "tolerance"),
        ({"size": 0.5, "seed": -1}, "seed"),
    ],
)
def test_bad_arguments(kwargs, word):
    with pytest.raises(InputError, match=word):
        sample(random_graph(0, 10, 20), **kwargs)


def test_bad_graphs():
    with pytest.raises(InputError, match="no vertices"):
        sample(Graph.from_edges([], []), size=0.5)
    with pytest.raises(InputError, match="list"):
        sample([(0, 1)], size=0.5)


def test_an_unknown_option_is_a_type_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'sise'"):
        sample(random_graph(0, 10, 20), size=0.5, sise=3)


@pytest.mark.smoke
def test_a_seed_is_drawn_and_recorded(device):
    made = sample(random_graph(0, 50, 100), "drv", size=0.5, device=device)
    again = sample(random_graph(0, 50, 100), "drv", size=0.5, seed=made.seed, device=device)
    np.testing.assert_array_equal(made.edges, again.edges)


class _Forged:
    def __init__(self, made, **changes):
        self.__dict__.update(
            {
                name: getattr(made, name)
                for name in ("graph", "vertices", "edges", "target_vertices", "method")
            }
        )
        self.__dict__.update(changes)


@pytest.mark.smoke
def test_verify_sample_finds_what_is_wrong(device):
    graph = powerlaw_graph(300, seed=2)
    made = sample(graph, "drv", size="50%", seed=6, device=device)
    verify_sample(graph, made)
    outside = graph.ids[graph.degrees == 0][0]
    joined = np.append(made.vertices, outside)
    first = made.graph.tails[0], made.graph.col_idx[0]
    arcs = np.stack((made.graph.tails, made.graph.col_idx))
    others = ~np.all((first == arcs.T) | (first[::-1] == arcs.T), axis=1)
    for changes, word in [
        ({"edges": made.edges[1:]}, "sample.graph"),
        ({"edges": made.edges[1:], "graph": made.graph.edge_subgraph(others)}, "induced"),
        ({"edges": made.edges[::-1]}, "ascending"),
        ({"target_vertices": 10}, "more than the target"),
        ({"vertices": joined}, "sample.graph"),
        ({"vertices": joined, "graph": graph.subgraph(graph.indices_of(joined))}, "not connected"),
        ({"vertices": made.vertices[1:]}, "leaves its vertices"),
        ({"vertices": np.append(made.vertices, made.vertices[0])}, "twice"),
        ({"graph": graph}, "sample.graph"),
    ]:
        with pytest.raises(AssertionError, match=word):
            verify_sample(graph, _Forged(made, **changes))


@pytest.mark.smoke
def test_result_says_how_it_came_about(device):
    made = clgraph.sample(random_graph(0, 50, 100), "dre", size="50%", seed=4, device=device)
    told = made.to_dict()
    assert told["mode"] == "exact"
    assert told["vertices"] == len(made.vertices)
    assert told["edges"] == len(made.edges)
    assert set(told["seconds"]) == {"device", "build", "upload", "compile", "sample", "download", "result"}
    assert "dre (exact)" in repr(made)
