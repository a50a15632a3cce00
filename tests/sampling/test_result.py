"""Samples of several runs and sizes as one sequence."""

import pickle

import numpy as np
import pytest
from graphs import random_graph

from clgraph import InputError, Samples, powerlaw_graph, sample


@pytest.fixture
def made(device):
    graph = powerlaw_graph(300, seed=4)
    return sample(graph, "dre", sizes=["50%", "20%"], seed=6, seeds=3, device=device)


def test_a_sequence(made):
    assert len(made) == 6
    assert made[-1].seed == made[5].seed == 8
    assert [each.seed for each in made[1:4]] == [6, 7, 7]
    assert isinstance(made[::2], Samples)
    assert len(made[4:2]) == 0
    assert made[3] is made[3]
    assert made[2] in list(made)
    assert [each.seed for each in made[4:] + made[:2]] == [8, 8, 6, 6]
    with pytest.raises(IndexError):
        made[6]
    with pytest.raises(TypeError):
        made["a"]


def test_the_arrays_of_all_samples(made):
    for k, each in enumerate(made):
        np.testing.assert_array_equal(made.vertices[made.offsets[k] : made.offsets[k + 1]], each.vertices)
        np.testing.assert_array_equal(made.edges[made.edge_offsets[k] : made.edge_offsets[k + 1]], each.edges)
        assert made.num_vertices[k] == len(each.vertices)
        assert made.num_edges[k] == each.num_edges
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
    assert repr(one) == "<Samples: 1, drv (exact), seed 1, size 5>"
    html = made._repr_html_()
    assert "1 more" in html
    assert html.count("<tr>") == 6


def test_means_over_runs(device):
    graph = powerlaw_graph(300, seed=4)
    made = sample(graph, "drv", sizes=["50%", "20%"], seed=6, seeds=4, device=device)[::2]
    means = np.array([graph.degrees[graph.indices_of(each.vertices)].mean() for each in made])
    found = made.mean(graph.degrees)
    assert found.value == pytest.approx(means.mean())
    assert found.standard_error == pytest.approx(means.std(ddof=1) / 2)
    assert np.isnan(made[:1].mean("degree").standard_error)
    shares = made.distribution(graph.degrees)
    assert shares.share.sum() == pytest.approx(1)
    assert shares.values @ shares.share == pytest.approx(means.mean())
    with pytest.raises(InputError, match="no weights"):
        made.weights  # noqa: B018
    with pytest.raises(InputError, match="no samples"):
        made[:0].mean(graph.degrees)


def test_means_over_runs_with_weights(device):
    graph = powerlaw_graph(300, seed=4)
    made = sample(graph, "rdn", size=50, seed=6, seeds=4, device=device)
    assert made.weights.tolist() == [x for each in made for x in each.weight.tolist()]
    means = [each.mean(graph.degrees).value for each in made]
    assert made.mean(graph.degrees).value == pytest.approx(np.mean(means))
    shares = made.distribution(graph.degrees)
    assert shares.values @ shares.share == pytest.approx(np.mean(means))
