"""Graphs that live on a device: looks, lists, giving back, short memory, pickles, lost devices."""

import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyopencl as cl
import pytest
from devices import another, working_devices
from graph_files import raising
from graphs import random_graph, same
from placed_graphs import looked_at, made_there

import clgraph
from clgraph import Graph, powerlaw_graph
from clgraph.csr import upload
from clgraph.csr.upload import Residence, upload_csr
from clgraph.errors import CapacityError, DeviceError


def given(weights=True, **options):
    rng = np.random.default_rng(3)
    ends = 5 * rng.integers(0, 90, (2, 500)) + 2
    return Graph.from_edges(*ends, weights=rng.random(500) if weights else None, **options)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("duplicates", ["merge", "keep"])
def test_counts_need_no_look(device, directed, duplicates):
    graph = given(directed=directed, duplicates=duplicates)
    there = made_there(device, graph)
    assert repr(there) == repr(graph)
    for name in ("num_vertices", "num_arcs", "num_edges", "num_self_loops", "is_multigraph", "is_weighted"):
        assert getattr(there, name) == getattr(graph, name), name
    assert there._is_counted == (duplicates == "merge")
    assert not there._has_identity_ids and there._offset_type == np.int32
    assert not looked_at(there)
    np.testing.assert_array_equal(there.weights, graph.weights)
    assert looked_at(there) == ["weights"]
    same(there, graph)
    assert there.is_on_host


@pytest.mark.smoke
def test_a_generated_graph_stays_on_the_device(device):
    graph = powerlaw_graph(300, seed=1, device=device)
    assert repr(graph) == "<Graph: undirected, 300 vertices, 737 edges>"
    upload_csr(device, graph)
    assert not looked_at(graph)
    device.release()  # leaves what cannot be made again
    same(graph, powerlaw_graph(300, seed=1))


def test_arrays_are_read_only(device):
    given_rows = np.array([0, 1, 2]), np.array([1, 0], np.int32)
    for graph in (Graph(*given_rows), powerlaw_graph(50, seed=1, device=device), given()):
        for array in (graph.row_ptr, graph.col_idx, graph.ids):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    given_rows[0][0] = 0  # the caller's own array is as it was
    assert graph.ids is graph.ids


def test_places_and_free(device):
    graph = powerlaw_graph(300, seed=2, device=device)
    where = f"{device.spec} {device.name}"
    rows = {"rows.row_ptr": 4 * 301, "rows.col_idx": 4 * graph.num_arcs}
    assert graph.memory_usage() == {where: rows}
    assert graph.row_ptr.nbytes == graph.memory_usage()["host"]["row_ptr"]
    graph.free(device)
    assert set(graph.memory_usage()) == {"host"} and graph.is_on_host
    same(graph, powerlaw_graph(300, seed=2))
    upload_csr(device, graph)
    assert set(graph.memory_usage()) == {"host", where}
    graph.free()
    assert set(graph.memory_usage()) == {"host"}


def test_copies_and_pickles_have_the_hosts_form(device):
    graph = given(directed=True)
    for again in (lambda there: pickle.loads(pickle.dumps(there)), copy.copy):
        other = again(made_there(device, graph))
        assert other._residence is None and other.is_on_host
        same(other, graph)


def test_buffers_go_with_their_graph(device):
    if device.shares_memory:
        pytest.skip("rows are in the host's memory")
    device.finish()
    before = device.allocated
    graph = powerlaw_graph(3000, seed=3, device=device)
    assert device.allocated >= before + 4 * graph.num_arcs
    del graph
    gc.collect()
    assert device.allocated <= before


def test_what_was_used_longest_ago_goes_first(device, monkeypatch):
    device.release()
    gc.collect()
    graphs = [random_graph(seed, 100, 300) for seed in range(3)]
    only = powerlaw_graph(100, seed=1, device=device)
    for graph in graphs:
        device.cached(graph, "extra", lambda: device.zeros(50_000, np.int32))
    upload_csr(device, graphs[0])
    device.cached(graphs[0], "extra", lambda: None)
    monkeypatch.setattr(device, "global_memory", device.allocated + 300_000)
    one = device.empty(100_000, np.int32)
    assert [list(device.graph_cache.sizes(graph)) for graph in graphs[1:]] == [[], ["extra"]]
    assert "extra" in device.graph_cache.sizes(graphs[0])
    other = device.empty(100_000, np.int32)
    assert device.graph_cache.sizes(graphs[0]) == device.graph_cache.sizes(graphs[2]) == {}
    assert set(device.graph_cache.sizes(only)) == {"rows.row_ptr", "rows.col_idx"}  # nothing else has them
    with pytest.raises(CapacityError, match=r"it holds .* a graph of 100 vertices and"):
        device.reserve({"much": device.global_memory + 1})
    assert one.size == other.size
    same(only, powerlaw_graph(100, seed=1))


