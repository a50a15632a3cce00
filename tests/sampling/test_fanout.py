"""Layered neighbours on every device against the reference, the definition, and the law of subsets."""

import re
from collections import Counter
from dataclasses import replace
from itertools import chain, combinations, permutations, product

import numpy as np
import pytest
from graphs import tangle
from samplers import awkward_graphs, fits, successive

from clgraph import Graph, InputError, sample_neighbors
from clgraph.reference.fanout import reference_neighbors, verify_neighbors
from clgraph.sampling.fanout import MOST_FANOUT

LEVEL = 1e-4  # of chi-square: every number is keyed, so that a run that passes does so always


def equals_reference(device, graph, seeds, fanouts, *, seed, lengths=None, **options):
    """Each batch is the reference's, and what the definition says."""
    lengths = lengths or [len(seeds)]
    call = {"seed": seed, "batches": lengths, "device": device, **options}
    found = sample_neighbors(graph, graph.ids[seeds], fanouts, **call)
    begin, seed = np.cumsum([0, *lengths]), found.seed if seed is None else seed
    assert found.seed == seed  # also a drawn one is that of the reference
    assert len(found.vertex_offsets) == len(lengths)
    for b in range(len(lengths)):
        one = found.batch(b)
        part = seeds[begin[b] : begin[b + 1]]
        expected = reference_neighbors(graph, part, fanouts, seed=seed + b, **options)
        assert one.vertices.tolist() == expected.vertices and one.hops.tolist() == expected.hops
        for name in ("row", "col", "edge"):
            assert getattr(one, name).tolist() == list(chain(*getattr(expected, name)))
        assert np.diff(one.edge_offsets[0]).tolist() == [len(each) for each in expected.row]
        assert (one.root is None) == (not options.get("disjoint"))
        assert one.root is None or one.root.tolist() == expected.root
    law = {name: options[name] for name in ("replace", "direction", "weighted") if name in options}
    verify_neighbors(graph, found, fanouts, **law)
    return found


BOTH = (False, True)
OPTIONS = [
    {"replace": replace, "disjoint": disjoint, "direction": direction}
    for replace, disjoint, direction in product(BOTH, BOTH, ("in", "out"))
]


def named(options):
    return "-".join(map(str, options.values()))


def drawn_graph(weighted, directed, options):
    """Weights from 0 on, some of them a thousand times others."""
    duplicates = "keep" if options["disjoint"] else "merge"
    rng = np.random.default_rng(9)
    weights = rng.integers(0, 4, 500) * rng.choice([1.0, 0.001, 1000.0], 500) if weighted else None
    count = 500 if weighted else 400
    return tangle(3, 60, count, directed=directed, weights=weights, duplicates=duplicates)


@pytest.mark.smoke("False-False-in-True-False", "True-True-out-False-False")
@pytest.mark.smoke("False-True-in-False-True", "True-False-out-True-True")
@pytest.mark.parametrize("weighted", BOTH)
@pytest.mark.parametrize("directed", BOTH)
@pytest.mark.parametrize("options", OPTIONS, ids=named)
def test_equals_reference_in_batches(device, directed, options, weighted):
    graph = drawn_graph(weighted, directed, options)
    call = {"seed": 2**64 - 5, "lengths": [7, 1, 12], "weighted": weighted, **options}
    for fanouts in ([3, 2], [2, -1, 1], [1], [40]):
        equals_reference(device, graph, list(range(0, 60, 3)), fanouts, **call)


@pytest.mark.parametrize("replace", BOTH)
def test_long_rows_and_many_draws(device, replace):
    """By weight one arc outweighs all others together, and most are drawn."""
    leaves = np.arange(1, 3000)
    star = Graph.from_edges(np.zeros(len(leaves), int), leaves)
    for fanout in (MOST_FANOUT, 301, -1):
        equals_reference(device, star, [0], [fanout], seed=8, replace=replace)
    leaves = np.arange(1, 400)
    star = Graph.from_edges(np.zeros(399, int), leaves, weights=np.where(leaves == 200, 1e9, leaves % 3))
    for fanout in (3, 200, 1000, -1):
        equals_reference(device, star, [0], [fanout], seed=8, weighted=True, replace=replace)


def drawn_alone(device, star, fanout, times, **options):
    """The edges drawn for the centre of a star, of many batches of it alone."""
    centres = np.zeros(times, int)
    found = sample_neighbors(star, centres, [fanout], batches=[1] * times, device=device, **options)
    return list(map(tuple, found.edge.reshape(times, fanout).tolist()))


def test_the_law_of_weights(device):
    """Without replacement one arc after the other in proportion to the weights that are left."""
    w = np.array([1, 2, 3, 4, 20])
    star = Graph.from_edges(np.zeros(5, int), np.arange(1, 6), weights=w / 8)
    found = drawn_alone(device, star, 3, 6000, seed=0, weighted=True)
    assert fits(Counter(tuple(sorted(each)) for each in found), successive(w.tolist(), 3)) > LEVEL
    # the order, too: the first two arcs
    pairs = {(i, j): w[i] / 30 * w[j] / (30 - w[i]) for i, j in permutations(range(5), 2)}
    assert fits(Counter(each[:2] for each in found), pairs) > LEVEL
    found = drawn_alone(device, star, 2, 6000, seed=1, weighted=True, replace=True)
    assert fits(Counter(found), {(i, j): w[i] * w[j] / 900 for i, j in product(range(5), repeat=2)}) > LEVEL


