"""``clgraph devices``, ``doctor``, ``cache``: what they say where all is well and where nothing is."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from devices import has_oclgrind, working_devices

import clgraph
from clgraph.device import doctor, drivers, subprocesses
from clgraph.device.subprocesses import Found

ROOT = Path(clgraph.__file__).parent.parent


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "clgraph", *arguments],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture
def nowhere(tmp_path: Path) -> str:
    """An OCL_ICD_VENDORS that leads to no driver."""
    return str(tmp_path)


# --- devices --------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_devices() -> None:
    done = run("devices")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")
    assert max(map(len, lines)) <= 80
    report = json.loads(run("devices", "--json").stdout)
    specs = {d["spec"]: d for d in report["devices"]}
    for device in working_devices().values():
        assert specs[device.spec]["working"], specs[device.spec]["reason"]
        assert specs[device.spec]["features"] == sorted(device.features)
        assert any(device.spec in line for line in lines)
    assert sum(p["devices"] for p in report["platforms"]) == len(specs)
    assert not any(d["kind"] == "simulator" for d in specs.values())


def test_devices_without_platform(nowhere: str) -> None:
    for option in ([], ["--json"]):
        done = run("devices", *option, OCL_ICD_VENDORS=nowhere)
        assert done.returncode == 1
        assert "pip install 'pyclgraph[cpu]'" in done.stderr
    assert json.loads(done.stdout) == {"platforms": [], "devices": []}


@pytest.mark.skipif(not has_oclgrind(), reason="Oclgrind is not installed")
def test_oclgrind_is_shown_when_asked_for() -> None:
    report = json.loads(run("devices", "--json", CLGRAPH_DEVICE="oclgrind").stdout)
    assert [d["working"] for d in report["devices"] if d["kind"] == "simulator"] == [True]


@pytest.mark.smoke
def test_remedy_for_pocl_from_pypi() -> None:
    """On CPUs newer than its LLVM it lists a device and fails every build."""
    listed = {
        "spec": "0:0",
        "name": "pthread-x",
        "platform": "Portable Computing Language",
        "has_compiler": True,
        "platform_version": "OpenCL 3.0 PoCL 3.0-rc2",
        "kind": "cpu",
        "working": False,
        "reason": "builds fail: error: unknown target CPU 'generic'",
    }
    (fault,) = list(doctor._device_faults([listed]))
    assert "unknown target CPU" in fault["fault"]
    assert "apt-get install pocl-opencl-icd" in fault["remedy"]
    assert "uninstall" not in fault["remedy"]


# --- doctor ---------------------------------------------------------------------------------------


@pytest.mark.smoke
def test_doctor_where_all_is_well() -> None:
    done = run("doctor", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == (1 if report["faults"] else 0)
    assert report["working"] >= len(working_devices())
    assert report["versions"]["clgraph"] == clgraph.__version__
    assert "libOpenCL" in report["loader"]["library"]
    for icd in report["icds"]:
        assert icd["loads"], icd
    plain = run("doctor").stdout
    for heading in ("Versions", "Loader", "Drivers", "Devices", "Cache"):
        assert heading in plain
    assert max(map(len, plain.split("\n"))) <= 80


def test_doctor_without_platform(nowhere: str) -> None:
    done = run("doctor", OCL_ICD_VENDORS=nowhere)
    assert done.returncode == 1
    assert "unset OCL_ICD_VENDORS" in done.stdout
    assert "pip install 'pyclgraph[cpu]'" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_doctor_names_a_driver_that_does_not_load(tmp_path: Path) -> None:
    (tmp_path / "bad.icd").write_text("/nowhere/libgone.so\n")
    (tmp_path / "empty.icd").write_text("")
    report = json.loads(run("doctor", "--json", OCL_ICD_VENDORS=str(tmp_path)).stdout)
    states = {Path(icd["origin"]).name: icd for icd in report["icds"]}
    assert "cannot open shared object file" in states["bad.icd"]["error"]
    assert "empty" in states["empty.icd"]["error"]
    remedy = next(f["remedy"] for f in report["faults"] if "libgone.so" in f["fault"])
    assert remedy == "reinstall that driver, or have the owner of the file remove it"
    assert report["working"] == 0


def test_doctor_survives_a_driver_that_kills(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child that dies is a finding: the device that it was at is broken."""
    device: dict[str, Any] = {"spec": "0:0", "name": "a", "kind": "cpu"}
    good: dict[str, Any] = {"spec": "1:0", "name": "b", "kind": "cpu"}
    died = "ended the process that used it (SIGSEGV): no output"
    found = [
        Found("list", "", [device, good], None, False, 0.1),
        Found("0:0", "", None, died, True, 0.1),
        Found("1:0", "", {**good, "working": True, "reason": None}, None, False, 0.1),
    ]
    monkeypatch.setattr(subprocesses, "go_through", lambda *_, **__: iter(found))
    devices, faults = doctor._devices()
    assert [d["working"] for d in devices] == [False, True]
    assert (
        devices[0]["reason"] == f"the probe {died}" and devices[0]["verdict"] == f"BROKEN: the probe {died}"
    )
    assert faults == []
    found = [Found("list", "", None, died, True, 0.1)]
    devices, faults = doctor._devices()
    assert devices == []
    assert faults[0]["fault"] == f"asking the drivers for their devices {died}"
    for value, problem in (("the OpenCL loader failed", None), (None, "exit status 1: No module named 'x'")):
        found = [Found("list" if value else "", "", value, problem, False, 0.1)]
        devices, faults = doctor._devices()
        assert devices == [] and (value or problem) in faults[0]["fault"]
        assert faults[0]["remedy"] == "pip install --force-reinstall pyopencl"


