"""Contraction (cre, crve) and exploration (ebfs, edfs) on every device against their references.

Those contract one edge, or visit one vertex, after the other.
"""

import itertools

import numpy as np
import pytest
from devices import another
from graphs import random_graph, varied_graph
from samplers import counts_of, launch_otherwise, weights_of
from scipy import stats

from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.methods import CONTRACTING, EXPLORING
from clgraph.reference import verify_sample
from clgraph.reference.common import Rows
from clgraph.reference.reduction import (
    reference_contract,
    reference_explore,
    verify_contraction,
    verify_exploration,
)
from clgraph.sampling import contract, explore, sample

METHODS = (*CONTRACTING, *EXPLORING)


def compare(graph, method, sizes, seed, device, **options):
    samples = sample(graph, method, sizes=sizes, seed=seed, device=device, **options)
    reference = reference_contract if method in CONTRACTING else reference_explore
    wanted = reference(graph, method, sizes=sizes, seed=seed, **options)
    for made, expected in zip(samples, wanted, strict=True):
        np.testing.assert_array_equal(made.vertices, expected.vertices)
        np.testing.assert_array_equal(made.edges, expected.edges)
        assert made.target_vertices == expected.target_vertices
        if method in CONTRACTING:
            np.testing.assert_array_equal(made.contracted_to, expected.contracted_to)
            untouched = made.algorithm == "untouched"
            assert untouched or (made.algorithm, made.iterations) == ("contraction", expected.iterations)
            verify_contraction(graph, made)
        else:
            verify_sample(graph, made)
            verify_exploration(graph, made)
    return samples


@pytest.mark.smoke
@pytest.mark.parametrize("method", METHODS)
def test_equals_reference(device, method):
    for seed in range(40):
        graph, rng = varied_graph(seed)
        sizes = {int(x) for x in rng.integers(1, graph.num_vertices + 1, 3)}
        compare(graph, method, sorted(sizes, reverse=method in CONTRACTING), seed, device)


@pytest.mark.parametrize("method", METHODS)
def test_a_larger_graph(device, method):
    samples = compare(powerlaw_graph(3000, seed=4), method, ["70%", "50%", "10%", 1], 9, device)
    assert [len(made.vertices) for made in samples] == [made.target_vertices for made in samples]
    for larger, smaller in itertools.pairwise(samples):
        if method in EXPLORING:
            assert np.isin(smaller.vertices, larger.vertices).all()
        else:  # nested: what was together stays together
            large, small = larger.contracted_to, smaller.contracted_to
            np.testing.assert_array_equal(small[large[large >= 0]], small[large >= 0])


@pytest.mark.parametrize("method", CONTRACTING)
def test_few_draws_at_a_time(device, method, monkeypatch):
    """Batches of many chunks, and hubs on to which the last vertices hang by a few of many edges."""
    launch_otherwise(monkeypatch, contract, device, chunk=100)
    hub = np.array([(0, v) for v in range(1, 60)] + [(1, v) for v in range(2, 60)])
    dense = np.random.default_rng(3).integers(60, 100, (600, 2))
    tail = np.array([(59, 60), (100, 60), (101, 100), (102, 101)])
    graph = Graph.from_edges(*np.concatenate((hub, dense, tail)).T)
    for seed in range(6):
        compare(graph, method, ["60%", 5, 1], seed, device)


@pytest.mark.parametrize("method", METHODS)
def test_paths_stars_cliques_and_grids(device, method):
    v, clique = np.arange(1, 40), np.triu_indices(20, 1)
    cell = np.arange(64).reshape(8, 8)
    grid = (np.append(cell[:, :-1], cell[:-1]), np.append(cell[:, 1:], cell[1:]))
    for tail, head in ((v - 1, v), (0 * v, v), (0 * v + 50, v), clique, grid):
        graph = Graph.from_edges(tail, head)
        sizes = [1, 2, "50%", "95%", graph.num_vertices - 1, "100%"]
        for each in [[size] for size in sizes] if method in CONTRACTING else [sizes]:
            compare(graph, method, each, 5, device)


