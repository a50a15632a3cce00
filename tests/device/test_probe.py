"""Probes: whether a device works, and its features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clgraph.device import Device, child
from clgraph.device.probe import probe, run_probe


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
    assert "SIGABRT" in str(probe(device.queues, device.memory))
    assert asked == [("clgraph.device.first_probe", device.spec, *device.identity)]
    answer = (None, "exit status 1", False)  # a child that failed otherwise says nothing about the driver
    assert probe(device.queues, device.memory) is None
    assert len(asked) == 2
    assert probe(device.queues, device.memory) is None
    assert len(asked) == 2


def test_a_wrong_result_is_a_fault(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device.memory, "download", lambda *_: np.zeros(65, np.int32))
    assert "its result is wrong (sum 0, expected 2016" in str(run_probe(device.queues, device.memory))
