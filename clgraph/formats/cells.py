"""Rows of text written fast: cells of bytes for the ends of edges and their weights, gathered and joined."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.formats.atomic import atomic_write
from clgraph.formats.packed import compressed
from clgraph.graph.graph import Graph
from clgraph.progress import reached

WIDE = 1 << 24  # bytes of cells of one width that are filled up however long the longest name is
CHUNK = 1 << 18  # arcs worked on at a time: a few MB, which stay in the cache
WHOLE_MAX = 2.0**53  # whole numbers below it are exact in float64


EdgeChunk = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], "npt.NDArray[np.float64] | None"]


@contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """`atomic_write`, compressed if the name ends in .gz or .zst."""
    with atomic_write(path, "wb") as file, compressed(path, file) as packed:
        yield packed


def id_cells(graph: Graph, mark: bytes, as_text: Callable[[str], bytes]) -> npt.NDArray[Any]:
    """Return a cell of text per vertex id, ended by `mark`; `as_text` gives the bytes of an id that is text.

    Byte strings (an object array) where a few ids are so long that cells of one width would fill the memory.
    """
    if graph.ids.dtype != object:
        return cells(graph.ids, mark)
    names = [as_text(name) for name in graph.ids.tolist()]
    # one very long name would make every cell as long
    if max(map(len, names), default=0) * len(names) > 8 * sum(map(len, names)) + WIDE:
        whole = np.empty(len(names), object)
        whole[:] = [name + mark for name in names]
        return whole
    return cells(np.array(names, dtype=bytes), mark)


def ended_by(column: npt.NDArray[Any], mark: bytes) -> npt.NDArray[Any]:
    """Return the cells with another mark at their ends."""
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
    # whole words, since gathering rows then copies words instead of bytes
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


def text_cells(texts: Iterable[str]) -> npt.NDArray[Any]:
    """Return texts, ends of lines say, as cells: byte strings."""
    return np.array([*(text.encode() for text in texts), None], object)[:-1]


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
    # the unused bytes of all cells are dropped at once
    file.write(np.concatenate(columns, axis=1).tobytes().translate(None, b"\0"))


def edge_chunks(graph: Graph, both_arcs: bool = False) -> Iterator[EdgeChunk]:
    """Tails, heads and weights (or None) of all edges, u <= v if undirected; or of both arcs of each."""
    rows = graph.tails
    for start in range(0, graph.num_arcs, CHUNK):
        reached(start / graph.num_arcs)
        tail, head = rows[start : start + CHUNK], graph.col_idx[start : start + CHUNK]
        weight = None if graph.weights is None else graph.weights[start : start + CHUNK]
        # an undirected edge is stored as two arcs, a loop as one
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


def write_rows(file: IO[bytes], graph: Graph, names: npt.NDArray[Any]) -> None:
    """Write a row for each edge: cells of both ends, given by vertex, and of its weight if it has one."""
    # the last column ends the row
    last = names if graph.is_weighted else ended_by(names, b"\n")
    for tail, head, weight in edge_chunks(graph):
        weights = [] if weight is None else [weight_cells(weight, b"\n")]
        write_cells(file, names[tail], last[head], *weights)


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
