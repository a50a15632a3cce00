"""Check the arrays of a graph in full before anything computes with them.

Kernels trust row_ptr and col_idx: an offset or a head out of range is an access outside a buffer. So whatever
comes from outside goes through here; what clgraph has built itself goes to `Graph._from_arrays`, unchecked.
Each fault is an InputError that names the place and the value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.arguments import flag, shown
from clgraph.errors import InputError
from clgraph.graph.arrays import LONG, Arrays, in_parallel, last_of_rows, row_of
from clgraph.graph.building import (
    INT32_MAX,
    LOW_HALF,
    check_count,
    checked_values,
    column_of,
    id_column,
    pack,
    stable_argsort,
)


def checked_arrays(
    row_ptr: Any, col_idx: Any, weights: Any, multiplicity: Any, ids: Any, directed: Any
) -> Arrays:
    """Check the arrays of a graph, and convert them to the types that `clgraph.Graph` has."""
    directed = flag(directed, "directed")
    offsets, heads = integers(row_ptr, "row_ptr"), integers(col_idx, "col_idx")
    n, arcs = len(offsets) - 1, len(heads)
    check_offsets(offsets, arcs)
    check_count(n)
    check_range(heads, n, "col_idx")
    # a caller's 64-bit offsets are shared as they are: converting them would take as much memory again
    wide = offsets.dtype.kind == "i" and offsets.dtype.itemsize == 8
    arrays = Arrays(
        np.ascontiguousarray(offsets, np.int64 if wide or arcs > INT32_MAX else np.int32),
        np.ascontiguousarray(heads, np.int32),
        **checked_values(weights, multiplicity, arcs),
        ids=None if ids is None else checked_ids(ids, n),
        directed=directed,
    )
    check_ascending(arrays)
    if not directed:
        check_mirrored(arrays)
    return arrays


def integers(values: npt.ArrayLike, name: str) -> npt.NDArray[Any]:
    """Check that values are a one-dimensional array of whole numbers, of any type."""
    array = column_of(values, name, "array of whole numbers")
    if array.size == 0 and array.dtype.kind == "f":  # NumPy makes floats of an empty list
        array = array.astype(np.int32)
    if array.dtype.kind not in "iu":
        raise InputError(f"{name} is of type {array.dtype}: it holds whole numbers")
    return array


def check_offsets(row_ptr: npt.NDArray[Any], arcs: int, name: str = "row_ptr") -> None:
    """Raise InputError unless the offsets begin at 0, never fall, and end at the number of arcs."""
    if len(row_ptr) == 0:
        raise InputError(f"{name} is empty: it has an entry more than there are rows")
    if row_ptr[0] != 0:
        raise InputError(f"{name}[0] is {row_ptr[0]}: the first row begins at 0")
    falls = row_ptr[1:] < row_ptr[:-1]
    if np.any(falls):
        at = int(np.argmax(falls)) + 1
        raise InputError(f"{name}[{at}] is {row_ptr[at]} after {row_ptr[at - 1]}: offsets never fall")
    if row_ptr[-1] != arcs:
        raise InputError(f"{name}[{len(row_ptr) - 1}] is {row_ptr[-1]}, but there are {arcs} entries")


def check_range(indices: npt.NDArray[Any], n: int, name: str) -> None:
    """Raise InputError unless all indices are in 0 .. n-1."""

    def right(begin: int, end: int) -> bool:
        some = indices[begin:end]
        return int(some.min()) >= 0 and int(some.max()) < n

    if all(in_parallel(right, len(indices), LONG)):
        return
    at = int(np.argmax((indices < 0) | (indices >= n)))
    has = f"from 0 to {n - 1}" if n else "but there are none"
    raise InputError(f"{name}[{at}] is {indices[at]}: the numbers of {n} vertices are {has}")


def check_ascending(arrays: Arrays) -> None:
    """Raise InputError unless every row's heads ascend (equal ones, parallel copies, may be neighbours)."""
    heads = arrays.col_idx
    falls = heads[1:] < heads[:-1]
    falls[last_of_rows(arrays.row_ptr, len(heads))] = False  # from one row to the next they may fall
    if np.any(falls):
        at = int(np.argmax(falls)) + 1
        row = row_of(arrays.row_ptr, at)
        raise InputError(
            f"row {row} is not in ascending order: col_idx[{at}] is {heads[at]} after {heads[at - 1]}; sort "
            "each row, or let Graph.from_edges or Graph.from_scipy do it"
        )


def check_mirrored(arrays: Arrays) -> int:
    """Raise InputError unless each arc u -> v has its v -> u, with the same weight and count.

    Rows ascend already. The arcs with u < v are then in the order of (u, v), and those with u > v, sorted by
    (v, u), must be the same pairs: half of the arcs need to be sorted, not all.

    Returns
    -------
    loops : int
        Number of arcs from a vertex to itself.
    """
    arcs = arrays.num_arcs
    back = np.empty(arcs, np.int64)  # untouched pages take no memory
    downward = upward = 0
    # part by part: keys of all arcs at once would take twice the memory of the graph
    for tail, head in arrays.chunks():
        upward += int(np.count_nonzero(tail < head))
        down = tail > head
        some = pack(head[down], tail[down])
        back[downward : downward + len(some)] = some
        downward += len(some)
    back = back[:downward]
    back.sort()
    begin = 0
    for tail, head in arrays.chunks():
        up = tail < head
        forward = pack(tail[up], head[up])
        if not np.array_equal(forward, back[begin : begin + len(forward)]):
            begin = -1
            break
        begin += len(forward)
    if begin < downward and (found := without_twin((arrays.tails(), arrays.col_idx, None))):
        u, v = found
        raise InputError(
            f"the graph is undirected, but has the arc {u} -> {v} and none {v} -> {u}; give both, or "
            "directed=True"
        )
    for name, values in (("weight", arrays.weights), ("multiplicity", arrays.multiplicity)):
        if values is not None:
            _check_mirrored_values(arrays, values, name)
    return arcs - upward - downward


