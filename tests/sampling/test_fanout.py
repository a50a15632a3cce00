"""Layered neighbours on every device against the reference, the definition, and the law of subsets."""

from itertools import chain, combinations

import numpy as np
import pytest
from graphs import tangle
from samplers import awkward_graphs, successive
from scipy.stats import chisquare

import clgraph
from clgraph import Graph, InputError, sample_neighbors
from clgraph.reference.fanout import reference_neighbors, verify_neighbors
from clgraph.sampling.fanout import MOST_FANOUT

LEVEL = 1e-4  # of chi-square: every number is keyed, so that a run that passes does so always


def equals_reference(graph, seeds, fanouts, found, lengths, **options):
    """Each batch is the reference's."""
    begin = np.cumsum([0, *lengths])
    assert len(found.vertex_offsets) == len(lengths)
    for b in range(len(lengths)):
        one = found.batch(b)
        part = seeds[begin[b] : begin[b + 1]]
        expected = reference_neighbors(graph, part, fanouts, seed=found.seed + b, **options)
        assert one.vertices.tolist() == expected.vertices and one.hops.tolist() == expected.hops
        for name in ("row", "col", "edge"):
            assert getattr(one, name).tolist() == list(chain(*getattr(expected, name)))
        assert np.diff(one.edge_offsets[0]).tolist() == [len(each) for each in expected.row]
        assert (None if one.root is None else one.root.tolist()) == (
            expected.root if options.get("disjoint") else None
        )


def same_bytes(one, other):
    for name in ("vertices", "row", "col", "edge", "vertex_offsets", "edge_offsets"):
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype and a.tobytes() == b.tobytes(), name
    assert (one.root is None) == (other.root is None)
    assert one.root is None or one.root.tobytes() == other.root.tobytes()


OPTIONS = [
    {"replace": replace, "disjoint": disjoint, "direction": direction}
    for replace in (False, True)
    for disjoint in (False, True)
    for direction in ("in", "out")
]


@pytest.mark.smoke("False-False-in-True", "True-True-out-False")
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda each: "-".join(map(str, each.values())))
def test_equals_reference_in_batches(device, directed, options):
    graph = tangle(3, 60, 400, directed=directed, duplicates="keep" if options["disjoint"] else "merge")
    seeds, lengths = list(range(0, 60, 3)), [7, 1, 12]
    for fanouts in ([3, 2], [2, -1, 1], [1], [40]):
        found = sample_neighbors(
            graph, seeds, fanouts, seed=2**64 - 5, batches=lengths, device=device, **options
        )
        equals_reference(graph, seeds, fanouts, found, lengths, **options)
        rest = {name: options[name] for name in ("replace", "direction")}
        verify_neighbors(graph, found, fanouts, **rest)


def weighted_tangle(directed, **options):
    """Weights from 0 on, some of them a thousand times others."""
    rng = np.random.default_rng(9)
    weights = rng.integers(0, 4, 500) * rng.choice([1.0, 0.001, 1000.0], 500)
    return tangle(3, 60, 500, directed=directed, weights=weights, **options)


@pytest.mark.smoke("False-True-in-False", "True-False-out-True")
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda each: "-".join(map(str, each.values())))
def test_equals_reference_by_weight(device, directed, options):
    graph = weighted_tangle(directed, duplicates="keep" if options["disjoint"] else "merge")
    seeds, lengths = list(range(0, 60, 3)), [7, 1, 12]
    call = {**options, "weighted": True}
    for fanouts in ([3, 2], [2, -1, 1], [40]):
        found = sample_neighbors(graph, seeds, fanouts, seed=11, batches=lengths, device=device, **call)
        equals_reference(graph, seeds, fanouts, found, lengths, **call)
        rest = {name: call[name] for name in ("replace", "direction", "weighted")}
        verify_neighbors(graph, found, fanouts, **rest)


