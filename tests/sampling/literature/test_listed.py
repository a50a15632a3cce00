"""What runs take, on the device until it is looked at: the smallest keys, queues of starts, lists."""

import pickle

import numpy as np
import pytest
from graphs import random_graph

from clgraph import Graph, keyed
from clgraph.csr.upload import upload_csr
from clgraph.sampling import sample
from clgraph.sampling.literature import selection, starts
from clgraph.sampling.literature.smallest import Smallest, smallest
from clgraph.sampling.literature.starts import Queue
from clgraph.sampling.selection import extract, with_loops

NONE = 2**64 - 1


# --- the smallest keys, against sorting -------------------------------------------------------------


def select(device, keys, wanted, *, equal=True):
    runs, items = keys.shape
    smallest = Smallest(device, runs, items)
    buffer = device.upload(keys, writable=True)
    cut = smallest.cut(buffer, np.array(wanted))
    listed, values = smallest.take(buffer, cut, equal=equal, keys=True)
    found = []
    for r in range(runs):
        assert np.array_equal(keys[r, listed.of(r)], values.of(r))
        found.append(listed.of(r).tolist())
    return found, device.download(cut.key, np.uint64, runs)


@pytest.mark.parametrize("spread", [2, 1000, 2**62, 2**64 - 1])
def test_the_smallest_equal_sorting(device, spread):
    rng = np.random.default_rng(spread % 1000)
    keys = rng.integers(0, spread, (7, 3000), dtype=np.uint64)
    keys[3, :2950] = NONE
    keys[4] = NONE
    wanted = [1, 17, 2999, 100, 5, 3000, 5000]
    found, cut = select(device, keys, wanted)
    for r, k in enumerate(wanted):
        order = np.lexsort((np.arange(3000), keys[r]))
        order = order[keys[r, order] != NONE]
        assert found[r] == sorted(order[:k].tolist())
        assert int(cut[r]) == (int(keys[r, order[k]]) if k < len(order) else NONE)


def test_only_what_is_smaller_than_the_cut(device):
    keys = np.array([[5, 3, 3, 9, 1, 3, 7, 3]], np.uint64)
    assert select(device, keys, [3])[0] == [[1, 2, 4]]  # of equal keys the smallest positions
    assert select(device, keys, [3], equal=False)[0] == [[4]]
    assert select(device, keys, [5], equal=False)[0] == [[1, 2, 4, 5, 7]]
    assert select(device, np.array([[5, 3], [2, 1]], np.uint64), [-1, 1])[0] == [[], [1]]  # nothing, one


# --- queues of starts ---------------------------------------------------------------------------------


def test_queues_ascend_and_are_filled_where_they_are_wanted(device):
    keys = np.random.default_rng(1).integers(0, 50, (3, 40), dtype=np.uint64)
    keys[2, 3:] = NONE
    queue = Queue(device, upload_csr(device, random_graph(1, 40, 60)), 3, 6)
    queue.fill(device.upload(keys, writable=True), np.array([True, False, True]))
    assert device.download(queue.length, np.int32, 3).tolist() == [6, -1, 3]
    rows = device.download(queue.queue, np.int32, 18).reshape(3, 6)
    for run, length in ((0, 6), (2, 3)):
        order = np.lexsort((np.arange(40), keys[run]))
        assert rows[run, :length].tolist() == order[:length].tolist()


@pytest.mark.parametrize("ranked", [0, starts.RANKED])
def test_queues_of_small_priorities_are_those_of_all(device, monkeypatch, ranked):
    """Where a queue is short its candidates are listed; where too many are seen, all keys are sorted."""
    monkeypatch.setattr(starts, "RANKED", ranked)
    n, runs, room = 2000, 3, 100
    graph = random_graph(1, n, n)
    csr = upload_csr(device, graph)
    status = device.upload(np.array([1, 0, 1], np.int32), writable=True)
    wants = np.array([True, False, True])
    priority = [keyed.philox4x32(np.arange(n), 0, 0, keyed.TAG_START, 3 + run) for run in range(runs)]
    key = [x[0].astype(np.uint64) | x[1].astype(np.uint64) << np.uint64(32) for x in priority]
    for some, lonely in ((5, True), (5, False), (0, True)):
        seen = np.arange(runs * n) % 5 == 0 if some else np.arange(runs * n) % 5 != 0
        mark = device.upload(np.where(seen, 7, 2**32 - 1).astype(np.uint32), writable=True)
        queue = Queue(device, csr, runs, room)
        about = {"seed": 3, "mark": mark, "row_ptr": None if lonely else csr.row_ptr}
        about |= {"status": status, "wanting": 1}
        assert queue.few(wants, **about) == (some > 0)
        queue.refill(3, mark, status, 1, lonely=lonely)
        rows = device.download(queue.queue, np.int32, runs * room).reshape(runs, room)
        free = ~seen.reshape(runs, n) & (lonely | (graph.degrees > 0))
        for run in (0, 2):
            assert rows[run].tolist() == [v for v in np.argsort(key[run]).tolist() if free[run, v]][:room]
        assert device.download(queue.length, np.int32, runs).tolist() == [room, -1, room]


# --- lists ------------------------------------------------------------------------------------------


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
    """Graphs of runs among several, and the same ones by NumPy."""
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
