"""Output that is complete or absent: written under a temporary name, renamed at the end."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from clgraph.errors import InputError


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb") -> Iterator[IO[Any]]:
    """Open a file for writing that appears only when the block ends without an error.

    The data go to a temporary file in the same folder, which is renamed over `path` at the end and
    removed if anything is raised, KeyboardInterrupt included. Devices and pipes (``/dev/stdout``) are
    written directly.

    Parameters
    ----------
    path : str or path
    mode : {"wb", "w"}
        Text is UTF-8 with plain line feeds.

    Raises
    ------
    InputError
        If the file cannot be created or written; it names the path and the system's reason.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_write(folder / "note.txt", "w") as file:
    ...     _ = file.write("whole")
    >>> (folder / "note.txt").read_text()
    'whole'
    """
    if mode not in ("wb", "w"):
        raise ValueError(f"mode is {mode!r}: use 'wb' or 'w'")
    text: dict[str, Any] = {} if mode == "wb" else {"encoding": "utf-8", "newline": "\n"}
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    try:
        old_mode = target.stat().st_mode if target.exists() else None
        if old_mode is not None and stat.S_ISDIR(old_mode):
            raise InputError(f"cannot write {path}: it is a folder; give a file name")
        if old_mode is not None and not stat.S_ISREG(old_mode):
            with open(target, mode, **text) as file:
                yield file
            return
        temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
        # os.open rather than tempfile: the file gets the permissions that the user's umask gives
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
        try:
            with open(descriptor, mode, **text) as file:
                if old_mode is not None:
                    os.fchmod(descriptor, stat.S_IMODE(old_mode))
                yield file
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        if error.filename is not None and Path(error.filename).parent != target.parent:
            raise  # about another file, touched inside the block
        raise InputError(
            f"cannot write {path}: {error.strerror or error}; choose a file in an existing folder "
            "that you may write to, with room left"
        ) from error
