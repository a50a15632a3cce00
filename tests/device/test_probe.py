"""Probes: whether a device works, and its features."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clgraph.device import Device, subprocesses
from clgraph.device import probe as probing
from clgraph.device.probe import probe, probe_features, run_probe
from clgraph.device.subprocesses import Found


@pytest.mark.smoke
def test_features_follow_what_was_measured(device: Device) -> None:
    measured = {
        "Portable Computing Language": {"HAVE_FP64", "HAVE_INT64_ATOMICS"},
        "Intel(R) OpenCL": {"HAVE_FP64", "HAVE_INT64_ATOMICS", "HAVE_SUBGROUPS", "HAVE_WORKGROUP_FUNCTIONS"},
        "Intel(R) FPGA Emulation Platform for OpenCL(TM)": {"HAVE_FP64"},
        "NVIDIA CUDA": {"HAVE_FP64", "HAVE_INT64_ATOMICS", "HAVE_PTX"},
    }
    assert device.features >= measured.get(device.platform_name, set())
    if device.kind == "emulator":
        assert "HAVE_INT64_ATOMICS" not in device.features
    assert ("HAVE_PREFETCH" in device.features) == (device.kind in ("cpu", "emulator"))
    assert {f"-D{name}" for name in device.features} <= set(device.build_options)


DIED = "ended the process that used it (SIGABRT): no output"


def dead(item: str) -> Found:
    return Found(item, "", None, DIED, True, 0.1)


def alive(item: str, value: Any) -> Found:
    return Found(item, "", value, None, False, 0.1)


def test_first_probe_is_made_in_a_child(
    device: Device, monkeypatch: pytest.MonkeyPatch, own_cache: Path
) -> None:
    """A driver that was never seen to work may abort; one that was is probed in this process."""
    asked: list[Any] = []
    found = [dead("device")]

    def go_through(*arguments: Any) -> Iterator[Found]:
        asked.append(arguments)
        return iter(found)

    monkeypatch.setattr(subprocesses, "go_through", go_through)
    assert probe(device) == f"the probe {DIED}"
    assert asked == [("clgraph.device.children", device.spec, device.identity)]
    found = [dead("")]  # as the process ended
    assert probe(device) == f"the probe {DIED}"
    # a child that failed otherwise says nothing about the driver
    found = [Found("", "", None, "exit status 1: x", False, 0.1)]
    assert probe(device) is None
    assert len(asked) == 3
    assert probe(device) is None
    assert len(asked) == 3


def test_a_feature_that_ends_its_process_is_lacking(
    device: Device, monkeypatch: pytest.MonkeyPatch, own_cache: Path
) -> None:
    """As on PoCL 5.0, whose compiler aborts where sub-groups stand beside barriers."""
    found = [alive("device", None), alive("standard", "-cl-std=CL3.0"), alive("FP64", True)]
    found += [dead("SUBGROUPS"), alive("PTX", False), alive("PREFETCH", True)]
    monkeypatch.setattr(subprocesses, "go_through", lambda *_: iter(found))
    wanted = ("-cl-std=CL3.0", {"HAVE_FP64", "HAVE_PREFETCH"})
    assert probe_features(device) == wanted
    found = []
    assert probe_features(device) == wanted  # from the disk cache

    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(own_cache / "other"))
    found = [dead("device")]
    assert probe_features(device) == ("", set())
    found = [alive("device", None), dead("standard"), dead("FP64")]
    assert probe_features(device) == ("", set())


@pytest.mark.slow
def test_children_find_the_features(device: Device, monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> None:
    """As this process does, which is asked where no child can be started."""
    standard, features = probe_features(device)
    assert features == device.features
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(own_cache / "other"))
    monkeypatch.setattr(sys, "executable", "")
    assert probe_features(device) == (standard, features)


def test_a_wrong_result_is_a_fault(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(device), "download", lambda *_: np.zeros(65, np.int32))
    assert "its result is wrong (sum 0, expected 2016" in str(run_probe(device))


def test_a_device_that_gives_up_long_loops_is_broken(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As llvmpipe of Mesa 22.3 does after 65535 steps; the results would be wrong and nobody would know."""
    x = 1
    for _ in range(1000):
        x = (5 * x + 1) % 2**32
    assert probing.loop_end(1000) == x
    monkeypatch.setattr(probing, "loop_end", lambda _: 7)
    assert "it gives up long loops: 1048576 steps ended too early" in str(run_probe(device))
