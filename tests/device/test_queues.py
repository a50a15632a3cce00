"""Queues: a user's own device, context and queue, arrays for their kernels; profiles of what runs."""

import gc
import json
import weakref
from functools import partial

import numpy as np
import pyopencl as cl
import pytest
from pyopencl.array import Array, zeros

import clgraph
from clgraph import Graph
from clgraph.device.launch import record_launches
from clgraph.device.memory import Staging

SOURCE = """
kernel void lengths(global const int *row_ptr, global int *degree) {
    int v = get_global_id(0);
    degree[v] = row_ptr[v + 1] - row_ptr[v];
}
"""


@pytest.fixture
def graph():
    return Graph.from_edges([0, 1, 2, 2], [1, 2, 3, 4], weights=[1, 2, 3, 4])


@pytest.mark.smoke
def test_a_queue_of_the_users_is_used(device, graph):
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
    degree, program = zeros(queue, 5, np.int32), cl.Program(context, SOURCE).build(cache_dir=False)
    program.lengths(queue, (5,), None, there.row_ptr.data, degree.data)
    assert degree.get().tolist() == graph.degrees.tolist()
    assert there.col_idx.get().tolist() == graph.col_idx.tolist()
    assert there.weights.get().tolist() == graph.weights.tolist()
    mine, other = (clgraph.sample(graph, "drv", size=2, seed=1, device=each) for each in (context, device))
    assert mine.vertices.tolist() == other.vertices.tolist()


@pytest.mark.parametrize("of_queue", [False, True], ids=["context", "queue"])
def test_what_is_the_users_goes_with_them(device, graph, of_queue):
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


def test_pinned_memory_does_not_keep_what_is_the_users(device, graph):
    context = cl.Context([device.raw])
    mine = clgraph.get_device(cl.CommandQueue(context))
    mine.kind, mine.shares_memory, there = "gpu", False, weakref.ref(mine)
    mine.cached(graph, "staging", partial(Staging, mine, 64))
    assert mine._pinned.download(mine.zeros(9, np.int32), np.ones(9, np.int32), 0)
    del mine
    gc.collect()
    assert there() is None


def test_arrays_of_a_graph_that_was_made_there(device):
    made = clgraph.powerlaw_graph(300, seed=1, device=device)
    there = made.device_arrays(device)
    assert np.array_equal(there.col_idx.get(), made.col_idx) and there.weights is None


def test_a_device_of_pyopencl_is_the_one_in_the_list():
    device = clgraph.get_device()
    assert clgraph.get_device(device.raw) is device
    assert clgraph.devices()[0].fault is None


def test_what_cannot_be_used_is_refused():
    device = clgraph.get_device()
    mode = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    queue = cl.CommandQueue(device.context, properties=mode)
    if queue.properties & mode:
        with pytest.raises(clgraph.DeviceError, match="out of order"):
            clgraph.get_device(queue)
    with pytest.raises(clgraph.DeviceError, match=r"device is 3: give a spec .* queue of pyopencl, or None$"):
        clgraph.get_device(3)


# --- profiles of what runs on a device --------------------------------------------------------------------


@pytest.mark.smoke
def test_every_kernel_and_copy_is_measured(device, tmp_path):
    graph = Graph.from_edges(np.arange(2000), (np.arange(2000) * 7 + 1) % 2000)
    plain = clgraph.bfs(graph, 0, device=device)
    graph.free(device)
    with record_launches() as launches, clgraph.profile(device) as measured:
        found = clgraph.bfs(graph, 0, device=device)
    assert np.array_equal(found.distance, plain.distance)
    kernels = [each for each in measured.activities if each.where]
    assert [(each.name, each.size) for each in kernels] == [(x.kernel, x.global_size) for x in launches]
    assert all(each.seconds >= 0 and each.start >= 0 for each in measured.activities)
    assert sum(row["calls"] for row in measured.table) == len(measured.activities) > 0
    assert measured.seconds == pytest.approx(sum(row["seconds"] for row in measured.table))
    assert all(each.nbytes > 0 for each in kernels)
    if not device.shares_memory:
        moved = sum(each.nbytes for each in measured.activities if each.name == "upload")
        assert moved >= graph.row_ptr.nbytes + graph.col_idx.nbytes
    measured.write_trace(tmp_path / "t.json")
    (tmp_path / "other").touch()
    assert (tmp_path / "t.json").stat().st_mode == (tmp_path / "other").stat().st_mode
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    names = [each.name for each in measured.activities]
    assert [each["name"] for each in events if each["ph"] == "X"] == names
    clgraph.bfs(graph, 0, device=device)
    assert len(measured.activities) == len(names)  # nothing is measured after the block


def test_one_profile_at_a_time_and_none_after_an_error():
    device = clgraph.get_device()
    queue = device.queue
    with clgraph.profile(device):
        assert device.queue is not queue
        with pytest.raises(clgraph.DeviceError, match="one profile at a time"), clgraph.profile(device):
            pass
    assert device.queue is queue
    with pytest.raises(ZeroDivisionError), clgraph.profile(device):
        raise ZeroDivisionError
    assert device.queue is queue and device.notes is None


def test_commands_write_traces(run, tmp_path):
    graph = tmp_path / "g.txt"
    graph.write_text("0 1\n1 2\n2 3\n")
    assert "us a call" in run("components", graph, "--trace", tmp_path / "t.json", "-q").fine().err
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert any("components" in each.get("args", {}).get("file", "") for each in events)
    assert "no folder" in run("components", graph, "--trace", tmp_path / "none" / "t.json").err
    assert run("components", graph, "--trace", tmp_path / "t.json", "--device", "0:0,0:0").status == 1
