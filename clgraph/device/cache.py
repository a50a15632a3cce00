"""The folder on disk where built kernels, probe results and corrected ICD files are kept.

Anything in it can be deleted at any time, may be damaged, and may be written by several processes at once.
So files are written under another name, then renamed, and carry a checksum; a file whose checksum is wrong
counts as absent. When the folder exceeds ``CLGRAPH_CACHE_SIZE``, the least recently used files are deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from clgraph import system
from clgraph.device.folders import ROOMS, cache_folder, make_room
from clgraph.errors import InputError
from clgraph.temporary import is_stale, sync, sync_folder, temporary_name

_MAGIC = b"clgraph-cache-1\n"
#: default limit in bytes: some thousand programs
SIZE = 512 << 20


def digest(parts: Iterable[str | bytes]) -> str:
    """A name for some content: SHA-256 over its parts, each with its length in front."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(f"{len(data)}:".encode())
        sha.update(data)
    return sha.hexdigest()[:40]


def limit() -> int:
    """The size limit in bytes: ``CLGRAPH_CACHE_SIZE`` (bytes, or ``200M``, ``2G``), else `SIZE`.

    Raises
    ------
    InputError
        If the variable is not a size.
    """
    text = os.environ.get("CLGRAPH_CACHE_SIZE", "").strip()
    if not text:
        return SIZE
    found = re.fullmatch(r"(\d+)([KMGT]?)", text.upper().removesuffix("B").removesuffix("I"))
    if found is None:
        raise InputError(f"CLGRAPH_CACHE_SIZE is {text!r}: give bytes, or a whole number with K, M, G or T")
    return int(found[1]) << 10 * " KMGT".index(found[2] or " ")


def load(room: str, key: str) -> bytes | None:
    """What was stored under a key, or None if there is nothing or it is damaged."""
    path = cache_folder() / room / key
    try:
        data = path.read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # the folder may be read-only
        os.utime(path)  # notes the last use: file systems rarely record reads
    head = len(_MAGIC) + 32
    payload = data[head:]
    if not data.startswith(_MAGIC) or hashlib.sha256(payload).digest() != data[len(_MAGIC) : head]:
        return None  # damaged, or from another release: it will be written again
    return payload


def store(room: str, key: str, payload: bytes) -> None:
    """Store bytes under a key. If the folder cannot be written, the next run merely takes longer.

    Raises
    ------
    InputError
        If CLGRAPH_CACHE_SIZE is not a size.
    """
    most = limit()
    if len(payload) > most:
        return  # everything else would have to be deleted for it
    with contextlib.suppress(OSError):
        target = make_room(room) / key
        write_atomically(target, _MAGIC + hashlib.sha256(payload).digest() + payload)
        _prune_now_and_then(len(payload), most)


# bytes that this process has written since it last measured the folder; None: it has not measured it yet
_written: int | None = None


def _prune_now_and_then(written: int, most: int) -> None:
    """Measure the folder at a process's first write, then after each sixteenth of the limit."""
    global _written
    if _written is not None:
        _written += written
    if _written is None or _written > most // 16:
        _written = 0
        prune(most)


def prune(most: int) -> None:
    """If there are more than `most` bytes, delete the least recently used files until 7/8 of that are left.

    Several processes may do so at once. A file may be gone already, or open in another process, which can
    still read it; one that another process is about to rename merely counts as not stored.
    """
    files = []
    for room in ("programs", "wanted", "probes", "failed"):  # the loader may be using the folders below icd
        with contextlib.suppress(OSError), os.scandir(cache_folder() / room) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    if is_stale(entry):
                        os.unlink(entry.path)
                        continue
                    about = entry.stat()
                    files.append((about.st_mtime_ns, about.st_size, entry.path))
    total = sum(size for _, size, _ in files)
    if total <= most:
        return
    for _, size, path in sorted(files):
        if total <= most // 8 * 7:  # leaves room for the next writes
            return
        with contextlib.suppress(OSError):
            Path(path).unlink(missing_ok=True)
            total -= size


def write_atomically(target: Path, data: bytes, *, durable: bool = False, mode: int = 0o600) -> None:
    """Write a file so that readers see either the old content or the complete new one.

    Parameters
    ----------
    target : Path
    data : bytes
    durable : bool
        Whether that holds after a power cut, too. The cache does without: waiting for the disk at each kernel
        would take longer than building some, and a file that a power cut damaged fails its checksum.
    mode : int
        Its permissions, less the umask: what is in the cache is run, and so this user's alone.
    """
    name = target.with_name(temporary_name())
    handle = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | system.OPEN, mode)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            if durable:
                out.flush()
                sync(handle)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    if durable:
        sync_folder(target.parent)


def contents() -> dict[str, tuple[int, int]]:
    """Number of files, and bytes, in each room (sub-folder) of the cache."""
    rooms: dict[str, tuple[int, int]] = {}
    folder = cache_folder()
    for room in sorted(folder.iterdir()) if folder.is_dir() else []:
        sizes = []
        for file in room.rglob("*") if room.is_dir() else []:
            with contextlib.suppress(FileNotFoundError):  # another process has just deleted it
                if stat.S_ISREG((about := file.stat()).st_mode):
                    sizes.append(about.st_size)
        rooms[room.name] = (len(sizes), sum(sizes))
    return rooms


def clear() -> None:
    """Delete everything that clgraph keeps on disk; the folder itself and other files in it stay."""
    for room in ROOMS:
        folder = cache_folder() / room
        if folder.exists():
            shutil.rmtree(folder)