def test_weights_counts_and_ids_are_those_of_the_groups(device):
    rng = np.random.default_rng(2)
    tail, head = 10 * rng.integers(0, 30, 200) + 3, 10 * rng.integers(0, 30, 200) + 3
    for directed in (False, True):
        graph = Graph.from_edges(tail, head, weights=rng.integers(1, 9, 200), directed=directed)
        made = sample(graph, "cre", size="40%", seed=1, device=device)
        verify_contraction(graph, made)
        assert made.graph.directed == directed
        place = graph.indices_of(made.vertices)
        members = made.contracted_to[None, :] == place[:, None]
        between = ~np.eye(len(place), dtype=bool)
        for matrix in (weights_of, counts_of):
            added = members @ matrix(graph) @ members.T
            np.testing.assert_array_equal(matrix(made.graph)[between], added[between])
        # a group is named after its smallest vertex, and every vertex of the component is in one group
        assert np.array_equal(np.argmax(members, axis=1), place)
        assert members.sum() == np.count_nonzero(made.contracted_to >= 0)


@pytest.mark.parametrize("method", CONTRACTING)
def test_copies_are_counted_though_nothing_is_contracted(device, method):
    graph = Graph.from_edges([0, 1, 1, 5, 0, 2], [1, 2, 2, 6, 0, 1], duplicates="keep")
    (made,) = compare(graph, method, [3], 0, device)
    assert made.algorithm == "untouched" and made.contracted_to.tolist() == [0, 1, 2, -1, -1]
    assert made.graph.num_edges == 2  # the copies are one edge
    assert made.graph.multiplicity.tolist() == [1, 1, 3, 3]


def test_a_tie_goes_to_the_smallest_vertex(device):
    graph = Graph.from_edges([0, 1, 3, 4], [5, 5, 6, 6])
    two, one = (
        sample(graph, "cre", size=size, seed=0, device=device).contracted_to.tolist() for size in (2, 1)
    )
    assert two.count(-1) == 3 and one == [0, 0, -1, -1, 0, -1]


@pytest.mark.parametrize("method", METHODS)
def test_the_seed_decides(device, method):
    graph = powerlaw_graph(500, seed=1)
    first, again, other, far = (
        sample(graph, method, size="50%", seed=seed, device=device).edges.tobytes()
        for seed in (7, 7, 8, 7 + 2**32)
    )
    assert first == again and len({first, other, far}) == 3


@pytest.mark.parametrize("reference", [reference_contract, reference_explore])
def test_unknown_methods(reference):
    with pytest.raises(InputError, match="unknown method"):
        reference(random_graph(1, 10, 20), "drv", sizes=[2], seed=0)


def first_edges(graph, method, runs):
    """How often each pair (low, high), in order, was the first one contracted."""
    n = graph.num_vertices
    simple = Graph.from_edges(graph.undirected.tails, graph.undirected.col_idx)
    count = dict.fromkeys(Rows(simple).ends, 0)
    for seed in range(runs):
        group = reference_contract(graph, method, sizes=[n - 1], seed=seed)[0].contracted_to
        gone = int(np.flatnonzero(group != np.arange(n))[0])
        # the pair that became one: the vertex that is gone, and the one that it went to
        count[int(group[gone]), gone] += 1
    return np.array(list(count.values())), simple.degrees[np.array(list(count))].T


@pytest.mark.slow
def test_the_first_edge():
    """Error level 1e-4. Copies of an edge make it no likelier: the law is of the simple graph.

    cre: uniform. crve: P(u, v) = (1/n)(1/d(u) + 1/d(v)); and the test would see a uniform law.
    """
    edges = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (4, 5)])
    copies = Graph.from_edges(*np.append(edges, [(0, 1)] * 3, axis=0).T, duplicates="keep")
    count, _ = first_edges(copies, "cre", 3000)
    assert stats.chisquare(count).pvalue > 1e-4
    count, (low, high) = first_edges(Graph.from_edges(*edges.T), "crve", 3000)
    assert stats.chisquare(count, 3000 * (1 / low + 1 / high) / 6).pvalue > 1e-4
    assert stats.chisquare(count).pvalue < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("method", CONTRACTING)
def test_batches_come_close_to_one_at_a_time(method):
    """Mean number of edges left, batched against single steps: within 4 %."""
    graph, runs = random_graph(3, 200, 600), [{"sizes": ["50%"], "seed": seed} for seed in range(12)]
    batched, single = (
        sum(len(reference_contract(graph, method, single=one, **each)[0].edges) for each in runs)
        for one in (False, True)
    )
    assert abs(batched / single - 1) < 0.04


