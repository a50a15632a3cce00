"""Matrix Market files, by SciPy's reader and writer: entry (i, j) is the arc i -> j.

`symmetric` matrices are undirected, all others directed; vertex ids are the numbers in the file, 1 .. n.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import numpy as np

from clgraph.arguments import real_number
from clgraph.errors import InputError
from clgraph.formats.cells import writing
from clgraph.formats.common import (
    Loaded,
    Options,
    check_vertex_count,
    counted,
    graph_of_arcs,
    open_binary,
    open_text,
    unpacked_size,
)
from clgraph.graph.graph import Graph
from clgraph.progress import reached

ENTRY = 4  # bytes of the shortest entry: two digits, a blank and a line feed


class _Ended:
    """A file to read, with a line feed after its last line.

    SciPy 1.17.1 crashes the process where that line goes on behind its last field and then just ends. It also
    seeks back when it has read too far, and aborts where that fails, so there is nothing here to seek with.
    """

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path, self._file, self._ended = path, file, False

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(size)
        if b"\0" in data:  # another crash
            raise InputError(f"{self._path}: holds a NUL byte, so it is no text; download the file again")
        if not data and not self._ended:
            self._ended = True
            return b"\n"
        return data


@dataclass(frozen=True)
class Head:
    """Header of a Matrix Market file."""

    n: int  # vertices
    entries: int  # that the file holds
    field: str  # "pattern", "real", "integer" or "complex"
    symmetry: str  # "general", "symmetric", "skew-symmetric" or "hermitian"

    def skipped(self, options: Options) -> list[str]:
        """Return notes on what is left out."""
        return [] if options.weights or self.field == "pattern" else ["values of entries"]


def look(path: Path, options: Options) -> Head:
    """Read and check the first lines."""
    import scipy.io

    with _opened(path, options) as file:
        rows, columns, entries, layout, field, symmetry = scipy.io.mminfo(file)
    if layout != "coordinate":
        raise InputError(f"{path}, line 1: a dense matrix ({layout!r}); a graph is a 'coordinate' matrix")
    if rows != columns:
        raise InputError(
            f"{path}: the matrix is {rows} x {columns}; the adjacency matrix of a graph is square"
        )
    check_vertex_count(path, rows, options)
    # SciPy makes arrays as long as the header says
    size = path.stat().st_size
    if ENTRY * entries > size:
        size = unpacked_size(path, options.max_ratio)
    if ENTRY * entries > size + 1:
        raise InputError(
            f"{path}: the header says {entries} entries, too many for {size} bytes; download the file again "
            "or correct the header"
        )
    if options.weights and field in ("pattern", "complex"):
        raise InputError(
            f"{path}, line 1: a {field} matrix has no real entries to take as weights; leave weights=True out"
        )
    return Head(rows, entries, field, symmetry)


@contextmanager
def _opened(path: Path, options: Options) -> Iterator[Any]:
    """The file as SciPy may read it, whose errors become an InputError that names the file."""
    try:
        with open_binary(path, options.max_ratio) as file:
            yield _Ended(path, file)
    except InputError:
        raise
    except (ValueError, OverflowError, RuntimeError, MemoryError) as error:
        raise InputError(
            f"{path}: not a valid Matrix Market file: {error}; correct that line or download it again"
        ) from error


def read_mtx(path: Path, options: Options) -> Loaded:
    """Read a Matrix Market file (see `clgraph.read`)."""
    import scipy.io

    head = look(path, options)
    with _opened(path, options) as file:
        matrix: Any = scipy.io.mmread(file, spmatrix=False)
    weights = matrix.data.astype(np.float64) if options.weights else None
    if weights is not None and not np.all(np.isfinite(weights)):
        raise InputError(
            f"{path}, line {_line_not_finite(path)}: the entry is not a finite number; correct it or leave "
            "weights=True out"
        )
    source, target = (end.astype(np.int32) for end in matrix.coords)
    directed = options.direction(head.symmetry != "symmetric")
    if head.symmetry == "symmetric" and not directed:  # SciPy unfolds what the file holds once
        lower = source >= target
        source, target = source[lower], target[lower]
        weights = None if weights is None else weights[lower]
    graph = graph_of_arcs((source, target, weights), head.n, options, directed, first=1)
    return Loaded(graph, counted(head.entries, "entry", "entries"), head.skipped(options))


def _line_not_finite(path: Path) -> int:
    with open_text(path, "latin-1") as file:
        for number, line in enumerate(file, 1):
            fields = line.split()
            if len(fields) == 3 and line[0] != "%" and not np.isfinite(real_number(fields[2]) or np.nan):
                return number
    raise AssertionError(f"{path}: SciPy read an entry that is not finite, but no line holds one")


def write_mtx(graph: Graph, path: Path) -> None:
    """Write a Matrix Market file: general if directed, else symmetric; real if weighted, else pattern."""
    import scipy.io
    from scipy import sparse as sp

    n = graph.num_vertices
    data = np.ones(graph.num_arcs, np.int8) if graph.weights is None else graph.weights
    matrix = sp.coo_array((data, (graph.tails, graph.col_idx)), shape=(n, n))
    rows = 0

    def write(data: bytes) -> None:
        nonlocal rows
        reached(rows / max(graph.num_edges, 1))
        rows += data.count(b"\n")
        file.write(data)

    with writing(path) as file:
        scipy.io.mmwrite(
            SimpleNamespace(write=write),
            matrix,
            field="pattern" if graph.weights is None else "real",
            symmetry="general" if graph.directed else "symmetric",
        )
