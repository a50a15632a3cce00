"""The folder on disk in which built kernels and probe results are cached.

Anything in it can be deleted at any time, may be damaged, and may be written by several processes at once.
So files are written under another name, then renamed, and carry a checksum; a file whose checksum is wrong
counts as absent. When the folder exceeds ``CLGRAPH_CACHE_SIZE``, the least recently used files are deleted.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path

from clgraph import system
from clgraph.errors import InputError
from clgraph.temporary import is_stale, sync, sync_folder, temporary_name

try:  # Windows has neither
    import grp
    import pwd
except ImportError:
    grp = pwd = None  # type: ignore[assignment]

_MAGIC = b"clgraph-cache-1\n"
#: default limit in bytes: some thousand programs
SIZE = 512 << 20


def digest(parts: Iterable[str | bytes]) -> str:
    """Return a name for some content: SHA-256 over its parts, each with its length in front."""
    sha = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        sha.update(f"{len(data)}:".encode())
        sha.update(data)
    return sha.hexdigest()[:40]


def limit() -> int:
    """Return the size limit in bytes: ``CLGRAPH_CACHE_SIZE`` (bytes, or ``200M``, ``2G``), else `SIZE`.

    Raises
    ------
    InputError
        If the variable is not a size.
    """
    text = os.environ.get("CLGRAPH_CACHE_SIZE", "").strip()
    if not text:
        return SIZE
    size = bytes_of(text.upper().removesuffix("B").removesuffix("I"))
    if size is None:
        raise InputError(f"CLGRAPH_CACHE_SIZE is {text!r}: give bytes, or a whole number with K, M, G or T")
    return size


def bytes_of(text: str, units: str = "KMGT") -> int | None:
    """Return the number of bytes that a text such as ``200M`` stands for; None for other texts."""
    found = re.fullmatch(rf"(\d{{1,15}})([{units}]?)", text)
    return None if found is None else int(found[1]) << 10 * f" {units}".index(found[2] or " ")


def load(room: str, key: str) -> bytes | None:
    """Return the bytes stored under a key; None if there are none or they are damaged."""
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


# bytes that this process has written since it last measured the folder; None: it has not measured it yet
_written: int | None = None


def store(room: str, key: str, payload: bytes) -> None:
    """Store bytes under a key. If the folder cannot be written, the next run merely takes longer.

    Raises
    ------
    InputError
        If CLGRAPH_CACHE_SIZE is not a size.
    """
    global _written
    most = limit()
    if len(payload) > most:
        return  # everything else would have to be deleted for it
    with contextlib.suppress(OSError):
        target = make_room(room) / key
        write_atomically(target, _MAGIC + hashlib.sha256(payload).digest() + payload)
        # measured at a process's first write, then after each sixteenth of the limit: it takes a while
        _written = most if _written is None else _written + len(payload)
        if _written > most // 16:
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
        Its permissions, less the umask. Cached binaries are executed, so only this user may write them.
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


def contents() -> dict[str, dict[str, int]]:
    """Return the number of ``files``, and their ``bytes``, in each room (sub-folder) of the cache."""
    rooms: dict[str, dict[str, int]] = {}
    folder = cache_folder()
    for room in sorted(folder.iterdir()) if folder.is_dir() else []:
        sizes = []
        for file in room.rglob("*") if room.is_dir() else []:
            with contextlib.suppress(FileNotFoundError):  # another process has just deleted it
                if stat.S_ISREG((about := file.stat()).st_mode):
                    sizes.append(about.st_size)
        rooms[room.name] = {"files": len(sizes), "bytes": sum(sizes)}
    return rooms


def clear() -> None:
    """Delete everything that clgraph caches on disk; the folder itself and other files in it stay."""
    for room in ROOMS:
        folder = cache_folder() / room
        if folder.exists():
            shutil.rmtree(folder)


# --- where the folder is: only this user may write to it, since its binaries are executed -------------------


#: the sub-folders that clgraph makes, and so may delete
ROOMS = ("programs", "wanted", "probes", "icd", "failed", "pocl")


def named_folder() -> Path:
    """``CLGRAPH_CACHE_DIR``, else ``clgraph`` in the user's cache folder (XDG).

    Raises
    ------
    InputError
        If the variable names the home folder of a user who does not exist.
    """
    named = os.environ.get("CLGRAPH_CACHE_DIR")
    if named:
        try:
            return Path(named).expanduser().absolute()
        except RuntimeError as error:
            raise InputError(
                f"CLGRAPH_CACHE_DIR is {named!r}: {error}; give a folder of your own, or unset it"
            ) from error
    return _usual_folder()


def _usual_folder() -> Path:
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    try:
        # XDG: a path that is not absolute counts as not set
        return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "clgraph"
    except RuntimeError:  # no home folder at all (some containers)
        return Path(tempfile.gettempdir()) / f"clgraph-{system.user()}"


# the folder that is used for a named one: itself, if nobody else can write there, or a temporary one
_used: dict[Path, Path] = {}
_of_drivers: dict[Path, Path | None] = {}
_lock = threading.Lock()


def cache_folder() -> Path:
    """Return the folder to use: the named one, or a private temporary one if others can write to that.

    Binaries in the folder are native code that drivers run, so it must be this user's own. If it is not, one
    line on stderr says so, and the temporary folder is deleted when the process ends.

    Raises
    ------
    InputError
        If CLGRAPH_CACHE_DIR names the home folder of a user who does not exist.
    """
    named = named_folder()
    if named in _used:
        return _used[named]
    with _lock:
        if named in _used:
            return _used[named]
        why = distrust(named)
        if why is None:
            if named.is_dir():  # else look again once somebody has made it
                _used[named] = named
            return named
        used = _used[named] = _temporary_folder()
    _say(
        f"{named} is not used as the cache: {why}. Kernels are cached in a temporary folder, and the next "
        "run rebuilds them"
    )
    return used


def drivers_folder() -> Path | None:
    """Return the folder in which drivers cache what they build (in ``pocl``); None for their own choice.

    That is the cache folder if CLGRAPH_CACHE_DIR names another than the usual one: all is then in one place.
    If nothing can be written there, or in the user's cache folder, it is a temporary folder, since PoCL has
    no devices without one, and one line on stderr says so.
    """
    usual, named = _usual_folder(), named_folder()
    base = usual.parent if named == usual else cache_folder()
    if base not in _of_drivers:
        folder: Path | None = None if named == usual else base
        try:
            _make(base)
            with tempfile.TemporaryFile(dir=base) as file:
                file.write(bytes(4096))  # there may be a folder and no room in it
            if folder is not None:
                make_room("pocl")
        except OSError as error:
            folder = _temporary_folder()
            _say(f"nothing can be cached in {base} ({error.strerror}): every run rebuilds its kernels")
        _of_drivers[base] = folder
    return _of_drivers[base]


def is_lasting() -> bool:
    """True if cached files outlive this process."""
    return cache_folder() == named_folder() and drivers_folder() in (None, cache_folder())


def _temporary_folder() -> Path:
    """A folder that goes with this process."""
    made = Path(tempfile.mkdtemp(prefix="clgraph-cache-"))
    atexit.register(_remove, made, os.getpid())
    return made


def _say(what: str) -> None:
    if sys.stderr is not None:
        print(f"clgraph: {what}; `clgraph doctor` says more", file=sys.stderr)


def _remove(folder: Path, pid: int) -> None:
    if os.getpid() == pid:  # not in a process forked from this one
        shutil.rmtree(folder, ignore_errors=True)


def make_room(room: str) -> Path:
    """Return a sub-folder of the cache folder; create it for this user alone if it does not exist."""
    _make(cache_folder())
    folder = cache_folder() / room  # looked up again: another user may have created it first
    _make(folder)
    return folder


def _make(folder: Path) -> None:
    """`Path.mkdir` with parents, all of them for this user alone."""
    if not folder.is_dir():
        if folder.parent != folder:
            _make(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def distrust(folder: Path) -> str | None:
    """Return why others could write to a folder, or replace it; None if they cannot, or it does not exist.

    It and its rooms must be this user's; nobody else may write there. What is above it must belong to this
    user or to root, and nobody else may rename what is in it: a sticky bit, as that of /tmp, prevents it.
    Windows keeps that in access lists, which are not read: a user's profile is closed to others.
    """
    if system.user() is None:
        return None
    try:
        real = folder.resolve()
        for place in (real, *(real / room for room in ROOMS)):
            with contextlib.suppress(FileNotFoundError):
                about = place.stat()
                if about.st_uid != system.user():
                    return f"{place} belongs to {_user(about.st_uid)}"
                if others := _writers(about):
                    return f"{others} may write to {place}"
        for place in {*real.parents, *folder.absolute().parents}:
            with contextlib.suppress(FileNotFoundError):
                about = place.stat()
                if about.st_uid not in (0, system.user(), *_unmapped()):
                    return f"{place} belongs to {_user(about.st_uid)}"
                if not about.st_mode & stat.S_ISVTX and (others := _writers(about)):
                    return f"{others} may rename what is in {place}"
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        return f"it cannot be examined ({error})"
    return None


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


def _writers(about: os.stat_result) -> str | None:
    """Return who else may write to a folder: everybody, its group, or None.

    A group that the system made for this user alone is no other one: where it does (Debian, Fedora), new
    folders are often writable by it.
    """
    if about.st_mode & stat.S_IWOTH:
        return "everybody"
    if not about.st_mode & stat.S_IWGRP:
        return None
    try:
        group, user = grp.getgrgid(about.st_gid), pwd.getpwuid(os.getuid())
    except KeyError:
        return f"group {about.st_gid}"
    alone = group.gr_name == user.pw_name and group.gr_gid == user.pw_gid
    return None if alone and set(group.gr_mem) <= {user.pw_name} else f"group {group.gr_name}"


def _unmapped() -> tuple[int, ...]:
    """Return the owner of / as seen from a user namespace (rootless containers, sandboxes)."""
    try:
        if Path("/proc/self/uid_map").read_text().split() == ["0", "0", str((1 << 32) - 1)]:
            return ()
        return (int(Path("/proc/sys/kernel/overflowuid").read_text()),)
    except (OSError, ValueError):
        return ()
