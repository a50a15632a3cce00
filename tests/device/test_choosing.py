"""Devices: what is known of one, and choosing one by words, numbers, names, the environment."""

import pickle
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pyopencl as cl
import pytest
from cli_runs import python

from clgraph.device import Device, get_device
from clgraph.device.choosing import _raw_devices
from clgraph.device.hardware import TUNING, quirks
from clgraph.errors import DeviceError


@pytest.mark.smoke
def test_facts(device):
    assert device.fault is None
    assert device.kind in ("gpu", "cpu", "fpga", "emulator")
    assert device.compute_units >= 1
    assert device.max_buffer <= device.global_memory
    assert get_device(device.spec) is device
    assert get_device(device) is device
    assert device.spec in repr(device)
    with pytest.raises(TypeError, match="pass its spec"):
        pickle.dumps(device)


PIPELINES = """
import sys
import clgraph.device.doctor
from clgraph.device import get_device
device = get_device("cpu", kernels="ndrange")
assert not device.has_pipeline("traversal/search")
device.program("device/memory_fill")
assert not [name for name in sys.modules if name.startswith("clgraph.fpga")]
device = get_device("cpu", kernels="pipeline")
assert device.has_pipeline("traversal/search") and not device.has_pipeline("sampling/contract")
assert device.pipeline_parameter("UNROLL") == 4
assert "clgraph.fpga.programs" in sys.modules
"""


def test_fpga_is_imported_on_demand():
    """The hook between devices and `clgraph.fpga`: nothing of it is imported before one needs pipelines."""
    python("-c", PIPELINES).fine()


def raw(platform, name, type_, release=""):
    """A driver's device, as far as looking at it goes."""
    return SimpleNamespace(
        vendor="v",
        driver_version="1",
        max_compute_units=1,
        global_mem_size=1000,
        name=name,
        max_mem_alloc_size=100,
        local_mem_size=1,
        max_work_group_size=64,
        compiler_available=True,
        extensions="",
        version="OpenCL 1.2",
        opencl_c_version="OpenCL C 1.2",
        type=type_,
        platform=SimpleNamespace(name=platform, vendor="v", version=release),
    )


def fake(spec, platform, name, type_, fault=None, release=""):
    device = Device(raw(platform, name, type_, release), spec)
    device.__dict__["fault"] = fault
    return device


GPU, CPU, ACC = cl.device_type.GPU, cl.device_type.CPU, cl.device_type.ACCELERATOR
POCL, INTEL = "Portable Computing Language", "Intel(R) OpenCL"
EMULATOR, BOARDS = "Intel(R) FPGA Emulation Platform for OpenCL(TM)", "Intel(R) FPGA SDK for OpenCL(TM)"
MACHINE = [
    fake("0:0", "Clover-like", "quick", GPU, fault="builds fail"),
    fake("1:0", POCL, "pthread-old", CPU, fault="unknown target CPU", release="PoCL 3.0-rc2  Linux"),
    fake("1:1", POCL, "pthread-older", CPU, release="PoCL 2.9"),
    fake("2:0", POCL, "pthread-new", CPU, release="PoCL 3.1+debian  Linux"),
    fake("3:0", INTEL, "Xeon", CPU),
    fake("4:0", EMULATOR, "Intel(R) FPGA Emulation Device", ACC),
    fake("5:0", "NVIDIA CUDA", "NVIDIA H200", GPU),
    fake("5:1", "NVIDIA CUDA", "NVIDIA H200", GPU),
    fake("5:2", "NVIDIA CUDA", "NVIDIA T4", GPU),
]


@pytest.mark.parametrize(
    ("platform", "name", "type_", "kind", "shares"),
    [
        ("NVIDIA CUDA", "NVIDIA H200", GPU, "gpu", False),
        ("Intel(R) OpenCL Graphics", "Intel(R) UHD", GPU, "gpu", False),
        (POCL, "pthread-x", CPU, "cpu", True),
        (INTEL, "Intel(R) Xeon(R)", CPU, "cpu", True),
        (EMULATOR, "Intel(R) FPGA Emulation Device", ACC, "emulator", True),
        (BOARDS, "pac_s10_dc : Intel PAC", ACC, "fpga", False),
        ("Oclgrind", "Oclgrind Simulator", CPU | GPU | ACC, "simulator", False),
    ],
)
def test_kinds(platform, name, type_, kind, shares):
    found = quirks(raw(platform, name, type_))
    assert (found.kind, found.shares_memory) == (kind, shares)
    assert TUNING[found.kind].items >= 1


