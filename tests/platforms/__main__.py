"""See the package: ``python -m tests.platforms [--only A,B] [--few | --samples] [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(folder) for folder in Path(__file__).resolve().parents[1:3]]

from platforms import FEW, FILES, PLATFORMS, TESTS  # noqa: E402
from platforms.runs import OUTCOMES, Runner, environment_of  # noqa: E402


def oclgrind(runner: Runner) -> dict[str, Any]:
    """The counts of its cases, which are tests of their own."""
    status, said = runner.run(str(TESTS / "oclgrind"))
    lines = re.findall(r"^(\w+) (ok|FAILED)", said, re.MULTILINE)
    counts = dict.fromkeys(OUTCOMES, 0)
    counts["passed"] = sum(how == "ok" for _, how in lines)
    counts["failed"] = len(lines) - counts["passed"]
    return {
        "counts": counts,
        "faults": [name for name, how in lines if how != "ok"]
        + (["took too long"] if status is None else []),
    }


def examined(key: str, files: tuple[str, ...], seconds: float, venvs: Path, scratch: Path) -> dict[str, Any]:
    """The row of a platform."""
    platform = PLATFORMS[key]
    python = environment_of(platform.pip, venvs / key) if platform.pip else sys.executable
    runner = Runner(platform, python, scratch, seconds)
    row: dict[str, Any] = {
        "title": platform.title,
        "state": "absent",
        "date": time.strftime("%Y-%m-%d"),
        "files": len(files),
    }
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
    counts, faults = dict.fromkeys(OUTCOMES, 0), []
    for file in files:
        more, names = runner.tests(file)
        counts = {name: counts[name] + more[name] for name in OUTCOMES}
        faults += names
        print(f"    {file:42} {said(more)}", flush=True)
    return row | ({"counts": counts, "faults": faults} if files else {})


def said(counts: dict[str, int]) -> str:
    """``12 passed, 1 failed``."""
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none"


def table(rows: dict[str, dict[str, Any]]) -> str:
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


def most_common(digests: list[dict[str, str]]) -> dict[str, str]:
    """The digest of each sample that most platforms have."""
    found = {}
    for name in dict.fromkeys(name for one in digests for name in one):
        values = [one[name] for one in digests if name in one]
        found[name] = max(values, key=values.count)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.platforms", description="The matrix of platforms.")
    parser.add_argument("--only", metavar="A,B", help=f"of {', '.join(PLATFORMS)}")
    parser.add_argument("--few", action="store_true", help="a few of the tests, in two minutes")
    parser.add_argument("--samples", action="store_true", help="no tests, the ten samples only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there")
    parser.add_argument("--venvs", type=Path, default=Path(tempfile.gettempdir(), "clgraph-platforms"))
    parser.add_argument("--seconds", type=float, default=600, help="how long a child may take")
    parser.add_argument(
        "--table", type=Path, nargs="+", metavar="FILE", help="print the table of such files only"
    )
    args = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
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
            text = json.dumps({"rows": rows}, indent=1)
            args.json.write_text(text + "\n")
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
