"""All kernels under Oclgrind: bounds, uninitialised reads, data races. The cases are in oclgrind_cases.py."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import oclgrind_cases
import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.usefixtures("oclgrind")


def run_case(name: str, folder: Path) -> tuple[int, str, str]:
    """Exit status, what the process said, what Oclgrind said."""
    log = folder / "oclgrind.log"
    checks = {
        "CLGRAPH_DEVICE": "oclgrind",
        "OCLGRIND_DATA_RACES": "1",
        "OCLGRIND_UNINITIALIZED": "1",
        "OCLGRIND_LOG": str(log),
    }
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, oclgrind_cases.__file__, name],
        env={**os.environ, **checks, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=600,
    )
    return done.returncode, done.stdout + done.stderr, log.read_text() if log.exists() else ""


@pytest.mark.parametrize(
    "name", [name for name in oclgrind_cases.CASES if name not in oclgrind_cases.PLANTED]
)
def test_clean(name: str, tmp_path: Path) -> None:
    status, said, log = run_case(name, tmp_path)
    assert status == 0, said
    assert log.strip() == "", log


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("planted_race", "race"),
        ("planted_overrun", "Invalid read"),
        ("planted_uninitialised", "ninitialized"),
    ],
)
def test_harness_sees_planted_faults(name: str, word: str, tmp_path: Path) -> None:
    _, said, log = run_case(name, tmp_path)
    assert word in log, said + log
