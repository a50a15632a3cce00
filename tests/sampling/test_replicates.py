"""Exact runs side by side: each is, byte for byte, the run alone."""

import dataclasses
import itertools
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from graphs import random_graph

from clgraph import Graph, InputError, powerlaw_graph, sample
from clgraph.device.launch import record_launches
from clgraph.device.launch_config import LaunchTable
from clgraph.reference import verify_sample
from clgraph.reference.reduction import reference_deletion
from clgraph.sampling import explore, replicates, runs
from clgraph.sampling.request import check_request


def clusters(seed, sizes):
    """Dense clusters in a row, joined by an edge: after a split another one may have been the larger."""
    drawn = np.random.default_rng(seed)
    first = np.cumsum([0, *sizes])
    edges = [drawn.integers(a, b, (2, 3 * (b - a))) for a, b in itertools.pairwise(first)]
    joins = [[[a], [b]] for a, b in itertools.pairwise(first[:-1])]
    return Graph.from_edges(*np.concatenate([*edges, *joins], axis=1))


def star(n):
    return Graph.from_edges([0] * (n - 1), range(1, n))


def ring(n):
    return Graph.from_edges(range(n), [*range(1, n), 0])


FORMS = [
    "merge tree",
    pytest.param("probes", marks=pytest.mark.slow),
    "probes, few deletions taken one by one",
]


@pytest.fixture(params=FORMS)
def form(request, monkeypatch):
    """Both forms on every device; with little room for the last deletions, so that it is exceeded."""
    chosen = runs.SideBySide(request.param.split(",")[0], 1 << 20)
    monkeypatch.setattr(runs, "LAUNCH", LaunchTable(gpu=chosen, cpu=chosen, simulator=chosen))
    if "few" in request.param:
        monkeypatch.setattr(replicates, "FEW", 3)
        monkeypatch.setattr(replicates, "ROOM", 5)


rng = np.random.default_rng(5)
GRAPHS = {
    "power law": powerlaw_graph(700, seed=2),
    "a star": star(50),
    "a ring": ring(40),
    "a path with a clique at each end": Graph.from_edges(
        [0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 7, 7, 8, 8, 9], [1, 2, 3, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 9, 10, 10]
    ),
    "pairs and isolated vertices": Graph.from_edges([4, 0, 8], [5, 1, 9], vertices=range(12)),
    "ties of components": Graph.from_edges([8, 9, 0, 1, 4, 5], [9, 10, 1, 2, 5, 6], vertices=range(12)),
    "copies and loops": Graph.from_edges(rng.integers(0, 30, 90), rng.integers(0, 30, 90), duplicates="keep"),
    "two clusters": clusters(1, [30, 26]),
    "four clusters": clusters(2, [12, 11, 10, 9]),
    "directed": Graph.from_edges(rng.integers(0, 40, 90), rng.integers(0, 40, 90), directed=True),
    "directed copies": Graph.from_edges(
        rng.integers(0, 20, 90), rng.integers(0, 20, 90), directed=True, duplicates="keep"
    ),
    "weights and counts": Graph.from_edges(
        rng.integers(0, 60, 150), rng.integers(0, 60, 150), weights=rng.random(150)
    ),
    "names": Graph.from_edges(["b", "a", "d", "c"], ["a", "d", "c", "e"]),
    "a vertex": Graph.from_edges([], [], vertices=[3]),
    "one edge": Graph.from_edges([0], [1], vertices=range(4)),
}


