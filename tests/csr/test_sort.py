"""Keys with values sorted on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from clgraph.csr import sort
from clgraph.csr.sort import sort_by_key

if TYPE_CHECKING:
    from clgraph.device import Device

LAUNCH = {
    "cores": sort.LaunchConfig(local=1, each=100, bits=5),
    "groups": sort.LaunchConfig(local=32, each=3, bits=4),
}


@pytest.mark.smoke
@pytest.mark.parametrize("shape", [None, *LAUNCH])
def test_sort(device: Device, shape: Any, monkeypatch: Any) -> None:
    """Stable, whatever the keys look like; with positions and with values of their own."""
    if shape:
        one = LAUNCH[shape]
        monkeypatch.setattr(sort, "LAUNCH", sort.LaunchTable(gpu=one, cpu=one, simulator=one))
    rng = np.random.default_rng(5)
    for count, bits in ((1, 0), (7, 1), (95, 3), (96, 32), (97, 4), (5000, 9), (70_000, 17)):
        keys = rng.integers(0, 1 << bits, count, dtype=np.uint32)
        keys[rng.random(count) < 0.3] = (1 << bits) - 1
        order = np.argsort(keys, kind="stable")
        values = rng.permutation(count).astype(np.int32)
        for given, wanted in ((None, order), (values, values[order])):
            there = None if given is None else device.upload(given, writable=True)
            key, value = sort_by_key(device, device.upload(keys, writable=True), count, bits, there)
            np.testing.assert_array_equal(device.download(key, np.uint32, count), keys[order])
            np.testing.assert_array_equal(device.download(value, np.int32, count), wanted)
