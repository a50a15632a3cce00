"""A user's own device, context and queue, and a graph's arrays for kernels of their own."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from pyopencl.array import Array, zeros

import clgraph

SOURCE = """
kernel void lengths(global const int *row_ptr, global int *degree) {
    int v = get_global_id(0);
    degree[v] = row_ptr[v + 1] - row_ptr[v];
}
"""


@pytest.fixture
def graph() -> clgraph.Graph:
    return clgraph.Graph.from_edges([0, 1, 2, 2], [1, 2, 3, 4], weights=[1, 2, 3, 4])


@pytest.mark.smoke
@pytest.mark.device
def test_a_queue_of_the_users_is_used(device: Any, graph: clgraph.Graph) -> None:
    context = cl.Context([device.raw])
    queue = cl.CommandQueue(context)
    mine = clgraph.get_device(queue)
    assert mine is clgraph.get_device(queue) and mine.queue == queue and mine.context == context
    assert mine.spec == device.spec
    found = clgraph.bfs(graph, 0, device=queue, arrays="device")
    assert found.distance.queue == queue
    assert found.distance.get().tolist() == clgraph.bfs(graph, 0, device=device).distance.tolist()
    # their kernels take its arrays, on their queue
    there = graph.device_arrays(queue)
    assert isinstance(there.row_ptr, Array) and there.multiplicity is None
    degree = zeros(queue, 5, np.int32)
    cl.Program(context, SOURCE).build(cache_dir=False).lengths(
        queue, (5,), None, there.row_ptr.data, degree.data
    )
    assert degree.get().tolist() == graph.degrees.tolist()
    assert there.col_idx.get().tolist() == graph.col_idx.tolist()
    assert there.weights.get().tolist() == graph.weights.tolist()
    assert clgraph.sample(graph, "drv", size=2, seed=1, device=context).vertices.tolist() == (
        clgraph.sample(graph, "drv", size=2, seed=1, device=device).vertices.tolist()
    )


@pytest.mark.device
@pytest.mark.parametrize("of_queue", [False, True], ids=["context", "queue"])
def test_what_is_the_users_goes_with_them(device: Any, graph: clgraph.Graph, of_queue: bool) -> None:
    context = cl.Context([device.raw])
    given = cl.CommandQueue(context) if of_queue else context
    mine = weakref.ref(clgraph.get_device(given))
    ranks = clgraph.pagerank(graph, device=given)
    made = clgraph.powerlaw_graph(300, seed=1, device=given)
    gc.collect()
    assert mine() is clgraph.get_device(given)
    del context, given
    gc.collect()
    assert mine() is not None  # the graph that was made lies there
    assert made.num_vertices == 300 and len(made.col_idx)
    del made
    gc.collect()
    assert mine() is None
    assert len(ranks.scores) == 5


@pytest.mark.device
def test_arrays_of_a_graph_that_was_made_there(device: Any) -> None:
    made = clgraph.powerlaw_graph(300, seed=1, device=device)
    there = made.device_arrays(device)
    assert np.array_equal(there.col_idx.get(), made.col_idx) and there.weights is None


def test_a_device_of_pyopencl_is_the_one_in_the_list() -> None:
    device = clgraph.get_device()
    assert clgraph.get_device(device.raw) is device
    assert clgraph.devices()[0].fault is None


def test_what_cannot_be_used_is_refused() -> None:
    device = clgraph.get_device()
    mode = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    queue = cl.CommandQueue(device.context, properties=mode)
    if queue.properties & mode:
        with pytest.raises(clgraph.DeviceError, match="out of order"):
            clgraph.get_device(queue)
    with pytest.raises(clgraph.DeviceError, match=r"queue of pyopencl, or None"):
        clgraph.get_device(3)  # type: ignore[arg-type]
