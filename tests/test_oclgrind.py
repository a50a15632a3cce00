"""All kernels under Oclgrind: bounds, uninitialised reads, data races. The cases are in tests/oclgrind/."""

import re
import subprocess
import sys
from pathlib import Path

import oclgrind as cases
import pytest
from cli_runs import ROOT, environment
from conftest import clean_cases

KERNELS = ROOT / "cl"
KERNEL = re.compile(r"^\s*(?:__)?kernel\s+(?:__attribute__\(\(.*?\)\)\s+)*void\s+(\w+)\(", re.MULTILINE)
# they run before any case does, as the device is made
PROBES = {"device/probe", "device/probe_features"}
PLANTED = {"planted_race": "race", "planted_overrun": "Invalid read", "planted_uninitialised": "ninitialized"}


@pytest.fixture(scope="session")
def results(oclgrind, request, tmp_path_factory):
    """The folder with what became of the cases, all of which that this session asks for run at its first use.

    They share a process, up to its forks, and run beside each other.
    """
    mine = [item for item in request.session.items if item.path == Path(__file__)]
    asked = {item.callspec.params["name"] for item in mine if hasattr(item, "callspec")}
    # one test is about all of them
    names = asked if clean_cases(request.config) or len(asked) == len(mine) else cases.ALL
    folder = tmp_path_factory.mktemp("oclgrind")
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "oclgrind", "--out", folder, *names],
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return folder


def read(file):
    return file.read_text(errors="replace") if file.exists() else ""


@pytest.mark.parametrize("name", [name for name in cases.ALL if name not in PLANTED])
def test_clean(results, name):
    assert read(results / f"{name}.status") == "0\n", read(results / f"{name}.said")
    assert read(results / f"{name}.log").strip() == ""


@pytest.mark.parametrize("name", PLANTED)
def test_harness_sees_planted_faults(results, name):
    assert PLANTED[name] in read(results / f"{name}.log"), read(results / f"{name}.said")


def kernels_in_files():
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
def test_every_kernel_is_launched_by_a_case(results, request):
    launched = {line for file in results.glob("*.kernels") for line in read(file).splitlines()}
    launched.update(*clean_cases(request.config).values())
    assert "\n".join(sorted(kernels_in_files() - launched)) == ""
