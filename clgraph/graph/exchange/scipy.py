"""SciPy sparse arrays and matrices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from clgraph.arguments import flag, word
from clgraph.errors import CapacityError, InputError
from clgraph.graph.arrays import Arrays, aligned_empty
from clgraph.graph.building import INT32_MAX, pack, sorted_rows
from clgraph.graph.checks import check_matrix, without_twin

Asymmetric = Literal["refuse", "sum"]


@contextmanager
def _in_memory() -> Iterator[None]:
    """A matrix of a few entries may have billions of rows, and a graph has all of them."""
    try:
        yield
    except MemoryError as error:
        raise CapacityError(
            f"the matrix does not fit into memory as a graph, which has all its rows: {error}; leave out "
            "rows and columns without entries"
        ) from error


@_in_memory()
def from_scipy(matrix: Any, directed: bool, weighted: bool, counts: bool, asymmetric: Asymmetric) -> Arrays:
    """See `clgraph.Graph.from_scipy`."""
    word(asymmetric, "asymmetric", get_args(Asymmetric))
    directed, weighted, counts = (
        flag(value, name)
        for name, value in (("directed", directed), ("weighted", weighted), ("counts", counts))
    )
    if weighted and counts:
        raise InputError("the entries are weights or counts: give weighted=True or counts=True, not both")
    _check_sparse(matrix)
    if counts and matrix.dtype.kind not in "iu":
        raise InputError(f"the matrix holds {matrix.dtype} values: counts=True wants whole numbers")
    a = _canonical(matrix, values=weighted or counts)
    weights, multiplicity = _values(a, weighted, counts)
    values = None if weights is None and multiplicity is None else a.data
    if not directed and not _same(a, _transpose(a, values), values):
        tail, head = _ends(a)
        if asymmetric == "refuse":
            _check_each_edge_once(tail, head, values)
        made = sorted_rows(tail, head, a.shape[0], weights=weights, multiplicity=multiplicity, directed=False)
        # the mirror of an entry is not a second edge
        return made if multiplicity is not None else replace(made, multiplicity=None)
    return _rows(a, weights=weights, multiplicity=multiplicity, directed=directed)


@_in_memory()
def from_symmetric(matrix: Any) -> Arrays:
    """An undirected graph from a matrix of symmetric pattern; any other, maybe directed, is an InputError."""
    _check_sparse(matrix)
    a = _canonical(matrix, values=False)
    if not _same(a, _transpose(a)) and (found := without_twin((*_ends(a), None))):
        u, v = found
        raise InputError(
            f"the matrix is not symmetric: it has an entry ({u}, {v}) and none at ({v}, {u}); say whether "
            "the graph is directed: Graph.from_scipy(A, directed=...)"
        )
    return _rows(a, directed=False)


def _check_sparse(matrix: Any) -> None:
    if not sp.issparse(matrix):
        raise InputError(
            f"a SciPy sparse array or matrix is needed, not {type(matrix).__name__}: "
            "scipy.sparse.csr_array(...) makes one of a dense array"
        )
    check_matrix(matrix)


def _rows(
    a: Any,
    *,
    weights: npt.NDArray[np.float64] | None = None,
    multiplicity: npt.NDArray[np.int32] | None = None,
    directed: bool,
) -> Arrays:
    """A graph with the rows of a canonical matrix, which are sorted already."""
    if multiplicity is not None and not np.any(multiplicity > 1):
        multiplicity = None
    return Arrays(
        _copied(a.indptr, np.int32 if a.indptr[-1] <= INT32_MAX else np.int64),
        _copied(a.indices, np.int32),
        weights=weights,
        multiplicity=multiplicity,
        directed=directed,
    )


def _canonical(matrix: Any, *, values: bool) -> Any:
    """The matrix as a CSR array with sorted rows and no repeated entry; the caller's is not changed.

    SciPy adds repeated entries up in their own type, int8 say: where values count, they are widened first.
    """
    form, shape = matrix.format, matrix.shape
    try:
        if form in ("csr", "csc", "bsr"):  # made anew: the caller's may say wrongly that it is sorted
            used = int(matrix.indptr[-1])
            data, indices = matrix.data[:used], matrix.indices[:used]
            a: Any = sp.csr_array(getattr(sp, f"{form}_array")((data, indices, matrix.indptr), shape=shape))
        elif form == "coo":
            data = _widened(matrix.data) if values else matrix.data
            a = sp.csr_array(sp.coo_array((data, (matrix.row, matrix.col)), shape=shape))
        else:
            a = sp.csr_array(matrix)
    except (ValueError, TypeError, OverflowError) as error:  # of a mixture of types, say
        raise InputError(f"SciPy cannot convert the matrix: {error}") from error
    if not a.has_canonical_format:
        a = a.copy()
        if values:
            a.data = _widened(a.data)
        a.sum_duplicates()
    return a


def _widened(data: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Whole numbers in a type that holds their sum."""
    if data.dtype.kind not in "iu" or not data.size:
        return data
    largest = max(-int(data.min()), int(data.max()))
    return data.astype(np.int64 if largest * data.size < 2**63 else np.float64)


