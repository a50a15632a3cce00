"""What grows by trees, paths and rates (ust, sp, diffusion, xsn): roots of components, and the laws."""

from collections import Counter
from itertools import pairwise
from math import prod

import networkx as nx
import numpy as np
import pytest
from graphs import as_networkx, random_graph
from samplers import SEVEN, equals_reference, fits, launch_otherwise
from scipy import stats

from clgraph import Graph, keyed
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.common import Rows
from clgraph.reference.growing import path
from clgraph.sampling import sample
from clgraph.sampling.literature import growing
from clgraph.sampling.literature.engine import COMPONENT, PRIORITY, RUN, VALUE
from clgraph.sampling.request import check_request


@pytest.mark.smoke
@pytest.mark.parametrize("rounds", [0, 2, 64])
def test_trees_equal_the_reference(device, monkeypatch, rounds):
    launch_otherwise(monkeypatch, growing, device, rounds=rounds, units=0)
    for seed in range(3):
        graph = random_graph(seed, 30 + 20 * seed, 60, duplicates="keep" if seed == 1 else "merge")
        start = int(graph.ids[graph.tails[0]])
        for options in ({}, {"size": "40%"}, {"size": 7, "keep": "induced"}, {"start": start}):
            equals_reference(graph, "ust", device, seed=seed, **options)


@pytest.mark.smoke
@pytest.mark.parametrize("method", ["diffusion", "xsn"])
def test_several_starts(device, method):
    for seed in range(3):
        graph = random_graph(seed, 30 + 20 * seed, 70, duplicates="keep" if seed == 1 else "merge")
        start = graph.ids[graph.tails[[0, 5, 5]]].tolist()
        equals_reference(graph, method, device, seed=seed, size="60%", start=start)


def test_a_long_path_and_larger_graphs(device):
    line = np.arange(300)
    equals_reference(Graph.from_edges(line, (line + 1) % 300), "ust", device, seed=2)
    for method, n, size in (("ust", 1500, "30%"), ("sp", 300, "20%"), ("xsn", 300, "40%")):
        equals_reference(powerlaw_graph(n, seed=2), method, device, seed=3, size=size)


def test_one_root_in_each_component(device):
    graph = random_graph(2, 60, 40)
    request = check_request(graph, "ust", {"start": int(graph.ids[graph.tails[0]])})
    roots = growing.Trees(device, request.view, request, 5, 2)
    roots.find()
    label = device.download(roots.label, np.int32, 60)
    chosen = device.download(roots.root, np.int32, 120).reshape(2, 60)
    for run in range(2):
        assert sorted(label[chosen[run] == 1].tolist()) == np.unique(label).tolist()
        assert chosen[run, graph.tails[0]] == 1
        order = keyed.vertex_priority(5 + run, np.arange(60)).argsort()
        rank = device.download(roots.ranks(roots.sorted(*PRIORITY, RUN)), np.int32, 120).reshape(2, 60)
        assert rank[run, order].tolist() == list(range(60))
    value = np.random.default_rng(1).integers(0, 9, 120, dtype=np.uint64) << np.uint64(31)
    order = roots.sorted(*VALUE, *COMPONENT, RUN, value=device.upload(value, writable=True))
    rank = device.download(roots.ranks(order), np.int32, 120).reshape(2, 60)
    for run in range(2):
        order = rank[run].argsort()
        assert np.all(np.diff(np.unique(label[order], return_index=True)[1]) != 0)
        same = label[order][1:] == label[order][:-1]
        assert np.all(np.diff(value.reshape(2, 60)[run, order].astype(np.int64))[same] >= 0)
        assert np.count_nonzero(~same) == len(np.unique(label)) - 1  # each component is one piece
        assert label[order][0] == label[graph.tails[0]]


# --- laws -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("start", [None, 6])
def test_law_of_trees(device, start):
    """All spanning trees are equally likely, as many as Kirchhoff says; also with a leaf as the root."""
    trees = round(nx.number_of_spanning_trees(as_networkx(SEVEN)))
    many = sample(SEVEN, "ust", seed=1, seeds=20_000, start=start, device=device)
    counts = Counter(
        frozenset((min(v, u), max(v, u)) for v, u in enumerate(one.parent.tolist()) if u != v) for one in many
    )
    assert len(counts) == trees
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.slow
def test_law_of_paths():
    """On a grid of 3 x 4 the paths between two corners: by predecessors, each uniform."""
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(3, 4))
    near = [sorted(grid[v]) for v in range(12)]
    first, last = keyed.draw(1, np.arange(200_000), 0)
    corners = (keyed.below(first, 12) == 0) & (keyed.below(last, 12) == 11)
    found = Counter(tuple(path(near, 1, pair)) for pair in np.flatnonzero(corners).tolist())
    before = nx.predecessor(grid, 0)
    law = {
        tuple((u, v) for v, u in pairwise(back)): prod(1 / len(before[v]) for v in back[:-1])
        for back in nx.all_shortest_paths(grid, 11, 0)
    }
    assert set(found) == set(law) and len(law) == 10
    assert fits(found, law) > 0.001


@pytest.mark.slow
def test_law_of_diffusion(device):
    """Against the literal process: a uniform seen vertex, a uniform neighbour of it."""
    many = sample(SEVEN, "diffusion", size=4, start=2, seed=1, seeds=20_000, device=device)
    counts = Counter(tuple(np.argsort(one.order).tolist()) + tuple(one.index.tolist()) for one in many)
    near = Rows(SEVEN).near
    law = Counter()

    def go_on(came, p):
        if len(came) == 4:
            index = sorted(came)
            law[*(index.index(v) for v in came), *index] += p
            return
        ways = Counter()
        for v in came:
            for u in set(near[v]) - set(came):
                ways[u] += 1 / len(near[v])
        for u, rate in ways.items():
            go_on((*came, u), p * rate / ways.total())

    go_on((2,), 1.0)
    assert fits(counts, law) > 0.001
