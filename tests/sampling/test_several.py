"""Several sizes and several seeds in one call."""

import numpy as np
import pytest
from graphs import random_graph

from clgraph import Graph, InputError, Samples, powerlaw_graph, sample
from clgraph.methods import EXACT, REDUCTIONS
from clgraph.reference import verify_sample


@pytest.mark.parametrize("method", REDUCTIONS)
def test_sizes_are_nested_and_in_the_order_given(device, method):
    graph = powerlaw_graph(600, seed=4)
    sizes = ["30%", 400, "50%", 0.3]
    made = sample(graph, method, sizes=sizes, seed=9, device=device)
    assert [each.size for each in made] == sizes
    assert [each.target_vertices for each in made] == [180, 400, 300, 180]
    for each in made:
        verify_sample(graph, each)
        assert len(each.vertices) <= each.target_vertices
    inside = [set(each.vertices.tolist()) for each in made]
    assert inside[0] == inside[3]
    assert inside[0] <= inside[2] <= inside[1]
    if method not in ("cre", "crve"):  # a contraction may take another edge for a pair that has grown
        edges = [set(each.edges.tolist()) for each in made]
        assert edges[0] <= edges[2] <= edges[1]


@pytest.mark.parametrize("method", [*EXACT, "ebfs", "edfs"])
def test_a_size_of_several_is_the_sample_of_that_size(device, method):
    graph = powerlaw_graph(600, seed=4)
    for each in sample(graph, method, sizes=["80%", "45%", "10%"], seed=2, device=device):
        alone = sample(graph, method, size=each.size, seed=2, device=device)
        np.testing.assert_array_equal(each.vertices, alone.vertices)
        np.testing.assert_array_equal(each.edges, alone.edges)


@pytest.mark.parametrize("method", REDUCTIONS)
def test_the_largest_of_several_is_a_sample_of_its_own(device, method):
    graph = random_graph(3, 200, 420)
    first, _ = sample(graph, method, sizes=["60%", "30%"], seed=2, device=device)
    alone = sample(graph, method, size="60%", seed=2, device=device)
    np.testing.assert_array_equal(first.vertices, alone.vertices)
    np.testing.assert_array_equal(first.edges, alone.edges)


def test_seeds_run_one_after_the_other(device):
    graph = powerlaw_graph(300, seed=4)
    made = sample(graph, "dre", sizes=["50%", "20%"], seed=6, seeds=3, device=device)
    assert [(each.seed, each.size) for each in made] == [
        (seed, size) for seed in (6, 7, 8) for size in ("50%", "20%")
    ]
    for each in made:
        alone = sample(graph, "dre", size=each.size, seed=each.seed, device=device)
        np.testing.assert_array_equal(each.edges, alone.edges)
    assert len(sample(graph, "drv", size=0.5, seeds=2, device=device)) == 2


def test_one_size_in_a_list_is_a_sequence(device):
    made = sample(random_graph(1, 20, 40), sizes=[5], seed=1, device=device)
    assert isinstance(made, Samples)
    assert len(made) == 1


@pytest.mark.parametrize("method", REDUCTIONS)
def test_sizes_that_the_graph_has_not(device, method):
    """Targets above the largest component leave it untouched, those below are sampled."""
    graph = Graph.from_edges([0, 1, 2, 3, 10], [1, 2, 3, 0, 11], vertices=range(12))
    large, small = sample(graph, method, sizes=[9, 2], seed=1, device=device)
    assert large.vertices.tolist() == [0, 1, 2, 3]
    assert large.algorithm == "untouched"
    assert large.iterations == 0
    assert len(small.vertices) <= 2
    assert small.algorithm != "untouched"


@pytest.mark.parametrize(
    ("kwargs", "word"),
    [
        ({}, "either size or sizes"),
        ({"size": 5, "sizes": [3]}, "either size or sizes"),
        ({"sizes": []}, "empty"),
        ({"sizes": "50%"}, "a list"),
        ({"sizes": [5, "x%"]}, "x%"),
        ({"sizes": [5, 50], "strict": True}, "larger than the graph"),
        ({"size": 5, "seeds": 0}, "count of runs"),
        ({"size": 5, "seeds": 1.5}, "count of runs"),
        ({"size": 5, "seeds": 2, "seed": 2**64 - 1}, "last seed"),
        ({"size": 5, "connection": "both"}, "connection"),
        ({"size": 5, "mix": 1.5, "method": "dhyb"}, "mix"),
        ({"size": 5, "mix": "x", "method": "dhyb"}, "mix"),
        ({"size": 5, "start": 99, "method": "ebfs"}, "99"),
    ],
)
def test_bad_arguments(kwargs, word):
    with pytest.raises(InputError, match=word):
        sample(random_graph(0, 10, 20), **{"seed": 1, **kwargs})


def test_what_strong_excludes():
    arcs = Graph.from_edges([0, 1, 2], [1, 2, 0], directed=True)
    with pytest.raises(InputError, match="batched"):
        sample(arcs, "drv", size=2, connection="strong", mode="exact")
    with pytest.raises(InputError, match="delete"):
        sample(arcs, "cre", size=2, connection="strong")
    with pytest.raises(InputError, match="weak"):
        sample(arcs, "drv", size=2, connection="strong", components="bfs")


def test_idle_options_are_told(device):
    graph = random_graph(1, 30, 60)
    notes = sample(graph, "drv", size=9, seed=1, mix=0.5, start=3, device=device).notes
    assert sum("played no part" in note for note in notes) == 2
    assert not any(
        "played no part" in n for n in sample(graph, "dhyb", size=9, seed=1, mix=0.5, device=device).notes
    )