def test_a_long_row_by_weight(device):
    """One arc outweighs all others together, and most are drawn."""
    leaves = np.arange(1, 400)
    star = Graph.from_edges(np.zeros(399, int), leaves, weights=np.where(leaves == 200, 1e9, leaves % 3))
    for options in ({}, {"replace": True}):
        for fanout in (3, 200, 1000, -1):
            call = {**options, "weighted": True}
            found = sample_neighbors(star, [0], [fanout], seed=8, device=device, **call)
            equals_reference(star, [0], [fanout], found, [1], **call)


def test_the_law_of_weights(device):
    """Without replacement one arc after the other in proportion to the weights that are left."""
    weight = [1, 2, 3, 4, 20]
    star = Graph.from_edges(np.zeros(5, int), np.arange(1, 6), weights=np.array(weight) / 8)
    times = 6000
    call = {"batches": [1] * times, "weighted": True, "device": device}
    found = sample_neighbors(star, np.zeros(times, int), [3], seed=0, **call)
    sets = np.sort(found.edge.reshape(times, 3), axis=1)
    expected = successive(weight, 3)
    counts = [np.all(sets == each, axis=1).sum() for each in expected]
    assert sum(counts) == times
    assert chisquare(counts, np.array(list(expected.values()), float) * times).pvalue > LEVEL
    # the order, too: the first two arcs
    first = found.edge.reshape(times, 3)[:, :2] @ [5, 1]
    pairs = {
        5 * i + j: weight[i] / 30 * weight[j] / (30 - weight[i]) for i in range(5) for j in range(5) if i != j
    }
    assert (
        chisquare([np.sum(first == each) for each in pairs], np.array([*pairs.values()]) * times).pvalue
        > LEVEL
    )
    found = sample_neighbors(star, np.zeros(times, int), [2], seed=1, replace=True, **call)
    number = found.edge.reshape(times, 2) @ [5, 1]
    expected = np.outer(weight, weight).ravel() / 900 * times
    assert chisquare(np.bincount(number, minlength=25), expected).pvalue > LEVEL


@pytest.mark.parametrize("disjoint", [False, True])
def test_a_batch_is_the_call_alone(device, disjoint):
    graph = tangle(5, directed=True)
    seeds = np.arange(48)
    options = {"disjoint": disjoint, "device": device}
    found = sample_neighbors(graph, seeds, [4, 3, 2], seed=9, batches=6, **options)
    for b in range(6):
        alone = sample_neighbors(graph, seeds[8 * b : 8 * b + 8], [4, 3, 2], seed=9 + b, **options)
        same_bytes(found.batch(b), alone)


@pytest.mark.parametrize(
    "options", OPTIONS[:2] + OPTIONS[4:6], ids=lambda each: "-".join(map(str, each.values()))
)
def test_vertex_numbers_for_positions(device, options):
    """Without relabelling, the same edges; the last hop's vertices are not listed."""
    graph = tangle(8, 60, 400, directed=True)
    call = {**options, "seed": 5, "batches": [7, 1, 12], "device": device}
    for fanouts in ([3, 2], [2, -1, 1], [40]):
        found = sample_neighbors(graph, np.arange(20), fanouts, relabel=False, **call)
        other = sample_neighbors(graph, np.arange(20), fanouts, **call)
        assert found.edge.tobytes() == other.edge.tobytes() and not found.relabel
        assert found.edge_offsets.tobytes() == other.edge_offsets.tobytes()
        for b in range(3):
            one, full = found.batch(b), other.batch(b)
            assert full.vertices[full.row].tobytes() == one.row.tobytes()
            assert full.vertices[full.col].tobytes() == one.col.tobytes()
            last = full.vertex_offsets[0, -2]
            assert full.vertices[:last].tobytes() == one.vertices.tobytes()
        rest = {name: options[name] for name in ("replace", "direction")}
        verify_neighbors(graph, found, fanouts, **rest)
    with pytest.raises(InputError, match="sample with relabel=True"):
        found.batch(0).to_pyg_data(graph)


