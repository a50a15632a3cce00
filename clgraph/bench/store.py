"""Results: one JSON file per case, written as soon as it ends; docs/bench-json.md describes the format."""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.bench.environment import about_device, environment
from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write

if TYPE_CHECKING:
    from clgraph.bench.harness import Case
    from clgraph.device import Device

SCHEMA = 1
OUTPUTS = ("README.md", "results.json", "tables", "figures")
Record = dict[str, Any]


class Store:
    """A folder of results.

    Parameters
    ----------
    folder : path
        Created if it does not exist.

    Raises
    ------
    InputError
        If it cannot be created or written to.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.cases = self.folder / "cases"
        existing = [name for name in OUTPUTS if (self.folder / name).exists()]
        if existing and not self.records():
            raise InputError(
                f"--out {folder}: has a {existing[0]}, but no results of clgraph bench, whose report would "
                "replace it; name another folder"
            )
        try:
            self.cases.mkdir(parents=True, exist_ok=True)
            # found out now, not after the first case
            with tempfile.TemporaryFile(dir=self.cases):
                pass
        except OSError as error:
            raise InputError(
                f"--out {folder}: cannot write there: {error.strerror or error}; name a folder that you may "
                "write to"
            ) from error

    def path(self, case: Case, device: Device) -> Path:
        """The file of a case's result; each machine and device has its own."""
        return self.cases / f"{_plain(case.name)}-{_hash(identity(case, device))}.json"

    def finished(self, case: Case, device: Device, key: str) -> Record | None:
        """The result of an earlier run with the same environment, source and options, if there is one."""
        record = load(self.path(case, device))
        return record if record and record["status"] == "done" and record["key"] == key else None

    def write(self, case: Case, device: Device, record: Record) -> None:
        """Write a result, atomically."""
        write_json(self.path(case, device), record)

    def records(self) -> list[Record]:
        """All results in the folder, from any machine, sorted by file name."""
        found = (load(path) for path in sorted(self.cases.glob("*.json")))
        return [record for record in found if record is not None]


def identity(case: Case, device: Device) -> Record:
    """The identity of a result: a rerun with the same identity replaces it."""
    machine, about = environment()["machine"], None
    if case.on_device:
        # without its memory size: PoCL reports what is free at the moment
        about = {key: value for key, value in about_device(device).items() if key != "memory"}
    return {"case": case.to_dict(), "machine": [machine["cpu"], machine["cores"]], "device": about}


def key_of(case: Case, device: Device, how: Record) -> str:
    """A digest of all that a result depends on: machine, system, versions, source, options."""
    # without the machine's memory: virtual machines grow theirs as they run
    same = {**environment(), "machine": environment()["machine"]["cpu"]}
    return _hash({**identity(case, device), "environment": same, "how": how})


def new_record(case: Case, device: Device, how: Record, status: str, **found: Any) -> Record:
    """A result as a dict for JSON."""
    now = datetime.datetime.now(datetime.UTC)
    return {
        "schema": SCHEMA,
        **case.to_dict(),
        "status": status,
        **found,
        "device": about_device(device) if case.on_device else None,
        "environment": environment(),
        "how": how,
        "command": [_program(), *sys.argv[1:]],
        "date": now.isoformat(timespec="seconds"),
        "key": key_of(case, device, how),
    }


def _program() -> str:
    name = Path(sys.argv[0]).name
    return "clgraph" if name == "__main__.py" else name


def load(path: Path) -> Record | None:
    """Read a record; None if there is no such file.

    Raises
    ------
    InputError
        The file is not one that this version reads.
    """
    try:
        record: Record = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot read the result of an earlier run ({error}): remove it") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA:
        raise InputError(
            f"{path}: a result of schema {record.get('schema') if isinstance(record, dict) else None}, and "
            f"this version of clgraph reads {SCHEMA}: name another folder by --out"
        )
    return record


def write_json(path: Path, value: Any) -> None:
    """Write JSON, atomically."""
    with atomic_write(path, "w") as out:
        json.dump(value, out, indent=1, default=_json)
        out.write("\n")


def _json(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()  # a NumPy number or array
    raise TypeError(f"{type(value).__name__} is no JSON")


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:10]


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "_", text)[:100]