def _values(
    a: Any, weighted: bool, counts: bool
) -> tuple[npt.NDArray[np.float64] | None, npt.NDArray[np.int32] | None]:
    """Weights or multiplicities, as asked for."""
    if weighted:
        if a.dtype.kind not in "biuf":
            raise InputError(
                f"the matrix holds {a.dtype} values: weights are real numbers; leave weights out"
            )
        weights = a.data.astype(np.float64)  # always a copy
        if not np.all(np.isfinite(weights)):
            where = _entry(a, int(np.argmin(np.isfinite(weights))))
            raise InputError(
                f"the matrix holds a value that is not finite: entry {where}; correct it or leave weights out"
            )
        return weights, None
    if counts:
        wrong = (a.data < 1) | (a.data > INT32_MAX)
        if np.any(wrong):
            place = int(np.argmax(wrong))
            raise InputError(
                f"the matrix holds a count of {a.data[place]} in entry {_entry(a, place)}: "
                f"counts are from 1 to {INT32_MAX}"
            )
        return None, a.data.astype(np.int32)
    return None, None


def _entry(a: Any, place: int) -> str:
    """Row and column of the entry at a position of `data`: ``(row, column)``."""
    return f"({int(np.searchsorted(a.indptr, place, side='right')) - 1}, {int(a.indices[place])})"


def _ends(a: Any) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Row and column of each entry."""
    tail = np.repeat(np.arange(a.shape[0], dtype=np.int32), np.diff(a.indptr))
    return tail, a.indices.astype(np.int32, copy=False)


def _transpose(a: Any, values: npt.NDArray[Any] | None = None) -> Any:
    """The transpose of a canonical matrix, canonical as well; of its pattern, unless values are given.

    SciPy moves the values along: those of one byte take a third less time than those of eight.
    """
    # without values any array of the right length will do: the shortest type is moved fastest
    data = np.zeros(a.nnz, np.int8) if values is None else values
    return sp.csc_array((data, a.indices, a.indptr), shape=a.shape).tocsr()


def _same(a: Any, b: Any, values: npt.NDArray[Any] | None = None) -> bool:
    """True if canonical matrices have the same entries, and `b` has these values."""
    return (
        np.array_equal(a.indptr, b.indptr)
        and np.array_equal(a.indices, b.indices)
        and (values is None or np.array_equal(values, b.data))
    )


def _check_each_edge_once(
    tail: npt.NDArray[np.int32], head: npt.NDArray[np.int32], data: npt.NDArray[Any] | None
) -> None:
    """Raise InputError if a matrix that is not symmetric holds both arcs of some edges."""
    if np.all(tail <= head) or np.all(tail >= head):
        return
    proper = tail != head
    key, wanted = pack(tail, head), pack(head, tail)
    together = np.concatenate((key, wanted[proper]))
    together.sort()
    if not np.any(together[1:] == together[:-1]):
        return
    u, v = without_twin((tail, head, data)) or (0, 0)
    one, other = (np.flatnonzero((tail == a) & (head == b)) for a, b in ((u, v), (v, u)))
    what = f"it has an entry ({u}, {v}) and none at ({v}, {u})"
    if data is not None and len(one) and len(other):
        what = f"entry ({u}, {v}) is {data[one[0]]} and ({v}, {u}) is {data[other[0]]}"
    raise InputError(
        f"the matrix is not symmetric: {what}; an undirected graph wants a symmetric matrix (or each edge "
        "once); read it with directed=True, or with asymmetric='sum' for A + A^T"
    )


def _copied(array: npt.NDArray[Any], dtype: Any) -> npt.NDArray[Any]:
    copy = aligned_empty(array.shape, dtype)
    np.copyto(copy, array, casting="same_kind")
    return copy


def to_scipy(graph: Arrays, *, counts: bool) -> sp.csr_array[Any, Any]:
    """See `clgraph.Graph.to_scipy`."""
    if graph.weights is not None and not counts:
        data: npt.NDArray[Any] = graph.weights
    elif graph.multiplicity is not None:
        data = graph.multiplicity
    else:
        data = np.ones(graph.num_arcs, dtype=np.int8)
    n = graph.num_vertices
    return sp.csr_array((data, graph.col_idx, graph.row_ptr), shape=(n, n))
