"""What ``clgraph convert --resume`` keeps in NAME.clgs.work: the edges of inputs that were read to the end.

``work.json`` says that the folder is one of clgraph's. For each input ``input-N.json`` says what was read and
how, with the checksums of its tables and of itself; it is written last, when all else is on the disk.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clgraph._version import __version__
from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write
from clgraph.formats.common import Options, few, reading
from clgraph.scale.tables import Table
from clgraph.temporary import strangers, sync

MARK, TEXT = "work.json", b'{"format": "clgraph-work", "version": 1}\n'
PIECE = 1 << 20  # bytes that are read at a time
PIECES = 64  # of an input that tell whether it has changed: all of up to 64 MiB, else samples of it

About = dict[str, Any]


def open_work(folder: Path) -> None:
    """Make the folder, or take over what is in it; InputError where that is not clgraph's."""
    if folder.is_symlink():
        raise InputError(f"{folder}: is a symbolic link, which --resume does not follow; remove it")
    names: list[str] = []
    if folder.exists():
        if not folder.is_dir():
            raise InputError(f"{folder}: --resume needs a folder of this name; remove the file")
        if strange := strangers(folder):
            raise InputError(
                f"{folder}: holds what --resume has not put there ({', '.join(few(strange))}); move that "
                "away, or choose another name for the dataset"
            )
        names = [name for name in os.listdir(folder) if not name.startswith(".")]
        if names and (MARK not in names or (folder / MARK).read_bytes() != TEXT):
            raise InputError(
                f"{folder}: its {MARK} is missing or damaged, so it may not be of --resume; remove the "
                "folder, or choose another name for the dataset"
            )
    folder.mkdir(exist_ok=True)
    for name in os.listdir(folder):
        if name != MARK and not name.startswith("input-"):  # of the part that begins anew
            (folder / name).unlink()
    if not names:
        with atomic_write(folder / MARK) as file:
            file.write(TEXT)


def about(path: Path, format: str | None, options: Options) -> About:
    """What must be the same for an input's edges to be those that were kept."""
    with reading(path):
        told = path.stat()
        return {
            "file": str(path.resolve()),
            "format": format,
            "options": repr(options),
            "size": told.st_size,
            "time": told.st_mtime_ns,
            "sha256": _samples(path, told.st_size),
            "clgraph": __version__,
        }


def _samples(path: Path, size: int) -> str:
    """SHA-256 of a file, or of its head, its tail and places between them."""
    places = range(0, size, PIECE)
    if len(places) > PIECES:
        places = range(0, size - PIECE + 1, (size - PIECE) // (PIECES - 1))
    found = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        for place in (*places, max(size - PIECE, 0)):
            file.seek(place)
            found.update(file.read(PIECE))
    return found.hexdigest()


def keep(folder: Path, number: int, about: About, tables: Sequence[Table]) -> None:
    """Keep the tables of an input, also if the power fails."""
    for table in tables:
        for path in table.paths():
            with open(path, "rb+") as file:
                sync(file.fileno())
    sums = {path.name: _sum(path) for table in tables for path in table.paths()}
    state = {"about": about, "tables": [table.facts() for table in tables], "sums": sums}
    with atomic_write(_state(folder, number), "w") as out:
        json.dump({"state": state, "sum": _sum_of(state)}, out)


def kept(folder: Path, number: int, about: About) -> tuple[list[Table] | None, str]:
    """The tables of an input, or None; and why not, where something was kept."""
    path = _state(folder, number)
    if not path.exists():
        return None, ""
    try:
        found = json.loads(path.read_bytes())
        state = found["state"]
        if found["sum"] != _sum_of(state):
            return None, f"{path} is damaged"
        if state["about"] != about:
            return None, f"it has changed since, or is to be read in another way ({_unlike(state, about)})"
        tables = [Table.known(folder, **each) for each in state["tables"]]
        damaged = [name for name, told in state["sums"].items() if _sum(folder / name) != told]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        return None, f"{path}, or what it names, is damaged ({error})"
    return (None, f"{folder / damaged[0]} is damaged") if damaged else (tables, "")


def _unlike(state: Any, about: About) -> str:
    return ", ".join(key for key in about if state["about"].get(key) != about[key])


def _state(folder: Path, number: int) -> Path:
    return folder / f"input-{number}.json"


def _sum_of(state: Any) -> str:
    return hashlib.sha256(json.dumps(state, sort_keys=True).encode()).hexdigest()


def _sum(path: Path) -> list[int]:
    """The length of a file, and the CRC-32 of its bytes."""
    size = found = 0
    with open(path, "rb", buffering=0) as file:
        while data := file.read(PIECE):
            size, found = size + len(data), zlib.crc32(data, found)
    return [size, found]
