"""Temporary files that are renamed at the end: their names, the disk, and those that dead processes left."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import time

from clgraph import system

_NAME = re.compile(r"\.clgraph-([0-9]{1,10})-[0-9a-f]{12}\.tmp")
#: seconds without a write after which a dead process's temporary file is removed. A process of another
#: container or machine that shares the folder looks dead from here: only this time tells
STALE = 24 * 3600
# what file systems that cannot do it answer to fsync
_NO_SYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EROFS)


def temporary_name() -> str:
    """A new name for a temporary file or folder of this process: ``.clgraph-PID-RANDOM.tmp``."""
    return f".clgraph-{os.getpid()}-{secrets.token_hex(6)}.tmp"


def is_stale(entry: os.DirEntry[str]) -> bool:
    """Whether a folder's entry is the temporary file, or folder, of a dead process of this user, and old."""
    found = _NAME.fullmatch(entry.name)
    if found is None or system.is_alive(int(found[1])):
        return False
    about = entry.stat(follow_symlinks=False)
    last = about.st_mtime
    if entry.is_dir(follow_symlinks=False):
        with os.scandir(entry) as files:
            last = max([last, *(file.stat(follow_symlinks=False).st_mtime for file in files)])
    return system.user() in (None, about.st_uid) and time.time() - last > STALE


def remove_stale(folder: str | os.PathLike[str]) -> None:
    """Remove the temporary files and folders that dead processes left in a folder; errors are no matter."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                if not is_stale(entry):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
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
