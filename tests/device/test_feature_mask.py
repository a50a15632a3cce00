"""CLGRAPH_WITHOUT: what it hides, what it refuses, and that what a poor device lacks is refused, not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import clgraph
from clgraph.device import get_device
from clgraph.device.hardware import FEATURES, Setup, Without
from clgraph.device.launch_config import fit_group
from clgraph.device.probe import _candidates
from clgraph.device.program import build_source, read_source
from clgraph.errors import BuildError, CapacityError, DeviceError, InputError

if TYPE_CHECKING:
    from clgraph.device import Device


def poorer(device: Device, text: str) -> Device:
    return device.with_setup(Setup(device.setup.kernels, without=Without.wanted(text)))


def test_what_is_hidden() -> None:
    found = Without.wanted(" fp64, PREFETCH,work_group=64,local_memory=16K,buffer=128M,memory=2G,compiler")
    assert found.features == {"FP64", "PREFETCH"} and found.compiler
    assert dict(found.limits) == {
        "work_group": 64,
        "local_memory": 16 << 10,
        "buffer": 128 << 20,
        "memory": 2 << 30,
    }
    assert Without.wanted(str(found)) == found
    assert Without.wanted("features").features == set(FEATURES)
    assert Without.wanted("") == Without.wanted(" , ") == Without() and str(Without()) == ""


@pytest.mark.parametrize(
    "text", ["fp65", "work_group", "fp64=1", "compiler=no", "groups=3", "=", "fp64 prefetch"]
)
def test_unknown_names_are_refused(text: str) -> None:
    with pytest.raises(DeviceError, match=r"no feature and no limit: use fp64, .*work_group=N"):
        Without.wanted(text)


@pytest.mark.parametrize("value", ["", "0", "-1", "1.5", "many", "1T", "K", "1" * 16])
def test_limits_are_numbers(value: str) -> None:
    with pytest.raises(DeviceError, match="is no limit: give a whole number"):
        Without.wanted(f"work_group={value}")


def test_every_feature_has_a_name(device: Device) -> None:
    class Everything:
        extensions = "cl_khr_fp64 cl_khr_int64_base_atomics cl_khr_int64_extended_atomics " + (
            "subgroups cl_ext_float_atomics"
        )

    class Rich:
        raw, platform_name, kind = Everything(), "NVIDIA CUDA", "cpu"

    assert set(_candidates(Rich(), True)) == set(FEATURES)  # type: ignore[arg-type]


def test_the_variable_makes_a_poorer_device(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLGRAPH_WITHOUT", "fp64,work_group=8,buffer=1M")
    poor = get_device(device.spec)
    assert poor is not device and poor is get_device(device.spec)
    assert poor.features == device.features - {"HAVE_FP64"}
    assert (poor.max_work_group, poor.max_buffer, poor.local_memory) == (8, 1 << 20, device.local_memory)
    monkeypatch.setenv("CLGRAPH_WITHOUT", "work_group=1G,local_memory=1G")
    assert get_device(device.spec).max_work_group == device.max_work_group  # nothing is added
    monkeypatch.setenv("CLGRAPH_WITHOUT", "fp46")
    with pytest.raises(DeviceError, match="'fp46' is no feature"):
        get_device(device.spec)


def test_beyond_the_limits_nothing_runs(device: Device) -> None:
    poor = poorer(device, "work_group=8,local_memory=1K,buffer=64K,memory=100K")
    source = (
        "__kernel void plain(__global int *x) { x[get_global_id(0)] = 1; }\n"
        "__kernel void shared(__global int *x) { __local int y[512]; y[get_local_id(0)] = 1;"
        " barrier(CLK_LOCAL_MEM_FENCE); x[get_global_id(0)] = y[0]; }"
    )
    made = build_source(poor, "test", source, ())
    out = poor.zeros(16, np.int32)
    made.plain(16, x=out)
    assert made.plain.limit == 8 and poor.download(out, np.int32, 16).all()
    with pytest.raises(
        DeviceError, match=r"plain \(cl/test\.cl, line 1\) needs a work-group of 16 .* takes 8 at most"
    ):
        made.plain.exact(16, x=out, local=16)
    with pytest.raises(DeviceError, match="needs a work-group of 16"):
        made.plain((4, 4), x=out, local=(4, 4))
    with pytest.raises(
        DeviceError, match=r"shared \(cl/test\.cl, line 2\) needs 2\d\d\d bytes of local memory"
    ):
        made.shared  # noqa: B018
    with pytest.raises(CapacityError, match="the largest possible is 65536"):
        poor.empty(65537, np.uint8)
    with pytest.raises(CapacityError, match="the device has 102400 bytes"):
        poor.reserve({"a": 60_000, "b": 60_000})


@pytest.mark.parametrize(
    ("feature", "line"),
    [
        ("FP64", "double x = 1;"),
        ("INT64_ATOMICS", "atom_add(y, 1ul);"),
        ("PREFETCH", "__builtin_prefetch(y);"),
    ],
)
def test_what_is_hidden_does_not_build(device: Device, feature: str, line: str) -> None:
    """A kernel that uses a feature without asking for it is seen."""
    if f"HAVE_{feature}" not in device.features:
        pytest.skip("the device has no such feature")
    source = read_source("device/memory_fill") + f"\n__kernel void use(__global ulong *y) {{ {line} }}"
    poor = poorer(device, feature.lower())
    build_source(device, "test", source, device.build_options)
    with pytest.raises(BuildError):
        build_source(poor, "test", source, poor.build_options, keep=False)


def test_what_is_not_there_is_refused_by_name(device: Device) -> None:
    graph = clgraph.Graph.from_edges([0, 1, 2], [1, 2, 0])
    with pytest.raises(InputError, match="no float64 arithmetic: use dtype='float32'"):
        clgraph.pagerank(graph, dtype="float64", device=poorer(device, "fp64"))
    poor = poorer(device, "buffer=1K,memory=4K")
    large = clgraph.Graph.from_edges(np.arange(2000), np.arange(1, 2001))
    for call in (
        lambda: clgraph.bfs(large, 0, device=poor),
        lambda: clgraph.connected_components(large, device=poor),
        lambda: clgraph.pagerank(large, device=poor),
        lambda: clgraph.sample(large, "drv", size="50%", seed=1, device=poor),
    ):
        with pytest.raises(CapacityError, match="bytes"):
            call()


def test_work_groups_are_halved_to_fit(device: Device) -> None:
    poor = poorer(device, "work_group=100,local_memory=1K")
    assert (
        fit_group(256, poor) == 64
        and fit_group(256, poor, each=64) == 16
        and fit_group(1, poor, each=4096) == 1
    )