def test_threads_look_at_one_graph(device):
    want = given(directed=True)
    jobs = [
        lambda graph: graph.undirected.without_self_loops.col_idx,
        lambda graph: graph.reverse.weights,
        lambda graph: graph.row_ptr,
        lambda graph: graph.ids,
        lambda graph: graph.subgraph(np.arange(0, graph.num_vertices, 2)).col_idx,
        lambda graph: clgraph.connected_components(graph, device=device).labels,
        lambda graph: np.array([graph.num_self_loops, graph.num_edges, len(graph.memory_usage())])[:2],
        lambda graph: clgraph.sample(graph, "drve", size="50%", seed=1, device=device).vertices,
    ]
    results = [job(want) for job in jobs]
    for _ in range(3):
        graph = made_there(device, want)
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda job, graph=graph: job(graph), jobs * 2))
        for here, there in zip(results * 2, found, strict=True):
            np.testing.assert_array_equal(here, there)


def test_a_thread_on_another_device_has_the_host_make_views(device):
    other, graph = another(device), given(directed=True)
    there = made_there(device, graph)
    with other.alone():
        assert (there.num_self_loops, there.is_multigraph) == (graph.num_self_loops, graph.is_multigraph)
        assert there.undirected._residence is None and there.subgraph(np.arange(9))._residence is None
        same(there.undirected, graph.undirected)


def test_a_lost_device(device, monkeypatch):
    here, there = random_graph(1, 50, 100), powerlaw_graph(50, seed=1, device=device)
    upload_csr(device, here)
    for name in ("take", "download"):
        monkeypatch.setitem(vars(device), name, raising(DeviceError("the device is lost")))
    assert here.subgraph(np.arange(50)).num_vertices == 50  # also on the host: goes on
    with pytest.raises(DeviceError, match=r"row_ptr of a graph of 50 vertices is on .* only.*lost"):
        there.row_ptr  # noqa: B018
    assert Residence.of(device, here) is not None


def lose(device, monkeypatch):
    """From now on the device's driver answers that it is gone."""
    queues = {device.queue.int_ptr, device.second_queue.int_ptr}

    def gone(name, before):
        def call(queue, *arguments, **options):
            if queue.int_ptr in queues:
                raise Gone(f"{name} failed: DEVICE_NOT_AVAILABLE")
            return before(queue, *arguments, **options)

        return call

    names = "nd_range_kernel copy fill_buffer map_buffer marker barrier"
    for name in (f"enqueue_{word}" for word in names.split()):
        monkeypatch.setattr(cl, name, gone(name, getattr(cl, name)))


class Gone(cl.LogicError):
    code = cl.status_code.DEVICE_NOT_AVAILABLE


@pytest.mark.first_device
def test_what_is_also_on_the_host_goes_on_without_a_lost_device(device, monkeypatch):
    monkeypatch.setattr(upload, "SMALL", 0)  # views are made on the device
    want, graph = given(directed=True), given(directed=True)
    upload_csr(device, graph)
    reverse = graph.reverse
    assert not looked_at(reverse)
    lose(device, monkeypatch)
    with pytest.raises(DeviceError, match=r"DEVICE_NOT_AVAILABLE .*seems to be lost: graphs that are also"):
        clgraph.bfs(graph, graph.ids[0], device=device)
    same(graph.undirected, want.undirected)
    same(graph.undirected.without_self_loops, want.undirected.without_self_loops)
    same(reverse, want.reverse)
    graph.free(device)
    for other in [each for each in working_devices().values() if each is not device][:1]:
        for call in (clgraph.connected_components, clgraph.pagerank, clgraph.triangles):
            here, there = call(want, device=other), call(graph, device=other)
            parts = [getattr(each, "labels", getattr(each, "scores", each)) for each in (here, there)]
            np.testing.assert_array_equal(*parts)
