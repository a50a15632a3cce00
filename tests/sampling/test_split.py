"""Edges in parts on every device against the reference, the definition, and the laws of both draws."""

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from graphs import tangle
from samplers import awkward_graphs, fits, successive
from scipy.stats import chisquare

from clgraph import Graph, InputError, split_edges
from clgraph.reference.split import reference_split_edges, verify_split_edges

LEVEL = 1e-4  # of chi-square: every number is keyed, so that a run that passes does so always


def pairs(ends):
    return list(zip(*ends.tolist(), strict=True))


def equals_reference(device, graph, *shares, seed, **options):
    found = split_edges(graph, *shares, seed=seed, device=device, **options)
    assert found.seed == seed
    expected = reference_split_edges(graph, *shares, seed=seed, **options)
    for i, part in enumerate((found.train, found.validation, found.test)):
        assert part.edges.dtype == part.negatives.dtype == np.int32 and part.arcs.dtype == np.int64
        assert pairs(part.edges) == expected.edges[i]
        assert pairs(part.negatives) == expected.negatives[i]
    verify_split_edges(graph, found, keep_connected=options.get("keep_connected", True))
    return found


@pytest.mark.smoke("False-degree-True", "True-uniform-False")
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("law", ["uniform", "degree"])
@pytest.mark.parametrize("connected", [False, True])
def test_equals_reference(device, directed, law, connected):
    graph = tangle(3, 60, 400, directed=directed)
    options = {"seed": 2**64 - 5, "negative_law": law, "keep_connected": connected}
    assert equals_reference(device, graph, 0.3, 25, **options).validation.edges.shape[1] >= 25


def test_awkward_graphs(device):
    for graph in awkward_graphs():
        if graph.is_multigraph or graph.num_arcs == graph.num_self_loops:
            continue
        for connected in (True, False):
            options = {"negatives": 0, "keep_connected": connected}
            equals_reference(device, graph, int(not connected), 0, seed=3, **options)


def test_weights_ids_and_loops_go_with_the_edges(device):
    ids = np.array(["e", "d", "c", "b"], object)
    graph = Graph.from_edges(ids[[0, 1, 2, 3, 0, 1]], ids[[1, 2, 3, 0, 2, 1]], weights=np.arange(6.0))
    found = split_edges(graph, 1, 1, seed=3, negatives=0, device=device)
    assert found.graph.ids.tolist() == ["b", "c", "d", "e"] and found.graph.num_self_loops == 1
    for part in (found.train, found.validation, found.test):
        for u, v, w in zip(*graph.ids[part.edges], graph.weights[part.arcs], strict=True):
            at = {"ed": 0, "dc": 1, "cb": 2, "be": 3, "ec": 4}
            assert w == at.get(u + v, at.get(v + u))
    left = found.graph.to_edges()
    there = {(u, v): w for u, v, w in zip(*graph.to_edges()[:3], strict=True)}
    assert len(left.source) == 4 and found.train.edges.shape[1] == 3
    assert all(there[u, v] == w for u, v, w in zip(*left[:3], strict=True))


def test_arcs_of_a_pair_stay_together(device):
    u, v = np.triu_indices(12, 1)
    graph = Graph.from_edges(np.append(u, v), np.append(v, u), directed=True)
    found = equals_reference(device, graph, 10, 5, seed=1, negatives=0)
    assert found.test.edges.shape == (2, 20) and found.validation.edges.shape == (2, 10)


def test_all_pairs_without_an_edge_can_be_drawn(device):
    graph = tangle(4, 30, 60)
    edges = graph.num_edges - graph.num_self_loops
    there = 30 * 29 // 2 - edges
    options = {"negatives": there / edges, "keep_connected": False}
    found = equals_reference(device, graph, 0.2, 0.1, seed=4, **options)
    many = sum(part.negatives.shape[1] for part in (found.train, found.validation, found.test))
    assert there - 2 <= many <= there


@pytest.mark.parametrize("law", ["uniform", "degree"])
def test_a_larger_graph_and_negatives_in_several_rounds(device, law):
    """Where most pairs are drawn one round of candidates does not do."""
    graph = Graph.from_edges(*np.random.default_rng(5).zipf(1.7, (2, 30_000)) % 4000)
    verify_split_edges(graph, split_edges(graph, seed=6, negatives=2.0, negative_law=law, device=device))
    equals_reference(device, tangle(7, 40, 300), 0.2, seed=7, negative_law=law, negatives=0.8)


def test_labels(device):
    found = split_edges(tangle(2, 40, 200), 20, 10, seed=1, negatives=0.5, device=device)
    both, labels = found.test.labelled()
    assert both.dtype == np.int64 and labels.dtype == np.float32
    assert labels.tolist() == [1] * 20 + [0] * 10
    assert np.array_equal(both[:, :20], found.test.edges)
    assert np.array_equal(both[:, 20:], found.test.negatives)


# --- laws -----------------------------------------------------------------------------------------------


def test_every_subset_of_edges_is_alike(device):
    """15 subsets of 2 of 6 edges."""
    star = Graph.from_edges(np.zeros(6, int), np.arange(1, 7))
    options = {"negatives": 0, "keep_connected": False, "device": device}
    found = (split_edges(star, 2, 0, seed=seed, **options).test.arcs for seed in range(450))
    law = dict.fromkeys(combinations(range(6), 2), 1 / 15)
    assert fits(Counter(tuple(arcs.tolist()) for arcs in found), law) > LEVEL


