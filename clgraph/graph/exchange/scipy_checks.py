"""What a SciPy sparse matrix must be before SciPy converts it.

Its conversions are C code that trusts the indices: one out of range is an access outside an array. Users may
set the arrays of a matrix, and files hold any numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.errors import InputError
from clgraph.graph.building import INT32_MAX, check_count
from clgraph.graph.checks import check_offsets, check_range, integers

PARTS = {  # the arrays of each form
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "bsr": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
    "dia": ("data", "offsets"),
}
DIMENSIONS = {"bsr": 3, "dia": 2}  # of data; elsewhere 1


def check_matrix(matrix: Any) -> None:
    """Raise InputError unless a sparse matrix is square and its arrays agree; it is not changed."""
    check_square(matrix.shape)
    if matrix.format in PARTS:
        parts = {name: getattr(matrix, name) for name in PARTS[matrix.format]}
        check_parts(matrix.format, matrix.shape[0], parts)
    elif matrix.format == "lil":
        _check_lil(matrix)
    elif matrix.format == "dok":
        _check_dok(matrix)
    else:
        raise InputError(f"a sparse matrix of the form {matrix.format!r}: .tocsr() makes a known one of it")


def check_square(shape: tuple[int, ...]) -> None:
    """Raise InputError unless the shape is that of a graph's adjacency matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        shown = " x ".join(str(length) for length in shape)
        raise InputError(f"the matrix is {shown}: an adjacency matrix is square")
    check_count(int(shape[0]))


def check_parts(form: str, n: int, parts: Mapping[str, Any]) -> None:
    """Raise InputError unless the arrays of an n x n matrix agree, and its indices are in range."""
    data = np.asarray(parts["data"])
    wanted = DIMENSIONS.get(form, 1)
    if data.ndim != wanted or data.dtype.kind not in "biufc":
        raise InputError(
            f"data of the matrix is of type {data.dtype} and shape {data.shape}: an array of numbers with "
            f"{wanted} axes is needed"
        )
    index = {name: integers(parts[name], name) for name in PARTS[form][1:]}
    if form == "dia":
        _check_dia(index["offsets"], len(data))
        return
    for name in ("indices", "row", "col"):
        if name in index and len(index[name]) != len(data):
            raise InputError(f"the matrix has {len(data)} entries in data, but {len(index[name])} in {name}")
    if form == "coo":
        check_range(index["row"], n, "row")
        check_range(index["col"], n, "col")
        return
    blocks = data.shape[1:] if form == "bsr" else (1, 1)
    if 0 in blocks or n % blocks[0] or n % blocks[1]:
        raise InputError(f"blocks of {blocks[0]} x {blocks[1]} do not make up a matrix of {n} x {n}")
    offsets, used = index["indptr"], len(data)
    if len(offsets) != n // blocks[0] + 1:
        raise InputError(f"indptr has {len(offsets)} entries: {n // blocks[0] + 1} are needed")
    if 0 <= int(offsets[-1]) < used:  # SciPy leaves entries that no row uses at the end
        used = int(offsets[-1])
    check_offsets(offsets, used, "indptr")
    check_range(index["indices"][:used], n // blocks[1], "indices")


def _check_dia(offsets: npt.NDArray[Any], rows: int) -> None:
    if len(offsets) != rows:
        raise InputError(f"the matrix has {rows} diagonals in data, but {len(offsets)} offsets")
    far = (offsets < -INT32_MAX) | (offsets > INT32_MAX)
    if np.any(far):
        at = int(np.argmax(far))
        raise InputError(f"offsets[{at}] is {offsets[at]}: no diagonal of the matrix is there")
    if len(np.unique(offsets)) < rows:
        raise InputError("the matrix holds a diagonal twice: its offsets differ")


def _check_lil(matrix: Any) -> None:
    n = matrix.shape[0]
    rows, data = matrix.rows, matrix.data
    if len(rows) != n or len(data) != n:
        raise InputError(
            f"the matrix has {len(rows)} lists of columns and {len(data)} of values for {n} rows"
        )
    for row, (columns, values) in enumerate(zip(rows, data, strict=True)):
        if not isinstance(columns, list) or not isinstance(values, list) or len(columns) != len(values):
            raise InputError(f"row {row} of the matrix has not a list of columns and a value for each")
    flat = list(chain.from_iterable(rows))
    check_range(integers(flat, "rows"), n, "rows")


def _check_dok(matrix: Any) -> None:
    for key in matrix.keys():  # noqa: SIM118  iterating over a dok_matrix is another thing
        if not (isinstance(key, tuple) and len(key) == 2) or not all(
            isinstance(end, (int, np.integer)) and 0 <= end < matrix.shape[0] for end in key
        ):
            raise InputError(f"the matrix has an entry at {key!r}, outside its shape {matrix.shape}")
