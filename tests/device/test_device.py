"""A Device: its facts."""

from __future__ import annotations

import pickle

import pytest

from clgraph.device import Device, get_device


@pytest.mark.smoke
def test_facts(device: Device) -> None:
    assert device.fault is None
    assert device.kind in ("gpu", "cpu", "fpga", "emulator")
    assert device.compute_units >= 1
    assert device.max_buffer <= device.global_memory
    assert get_device(device.spec) is device
    assert get_device(device) is device
    assert device.spec in repr(device)
    with pytest.raises(TypeError, match="pass its spec"):
        pickle.dumps(device)
