"""Memory of devices: buffers, transfers, cached values, capacity."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyopencl as cl
import pytest
from mixed_calls import mixed_calls

from clgraph.device import Device
from clgraph.device.memory import HostBuffer
from clgraph.device.program import build_source
from clgraph.errors import CapacityError
from clgraph.graph.arrays import aligned_empty

READ = "__kernel void read(__global const int *in, __global int *out, int n)\
 { int i = get_global_id(0); if (i < n) out[i] = in[i]; }"


class Owner:
    """Something that can be weakly referenced, as a Graph can."""


@pytest.mark.smoke
def test_up_and_down(device: Device) -> None:
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
def test_fill(device: Device, dtype: Any) -> None:
    buffer = device.zeros(100, dtype)
    device.fill(buffer, dtype(5), 60)
    assert device.download(buffer, dtype, 100).tolist() == [5] * 60 + [0] * 40
    with pytest.raises(TypeError, match="NumPy scalar"):
        device.fill(buffer, 5, 60)  # type: ignore[arg-type]


def test_nothing_at_all(device: Device) -> None:
    empty = np.zeros(0, np.int32)
    for buffer in (device.upload(empty), device.upload(empty, writable=True), device.zeros(0, np.int32)):
        assert device.download(buffer, np.int32, 0).shape == (0,)
    device.write(buffer, empty)
    device.copy(buffer, buffer, 0)


def test_awkward_arrays(device: Device) -> None:
    base = np.arange(40, dtype=np.int32)
    unaligned = np.frombuffer(b"x" + base.tobytes(), np.int32, offset=1)
    fixed = base.copy()
    fixed.flags.writeable = False
    for array in (base[::2], base.astype(">i4"), unaligned, fixed, base.reshape(4, 10).T):
        got = device.download(device.upload(array), np.int32, array.size)
        assert np.array_equal(got, np.ascontiguousarray(array).ravel())


@pytest.mark.parametrize("count", [10, 3000, 100_001])
@pytest.mark.parametrize("skip", [0, 32, 1])
def test_shared_memory_is_not_copied(device: Device, count: int, skip: int) -> None:
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


def test_writable_upload_is_a_copy(device: Device) -> None:
    array = np.zeros(10, np.int32)
    device.fill(device.upload(array, writable=True), np.int32(1), 10)
    device.finish()
    assert not array.any()


def test_array_outlives_its_buffer_until_the_device_has_waited(device: Device) -> None:
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
def test_cached(device: Device) -> None:
    owner, made = Owner(), []

    def make() -> Any:
        made.append(1)
        return device.zeros(10, np.int32)

    first = device.cached(owner, "x", make)
    assert device.cached(owner, "x", make) is first
    assert device.cached(owner, "y", make) is not first
    assert len(made) == 2
    device.release()
    assert device.cached(owner, "x", make) is not first
    assert len(made) == 3
    key = id(owner)
    assert key in device.graph_cache.owners
    del owner
    gc.collect()
    assert key not in device.graph_cache.owners


@pytest.mark.smoke
def test_capacity(device: Device) -> None:
    device.reserve({"row_ptr": 1000, "col_idx": 0})
    with pytest.raises(CapacityError) as error:
        device.reserve({"row_ptr": device.max_buffer + 1})
    assert "row_ptr" in str(error.value)
    assert str(device.max_buffer) in str(error.value)
    assert str(device.max_buffer + 1) in str(error.value)
    part = device.max_buffer
    pieces = {f"part{i}": part for i in range(device.global_memory // part + 1)}
    with pytest.raises(CapacityError) as error:
        device.reserve(pieces)
    assert str(device.global_memory) in str(error.value)
    assert str(part * len(pieces)) in str(error.value)
    with pytest.raises(CapacityError, match=str(device.max_buffer)):
        device.empty(device.max_buffer + 1, np.int8)


def test_threads_take_one_buffer(device: Device) -> None:
    """PoCL ended the process, or raised: two threads had mapped the same memory."""
    beside = device.empty(1 << 20, np.int32)
    for _ in range(10):
        buffers = [device.output(90, np.int32) for _ in range(3)]
        for buffer in buffers:
            device.fill(buffer, np.int32(7), 90)

        def taken(i: int, buffers: list[Any] = buffers) -> Any:
            device.fill(beside, np.int32(i), 1 << 20)
            return device.take(buffers[i % 3], np.int32, 90)

        with ThreadPoolExecutor(16) as threads:
            for found in threads.map(taken, range(200)):
                assert np.all(found == 7)


@pytest.mark.slow
@pytest.mark.first_device
def test_no_call_leaves_buffers_to_the_garbage_collector(device: Device) -> None:
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
def test_arrays_are_released_when_kernels_have_finished(device: Device, next_call: str) -> None:
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


SLOW = """
__kernel void slow(__global uint *out, __global const int *given, const uint steps)
{
    uint x = given[0];
    for (uint i = 0; i < steps; i++) x = 5 * x + (x >> 3);
    out[0] = x;
}
"""
