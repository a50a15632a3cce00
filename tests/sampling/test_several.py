"""Several sizes and several seeds in one call, and their samples as one sequence."""

import pickle
from itertools import product

import numpy as np
import pytest
from graphs import random_graph

from clgraph import Graph, InputError, Samples, powerlaw_graph, sample
from clgraph.methods import CONTRACTING, EXACT, EXPLORING, REDUCTIONS
from clgraph.reference import verify_sample
from clgraph.reference.races import METHODS as RACES


@pytest.mark.parametrize("method", [*REDUCTIONS, *RACES])
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
    if method not in CONTRACTING:  # a contraction may take another edge for a pair that has grown
        edges = [set(each.edges.tolist()) for each in made]
        assert edges[0] <= edges[2] <= edges[1]


@pytest.mark.parametrize("method", REDUCTIONS)
def test_a_size_of_several_is_the_sample_of_that_size(device, method):
    """The largest one; with methods whose smaller samples do not depend on the larger ones every one."""
    for graph in (powerlaw_graph(600, seed=4), random_graph(3, 200, 420)):
        made = sample(graph, method, sizes=["80%", "45%", "10%"], seed=2, device=device)
        for each in made if method in (*EXACT, *EXPLORING) else made[:1]:
            alone = sample(graph, method, size=each.size, seed=2, device=device)
            np.testing.assert_array_equal(each.vertices, alone.vertices)
            np.testing.assert_array_equal(each.edges, alone.edges)


@pytest.mark.parametrize("method", REDUCTIONS)
def test_sizes_that_the_graph_has_not(device, method):
    """Targets above the largest component leave it untouched, those below are sampled."""
    graph = Graph.from_edges([0, 1, 2, 3, 10], [1, 2, 3, 0, 11], vertices=range(12))
    *large, small = sample(graph, method, sizes=[99, 9, 2], seed=1, device=device)
    for each in large:
        assert each.vertices.tolist() == [0, 1, 2, 3]
        assert (each.algorithm, each.iterations) == ("untouched", 0)
        assert any("untouched" in note for note in each.notes)
    assert len(small.vertices) <= 2 and small.algorithm != "untouched"


def test_idle_options_are_told(device):
    graph = random_graph(1, 30, 60)
    notes = sample(graph, "drv", size=9, seed=1, mix=0.5, start=3, device=device).notes
    assert sum("played no part" in note for note in notes) == 2
    notes = sample(graph, "dhyb", size=9, seed=1, mix=0.5, device=device).notes
    assert not any("played no part" in note for note in notes)


# --- as a sequence ------------------------------------------------------------------------------------


@pytest.fixture
def made(device):
    return sample(powerlaw_graph(300, seed=4), "dre", sizes=["50%", "20%"], seed=6, seeds=3, device=device)


def test_a_sequence(made):
    """Of the samples of one seed after those of the other."""
    assert [(each.seed, each.size) for each in made] == list(product((6, 7, 8), ("50%", "20%")))
    assert len(made) == 6 and len(made[4:2]) == 0
    assert made[-1].seed == made[5].seed == 8
    assert [each.seed for each in made[1:4]] == [6, 7, 7]
    assert isinstance(made[::2], Samples)
    assert made[3] is made[3]
    assert made[2] in list(made)
    assert [each.seed for each in made[4:] + made[:2]] == [8, 8, 6, 6]
    with pytest.raises(IndexError):
        made[6]
    with pytest.raises(TypeError):
        made["a"]


def test_the_arrays_of_all_samples(made):
    assert made.num_vertices.tolist() == [len(each.vertices) for each in made]
    assert made.num_edges.tolist() == [each.num_edges for each in made]
    for k, each in enumerate(made):
        np.testing.assert_array_equal(made.vertices[made.offsets[k] : made.offsets[k + 1]], each.vertices)
        np.testing.assert_array_equal(made.edges[made.edge_offsets[k] : made.edge_offsets[k + 1]], each.edges)
    assert len(made.vertices) == made.offsets[-1]
    part = made[2:4]
    np.testing.assert_array_equal(part.edges, made.edges[made.edge_offsets[2] : made.edge_offsets[4]])
    empty = made[:0]
    assert len(empty.vertices) == len(empty.edges) == 0
    assert empty.offsets.tolist() == [0]


def test_they_can_be_pickled(made):
    again = pickle.loads(pickle.dumps(made[1:]))
    assert repr(again) == repr(made[1:])
    np.testing.assert_array_equal(again.edges, made[1:].edges)
    assert again[0].original is again[4].original


def test_they_are_shown_in_a_line(made, device):
    assert repr(made) == "<Samples: 6, dre (exact), seeds 6 to 8, sizes 50%, 20%>"
    assert repr(made[:0]) == "<Samples: 0>"
    one = sample(random_graph(1, 20, 40), sizes=[5], seed=1, device=device)
    assert isinstance(one, Samples) and len(one) == 1
    assert repr(one) == "<Samples: 1, drv (exact), seed 1, size 5>"
    html = made._repr_html_()
    assert "1 more" in html and html.count("<tr>") == 6


def test_means_over_runs(device):
    graph = powerlaw_graph(300, seed=4)
    made = sample(graph, "drv", sizes=["50%", "20%"], seed=6, seeds=4, device=device)[::2]
    drawn = sample(graph, "rdn", size=50, seed=6, seeds=4, device=device)
    assert drawn.weights.tolist() == [x for each in drawn for x in each.weight.tolist()]
    for many, means in (
        (made, [graph.degrees[graph.indices_of(each.vertices)].mean() for each in made]),
        (drawn, [each.mean(graph.degrees).value for each in drawn]),
    ):
        found, shares = many.mean(graph.degrees), many.distribution(graph.degrees)
        assert found.value == pytest.approx(np.mean(means))
        assert found.standard_error == pytest.approx(np.std(means, ddof=1) / 2)
        assert shares.share.sum() == pytest.approx(1)
        drawn_degrees = np.concatenate([graph.degrees[each.index] for each in many])
        assert shares.values.tolist() == np.unique(drawn_degrees).tolist()
        assert shares.values @ shares.share == pytest.approx(np.mean(means))
    assert np.isnan(made[:1].mean("degree").standard_error)
    with pytest.raises(InputError, match="no weights"):
        made.weights  # noqa: B018
    with pytest.raises(InputError, match="no samples"):
        made[:0].mean(graph.degrees)
