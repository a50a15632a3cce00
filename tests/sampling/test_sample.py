"""Reductions on every device against the reference, which deletes by the definition; what is refused."""

from types import SimpleNamespace

import numpy as np
import pytest
from graphs import random_graph
from samplers import counts_of, equals_reference, rows, weights_of

import clgraph
from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.methods import CONTRACTING, EXPLORING, REDUCTIONS
from clgraph.reference import verify_sample
from clgraph.sampling import sample

KEEPING = [method for method in REDUCTIONS if method not in CONTRACTING]  # test_contract.py has the others
MIXED = rows(["dhyb"], mix=[0, "0.3", 0.8, 1])


@pytest.mark.smoke
@pytest.mark.parametrize(("method", "options"), [*rows(REDUCTIONS, components=["afforest", "bfs"]), *MIXED])
def test_equals_reference(device, method, options):
    for seed, (n, m) in enumerate([(4, 3), (5, 6), (40, 60), (120, 500), (300, 420)]):
        graph = random_graph(seed, n, m)
        for size in ("50%", "20%", "85%", 1):
            equals_reference(graph, method, device, seed=seed, size=size, mode="batched", **options)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        *rows(REDUCTIONS, far_scan=[False, True]),
        ("dhyb", {"mix": "0.4", "far_scan": True}),
        ("dhyb", {"mix": "0.4", "components": "bfs", "tolerance": 0}),
    ],
)
def test_parallel_edges_keep_their_multiplicity(device, method, options):
    for seed in range(4):
        graph = random_graph(seed, 25, 120, duplicates="keep")
        equals_reference(graph, method, device, seed=seed, size="60%", mode="batched", **options)


@pytest.mark.parametrize("method", REDUCTIONS)
@pytest.mark.parametrize("tolerance", [0, 3, 1000])
def test_undo_and_tolerance(device, method, tolerance):
    # two clusters on a thin bridge: batches that cut it must be taken back
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 60, (2, 200)), rng.integers(60, 120, (2, 200))
    bridge = np.array([[0, 60, 61], [60, 61, 1]])
    graph = Graph.from_edges(*np.concatenate((a, b, bridge), axis=1))
    for seed in range(5):
        options = {"size": "70%", "mode": "batched", "tolerance": tolerance}
        equals_reference(graph, method, device, seed=seed, **options)


@pytest.mark.parametrize(
    ("method", "directed", "connection"),
    [(method, directed, "weak") for method in KEEPING for directed in (False, True)]
    + [(method, True, "strong") for method in KEEPING if method not in EXPLORING],
)
def test_arcs_weights_ids_and_counts_come_along(device, method, directed, connection):
    rng = np.random.default_rng(5)
    source, target = 10 * rng.integers(0, 50, 300) + 3, 10 * rng.integers(0, 50, 300) + 3
    graph = Graph.from_edges(source, target, weights=rng.random(300), directed=directed)
    made = equals_reference(graph, method, device, size="50%", seed=1, connection=connection)
    small, index = made.graph, graph.indices_of(made.vertices)
    assert small.directed == directed and set(made.vertices.tolist()) <= set(graph.ids.tolist())
    np.testing.assert_array_equal(small.ids, made.vertices)
    kept = weights_of(small) != 0
    assert graph.multiplicity.max() > 1 and graph.num_self_loops > 0  # some edges are drawn several times
    for matrix in (weights_of, counts_of):
        np.testing.assert_array_equal(matrix(small)[kept], matrix(graph)[np.ix_(index, index)][kept])


def test_self_loops_are_left_out_and_said(device):
    graph = Graph.from_edges([0, 1, 2, 2, 3], [0, 2, 2, 3, 1])
    made = sample(graph, "drv", size=1.0, seed=0, device=device)
    assert made.graph.num_self_loops == 0
    assert any("2 self-loops" in note for note in made.notes)
    verify_sample(graph, made)


def test_a_tie_goes_to_the_smallest_vertex(device):
    graph = Graph.from_edges([0, 1, 3, 4], [5, 5, 6, 6])  # {0, 1, 5} and {3, 4, 6}
    for components in ("afforest", "bfs"):
        made = sample(graph, "drv", size=1.0, seed=0, device=device, mode="batched", components=components)
        assert made.vertices.tolist() == [0, 1, 5]
    assert sample(graph, "drv", size=1.0, seed=0, device=device).vertices.tolist() == [0, 1, 5]


@pytest.mark.parametrize("method", REDUCTIONS)
def test_small_odd_and_larger_graphs(device, method):
    with pytest.raises(InputError, match="no vertices"):
        sample(Graph.from_edges([], []), method, size=0.5, device=device)
    alone = Graph.from_edges([], [], vertices=[7])
    assert sample(alone, method, size=1, seed=0, device=device).vertices.tolist() == [7]
    edgeless = Graph.from_edges([], [], vertices=[3, 5, 9])
    assert sample(edgeless, method, size="100%", seed=0, device=device).vertices.tolist() == [3]
    star = Graph.from_edges(np.zeros(60, int), np.arange(1, 61))
    path = Graph.from_edges(np.arange(80), np.arange(1, 81))
    for graph, size in ((star, "50%"), (path, "30%"), (powerlaw_graph(1200, seed=2), "40%")):
        equals_reference(graph, method, device, size=size, seed=3)


