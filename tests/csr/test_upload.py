"""The place of a graph on a device: rows uploaded once, kept as long as the graph lives."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from graphs import random_graph

from clgraph.csr.generate import powerlaw_graph
from clgraph.csr.upload import Residence, upload_csr


def holds(device, rows, graph):
    """The rows on the device are the graph's."""
    np.testing.assert_array_equal(device.download(rows.row_ptr, rows.offset, rows.n + 1), graph.row_ptr)
    np.testing.assert_array_equal(device.download(rows.col_idx, np.int32, rows.arcs), graph.col_idx)


@pytest.mark.smoke
@pytest.mark.parametrize("wide", [False, True])
def test_the_rows_are_those_of_the_graph(device, wide):
    graph = random_graph(1, 200, 900)
    rows = upload_csr(device, graph, wide=wide)
    assert (rows.n, rows.arcs) == (graph.num_vertices, graph.num_arcs)
    assert rows.offset is (np.int64 if wide else np.int32)
    assert rows.defines == {"OFFSET": "long" if wide else "int"}
    holds(device, rows, graph)


def test_rows_are_kept_one_of_each_width(device):
    graph = random_graph(2, 100, 300)
    narrow, wide = upload_csr(device, graph), upload_csr(device, graph, wide=True)
    assert narrow is not wide
    assert upload_csr(device, graph) is narrow and upload_csr(device, graph, wide=True) is wide
    assert upload_csr(device, random_graph(2, 100, 300)) is not narrow  # an equal graph is another one
    graph = random_graph(3, 100, 300)
    graph.row_ptr = graph.row_ptr.astype(np.int64)
    assert upload_csr(device, graph).offset is np.int64


def test_rows_made_on_the_device_are_not_uploaded_again(device, monkeypatch):
    made = powerlaw_graph(500, seed=1, device=device)
    with monkeypatch.context() as patch:
        patch.setitem(vars(device), "upload", None)  # whatever is uploaded now fails
        kept = upload_csr(device, made)
    assert Residence.of(device, made).rows(made, False) is kept
    assert (kept.n, kept.arcs, kept.offset) == (500, made.num_arcs, np.int32)
    holds(device, kept, made)
    graph = random_graph(4, 50, 100)
    other = upload_csr(device, random_graph(5, 50, 100))
    Residence.of(device, graph).keep(other)
    assert upload_csr(device, graph) is other


def test_a_residence_does_not_keep_its_graph_alive(device):
    graph = random_graph(6, 50, 100)
    kept = [weakref.ref(each) for each in (graph, Residence.of(device, graph), upload_csr(device, graph))]
    del graph
    gc.collect()
    assert [each() for each in kept] == [None] * 3


def test_threads_share_one_upload(device):
    graph = random_graph(7, 2000, 9000)
    residence, start = Residence.of(device, graph), Barrier(4)

    def look(_):
        start.wait()
        return residence.rows(graph, False)

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(look, range(4)))
    assert all(rows is found[0] for rows in found)
