"""Devices: kinds, quirks, memory, choosing, probes."""

from __future__ import annotations

import gc
import pickle
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

from clgraph.device import TUNING, Device, child, get_device, quirks
from clgraph.device.choosing import _raw_devices
from clgraph.device.memory import HostBuffer
from clgraph.device.probe import probe, run_probe
from clgraph.device.program import build_source
from clgraph.errors import CapacityError, DeviceError
from clgraph.graph.aligned import aligned, aligned_empty

READ = "__kernel void read(__global const int *in, __global int *out, int n)\
 { int i = get_global_id(0); if (i < n) out[i] = in[i]; }"


class Owner:
    """Something that can be weakly referenced, as a Graph can."""


def raw(platform: str, name: str, type_: int, **more: Any) -> Any:
    """A driver's device, as far as looking at it goes."""
    values: dict[str, Any] = {
        "vendor": "v",
        "driver_version": "1",
        "max_compute_units": 1,
        "global_mem_size": 1000,
        "name": name,
        "max_mem_alloc_size": 100,
        "local_mem_size": 1,
        "max_work_group_size": 64,
        "compiler_available": True,
        "extensions": "",
        "version": "OpenCL 1.2",
        "opencl_c_version": "OpenCL C 1.2",
        "type": type_,
        "platform": SimpleNamespace(name=platform, vendor="v", version=more.pop("release", "")),
    }
    return SimpleNamespace(**(values | more))


def fake(spec: str, platform: str, name: str, type_: int, fault: str | None = None, **more: Any) -> Device:
    device = Device(raw(platform, name, type_, **more), spec)
    device.__dict__["fault"] = fault
    return device


GPU, CPU, ACC = cl.device_type.GPU, cl.device_type.CPU, cl.device_type.ACCELERATOR
POCL, INTEL = "Portable Computing Language", "Intel(R) OpenCL"
EMULATOR = "Intel(R) FPGA Emulation Platform for OpenCL(TM)"


# --- kinds ----------------------------------------------------------------------------------------


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
    found = quirks(raw(platform, name, type_))
    assert (found.kind, found.shares_memory) == (kind, shares)
    assert TUNING[found.kind].items >= 1


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


def test_features_follow_what_was_measured(device: Device) -> None:
    measured = {
        POCL: {"HAVE_FP64", "HAVE_INT64_ATOMICS"},
        INTEL: {"HAVE_FP64", "HAVE_INT64_ATOMICS", "HAVE_SUBGROUPS", "HAVE_WORKGROUP_FUNCTIONS"},
        "Intel(R) FPGA Emulation Platform for OpenCL(TM)": {"HAVE_FP64"},
        "NVIDIA CUDA": {"HAVE_FP64", "HAVE_INT64_ATOMICS", "HAVE_PTX"},
    }
    assert device.features >= measured.get(device.platform_name, set())
    if device.kind == "emulator":
        assert "HAVE_INT64_ATOMICS" not in device.features
    assert {f"-D{name}" for name in device.features} <= set(device.build_options)


