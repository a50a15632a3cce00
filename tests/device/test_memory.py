"""Memory of devices: buffers, transfers, cached values, scratch areas, capacity."""

import gc
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pyopencl as cl
import pytest
from mixed_calls import mixed_calls

from clgraph import Graph
from clgraph.device.graph_cache import Pool
from clgraph.device.memory import HostBuffer, Staging
from clgraph.device.program import build_source
from clgraph.device.transfers import SLOTS, Pinned
from clgraph.errors import CapacityError, DeviceError
from clgraph.graph.arrays import aligned_empty

READ = "__kernel void read(__global const int *in, __global int *out, int n)\
 { int i = get_global_id(0); if (i < n) out[i] = in[i]; }"
SLOW = """
__kernel void slow(__global uint *out, __global const int *given, const uint steps)
{
    uint x = given[0];
    for (uint i = 0; i < steps; i++) x = 5 * x + (x >> 3);
    out[0] = x;
}
"""


class Thing:
    """What can be told from another one, and weakly referenced, as a Graph can."""


@pytest.mark.smoke
def test_up_and_down(device):
    array = np.arange(1000, dtype=np.int64)
    for writable in (False, True):
        assert np.array_equal(device.download(device.upload(array, writable=writable), np.int64, 1000), array)
    buffer = device.zeros(10, np.float32)
    device.write(buffer, np.array([1, 2], np.float32), offset=3)
    assert device.download(buffer, np.float32, 4, offset=2).tolist() == [0, 1, 2, 0]
    other = device.empty(10, np.float32)
    device.copy(other, buffer, 40)
    assert device.download(other, np.float32, 10).tolist() == [0, 0, 0, 1, 2, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint32, np.int64, np.float32, np.float64])
def test_fill(device, dtype):
    buffer = device.zeros(100, dtype)
    device.fill(buffer, dtype(5), 60)
    assert device.download(buffer, dtype, 100).tolist() == [5] * 60 + [0] * 40
    with pytest.raises(TypeError, match="NumPy scalar"):
        device.fill(buffer, 5, 60)


def test_nothing_at_all(device):
    empty = np.zeros(0, np.int32)
    for buffer in (device.upload(empty), device.upload(empty, writable=True), device.zeros(0, np.int32)):
        assert device.download(buffer, np.int32, 0).shape == (0,)
    device.write(buffer, empty)
    device.copy(buffer, buffer, 0)


def test_awkward_arrays(device):
    base = np.arange(40, dtype=np.int32)
    unaligned = np.frombuffer(b"x" + base.tobytes(), np.int32, offset=1)
    fixed = base.copy()
    fixed.flags.writeable = False
    for array in (base[::2], base.astype(">i4"), unaligned, fixed, base.reshape(4, 10).T):
        got = device.download(device.upload(array), np.int32, array.size)
        assert np.array_equal(got, np.ascontiguousarray(array).ravel())


@pytest.mark.parametrize("count", [10, 3000, 100_001])
@pytest.mark.parametrize("skip", [0, 32, 1])
def test_shared_memory_is_not_copied(device, count, skip):
    """Kernels of devices that share the host's memory see the array itself, not a copy."""
    if not device.shares_memory:
        pytest.skip(f"{device.kind}: has a memory of its own")
    if skip == 1 and device.platform_name != "Portable Computing Language":
        pytest.skip("Intel's runtimes copy what is not at a multiple of 128 bytes")
    array = aligned_empty(count + skip, np.int32)[skip:]
    array[:] = 0
    buffer = device.upload(array)
    kernel = build_source(device, "read", READ, ()).read
    out = device.empty(count, np.int32)
    for value in (1, 2, 3):
        array[:] = value  # what the contract forbids, but what tells a copy from the array
        kernel(count, in_=buffer, out=out, n=count)
        assert np.all(device.download(out, np.int32, count) == value)


def test_writable_upload_is_a_copy(device):
    array = np.zeros(10, np.int32)
    device.fill(device.upload(array, writable=True), np.int32(1), 10)
    device.finish()
    assert not array.any()


def test_array_outlives_its_buffer_until_the_device_has_waited(device):
    if not device.shares_memory:
        pytest.skip(f"{device.kind}: has a memory of its own")
    device.finish()
    array = np.arange(10, dtype=np.int32)
    alive = weakref.ref(array)
    buffer = device.upload(array)
    assert isinstance(buffer, HostBuffer)
    del array, buffer
    gc.collect()
    assert alive() is not None
    device.finish()
    gc.collect()
    assert alive() is None


