"""Runs side by side: each is, byte for byte, the run alone, which other tests compare with the reference."""

import itertools
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from graphs import random_graph
from samplers import launch_otherwise

from clgraph import Graph, InputError, powerlaw_graph, sample
from clgraph.device.launch import record_launches
from clgraph.device.launch_config import LaunchTable
from clgraph.methods import CONTRACTING
from clgraph.reference import verify_sample
from clgraph.reference.reduction import reference_contract, reference_deletion, verify_contraction
from clgraph.sampling import contract, draw, explore, replicates, runs
from clgraph.sampling.request import check_request


def clusters(seed, sizes):
    """Dense clusters in a row, joined by an edge: after a split another one may have been the larger."""
    drawn = np.random.default_rng(seed)
    first = np.cumsum([0, *sizes])
    edges = [drawn.integers(a, b, (2, 3 * (b - a))) for a, b in itertools.pairwise(first)]
    joins = [[[a], [b]] for a, b in itertools.pairwise(first[:-1])]
    return Graph.from_edges(*np.concatenate([*edges, *joins], axis=1))


PROBES = pytest.param("probes", marks=pytest.mark.slow)


@pytest.fixture(params=["merge tree", PROBES, "probes, few deletions taken one by one"])
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
    "a star": Graph.from_edges([0] * 49, range(1, 50)),
    "a ring": Graph.from_edges(range(40), [*range(1, 40), 0]),
    "a path with a clique at each end": Graph.from_edges(
        [0, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 7, 7, 8, 8, 9], [1, 2, 3, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 9, 10, 10]
    ),
    "pairs and isolated vertices": Graph.from_edges([4, 0, 8], [5, 1, 9], vertices=range(12)),
    "ties of components": Graph.from_edges([8, 9, 0, 1, 4, 5], [9, 10, 1, 2, 5, 6], vertices=range(12)),
    "copies and loops": Graph.from_edges(*rng.integers(0, 30, (2, 90)), duplicates="keep"),
    "two clusters": clusters(1, [30, 26]),
    "four clusters": clusters(2, [12, 11, 10, 9]),
    "directed": Graph.from_edges(*rng.integers(0, 40, (2, 90)), directed=True),
    "directed copies": Graph.from_edges(*rng.integers(0, 20, (2, 90)), directed=True, duplicates="keep"),
    "weights and counts": Graph.from_edges(*rng.integers(0, 60, (2, 150)), weights=rng.random(150)),
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


SEED = 2**32 - 2