def same(one, other):
    assert (one.seed, one.size, one.target_vertices) == (other.seed, other.size, other.target_vertices)
    assert one.vertices.tolist() == other.vertices.tolist()
    for name in ("edges", "_arc_mask"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    for name in ("row_ptr", "col_idx", "weights", "multiplicity"):
        mine, theirs = getattr(one.graph, name), getattr(other.graph, name)
        assert (mine is None) == (theirs is None)
        assert mine is None or (mine.dtype, mine.tobytes()) == (theirs.dtype, theirs.tobytes())
    assert (one.algorithm == "untouched") == (other.algorithm == "untouched")
    assert one.notes == other.notes
    assert one.num_edges == other.num_edges == one.graph.num_edges or one.graph.directed


@pytest.mark.parametrize("method", ["drv", "dre"])
@pytest.mark.parametrize("name", GRAPHS)
def test_each_run_is_the_run_alone(device, form, name, method):
    graph = GRAPHS[name]
    n = graph.num_vertices
    sizes = [-(-4 * n // 5), 1, -(-n // 3), -(-4 * n // 5)]
    made = sample(graph, method, sizes=sizes, seed=2**32 - 2, seeds=4, device=device)
    assert len(made) == 16
    for run in range(4):
        alone = sample(graph, method, sizes=sizes, seed=2**32 - 2 + run, device=device)
        for k, each in enumerate(alone):
            same(made[4 * run + k], each)
            verify_sample(graph, made[4 * run + k])


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("method", ["ebfs", "edfs"])
@pytest.mark.cross
def test_each_exploration_is_the_run_alone(device, monkeypatch, name, method):
    # also where one after the other is as fast
    every = dataclasses.replace(runs.LAUNCH.of(device), depth=1 << 19)
    monkeypatch.setattr(runs, "LAUNCH", LaunchTable(gpu=every, cpu=every, simulator=every))
    monkeypatch.setattr(explore, "MOST", 12)  # two or three depth-first runs in a launch
    graph = GRAPHS[name]
    n = graph.num_vertices
    sizes = [-(-4 * n // 5), 1, -(-n // 3), -(-4 * n // 5), -(-n // 4)]
    with record_launches() as launches:
        made = sample(graph, method, sizes=sizes, seed=2**32 - 2, seeds=4, device=device)
    together = "explore_runs" if method == "ebfs" else "explore_members"
    alike = any(each.kernel == together for each in launches)
    assert alike == (device.kernels == "ndrange" and graph.undirected.without_self_loops.num_arcs >= 4)
    for run in range(4):
        alone = sample(graph, method, sizes=sizes, seed=2**32 - 2 + run, device=device)
        for k, each in enumerate(alone):
            same(made[5 * run + k], each)
            assert made[5 * run + k].iterations == each.iterations
    start = made[0].vertices[-1]
    given = sample(graph, method, size=sizes[2], seed=1, seeds=3, start=start, device=device)
    for each in given:
        same(each, sample(graph, method, size=sizes[2], seed=each.seed, start=start, device=device))


def test_a_start_outside_the_largest_component(device):
    graph = GRAPHS["ties of components"]
    with pytest.raises(InputError, match="outside the largest component"):
        sample(graph, "ebfs", size=2, seed=1, seeds=3, start=8, device=device)


@pytest.mark.parametrize("method", ["drv", "dre"])
def test_each_run_is_the_loop_of_single_deletions(device, form, method):
    for number in range(8):
        graph = random_graph(number, 25, 30)
        for each in sample(graph, method, size="40%", seed=number, seeds=3, device=device):
            expected = reference_deletion(graph, method, "40%", each.seed)
            np.testing.assert_array_equal(each.vertices, expected.vertices)
            np.testing.assert_array_equal(each.edges, expected.edges)


@pytest.mark.parametrize("method", ["drv", "dre"])
def test_one_run_on_a_small_graph(device, method, monkeypatch):
    """CPUs take the form of many runs for it: the same bytes in one launch."""
    graph = powerlaw_graph(700, seed=2)
    made = sample(graph, method, sizes=["60%", "20%"], seed=3, device=device)
    assert device.kind != "cpu" or "cl/sampling/replicates.cl" in made[0].provenance["built"]
    first = made[0]
    assert first.graph.num_vertices  # making it is a phase
    assert {"device", "build", "upload", "compile", "sample", "download", "result"} == set(first.seconds)
    monkeypatch.setattr(runs, "side_by_side", lambda *args: None)
    other = sample(graph, method, sizes=["60%", "20%"], seed=3, device=device)
    for one, expected in zip(made, other, strict=True):
        same(one, expected)


def test_nothing_is_made_before_it_is_looked_at(device):
    graph = powerlaw_graph(700, seed=2)
    made = sample(graph, "dre", sizes=["50%", "20%"], seed=1, seeds=6, device=device)
    if not runs.side_by_side(device, graph, check_request(graph, "dre", {}), 6):
        pytest.skip("one run after the other on this device")
    vertices, edges, offsets = made.num_vertices, made.num_edges, made.offsets
    assert made[-1:].vertices.tolist() == made.vertices[offsets[-2] :].tolist()
    part = made._places[0][0]
    assert len(part.made) == 0
    held = made[3]
    assert made[3] is held
    assert list(part.made) == [3]
    again = pickle.loads(pickle.dumps(made))
    for k, each in enumerate(again):
        same(each, made[k])
        assert (len(each.vertices), each.num_edges) == (vertices[k], edges[k])
        assert each.original is again[0].original


def test_runs_are_dealt_in_portions(device, monkeypatch):
    """Launches are short, progress is told between them, and an error in it ends the call."""
    graph = powerlaw_graph(300, seed=2)
    many = 8 * device.compute_units + 1  # cores take a run each
    whole = sample(graph, "drv", size="50%", seed=1, seeds=many, device=device)
    if not runs.side_by_side(device, graph, check_request(graph, "drv", {}), many):
        pytest.skip("one run after the other on this device")
    monkeypatch.setattr(runs, "BRIEF", 0.0)
    told = []
    parts = sample(
        graph, "drv", size="50%", seed=1, seeds=many, device=device, progress=lambda *x: told.append(x)
    )
    if device.shares_memory:  # GPUs bring all runs forward in each launch
        assert len({id(part) for part, _ in parts._places}) > 1
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert len({of for _, of in told}) == 1
    assert told[-1][0] == told[-1][1]
    np.testing.assert_array_equal(parts.vertices, whole.vertices)

    def stop(done, of):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sample(graph, "drv", size="50%", seed=1, seeds=many, device=device, progress=stop)
    np.testing.assert_array_equal(
        sample(graph, "drv", size="50%", seed=1, seeds=many, device=device).vertices, whole.vertices
    )


def test_as_many_runs_in_a_launch_as_fit(device, form, monkeypatch):
    graph = powerlaw_graph(300, seed=2)
    whole = sample(graph, "dre", size="50%", seed=1, seeds=7, device=device)
    monkeypatch.setattr(replicates, "MOST", 3)
    made = sample(graph, "dre", size="50%", seed=1, seeds=7, device=device)
    np.testing.assert_array_equal(made.edges, whole.edges)
    if runs.LAUNCH.of(device).exact == "probes" and device.kernels == "ndrange":
        assert list({id(part): len(part) for part, _ in made._places}.values()) == [3, 3, 1]


def test_threads(device):
    """Calls on one graph from several threads at once give what they give alone."""
    graph = powerlaw_graph(300, seed=2)
    calls = [(method, seed) for method in ("drv", "dre") for seed in range(4)]

    def call(method, seed):
        return sample(graph, method, size="40%", seed=seed, seeds=5, device=device).edges.tobytes()

    expected = [call(*each) for each in calls]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda each: call(*each), calls)) == expected
