"""Spikyballs on every device, against their reference and a law by enumeration."""

import dataclasses
from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from graphs import random_graph
from samplers import SEVEN, awkward_graphs, equals_reference, set_counts, successive
from scipy import stats

from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.device.launch_config import LaunchTable
from clgraph.sampling import sample
from clgraph.sampling.literature import spreading


@pytest.mark.smoke
@pytest.mark.parametrize("powers", [(0, 0, 0), (1, 0, -1), ("0.5", 2, 1)])
def test_equals_reference(device, powers):
    for seed in range(3):
        graph = random_graph(seed, 25 + 10 * seed, 70, duplicates="keep" if seed == 1 else "merge")
        for keep in ("induced", "visited", "tree"):
            options = {"size": "60%", "share": "0.3", "keep": keep, "powers": powers}
            equals_reference(graph, "spikyball", device, seed=seed, **options)


@pytest.mark.first_device
def test_large_and_small_stages(device, monkeypatch):
    """Which stages are a chain's does not show."""
    graph = powerlaw_graph(150, seed=2)
    shape = dataclasses.replace(spreading.LAUNCH.of(device), room=12, arcs=30)
    monkeypatch.setattr(spreading, "LAUNCH", LaunchTable(gpu=shape, cpu=shape, simulator=shape))
    for keep in ("induced", "tree"):
        options = {"size": "80%", "share": "0.2", "keep": keep, "powers": (1, 1, -1)}
        equals_reference(graph, "spikyball", device, seed=3, **options)


def test_awkward_graphs(device):
    for graph in awkward_graphs():
        for size in ("100%", 3):
            equals_reference(graph, "spikyball", device, seed=5, size=size)


def test_weights_and_directions(device):
    weights = np.random.default_rng(1).integers(0, 5, 90).astype(float)
    graph = random_graph(5, 30, 90, weights=weights)
    equals_reference(graph, "spikyball", device, seed=4, size="70%", weighted=True, powers=(0, 1, 0))
    directed = random_graph(4, 40, 120, directed=True)
    for way in ("out", "in"):
        equals_reference(directed, "spikyball", device, seed=3, size="50%", direction=way, powers=(1, 0, 1))


def test_runs_side_by_side(device):
    graph = random_graph(6, 70, 100)
    several = sample(graph, "spikyball", size="70%", seed=11, seeds=4, device=device)
    for run, one in enumerate(several):
        alone = sample(graph, "spikyball", size="70%", seed=11 + run, device=device)
        assert one.vertices.tobytes() == alone.vertices.tobytes()
        assert one.order.tobytes() == alone.order.tobytes()
        assert one.notes == alone.notes and one.weighting == "none"


@pytest.mark.slow
@pytest.mark.parametrize("powers", [(0, 0, 0), (1, 0, 1)])
def test_law(device, powers):
    """From vertex 2, half of each stage's arcs, up to 5 of 7: successive draws, stage by stage."""
    near = [SEVEN.col_idx[SEVEN.tails == each].tolist() for each in range(7)]
    law = defaultdict(float)

    def go_on(seen, active, p):
        arcs = [(v, u) for v in sorted(active) for u in near[v] if u not in seen]
        if not arcs:
            for start in set(range(7)) - seen:
                finish(seen, {start}, p / (7 - len(seen)))
            return
        out = [sum(v == each for each, _ in arcs) for v, _ in arcs]
        enter = [sum(u == each for _, each in arcs) for _, u in arcs]
        weight = [a ** powers[0] * b ** powers[2] for a, b in zip(out, enter, strict=True)]
        for places, q in successive(weight, max(1, int(len(arcs) / 2 + 0.5))).items():
            finish(seen, {arcs[i][1] for i in places}, p * q)

    def finish(seen, new, p):
        room = 5 - len(seen)
        if len(new) < room:
            go_on(seen | new, new, p)
            return
        cuts = list(combinations(sorted(new), room))
        for cut in cuts:
            law[tuple(sorted(seen | set(cut)))] += p / len(cuts)

    go_on(frozenset([2]), {2}, 1.0)
    counts = set_counts(SEVEN, "spikyball", device, size=5, start=2, share="0.5", powers=powers)
    keys = sorted(law)
    assert abs(sum(law.values()) - 1) < 1e-9 and set(counts) <= set(keys)
    expected = np.array([20_000 * law[key] for key in keys])
    found = np.array([counts.get(key, 0) for key in keys])
    rare = expected < 5
    if rare.any():
        found = np.append(found[~rare], found[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    assert stats.chisquare(found, expected).pvalue > 0.001


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"share": 0}, "share 0: give a share above 0"),
        ({"share": 2}, "share 2: give a share above 0, at most 1"),
        ({"powers": (1, 2)}, "three numbers"),
        ({"powers": (1, 2, 9)}, "three numbers from -4 to 4"),
        ({"powers": 3}, "three numbers"),
        ({"weighted": True}, "the graph has no weights"),
        ({"start": 7}, "start 7 has no edges"),
    ],
)
def test_bad_input(options, words):
    graph = Graph.from_edges(SEVEN.tails, SEVEN.col_idx, vertices=np.arange(8))
    with pytest.raises(InputError, match=words):
        sample(graph, "spikyball", size=3, seed=1, **options)
