"""Diffusion on every device, against Dijkstra's search and the literal law."""

from collections import Counter

import numpy as np
import pytest
from graphs import random_graph
from samplers import SEVEN, awkward_graphs, equals_reference
from scipy import stats

from clgraph import Graph, InputError
from clgraph.sampling import sample


@pytest.mark.smoke
def test_equals_reference(device):
    for seed in range(3):
        graph = random_graph(seed, 30 + 20 * seed, 70, duplicates="keep" if seed == 1 else "merge")
        for options in ({}, {"keep": "tree"}, {"start": graph.ids[graph.tails[[0, 5, 5]]].tolist()}):
            equals_reference(graph, "diffusion", device, seed=seed, size="60%", **options)


def test_awkward_graphs(device):
    for graph in awkward_graphs():
        for size in ("100%", 3):
            equals_reference(graph, "diffusion", device, seed=5, size=size)


def test_runs_side_by_side(device):
    graph = random_graph(6, 70, 100)
    for run, one in enumerate(sample(graph, "diffusion", size="70%", seed=11, seeds=4, device=device)):
        alone = sample(graph, "diffusion", size="70%", seed=11 + run, device=device)
        assert one.vertices.tobytes() == alone.vertices.tobytes()
        assert one.order.tobytes() == alone.order.tobytes()
        assert one.notes == alone.notes and one.weighting == "none"


@pytest.mark.slow
def test_law(device):
    """Against the literal process: a uniform seen vertex, a uniform neighbour of it."""
    many = sample(SEVEN, "diffusion", size=4, start=2, seed=1, seeds=20_000, device=device)
    counts = Counter(tuple(np.argsort(one.order).tolist()) + tuple(one.index.tolist()) for one in many)
    near = [SEVEN.col_idx[SEVEN.tails == each].tolist() for each in range(7)]
    law: dict[tuple[int, ...], float] = {}

    def go_on(came, p):
        if len(came) == 4:
            index = sorted(came)
            key = (*(index.index(v) for v in came), *index)
            law[key] = law.get(key, 0.0) + p
            return
        ways: dict[int, float] = {}
        for v in came:
            for u in near[v]:
                if u not in came:
                    ways[u] = ways.get(u, 0.0) + 1 / len(near[v])
        for u, rate in ways.items():
            go_on((*came, u), p * rate / sum(ways.values()))

    go_on((2,), 1.0)
    keys = sorted(law)
    expected = np.array([20_000 * law[key] for key in keys])
    found = np.array([counts.get(key, 0) for key in keys])
    assert found.sum() == 20_000
    rare = expected < 5
    if rare.any():
        found, expected = (
            np.append(found[~rare], found[rare].sum()),
            np.append(expected[~rare], expected[rare].sum()),
        )
    assert stats.chisquare(found, expected).pvalue > 0.001


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 3, "start": 99}, "99 is not in the graph"),
        ({"size": 3, "start": 7}, "start 7 has no edges"),
        ({"size": 9, "strict": True}, "can reach 8 of 8"),
        ({"size": 3, "steps": 4}, "steps is not an option of diffusion"),
        ({}, "diffusion takes one of size"),
    ],
)
def test_bad_input(options, words):
    graph = Graph.from_edges(SEVEN.tails, SEVEN.col_idx, vertices=np.arange(8))
    with pytest.raises(InputError, match=words):
        sample(graph, "diffusion", seed=1, **options)
