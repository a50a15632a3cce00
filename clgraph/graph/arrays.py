"""Plain arrays of a graph, as builders, readers and other libraries pass them.

Also: addresses that drivers take without a copy, and threads that work on parts of long arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from clgraph.system import cores, thread_pool

# --- arrays at addresses that every CPU driver uses in place ---
#
# Intel's runtimes take a host array as a buffer without a copy only if it starts at a multiple of 128 bytes
# (their CL_DEVICE_MEM_BASE_ADDR_ALIGN); NumPy's own allocations start at a multiple of 16. PoCL takes any.


ALIGNMENT = 128


def aligned_empty(
    shape: int | tuple[int, ...], dtype: npt.DTypeLike, alignment: int = ALIGNMENT
) -> npt.NDArray[Any]:
    """Like ``np.empty``, but starting at a multiple of `alignment` bytes."""
    kind = np.dtype(dtype)
    nbytes = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    # NumPy has no aligned allocation of its own; the view keeps the larger array alive
    room = np.empty(nbytes + alignment, np.uint8)
    start = -room.ctypes.data % alignment
    return room[start : start + nbytes].view(kind).reshape(shape)


def aligned(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array itself if it is contiguous and starts at a multiple of 128 bytes, else a copy that does."""
    if array.flags.c_contiguous and (array.ctypes.data % ALIGNMENT == 0 or array.size == 0):
        return array
    copy = aligned_empty(array.shape, array.dtype)
    copy[...] = array
    return copy


# --- work over long arrays and files in chunks, by threads: NumPy and reads let go of the GIL ---


T = TypeVar("T")
FEW = 4  # chunks for which threads would take longer to begin


def in_parallel(work: Callable[[int, int], T], length: int, chunk: int, *, few: int = FEW) -> Iterator[T]:
    """``work(begin, end)`` of each chunk of a range from 0 to `length`, in order."""

    def some(begin: int) -> T:
        return work(begin, min(begin + chunk, length))

    begins = range(0, length, chunk)
    if len(begins) < few or cores() == 1:
        yield from map(some, begins)
        return
    with thread_pool(cores(), "clgraph-chunks") as pool:
        yield from pool.map(some, begins)


CHUNK = 1 << 17  # arcs that fit in a cache
LONG = 1 << 20  # arcs that a thread takes: with fewer, threads wait for the GIL for longer than they compute


class Edges(NamedTuple):
    """Edges as arrays of one length: what `Graph.to_edges` gives and `Graph.from_edges` takes."""

    source: npt.NDArray[Any]
    target: npt.NDArray[Any]
    weights: npt.NDArray[np.float64] | None
    multiplicity: npt.NDArray[np.int32] | None


def last_of_rows(row_ptr: npt.NDArray[Any], arcs: int) -> npt.NDArray[Any]:
    """Return the arcs that are the last of their rows and have others behind them."""
    ends = row_ptr[1:-1]
    found: npt.NDArray[Any] = ends[(ends > 0) & (ends < arcs)] - 1
    return found


def row_of(row_ptr: npt.NDArray[Any], arc: int) -> int:
    """Return the row that an arc is in."""
    # of the array's own type: NumPy would convert all of the array to another one
    return int(np.searchsorted(row_ptr, row_ptr.dtype.type(arc), side="right")) - 1


def tails_of(row_ptr: npt.NDArray[Any], first: int = 0) -> npt.NDArray[np.int32]:
    """Return the row of each entry; the first row has the number `first`."""
    return np.repeat(np.arange(first, first + len(row_ptr) - 1, dtype=np.int32), np.diff(row_ptr))


def tails_between(row_ptr: npt.NDArray[Any], begin: int, end: int) -> npt.NDArray[np.int32]:
    """Return the rows of the entries from `begin` to `end`."""
    first, last = row_of(row_ptr, begin), row_of(row_ptr, end - 1) + 1
    return tails_of(np.clip(row_ptr[first : last + 1], begin, end), first)


@dataclass(frozen=True)
class Arrays:
    """The arrays of a graph and whether it is directed; shapes and types as in `clgraph.Graph`.

    Attributes
    ----------
    row_ptr, col_idx, weights, multiplicity, ids, directed
        As the parameters of `clgraph.Graph`.
    num_self_loops : int or None
        None where they have not been counted.
    """

    row_ptr: npt.NDArray[Any]
    col_idx: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float64] | None = None
    multiplicity: npt.NDArray[np.int32] | None = None
    ids: npt.NDArray[Any] | None = None
    directed: bool = False
    num_self_loops: int | None = None

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return len(self.row_ptr) - 1

    @property
    def num_arcs(self) -> int:
        """Number of stored arcs."""
        return len(self.col_idx)

    def tails(self) -> npt.NDArray[np.int32]:
        """Tail of each stored arc, shape (arcs,)."""
        return tails_of(self.row_ptr)

    def chunks(self) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
        """Yield tails and heads of the arcs, as many at once as fit in a cache."""
        for begin in range(0, self.num_arcs, CHUNK):
            yield self._chunk(begin, min(begin + CHUNK, self.num_arcs))

    def _chunk(self, begin: int, end: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        return tails_between(self.row_ptr, begin, end), self.col_idx[begin:end]

    def count_loops(self) -> int:
        """Number of arcs from a vertex to itself."""

        def count(begin: int, end: int) -> int:
            tails, heads = self._chunk(begin, end)
            return int(np.count_nonzero(tails == heads))

        return sum(in_parallel(count, self.num_arcs, LONG))

    def is_multigraph(self) -> bool:
        """True if two arcs of a row have one head."""
        heads, row_ptr = self.col_idx, self.row_ptr

        def repeats(begin: int, end: int) -> bool:
            same = heads[begin + 1 : end + 1] == heads[begin:end]
            if not np.any(same):
                return False
            ends = np.array([begin + 1, end + 1], row_ptr.dtype)
            first, last = np.searchsorted(row_ptr, ends)
            same[row_ptr[first:last] - (begin + 1)] = False  # from one row to the next
            return bool(np.any(same))

        return any(in_parallel(repeats, self.num_arcs - 1, LONG))

    def values(self, arcs: Any) -> dict[str, Any]:
        """Weights and multiplicities of some arcs, by mask or number, as parameters of `Arrays`."""
        found = {"weights": self.weights, "multiplicity": self.multiplicity}
        return {name: None if each is None else each[arcs] for name, each in found.items()}

    def all_ids(self) -> npt.NDArray[Any]:
        """Original vertex ids in index order, shape (n,), also where they are 0 .. n-1."""
        return np.arange(self.num_vertices, dtype=np.int64) if self.ids is None else self.ids

    def edges(self) -> Edges:
        """Return the edges by vertex index, each once, in index order (undirected: smaller index first)."""
        tail, head = self.tails(), self.col_idx
        if self.directed:
            return Edges(tail, head, self.weights, self.multiplicity)
        # loops, which are stored once, are in it as well
        once = tail <= head
        return Edges(tail[once], head[once], **self.values(once))