@pytest.mark.parametrize("method", ["drv", "dre"])
def test_batched_deletes_what_exact_deletes(device, method):
    """Both delete in one global order: with tolerance 0 the two schedules end with the same vertices.

    (As long as one component holds most vertices throughout, which it does in graphs as dense as these.)
    """
    for seed in range(10):
        graph = random_graph(seed, 80, 400)
        for size in ("70%", "40%"):
            options = {"seed": seed, "size": size, "tolerance": 0}
            exact, batched = (
                equals_reference(graph, method, device, mode=mode, **options) for mode in ("exact", "batched")
            )
            np.testing.assert_array_equal(exact.vertices, batched.vertices)
            assert batched.iterations > 1
            if method == "drv":
                np.testing.assert_array_equal(exact.edges, batched.edges)


@pytest.mark.parametrize(
    ("method", "mode"),
    [("drv", "exact"), ("dre", "exact"), ("drv", "batched"), ("drve", "batched"), ("cre", "batched")],
)
def test_progress_advances(device, method, mode, monkeypatch):
    monkeypatch.setattr("clgraph.sampling.threshold_search.FEW", 4)  # the host takes hardly any deletion
    monkeypatch.setattr("clgraph.sampling.runs.side_by_side", lambda *_: False)  # not all in one launch
    seen = []
    graph, options = random_graph(1, 300, 900), {"size": "30%", "seed": 1, "mode": mode, "device": device}
    made = sample(graph, method, progress=lambda *told: seen.append(told), **options)
    done, of = [each for each, _ in seen], {each for _, each in seen}
    assert of == {graph.largest_component().num_vertices - made.target_vertices}  # the same all the way
    assert done[0] == 0
    assert done == sorted(done)
    assert len(set(done)) > 2  # it advances more than once
    assert max(of) / 2 < done[-1] <= max(of)


@pytest.mark.parametrize(
    ("method", "options", "word"),
    [
        ("magic", {"size": 0.5}, "unknown method .magic.: `clgraph methods` lists all"),
        ("drv", {"size": 0}, "size"),
        ("drv", {"size": -1}, "size"),
        ("drv", {"size": "150%"}, "more than the whole"),
        ("drve", {"size": 0.5, "mode": "exact"}, "exists for drv and dre"),
        ("cre", {"size": 2, "mode": "exact"}, "batched"),
        ("drv", {"size": 0.5, "mode": "quick"}, "mode"),
        ("drv", {"size": 0.5, "components": "magic"}, "components"),
        ("drv", {"size": 0.5, "tolerance": -1}, "tolerance"),
        ("drv", {"size": 0.5, "tolerance": float("nan")}, "tolerance"),
        ("drv", {"size": 0.5, "seed": -1}, "seed"),
        ("drv", {}, "either size or sizes"),
        ("drv", {"size": 5, "sizes": [3]}, "either size or sizes"),
        ("drv", {"sizes": []}, "empty"),
        ("drv", {"sizes": "50%"}, "a list"),
        ("drv", {"sizes": [5, "x%"]}, "x%"),
        ("drv", {"sizes": [5, 50], "strict": True}, "larger than the graph"),
        ("drv", {"size": 5, "seeds": 0}, "count of runs"),
        ("drv", {"size": 5, "seeds": 1.5}, "count of runs"),
        ("drv", {"size": 5, "seeds": 2, "seed": 2**64 - 1}, "last seed"),
        ("drv", {"size": 5, "connection": "both"}, "connection"),
        *(("dhyb", {"size": 5, "mix": mix}, "mix") for mix in (-0.1, 1.01, 1.5, float("nan"), "much")),
        ("ebfs", {"size": 5, "start": 99}, "99"),
        ("drv", {"size": 2, "connection": "strong", "mode": "exact"}, "exact.*batched"),
        ("cre", {"size": 2, "connection": "strong"}, "delete"),
        ("drv", {"size": 2, "connection": "strong", "components": "bfs"}, "components.*weak"),
        ("ebfs", {"size": 2, "connection": "strong"}, "strong"),
    ],
)
def test_bad_arguments(method, options, word):
    with pytest.raises(InputError, match=word):
        sample(random_graph(0, 10, 20, directed=True), method, **{"seed": 1, **options})


def test_unknown_options():
    with pytest.raises(TypeError, match="unexpected keyword argument 'sise'"):
        sample(random_graph(0, 10, 20), size=0.5, sise=3)


@pytest.mark.smoke
def test_a_seed_is_drawn_and_recorded(device):
    made = sample(random_graph(0, 50, 100), "drv", size=0.5, device=device)
    again = sample(random_graph(0, 50, 100), "drv", size=0.5, seed=made.seed, device=device)
    np.testing.assert_array_equal(made.edges, again.edges)


@pytest.mark.smoke
def test_verify_sample_finds_what_is_wrong(device):
    graph = powerlaw_graph(300, seed=2)
    made = sample(graph, "drv", size="50%", seed=6, device=device)
    verify_sample(graph, made)
    names = ("graph", "vertices", "edges", "target_vertices", "method")
    right = {name: getattr(made, name) for name in names}
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
            verify_sample(graph, SimpleNamespace(**right | changes))


@pytest.mark.smoke
def test_result_says_how_it_came_about(device):
    made = clgraph.sample(random_graph(0, 50, 100), "dre", size="50%", seed=4, device=device)
    told = made.to_dict()
    assert told["mode"] == "exact"
    assert told["vertices"] == len(made.vertices)
    assert told["edges"] == len(made.edges)
    assert set(told["seconds"]) == {"device", "build", "upload", "compile", "sample", "download", "result"}
    assert "dre (exact)" in repr(made)
