"""Options, results, opening of files and errors, shared by the readers of all formats."""

from __future__ import annotations

import gzip
import io
import math
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

import numpy as np

from clgraph.arguments import real_number, whole_number
from clgraph.errors import InputError
from clgraph.formats.packed import GZIP, GZIP_MAGIC, SUFFIXES, ZSTD, ZSTD_MAGIC, Unpacked
from clgraph.graph.building import INT32_MAX, Duplicates
from clgraph.graph.checks import Arcs, without_twin
from clgraph.graph.graph import Graph, build_csr
from clgraph.progress import REPORT, TrackedFile
from clgraph.system import read_at

Ids = Literal["int", "str", "name"]

MAX_RATIO = 200.0  # how many times its own size a file may unpack to, unless the user says otherwise
NAMES_SHOWN = 8  # things that a note names: it is one line
# vertices that any file may announce without listing them, a few tens of MB in memory, and those for each
# byte of a larger one: more are a mistake, or made to fill memory
VERTICES_FLOOR = 1 << 22
VERTICES_PER_BYTE = 16
ID_MAX = 2**63 - 1


@dataclass(frozen=True)
class Options:
    """Options of reading a file (see `clgraph.read`)."""

    directed: bool | None = None
    ids: Ids = "int"
    weights: bool = False
    duplicates: Duplicates = "merge"
    verify: bool | None = None
    header: bool | None = None
    max_vertices: int | None = None
    max_ratio: float = MAX_RATIO

    def direction(self, file_says: bool | None = None) -> bool:
        """Directed or not: as the user says, else as the file says, else undirected."""
        return bool(file_says if self.directed is None else self.directed)


@dataclass
class Loaded:
    """A graph read from a file, and facts for the summary."""

    graph: Graph
    rows: str  # "48436 rows": what the file held
    notes: list[str] = field(default_factory=list)  # what was skipped
    where: str = ""  # "read on 0:1 (GPU)", where that is worth a word


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
        what = "named .gz, but not compressed by gzip"
        if not str(error).startswith("Not a gzipped file"):
            what = "the gzip data end too early or are damaged"
        raise InputError(f"{path}: {what} ({error}); rename it or download it again") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        raise InputError(f"{str(path)!r}: no name of a file: it holds a lone surrogate") from error


def check_file(path: Path, may_be_empty: bool = False, packed: bool = False) -> None:
    """Raise InputError unless the path is a regular file that is not empty.

    One that is compressed must be named so, but where `packed` says that its reader sees that.
    """
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
            begin = file.read(4)
        # a compressed file under a plain name would be read as a damaged text
        for magic, name, suffix in ((GZIP_MAGIC, "gzip", GZIP), (ZSTD_MAGIC, "zstd", ZSTD)):
            if begin.startswith(magic) and path.suffix != suffix and not packed:
                raise InputError(f"{path}: compressed by {name}, but not named {suffix}; rename it")


def read_text(path: Path, most: int = -1) -> str:
    """Return the text of a small file, or the first `most` characters of a pipe; InputError for a device."""
    with open(path, encoding="utf-8") as file:
        if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
            raise InputError(f"cannot read {path}: it is a device; give a file")
        return file.read(most)


def open_binary(path: Path, max_ratio: float = MAX_RATIO) -> IO[bytes]:
    """The bytes of a plain or compressed file: as its name says, or its first bytes (if that is allowed)."""
    if path.suffix not in SUFFIXES:
        file = io.BufferedReader(io.FileIO(path) if REPORT.get() is None else TrackedFile(path), 1 << 18)
        # Julia's tools compress files without saying so in the name
        if file.peek(2)[:2] != GZIP_MAGIC:
            return file
        file.close()
    return io.BufferedReader(Unpacked(path, max_ratio), 1 << 20)


def fill(path: Path, file: int, view: memoryview, offset: int, size: int) -> None:
    """Read a part of an open file of `size` bytes into a view; InputError if it has become shorter."""
    done = 0
    while done < len(view):
        got = read_at(file, view[done:], offset + done)
        if got == 0:
            raise InputError(
                f"{path}: became shorter while it was read ({offset + done} bytes of {size}); read it again "
                "when it is complete"
            )
        done += got


def unpacked_size(path: Path, max_ratio: float = MAX_RATIO) -> int:
    """The size of a plain or compressed file's contents; an InputError if they are suspiciously many."""
    if path.suffix not in SUFFIXES:
        return path.stat().st_size
    with open_binary(path, max_ratio) as file:
        return sum(map(len, iter(lambda: file.read(1 << 20), b"")))


def open_text(path: Path, encoding: str, max_ratio: float = MAX_RATIO) -> IO[str]:
    """The text of a plain or compressed file."""
    return io.TextIOWrapper(open_binary(path, max_ratio), encoding=encoding)


