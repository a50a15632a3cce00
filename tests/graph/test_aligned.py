"""Arrays that start at a multiple of 128 bytes."""

from __future__ import annotations

import numpy as np

from clgraph.graph.arrays import aligned


def test_aligned() -> None:
    for array in (np.arange(1000), np.arange(1000)[1:], np.ones((3, 5))[:, ::2], np.zeros(0)):
        same = aligned(array)
        assert np.array_equal(same, array)
        assert same.ctypes.data % 128 == 0 or not same.size
        assert aligned(same) is same