class Forgetful(dict[Any, Any]):
    """What was chosen, on a machine whose devices come and go."""

    def get(self, key, default=None):
        return default


@pytest.fixture
def machine(monkeypatch):
    devices = list(MACHINE)
    monkeypatch.setattr("clgraph.device.choosing.list_devices", lambda oclgrind=False: devices)
    monkeypatch.setattr("clgraph.device.choosing._chosen", Forgetful())
    for variable in ("CLGRAPH_DEVICE", "PYOPENCL_CTX", "PYOPENCL_TEST"):
        monkeypatch.delenv(variable, raising=False)
    return devices


@pytest.mark.parametrize(
    ("asked", "spec"),
    [
        *((word, "5:0") for word in ("gpu", "GPU", "nvidia", "h200")),
        *((word, "2:0") for word in ("cpu", "pocl")),
        *((word, "3:0") for word in ("intel", "3")),
        *((word, "4:0") for word in ("fpga", "emulator")),
        *((word, "5:2") for word in ("5:2", "T4", "nvidia:t4")),
    ],
)
def test_words(machine, asked, spec):
    assert get_device(asked).spec == spec


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        *((word, "pthread-new|NVIDIA T4") for word in ("5:", "pthread", "frobnicator", "9:0", "oclgrind")),
        *(("0:0", "BROKEN: builds fail"), ("1:0", "BROKEN: unknown target CPU")),  # named with the reason
        ("", "the device is an empty text: use gpu"),
    ],
)
def test_words_for_no_device(machine, asked, said):
    with pytest.raises(DeviceError, match=said):
        get_device(asked)


@pytest.mark.smoke
def test_unasked(machine):
    assert get_device().spec == "5:0"
    machine[:] = [d for d in machine if d.kind != "gpu"]
    assert get_device().spec == "2:0"
    machine.append(fake("6:0", BOARDS, "a board", ACC))
    assert get_device().spec == "6:0"
    assert get_device("fpga").spec == "6:0"
    machine[:] = [d for d in MACHINE if d.kind == "emulator" or d.fault]
    with pytest.raises(DeviceError, match="picked by default"):
        get_device()
    machine.clear()
    with pytest.raises(
        DeviceError, match=r"(?s)pip install 'pyclgraph\[cpu\]'.*apt-get install pocl-opencl-icd"
    ):
        get_device()


@pytest.mark.smoke
def test_order_of_wishes(machine, monkeypatch):
    monkeypatch.setenv("PYOPENCL_TEST", "3:0,1;nvidia:t4")
    assert get_device().spec == "3:0"
    monkeypatch.setenv("PYOPENCL_CTX", "5:2")
    assert get_device().spec == "5:2"
    monkeypatch.setenv("CLGRAPH_DEVICE", "pocl")
    assert get_device().spec == "2:0"
    assert get_device("intel").spec == "3:0"
    monkeypatch.setenv("CLGRAPH_DEVICE", "nonsense")
    with pytest.raises(DeviceError, match="CLGRAPH_DEVICE"):
        get_device()


def test_only_what_is_needed_is_probed(machine, monkeypatch):
    for device in machine:
        monkeypatch.delitem(vars(device), "fault")
    monkeypatch.setitem(vars(machine[3]), "fault", None)
    assert get_device("pocl").spec == "2:0"
    assert [d.spec for d in machine if "fault" in vars(d)] == ["2:0"]


def test_broken_platforms_are_skipped():
    empty = Mock(**{"get_devices.side_effect": cl.LogicError("DEVICE_NOT_FOUND")})
    assert _raw_devices(empty) == []
