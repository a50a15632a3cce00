"""Shortest paths on every device, against their reference and the law of paths."""

from collections import Counter

import numpy as np
import pytest
from graphs import random_graph
from samplers import SEVEN, awkward_graphs, equals_reference
from scipy import stats

from clgraph import Graph, InputError, keyed
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.growing import path
from clgraph.sampling import sample


@pytest.mark.smoke
def test_equals_reference(device):
    for seed in range(3):
        graph = random_graph(seed, 30 + 20 * seed, 70, duplicates="keep" if seed == 1 else "merge")
        for keep in ("induced", "visited"):
            equals_reference(graph, "sp", device, seed=seed, size="50%", keep=keep)
    equals_reference(powerlaw_graph(300, seed=2), "sp", device, seed=3, size="20%")


def test_awkward_graphs(device):
    for graph in awkward_graphs():
        for size in ("100%", 3):
            equals_reference(graph, "sp", device, seed=5, size=size)


def test_runs_side_by_side(device):
    graph = random_graph(6, 70, 100)
    for run, one in enumerate(sample(graph, "sp", size="70%", seed=11, seeds=4, device=device)):
        alone = sample(graph, "sp", size="70%", seed=11 + run, device=device)
        assert one.vertices.tobytes() == alone.vertices.tobytes()
        assert one.edges.tobytes() == alone.edges.tobytes()
        assert one.notes == alone.notes and one.weighting == "none"


@pytest.mark.slow
def test_law():
    """On a grid of 3 x 4 the paths between two corners: by predecessors, each uniform."""
    v = np.arange(12).reshape(3, 4)
    tail = np.concatenate([v[:, :-1].ravel(), v[:-1].ravel()])
    head = np.concatenate([v[:, 1:].ravel(), v[1:].ravel()])
    near = [sorted([*head[tail == each].tolist(), *tail[head == each].tolist()]) for each in range(12)]
    first, last = keyed.draw(1, np.arange(200_000), 0)
    corners = (keyed.below(first, 12) == 0) & (keyed.below(last, 12) == 11)
    found = Counter(tuple(path(near, 1, pair)) for pair in np.flatnonzero(corners).tolist())
    law = {}

    def back(at, edges, p):
        if at == 0:
            law[tuple(edges)] = p
            return
        before = [u for u in near[at] if u // 4 + u % 4 == at // 4 + at % 4 - 1]
        for u in before:
            back(u, [*edges, (u, at)], p / len(before))

    back(11, [], 1.0)
    assert set(found) == set(law) and len(law) == 10
    total = sum(found.values())
    keys = sorted(law)
    assert stats.chisquare([found[k] for k in keys], [total * law[k] for k in keys]).pvalue > 0.001


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 1}, "an edge has two ends"),
        ({"size": 8, "strict": True}, "can reach 7 of 8"),
        ({"size": 3, "keep": "tree"}, "have no tree"),
        ({"size": 3, "start": 2}, "start is not an option of sp"),
        ({}, "sp takes one of size"),
    ],
)
def test_bad_input(options, words):
    graph = Graph.from_edges(SEVEN.tails, SEVEN.col_idx, vertices=np.arange(8))
    with pytest.raises(InputError, match=words):
        sample(graph, "sp", seed=1, **options)
