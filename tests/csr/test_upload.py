"""The place of a graph on a device: rows uploaded once, kept as long as the graph lives."""

import gc
import weakref
from threading import Barrier, Thread

import numpy as np
import pytest
from graphs import random_graph

from clgraph.csr.generate import powerlaw_graph
from clgraph.csr.upload import Residence, upload_csr


def downloaded(device, rows):
    return (
        device.download(rows.row_ptr, rows.offset, rows.n + 1),
        device.download(rows.col_idx, np.int32, rows.arcs),
    )


@pytest.mark.smoke
@pytest.mark.parametrize("wide", [False, True])
def test_the_rows_are_those_of_the_graph(device, wide):
    graph = random_graph(1, 200, 900)
    rows = upload_csr(device, graph, wide=wide)
    assert (rows.n, rows.arcs) == (graph.num_vertices, graph.num_arcs)
    assert rows.offset is (np.int64 if wide else np.int32)
    assert rows.defines == {"OFFSET": "long" if wide else "int"}
    row_ptr, col_idx = downloaded(device, rows)
    np.testing.assert_array_equal(row_ptr, graph.row_ptr)
    np.testing.assert_array_equal(col_idx, graph.col_idx)


def test_rows_are_kept_one_of_each_width(device):
    graph = random_graph(2, 100, 300)
    narrow, wide = upload_csr(device, graph), upload_csr(device, graph, wide=True)
    assert narrow is not wide
    assert upload_csr(device, graph) is narrow and upload_csr(device, graph, wide=True) is wide
    assert upload_csr(device, random_graph(2, 100, 300)) is not narrow  # an equal graph is another one


def test_a_graph_of_wide_offsets_has_wide_rows(device):
    graph = random_graph(3, 100, 300)
    graph.row_ptr = graph.row_ptr.astype(np.int64)
    assert upload_csr(device, graph).offset is np.int64


def test_rows_made_on_the_device_are_not_uploaded_again(device):
    made = powerlaw_graph(500, seed=1, device=device)
    kept = upload_csr(device, made)
    assert Residence.of(device, made).rows(made, False) is kept
    row_ptr, col_idx = downloaded(device, kept)
    np.testing.assert_array_equal(row_ptr, made.row_ptr)
    np.testing.assert_array_equal(col_idx, made.col_idx)
    graph = random_graph(4, 50, 100)
    other = upload_csr(device, random_graph(5, 50, 100))
    Residence.of(device, graph).keep(other)
    assert upload_csr(device, graph) is other


def test_a_residence_does_not_keep_its_graph_alive(device):
    graph = random_graph(6, 50, 100)
    residence = weakref.ref(Residence.of(device, graph))
    rows = weakref.ref(upload_csr(device, graph))
    here = weakref.ref(graph)
    del graph
    gc.collect()
    assert here() is None and residence() is None and rows() is None


def test_threads_share_one_upload(device):
    graph = random_graph(7, 2000, 9000)
    residence = Residence.of(device, graph)
    found, start = [], Barrier(4)

    def look():
        start.wait()
        found.append(residence.rows(graph, False))

    threads = [Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(rows is found[0] for rows in found)
