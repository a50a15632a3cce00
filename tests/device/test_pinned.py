"""Downloads through pinned memory, in chunks."""

from threading import Thread
from typing import Any

import numpy as np
import pytest

from clgraph.device import Device
from clgraph.device.transfers import SLOTS, Pinned


@pytest.mark.parametrize("count", [1, 250, 1000, 1000 * SLOTS, 12_345])
def test_chunks(device: Device, count: int) -> None:
    values = np.random.default_rng(count).integers(0, 1 << 30, count + 7).astype(np.int32)
    buffer, pinned = device.upload(values), Pinned(device, chunk=1000)
    for start in (0, 7):
        array = np.zeros(count, np.int32)
        assert pinned.download(buffer, array, 4 * start)
        np.testing.assert_array_equal(array, values[start : start + count])


@pytest.mark.parametrize("count", [1, 1000 * SLOTS + 3])
def test_uploads_at_an_offset(device: Device, count: int) -> None:
    values = np.random.default_rng(count).integers(1, 1 << 30, count).astype(np.int32)
    buffer, pinned = device.zeros(count + 9, np.int32), Pinned(device, chunk=1000)

    def read(view: memoryview, begin: int) -> None:
        view[:] = values.view(np.uint8).data[begin : begin + len(view)]

    assert pinned.upload(buffer, values.nbytes, read, start=4 * 7)
    found = device.download(buffer, np.int32, count + 9)
    np.testing.assert_array_equal(found, [0] * 7 + values.tolist() + [0] * 2)


def test_one_thread_at_a_time(device: Device) -> None:
    values = np.arange(100_000)
    buffer, pinned = device.upload(values), Pinned(device, chunk=1000)
    found: list[tuple[bool, Any]] = []

    def fetch() -> None:
        array = np.zeros(100_000, np.int64)
        found.append((pinned.download(buffer, array, 0), array))

    threads = [Thread(target=fetch) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert any(done for done, _ in found)
    assert all(np.array_equal(array, values if done else 0 * values) for done, array in found)


def test_large_downloads_take_that_way(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(3_000_000, dtype=np.int32)
    buffer, used = device.upload(values), []
    plain = Pinned.download
    monkeypatch.setattr(Pinned, "download", lambda *args: used.append(1) or plain(*args))
    np.testing.assert_array_equal(device.download(buffer, np.int32, 2_000_000, offset=5), values[5:2_000_005])
    assert bool(used) is not device.shares_memory


@pytest.mark.parametrize("count", [1, 999, 1000, 1000 * SLOTS + 1, 12_345])
def test_chunks_that_are_read(device: Device, count: int) -> None:
    values = np.random.default_rng(count).integers(0, 256, count).astype(np.uint8)
    buffer, pinned = device.empty(count, np.uint8), Pinned(device, chunk=1000)

    def read(view: memoryview, offset: int) -> None:
        view[:] = values[offset : offset + len(view)].data

    assert pinned.upload(buffer, count, read)
    np.testing.assert_array_equal(device.download(buffer, np.uint8, count), values)

    def fail(view: memoryview, offset: int) -> None:
        if offset >= count - 1000:
            raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        pinned.upload(buffer, count, fail)
    assert pinned.upload(buffer, count, read)  # it is free again


@pytest.mark.parametrize("shared", [True, False])
def test_loading(device: Device, monkeypatch: pytest.MonkeyPatch, shared: bool) -> None:
    """Large arrays are read in several parts, wherever they go."""
    if shared and not device.shares_memory:
        pytest.skip("it has memory of its own")
    monkeypatch.setattr("clgraph.device.memory.LARGE", 10_000)
    if not shared:
        monkeypatch.setattr(device, "shares_memory", False)
    values = np.random.default_rng(1).integers(0, 1 << 30, 7001)
    seen = []

    def read(view: memoryview, offset: int) -> None:
        seen.append(len(view))
        view[:] = values.view(np.uint8)[offset : offset + len(view)].data

    buffer = device.load(7001, np.int64, read)
    np.testing.assert_array_equal(device.download(buffer, np.int64, 7001), values)
    assert sum(seen) == 56_008 and len(seen) == (6 if shared else 1)
