"""The kinds of devices, by what their drivers say."""

from __future__ import annotations

from types import SimpleNamespace

import pyopencl as cl
import pytest

from clgraph.device.hardware import TUNING, quirks

GPU, CPU, ACC = cl.device_type.GPU, cl.device_type.CPU, cl.device_type.ACCELERATOR


POCL, INTEL = "Portable Computing Language", "Intel(R) OpenCL"


EMULATOR = "Intel(R) FPGA Emulation Platform for OpenCL(TM)"


@pytest.mark.parametrize(
    ("platform", "name", "type_", "kind", "shares"),
    [
        ("NVIDIA CUDA", "NVIDIA H200", GPU, "gpu", False),
        ("Intel(R) OpenCL Graphics", "Intel(R) UHD", GPU, "gpu", False),
        (POCL, "pthread-x", CPU, "cpu", True),
        (INTEL, "Intel(R) Xeon(R)", CPU, "cpu", True),
        (EMULATOR, "Intel(R) FPGA Emulation Device", ACC, "emulator", True),
        ("Intel(R) FPGA SDK for OpenCL(TM)", "pac_s10_dc : Intel PAC", ACC, "fpga", False),
        ("Oclgrind", "Oclgrind Simulator", CPU | GPU | ACC, "simulator", False),
    ],
)
def test_kinds(platform: str, name: str, type_: int, kind: str, shares: bool) -> None:
    raw = SimpleNamespace(platform=SimpleNamespace(name=platform), name=name, type=type_, driver_version="1")
    found = quirks(raw)
    assert (found.kind, found.shares_memory) == (kind, shares)
    assert TUNING[found.kind].items >= 1
