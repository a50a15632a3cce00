"""Rows sorted on a device. (Rows of 32-bit heads, with duplicates: tests/csr/test_build.py.)"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clgraph.csr.build import sort_rows
from clgraph.csr.upload import DeviceCSR

if TYPE_CHECKING:
    from clgraph.device import Device


def test_heads_of_64_bits(device: Device) -> None:
    """Rows of every class; heads that differ in their upper halves, in their lower ones, or not at all."""
    rng = np.random.default_rng(2)
    lengths = np.r_[rng.integers(0, 40, 50), [0, 1000, 1024, 1025, 5000, 9000, 0]]
    row_ptr = np.append(0, np.cumsum(lengths)).astype(np.int32)
    heads = rng.integers(0, 50, row_ptr[-1]) << 32 | rng.integers(0, 2**32, row_ptr[-1])
    heads[rng.random(len(heads)) < 0.1] = 2**63 - 1
    rows = DeviceCSR(
        len(lengths), len(heads), device.upload(row_ptr), device.upload(heads, writable=True), np.int32
    )
    sort_rows(device, rows, int(lengths.max()), merge=False, head=np.int64)
    wanted = np.concatenate([np.sort(row) for row in np.split(heads, row_ptr[1:-1])])
    np.testing.assert_array_equal(device.download(rows.col_idx, np.int64, len(heads)), wanted)
