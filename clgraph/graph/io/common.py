"""What the readers and writers of all formats share: options, results, opening files, errors."""

from __future__ import annotations

import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.building import INT32_MAX, Duplicates
from clgraph.graph.graph import Graph
from clgraph.graph.io.atomic import atomic_write

Ids = Literal["int", "str"]


@dataclass(frozen=True)
class Options:
    """How the user wants a file read (see `clgraph.read`)."""

    directed: bool | None = None
    ids: Ids = "int"
    weights: bool = False
    duplicates: Duplicates = "merge"
    bare_is_directed: bool = False
    verify: bool | None = None

    def direction(self, file_says: bool | None = None) -> bool:
        """Directed or not: as the user says, else as the file says, else the command's default."""
        for answer in (self.directed, file_says):
            if answer is not None:
                return answer
        return self.bare_is_directed


@dataclass
class Loaded:
    """A graph read from a file, and facts for the summary."""

    graph: Graph
    rows: str  # "48436 rows": what the file held
    notes: list[str] = field(default_factory=list)  # what was skipped


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn the errors of opening, unpacking and reading `path` into one InputError."""
    try:
        yield
    except (EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: the gzip data end too early or are damaged ({error}); download the file again"
        ) from error
    except gzip.BadGzipFile as error:
        raise InputError(
            f"{path}: named .gz, but not compressed by gzip ({error}); rename it or download it again"
        ) from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def check_file(path: Path, may_be_empty: bool = False) -> None:
    """Raise InputError unless the path is a regular file that is not empty."""
    with reading(path):
        try:
            state = path.stat()
        except FileNotFoundError as error:
            raise InputError(
                f"{path}: no such file; check the name (the current folder is {os.getcwd()})"
            ) from error
        if stat.S_ISDIR(state.st_mode):
            raise InputError(f"{path}: a folder, not a file; name a graph file in it")
        if not stat.S_ISREG(state.st_mode):
            raise InputError(f"{path}: not a regular file (it is read twice, so save pipes to a file first)")
        if state.st_size == 0 and not may_be_empty:
            raise InputError(f"{path}: the file is empty (0 bytes)")
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        if packed and path.suffix != ".gz":
            raise InputError(f"{path}: compressed by gzip, but not named .gz; rename it")


def open_binary(path: Path) -> IO[bytes] | gzip.GzipFile:
    """The bytes of a plain or .gz file."""
    if path.suffix == ".gz":
        return gzip.open(path, "rb")
    return open(path, "rb")


def open_text(path: Path, encoding: str) -> IO[str]:
    """The text of a plain or .gz file."""
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding=encoding)
    return open(path, encoding=encoding)


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """`atomic_write`, compressed if the name ends in .gz."""
    with atomic_write(path, "wb") as file, compressed(path, file) as packed:
        yield packed


@contextmanager
def compressed(path: Path, file: IO[bytes]) -> Iterator[IO[bytes]]:
    """Compress what is written, if the name ends in .gz (no name, no date: the same bytes each time)."""
    if path.suffix != ".gz":
        yield file
        return
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0, compresslevel=6) as packed:
        yield packed  # type: ignore[misc]


def only_int_ids(path: Path, options: Options, format_name: str) -> None:
    """Raise InputError for ids="str" with a format that numbers its vertices."""
    if options.ids == "str":
        raise InputError(
            f"{path}: vertices of {format_name} files are numbers; leave --ids str (ids='str') out"
        )


def check_vertex_count(path: Path, n: int) -> None:
    """Raise InputError for more vertices than int32 can number."""
    if n > INT32_MAX:
        raise InputError(f"{path}: {n} vertices; clgraph takes at most {INT32_MAX}")


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 row``, ``2 rows``."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def renumbered(graph: Graph) -> list[str]:
    """A note where a format that numbers its vertices 1 .. n loses the ids."""
    n = graph.num_vertices
    if np.array_equal(graph.ids, np.arange(1, n + 1)):
        return []
    return [f"vertices numbered 1 .. {n} by ascending id (the format holds no ids)"]


def id_cells(graph: Graph, mark: bytes, path: Path, forbidden: str = "") -> npt.NDArray[np.uint64]:
    """A cell of text for each vertex's id, ended by `mark`; InputError if the format cannot hold an id."""
    if graph.ids.dtype != object:
        return cells(graph.ids, mark)
    for name in graph.ids.tolist():
        if not name or name[0] in "#%" or name != name.strip() or any(c in forbidden for c in name):
            raise InputError(
                f"cannot write {path}: vertex id {name!r} cannot be written in this format; use .clg"
            )
    return cells(np.array([name.encode() for name in graph.ids.tolist()], dtype=bytes), mark)


def cells(values: npt.NDArray[Any], mark: bytes) -> npt.NDArray[np.uint64]:
    """Text of each value (non-negative integers, or byte strings), followed by a mark.

    Rows of whole 8-byte words, shape (len(values), words), so that gathering them is fast. Unused bytes are
    zero, and `write_cells` drops them.
    """
    if values.dtype.kind in "iu":
        width = len(str(int(values.max()))) if len(values) else 1
    else:
        width = values.dtype.itemsize
    words = -(-(width + 1) // 8)
    text = np.zeros((len(values), 8 * words), np.uint8)
    if values.dtype.kind in "iu":
        left = values.astype(np.uint64)
        for place in range(width - 1, -1, -1):
            text[:, place] = (left % 10 + 48) * ((left > 0) | (place == width - 1))
            left //= np.uint64(10)
    else:
        text[:, :width] = values.view(np.uint8).reshape(len(values), width)
    text[:, -1] = mark[0]
    return text.view(np.uint64)


def write_cells(file: IO[bytes], *columns: npt.NDArray[np.uint64]) -> None:
    """Write cells row by row: column by column within a row."""
    file.write(np.concatenate(columns, axis=1).tobytes().translate(None, b"\0"))
