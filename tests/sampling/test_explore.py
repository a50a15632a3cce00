"""Exploration (ebfs, edfs) on every device against the reference."""

import itertools

import numpy as np
import pytest
from devices import working_devices
from graphs import random_graph, varied_graph
from samplers import launch_otherwise
from scipy import stats

from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference import verify_sample
from clgraph.reference.reduction import reference_explore, verify_exploration
from clgraph.sampling import explore, sample

METHODS = ("ebfs", "edfs")


def compare(graph, method, sizes, seed, device, start=None):
    samples = sample(graph, method, sizes=sizes, seed=seed, device=device, start=start)
    wanted = reference_explore(graph, method, sizes=sizes, seed=seed, start=start)
    for made, expected in zip(samples, wanted, strict=True):
        np.testing.assert_array_equal(made.vertices, expected.vertices)
        np.testing.assert_array_equal(made.edges, expected.edges)
        verify_sample(graph, made)
        verify_exploration(graph, made)
    return samples


@pytest.mark.smoke
@pytest.mark.parametrize("method", METHODS)
def test_equals_reference(device, method):
    for seed in range(40):
        graph, rng = varied_graph(seed)
        sizes = sorted({int(x) for x in rng.integers(1, graph.num_vertices + 1, 3)})
        compare(graph, method, sizes, seed, device)


@pytest.mark.parametrize("method", METHODS)
def test_a_larger_graph(device, method):
    graph = powerlaw_graph(3000, seed=4)
    samples = compare(graph, method, ["70%", "50%", "10%", 1], 9, device)
    for larger, smaller in itertools.pairwise(samples):
        assert np.isin(smaller.vertices, larger.vertices).all()
        assert len(smaller.vertices) == smaller.target_vertices


@pytest.mark.first_device
def test_walking_as_gpus_do_it(device, monkeypatch):
    """Several neighbours looked at at once, a few steps a launch."""
    launch_otherwise(monkeypatch, explore, device, lanes=8, steps=50)
    for seed in range(6):
        compare(random_graph(seed, 60, 200, duplicates="keep"), "edfs", ["90%", "40%"], seed, device)
    v = np.arange(1, 60)
    compare(Graph.from_edges(v - 1, v), "edfs", ["80%"], 1, device)
    compare(Graph.from_edges(0 * v, v), "edfs", ["80%"], 1, device)


@pytest.mark.first_device
def test_a_walk_on_another_device(device, monkeypatch):
    """As GPUs leave it to the host's CPU: the same sample, and it says so."""
    other = next((each for each in working_devices().values() if each is not device), None)
    if other is None:
        pytest.skip("needs two devices")
    launch_otherwise(monkeypatch, explore, device, own=40)
    graph, found = powerlaw_graph(300, seed=4), [other]
    monkeypatch.setattr(explore, "host_cpu", lambda: found[0])
    away = compare(graph, "edfs", ["70%", "10%"], 9, device)
    assert [made.algorithm for made in away] == [f"depth-first on {other.name}"] * 2
    assert compare(graph, "edfs", [40], 9, device)[0].algorithm == "depth-first"  # too short a walk
    assert not any(note.startswith("the walk") for made in away for note in made.notes)
    monkeypatch.setattr(other, "global_memory", 1000)
    for there, why in ((other, f"the memory of {other.name} does not hold it"), (None, "no CPU device")):
        found[0] = there
        here = compare(graph, "edfs", ["70%"], 9, device)[0]
        assert here.algorithm == "depth-first"
        begins = f"the walk, which is serial, ran on {device.name}"
        assert any(note.startswith(begins) for note in here.notes) and why in here.notes[-1]


def test_the_hosts_cpu(device):
    found = explore.host_cpu()
    assert found is None or (found.kind == "cpu" and found.fault is None)
    assert found is not None or device.kind != "cpu"


@pytest.mark.parametrize("method", METHODS)
def test_paths_stars_and_grids(device, method):
    v = np.arange(1, 40)
    cell = np.arange(64).reshape(8, 8)
    grid = (np.append(cell[:, :-1], cell[:-1]), np.append(cell[:, 1:], cell[1:]))
    for tail, head in ((v - 1, v), (0 * v, v), (0 * v + 50, v), grid):
        compare(Graph.from_edges(tail, head), method, [1, 2, "50%", "95%", "100%"], 5, device)


@pytest.mark.slow
def test_a_level_too_large_for_one_look(device, monkeypatch):
    """The cut inside a level is found where it is not expected, and where the list has no room."""
    monkeypatch.setattr("clgraph.sampling.explore.CAPACITY", 4)
    graph = Graph.from_edges(np.zeros(5000, int), np.arange(1, 5001))
    compare(graph, "ebfs", [2, 1000, 2500, 4999, 5000], 3, device, start=0)
    monkeypatch.setattr("clgraph.sampling.explore.isqrt", lambda x: -2)  # far too narrow
    compare(graph, "ebfs", [2, 1000, 2500, 4999, 5000], 4, device, start=0)


@pytest.mark.parametrize("method", METHODS)
def test_a_start_of_ones_own(device, method):
    graph = Graph.from_edges([10, 20, 30, 40, 70], [20, 30, 40, 50, 80])
    made = compare(graph, method, [3], 1, device, start=10)[0]
    assert made.vertices.tolist() == [10, 20, 30]
    for start, words in ((70, "70 is outside the largest component"), (99, "99")):
        with pytest.raises(InputError, match=words):
            sample(graph, method, size=3, seed=1, device=device, start=start)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_explore_is_said(device, method):
    graph = Graph.from_edges([0, 1, 5, 6], [1, 2, 6, 6])
    (made,) = compare(graph, method, [3], 0, device)
    assert made.vertices.tolist() == [0, 1, 2]
    assert (made.iterations, made.algorithm) == (0, "untouched")
    assert any("untouched" in note for note in made.notes)


@pytest.mark.parametrize("method", METHODS)
def test_the_seed_decides(device, method):
    graph = powerlaw_graph(500, seed=1)
    first, again, other, far = (
        sample(graph, method, size="50%", seed=seed, device=device).vertices.tobytes()
        for seed in (7, 7, 8, 7 + 2**32)
    )
    assert first == again and len({first, other, far}) == 3


@pytest.mark.slow
def test_the_start_is_uniform(device):
    """Error level 1e-4, over the vertices of the largest component."""
    graph = Graph.from_edges([0, 2, 4, 6, 8, 1], [2, 4, 6, 8, 10, 3])
    begun = [reference_explore(graph, "ebfs", sizes=[1], seed=seed)[0].vertices[0] for seed in range(1500)]
    values, count = np.unique(begun, return_counts=True)
    assert values.tolist() == [0, 2, 4, 6, 8, 10]
    assert stats.chisquare(count).pvalue > 1e-4
    for seed in range(20):
        assert sample(graph, "edfs", size=1, seed=seed, device=device).vertices.tolist() == [begun[seed]]
