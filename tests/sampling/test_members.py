"""Counting and numbering vertices by their labels, against NumPy."""

import numpy as np
import pytest

from clgraph.sampling.members import LAUNCH, ROOTS, Members


def lengths(device):
    """One vertex, and numbers of vertices around the ends of blocks."""
    block = LAUNCH.of(device)
    return (1, 2, block - 1, block, block + 1, 3 * block, 3 * block + 5)


@pytest.mark.parametrize("named", [False, True])
def test_members_are_numbered_in_ascending_order(device, named):
    rng = np.random.default_rng(1)
    for n in lengths(device):
        labels = rng.integers(-1, 3, n).astype(np.int32)
        names = rng.permutation(n).astype(np.int32)
        label = device.upload(labels)
        for keep in (0, 1, 2, 7):
            number = device.empty(n, np.int32)
            old = device.upload(names) if named else None
            name, count = Members(device).number(n, label, keep, old, number)
            chosen = np.flatnonzero(labels == keep)
            assert count == len(chosen)
            expected = np.full(n, -1)
            expected[chosen] = np.arange(count)
            np.testing.assert_array_equal(device.download(number, np.int32, n), expected)
            np.testing.assert_array_equal(
                device.download(name, np.int32, count), names[chosen] if named else chosen
            )


def test_roots_are_the_vertices_labelled_with_themselves(device):
    rng = np.random.default_rng(2)
    for n in lengths(device):
        labels = np.minimum(rng.integers(0, n, n), np.arange(n)).astype(np.int32)
        number = device.empty(n, np.int32)
        name, count = Members(device).number(n, device.upload(labels), ROOTS, None, number)
        roots = np.flatnonzero(labels == np.arange(n))
        np.testing.assert_array_equal(device.download(name, np.int32, count), roots)
        found = device.download(number, np.int32, n)
        np.testing.assert_array_equal(np.flatnonzero(found >= 0), roots)
        np.testing.assert_array_equal(found[roots], np.arange(count))


def test_the_nth_member(device):
    rng = np.random.default_rng(3)
    for n in lengths(device):
        labels = rng.integers(0, 2, n).astype(np.int32)
        label = device.upload(labels)
        for keep in (0, 1):
            chosen = np.flatnonzero(labels == keep)
            for rank in {0, len(chosen) // 2, len(chosen) - 1}:
                if 0 <= rank < len(chosen):
                    assert Members(device).nth(n, label, keep, rank) == chosen[rank]