def test_counts_that_add_up_beyond_int32_are_refused(device):
    ends = np.arange(40)  # a cycle: two edges join the last two groups
    graph = Graph.from_edges(ends, (ends + 1) % 40, multiplicity=np.full(40, 2**31 - 1))
    with pytest.raises(InputError, match="add up to 4294967294"):
        _ = sample(graph, "cre", size=2, seed=1, device=device).graph


# --- exploration --------------------------------------------------------------------------------------


@pytest.mark.first_device
def test_walking_as_gpus_do_it(device, monkeypatch):
    """Several neighbours looked at at once, a few steps a launch."""
    launch_otherwise(monkeypatch, explore, device, lanes=8, steps=50)
    for seed in range(6):
        compare(random_graph(seed, 60, 200, duplicates="keep"), "edfs", ["90%", "40%"], seed, device)
    v = np.arange(1, 60)
    compare(Graph.from_edges(v - 1, v), "edfs", ["80%"], 1, device)
    compare(Graph.from_edges(0 * v, v), "edfs", ["80%"], 1, device)


@pytest.mark.first_device
def test_a_walk_on_another_device(device, monkeypatch):
    """As GPUs leave it to the host's CPU: the same sample, and it says so."""
    other = another(device)
    launch_otherwise(monkeypatch, explore, device, own=40)
    graph, found = powerlaw_graph(300, seed=4), [other]
    monkeypatch.setattr(explore, "host_cpu", lambda: found[0])
    away = compare(graph, "edfs", ["70%", "10%"], 9, device)
    assert [made.algorithm for made in away] == [f"depth-first on {other.name}"] * 2
    assert compare(graph, "edfs", [40], 9, device)[0].algorithm == "depth-first"  # too short a walk
    assert not any(note.startswith("the walk") for made in away for note in made.notes)
    monkeypatch.setattr(other, "global_memory", 1000)
    for there, why in ((other, f"the memory of {other.name} does not hold it"), (None, "no CPU device")):
        found[0] = there
        here = compare(graph, "edfs", ["70%"], 9, device)[0]
        assert here.algorithm == "depth-first"
        begins = f"the walk, which is serial, ran on {device.name}"
        assert any(note.startswith(begins) for note in here.notes) and why in here.notes[-1]


def test_the_hosts_cpu(device):
    found = explore.host_cpu()
    assert found is None or (found.kind == "cpu" and found.fault is None)
    assert found is not None or device.kind != "cpu"


@pytest.mark.slow
def test_a_level_too_large_for_one_look(device, monkeypatch):
    """The cut inside a level is found where it is not expected, and where the list has no room."""
    monkeypatch.setattr("clgraph.sampling.explore.CAPACITY", 4)
    graph = Graph.from_edges(np.zeros(5000, int), np.arange(1, 5001))
    compare(graph, "ebfs", [2, 1000, 2500, 4999, 5000], 3, device, start=0)
    monkeypatch.setattr("clgraph.sampling.explore.isqrt", lambda x: -2)  # far too narrow
    compare(graph, "ebfs", [2, 1000, 2500, 4999, 5000], 4, device, start=0)


@pytest.mark.parametrize("method", EXPLORING)
def test_a_start_of_ones_own(device, method):
    graph = Graph.from_edges([10, 20, 30, 40, 70], [20, 30, 40, 50, 80])
    made = compare(graph, method, [3], 1, device, start=10)[0]
    assert made.vertices.tolist() == [10, 20, 30]
    for start, words in ((70, "70 is outside the largest component"), (99, "99")):
        with pytest.raises(InputError, match=words):
            sample(graph, method, size=3, seed=1, device=device, start=start)


@pytest.mark.slow
def test_the_start_is_uniform(device):
    """Error level 1e-4, over the vertices of the largest component."""
    graph = Graph.from_edges([0, 2, 4, 6, 8, 1], [2, 4, 6, 8, 10, 3])
    begun = [reference_explore(graph, "ebfs", sizes=[1], seed=seed)[0].vertices[0] for seed in range(1500)]
    values, count = np.unique(begun, return_counts=True)
    assert values.tolist() == [0, 2, 4, 6, 8, 10]
    assert stats.chisquare(count).pvalue > 1e-4
    for seed in range(20):
        assert sample(graph, "edfs", size=1, seed=seed, device=device).vertices.tolist() == [begun[seed]]
