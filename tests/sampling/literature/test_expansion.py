"""Expansion snowballs on every device, against sets."""

import numpy as np
import pytest
from graphs import random_graph
from samplers import SEVEN, awkward_graphs, equals_reference

from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.sampling import sample


@pytest.mark.smoke
def test_equals_reference(device):
    for seed in range(3):
        graph = random_graph(seed, 30 + 20 * seed, 70, duplicates="keep" if seed == 1 else "merge")
        for options in ({}, {"keep": "tree"}, {"start": graph.ids[graph.tails[[0, 5, 5]]].tolist()}):
            equals_reference(graph, "xsn", device, seed=seed, size="60%", **options)


def test_awkward_graphs(device):
    for graph in awkward_graphs():
        for size in ("100%", 3):
            equals_reference(graph, "xsn", device, seed=5, size=size)


def test_runs_side_by_side(device):
    graph = random_graph(6, 70, 100)
    for run, one in enumerate(sample(graph, "xsn", size="70%", seed=11, seeds=4, device=device)):
        alone = sample(graph, "xsn", size="70%", seed=11 + run, device=device)
        assert one.vertices.tobytes() == alone.vertices.tobytes()
        assert one.order.tobytes() == alone.order.tobytes()
        assert one.notes == alone.notes and one.weighting == "none"


def test_a_larger_graph(device):
    equals_reference(powerlaw_graph(300, seed=2), "xsn", device, seed=3, size="40%")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size": 3, "start": 99}, "99 is not in the graph"),
        ({"size": 3, "start": 7}, "start 7 has no edges"),
        ({"size": 9, "strict": True}, "can reach 8 of 8"),
        ({"size": 3, "steps": 4}, "steps is not an option of xsn"),
        ({}, "xsn takes one of size"),
    ],
)
def test_bad_input(options, words):
    graph = Graph.from_edges(SEVEN.tails, SEVEN.col_idx, vertices=np.arange(8))
    with pytest.raises(InputError, match=words):
        sample(graph, "xsn", seed=1, **options)
