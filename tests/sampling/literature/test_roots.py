"""Roots of components and orders of vertices, on every device."""

import numpy as np
from graphs import random_graph

from clgraph import keyed
from clgraph.sampling.literature.engine import COMPONENT, PRIORITY, RUN, VALUE
from clgraph.sampling.literature.growing import Trees
from clgraph.sampling.request import check_request


def test_one_root_in_each_component(device):
    graph = random_graph(2, 60, 40)
    request = check_request(graph, "ust", {"start": int(graph.ids[graph.tails[0]])})
    roots = Trees(device, request.view, request, 5, 2)
    roots.find()
    label = device.download(roots.label, np.int32, 60)
    chosen = device.download(roots.root, np.int32, 120).reshape(2, 60)
    for run in range(2):
        assert sorted(label[chosen[run] == 1].tolist()) == np.unique(label).tolist()
        assert chosen[run, graph.tails[0]] == 1
        order = keyed.vertex_priority(5 + run, np.arange(60)).argsort()
        rank = device.download(roots.ranks(roots.sorted(*PRIORITY, RUN)), np.int32, 120).reshape(2, 60)
        assert rank[run, order].tolist() == list(range(60))
    value = np.random.default_rng(1).integers(0, 9, 120, dtype=np.uint64) << np.uint64(31)
    order = roots.sorted(*VALUE, *COMPONENT, RUN, value=device.upload(value, writable=True))
    found = roots.ranks(order)
    rank = device.download(found, np.int32, 120).reshape(2, 60)
    for run in range(2):
        order = rank[run].argsort()
        assert np.all(np.diff(np.unique(label[order], return_index=True)[1]) != 0)
        same = label[order][1:] == label[order][:-1]
        assert np.all(np.diff(value.reshape(2, 60)[run, order].astype(np.int64))[same] >= 0)
        assert np.count_nonzero(~same) == len(np.unique(label)) - 1  # each component is one piece
        assert label[order][0] == label[graph.tails[0]]