@pytest.mark.parametrize("options", OPTIONS[:2] + OPTIONS[4:6], ids=named)
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


@pytest.mark.parametrize("options", OPTIONS, ids=named)
def test_awkward_graphs(device, options):
    for graph in awkward_graphs():
        seeds = [0, graph.num_vertices - 1]
        equals_reference(device, graph, seeds, [2, 3, -1], seed=1, lengths=[1, 1], **options)


def test_a_seed_may_be_in_several_batches(device):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    equals_reference(device, graph, [1, 0, 1, 2], [2], seed=3, lengths=[1, 1, 2])
    equals_reference(device, tangle(6), [1, 0, 1, 2], [2], seed=None, lengths=[1, 1, 2])


def test_a_seed_in_several_trees(device):
    found = equals_reference(device, tangle(6), [0, 0, 1], [3, 3], seed=4, disjoint=True)
    assert found.root[:3].tolist() == [0, 1, 2]
    trees = [found.vertices[found.root == root].tolist() for root in (0, 1)]
    assert trees[0] != trees[1]  # draws belong to the seed's place, too


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
    for fanout in (2, 3):
        counts = Counter(tuple(sorted(each)) for each in drawn_alone(device, star, fanout, 6000, seed=0))
        sets = list(combinations(range(6), fanout))
        assert fits(counts, dict.fromkeys(sets, 1 / len(sets))) > LEVEL


def test_draws_with_replacement_are_uniform_and_independent(device):
    star = Graph.from_edges(np.zeros(4, int), np.arange(1, 5))
    counts = Counter(drawn_alone(device, star, 3, 8000, seed=1, replace=True))
    assert fits(counts, dict.fromkeys(product(range(4), repeat=3), 1 / 64)) > LEVEL


def test_hops_and_trees_are_independent(device):
    """A vertex that two trees, or two hops, draw for has draws of its own in each."""
    ring = Graph.from_edges([0, 1], [1, 0], directed=True)
    six = Graph.from_edges([0] * 6 + list(range(1, 7)), list(range(1, 7)) + [0] * 6, directed=True)
    found = sample_neighbors(six, np.zeros(9000, int), [1], seed=2, disjoint=True, device=device).edge
    pairs = product(np.unique(found).tolist(), repeat=2)
    assert fits(Counter(map(tuple, found.reshape(-1, 2).tolist())), dict.fromkeys(pairs, 1 / 36)) > LEVEL
    assert sample_neighbors(ring, [0], [1, 1, 1], seed=2, device=device).hops.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([], [1]), {}, "seeds is empty"),
        (([99], [1]), {}, "vertex 99 is not in the graph"),
        (([0, 0], [1]), {}, "seeds has 0 twice in a batch: give it once, or use disjoint=True"),
        (([0], []), {}, "fanouts has 0 hops"),
        *((([0], x), {}, f"fanouts is {x!r}: use a list") for x in (3, {3}, np.array([[1]]))),
        (([0], [[1], [1, 2]]), {}, "fanouts has [1]: use whole numbers"),
        (([0], [1]), {"batches": [[1], [1, 2]]}, "a batch's length is [1]"),
        (([0], [0]), {}, "fanouts has 0: use whole numbers from 1 to 1024, or -1"),
        *((([0], [x]), {}, f"fanouts has {x}") for x in (1025, True)),
        (([0, 1, 2], [1]), {"batches": 2}, "batches is 2, which does not divide 3 seeds"),
        (([0, 1], [1]), {"batches": [1, 2]}, "batches has 3 seeds in all, and seeds has 2"),
        *((([0, 1], [1]), {"batches": x}, f"batches is {x!r}") for x in (0, "2")),
        (([0, 1], [1]), {"batches": 2, "seed": 2**64 - 1}, "batch 1 has no seed below"),
        (([0], [1]), {"direction": "both"}, "use 'in' or 'out'"),
        (([0], [1]), {"replace": 1}, "replace is 1: use True or False"),
        (([0], [1]), {"weighted": True}, "weighted=True, and the graph has no weights"),
        (([0], [1]), {"relabel": None}, "relabel is None: use True or False"),
        (([0], [1]), {"relabel": False, "disjoint": True}, "disjoint=True and relabel=False: only positions"),
    ],
)
def test_wrong_arguments(arguments, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        sample_neighbors(tangle(1, 20, 60), *arguments, **options)


def test_a_batch_that_is_not_there(device):
    found = sample_neighbors(tangle(1), [0, 1], [1], batches=2, device=device)
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
    graph = tangle(2, directed=True)
    found = sample_neighbors(graph, [1, 5], [3, 2], seed=1, device=device)
    verify_neighbors(graph, found, [3, 2])
    with pytest.raises(AssertionError, match=message):
        verify_neighbors(graph, replace(found, **{name: change(getattr(found, name))}), [3, 2])
