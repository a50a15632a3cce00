"""All kernels under Oclgrind: bounds, uninitialised reads, data races. The cases are in tests/oclgrind/."""

from __future__ import annotations

import fcntl
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import oclgrind
import pytest
from cli_runs import ROOT, environment

KERNELS = ROOT / "cl"
KERNEL = re.compile(r"^\s*(?:__)?kernel\s+(?:__attribute__\(\(.*?\)\)\s+)*void\s+(\w+)\(", re.MULTILINE)
# they run before any case does, as the device is made
PROBES = {"device/probe", "device/probe_features"}
CASES = [(subject, name) for subject in oclgrind.SUBJECTS for name in oclgrind.cases(subject)]
pytestmark = pytest.mark.usefixtures("oclgrind")


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Callable[[str], Path]:
    """``results(subject)``: the folder with the results of its cases, which run once in a session.

    They share a process, up to its forks; whichever worker of pytest-xdist asks first runs them.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent  # all workers' own folders lie in one

    def run(subject: str) -> Path:
        folder = shared / f"oclgrind-{subject}"
        folder.mkdir(exist_ok=True)
        with open(folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "done").exists():
                done = subprocess.run(
                    [sys.executable, ROOT / "tests" / "oclgrind", "--out", folder, *oclgrind.cases(subject)],
                    env=environment(),
                    capture_output=True,
                    text=True,
                )
                (folder / "done").write_text(done.stdout + done.stderr)
        return folder

    return run


def read(file: Path) -> str:
    return file.read_text(errors="replace") if file.exists() else ""


@pytest.mark.parametrize(
    ("subject", "name"),
    [
        pytest.param(subject, name, marks=pytest.mark.xdist_group(f"oclgrind {subject}"))
        for subject, name in CASES
        if name not in oclgrind.PLANTED
    ],
)
def test_clean(results: Callable[[str], Path], subject: str, name: str) -> None:
    folder = results(subject)
    assert read(folder / f"{name}.status").strip() == "0", read(folder / f"{name}.said") or read(
        folder / "done"
    )
    assert read(folder / f"{name}.log").strip() == ""


@pytest.mark.xdist_group("oclgrind device")
@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("planted_race", "race"),
        ("planted_overrun", "Invalid read"),
        ("planted_uninitialised", "ninitialized"),
    ],
)
def test_harness_sees_planted_faults(results: Callable[[str], Path], name: str, word: str) -> None:
    folder = results("device")
    assert word in read(folder / f"{name}.log"), read(folder / f"{name}.said")


def kernels_in_files() -> set[str]:
    """``PROGRAM KERNEL`` for each kernel of ``cl/``, but for the FPGA's, which are no ranges."""
    found = set()
    for file in KERNELS.rglob("*.cl"):
        program = file.relative_to(KERNELS).with_suffix("").as_posix()
        if not program.startswith("fpga/") and program not in PROBES:
            names = KERNEL.findall(file.read_text())
            assert names, f"{file}: no kernel was found in it"
            found |= {f"{program} {name}" for name in names}
    return found


@pytest.mark.xdist_group("oclgrind all")
def test_every_kernel_is_launched_by_a_case(results: Callable[[str], Path]) -> None:
    launched = {
        line
        for subject in oclgrind.SUBJECTS
        for file in results(subject).glob("*.kernels")
        for line in read(file).splitlines()
    }
    assert "\n".join(sorted(kernels_in_files() - launched)) == ""
