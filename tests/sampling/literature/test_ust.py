"""Uniform spanning trees on every device, against Wilson's walks and the uniform law."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from graphs import random_graph
from samplers import SEVEN, awkward_graphs, equals_reference
from scipy import stats

from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.device.launch_config import LaunchTable
from clgraph.sampling import sample
from clgraph.sampling.literature import growing


@pytest.mark.smoke
@pytest.mark.parametrize("rounds", [0, 2, 64])
def test_equals_reference(device, monkeypatch, rounds):
    shape = dataclasses.replace(growing.LAUNCH.of(device), rounds=rounds, units=0)
    monkeypatch.setattr(growing, "LAUNCH", LaunchTable(gpu=shape, cpu=shape, simulator=shape))
    for seed in range(3):
        graph = random_graph(seed, 30 + 20 * seed, 60, duplicates="keep" if seed == 1 else "merge")
        for options in (
            {},
            {"size": "40%"},
            {"size": 7, "keep": "induced"},
            {"start": int(graph.ids[graph.tails[0]])},
        ):
            equals_reference(graph, "ust", device, seed=seed, **options)


def test_awkward_graphs(device):
    for graph in awkward_graphs():
        for size in ("100%", 3):
            equals_reference(graph, "ust", device, seed=5, size=size)


def test_a_long_path_and_a_larger_graph(device):
    line = np.arange(300)
    equals_reference(Graph.from_edges(line, (line + 1) % 300), "ust", device, seed=2)
    equals_reference(powerlaw_graph(1500, seed=2), "ust", device, seed=3, size="30%")


def test_runs_side_by_side(device):
    graph = random_graph(6, 70, 100)
    for run, one in enumerate(sample(graph, "ust", size="70%", seed=11, seeds=4, device=device)):
        alone = sample(graph, "ust", size="70%", seed=11 + run, device=device)
        assert one.vertices.tobytes() == alone.vertices.tobytes()
        assert one.parent.tobytes() == alone.parent.tobytes()
        assert one.edges.tobytes() == alone.edges.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("start", [None, 6])
def test_law(device, start):
    """All spanning trees are equally likely, as many as Kirchhoff says; also with a leaf as the root."""
    a = np.zeros((7, 7))
    a[SEVEN.tails, SEVEN.col_idx] = 1
    trees = round(np.linalg.det((np.diag(a.sum(1)) - a)[1:, 1:]))
    many = sample(SEVEN, "ust", seed=1, seeds=20_000, start=start, device=device)
    counts = Counter(
        frozenset((min(v, u), max(v, u)) for v, u in enumerate(one.parent.tolist()) if u != v) for one in many
    )
    assert len(counts) == trees
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"start": 99}, "99 is not in the graph"),
        ({"size": 9, "strict": True}, "can reach 8 of 8"),
        ({"steps": 4}, "steps is not an option of ust"),
        ({"size": 0}, "size"),
    ],
)
def test_bad_input(options, words):
    graph = Graph.from_edges(SEVEN.tails, SEVEN.col_idx, vertices=np.arange(8))
    with pytest.raises(InputError, match=words):
        sample(graph, "ust", seed=1, **options)
