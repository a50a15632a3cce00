"""See the package: ``python -m tests.platforms [--only A,B] [--few | --samples] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import mode
from xml.etree import ElementTree

sys.path[:0] = [str(folder) for folder in Path(__file__).resolve().parents[1:3]]

from platforms import FEW, FILES, PLATFORMS, TESTS, Platform  # noqa: E402

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

    def environment(self):
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

    def run(self, *arguments):
        """Exit status (None: it took too long) and output of a child of this platform's Python."""
        with open(self.scratch / "said", "w+b") as said:
            files = {"stdin": subprocess.DEVNULL, "stdout": said, "stderr": subprocess.STDOUT}
            how = {**files, "env": self.environment(), "cwd": ROOT, "timeout": self.seconds}
            try:
                status = subprocess.run([self.python, *arguments], **how).returncode
            except subprocess.TimeoutExpired:
                status = None
            said.seek(0)
            return status, said.read().decode(errors="replace")

    def ask(self, what):
        """What `platforms.here` answers, or None and how it ended."""
        status, said = self.run("-m", "platforms.here", what, self.platform.word, self.platform.version)
        last = said.rstrip().split("\n")[-1]
        try:
            return json.loads(last), ""
        except ValueError:
            return None, f"{ending(status)}: {last}"

    def tests(self, file):
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


def outcomes(report):
    """Outcome and name of each test of a JUnit report."""
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag: child.get("type") for child in case}
        outcome = "passed"
        if "failure" in kinds or "error" in kinds:
            outcome = "failed"
        elif "skipped" in kinds:
            outcome = "known" if kinds["skipped"] == "pytest.xfail" else "skipped"
        yield outcome, str(case.get("name"))


def ending(status):
    """How a child ended, in words."""
    if status is None:
        return "took too long"
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def environment_of(packages, folder):
    """The Python of an environment with clgraph's needs, pytest and some packages, made at its first use."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "complete"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        needs = ["pyopencl", "numpy", "scipy", "click", "rich", "threadpoolctl", "pytest", "networkx"]
        subprocess.run([str(python), "-m", "pip", "install", "-q", *needs, *packages], check=True)
        done.write_text(time.strftime("%Y-%m-%d\n"))
    return str(python)


def oclgrind(runner):
    """The counts of its cases, which are tests of their own."""
    status, said = runner.run(str(TESTS / "oclgrind"))
    lines = re.findall(r"^(\w+) (ok|FAILED)", said, re.MULTILINE)
    failed = [name for name, how in lines if how != "ok"]
    counts = dict.fromkeys(OUTCOMES, 0) | {"passed": len(lines) - len(failed), "failed": len(failed)}
    return {"counts": counts, "faults": failed + ["took too long"] * (status is None)}


def examined(key, files, seconds, venvs, scratch):
    """The row of a platform."""
    platform = PLATFORMS[key]
    python = environment_of(platform.pip, venvs / key) if platform.pip else sys.executable
    runner = Runner(platform, python, scratch, seconds)
    row = {"title": platform.title, "state": "absent", "date": time.strftime("%Y-%m-%d"), "files": len(files)}
    device, ended = runner.ask("describe")
    if ended:
        return row | {"state": "ended the process", "reason": ended}
    if device is None:
        return row
    row |= {"state": "works" if device["working"] else "broken", "reason": device["reason"], "device": device}
    if not device["working"] and "long loops" not in str(device["reason"]):
        return row
    made, ended = runner.ask("digests")
    row |= {"digests": made, "digests_ended": ended} if ended else {"digests": made}
    if key == "oclgrind":
        return row | (oclgrind(runner) if files else {})
    counts, faults = Counter(dict.fromkeys(OUTCOMES, 0)), []
    for file in files:
        more, names = runner.tests(file)
        counts.update(more)
        faults += names
        print(f"    {file:42} {said(more)}", flush=True)
    return row | ({"counts": counts, "faults": faults} if files else {})


def said(counts):
    """``12 passed, 1 failed``."""
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none"


def table(rows):
    """The rows, and the digests of their samples, as the tables of docs/devices.md."""
    made = {row["title"]: row["digests"] for row in rows.values() if row.get("digests")}
    most = most_common(list(made.values()))
    lines = [
        f"| Platform | Driver | State | Files | {' | '.join(OUTCOMES)} | Ten samples | Date |",
        "|" + "---|" * (6 + len(OUTCOMES)),
    ]
    for key, row in rows.items():
        counts = [str(row["counts"][name]) if "counts" in row else "" for name in OUTCOMES]
        same = ""
        if row.get("digests"):
            equal = sum(row["digests"].get(name) == digest for name, digest in most.items())
            same = f"{equal} of {len(most)} have the common bytes"
        driver = row["device"]["driver_version"] if "device" in row else ""
        files = "cases" if key == "oclgrind" else str(row["files"] or "")
        cells = [row["title"], driver, row["state"], files, *counts, same, row["date"]]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| Sample | Its bytes' SHA-256 begins | On | Other bytes on |", "|---|---|---|---|"]
    for name, digest in most.items():
        others = [title for title, digests in made.items() if digests.get(name) != digest]
        lines.append(f"| {name} | `{digest}` | {len(made) - len(others)} | {'; '.join(others)} |")
    return "\n".join(lines)


def most_common(digests):
    """The digest of each sample that most platforms have."""
    names = dict.fromkeys(name for one in digests for name in one)
    return {name: mode(one[name] for one in digests if name in one) for name in names}


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.platforms", description="The matrix of platforms.")
    parser.add_argument("--only", metavar="A,B", help=f"of {', '.join(PLATFORMS)}")
    parser.add_argument("--few", action="store_true", help="a few of the tests, in two minutes")
    parser.add_argument("--samples", action="store_true", help="no tests, the ten samples only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there")
    parser.add_argument("--venvs", type=Path, default=Path(tempfile.gettempdir(), "clgraph-platforms"))
    parser.add_argument("--seconds", type=float, default=600, help="how long a child may take")
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE", help="print the table of such files")
    args = parser.parse_args()
    rows = {}
    if args.table:
        for file in args.table:
            found = json.loads(file.read_text())["rows"]
            rows |= {key: row for key, row in found.items() if key not in rows or row["state"] != "absent"}
        print(table({key: rows[key] for key in PLATFORMS if key in rows}))
        return 0
    files = () if args.samples else FEW if args.few else FILES
    keys = args.only.split(",") if args.only else list(PLATFORMS)
    if strange := [key for key in keys if key not in PLATFORMS]:
        parser.error(f"no platform {', '.join(strange)}; there are {', '.join(PLATFORMS)}")
    for key in keys:
        print(key, flush=True)
        with tempfile.TemporaryDirectory() as scratch:
            rows[key] = examined(key, files, args.seconds, args.venvs, Path(scratch))
        row = rows[key]
        print(f"  {row['state']}: {row.get('reason') or ''} {said(row.get('counts', {}))}", flush=True)
        print("".join(f"    {fault}\n" for fault in row.get("faults", ())), end="", flush=True)
        if args.json:
            args.json.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    print(table(rows))
    wrong = [key for key, row in rows.items() if row.get("faults") or row["state"] == "ended the process"]
    if args.only and all(row["state"] == "absent" for row in rows.values()):
        print(f"none of {args.only} is here")
        wrong += keys
    common = most_common([row["digests"] for row in rows.values() if row.get("digests")])
    usable = {key: row for key, row in rows.items() if row["state"] == "works"}
    wrong += [key for key, row in usable.items() if row.get("digests", common) != common]
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