def _check_mirrored_values(arrays: Arrays, values: npt.NDArray[Any], name: str) -> None:
    tail, head = arrays.tails(), arrays.col_idx
    up, down = tail < head, tail > head
    one = values[up]
    other = values[down][stable_argsort(head[down])]  # stable: equal heads stay in the order of their tails
    if not np.array_equal(one, other):
        at = int(np.argmax(one != other))
        u, v = tail[up][at], head[up][at]
        raise InputError(
            f"the graph is undirected, but its arc {u} -> {v} has {name} {one[at]} and {v} -> {u} has "
            f"{other[at]}; give both the same, or directed=True"
        )


Arcs = tuple[npt.NDArray[Any], npt.NDArray[Any], "npt.NDArray[Any] | None"]  # tails, heads, weights


def difference(one: Arcs, other: Arcs) -> tuple[int, int] | None:
    """Return the first arc (by tail and head) whose copies or weights differ between two lists."""
    keys: list[Any] = []
    weights: list[Any] = []
    for tail, head, weight in (one, other):
        key: Any = pack(tail, head)
        if weight is None:
            # most files are sorted already, and a look costs far less than a sort
            if np.any(key[1:] < key[:-1]):
                key.sort()
        else:
            # parallel arcs in the order of their weights, so that equal lists compare equal
            order = np.lexsort((weight, key))
            key, weight = key[order], weight[order]
        keys.append(key)
        weights.append(weight)
    shared = min(map(len, keys))
    different = keys[0][:shared] != keys[1][:shared]
    if weights[0] is not None and not different.any():
        different = weights[0][:shared] != weights[1][:shared]
    # both lists are sorted, so the smaller of two unequal keys is missing from the other one
    if different.any():
        i = int(np.argmax(different))
        first = min(int(keys[0][i]), int(keys[1][i]))
    elif len(keys[0]) != len(keys[1]):
        first = int(max(keys, key=len)[shared])
    else:
        return None
    return first >> 32, first & LOW_HALF


def without_twin(arcs: Arcs) -> tuple[int, int] | None:
    """Return the first arc (by its smaller end) that has no twin of the same weight; None if all have one."""
    tail, head, weight = arcs
    # turned round, the arcs that go down must be those that go up
    up, down = np.flatnonzero(tail < head), np.flatnonzero(tail > head)
    forward: Arcs = tail[up], head[up], None if weight is None else weight[up]
    back: Arcs = head[down], tail[down], None if weight is None else weight[down]
    found = difference(forward, back)
    if found is None:
        return None
    forth, back_again = (np.count_nonzero((tail == u) & (head == v)) for u, v in (found, found[::-1]))
    return found if forth >= back_again else found[::-1]


def checked_ids(ids: npt.ArrayLike, n: int) -> npt.NDArray[Any]:
    """Check ids of `n` vertices, no two alike: int64, or an object array of strings."""
    array = id_column(ids, "ids")
    if len(array) != n:
        raise InputError(f"{len(array)} ids for {n} vertices")
    if array.dtype.kind in "UO":
        names = array.tolist()
        strange = next((i for i, name in enumerate(names) if not isinstance(name, str)), None)
        if strange is not None:
            raise InputError(
                f"vertex id {shown(names[strange])} (vertex {strange}): ids are all non-negative integers, "
                "or all strings"
            )
        if len(set(names)) < n:
            twice = next(name for name, count in Counter(names).items() if count > 1)
            raise InputError(f"two vertices have the id {shown(twice)}: ids differ")
        return array.astype(object, copy=False)
    if n == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        raise InputError(f"ids of type {array.dtype}: ids are non-negative integers, or strings")
    for wrong, why in ((array < 0, "is negative"), (array > 2**63 - 1, "does not fit in 64 bits")):
        if np.any(wrong):
            at = int(np.argmax(wrong))
            raise InputError(f"vertex id {array[at]} (vertex {at}) {why}")
    numbers = array.astype(np.int64, copy=False)
    if not np.all(numbers[1:] > numbers[:-1]):  # most are in ascending order, and so differ
        ascending = np.sort(numbers)
        same = ascending[1:] == ascending[:-1]
        if np.any(same):
            raise InputError(f"two vertices have the id {ascending[int(np.argmax(same))]}: ids differ")
    return numbers


def checked_mask(mask: npt.ArrayLike, length: int, name: str, of: str) -> npt.NDArray[np.bool_]:
    """Check a bool array with an entry for each vertex or arc."""
    try:
        array = np.asarray(mask)
    except ValueError as error:  # lists of different lengths
        raise InputError(f"{name}: {error}; a bool for each of {length} {of} is needed") from error
    if array.dtype != bool or array.shape != (length,):
        raise InputError(
            f"{name} is of type {array.dtype} and shape {array.shape}: a bool for each of {length} {of} is "
            "needed"
        )
    return array


# --- what a SciPy sparse matrix must be before SciPy converts it ---
#
# Its conversions are C code that trusts the indices: one out of range is an access outside an array. Users
# may set the arrays of a matrix, and files hold any numbers.


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
