"""Copies through pinned memory, in pieces."""

from threading import Thread
from typing import Any

import numpy as np
import pytest

from clgraph.device import Device
from clgraph.device.pinned import SLOTS, Pinned


@pytest.mark.parametrize("count", [1, 250, 1000, 1000 * SLOTS, 12_345])
def test_pieces(device: Device, count: int) -> None:
    values = np.random.default_rng(count).integers(0, 1 << 30, count + 7).astype(np.int32)
    buffer, pinned = device.upload(values), Pinned(device.queues, piece=1000)
    for start in (0, 7):
        array = np.zeros(count, np.int32)
        assert pinned.download(buffer, array, 4 * start)
        np.testing.assert_array_equal(array, values[start : start + count])
        target = device.zeros(count + 7, np.int32)
        assert pinned.upload(target, array, 4 * start)
        found = device.download(target, np.int32, count + 7)
        np.testing.assert_array_equal(found[start : start + count], array)
        assert not found[:start].any() and not found[start + count :].any()


def test_one_thread_at_a_time(device: Device) -> None:
    values = np.arange(100_000)
    buffer, pinned = device.upload(values), Pinned(device.queues, piece=1000)
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
