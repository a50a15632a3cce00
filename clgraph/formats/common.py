"""What the readers and writers of all formats share: options, results, opening files, errors."""

from __future__ import annotations

import gzip
import io
import math
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from clgraph.arguments import real_number, whole_number
from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write
from clgraph.formats.packed import GZIP, GZIP_MAGIC, SUFFIXES, ZSTD, ZSTD_MAGIC, Unpacked, compressed
from clgraph.formats.progress import REPORT, TrackedFile, reached
from clgraph.graph.arrays import last_of_rows
from clgraph.graph.building import INT32_MAX, LOW_HALF, Duplicates, pack
from clgraph.graph.graph import Graph, build_csr

# --- lists of arcs compared in any order: a list with its reverse, or one with another ---


Arcs = tuple[npt.NDArray[Any], npt.NDArray[Any], "npt.NDArray[Any] | None"]  # tails, heads, weights


def difference(one: Arcs, other: Arcs) -> tuple[int, int] | None:
    """The first arc (by tail and head) that is not in both as often, or else not with the same weight."""
    keys: list[Any] = []
    weights: list[Any] = []
    for tail, head, weight in (one, other):
        key: Any = pack(tail, head)
        if weight is None:
            if np.any(key[1:] < key[:-1]):
                key.sort()
        else:
            order = np.lexsort((weight, key))
            key, weight = key[order], weight[order]
        keys.append(key)
        weights.append(weight)
    shared = min(map(len, keys))
    different = keys[0][:shared] != keys[1][:shared]
    if weights[0] is not None and not different.any():
        different = weights[0][:shared] != weights[1][:shared]
    if different.any():
        i = int(np.argmax(different))
        first = min(int(keys[0][i]), int(keys[1][i]))
    elif len(keys[0]) != len(keys[1]):
        first = int(max(keys, key=len)[shared])
    else:
        return None
    return first >> 32, first & LOW_HALF


def without_twin(arcs: Arcs) -> tuple[int, int] | None:
    """The first pair (by its smaller end) whose arcs there and back are not as many, of the same weights."""
    tail, head, weight = arcs
    up, down = np.flatnonzero(tail < head), np.flatnonzero(tail > head)
    there: Arcs = tail[up], head[up], None if weight is None else weight[up]
    back: Arcs = head[down], tail[down], None if weight is None else weight[down]
    return difference(there, back)


def each_once(arcs: Arcs) -> Arcs:
    """The arcs of an undirected graph, each edge once if both of its arcs are there, as they all must be."""
    if without_twin(arcs) is not None:
        return arcs
    tail, head, weight = arcs
    once = tail <= head
    return tail[once], head[once], None if weight is None else weight[once]


def distinct_rows(row_ptr: npt.NDArray[Any], heads: npt.NDArray[Any]) -> bool:
    """Whether the heads of each row ascend, no two of them alike: such rows are a graph's as they are."""
    ascend = heads[1:] > heads[:-1]
    ascend[last_of_rows(row_ptr, len(heads))] = True  # from one row to the next they may fall
    return bool(ascend.all())


Ids = Literal["int", "str", "name"]

MAX_RATIO = 200.0  # how many times its own size a file may unpack to, unless the user says otherwise
NAMES_SHOWN = 8  # things that a note names: it is one line
# vertices that any file may announce without listing them, a few tens of MB in memory, and those for each
# byte of a larger one: more are a mistake, or made to fill memory
VERTICES_FLOOR = 1 << 22
VERTICES_PER_BYTE = 16
ID_MAX = 2**63 - 1
WIDE = 1 << 24  # bytes of cells of one width that are filled up however long the longest name is


@dataclass(frozen=True)
class Options:
    """How the user wants a file read (see `clgraph.read`)."""

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
        for answer in (self.directed, file_says):
            if answer is not None:
                return answer
        return False


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
        for magic, name, suffix in ((GZIP_MAGIC, "gzip", GZIP), (ZSTD_MAGIC, "zstd", ZSTD)):
            if begin.startswith(magic) and path.suffix != suffix and not packed:
                raise InputError(f"{path}: compressed by {name}, but not named {suffix}; rename it")


def read_text(path: Path, most: int = -1) -> str:
    """The text of a small file, or of a pipe (its first `most` characters); InputError for an endless device.

    Raises
    ------
    InputError
    OSError, UnicodeDecodeError
    """
    with open(path, encoding="utf-8") as file:
        if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
            raise InputError(f"cannot read {path}: it is a device; give a file")
        return file.read(most)


