"""Output that is complete or absent: written under a temporary name, renamed at the end."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from clgraph import system
from clgraph.errors import InputError
from clgraph.progress import on_descriptor
from clgraph.temporary import remove_stale, sync, sync_folder, temporary_name

STDOUT = "-"
_LINKS = 40  # symbolic links in one path, as in Linux


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb", mark: str = "") -> Iterator[IO[Any]]:
    """Open a file for writing that appears only when the block ends without an error.

    The data go to a temporary file in the same folder. At the end it is brought to the disk (fsync), so that
    a power cut leaves the old file or the new one, and renamed over `path`; it is removed if anything is
    raised, KeyboardInterrupt included. What is no regular file (devices, pipes) and what this process has
    open already (``/dev/stdout``, ``/dev/fd/3``, the shell's ``>(...)``) is written straight through: a log
    that standard output is appended to keeps what it holds.

    Parameters
    ----------
    path : str or path
        ``-`` is standard output.
    mode : {"wb", "w"}
        Text is UTF-8 with plain line feeds.
    mark : str
        Of the temporary file's name, see `clgraph.temporary.temporary_name`.

    Raises
    ------
    InputError
        If the file cannot be created or written; it names the path and the system's reason.
    BrokenPipeError
        If the reader of a pipe is gone.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_write(folder / "note.txt", "w") as file:
    ...     _ = file.write("whole")
    >>> (folder / "note.txt").read_text()
    'whole'
    """
    with atomic_files() as create:
        yield create(path, mode, mark)


@contextmanager
def atomic_files() -> Iterator[Callable[..., IO[Any]]]:
    """`atomic_write` for several files of one output.

    All are complete, on the disk and closed before the first is renamed.

    Yields
    ------
    callable
        Opens one more file, with the arguments of `atomic_write`. The files are renamed in the order in which
        they were opened.
    """
    files: list[_Output] = []

    def create(path: str | os.PathLike[str], mode: str = "wb", mark: str = "") -> IO[Any]:
        if mode not in ("wb", "w"):
            raise ValueError(f"mode is {mode!r}: use 'wb' or 'w'")
        files.append(_Output(path, mark))
        files[-1].open(mode)
        return files[-1].file

    current: _Output | None = None  # that is being finished
    try:
        yield create
        # all are complete before the first is renamed, or a crash would leave new files beside old ones
        for step in (_Output.finish, _Output.publish):
            for current in files:
                step(current)
    except BaseException as error:
        for each in files:
            each.discard()
        if isinstance(error, OSError) and files:
            (current or files[-1]).explain(error)  # in the block: most likely about the last one
        raise


class _Output:
    """A file being written; one without a temporary name is written straight through."""

    file: IO[Any]

    def __init__(self, path: str | os.PathLike[str], mark: str) -> None:
        self._path, self._mark = path, mark
        self._target: Path | None = None
        self._temporary: Path | None = None

    def open(self, mode: str) -> None:
        number = open_descriptor(self._path)
        if number is not None:
            _flush_standard_streams()  # what was printed before comes before
            self.file = _file(os.dup(number), mode)
            return
        with suppress(FileNotFoundError):
            # a pipe or a device cannot be replaced by a file that is renamed
            if not stat.S_ISREG(_mode(self._path)):
                self.file = _file(os.open(self._path, os.O_WRONLY | system.OPEN), mode)
                return
        self._target = Path(os.path.realpath(self._path))  # a symbolic link stays one
        remove_stale_once(self._target.parent)
        self._temporary = self._target.with_name(temporary_name(self._mark))
        # os.open rather than tempfile: the file gets the permissions that the user's umask gives
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | system.OPEN
        descriptor = os.open(self._temporary, flags, 0o666)
        self.file = _file(descriptor, mode)
        with suppress(FileNotFoundError):
            system.copy_mode(descriptor, _mode(self._target))

    def finish(self) -> None:
        self.file.flush()
        if self._temporary is not None:
            sync(self.file.fileno())
        self.file.close()

    def publish(self) -> None:
        if self._temporary is not None and self._target is not None:
            os.replace(self._temporary, self._target)
            self._temporary = None
            sync_folder(self._target.parent)

    def discard(self) -> None:
        with suppress(OSError, AttributeError):  # it may not have been opened
            self.file.close()
        if self._temporary is not None:
            self._temporary.unlink(missing_ok=True)

    def explain(self, error: OSError) -> None:
        """Raise the InputError for a system's error, unless it is about something else."""
        if isinstance(error, BrokenPipeError):
            return  # no fault: who reads the pipe has had enough
        place = Path(self._path).parent if self._target is None else self._target.parent
        if error.filename is not None and Path(error.filename).parent != place:
            return  # about another file, touched inside the block
        if error.errno == errno.EBADF and open_descriptor(self._path) is not None:
            raise InputError(f"cannot write {named(self._path)}: it is closed") from error
        raise InputError(
            f"cannot write {named(self._path)}: {error.strerror or error}; choose a file in an existing "
            "folder that you may write to, with room left"
        ) from error


def _file(descriptor: int, mode: str) -> IO[Any]:
    if mode == "wb":
        return on_descriptor(descriptor)
    return os.fdopen(descriptor, mode, encoding="utf-8", newline="\n")


def _mode(path: str | os.PathLike[str]) -> int:
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise InputError(f"cannot write {path}: it is a folder; give a file name")
    return mode


_swept: set[Path] = set()


def remove_stale_once(folder: Path) -> None:
    """`remove_stale` at this process's first output into a folder."""
    # once is enough, as this process removes its own
    if folder not in _swept:
        _swept.add(folder)
        remove_stale(folder)


# --- standard output --------------------------------------------------------------------------------------


class _Standard:
    """Descriptor of standard output: 1, except within `reserved_stdout`."""

    descriptor = 1


def named(path: str | os.PathLike[str]) -> str:
    """The path, as a message names it."""
    return "standard output" if os.fspath(path) == STDOUT else str(path)


def open_descriptor(path: str | os.PathLike[str]) -> int | None:
    """The number behind ``-``, ``/dev/stdout``, ``/dev/fd/3`` and their like; None for any other path."""
    place = os.fspath(path)
    if place == STDOUT:
        return _Standard.descriptor
    own = os.path.realpath("/proc/self")
    place = os.path.abspath(place)
    for _ in range(_LINKS):
        folder, name = os.path.split(place)
        folder = os.path.realpath(folder)
        if name.isdecimal() and name.isascii():
            mine = folder.startswith(f"{own}/") and folder.endswith("/fd")
            if mine or folder == "/dev/fd":  # the latter where there is no /proc
                return int(name)
        if not os.path.islink(place):
            return None
        place = os.path.join(folder, os.readlink(place))
    return None


def _flush_standard_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


@contextmanager
def reserved_stdout() -> Iterator[None]:
    """Within the block only what is written to ``-`` reaches standard output.

    All else that this process, its drivers included, would print there goes to standard error.
    """
    _flush_standard_streams()
    kept = os.dup(1)
    os.dup2(2, 1)
    _Standard.descriptor = kept
    try:
        yield
    finally:
        _Standard.descriptor = 1
        with suppress(OSError):
            _flush_standard_streams()
        os.dup2(kept, 1)
        os.close(kept)
