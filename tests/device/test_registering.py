"""Drivers that pip installed, registered with the loader inside pyopencl's wheel."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runs import environment

from clgraph.device import drivers
from clgraph.device.drivers import Icd
from clgraph.errors import DeviceError


def test_each_missed_driver_gets_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    icds = [Icd("/x/liba.so", "system"), Icd("/x/libb.so.1", "pip package b 1", corrected=True)]
    monkeypatch.setattr(drivers, "find_icds", lambda: icds)
    monkeypatch.setattr(drivers, "_bundled_folder", lambda: tmp_path)
    before = os.umask(0o077)
    try:
        assert drivers.register() == [f"{tmp_path}/clgraph-libb.icd: /x/libb.so.1 (pip package b 1)"]
    finally:
        os.umask(before)
    assert [stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()] == [0o644]
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [
        ("clgraph-libb.icd", "/x/libb.so.1\n")
    ]
    monkeypatch.setattr(drivers, "find_icds", lambda: icds[:1])
    assert drivers.register() == []


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(drivers, "find_icds", lambda: [Icd("/x/libb.so", "pip", corrected=True)])
    monkeypatch.setattr(drivers, "_bundled_folder", lambda: tmp_path / "gone")
    with pytest.raises(
        DeviceError, match=r"As root: echo /x/libb\.so > /etc/OpenCL/vendors/clgraph-libb\.icd"
    ):
        drivers.register()


def test_what_is_registered_is_found_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    library = tmp_path / "libone.so"
    library.touch()
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
    monkeypatch.setattr(drivers, "pip_icds", lambda: [Icd(str(library), "pip package one 1", corrected=True)])
    assert str(library) in [icd.library for icd in drivers.find_icds() if icd.corrected]
    monkeypatch.setattr(drivers, "bundled_icds", lambda: [Icd(str(library), "beside", bundled=True)])
    found = [icd for icd in drivers.find_icds() if icd.library == str(library)]
    assert [icd.bundled for icd in found] == [True]


def test_drivers_that_the_loader_was_told_of_too_late() -> None:
    missed = [icd.library for icd in drivers.find_icds() if icd.corrected and "intel" in icd.library]
    if not missed:
        pytest.skip("no driver here needs correcting")
    code = (
        "import pyopencl\n"
        "try: pyopencl.get_platforms()\n"
        "except pyopencl.Error: pass\n"
        "import clgraph\n"
        "try: clgraph.get_device('intel')\n"
        "except clgraph.DeviceError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert missed[0] in done.stdout and "clgraph doctor --fix" in done.stdout, done.stdout + done.stderr
    code = "import clgraph; print(clgraph.get_device('intel').kind)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.stdout == "cpu\n"