def test_awkward_graphs(device):
    for graph in awkward_graphs():
        seeds = [0, graph.num_vertices - 1]
        for options in OPTIONS:
            found = sample_neighbors(
                graph, graph.ids[seeds], [2, 3, -1], seed=1, batches=2, device=device, **options
            )
            equals_reference(graph, seeds, [2, 3, -1], found, [1, 1], **options)


def test_a_seed_may_be_in_several_batches(device):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    found = sample_neighbors(graph, [1, 0, 1, 2], [2], batches=[1, 1, 2], device=device)
    equals_reference(graph, [1, 0, 1, 2], [2], found, [1, 1, 2])


def test_a_seed_in_several_trees(device):
    graph = tangle(6)
    found = sample_neighbors(graph, [0, 0, 1], [3, 3], seed=4, disjoint=True, device=device)
    equals_reference(graph, [0, 0, 1], [3, 3], found, [3], disjoint=True)
    assert found.root[:3].tolist() == [0, 1, 2]
    trees = [found.vertices[found.root == root].tolist() for root in (0, 1)]
    assert trees[0] != trees[1]  # draws belong to the seed's place, too


def test_long_rows_and_many_draws(device):
    leaves = np.arange(1, 3000)
    star = Graph.from_edges(np.zeros(len(leaves), int), leaves)
    for options in ({}, {"replace": True}):
        for fanout in (MOST_FANOUT, 301, -1):
            found = sample_neighbors(star, [0], [fanout], seed=8, device=device, **options)
            equals_reference(star, [0], [fanout], found, [1], **options)


def test_ids_and_weights(device):
    ids = np.array(["e", "d", "c", "b", "a"], object)
    graph = Graph.from_edges(ids[:4], ids[1:], weights=[1, 2, 3, 4], directed=True)
    found = sample_neighbors(graph, ["a"], [5, 5], seed=1, device=device)
    assert graph.ids[found.vertices].tolist() == ["a", "b", "c"]
    assert graph.weights[found.edge].tolist() == [4, 3]
    assert graph.ids[graph.tails[found.edge]].tolist() == ["b", "c"]


def test_arrays_stay_on_the_device(device):
    graph = tangle(7)
    options = {"seed": 3, "disjoint": True, "batches": 2, "device": device}
    one = sample_neighbors(graph, [1, 2, 3, 4], [3, 2], **options)
    other = sample_neighbors(graph, [1, 2, 3, 4], [3, 2], arrays="device", **options)
    for name in ("vertices", "row", "col", "edge", "root"):
        there = getattr(other, name)
        assert not isinstance(there, np.ndarray)
        assert there.get().tobytes() == getattr(one, name).tobytes()
    assert other.hops.tolist() == one.hops.tolist()


def test_every_subset_is_alike(device):
    """15 subsets of 2 of 6 neighbours, 20 of 3, of many batches of one seed."""
    star = Graph.from_edges(np.zeros(6, int), np.arange(1, 7))
    times = 6000
    for fanout in (2, 3):
        found = sample_neighbors(
            star, np.zeros(times, int), [fanout], seed=0, batches=[1] * times, device=device
        )
        sets = np.sort(found.edge.reshape(times, fanout), axis=1)
        counts = [np.all(sets == each, axis=1).sum() for each in combinations(range(6), fanout)]
        assert sum(counts) == times and chisquare(counts).pvalue > LEVEL


def test_draws_with_replacement_are_uniform_and_independent(device):
    star = Graph.from_edges(np.zeros(4, int), np.arange(1, 5))
    times = 8000
    options = {"seed": 1, "replace": True, "device": device}
    found = sample_neighbors(star, np.zeros(times, int), [3], batches=[1] * times, **options)
    number = found.edge.reshape(times, 3) @ [16, 4, 1]
    assert chisquare(np.bincount(number, minlength=64)).pvalue > LEVEL


