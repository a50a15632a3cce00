"""Keys with values sorted on a device, and running sums."""

import numpy as np
import pytest
from personalized import everywhere

from clgraph.csr import scan, sort

LAUNCH = {
    "cores": sort.LaunchConfig(local=1, each=100, bits=5),
    "groups": sort.LaunchConfig(local=32, each=3, bits=4),
}


@pytest.mark.smoke
@pytest.mark.parametrize("shape", [None, *LAUNCH])
def test_sort(device, shape, monkeypatch):
    """Stable, whatever the keys look like; with positions and with values of their own."""
    if shape:
        monkeypatch.setattr(sort, "LAUNCH", everywhere(LAUNCH[shape]))
    rng = np.random.default_rng(5)
    for count, bits in ((1, 0), (7, 1), (95, 3), (96, 32), (97, 4), (5000, 9), (70_000, 17)):
        keys = rng.integers(0, 1 << bits, count, dtype=np.uint32)
        keys[rng.random(count) < 0.3] = (1 << bits) - 1
        order = np.argsort(keys, kind="stable")
        values = rng.permutation(count).astype(np.int32)
        for given, wanted in ((None, order), (values, values[order])):
            there = None if given is None else device.upload(given, writable=True)
            key, value = sort.sort_by_key(device, device.upload(keys, writable=True), count, bits, there)
            np.testing.assert_array_equal(device.download(key, np.uint32, count), keys[order])
            np.testing.assert_array_equal(device.download(value, np.int32, count), wanted)


@pytest.mark.smoke
@pytest.mark.parametrize("local", [1, 16])
@pytest.mark.parametrize(
    ("of", "into"), [(np.int32, np.int32), (np.int32, np.int64), (np.uint32, np.int64), (np.int64, np.int64)]
)
def test_sums(device, of, into, local, monkeypatch):
    """Less than a block, whole blocks, sums of sums of blocks; totals beyond 32 bits."""
    monkeypatch.setattr(scan, "LAUNCH", everywhere(scan.LaunchConfig(local=local, block=32)))
    most = 50 if into is np.int32 else np.iinfo(np.int32).max
    for count in (0, 1, 31, 32, 33, 1000, 1024, 2500):
        values = np.random.default_rng(count).integers(0, most, count).astype(of)
        found = scan.running_sums(device, device.upload(values), count, of=of, into=into)
        wanted = np.append(0, np.cumsum(values, dtype=np.int64))
        np.testing.assert_array_equal(device.download(found, into, count + 1), wanted)
