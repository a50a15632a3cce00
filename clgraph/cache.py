"""The folder on disk where built kernels, probe results and corrected ICD files are kept.

Whatever stands in it can be deleted at any time, may be damaged, and is written by several processes at
once: a file appears whole (written beside, then renamed) and carries a checksum; one that does not hold is
taken as absent.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

_MAGIC = b"clgraph-cache-1\n"


def cache_folder() -> Path:
    """``CLGRAPH_CACHE_DIR``, else ``clgraph`` in the user's cache folder (XDG)."""
    named = os.environ.get("CLGRAPH_CACHE_DIR")
    if named:
        return Path(named).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "clgraph"
    except RuntimeError:  # no home folder at all (some containers)
        return Path(tempfile.gettempdir()) / f"clgraph-{os.getuid()}"


def digest(parts: Iterable[str | bytes]) -> str:
    """A name for content: SHA-256 over the parts, each with its length in front."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(f"{len(data)}:".encode())
        sha.update(data)
    return sha.hexdigest()[:40]


def load(room: str, key: str) -> bytes | None:
    """What was kept under a key, or None if there is nothing whole."""
    try:
        data = (cache_folder() / room / key).read_bytes()
    except OSError:
        return None
    head = len(_MAGIC) + 32
    payload = data[head:]
    if not data.startswith(_MAGIC) or hashlib.sha256(payload).digest() != data[len(_MAGIC) : head]:
        return None  # damaged or of another release: it will be written anew
    return payload


def store(room: str, key: str, payload: bytes) -> None:
    """Keep bytes under a key. A folder that cannot be written costs time at the next run, nothing else."""
    target = cache_folder() / room / key
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_atomically(target, _MAGIC + hashlib.sha256(payload).digest() + payload)


def write_atomically(target: Path, data: bytes) -> None:
    """Write a file so that readers see the old one or the whole new one."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def contents() -> dict[str, tuple[int, int]]:
    """Files and bytes in each room of the cache."""
    rooms: dict[str, tuple[int, int]] = {}
    folder = cache_folder()
    for room in sorted(folder.iterdir()) if folder.is_dir() else []:
        sizes = [f.stat().st_size for f in room.rglob("*") if f.is_file()] if room.is_dir() else []
        rooms[room.name] = (len(sizes), sum(sizes))
    return rooms


#: what clgraph puts into the folder, and so what it takes out
ROOMS = ("programs", "probes", "icd", "failed")


def clear() -> None:
    """Delete everything that clgraph keeps on disk; the folder itself and strange files in it stay."""
    for room in ROOMS:
        folder = cache_folder() / room
        if folder.exists():
            shutil.rmtree(folder)
