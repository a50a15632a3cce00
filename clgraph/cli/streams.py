"""Standard streams that are closed, full, gone or of few characters, and terminals of no width."""

from __future__ import annotations

import errno
import os
import re
import sys


def prepare() -> None:
    """Make the standard streams fit to be written to, whatever the caller left of them."""
    _fill_closed()
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", None) != "strict" or not hasattr(stream, "reconfigure"):
            continue
        # names of files pass as the bytes that they are; what an encoding lacks (PYTHONIOENCODING=ascii) is
        # written as \xe9
        unicode = re.fullmatch("utf[-_]?8", str(stream.encoding), re.IGNORECASE)
        stream.reconfigure(errors="surrogateescape" if unicode else "backslashreplace")
    if not re.fullmatch("[1-9][0-9]{0,4}", os.environ.get("COLUMNS", "80")):
        del os.environ["COLUMNS"]  # 0, too: Rich would draw tables of no width


def _fill_closed() -> None:
    """Open the null device where a standard stream is closed (``>&-``).

    Else the next file that is opened would get its number, and whatever a driver prints would go into that
    file. In place of standard output it is opened for reading: to write results there is an error.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # gets the lowest number that is free: this one
            os.open(os.devnull, os.O_WRONLY if name == "stderr" else os.O_RDONLY)
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def silence() -> None:
    """Nothing more goes to a stream that cannot be written to, also when the interpreter ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            _to_nowhere(stream)


def _to_nowhere(stream: object) -> None:
    try:
        number = stream.fileno()  # type: ignore[attr-defined]
    except (OSError, ValueError):
        return  # in tests: not a file
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)


def told(error: OSError) -> str:
    """What to say of a system's error that no file is named with: standard output had it."""
    if error.errno is None:
        return str(error)
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    if error.errno == errno.EBADF:
        return "standard output is closed, but the results go there; give it a file, or /dev/null"
    return f"{error.strerror}: standard output cannot be written to"
