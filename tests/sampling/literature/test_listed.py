"""What runs have taken, on the device until it is looked at."""

import pickle

import numpy as np
from graphs import random_graph

from clgraph.sampling import sample
from clgraph.sampling.literature.listed import Listed

NONE = 2**64 - 1


def test_values_of_what_is_listed(device):
    keys = np.array([[5, NONE, 3, 4], [NONE, 1, NONE, 2]], np.uint64)
    listed = Listed.smallest(device, 2, 4, device.upload(keys, writable=True), 2)
    assert [listed.vertices.of(run).tolist() for run in range(2)] == [[2, 3], [1, 3]]
    assert [listed.keys.of(run).tolist() for run in range(2)] == [[3, 4], [1, 2]]
    values = device.upload(np.arange(16, dtype=np.int32), writable=True)
    assert listed.gathered(values).values.tolist() == [2, 3, 5, 7]
    assert listed.gathered(values, 2).values.tolist() == [2, 3, 5, 7, 10, 11, 13, 15]
    for run, wanted in enumerate(([0, 0, 1, 1], [0, 1, 0, 1])):
        assert device.download(listed.marked(run), np.uint8, 4).tolist() == wanted
    visits = device.upload(np.array([0, 1, 0, 0, 0, 0, 0, 2], np.int32), writable=True)
    found = Listed.visited(device, 2, 4, 1, visits)
    assert [found.vertices.of(run).tolist() for run in range(2)] == [[1], [3]]
    assert Listed.visited(device, 1, 4, 2, visits).vertices.values.tolist() == [1, 3]  # two parts of one run
    many = np.random.default_rng(1).integers(0, 2, 3 * 10_000).astype(np.int32)
    found = Listed.visited(device, 3, 10_000, 1, device.upload(many, writable=True))
    for run, row in enumerate(many.reshape(3, -1)):
        assert np.array_equal(found.vertices.of(run), np.flatnonzero(row))


def test_the_graph_is_made_on_the_device(device):
    """A single sample's graph, and the same one by NumPy, of a run among several."""
    for options in ({}, {"directed": True}, {"duplicates": "keep"}):
        graph = random_graph(3, 60, 150, **options)
        for method in ("rw", "ff", "rdn", "ties"):
            one = sample(graph, method, size="40%", seed=4, device=device)
            among = sample(graph, method, size="40%", seed=4, seeds=2, device=device)[0]
            assert one._there is not None and among._there is None
            for name in ("row_ptr", "col_idx", "ids"):
                assert getattr(one.graph, name).tolist() == getattr(among.graph, name).tolist()
            assert one.kept_arcs.tolist() == among.kept_arcs.tolist()


def test_edges_walked_and_drawn_are_marked_on_the_device(device):
    for options in ({}, {"directed": True}, {"duplicates": "keep"}):
        graph = random_graph(3, 60, 150, **options)
        for method, wanted in (
            ("rw", {"size": "40%", "keep": "visited"}),
            ("rw", {"size": "40%", "keep": "tree", "walkers": 3}),
            ("fs", {"size": "40%", "keep": "visited"}),
            ("ff", {"size": "40%", "keep": "tree"}),
            ("snowball", {"size": "40%", "keep": "visited"}),
            ("re", {"size": "40%"}),
            ("hyb", {"edges": "20%"}),
        ):
            one = sample(graph, method, seed=4, device=device, **wanted)
            among = sample(graph, method, seed=4, seeds=2, device=device, **wanted)[0]
            assert one._there is not None and among._there is None
            for name in ("row_ptr", "col_idx", "ids"):
                assert getattr(one.graph, name).tolist() == getattr(among.graph, name).tolist()
            assert one.kept_arcs.tolist() == among.kept_arcs.tolist()
            assert one.vertices.tolist() == among.vertices.tolist()


def test_samples_are_pickled(device):
    graph = random_graph(3, 60, 150)
    for options in ({"size": "40%"}, {"steps": 40, "walkers": 2}):
        made = sample(graph, "rw", seed=4, device=device, **options)
        again = pickle.loads(pickle.dumps(made))
        assert made.graph.num_edges == again.graph.num_edges
        assert again.visits.tolist() == made.visits.tolist()
        assert again.mean("degree") == made.mean("degree")
