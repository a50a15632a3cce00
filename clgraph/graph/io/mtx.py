"""Matrix Market files, by SciPy's reader and writer: entry (i, j) is the arc i -> j.

`symmetric` matrices are undirected, all others directed; vertex ids are the numbers in the file, 1 .. n.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp

from clgraph.errors import InputError
from clgraph.graph.graph import Graph, build_csr
from clgraph.graph.io.common import (
    Loaded,
    Options,
    check_vertex_count,
    counted,
    only_int_ids,
    open_binary,
    open_text,
    reading,
    renumbered,
    writing,
)


def _stream(file: Any) -> Any:
    """A file that can be read and written, but not sought.

    SciPy seeks back when it has read too far, and aborts the whole process where that fails.
    """
    return SimpleNamespace(read=file.read, write=file.write)


def read_mtx(path: Path, options: Options) -> Loaded:
    """Read a Matrix Market file (see `clgraph.read`)."""
    only_int_ids(path, options, "Matrix Market")
    with reading(path):
        try:
            with open_binary(path) as file:
                rows, columns, entries, layout, field, symmetry = scipy.io.mminfo(_stream(file))
            if layout != "coordinate":
                raise InputError(
                    f"{path}, line 1: a dense matrix ({layout!r}); a graph is a 'coordinate' matrix"
                )
            if rows != columns:
                raise InputError(
                    f"{path}: the matrix is {rows} x {columns}; the adjacency matrix of a graph is square"
                )
            check_vertex_count(path, rows)
            if options.weights and field in ("pattern", "complex"):
                raise InputError(
                    f"{path}, line 1: a {field} matrix has no real entries to take as weights; leave "
                    "--weights out"
                )
            with open_binary(path) as file:
                matrix: Any = scipy.io.mmread(_stream(file), spmatrix=False)
        except InputError:
            raise
        except (ValueError, OverflowError) as error:
            raise InputError(
                f"{path}: not a valid Matrix Market file: {error}; correct that line or download it again"
            ) from error
    weights = matrix.data.astype(np.float64) if options.weights else None
    if weights is not None and not np.all(np.isfinite(weights)):
        raise InputError(
            f"{path}, line {_line_not_finite(path)}: the entry is not a finite number; correct it or leave "
            "--weights out"
        )
    source, target = (end.astype(np.int32) for end in matrix.coords)
    directed = options.direction(symmetry != "symmetric")
    if symmetry == "symmetric" and not directed:  # SciPy unfolds what the file holds once
        lower = source >= target
        source, target = source[lower], target[lower]
        weights = None if weights is None else weights[lower]
    graph = build_csr(
        source,
        target,
        rows,
        weights=weights,
        ids=np.arange(1, rows + 1),
        directed=directed,
        duplicates=options.duplicates,
    )
    return Loaded(graph, counted(entries, "entry", "entries"))


def _line_not_finite(path: Path) -> int:
    with open_text(path, "latin-1") as file:
        for number, line in enumerate(file, 1):
            fields = line.split()
            if len(fields) == 3 and line[0] != "%" and not np.isfinite(float(fields[2])):
                return number
    raise AssertionError(f"{path}: SciPy read an entry that is not finite, but no line holds one")


def write_mtx(graph: Graph, path: Path) -> list[str]:
    """Write a Matrix Market file: general if directed, else symmetric; real if weighted, else pattern."""
    n = graph.num_vertices
    data = np.ones(graph.num_arcs, np.int8) if graph.weights is None else graph.weights
    matrix = sp.coo_array((data, (graph.rows, graph.col_idx)), shape=(n, n))
    with writing(path) as file:
        scipy.io.mmwrite(
            _stream(file),
            matrix,
            field="pattern" if graph.weights is None else "real",
            symmetry="general" if graph.directed else "symmetric",
        )
    notes = renumbered(graph)
    if graph.multiplicity is not None:
        notes.append(f"{counted(graph.num_duplicates, 'merged parallel edge')} written once")
    return notes
