"""Probes: whether a device works, and its features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clgraph.device import Device, child
from clgraph.device import probe as probing
from clgraph.device.probe import probe, probe_features, run_probe


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
    assert asked == [
        ("clgraph.device.first_probe", what, device.spec, *device.identity) for what in ("all", "device")
    ]
    answer = (None, "exit status 1", False)  # a child that failed otherwise says nothing about the driver
    assert probe(device.queues, device.memory) is None
    assert len(asked) == 3
    assert probe(device.queues, device.memory) is None
    assert len(asked) == 3


def test_a_feature_that_ends_its_process_is_lacking(
    device: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As on PoCL 5.0, whose compiler aborts where sub-groups stand beside barriers."""
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path))
    died = (None, "ended the process that used it (SIGABRT)", True)
    asked: list[str] = []

    def ask(module: str, what: str, spec: str, *identity: str) -> Any:
        asked.append(what)
        if what in ("features", "SUBGROUPS"):
            return died
        return ["-cl-std=CL3.0", [] if what == "none" else [f"HAVE_{what}"]], None, False

    monkeypatch.setattr(child, "ask", ask)
    monkeypatch.setattr(probing, "_candidates", lambda *_: ["FP64", "SUBGROUPS", "PREFETCH"])
    wanted = ("-cl-std=CL3.0", {"HAVE_FP64", "HAVE_PREFETCH"})
    assert probe_features(device.queues, device.memory) == wanted
    assert asked == ["features", "none", "FP64", "SUBGROUPS", "PREFETCH"]
    assert probe_features(device.queues, device.memory) == wanted  # from the disk cache
    assert len(asked) == 5

    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path / "other"))
    monkeypatch.setattr(child, "ask", lambda *_: died)
    assert probe_features(device.queues, device.memory) == ("", set())


@pytest.mark.slow
def test_children_find_the_features(device: Device, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In one child, and with a child for each."""
    monkeypatch.setenv("CLGRAPH_CACHE_DIR", str(tmp_path))
    standard, features = probe_features(device.queues, device.memory)
    assert features == device.features
    assert probing._each_in_a_child(device.hardware) == (standard, sorted(features))


def test_a_wrong_result_is_a_fault(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(device), "download", lambda *_: np.zeros(65, np.int32))
    assert "its result is wrong (sum 0, expected 2016" in str(run_probe(device.queues, device.memory))


def test_a_driver_that_leaves_the_process_has_ended_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As rusticl's translator does, with status 8; Python's own failures say nothing about a driver."""
    (tmp_path / "leaving.py").write_text(
        "import os, sys\n"
        "from clgraph.device import child\n"
        "child.started()\n"
        "if sys.argv[1] == 'python':\n"
        "    raise OSError('not the driver')\n"
        "os._exit(8 if sys.argv[1] == 'status' else 0)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for how, dead in (("status", True), ("silently", True), ("python", False)):
        answer, problem, died = child.ask("leaving", how)
        assert answer is None
        assert died is dead
        assert ("ended the process that used it" in str(problem)) is dead
    assert child.ask("no_such_module")[2] is False


def test_a_device_that_gives_up_long_loops_is_broken(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """As llvmpipe of Mesa 22.3 does after 65535 steps; the results would be wrong and nobody would know."""
    x = 1
    for _ in range(1000):
        x = (5 * x + 1) % 2**32
    assert probing.loop_end(1000) == x
    monkeypatch.setattr(probing, "loop_end", lambda _: 7)
    assert "it gives up long loops: 1048576 steps ended too early" in str(
        run_probe(device.queues, device.memory)
    )
