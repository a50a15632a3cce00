"""Contraction (cre, crve) on every device against the reference, which contracts one edge after the other."""

import itertools

import numpy as np
import pytest
from graphs import random_graph, varied_graph
from samplers import launch_otherwise
from scipy import stats

from clgraph import Graph, InputError
from clgraph.csr.generate import powerlaw_graph
from clgraph.reference.reduction import reference_contract, reference_explore, verify_contraction
from clgraph.sampling import contract, sample

METHODS = ("cre", "crve")


def compare(graph, method, sizes, seed, device):
    samples = sample(graph, method, sizes=sizes, seed=seed, device=device)
    for made, wanted in zip(samples, reference_contract(graph, method, sizes=sizes, seed=seed), strict=True):
        for name in ("contracted_to", "vertices", "edges"):
            np.testing.assert_array_equal(getattr(made, name), getattr(wanted, name))
        assert made.target_vertices == wanted.target_vertices
        untouched = made.algorithm == "untouched"
        assert untouched or (made.algorithm, made.iterations) == ("contraction", wanted.iterations)
        verify_contraction(graph, made)
    return samples


@pytest.mark.smoke
@pytest.mark.parametrize("method", METHODS)
def test_equals_reference(device, method):
    for seed in range(40):
        graph, rng = varied_graph(seed)
        sizes = sorted({int(x) for x in rng.integers(1, graph.num_vertices + 1, 3)}, reverse=True)
        compare(graph, method, sizes, seed, device)


@pytest.mark.parametrize("method", METHODS)
def test_a_larger_graph(device, method):
    graph = powerlaw_graph(3000, seed=4)
    samples = compare(graph, method, ["70%", "50%", "10%", 1], 9, device)
    assert [len(made.vertices) for made in samples] == [made.target_vertices for made in samples]
    # nested: what was together stays together
    for larger, smaller in itertools.pairwise(samples):
        large, small = larger.contracted_to, smaller.contracted_to
        np.testing.assert_array_equal(small[large[large >= 0]], small[large >= 0])


@pytest.mark.parametrize("method", METHODS)
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
def test_paths_stars_and_cliques(device, method):
    v = np.arange(1, 40)
    low, high = np.triu_indices(20, 1)
    for tail, head in ((v - 1, v), (0 * v, v), (low, high), (0 * v + 50, v)):
        graph = Graph.from_edges(tail, head)
        for size in (1, 2, "50%", graph.num_vertices - 1):
            compare(graph, method, [size], 5, device)


def test_weights_counts_and_ids_are_those_of_the_groups(device):
    rng = np.random.default_rng(2)
    tail, head = 10 * rng.integers(0, 30, 200) + 3, 10 * rng.integers(0, 30, 200) + 3
    for directed in (False, True):
        graph = Graph.from_edges(tail, head, weights=rng.integers(1, 9, 200), directed=directed)
        made = sample(graph, "cre", size="40%", seed=1, device=device)
        verify_contraction(graph, made)
        assert made.graph.directed == directed
        whole, place = graph.to_scipy().todense(), graph.indices_of(made.vertices)
        counted = Graph.from_edges(tail, head, directed=directed).to_scipy().todense()
        members = made.contracted_to[None, :] == place[:, None]
        between = ~np.eye(len(place), dtype=bool)
        small = made.graph
        np.testing.assert_allclose(
            small.to_scipy().todense()[between], (members @ whole @ members.T)[between]
        )
        counts = np.zeros((len(place),) * 2)
        counts[small.tails, small.col_idx] = 1 if small.multiplicity is None else small.multiplicity
        np.testing.assert_array_equal(counts[between], (members @ counted @ members.T)[between])
        # a group is named after its smallest vertex, and every vertex of the component is in one group
        assert np.array_equal(np.argmax(members, axis=1), place)
        assert members.sum() == np.count_nonzero(made.contracted_to >= 0)


