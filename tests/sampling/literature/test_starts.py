"""Queues of starts on every device."""

import numpy as np
import pytest
from graphs import random_graph

from clgraph import keyed
from clgraph.csr.upload import upload_csr
from clgraph.sampling.literature import starts
from clgraph.sampling.literature.starts import Queue

NONE = 2**64 - 1


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
