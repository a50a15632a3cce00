"""Exact mode on every device against the loop: one deletion and one largest component at a time."""

import numpy as np
import pytest
from graphs import random_graph
from samplers import equals_reference
from sampling.test_replicates import clusters

from clgraph import Graph, keyed
from clgraph.csr.generate import powerlaw_graph
from clgraph.device.launch_config import LaunchTable
from clgraph.methods import EXACT
from clgraph.sampling import runs, sample


@pytest.fixture(autouse=True)
def probes(monkeypatch):
    """A run alone on a small graph takes the way of large graphs."""
    never = runs.SideBySide("merge tree", 0)
    monkeypatch.setattr(runs, "LAUNCH", LaunchTable(gpu=never, cpu=never, simulator=never))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("few", [1, pytest.param(6, marks=pytest.mark.slow), 768])
def test_exact_equals_the_loop(device, method, few, monkeypatch):
    """One deletion and one largest component at a time, whatever share of the deletions the host takes."""
    monkeypatch.setattr("clgraph.sampling.threshold_search.FEW", few)
    rng = np.random.default_rng(few)
    for seed in range(120 if few > 1 else 40):
        n = int(rng.integers(4, 90))
        graph = random_graph(
            seed, n, int(rng.integers(1, 3 * n)), duplicates="keep" if seed % 3 == 0 else "merge"
        )
        size = int(rng.integers(1, n + 1))
        assert equals_reference(graph, method, device, size=size, seed=seed, mode="exact").mode == "exact"


@pytest.mark.parametrize("method", [pytest.param(EXACT[0], marks=pytest.mark.slow), *EXACT[1:]])
def test_exact_follows_one_component(device, method, monkeypatch):
    """The followed component loses the lead after a split: the largest one at a threshold is another."""
    monkeypatch.setattr("clgraph.sampling.threshold_search.FEW", 2)
    overtaken = 0
    for seed in range(25):
        for sizes in ([30, 26], [20, 19, 18], [12, 11, 10, 9]):
            graph = clusters(seed, sizes)
            made = equals_reference(graph, method, device, size=max(2, sizes[-1] // 2), seed=seed)
            if method == "drv":  # is the sample outside the largest component that lives at its threshold?
                t = keyed.vertex_priority(seed, np.arange(graph.num_vertices))
                inside = np.isin(graph.ids, made.vertices)
                alive = graph.subgraph(np.flatnonzero(t >= t[inside].min()))
                overtaken += not np.isin(made.vertices, alive.largest_component().ids).all()
    assert method == "dre" or overtaken > 0  # the case is in there


def test_two_equal_halves(device):
    """A path cut in the middle: equal components, the tie goes to the smallest vertex."""
    path = Graph.from_edges(np.arange(8), np.arange(1, 9))
    for seed in range(60):
        for method in EXACT:
            equals_reference(path, method, device, size=4, seed=seed)


def test_exact_says_which_way_it_took(device):
    graph = powerlaw_graph(3000, seed=4)
    for each, method, size, way in (
        (graph, "drv", "50%", "probes"),
        (random_graph(0, 40, 80), "drv", "50%", "merge tree"),
        (graph, "drve", "50%", "afforest"),
        (graph, "drv", "100%", "untouched"),
    ):
        assert sample(each, method, size=size, seed=1, device=device).algorithm == way


def test_a_long_path(device):
    """No giant: hardly any probe is certified, and the search must come through all the same."""
    path = Graph.from_edges(np.arange(3000), np.arange(1, 3001))
    for method in EXACT:
        equals_reference(path, method, device, size=40, seed=5)


def test_options_of_batched_mode_are_said_to_be_idle(device):
    graph, options = random_graph(0, 40, 80), {"size": "50%", "seed": 1, "tolerance": 3, "device": device}
    made = sample(graph, "drv", components="bfs", **options)
    assert [note.split()[0] for note in made.notes if "batched" in note] == ["tolerance", "components"]
    batched = sample(graph, "drv", mode="batched", **options)
    assert not any("batched" in note for note in batched.notes)