def test_hops_and_trees_are_independent(device):
    """A vertex that two trees, or two hops, draw for has draws of its own in each."""
    ring = Graph.from_edges([0, 1], [1, 0], directed=True)
    six = Graph.from_edges([0] * 6 + list(range(1, 7)), list(range(1, 7)) + [0] * 6, directed=True)
    times = 9000
    found = sample_neighbors(six, np.zeros(times, int), [1], seed=2, disjoint=True, device=device)
    pairs = found.edge.reshape(-1, 2)
    table = np.zeros((6, 6))
    np.add.at(table, tuple(np.unique(found.edge, return_inverse=True)[1].reshape(pairs.shape).T), 1)
    assert chisquare(table.ravel()).pvalue > LEVEL
    assert sample_neighbors(ring, [0], [1, 1, 1], seed=2, device=device).hops.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([], [1]), {}, "seeds is empty"),
        (([99], [1]), {}, "vertex 99 is not in the graph"),
        (([0, 0], [1]), {}, "seeds has 0 twice in a batch: give it once, or use disjoint=True"),
        (([0], []), {}, "fanouts has 0 hops"),
        (([0], 3), {}, "fanouts is 3: use a list"),
        (([0], {3}), {}, "fanouts is {3}: use a list"),
        (([0], np.array([[1]])), {}, "fanouts is array([[1]]): use a list"),
        (([0], [[1], [1, 2]]), {}, "fanouts has [1]: use whole numbers"),
        (([0], [1]), {"batches": [[1], [1, 2]]}, "a batch's length is [1]"),
        (([0], [0]), {}, "fanouts has 0: use whole numbers from 1 to 1024, or -1"),
        (([0], [1025]), {}, "fanouts has 1025"),
        (([0], [True]), {}, "fanouts has True"),
        (([0, 1, 2], [1]), {"batches": 2}, "batches is 2, which does not divide 3 seeds"),
        (([0, 1], [1]), {"batches": [1, 2]}, "batches has 3 seeds in all, and seeds has 2"),
        (([0, 1], [1]), {"batches": 0}, "batches is 0"),
        (([0, 1], [1]), {"batches": "2"}, "batches is '2'"),
        (([0, 1], [1]), {"batches": 2, "seed": 2**64 - 1}, "batch 1 has no seed below"),
        (([0], [1]), {"direction": "both"}, "use 'in' or 'out'"),
        (([0], [1]), {"replace": 1}, "replace is 1: use True or False"),
        (([0], [1]), {"weighted": True}, "weighted=True, and the graph has no weights"),
        (([0], [1]), {"relabel": None}, "relabel is None: use True or False"),
        (([0], [1]), {"relabel": False, "disjoint": True}, "disjoint=True and relabel=False: only positions"),
    ],
)
def test_wrong_arguments(arguments, options, message):
    with pytest.raises(InputError) as error:
        sample_neighbors(tangle(1, 20, 60), *arguments, **options)
    assert message in str(error.value)


def test_a_batch_that_is_not_there(device):
    found = clgraph.sample_neighbors(tangle(1), [0, 1], [1], batches=2, device=device)
    with pytest.raises(InputError, match="index is 2: use a whole number from 0 to 1"):
        found.batch(2)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("edge", lambda a: np.roll(a, 1), "an edge is another one"),
        ("col", lambda a: a[::-1].copy(), "frontier"),
        ("vertices", lambda a: np.where(np.arange(len(a)) == 1, a[0], a), "a vertex appears twice"),
        ("row", lambda a: a + 1, "not there"),
    ],
)
def test_the_verifier_finds_what_is_wrong(device, name, change, message):
    from dataclasses import replace

    graph = tangle(2, directed=True)
    found = sample_neighbors(graph, [1, 5], [3, 2], seed=1, device=device)
    verify_neighbors(graph, found, [3, 2])
    with pytest.raises(AssertionError, match=message):
        verify_neighbors(graph, replace(found, **{name: change(getattr(found, name))}), [3, 2])
