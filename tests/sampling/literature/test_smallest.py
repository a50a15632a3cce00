"""Selections of the smallest keys, on every device, against sorting."""

import numpy as np
import pytest

from clgraph.sampling.literature.smallest import Smallest

NONE = 2**64 - 1


def select(device, keys, wanted, *, equal=True):
    runs, items = keys.shape
    smallest = Smallest(device, runs, items)
    buffer = device.upload(keys, writable=True)
    cut = smallest.cut(buffer, np.array(wanted))
    listed, values = smallest.take(buffer, cut, equal=equal, keys=True)
    found = []
    for r in range(runs):
        assert np.array_equal(keys[r, listed.of(r)], values.of(r))
        found.append(listed.of(r).tolist())
    return found, device.download(cut.key, np.uint64, runs)


@pytest.mark.parametrize("spread", [2, 1000, 2**62, 2**64 - 1])
def test_equals_sorting(device, spread):
    rng = np.random.default_rng(spread % 1000)
    keys = rng.integers(0, spread, (7, 3000), dtype=np.uint64)
    keys[3, :2950] = NONE
    keys[4] = NONE
    wanted = [1, 17, 2999, 100, 5, 3000, 5000]
    found, cut = select(device, keys, wanted)
    for r, k in enumerate(wanted):
        order = np.lexsort((np.arange(3000), keys[r]))
        order = order[keys[r, order] != NONE]
        assert found[r] == sorted(order[:k].tolist())
        assert int(cut[r]) == (int(keys[r, order[k]]) if k < len(order) else NONE)


def test_only_what_is_smaller_than_the_cut(device):
    keys = np.array([[5, 3, 3, 9, 1, 3, 7, 3]], np.uint64)
    assert select(device, keys, [3])[0] == [[1, 2, 4]]  # of equal keys the smallest positions
    assert select(device, keys, [3], equal=False)[0] == [[4]]
    assert select(device, keys, [5], equal=False)[0] == [[1, 2, 4, 5, 7]]


def test_runs_that_look_for_nothing(device):
    keys = np.array([[5, 3], [2, 1]], np.uint64)
    assert select(device, keys, [-1, 1])[0] == [[], [1]]
