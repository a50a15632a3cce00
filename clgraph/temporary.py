"""Temporary files that are renamed at the end: their names, the disk, and those that dead processes left."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import time

from clgraph import system

_NAME = re.compile(r"\.clgraph-([0-9]{1,10})-([0-9a-f]{12})\.tmp")
#: files that clgraph puts into folders of its own: nothing else in a folder is ever deleted
_OWN = re.compile(
    r"(manifest|work|input-[0-9]+)\.json|leaving\.f8|ids\.clg|(pairs|rows|in|out)-[0-9]{6,}\.clg"
    r"|(input|deal|section|leaving)[a-z0-9.-]*\.(source|target|weights|multiplicity|row|head|way|sum)"
    r"|[0-9]{2,}-.+\.icd|" + _NAME.pattern
)
#: seconds without a write after which a dead process's temporary file is removed. A process of another
#: container or machine that shares the folder looks dead from here: only this time distinguishes it
STALE = 24 * 3600
# what file systems that cannot do it answer to fsync
_NO_SYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EROFS)


def temporary_name(mark: str = "") -> str:
    """Return a new name for a temporary file or folder of this process: ``.clgraph-PID-RANDOM.tmp``.

    With a `mark`, 8 hexadecimal digits, the random part begins with it: `marked` finds such files again.
    """
    return f".clgraph-{os.getpid()}-{mark}{secrets.token_hex(2 if mark else 6)}.tmp"


def is_temporary(name: str) -> bool:
    """True for what `temporary_name` gives, in whatever process."""
    return _NAME.fullmatch(name) is not None


def marked(folder: str | os.PathLike[str], mark: str) -> list[str]:
    """Return the names of temporary files with a mark in a folder, of whatever processes."""
    names = ((name, _NAME.fullmatch(name)) for name in os.listdir(folder))
    return [name for name, found in names if found is not None and found[2].startswith(mark)]


def strangers(folder: str | os.PathLike[str]) -> list[str]:
    """Names in a folder that are none of clgraph's own files; links are not, wherever they lead."""
    with os.scandir(folder) as entries:
        return sorted(
            each.name
            for each in entries
            if not (_OWN.fullmatch(each.name) and each.is_file(follow_symlinks=False))
        )


def remove_own(folder: str | os.PathLike[str]) -> None:
    """Remove a folder of clgraph's own; files that others have put there stay, and the folder with them."""
    foreign = strangers(folder)
    for name in os.listdir(folder):
        if name not in foreign:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))
    if not foreign:
        os.rmdir(folder)


def is_stale(entry: os.DirEntry[str]) -> bool:
    """True if a folder's entry is an old temporary file, or folder, of a dead process of this user."""
    found = _NAME.fullmatch(entry.name)
    if found is None or system.is_alive(int(found[1])):
        return False
    about = entry.stat(follow_symlinks=False)
    last = about.st_mtime
    if entry.is_dir(follow_symlinks=False):
        if strangers(entry):
            return False
        with os.scandir(entry) as files:
            last = max([last, *(file.stat(follow_symlinks=False).st_mtime for file in files)])
    elif not entry.is_file(follow_symlinks=False):
        return False
    return system.user() in (None, about.st_uid) and time.time() - last > STALE


def remove_stale(folder: str | os.PathLike[str]) -> None:
    """Remove the temporary files and folders that dead processes left in a folder; errors are no matter."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if not is_stale(entry):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    remove_own(entry.path)
                else:
                    os.unlink(entry.path)


def begin_sync(descriptor: int, offset: int, length: int) -> None:
    """Let a range of an open file go to the disk from now on: `sync` has less to do then; does not wait."""
    if hasattr(os, "posix_fadvise"):
        with contextlib.suppress(OSError):  # a hint: pipes and some file systems have no use for it
            os.posix_fadvise(descriptor, offset, length, os.POSIX_FADV_DONTNEED)


def sync(descriptor: int) -> None:
    """Wait until an open file, or folder, is on the disk, as far as its file system can do that."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Wait until a folder's names are on the disk: a rename survives a power cut only then."""
    descriptor = system.open_folder(folder)
    if descriptor is None:
        return
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)