def open_binary(path: Path, max_ratio: float = MAX_RATIO) -> IO[bytes]:
    """The bytes of a plain or compressed file: as its name says, or its first bytes (if that is allowed)."""
    if path.suffix not in SUFFIXES:
        file = io.BufferedReader(io.FileIO(path) if REPORT.get() is None else TrackedFile(path), 1 << 18)
        if file.peek(2)[:2] != GZIP_MAGIC:
            return file
        file.close()
    return io.BufferedReader(Unpacked(path, max_ratio), 1 << 20)


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
        with open_binary(path, max_ratio) as raw:
            number = next((i for i, line in enumerate(raw, 1) if not _decodes(line)), 0)
        raise InputError(
            f"{path}, line {number}: bytes that are not UTF-8 ({error.reason}); convert it with iconv"
        ) from error


def _decodes(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """`atomic_write`, compressed if the name ends in .gz or .zst."""
    with atomic_write(path, "wb") as file, compressed(path, file) as packed:
        yield packed


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


def vertex_id(path: Path, number: int, text: str) -> int:
    """The id, a whole number, that a text in a line of a file is; InputError if it is none."""
    value = natural(text)
    if value is None or value > ID_MAX:
        raise InputError(
            f"{path}, line {number}: {text[:80]!r} is not a vertex id, a whole number up to {ID_MAX}; if ids "
            "are text, read with ids='str'"
        )
    return value


def natural(text: str) -> int | None:
    """The number that digits alone spell; None if there is anything else."""
    return whole_number(text) if text.isdigit() else None


def finite_weight(where: str, text: str, always: bool = False) -> float:
    """The weight that a text spells; InputError if it is no finite number."""
    value = real_number(text)
    if value is None or not math.isfinite(value):
        out = "" if always else " or leave weights=True out"
        raise InputError(f"{where}: weight {text[:80]!r} is not a finite number; correct it{out}")
    return value


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

    With `twins` the arcs of an undirected graph are both of each edge.
    """
    tail, head, weights = each_once(arcs) if twins and not directed else arcs
    return build_csr(
        tail,
        head,
        n,
        weights=weights.astype(np.float64, copy=False) if options.weights and weights is not None else None,
        ids=np.arange(first, n + first) if first else None,
        directed=directed,
        duplicates=options.duplicates,
    )


def id_cells(graph: Graph, mark: bytes, as_text: Callable[[str], bytes]) -> npt.NDArray[Any]:
    """A cell of text for each vertex's id, ended by `mark`; `as_text` gives the bytes of an id that is text.

    Byte strings (an object array) where a few ids are so long that cells of one width would fill the memory.
    """
    if graph.ids.dtype != object:
        return cells(graph.ids, mark)
    names = [as_text(name) for name in graph.ids.tolist()]
    if max(map(len, names), default=0) * len(names) > 8 * sum(map(len, names)) + WIDE:
        whole = np.empty(len(names), object)
        whole[:] = [name + mark for name in names]
        return whole
    return cells(np.array(names, dtype=bytes), mark)


def ended_by(column: npt.NDArray[Any], mark: bytes) -> npt.NDArray[Any]:
    """The same cells with another mark at their ends."""
    other = column.copy()
    if column.dtype == object:
        other[:] = [name[:-1] + mark for name in column.tolist()]
    else:
        other.view(np.uint8)[:, -1] = mark[0]
    return other


def plain_name(path: Path, name: str, separators: re.Pattern[str]) -> bytes:
    """An id as a format without quotes writes it; InputError if it would not be read again as it is."""
    if found := separators.search(name):
        raise no_place(path, name, f"holds {found[0]!r}, which separates fields or lines")
    if name != name.strip():
        raise no_place(path, name, "begins or ends with white space")
    if name.startswith(("#", "%", "\ufeff")):
        raise no_place(path, name, f"begins with {name[0]!r}, as comments or files do")
    return encoded(path, name)


def encoded(path: Path, name: str) -> bytes:
    """The UTF-8 of an id; InputError if it has none, is empty, or holds the NUL that fills up cells."""
    if not name or "\0" in name:
        raise no_place(path, name, "holds a NUL character" if name else "is empty")
    try:
        return name.encode()
    except UnicodeEncodeError as error:
        raise no_place(path, name, "holds a lone surrogate, which UTF-8 has not") from error


def no_place(path: Path, name: str, why: str) -> InputError:
    """The error for an id that a format cannot hold."""
    shown = repr(name) if len(name) <= 80 else f"{name[:80]!r}..."
    return InputError(f"cannot write {path}: vertex id {shown} {why}; rename it, or use .clg")


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


def write_cells(file: IO[bytes], *columns: npt.NDArray[Any]) -> None:
    """Write cells row by row: column by column within a row."""
    if any(column.dtype == object for column in columns):
        texts = [
            column.tolist()
            if column.dtype == object
            else [cell.tobytes().translate(None, b"\0") for cell in column]
            for column in columns
        ]
        file.writelines(b"".join(row) for row in zip(*texts, strict=True))
        return
    file.write(np.concatenate(columns, axis=1).tobytes().translate(None, b"\0"))


# --- what several writers share: edges in pieces, refusals and notes ---


CHUNK = 1 << 18  # arcs worked on at a time: a few MB, which stay in the cache
WHOLE_MAX = 2.0**53  # whole numbers below it are exact in float64

Piece = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], "npt.NDArray[np.float64] | None"]


def edges_in_pieces(graph: Graph, both_arcs: bool = False) -> Iterator[Piece]:
    """Tails, heads and weights (or None) of all edges, u <= v if undirected; or of both arcs of each."""
    rows = graph.tails
    for start in range(0, graph.num_arcs, CHUNK):
        reached(start / graph.num_arcs)
        tail, head = rows[start : start + CHUNK], graph.col_idx[start : start + CHUNK]
        weight = None if graph.weights is None else graph.weights[start : start + CHUNK]
        if not graph.directed and not both_arcs:
            once = tail <= head
            tail, head = tail[once], head[once]
            weight = None if weight is None else weight[once]
        yield tail, head, weight


def weight_cells(weights: npt.NDArray[np.float64], mark: bytes) -> npt.NDArray[np.uint64]:
    """Weights as the shortest text that reads back to the same number."""
    return _number_cells(weights, mark, repr)


def whole_cells(weights: npt.NDArray[np.float64], mark: bytes) -> npt.NDArray[np.uint64]:
    """Weights that are whole numbers, without a point."""
    if len(weights) and weights.min() < 0:
        return _number_cells(weights, mark, lambda value: str(int(value)))
    return cells(weights.astype(np.int64), mark)


def _number_cells(
    weights: npt.NDArray[np.float64], mark: bytes, as_text: Callable[[float], str]
) -> npt.NDArray[np.uint64]:
    # equal ones are formatted once: they are often small whole numbers; 0.0 and -0.0 differ by their bits
    bits, place = np.unique(weights.view(np.int64), return_inverse=True)
    values = bits.view(np.float64).tolist()
    return cells(np.array([as_text(value).encode() for value in values], dtype="S"), mark)[place]


def write_rows(
    file: IO[bytes],
    graph: Graph,
    names: npt.NDArray[Any],
    *,
    both_arcs: bool = False,
    mark: bytes = b"",
    as_text: Callable[..., npt.NDArray[np.uint64]] = weight_cells,
    always_weighted: bool = False,
) -> None:
    """Write a row for each edge: cells of both ends, given by vertex, and of its weight if it has one.

    With `both_arcs` there is a row for each arc; rows begin with a `mark`, if there is one; with
    `always_weighted` the weights are 1 where the graph has none.
    """
    weighted = always_weighted or graph.weights is not None
    last = names if weighted else ended_by(names, b"\n")
    begin = cells(np.array([mark]), b" ")
    for tail, head, weight in edges_in_pieces(graph, both_arcs):
        columns = [names[tail], last[head]]
        if mark:
            columns.insert(0, begin[np.zeros(len(tail), np.int8)])
        if weighted:
            columns.append(as_text(np.ones(len(tail)) if weight is None else weight, b"\n"))
        write_cells(file, *columns)


def only_whole_weights(
    graph: Graph, path: Path, title: str, lowest: float = -WHOLE_MAX, end: float = WHOLE_MAX
) -> None:
    """Raise InputError for a weight that is no whole number from `lowest` to below `end`."""
    if graph.weights is None:
        return
    weights: npt.NDArray[Any] = graph.weights
    wrong = (weights != np.floor(weights)) | (weights < lowest) | (weights >= end)
    if wrong.any():
        raise InputError(
            f"cannot write {path}: the weight {weights[np.argmax(wrong)]} is not a whole number from "
            f"{lowest:.0f} to below {end:.0f}, as {title} files need it; leave weights=True out, or use "
            "another format"
        )
