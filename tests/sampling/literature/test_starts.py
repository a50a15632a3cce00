"""Queues of starts on every device."""

import numpy as np
from graphs import random_graph

from clgraph.csr.upload import upload_csr
from clgraph.sampling.literature.starts import Queue

NONE = 2**64 - 1


def test_queues_ascend_and_are_filled_where_they_are_wanted(device):
    keys = np.random.default_rng(1).integers(0, 50, (3, 40), dtype=np.uint64)
    keys[2, 3:] = NONE
    queue = Queue(device, upload_csr(device, random_graph(1, 40, 60)), 3, 6)
    queue.fill(device.upload(keys, writable=True), np.array([True, False, True]))
    assert device.download(queue.length, np.int32, 3).tolist() == [6, -1, 3]
    rows = device.download(queue.vertices, np.int32, 18).reshape(3, 6)
    for run, length in ((0, 6), (2, 3)):
        order = np.lexsort((np.arange(40), keys[run]))
        assert rows[run, :length].tolist() == order[:length].tolist()
