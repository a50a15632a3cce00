"""Running sums on a device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from clgraph.csr import scan
from clgraph.csr.scan import running_sums

if TYPE_CHECKING:
    from clgraph.device import Device


@pytest.mark.smoke
@pytest.mark.parametrize("local", [1, 16])
@pytest.mark.parametrize(
    ("of", "into"), [(np.int32, np.int32), (np.int32, np.int64), (np.uint32, np.int64), (np.int64, np.int64)]
)
def test_sums(device: Device, of: Any, into: Any, local: int, monkeypatch: Any) -> None:
    """Less than a block, whole blocks, sums of sums of blocks; totals beyond 32 bits."""
    shape = scan.LaunchConfig(local=local, block=32)
    monkeypatch.setattr(scan, "LAUNCH", scan.LaunchTable(gpu=shape, cpu=shape, simulator=shape))
    most = 50 if into is np.int32 else np.iinfo(np.int32).max
    for count in (0, 1, 31, 32, 33, 1000, 1024, 2500):
        values = np.random.default_rng(count).integers(0, most, count).astype(of)
        found = running_sums(device, device.upload(values), count, of=of, into=into)
        wanted = np.append(0, np.cumsum(values, dtype=np.int64))
        np.testing.assert_array_equal(device.download(found, into, count + 1), wanted)
