"""Races on every device against their references, sample for sample, and against their laws."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from graphs import random_graph
from samplers import SEVEN, awkward_graphs, equals_reference, fits, rows, set_counts, successive

from clgraph import Graph, pagerank
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.common import Rows
from clgraph.reference.races import integer_pagerank
from clgraph.sampling import sample
from clgraph.sampling.literature.weighted_draw import integer_ranks

VERTICES, EDGES = ("rn", "rdn", "rpn"), ("re", "rne", "hyb")


@pytest.mark.parametrize("method", ["rdn", "re"])
def test_weights(device, method):
    rng = np.random.default_rng(1)
    weights = rng.random(60) * (rng.random(60) < 0.7)
    graph = random_graph(5, 50, 60, weights=weights)
    made = equals_reference(graph, method, device, seed=4, size="50%", weighted=True)
    assert np.all(made.weight >= 1)
    everything = equals_reference(graph, method, device, seed=4, size="100%", weighted=True)
    assert len(everything.vertices) < 50 and any("can reach" in note for note in everything.notes)


def test_starts_and_strata(device):
    graph = powerlaw_graph(150, seed=2)
    for starts in (1, 7, 150):
        equals_reference(graph, "rnn", device, seed=1, starts=starts)
    strata = np.array(["a", "b", "c"])[np.arange(150) % 7 % 3]
    for size in (50, {"a": 3, "c": "50%"}):
        for method in VERTICES:
            equals_reference(graph, method, device, seed=1, size=size, strata=strata)


def test_a_neighbourhood_that_is_too_large(device):
    star = Graph.from_edges(np.zeros(6, int), np.arange(1, 7))
    made = [equals_reference(star, "rnn", device, seed=seed, size=3) for seed in range(20)]
    assert any("too many neighbours" in note for one in made for note in one.notes)


@pytest.mark.smoke
def test_integer_pagerank(device):
    """On the device as in the reference; and what they are."""
    graph = powerlaw_graph(300, seed=1)
    for each in (graph, powerlaw_graph(200, seed=1), *awkward_graphs()):
        ranks = integer_ranks(device, each.undirected.without_self_loops)
        assert device.download(ranks, np.uint64, each.num_vertices).tolist() == integer_pagerank(Rows(each))
    ours = np.array(integer_pagerank(Rows(graph)), float) / 2**62
    assert np.abs(ours - pagerank(graph, tol=0, max_iter=100).scores).sum() < 1e-5


def test_a_target_beyond_reach(device):
    graph = Graph.from_edges([0, 1], [1, 2], vertices=np.arange(6))
    made = sample(graph, "rdn", size=5, seed=1, device=device)
    assert len(made.vertices) == 3
    assert any("5 vertices are asked for, rdn can reach 3 of 6" in note for note in made.notes)
    assert np.all(made.weight == 1)


# --- laws -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", VERTICES)
def test_law_of_vertices(device, method):
    """3 of 7 vertices, by successive sampling."""
    weight = {
        "rn": [1] * 7,
        "rdn": [len(row) for row in Rows(SEVEN).near],
        "rpn": integer_pagerank(Rows(SEVEN)),
    }[method]
    law = successive(weight, 3)
    assert len(law) == 35 and fits(set_counts(SEVEN, method, device, size=3), law) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize("method", EDGES)
def test_law_of_edges(device, method):
    """3 of 9 edges."""
    near = Rows(SEVEN).near
    ends = [(u, v) for u in range(7) for v in near[u] if u < v]
    weight = [1.0] * 9
    if method != "re":
        weight = [1 / len(near[u]) + 1 / len(near[v]) for u, v in ends]
    if method == "hyb":
        weight = [0.8 / 7 * w + 0.2 / 9 for w in weight]
    law = successive(weight, 3)
    assert len(law) == 84 and fits(set_counts(SEVEN, method, device, edges=3), law) > 0.001


@pytest.mark.slow
def test_law_of_ties(device):
    """5 vertices, 6 edges: all 720 orders."""
    graph = Graph.from_edges([0, 0, 1, 1, 2, 3], [1, 2, 2, 3, 3, 4])
    ends = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (3, 4)]
    law = Counter()
    for order in permutations(range(6)):
        came = set()
        for e in order:
            if len(came | set(ends[e])) > 3:
                break
            came |= set(ends[e])
        law[tuple(sorted(came))] += 1 / 720
    counts = set_counts(graph, "ties", device, size=3)
    assert set(counts) == set(law) and fits(counts, law) > 0.001


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "options"),
    [("rn", {"size": 2}), *rows(["rdn"], size=[2, 4]), ("rpn", {"size": 3}), ("rnn", {"starts": 2})],
)
def test_weights_are_unbiased(device, method, options):
    """The number of vertices, and the sum of a trait, from weights: exact with a fixed number of centres."""
    trait = np.array([1.0, 5, 2, 8, 3, 3, 7])
    many = sample(SEVEN, method, seed=1, seeds=6000, device=device, **options)
    assert method != "rnn" or many[0].weighting == "exact"
    for found, true in ((lambda one: one.weight.sum(), 7), (lambda one: one.total(trait).value, trait.sum())):
        values = np.array([found(one) for one in many])
        assert abs(values.mean() - true) < 4 * values.std() / 6000**0.5


@pytest.mark.slow
def test_variance_estimate(device):
    many = sample(powerlaw_graph(30, seed=5), "rdn", size=10, seed=1, seeds=4000, device=device)
    value, error = np.array([one.total(np.ones(30)) for one in many]).T
    assert np.mean(error**2) / value.var() == pytest.approx(1, abs=0.15)