def runs_alone(device, graph, method, which=range(4), **options):
    """Four runs of several sizes; of some runs each sample, and that of the run alone, which is the same."""
    n = graph.num_vertices
    sizes = [-(-4 * n // 5), 1, -(-n // 3), -(-4 * n // 5), -(-n // 4)]
    made = sample(graph, method, sizes=sizes, seed=SEED, seeds=4, device=device, **options)
    assert len(made) == 20
    pairs = []
    for run in which:
        alone = sample(graph, method, sizes=sizes, seed=SEED + run, device=device, **options)
        pairs += [(made[5 * run + k], each) for k, each in enumerate(alone)]
        assert made.num_edges[5 * run : 5 * run + 5].tolist() == [each.num_edges for each in alone]
        for k, each in enumerate(alone):
            assert made.vertices[made.offsets[5 * run + k]] == each.vertices[0]
    for one, other in pairs:
        same(one, other)
    return pairs


@pytest.mark.parametrize("method", ["drv", "dre"])
@pytest.mark.parametrize("name", GRAPHS)
def test_each_run_is_the_run_alone(device, form, name, method):
    for one, _ in runs_alone(device, GRAPHS[name], method):
        verify_sample(GRAPHS[name], one)


@pytest.mark.parametrize(
    ("method", "local", "options"),
    [
        ("drve", 4, {}),
        ("dhyb", 1, {"mix": 0.3}),
        ("dhyb", 1, {"tolerance": 0}),
        ("cre", 4, {}),
        ("crve", 1, {}),
    ],
)
def test_each_run_of_batches_is_the_run_alone(device, monkeypatch, method, local, options):
    """Groups of one work-item and of several, on every device."""
    contracts = method in CONTRACTING
    launch_otherwise(monkeypatch, contract if contracts else draw, device, local=local, runs=3)
    if device.kind in ("cpu", "gpu"):
        given = check_request(GRAPHS["power law"], method, options)
        way = runs.side_by_side(device, GRAPHS["power law"], given, 4)
        assert way is (contract.ContractRuns if contracts else draw.DrawRuns)
    for graph in GRAPHS.values():
        for one, other in runs_alone(device, graph, method, (1, 3), **options):
            assert (one.algorithm, one.iterations) == (other.algorithm, other.iterations)
            if contracts:
                assert one.contracted_to.tobytes() == other.contracted_to.tobytes()
                verify_contraction(graph, one)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("method", ["ebfs", "edfs"])
@pytest.mark.cross
def test_each_exploration_is_the_run_alone(device, monkeypatch, name, method):
    launch_otherwise(monkeypatch, runs, device, depth=1 << 19)  # also where one after the other is as fast
    monkeypatch.setattr(explore, "MOST", 12)  # two or three depth-first runs in a launch
    graph = GRAPHS[name]
    with record_launches() as launches:
        sample(graph, method, size=1, seed=SEED, seeds=4, device=device)
    pairs = runs_alone(device, graph, method)
    together = "explore_runs" if method == "ebfs" else "explore_members"
    alike = any(each.kernel == together for each in launches)
    assert alike == (device.kernels == "ndrange" and graph.undirected.without_self_loops.num_arcs >= 4)
    for one, other in pairs:
        assert one.iterations == other.iterations
    size, start = -(-graph.num_vertices // 3), pairs[0][0].vertices[-1]
    for each in sample(graph, method, size=size, seed=1, seeds=3, start=start, device=device):
        same(each, sample(graph, method, size=size, seed=each.seed, start=start, device=device))


def test_larger_contractions(device):
    """Tiles of many draws, and rows of hubs; the samples survive being pickled."""
    graph = powerlaw_graph(3000, seed=4)
    made = sample(graph, "cre", sizes=["50%", 1], seed=8, seeds=2, device=device)
    wanted = reference_contract(graph, "cre", sizes=["50%", 1], seed=9)
    for each, expected in zip(pickle.loads(pickle.dumps(made))[2:], wanted, strict=True):
        np.testing.assert_array_equal(each.contracted_to, expected.contracted_to)
        np.testing.assert_array_equal(each.edges, expected.edges)


@pytest.mark.parametrize("mix", [0, 1, "0.8", 1 / 3])
def test_larger_draws(device, mix):
    """Tiles of many draws, batches that are undone, and a probability that the kernel cannot have."""
    graph = powerlaw_graph(3000, average_degree=3, seed=4)
    made = sample(graph, "dhyb", sizes=["50%", "5%"], seed=8, seeds=2, mix=mix, device=device)
    assert device.kind not in ("cpu", "gpu") or (mix == 1 / 3) == isinstance(made._places[0][0], list)
    for k, alone in enumerate(sample(graph, "dhyb", sizes=["50%", "5%"], seed=9, mix=mix, device=device)):
        same(made[2 + k], alone)


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
    assert made[3] is held and list(part.made) == [3]
    again = pickle.loads(pickle.dumps(made))
    for k, each in enumerate(again):
        same(each, made[k])
        assert (len(each.vertices), each.num_edges) == (vertices[k], edges[k])
        assert each.original is again[0].original


def test_runs_are_dealt_in_portions(device, monkeypatch):
    """Launches are short, progress is told between them, and an error in it ends the call."""
    graph = powerlaw_graph(300, seed=2)
    many = 8 * device.compute_units + 1  # cores take a run each
    options = {"size": "50%", "seed": 1, "seeds": many, "device": device}
    whole = sample(graph, "drv", **options)
    if not runs.side_by_side(device, graph, check_request(graph, "drv", {}), many):
        pytest.skip("one run after the other on this device")
    monkeypatch.setattr(runs, "BRIEF", 0.0)
    told = []
    parts = sample(graph, "drv", progress=lambda *at: told.append(at), **options)
    if device.shares_memory:  # GPUs bring all runs forward in each launch
        assert len({id(part) for part, _ in parts._places}) > 1
    assert told == sorted(told) and len({of for _, of in told}) == 1 and told[-1][0] == told[-1][1]
    np.testing.assert_array_equal(parts.vertices, whole.vertices)

    def stop(done, of):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sample(graph, "drv", progress=stop, **options)
    np.testing.assert_array_equal(sample(graph, "drv", **options).vertices, whole.vertices)


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
