"""Frontier sampling on every device against its reference, and against its law."""

from __future__ import annotations

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
from clgraph.sampling.literature import walks


@pytest.mark.smoke
@pytest.mark.parametrize("walkers", [1, 4])
def test_equals_reference(device, walkers):
    for seed in range(3):
        graph = random_graph(seed, 25, 50, duplicates="keep" if seed == 1 else "merge")
        for keep in ("induced", "visited", "tree"):
            equals_reference(graph, "fs", device, seed=seed, size="60%", walkers=walkers, keep=keep)


def test_awkward_graphs(device):
    for graph in awkward_graphs():
        made = equals_reference(graph, "fs", device, seed=5, size="100%", walkers=3, patience=4)
        assert len(made.vertices) == np.count_nonzero(graph.undirected.without_self_loops.degrees)


def test_a_number_of_steps(device):
    graph = random_graph(3, 30, 60)
    made = equals_reference(graph, "fs", device, seed=2, steps=20, walkers=3, burn_in=2, thin=4)
    assert made.visits.sum() == 18 * 3 // 4
    equals_reference(graph, "fs", device, seed=2, steps=9, walkers=2, keep="tree", start=[1, 2])


def test_directions(device):
    graph = random_graph(4, 30, 60, directed=True)
    equals_reference(graph, "fs", device, seed=3, size="30%", direction="out", walkers=2)


@pytest.mark.first_device
def test_launches_do_not_show(device, monkeypatch):
    graph = random_graph(7, 80, 90)
    options = {"size": "80%", "walkers": 3, "patience": 5, "device": device, "seed": 1}
    whole = sample(graph, "fs", **options)
    shape = dataclasses.replace(walks.LAUNCH.of(device), moves=37)
    monkeypatch.setattr(walks, "LAUNCH", LaunchTable(gpu=shape, cpu=shape, simulator=shape))
    again = sample(graph, "fs", **options)
    assert whole.vertices.tolist() == again.vertices.tolist() and whole.notes == again.notes
    assert whole.visits.tolist() == again.visits.tolist()


def test_runs_side_by_side(device):
    graph = random_graph(6, 70, 100)
    for run, one in enumerate(sample(graph, "fs", size="70%", seed=11, seeds=4, walkers=3, device=device)):
        alone = sample(graph, "fs", size="70%", seed=11 + run, walkers=3, device=device)
        assert one.vertices.tobytes() == alone.vertices.tobytes()
        assert one.visits.tobytes() == alone.visits.tobytes()


@pytest.mark.slow
def test_law_of_two_moves(device):
    """Two walkers from vertices 2 and 6: who moves is chosen by degree; the vertices entered, in order."""
    near = [SEVEN.col_idx[SEVEN.row_ptr[v] : SEVEN.row_ptr[v + 1]].tolist() for v in range(7)]
    law: Counter[tuple[int, int]] = Counter()
    for w in range(2):
        at = [2, 6]
        p = len(near[at[w]]) / sum(len(near[v]) for v in at)
        for u in near[at[w]]:
            then = [u if i == w else at[i] for i in range(2)]
            whole = sum(len(near[v]) for v in then)
            for x in range(2):
                for y in near[then[x]]:
                    law[u, y] += p / len(near[at[w]]) / whole
    options = {"steps": 1, "walkers": 2, "start": [2, 6], "seed": 1, "seeds": 20_000, "device": device}
    every = sample(SEVEN, "fs", **options)
    last = sample(SEVEN, "fs", thin=2, **options)
    counts: Counter[tuple[int, int]] = Counter()
    for both, one in zip(every, last, strict=True):
        second = int(one.index[0])
        entered = np.repeat(both.index, both.visits).tolist()
        entered.remove(second)
        counts[entered[0], second] += 1
    keys = sorted(law)
    assert set(counts) <= set(keys)
    expected = [20_000 * law[key] for key in keys]
    assert stats.chisquare([counts[key] for key in keys], expected).pvalue > 0.001


@pytest.mark.slow
def test_estimates(device):
    graph = powerlaw_graph(200, seed=3).largest_component()
    many = sample(graph, "fs", steps=30, walkers=20, seed=1, seeds=200, device=device)
    mean = many.mean("degree")
    assert abs(mean.value - graph.num_arcs / graph.num_vertices) < 4 * mean.standard_error + 0.03 * mean.value


def test_bad_input():
    for method in ("fs", "re", "ties", "rdn"):
        with pytest.raises(InputError, match="no edges"):
            sample(Graph.from_edges([0], [0], vertices=[0, 1, 2]), method, size=2)
    with pytest.raises(InputError, match="walks is not an option of fs"):
        sample(SEVEN, "fs", steps=3, walks=True)
    alone = Graph.from_edges([0], [1], vertices=[0, 1, 2])
    with pytest.raises(InputError, match="can reach 2 of 3"):
        sample(alone, "fs", size=3, strict=True)
