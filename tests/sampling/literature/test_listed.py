"""What runs have taken, on the device until it is looked at."""

import pickle

import numpy as np
from graphs import random_graph

from clgraph import Graph
from clgraph.sampling import sample
from clgraph.sampling.literature import selection
from clgraph.sampling.literature.smallest import smallest
from clgraph.sampling.selection import extract, with_loops

NONE = 2**64 - 1


def test_values_of_what_is_listed(device):
    keys = np.array([[5, NONE, 3, 4], [NONE, 1, NONE, 2]], np.uint64)
    vertices, came = smallest(device, 2, 4, device.upload(keys, writable=True), 2)
    assert [vertices.of(run).tolist() for run in range(2)] == [[2, 3], [1, 3]]
    assert [came.of(run).tolist() for run in range(2)] == [[3, 4], [1, 2]]
    values = device.upload(np.arange(16, dtype=np.int32), writable=True)
    assert selection.gathered(vertices, 4, values).values.tolist() == [2, 3, 5, 7]
    assert selection.gathered(vertices, 4, values, 2).values.tolist() == [2, 3, 5, 7, 10, 11, 13, 15]
    for run, wanted in enumerate(([0, 0, 1, 1], [0, 1, 0, 1])):
        assert device.download(selection.marked(vertices, 4, run), np.uint8, 4).tolist() == wanted
    visits = device.upload(np.array([0, 1, 0, 0, 0, 0, 0, 2], np.int32), writable=True)
    found = selection.visited(device, 2, 4, 1, visits)
    assert [found.of(run).tolist() for run in range(2)] == [[1], [3]]
    assert selection.visited(device, 1, 4, 2, visits).values.tolist() == [1, 3]  # two parts of one run
    many = np.random.default_rng(1).integers(0, 2, 3 * 10_000).astype(np.int32)
    found = selection.visited(device, 3, 10_000, 1, device.upload(many, writable=True))
    for run, row in enumerate(many.reshape(3, -1)):
        assert np.array_equal(found.of(run), np.flatnonzero(row))


CASES = [
    *((method, {"size": "40%"}) for method in ("rw", "ff", "rdn", "ties", "sp", "re", "pies", "ust")),
    ("rw", {"size": "40%", "keep": "visited"}),
    ("rw", {"size": "40%", "keep": "tree", "walkers": 3}),
    ("fs", {"size": "40%", "keep": "visited"}),
    ("ff", {"size": "40%", "keep": "tree"}),
    ("snowball", {"size": "40%", "keep": "visited"}),
    ("sp", {"size": "40%", "keep": "visited"}),
    ("hyb", {"edges": "20%"}),
    ("re", {"edges": "20%", "keep": "induced"}),
    ("rn", {"size": "40%", "strata": np.arange(60) % 3}),
    ("rnn", {"size": 3}),
    ("gsh", {"p": "0.1", "q": "0.3"}),
    ("gps", {"edges": "40%"}),
    ("chordal", {}),
    ("chordal", {"mode": "exact"}),
    ("quasi-chordal", {"parts": 3}),
]


def test_the_graph_is_made_on_the_device(device):
    """Graphs of single runs and of those among several, and the same ones by NumPy."""
    for options in ({}, {"directed": True}, {"duplicates": "keep"}):
        graph = random_graph(3, 60, 150, **options)
        for method, wanted in CASES:
            for one in sample(graph, method, seed=4, seeds=2, device=device, **wanted):
                chosen, at = one.selection, one.at
                assert chosen.marks(graph, at) is not None, method
                arcs = chosen.arc_mask_on_host(graph, at)
                made = extract(graph, chosen.members(graph, at), arcs)
                for name in ("row_ptr", "col_idx", "ids", "multiplicity"):
                    assert np.array_equal(getattr(one.graph, name), getattr(made, name)), method
                assert np.array_equal(one._arc_mask, with_loops(graph.undirected, arcs)), method
            assert one.graph.num_edges > 0
        alone = sample(graph, "rw", size="40%", seed=5, device=device)
        among = sample(graph, "rw", size="40%", seed=4, seeds=2, device=device)[1]
        assert alone.graph.col_idx.tobytes() == among.graph.col_idx.tobytes()


def test_marks_with_room_behind_them(device, monkeypatch):
    """Where memory is shared, a large buffer is a host array, with what kernels need behind its arcs."""
    monkeypatch.setattr("clgraph.device.memory.LARGE_PAGE", 16)
    graph = Graph.from_edges(np.arange(33), np.arange(1, 34))  # 66 arcs: marks come four to a word
    made = sample(graph, "rw", size=10, seed=1, keep="visited", device=device)
    assert len(made._arc_mask) == 66 and made.edges.tolist() == made.index[:-1].tolist()


def test_samples_are_pickled(device):
    graph = random_graph(3, 60, 150)
    for options in ({"size": "40%"}, {"steps": 40, "walkers": 2}):
        made = sample(graph, "rw", seed=4, device=device, **options)
        again = pickle.loads(pickle.dumps(made))
        assert made.graph.num_edges == again.graph.num_edges
        assert again.visits.tolist() == made.visits.tolist()
        assert again.mean("degree") == made.mean("degree")