def test_releases_that_do_not_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drivers, "pip_icds", lambda: [drivers.Icd("/x/libintelocl.so", "")])
    versions = dict.fromkeys(doctor.PACKAGES) | {
        "intel-opencl-rt": "2026.0.1",
        "intel-cmplr-lib-rt": "2025.0.5",
        "intel-opencl-fpga-emu-rt": "2025.0.5",
    }
    texts = [f["fault"] + " -> " + f["remedy"] for f in doctor._package_faults(versions)]
    assert len(texts) == 3
    assert "pyclgraph[fpga-emulator]" in texts[0]
    assert "pyclgraph[cpu]" in texts[1]
    assert "libintelocl_emu.so is missing" in texts[2]
    assert list(doctor._package_faults(dict.fromkeys(doctor.PACKAGES))) == []


# --- names -----------------------------------------------------------------------------------------


def test_another_distribution_of_the_same_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The package index has another `clgraph`; ours is pyclgraph."""
    (tmp_path / "clgraph-7.0.dist-info").mkdir()
    (tmp_path / "clgraph-7.0.dist-info/METADATA").write_text("Name: clgraph\nVersion: 7.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    fault = next(doctor._name_faults())
    assert f"another distribution, clgraph 7.0 in {tmp_path}, has the same import name" in fault["fault"]
    assert fault["remedy"] == "python3 -m venv ENV && ENV/bin/pip install pyclgraph   (where it is alone)"


def test_another_copy_of_clgraph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    info = tmp_path / "pyclgraph-0.1.0.dist-info"
    for folder in (info, tmp_path / "clgraph"):
        folder.mkdir()
    (info / "METADATA").write_text("Name: pyclgraph\nVersion: 0.1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "clgraph/cl").mkdir()
    assert list(doctor._name_faults()) == []  # an editable install, whose wheel has only the kernels
    (tmp_path / "clgraph/__init__.py").touch()
    fault = list(doctor._name_faults())[-1]
    assert f"Python imports clgraph from {ROOT / 'clgraph'}" in fault["fault"]
    assert f"pyclgraph is installed in {tmp_path / 'clgraph'}" in fault["fault"]
    assert fault["remedy"] == f"take {ROOT} out of PYTHONPATH"


def test_no_other_clgraph(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing to report in a checkout, or where the installed package is the imported one."""
    monkeypatch.setattr(doctor, "find_distribution", lambda name: None)
    assert list(doctor._name_faults()) == []
    (tmp_path / "METADATA").write_text("Name: pyclgraph\nVersion: 0.1.0\n")
    ours = importlib.metadata.PathDistribution(tmp_path)
    monkeypatch.setattr(ours, "locate_file", lambda path: ROOT / path)
    monkeypatch.setattr(doctor, "find_distribution", lambda name: ours if name == "pyclgraph" else None)
    assert list(doctor._name_faults()) == []


# --- cache ----------------------------------------------------------------------------------------


def test_cache_command(tmp_path: Path) -> None:
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs/x").write_bytes(b"12345")
    report = json.loads(run("cache", "--json", CLGRAPH_CACHE_DIR=str(tmp_path)).stdout)
    rooms = {"programs": {"files": 1, "bytes": 5}}
    assert report == {"folder": str(tmp_path), "limit": 512 << 20, "rooms": rooms}
    done = run("cache", CLGRAPH_CACHE_DIR=str(tmp_path), CLGRAPH_CACHE_SIZE="3G")
    assert done.stdout == f"{tmp_path}, at most 3.0 GiB\n  programs: 1 files, 5 B\n"
    done = run("cache", CLGRAPH_CACHE_SIZE="much")
    assert (done.returncode, done.stdout) == (1, "")
    assert "error: CLGRAPH_CACHE_SIZE is 'much': give bytes, or a whole number with K, M, G" in done.stderr
    done = run("cache", "--clear", CLGRAPH_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0
    assert "cleared" in done.stdout
    assert not (tmp_path / "programs").exists()