def test_nothing_to_contract_is_said(device):
    graph = Graph.from_edges([0, 1, 1, 5, 0, 2], [1, 2, 2, 6, 0, 1], duplicates="keep")
    for method in METHODS:
        (made,) = compare(graph, method, [3], 0, device)
        assert made.vertices.tolist() == [0, 1, 2]
        assert made.contracted_to.tolist() == [0, 1, 2, -1, -1]
        assert (made.iterations, made.algorithm) == (0, "untouched")
        assert made.graph.num_edges == 2  # the copies are one edge, counted
        assert made.graph.multiplicity.tolist() == [1, 1, 3, 3]
        assert any("untouched" in note for note in made.notes)


def test_a_tie_goes_to_the_smallest_vertex(device):
    graph = Graph.from_edges([0, 1, 3, 4], [5, 5, 6, 6])
    two, one = (
        sample(graph, "cre", size=size, seed=0, device=device).contracted_to.tolist() for size in (2, 1)
    )
    assert two.count(-1) == 3 and one == [0, 0, -1, -1, 0, -1]


def test_the_seed_decides(device):
    graph = random_graph(1, 60, 150)
    for method in METHODS:
        groups = [
            sample(graph, method, size="50%", seed=seed, device=device).contracted_to.tobytes()
            for seed in (7, 7, 8, 7 + 2**32)
        ]
        assert groups[0] == groups[1]
        assert len(set(groups)) == 3


@pytest.mark.parametrize("reference", [reference_contract, reference_explore])
def test_unknown_methods(reference):
    with pytest.raises(InputError, match="unknown method"):
        reference(random_graph(1, 10, 20), "drv", sizes=[2], seed=0)


def first_edges(graph, method, runs):
    """How often each pair (low, high), in order, was the first one contracted."""
    n = graph.num_vertices
    simple = Graph.from_edges(graph.undirected.tails, graph.undirected.col_idx)
    low, high = (ends[simple.tails < simple.col_idx] for ends in (simple.tails, simple.col_idx))
    count = dict.fromkeys(zip(low.tolist(), high.tolist(), strict=True), 0)
    for seed in range(runs):
        group = reference_contract(graph, method, sizes=[n - 1], seed=seed)[0].contracted_to
        gone = int(np.flatnonzero(group != np.arange(n))[0])
        # the pair that became one: the vertex that is gone, and the one that it went to
        count[int(group[gone]), gone] += 1
    return np.array(list(count.values())), low, high, simple.degrees


@pytest.mark.slow
def test_the_first_edge():
    """Error level 1e-4. Copies of an edge make it no likelier: the law is of the simple graph.

    cre: uniform. crve: P(u, v) = (1/n)(1/d(u) + 1/d(v)); and the test would see a uniform law.
    """
    edges = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (4, 5)])
    copies = Graph.from_edges(*np.append(edges, [(0, 1)] * 3, axis=0).T, duplicates="keep")
    count, *_ = first_edges(copies, "cre", 3000)
    assert stats.chisquare(count).pvalue > 1e-4
    count, low, high, degree = first_edges(Graph.from_edges(*edges.T), "crve", 3000)
    assert stats.chisquare(count, 3000 * (1 / degree[low] + 1 / degree[high]) / 6).pvalue > 1e-4
    assert stats.chisquare(count).pvalue < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_batches_come_close_to_one_at_a_time(method):
    """Mean number of edges left, batched against single steps: within 4 %."""
    graph = random_graph(3, 200, 600)
    edges = np.zeros(2)
    for seed in range(12):
        for single in (0, 1):
            (made,) = reference_contract(graph, method, sizes=["50%"], seed=seed, single=bool(single))
            edges[single] += len(made.edges)
    assert abs(edges[0] / edges[1] - 1) < 0.04


def test_counts_that_add_up_beyond_int32_are_refused(device):
    ends = np.arange(40)  # a cycle: two edges join the last two groups
    graph = Graph.from_edges(ends, (ends + 1) % 40, multiplicity=np.full(40, 2**31 - 1))
    with pytest.raises(InputError, match="add up to 4294967294"):
        _ = sample(graph, "cre", size=2, seed=1, device=device).graph