def test_first_probe_is_made_in_a_child(
    device: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A driver that was never seen to work may abort; one that was is probed in this process."""
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path))
    asked: list[Any] = []
    answer = (None, "ended the process that used it (SIGABRT)", True)

    def ask(*arguments: str) -> Any:
        asked.append(arguments)
        return answer

    monkeypatch.setattr(child, "ask", ask)
    assert "SIGABRT" in str(probe(device))
    assert asked == [("clgraph.device.first_probe", device.spec, *device.identity)]
    answer = (None, "exit status 1", False)  # a child that failed otherwise says nothing about the driver
    assert probe(device) is None
    assert len(asked) == 2
    assert probe(device) is None
    assert len(asked) == 2


def test_a_wrong_result_is_a_fault(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "download", lambda *_: np.zeros(65, np.int32))
    assert "its result is wrong (sum 0, expected 2016" in str(run_probe(device))


# --- memory ---------------------------------------------------------------------------------------


def test_up_and_down(device: Device) -> None:
    array = np.arange(1000, dtype=np.int64)
    for writable in (False, True):
        assert np.array_equal(device.download(device.upload(array, writable=writable), np.int64, 1000), array)
    buffer = device.zeros(10, np.float32)
    device.write(buffer, np.array([1, 2], np.float32), offset=3)
    assert device.download(buffer, np.float32, 4, offset=2).tolist() == [0, 1, 2, 0]
    other = device.empty(10, np.float32)
    device.copy(other, buffer, 40)
    assert device.download(other, np.float32, 10).tolist() == [0, 0, 0, 1, 2, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint32, np.int64, np.float32, np.float64])
def test_fill(device: Device, dtype: Any) -> None:
    buffer = device.zeros(100, dtype)
    device.fill(buffer, dtype(5), 60)
    assert device.download(buffer, dtype, 100).tolist() == [5] * 60 + [0] * 40
    with pytest.raises(TypeError, match="NumPy scalar"):
        device.fill(buffer, 5, 60)  # type: ignore[arg-type]


def test_nothing_at_all(device: Device) -> None:
    empty = np.zeros(0, np.int32)
    for buffer in (device.upload(empty), device.upload(empty, writable=True), device.zeros(0, np.int32)):
        assert device.download(buffer, np.int32, 0).shape == (0,)
    device.write(buffer, empty)
    device.copy(buffer, buffer, 0)


def test_awkward_arrays(device: Device) -> None:
    base = np.arange(40, dtype=np.int32)
    unaligned = np.frombuffer(b"x" + base.tobytes(), np.int32, offset=1)
    fixed = base.copy()
    fixed.flags.writeable = False
    for array in (base[::2], base.astype(">i4"), unaligned, fixed, base.reshape(4, 10).T):
        got = device.download(device.upload(array), np.int32, array.size)
        assert np.array_equal(got, np.ascontiguousarray(array).ravel())


@pytest.mark.parametrize("count", [10, 3000, 100_001])
@pytest.mark.parametrize("skip", [0, 32, 1])
def test_shared_memory_is_not_copied(device: Device, count: int, skip: int) -> None:
    """Kernels of devices that share the host's memory see the array itself, not a copy."""
    if not device.shares_memory:
        pytest.skip(f"{device.kind}: has a memory of its own")
    if skip == 1 and device.platform_name != POCL:
        pytest.skip("Intel's runtimes copy what is not at a multiple of 128 bytes")
    array = aligned_empty(count + skip, np.int32)[skip:]
    array[:] = 0
    buffer = device.upload(array)
    kernel = build_source(device, "read", READ, ()).read
    out = device.empty(count, np.int32)
    for value in (1, 2, 3):
        array[:] = value  # what the contract forbids, but what tells a copy from the array
        kernel(count, buffer, out, np.int32(count))
        assert np.all(device.download(out, np.int32, count) == value)


def test_aligned() -> None:
    for array in (np.arange(1000), np.arange(1000)[1:], np.ones((3, 5))[:, ::2], np.zeros(0)):
        same = aligned(array)
        assert np.array_equal(same, array)
        assert same.ctypes.data % 128 == 0 or not same.size
        assert aligned(same) is same


def test_writable_upload_is_a_copy(device: Device) -> None:
    array = np.zeros(10, np.int32)
    device.fill(device.upload(array, writable=True), np.int32(1), 10)
    device.finish()
    assert not array.any()


def test_array_outlives_its_buffer_until_the_device_has_waited(device: Device) -> None:
    if not device.shares_memory:
        pytest.skip(f"{device.kind}: has a memory of its own")
    device.finish()
    array = np.arange(10, dtype=np.int32)
    alive = weakref.ref(array)
    buffer = device.upload(array)
    assert isinstance(buffer, HostBuffer)
    del array, buffer
    gc.collect()
    assert alive() is not None
    device.finish()
    gc.collect()
    assert alive() is None


def test_cached(device: Device) -> None:
    owner, made = Owner(), []

    def make() -> Any:
        made.append(1)
        return device.zeros(10, np.int32)

    first = device.cached(owner, "x", make)
    assert device.cached(owner, "x", make) is first
    assert device.cached(owner, "y", make) is not first
    assert len(made) == 2
    device.release()
    assert device.cached(owner, "x", make) is not first
    assert len(made) == 3
    key = id(owner)
    assert key in device.memory._cached
    del owner
    gc.collect()
    assert key not in device.memory._cached


def test_capacity(device: Device) -> None:
    device.reserve({"row_ptr": 1000, "col_idx": 0})
    with pytest.raises(CapacityError) as error:
        device.reserve({"row_ptr": device.max_buffer + 1})
    assert "row_ptr" in str(error.value)
    assert str(device.max_buffer) in str(error.value)
    assert str(device.max_buffer + 1) in str(error.value)
    part = device.max_buffer
    pieces = {f"part{i}": part for i in range(device.global_memory // part + 1)}
    with pytest.raises(CapacityError) as error:
        device.reserve(pieces)
    assert str(device.global_memory) in str(error.value)
    assert str(part * len(pieces)) in str(error.value)
    with pytest.raises(CapacityError, match=str(device.max_buffer)):
        device.empty(device.max_buffer + 1, np.int8)


# --- choosing -------------------------------------------------------------------------------------

MACHINE = [
    fake("0:0", "Clover-like", "quick", GPU, fault="builds fail"),
    fake("1:0", POCL, "pthread-old", CPU, fault="unknown target CPU", release="PoCL 3.0-rc2  Linux"),
    fake("1:1", POCL, "pthread-older", CPU, release="PoCL 2.9"),
    fake("2:0", POCL, "pthread-new", CPU, release="PoCL 3.1+debian  Linux"),
    fake("3:0", INTEL, "Xeon", CPU),
    fake("4:0", "Intel(R) FPGA Emulation Platform for OpenCL(TM)", "Intel(R) FPGA Emulation Device", ACC),
    fake("5:0", "NVIDIA CUDA", "NVIDIA H200", GPU),
    fake("5:1", "NVIDIA CUDA", "NVIDIA H200", GPU),
    fake("5:2", "NVIDIA CUDA", "NVIDIA T4", GPU),
]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> list[Device]:
    devices = list(MACHINE)
    monkeypatch.setattr("clgraph.device.choosing.list_devices", lambda oclgrind=False: devices)
    for variable in ("CLGRAPH_DEVICE", "PYOPENCL_CTX", "PYOPENCL_TEST"):
        monkeypatch.delenv(variable, raising=False)
    return devices


@pytest.mark.parametrize(
    ("asked", "spec"),
    [
        ("gpu", "5:0"),
        ("GPU", "5:0"),
        ("nvidia", "5:0"),
        ("cpu", "2:0"),
        ("pocl", "2:0"),
        ("intel", "3:0"),
        ("fpga", "4:0"),
        ("emulator", "4:0"),
        ("5:2", "5:2"),
        ("3", "3:0"),
        ("h200", "5:0"),
        ("T4", "5:2"),
        ("nvidia:t4", "5:2"),
        ("5:", None),
        ("pthread", None),
        ("frobnicator", None),
        ("9:0", None),
        ("0:0", None),
        ("1:0", None),
        ("oclgrind", None),
        ("", None),
    ],
)
def test_words(machine: list[Device], asked: str, spec: str | None) -> None:
    if spec is not None:
        assert get_device(asked).spec == spec
        return
    with pytest.raises(DeviceError) as error:
        get_device(asked)
    if asked in ("0:0", "1:0"):  # broken ones are named with the reason
        assert f"BROKEN: {machine[int(asked[0])].fault}" in str(error.value)
    elif asked:
        assert "pthread-new" in str(error.value) or "NVIDIA T4" in str(error.value)  # what there is


def test_unasked(machine: list[Device]) -> None:
    assert get_device().spec == "5:0"
    machine[:] = [d for d in machine if d.kind != "gpu"]
    assert get_device().spec == "2:0"
    machine.append(fake("6:0", "Intel(R) FPGA SDK for OpenCL(TM)", "a board", ACC))
    assert get_device().spec == "6:0"
    assert get_device("fpga").spec == "6:0"
    machine[:] = [d for d in MACHINE if d.kind == "emulator" or d.fault]
    with pytest.raises(DeviceError, match="picked by default"):
        get_device()
    machine.clear()
    with pytest.raises(DeviceError, match="pip install 'pyclgraph"):
        get_device()


def test_order_of_wishes(machine: list[Device], monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_only_what_is_needed_is_probed(machine: list[Device]) -> None:
    for device in machine:
        device.__dict__.pop("fault")
    machine[3].__dict__["fault"] = None
    assert get_device("pocl").spec == "2:0"
    assert [d.spec for d in machine if "fault" in d.__dict__] == ["2:0"]
    for device, old in zip(MACHINE, ("builds fail", "unknown target CPU", *[None] * 7), strict=True):
        device.__dict__["fault"] = old


def test_broken_platforms_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    class Empty:
        name = "Clover"

        def get_devices(self) -> list[Any]:
            raise cl.LogicError("DEVICE_NOT_FOUND")

    assert _raw_devices(Empty()) == []


def test_strange_argument() -> None:
    with pytest.raises(DeviceError, match="give a spec"):
        get_device(3)  # type: ignore[arg-type]
