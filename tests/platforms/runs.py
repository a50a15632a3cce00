"""A platform's children: what they find, and what becomes of the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from platforms import TESTS, Platform

ROOT = TESTS.parent
CRASHES = 5  # of one file, after which the rest of it is given up
OUTCOMES = ("passed", "failed", "known", "skipped", "crashed")


@dataclass(frozen=True)
class Runner:
    """Runs one platform's children.

    Attributes
    ----------
    platform : Platform
    python : str
    scratch : Path
        A folder for what they write.
    seconds : float
        How long one may take.
    """

    platform: Platform
    python: str
    scratch: Path
    seconds: float

    def environment(self) -> dict[str, str]:
        """The children's environment."""
        path = [str(ROOT), str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {**os.environ, **self.platform.variables, "PYTHONPATH": os.pathsep.join(path)}
        env["CLGRAPH_FORCE"] = "1"  # the tests run all the same, whatever the first use of a driver shows
        for name in ("CLGRAPH_DEVICE", "PYOPENCL_CTX", "PYOPENCL_TEST"):
            env.pop(name, None)
        if self.platform.only_theirs:
            empty = self.scratch / "no-drivers"
            empty.mkdir(exist_ok=True)
            env["OCL_ICD_VENDORS"] = str(empty)
        return env

    def run(self, *arguments: str) -> tuple[int | None, str]:
        """Exit status (None: it took too long) and output of a child of this platform's Python."""
        with open(self.scratch / "said", "w+b") as said:
            process = subprocess.Popen(
                [self.python, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env=self.environment(),
                cwd=ROOT,
            )
            try:
                status: int | None = process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                status = None
            said.seek(0)
            return status, said.read().decode(errors="replace")

    def ask(self, what: str) -> tuple[Any, str]:
        """What `platforms.here` answers, or None and how it ended."""
        import json

        status, said = self.run("-m", "platforms.here", what, self.platform.word, self.platform.version)
        last = said.rstrip().split("\n")[-1]
        try:
            return json.loads(last), ""
        except ValueError:
            return None, f"{ending(status)}: {last}"

    def tests(self, file: str) -> tuple[dict[str, int], list[str]]:
        """Counts of outcomes of a file of tests, and what failed or crashed."""
        counts, faults, dead = dict.fromkeys(OUTCOMES, 0), [], list[str]()
        report = self.scratch / "report.xml"
        while len(dead) <= CRASHES:
            report.unlink(missing_ok=True)
            options = ["-v", "-p", "no:cacheprovider", f"--junitxml={report}", "--tb=line"]
            chosen = ["--devices", self.platform.word, "-m", "device and not slow"]
            deselected = [f"--deselect=tests/{file}::{test}" for test in dead]
            status, said = self.run("-m", "pytest", *options, *chosen, *deselected, f"tests/{file}")
            if report.exists():
                for outcome, test in outcomes(report):
                    counts[outcome] += 1
                    if outcome == "failed":
                        faults.append(f"{file}::{test}")
                return counts, faults
            running = re.findall(
                rf"^tests/{re.escape(file)}::(.+?) (?!.*(?:PASSED|FAILED|SKIPPED|XFAIL))", said, re.M
            )
            counts["crashed"] += 1
            where = running[-1].split(" ")[0] if running else "before its tests"
            faults.append(f"{file}::{where} ({ending(status)})")
            if not running:
                break
            dead.append(where)
        return counts, faults


def outcomes(report: Path) -> list[tuple[str, str]]:
    """Outcome and name of each test of a JUnit report."""
    found = []
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag: child for child in case}
        if "failure" in kinds or "error" in kinds:
            outcome = "failed"
        elif "skipped" in kinds:
            outcome = "known" if kinds["skipped"].get("type") == "pytest.xfail" else "skipped"
        else:
            outcome = "passed"
        found.append((outcome, str(case.get("name"))))
    return found


def ending(status: int | None) -> str:
    """How a child ended, in words."""
    if status is None:
        return "took too long"
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def environment_of(packages: Sequence[str], folder: Path) -> str:
    """The Python of an environment with clgraph's needs, pytest and some packages, made at its first use."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "complete"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        needs = ["pyopencl", "numpy", "scipy", "click", "rich", "threadpoolctl", "pytest", "networkx"]
        subprocess.run([str(python), "-m", "pip", "install", "-q", *needs, *packages], check=True)
        done.write_text(time.strftime("%Y-%m-%d\n"))
    return str(python)
