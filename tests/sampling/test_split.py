"""Edges in parts on every device against the reference, the definition, and the laws of both draws."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from graphs import tangle
from samplers import awkward_graphs, successive
from scipy.stats import chisquare

from clgraph import Graph, InputError, split_edges
from clgraph.reference.split import reference_split_edges, verify_split_edges

LEVEL = 1e-4  # of chi-square: every number is keyed, so that a run that passes does so always


def pairs(ends):
    return list(zip(*ends.tolist(), strict=True))


def equals_reference(graph, found, *shares, **options):
    expected = reference_split_edges(graph, *shares, seed=found.seed, **options)
    for i, part in enumerate((found.train, found.validation, found.test)):
        assert part.edges.dtype == part.negatives.dtype == np.int32 and part.arcs.dtype == np.int64
        assert pairs(part.edges) == expected.edges[i]
        assert pairs(part.negatives) == expected.negatives[i]
    connected = {name: value for name, value in options.items() if name == "keep_connected"}
    verify_split_edges(graph, found, **connected)


@pytest.mark.smoke("False-degree-True", "True-uniform-False")
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("law", ["uniform", "degree"])
@pytest.mark.parametrize("connected", [False, True])
def test_equals_reference(device, directed, law, connected):
    graph = tangle(3, 60, 400, directed=directed)
    options = {"negative_law": law, "keep_connected": connected}
    found = split_edges(graph, 0.3, 25, seed=2**64 - 5, device=device, **options)
    assert found.validation.edges.shape[1] >= 25
    equals_reference(graph, found, 0.3, 25, **options)


def test_awkward_graphs(device):
    for graph in awkward_graphs():
        if graph.is_multigraph or graph.num_arcs == graph.num_self_loops:
            continue
        for options in ({"negatives": 0}, {"negatives": 0, "keep_connected": False}):
            found = split_edges(
                graph, 1 - options.get("keep_connected", True), 0, seed=3, device=device, **options
            )
            equals_reference(graph, found, 1 - options.get("keep_connected", True), 0, **options)


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
    found = split_edges(graph, 10, 5, seed=1, negatives=0, device=device)
    assert found.test.edges.shape == (2, 20) and found.validation.edges.shape == (2, 10)
    equals_reference(graph, found, 10, 5, negatives=0)


def test_all_pairs_without_an_edge_can_be_drawn(device):
    graph = tangle(4, 30, 60)
    there = 30 * 29 // 2 - (graph.num_edges - graph.num_self_loops)
    ratio = there / (graph.num_edges - graph.num_self_loops)
    found = split_edges(graph, 0.2, 0.1, seed=4, negatives=ratio, keep_connected=False, device=device)
    many = sum(part.negatives.shape[1] for part in (found.train, found.validation, found.test))
    assert there - 2 <= many <= there
    equals_reference(graph, found, 0.2, 0.1, negatives=ratio, keep_connected=False)


def test_a_larger_graph(device):
    rng = np.random.default_rng(5)
    graph = Graph.from_edges(*rng.zipf(1.7, (2, 30_000)) % 4000)
    for law in ("uniform", "degree"):
        found = split_edges(graph, seed=6, negatives=2.0, negative_law=law, device=device)
        verify_split_edges(graph, found)


def test_negatives_in_several_rounds(device):
    """Most pairs are drawn, so that one round of candidates does not do."""
    graph = tangle(7, 40, 300)
    for law in ("uniform", "degree"):
        found = split_edges(graph, 0.2, seed=7, negative_law=law, negatives=0.8, device=device)
        equals_reference(graph, found, 0.2, negative_law=law, negatives=0.8)


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
    runs = 450
    counts = dict.fromkeys(combinations(range(6), 2), 0)
    for seed in range(runs):
        found = split_edges(star, 2, 0, negatives=0, keep_connected=False, seed=seed, device=device)
        counts[tuple(found.test.arcs.tolist())] += 1
    assert chisquare(list(counts.values())).pvalue > LEVEL


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
    expected, counts, runs = successive(weight, 2), {}, 500
    for seed in range(runs):
        options = {"keep_connected": False, "negatives": 2, "negative_law": law, "device": device}
        found = split_edges(graph, 1, 0, seed=seed, **options | {"negatives": 0.29})
        drawn = pairs(np.concatenate([found.test.negatives, found.train.negatives], axis=1))
        assert len(drawn) == 2
        name = tuple(sorted(map(without.index, drawn)))
        counts[name] = counts.get(name, 0) + 1
    names = list(expected)
    assert set(counts) <= set(names)
    wanted = np.array([expected[name] for name in names]) * runs
    assert chisquare([counts.get(name, 0) for name in names], wanted).pvalue > LEVEL


# --- errors ---------------------------------------------------------------------------------------------

PATH = Graph.from_edges(np.arange(9), np.arange(1, 10))


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
        (
            PATH,
            {"negatives": 9, "test": 0, "validation": 0},
            "81 pairs without an edge are wanted, and there are 36",
        ),
        (PATH, {"negatives": 9, "test": 0, "validation": 0}, "use at most 4.0"),
        (PATH, {"negative_law": "x"}, "use 'uniform' or 'degree'"),
        (PATH, {"keep_connected": 1}, "keep_connected is 1: use True or False"),
        (Graph.from_edges([0], [0]), {}, "no edges between different vertices"),
        (Graph.from_edges([0, 0], [1, 1], duplicates="keep"), {}, "duplicates='merge'"),
    ],
)
def test_wrong_arguments(graph, options, message):
    with pytest.raises(InputError) as error:
        split_edges(graph, seed=1, **options)
    assert message in str(error.value)


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
    ("part", "name", "change", "message"),
    [
        ("test", "arcs", lambda a: a[:-1], "not all edges"),
        ("test", "edges", lambda a: a[:, ::-1], "other ends"),
        ("train", "negatives", lambda a: a * 0, "loop"),
        ("train", "negatives", lambda a: np.repeat(a[:, :1], 2, axis=1), "twice"),
        ("train", "negatives", lambda a: a - 99, "no pair of vertices"),
    ],
)
def test_the_verifier_finds_what_is_wrong(device, part, name, change, message):
    graph = tangle(2, 40, 200)
    found = split_edges(graph, 20, 10, seed=1, device=device)
    one = getattr(found, part)
    with pytest.raises(AssertionError, match=message):
        verify_split_edges(
            graph, replace(found, **{part: replace(one, **{name: change(getattr(one, name))})})
        )
    joined = replace(found.train, negatives=found.train.edges)
    with pytest.raises(AssertionError, match="a negative is an edge"):
        verify_split_edges(graph, replace(found, train=joined))
    with pytest.raises(AssertionError, match="training graph has other edges"):
        verify_split_edges(graph, replace(found, graph=graph))
