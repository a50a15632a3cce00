"""Standard input as a file: readers look at a file twice, which a pipe does not allow."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from clgraph.errors import InputError
from clgraph.graph.io.packed import GZIP_MAGIC, ZSTD_MAGIC
from clgraph.progress import Tell

STDIN = "-"
NAME = "standard input"
PIECE = 1 << 20


@contextmanager
def spooled(progress: Tell | None = None) -> Iterator[Path]:
    """A temporary file with all that comes from standard input; messages that name it name that instead.

    Raises
    ------
    InputError
        If it cannot be read or kept.
    """
    folder = tempfile.gettempdir()
    descriptor, name = tempfile.mkstemp(prefix="clgraph-", dir=folder)
    path = Path(name)
    try:
        own = Path(f"/proc/self/fd/{descriptor}")
        if own.exists():  # then a process that is killed leaves nothing behind
            path.unlink()
            path = own
        done = 0
        try:
            while data := os.read(0, PIECE):
                done += len(data)
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
                if progress is not None:
                    progress(done, None)
        except OSError as error:
            raise InputError(
                f"{NAME} cannot be read, or kept in {folder}: {error.strerror or error}; TMPDIR names a "
                "folder with more room"
            ) from error
        begin = _first(path, 4)
        for magic, tool in ((GZIP_MAGIC, "gzip"), (ZSTD_MAGIC, "zstd")):
            if begin.startswith(magic):
                raise InputError(f"{NAME} is compressed by {tool}: unpack it ({tool} -dc FILE | clgraph ...)")
        try:
            yield path
        except InputError as error:
            if str(path) not in str(error):
                raise
            raise InputError(str(error).replace(str(path), NAME)) from error
    finally:
        os.close(descriptor)
        with suppress(FileNotFoundError):
            os.unlink(name)


def _first(path: Path, count: int) -> bytes:
    with open(path, "rb") as file:
        return file.read(count)