def test_the_edge_outside_the_forest_is_any_of_a_ring(device):
    ring = Graph.from_edges(np.arange(7), (np.arange(7) + 1) % 7)
    counts = np.zeros(ring.num_arcs, int)
    for seed in range(210):
        counts[split_edges(ring, 1, 0, negatives=0, seed=seed, device=device).test.arcs] += 1
    assert chisquare(counts[counts > 0]).pvalue > LEVEL and np.count_nonzero(counts) == 7


@pytest.mark.parametrize("law", ["uniform", "degree"])
def test_negatives_are_drawn_by_their_law(device, law):
    """Pairs of 6 without an edge, one after the other in proportion to what is left."""
    graph = Graph.from_edges([0, 0, 0, 1, 2, 3, 0], [1, 2, 3, 2, 3, 4, 5])
    joined = set(zip(graph.tails.tolist(), graph.col_idx.tolist(), strict=True))
    without = [pair for pair in combinations(range(6), 2) if pair not in joined]
    degree = graph.degrees
    weight = [1 if law == "uniform" else int(degree[u] * degree[v]) for u, v in without]
    counts = Counter()
    options = {"keep_connected": False, "negatives": 0.29, "negative_law": law, "device": device}
    for seed in range(500):
        found = split_edges(graph, 1, 0, seed=seed, **options)
        drawn = pairs(np.concatenate([found.test.negatives, found.train.negatives], axis=1))
        assert len(drawn) == 2
        counts[tuple(sorted(map(without.index, drawn)))] += 1
    assert fits(counts, successive(weight, 2)) > LEVEL


# --- errors ---------------------------------------------------------------------------------------------

PATH, NINE = Graph.from_edges(np.arange(9), np.arange(1, 10)), {"negatives": 9, "test": 0, "validation": 0}


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        (
            PATH,
            {},
            "only 0 are outside the spanning forest that keeps the components: use shares of at most 0.0",
        ),
        (tangle(1), {"test": 0.9}, "of at most 0.7658 together"),
        (PATH, {"test": 0.9, "validation": 0.5, "keep_connected": False}, "more than there are"),
        (PATH, {"test": -0.1}, "test is -0.1: use a share of the edges from 0.0 to 1.0"),
        (PATH, {"validation": 1.5}, "validation is 1.5: use a share"),
        (PATH, {"test": -1}, "test is -1: use a whole number"),
        (PATH, {"test": "0.1"}, "test is '0.1': use a number"),
        (PATH, {"test": True}, "test is True: use a number"),
        (PATH, {"negatives": -1}, "negatives is -1: use a number of negatives"),
        (PATH, {"negatives": float("nan")}, "negatives is nan: use a finite number"),
        (PATH, NINE, "81 pairs without an edge are wanted, and there are 36"),
        (PATH, NINE, "use at most 4.0"),
        (PATH, {"negative_law": "x"}, "use 'uniform' or 'degree'"),
        (PATH, {"keep_connected": 1}, "keep_connected is 1: use True or False"),
        (Graph.from_edges([0], [0]), {}, "no edges between different vertices"),
        (Graph.from_edges([0, 0], [1, 1], duplicates="keep"), {}, "duplicates='merge'"),
    ],
)
def test_wrong_arguments(graph, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        split_edges(graph, seed=1, **options)


def test_the_largest_share_that_is_named_will_do(device):
    graph = tangle(1)
    with pytest.raises(InputError) as error:
        split_edges(graph, 0.9, 0, device=device)
    most = float(str(error.value).split("at most ")[1].split(" ")[0])
    verify_split_edges(graph, split_edges(graph, most, 0, seed=1, device=device))


def test_negatives_by_degree_that_never_come(device):
    """A pair of vertices without edges has no degree."""
    graph = Graph.from_edges([0, 0, 1], [1, 2, 2], vertices=np.arange(4))
    assert split_edges(graph, 0, 0, negatives=1, seed=1, device=device).train.negatives.shape == (2, 3)
    with pytest.raises(InputError, match="only 0 of 3 negatives by degree were found in"):
        split_edges(graph, 0, 0, negatives=1, negative_law="degree", seed=1, device=device)


@pytest.mark.parametrize(
    ("part", "change", "message"),
    [
        ("test", lambda part: {"arcs": part.arcs[:-1]}, "not all edges"),
        ("test", lambda part: {"edges": part.edges[:, ::-1]}, "other ends"),
        ("train", lambda part: {"negatives": part.negatives * 0}, "loop"),
        ("train", lambda part: {"negatives": np.repeat(part.negatives[:, :1], 2, axis=1)}, "twice"),
        ("train", lambda part: {"negatives": part.negatives - 99}, "no pair of vertices"),
        ("train", lambda part: {"negatives": part.edges}, "a negative is an edge"),
    ],
)
def test_the_verifier_finds_what_is_wrong(device, part, change, message):
    graph = tangle(2, 40, 200)
    found = split_edges(graph, 20, 10, seed=1, device=device)
    one = getattr(found, part)
    with pytest.raises(AssertionError, match=message):
        verify_split_edges(graph, replace(found, **{part: replace(one, **change(one))}))
    with pytest.raises(AssertionError, match="training graph has other edges"):
        verify_split_edges(graph, replace(found, graph=graph))