def numbered_lines(path: Path, encoding: str, max_ratio: float = MAX_RATIO) -> Iterator[tuple[int, str]]:
    """Lines and their numbers, without a byte order mark; an InputError names a line that is not UTF-8."""
    mark = "\ufeff".encode().decode(encoding)
    try:
        with io.TextIOWrapper(open_binary(path, max_ratio), encoding=encoding) as file:
            yield 1, file.readline().removeprefix(mark)
            yield from enumerate(file, 2)
    except UnicodeDecodeError as error:
        # the decoder reads ahead and counts no lines, so the first bad one is looked for again
        with open_binary(path, max_ratio) as raw:
            wrong = (i for i, line in enumerate(raw, 1) if line.decode(errors="ignore").encode() != line)
            number = next(wrong, 0)
        raise InputError(
            f"{path}, line {number}: bytes that are not UTF-8 ({error.reason}); convert it with iconv"
        ) from error


def check_vertex_count(path: Path, n: int, options: Options | None = None) -> None:
    """Raise InputError for more vertices than int32 can number, or than the user or the file's size allow.

    A few bytes can announce vertices by the billion, each of which costs memory: it is asked about.
    """
    if n > INT32_MAX:
        raise InputError(f"{path}: {n} vertices; clgraph takes at most {INT32_MAX}")
    if options is None:
        return
    if options.max_vertices is not None:
        if n > options.max_vertices:
            raise InputError(f"{path}: {n} vertices, more than max_vertices={options.max_vertices}")
    elif n > max(VERTICES_FLOOR, VERTICES_PER_BYTE * (size := path.stat().st_size)):
        raise InputError(
            f"{path}: announces {n} vertices in only {size} bytes; if that is right, read it with "
            f"max_vertices={n}"
        )


def vertex_id(where: str, text: str, ids: tuple[int, int] = (0, ID_MAX), *, plus: bool = False) -> int:
    """Return the vertex, one of `ids`, that a text names by its number; InputError if it names none."""
    lowest, highest = ids
    value = whole_number(text) if text.isdigit() or (plus and text[:1] == "+") else None
    if value is not None and lowest <= value <= highest:
        return value
    if highest < ID_MAX:
        raise InputError(f"{where}: {quoted(text)} is not a vertex: they are {lowest} .. {highest}")
    if text.isascii() and text.lstrip("+-").isdigit():
        what = "is negative" if text[0] == "-" else "does not fit in 64 bits"
        raise InputError(
            f"{where}: id {text[:80]} {what}; ids are whole numbers from 0 to {ID_MAX}, or text with "
            "ids='str'"
        )
    raise InputError(
        f"{where}: {quoted(text)} is not a vertex id, a whole number; if ids are text, read with ids='str'"
    )


def natural(text: str) -> int | None:
    """The number that digits alone spell; None if there is anything else."""
    return whole_number(text) if text.isdigit() else None


def finite_weight(where: str, text: str, always: bool = False) -> float:
    """The weight that a text spells; InputError if it is no finite number."""
    value = real_number(text)
    if value is None or not math.isfinite(value):
        out = "" if always else " or leave weights=True out"
        raise InputError(f"{where}: weight {quoted(text)} is not a finite number; correct it{out}")
    return value


def as_utf8(text: str) -> str:
    """A text that was read as Latin-1, which takes any byte, as UTF-8 if it is that."""
    try:
        return text if text.isascii() else text.encode("latin-1").decode()
    except UnicodeError:
        return text


def quoted(text: str) -> str:
    """A text from a file as errors show it: in quotes, and no more than its first 80 characters."""
    return repr(as_utf8(text)[:80])


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 row``, ``2 rows``."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def few(names: list[str]) -> list[str]:
    """Names from a file as a note shows them: the first ones, cut, and how many more there are."""
    more = [f"{len(names) - NAMES_SHOWN} more"] if len(names) > NAMES_SHOWN else []
    return [name[:40] for name in names[:NAMES_SHOWN]] + more


def graph_of_arcs(
    arcs: Arcs, n: int, options: Options, directed: bool, *, first: int = 0, twins: bool = False
) -> Graph:
    """Return the graph of arcs between vertices counted from 0, whose ids count from `first`.

    With `twins` an undirected graph has both arcs of each edge, if all have both.
    """
    tail, head, weights = arcs
    if twins and not directed and without_twin(arcs) is None:
        # of two twins the arc from the smaller end stays; a loop is one arc
        once = tail <= head
        tail, head, weights = tail[once], head[once], None if weights is None else weights[once]
    return build_csr(
        tail,
        head,
        n,
        weights=weights.astype(np.float64, copy=False) if options.weights and weights is not None else None,
        ids=np.arange(first, n + first) if first else None,
        directed=directed,
        duplicates=options.duplicates,
    )