@pytest.mark.smoke
def test_cached(device):
    owner = Graph.from_edges([0], [1])
    make = Mock(side_effect=lambda: device.zeros(10, np.int32))
    first = device.cached(owner, "x", make)
    assert device.cached(owner, "x", make) is first
    assert device.cached(owner, "y", make) is not first
    assert make.call_count == 2
    device.release()
    assert device.cached(owner, "x", make) is not first
    assert make.call_count == 3
    area = Thing()
    device.cached(owner, "areas", Pool).give_back(area)
    key, left = id(owner), weakref.ref(area)
    assert key in device.graph_cache.owners and area in device.cached(owner, "areas", Pool)
    del owner, area
    gc.collect()
    assert key not in device.graph_cache.owners and left() is None


@pytest.mark.smoke
def test_capacity(device):
    device.reserve({"row_ptr": 1000, "col_idx": 0})
    part = device.max_buffer
    pieces = {f"part{i}": part for i in range(device.global_memory // part + 1)}
    for asked, words in (
        ({"row_ptr": part + 1}, ("row_ptr", part, part + 1)),
        (pieces, (device.global_memory, part * len(pieces))),
    ):
        with pytest.raises(CapacityError) as error:
            device.reserve(asked)
        assert all(str(word) in str(error.value) for word in words)
    with pytest.raises(CapacityError, match=str(part)):
        device.empty(part + 1, np.int8)


def test_threads_take_one_buffer(device):
    """PoCL ended the process, or raised: two threads had mapped the same memory."""
    beside = device.empty(1 << 20, np.int32)
    for _ in range(10):
        buffers = [device.output(90, np.int32) for _ in range(3)]
        for buffer in buffers:
            device.fill(buffer, np.int32(7), 90)

        def taken(i, buffers=buffers):
            device.fill(beside, np.int32(i), 1 << 20)
            return device.take(buffers[i % 3], np.int32, 90)

        with ThreadPoolExecutor(16) as threads:
            for found in threads.map(taken, range(200)):
                assert np.all(found == 7)


@pytest.mark.slow
@pytest.mark.first_device
def test_no_call_leaves_buffers_to_the_garbage_collector(device):
    """It runs when many objects were made, not when a device's memory is short."""
    calls = mixed_calls(device)
    for call in calls.values():
        call()
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for name, call in calls.items():
            call()
            gc.collect()
            left = {type(each).__name__ for each in gc.garbage}
            gc.garbage.clear()
            assert not {each for each in left if "Buffer" in each}, name
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@pytest.mark.parametrize("next_call", ["upload", "take"])
def test_arrays_are_released_when_kernels_have_finished(device, next_call):
    """Intel's runtimes write to a new buffer while kernels enqueued earlier are running."""
    if not device.shares_memory:
        pytest.skip("kernels read copies here")
    given, out = aligned_empty(1 << 12, np.dtype(np.int32)), device.zeros(65, np.int32)
    result = device.output(16, np.int32)
    buffer, states = device.upload(given), []
    seen = weakref.ref(given, lambda _: states.append(behind.command_execution_status))
    device.finish()
    program = build_source(device, "slow", SLOW, ())
    program.slow.exact(1, out=out, given=buffer, steps=1 << 26, local=1)
    behind = cl.enqueue_marker(device.queue)
    device.queue.flush()
    del buffer, given
    if next_call == "upload":
        device.upload(np.zeros(4, np.int32), writable=True)
    else:
        device.take(result, np.int32, 16)
    assert seen() is None and states == [cl.command_execution_status.COMPLETE]


# --- downloads and uploads through pinned memory, in chunks ------------------------------------------------


@pytest.mark.parametrize("count", [1, 250, 1000, 1000 * SLOTS, 12_345])
def test_chunks(device, count):
    values = np.random.default_rng(count).integers(0, 1 << 30, count + 7).astype(np.int32)
    buffer, pinned = device.upload(values), Pinned(device, chunk=1000)
    for start in (0, 7):
        array = np.zeros(count, np.int32)
        assert pinned.download(buffer, array, 4 * start)
        np.testing.assert_array_equal(array, values[start : start + count])


def test_one_thread_at_a_time(device):
    values = np.arange(100_000)
    buffer, pinned = device.upload(values), Pinned(device, chunk=1000)

    def fetch(_):
        array = np.zeros(100_000, np.int64)
        return pinned.download(buffer, array, 0), array

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(fetch, range(4)))
    assert any(done for done, _ in found)
    assert all(np.array_equal(array, values if done else 0 * values) for done, array in found)


def test_large_downloads_take_that_way(device, monkeypatch):
    values = np.arange(3_000_000, dtype=np.int32)
    buffer, used = device.upload(values), []
    plain = Pinned.download
    monkeypatch.setattr(Pinned, "download", lambda *args: used.append(1) or plain(*args))
    np.testing.assert_array_equal(device.download(buffer, np.int32, 2_000_000, offset=5), values[5:2_000_005])
    assert bool(used) is not device.shares_memory


@pytest.mark.parametrize(
    ("count", "start"),
    [*((n, 0) for n in (1, 999, 1000, 1000 * SLOTS + 1, 12_345)), (4, 28), (4 * (1000 * SLOTS + 3), 28)],
)
def test_uploads_in_chunks(device, count, start):
    values = np.random.default_rng(count).integers(1, 256, count).astype(np.uint8)
    buffer, pinned = device.zeros(start + count + 8, np.uint8), Pinned(device, chunk=1000)

    def read(view, offset):
        view[:] = values[offset : offset + len(view)].data

    def fail(view, offset):
        if offset >= count - 1000:
            raise ValueError("no more")

    assert pinned.upload(buffer, count, read, start=start)
    found = device.download(buffer, np.uint8, start + count + 8)
    np.testing.assert_array_equal(found, [0] * start + values.tolist() + [0] * 8)
    with pytest.raises(ValueError, match="no more"):
        pinned.upload(buffer, count, fail, start=start)
    assert pinned.upload(buffer, count, read, start=start)  # it is free again


def test_fetches_that_do_not_wait(device, monkeypatch):
    """As on GPUs, through pinned memory; a driver's error is the device's."""
    monkeypatch.setattr(device, "kind", "gpu")
    monkeypatch.setattr(device, "shares_memory", False)
    values = np.arange(80, dtype=np.uint8)
    staging = Staging(device, 80)
    device.write(staging.buffer, values)
    assert staging.start_fetch(80)().tolist() == values.tolist()

    monkeypatch.setattr(cl, "enqueue_copy", Mock(side_effect=cl.RuntimeError("lost")))
    with pytest.raises(DeviceError, match="download of 80 bytes"):
        staging.start_fetch(80)
    with pytest.raises(DeviceError, match="upload of 80 bytes"):
        staging.give(0, 80)
    with pytest.raises(DeviceError, match="a part of 16 bytes"):
        staging.part(80, 16)


def test_slots_are_not_written_to_too_soon_nor_too_late(device, monkeypatch):
    """Each waits for the copy that left from it; and after a failure all that read into one have ended."""
    copied, reading, begun = [], [], threading.Event()

    def note(what, nbytes, event):
        number = len(events)
        events.append(event)
        return SimpleNamespace(wait=lambda: copied.append(number) or event.wait())

    def read(view, offset):
        assert offset < 1000 * SLOTS or offset // 1000 - SLOTS in copied

    def fail(view, offset):
        if offset == 0:
            begun.wait(10)
            raise ValueError("no more")
        reading.append(offset)
        begun.set()
        time.sleep(0.05)
        reading.remove(offset)

    events, pinned, count = [], Pinned(device, chunk=1000), 3000 * SLOTS
    buffer = device.zeros(count, np.uint8)
    with monkeypatch.context() as patch:
        patch.setattr(device, "note", note)
        assert pinned.upload(buffer, count, read)
    assert copied == [*range(2 * SLOTS)]
    with pytest.raises(ValueError, match="no more"):
        pinned.upload(buffer, count, fail)
    assert begun.is_set() and not reading


@pytest.mark.parametrize("shared", [True, False])
def test_loading(device, monkeypatch, shared):
    """Large arrays are read in several parts, wherever they go."""
    if shared and not device.shares_memory:
        pytest.skip("it has memory of its own")
    monkeypatch.setattr("clgraph.device.memory.LARGE", 10_000)
    monkeypatch.setattr(device, "shares_memory", shared)
    values = np.random.default_rng(1).integers(0, 1 << 30, 7001)
    seen = []

    def read(view, offset):
        seen.append(len(view))
        view[:] = values.view(np.uint8)[offset : offset + len(view)].data

    buffer = device.load(7001, np.int64, read)
    np.testing.assert_array_equal(device.download(buffer, np.int64, 7001), values)
    assert sum(seen) == 56_008 and len(seen) == (6 if shared else 1)


# --- scratch areas, lent to one borrower at a time, given back, and used again -----------------------------


def test_borrowers_have_different_areas_which_the_next_ones_use_again():
    pool, used, made = Pool[Thing](), set(), []
    all_have_one = threading.Barrier(8, timeout=60)

    def make():
        made.append(Thing())
        return made[-1]

    def borrow(_):
        area = pool.borrow(make)
        assert area not in used
        used.add(area)
        all_have_one.wait()
        used.remove(area)
        pool.give_back(area)

    for _ in range(3):
        both = [pool.borrow(make) for _ in range(2)]
        assert set(both) == set(made) and len(made) == 2
        for area in both:
            pool.give_back(area)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(borrow, range(2000)))
    assert len(made) == 8
