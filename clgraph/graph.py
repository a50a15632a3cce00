"""The Graph: a sparse adjacency structure on the host, compressed by rows (CSR).

Rows ascend: the neighbours of a vertex stand in ascending order of their index. An undirected edge is
stored as two arcs, an undirected self-loop as one. Vertices are numbered 0 .. n-1 by ascending original id.
This module knows nothing of OpenCL.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse import csgraph

from clgraph.aligned import aligned, aligned_empty
from clgraph.errors import InputError

Duplicates = Literal["merge", "keep"]
INT32_MAX = 2**31 - 1
LOW_HALF = 2**32 - 1


class Graph:
    """A graph in compressed sparse rows.

    Use the class methods (`from_edges`, `from_scipy`) or `clgraph.read`; the constructor takes arrays that
    are right already and does not look at them.

    Parameters
    ----------
    row_ptr : int32 or int64 array, shape (n + 1,)
        Row v's arcs stand at ``row_ptr[v]:row_ptr[v + 1]``; int64 from 2**31 arcs on.
    col_idx : int32 array, shape (arcs,)
        Heads of the arcs, ascending within a row.
    weights : float64 array, shape (arcs,), or None
    multiplicity : int32 array, shape (arcs,), or None
        How many parallel edges of the input were merged into each arc; None if none were.
    ids : array, shape (n,), or None
        Original vertex ids (int64, or str objects); None where they are 0 .. n-1.
    directed : bool

    Attributes
    ----------
    num_vertices, num_edges, num_arcs : int
        An undirected edge counts once in `num_edges` and twice in `num_arcs` (a self-loop once in both).
    """

    def __init__(
        self,
        row_ptr: npt.NDArray[Any],
        col_idx: npt.NDArray[np.int32],
        *,
        weights: npt.NDArray[np.float64] | None = None,
        multiplicity: npt.NDArray[np.int32] | None = None,
        ids: npt.NDArray[Any] | None = None,
        directed: bool = False,
    ) -> None:
        self.row_ptr = row_ptr
        self.col_idx = col_idx
        self.weights = weights
        self.multiplicity = multiplicity
        self._ids = ids
        self.directed = directed

    # --- what it is -------------------------------------------------------------------------------

    @property
    def num_vertices(self) -> int:
        """Number of vertices."""
        return len(self.row_ptr) - 1

    @property
    def num_arcs(self) -> int:
        """Number of stored arcs."""
        return len(self.col_idx)

    @cached_property
    def num_self_loops(self) -> int:
        """Number of stored arcs from a vertex to itself."""
        return int(np.count_nonzero(self.rows == self.col_idx))

    @cached_property
    def has_copies(self) -> bool:
        """Whether parallel arcs were kept as copies."""
        same = self.col_idx[1:] == self.col_idx[:-1]
        ends = self.row_ptr[1:-1]
        same[ends[(ends > 0) & (ends < self.num_arcs)] - 1] = False  # across two rows they are not parallel
        return bool(np.any(same))

    @cached_property
    def num_edges(self) -> int:
        """Number of edges (undirected) or arcs (directed)."""
        if self.directed:
            return self.num_arcs
        return (self.num_arcs + self.num_self_loops) // 2

    @cached_property
    def num_duplicates(self) -> int:
        """Number of edges that repeat another one: merged (`multiplicity`) or kept as copies."""
        if self.multiplicity is None:
            repeats = self.col_idx[1:] == self.col_idx[:-1]
            borders = self.row_ptr[1:-1]  # the first arc of a row repeats nothing in the row before
            repeats[borders[(borders > 0) & (borders < self.num_arcs)] - 1] = False
            repeated: npt.NDArray[Any] = np.flatnonzero(repeats) + 1
            extra, loops = len(repeated), int(np.count_nonzero(self.rows[repeated] == self.col_idx[repeated]))
        else:
            extra = int(self.multiplicity.sum(dtype=np.int64)) - self.num_arcs
            at_loops = self.multiplicity[self.rows == self.col_idx]
            loops = int(at_loops.sum(dtype=np.int64)) - len(at_loops)
        return extra if self.directed else (extra + loops) // 2

    @property
    def ids(self) -> npt.NDArray[Any]:
        """Original vertex ids in index order, shape (n,)."""
        if self._ids is None:
            return np.arange(self.num_vertices, dtype=np.int64)
        return self._ids

    @property
    def has_identity_ids(self) -> bool:
        """Whether every id is the vertex's own index."""
        return self._ids is None

    @property
    def degrees(self) -> npt.NDArray[np.int64]:
        """Number of arcs that leave each vertex, shape (n,)."""
        return np.diff(self.row_ptr).astype(np.int64, copy=False)

    @property
    def rows(self) -> npt.NDArray[np.int32]:
        """Tail of each stored arc, shape (arcs,); made anew at each call."""
        return np.repeat(np.arange(self.num_vertices, dtype=np.int32), np.diff(self.row_ptr))

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        weighted = ", weighted" if self.weights is not None else ""
        return f"<Graph: {kind}, {self.num_vertices} vertices, {self.num_edges} edges{weighted}>"

    def index(self, ids: Any) -> npt.NDArray[np.int64]:
        """Vertex indices of original ids.

        Parameters
        ----------
        ids : one id or an array of ids

        Returns
        -------
        int64 array of the same shape (at least 1-d)

        Raises
        ------
        InputError
            If an id is not in the graph; it is named.
        """
        wanted = np.atleast_1d(np.asarray(ids))
        n = self.num_vertices
        textual = self._ids is not None and self._ids.dtype == object
        if wanted.size and (wanted.dtype.kind not in "UO" if textual else wanted.dtype.kind not in "iu"):
            kind = "strings" if textual else "integers"
            raise InputError(f"vertex id {wanted.flat[0]!r} is not in the graph: its ids are {kind}")
        if self._ids is None:
            position = wanted.astype(np.int64)
            found = (wanted >= 0) & (wanted < n)
        elif n == 0:
            position, found = np.zeros(wanted.shape, np.int64), np.zeros(wanted.shape, bool)
        else:
            ascending, order = self._sorted_ids
            if textual:
                wanted = wanted.astype(object)
            place = np.searchsorted(ascending, wanted)
            place[place == n] = 0
            position = order[place]
            found = np.asarray(self._ids[position] == wanted, dtype=bool)
        if not np.all(found):
            raise InputError(f"vertex {wanted[~found].flat[0]} is not in the graph ({n} vertices)")
        return position

    @cached_property
    def _sorted_ids(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
        assert self._ids is not None
        order = np.argsort(self._ids, kind="stable")
        return self._ids[order], order

    def neighbors(self, vertex: Any) -> npt.NDArray[Any]:
        """Ids of the heads of the arcs that leave the vertex with this id, in index order."""
        v = int(self.index(vertex)[0])
        heads = self.col_idx[self.row_ptr[v] : self.row_ptr[v + 1]]
        return heads.astype(np.int64) if self._ids is None else self._ids[heads]

    # --- made from it -----------------------------------------------------------------------------

    @cached_property
    def reverse(self) -> Graph:
        """The same graph with every arc turned round; an undirected graph is its own reverse."""
        if not self.directed:
            return self
        order = _stable_argsort(self.col_idx)
        return Graph(
            _row_ptr(np.bincount(self.col_idx, minlength=self.num_vertices)),
            self.rows[order],
            weights=None if self.weights is None else self.weights[order],
            multiplicity=None if self.multiplicity is None else self.multiplicity[order],
            ids=self._ids,
            directed=True,
        )

    @cached_property
    def undirected(self) -> Graph:
        """The undirected view: arcs u->v and v->u become one edge (weights and counts summed).

        Where parallel arcs were kept as copies, each arc becomes an edge of its own.
        """
        if not self.directed:
            return self
        kept = self.multiplicity is None and self.num_duplicates > 0
        return build_csr(
            self.rows, self.col_idx, self.num_vertices, weights=self.weights, multiplicity=self.multiplicity,
            ids=self._ids, directed=False, duplicates="keep" if kept else "merge",
        )  # fmt: skip

    @cached_property
    def simple(self) -> Graph:
        """The graph without its self-loops (itself if it has none)."""
        if self.num_self_loops == 0:
            return self
        return self._keep_arcs(self.rows != self.col_idx)

    def _keep_arcs(self, keep: npt.NDArray[np.bool_]) -> Graph:
        """The same vertices with some of the arcs (for undirected graphs the mask must hold both)."""
        kept_before = np.zeros(len(keep) + 1, dtype=self.row_ptr.dtype)
        np.cumsum(keep, dtype=self.row_ptr.dtype, out=kept_before[1:])
        return Graph(
            kept_before[self.row_ptr],
            self.col_idx[keep],
            weights=None if self.weights is None else self.weights[keep],
            multiplicity=None if self.multiplicity is None else self.multiplicity[keep],
            ids=self._ids,
            directed=self.directed,
        )

    def with_ids(self, ids: npt.NDArray[Any] | None) -> Graph:
        """The same graph, its arrays shared, under other ids in index order (None: 0 .. n-1)."""
        return Graph(
            self.row_ptr, self.col_idx, weights=self.weights, multiplicity=self.multiplicity, ids=ids,
            directed=self.directed,
        )  # fmt: skip

    def subgraph(self, vertices: npt.NDArray[Any], arcs: npt.NDArray[np.bool_] | None = None) -> Graph:
        """The subgraph on some vertices: all arcs between them, or those of a mask.

        Parameters
        ----------
        vertices : bool array, shape (n,), or an integer array of indices
            Which vertices stay; indices are vertex numbers, not ids, in any order.
        arcs : bool array, shape (arcs,), optional
            Which arcs may stay (both arcs of an undirected edge).
        """
        mask = np.asarray(vertices)
        if mask.dtype != bool:
            chosen, mask = mask, np.zeros(self.num_vertices, dtype=bool)
            mask[chosen] = True
        keep = np.repeat(mask, np.diff(self.row_ptr)) & mask[self.col_idx]
        if arcs is not None:
            keep &= arcs
        return self.compact(mask, keep)

    def compact(self, vertices: npt.NDArray[np.bool_], arcs: npt.NDArray[np.bool_]) -> Graph:
        """The graph of some vertices and some arcs, given by masks; no such arc may leave these vertices."""
        mask, smaller = vertices, self._keep_arcs(arcs)
        new_index = np.cumsum(mask, dtype=np.int32)
        new_index -= 1
        row_ptr = np.concatenate((smaller.row_ptr[:-1][mask], smaller.row_ptr[-1:]))
        return Graph(
            row_ptr,
            new_index[smaller.col_idx],
            weights=smaller.weights,
            multiplicity=smaller.multiplicity,
            ids=np.flatnonzero(mask) if self._ids is None else self._ids[mask],
            directed=self.directed,
        )

    def largest_component(self) -> Graph:
        """The largest weakly connected component as a graph of its own.

        A tie goes to the component that holds the smallest vertex index. Computed on the host
        (SciPy); `clgraph.largest_component` does it on a device.
        """
        return self.subgraph(largest_component_mask(self))

    def to_scipy(self) -> sp.csr_array[Any, Any]:
        """A SciPy CSR array of shape (n, n): weights, else multiplicities, else ones."""
        if self.weights is not None:
            data: npt.NDArray[Any] = self.weights
        elif self.multiplicity is not None:
            data = self.multiplicity
        else:
            data = np.ones(self.num_arcs, dtype=np.int8)
        n = self.num_vertices
        return sp.csr_array((data, self.col_idx, self.row_ptr), shape=(n, n))

    def __getstate__(self) -> dict[str, Any]:
        # what is derived (reverse, undirected, ...) is made again where it is needed
        own = ("row_ptr", "col_idx", "weights", "multiplicity", "_ids", "directed")
        return {name: self.__dict__[name] for name in own}

    # --- made of other things ---------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        source: npt.ArrayLike,
        target: npt.ArrayLike,
        *,
        weights: npt.ArrayLike | None = None,
        directed: bool = False,
        duplicates: Duplicates = "merge",
        vertices: npt.ArrayLike | None = None,
    ) -> Graph:
        """A graph from two arrays of vertex ids.

        Parameters
        ----------
        source, target : array_like, shape (rows,)
            Ids of the ends: non-negative integers, or strings. Gaps are welcome.
        weights : array_like of float, shape (rows,), optional
            Finite numbers.
        directed : bool
        duplicates : {"merge", "keep"}
            Parallel edges become one (weights summed, the count in `multiplicity`), or stay copies.
        vertices : array_like, optional
            Ids that are in the graph even where no edge touches them.

        Examples
        --------
        >>> Graph.from_edges([10, 20, 30], [20, 30, 10])
        <Graph: undirected, 3 vertices, 3 edges>
        """
        ends = [np.asarray(source), np.asarray(target)]
        if ends[0].shape != ends[1].shape or ends[0].ndim != 1:
            raise InputError(f"source and target differ in shape: {ends[0].shape} and {ends[1].shape}")
        if duplicates not in ("merge", "keep"):
            raise InputError(f"duplicates is {duplicates!r}: use 'merge' or 'keep'")
        weight = None if weights is None else np.asarray(weights, dtype=np.float64)
        if weight is not None:
            if weight.shape != ends[0].shape:
                raise InputError(f"{len(ends[0])} edges but weights of shape {weight.shape}")
            if not np.all(np.isfinite(weight)):
                raise InputError(
                    f"weight {int(np.argmin(np.isfinite(weight)))} (counted from 0) is not finite"
                )
        extra = None if vertices is None else np.asarray(vertices)
        n, ids, src, dst = number_vertices(ends[0], ends[1], extra)
        return build_csr(src, dst, n, weights=weight, ids=ids, directed=directed, duplicates=duplicates)

    @classmethod
    def from_scipy(cls, matrix: Any, *, directed: bool, weighted: bool = False) -> Graph:
        """A graph from a SciPy sparse array: entry (i, j) is the arc i -> j.

        Parameters
        ----------
        matrix : sparse array or matrix, shape (n, n)
        directed : bool
            False takes the pattern of A and A^T together (with `weighted`: an edge's weight is the sum of
            what stands on both sides of the diagonal, unless the matrix is symmetric: then it is the entry).
        weighted : bool
            Whether the entries are weights.
        """
        a: Any = sp.csr_array(matrix)
        if a.ndim != 2 or a.shape[0] != a.shape[1]:
            shape = " x ".join(str(length) for length in a.shape)
            raise InputError(f"the matrix is {shape}: an adjacency matrix is square")
        if a.dtype.kind not in "biuf" and weighted:
            raise InputError(f"the matrix holds {a.dtype} values: weights are real numbers")
        _check_count(a.shape[0])
        if not a.has_canonical_format:
            a = a.copy()  # the caller's matrix stays as it is
            a.sum_duplicates()
        if weighted and not directed and (a != a.T).nnz == 0:
            a = sp.csr_array(sp.triu(a))
        data = a.data.astype(np.float64) if weighted else None
        if data is not None and not np.all(np.isfinite(data)):
            raise InputError("the matrix holds a value that is not finite")
        row = np.repeat(np.arange(a.shape[0], dtype=np.int32), np.diff(a.indptr))
        graph = build_csr(row, a.indices.astype(np.int32), a.shape[0], weights=data, directed=directed)
        graph.multiplicity = None  # the mirror of an entry is no second edge
        return graph


def number_vertices(
    source: npt.NDArray[Any], target: npt.NDArray[Any], extra: npt.NDArray[Any] | None = None
) -> tuple[int, npt.NDArray[Any] | None, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Number the ids that occur by ascending id.

    Returns
    -------
    n : int
    ids : array, shape (n,), or None where the ids are 0 .. n-1
    source, target : int32 arrays of indices
    """
    filled = [group for group in (source, target, extra) if group is not None and len(group)]
    if not filled:
        return 0, None, np.empty(0, np.int32), np.empty(0, np.int32)
    if any(group.dtype.kind in "UO" for group in filled):
        unsorted = {name for group in filled for name in group.tolist()}
        strange = next((name for name in unsorted if not isinstance(name, str)), None)
        if strange is not None:
            raise InputError(f"vertex id {strange!r}: ids are all non-negative integers, or all strings")
        names = sorted(unsorted)
        _check_count(len(names))
        index = {name: i for i, name in enumerate(names)}
        source, target = (
            np.fromiter(map(index.__getitem__, end.tolist()), np.int32, len(end)) for end in (source, target)
        )
        return len(names), np.array(names, dtype=object), source, target
    for group in filled:
        if group.dtype.kind not in "iu":
            raise InputError(f"vertex id {group.flat[0]!r}: ids are non-negative integers, or strings")
    if len(source) == 0:  # NumPy makes floats of an empty list
        source = target = np.empty(0, np.int64)

    lowest, highest = min(int(group.min()) for group in filled), max(int(group.max()) for group in filled)
    if lowest < 0:
        raise InputError(f"vertex id {lowest} is negative: ids are non-negative integers, or strings")
    if highest > 2**63 - 1:
        raise InputError(f"vertex id {highest} does not fit in 64 bits")
    if highest < 8 * sum(len(group) for group in filled) + 1024:
        present = np.zeros(highest + 1, dtype=bool)
        for group in filled:
            present[group] = True
        n = int(np.count_nonzero(present))
        _check_count(n)
        if n == highest + 1:
            return n, None, source.astype(np.int32, copy=False), target.astype(np.int32, copy=False)
        number = np.cumsum(present, dtype=np.int32) - np.int32(1)
        return n, np.flatnonzero(present), number[source], number[target]
    ids = np.unique(np.concatenate([group.astype(np.int64, copy=False) for group in filled]))
    _check_count(len(ids))
    return (
        len(ids), ids,
        np.searchsorted(ids, source).astype(np.int32), np.searchsorted(ids, target).astype(np.int32),
    )  # fmt: skip


def _check_count(n: int) -> None:
    if n > INT32_MAX:
        raise InputError(f"{n} vertices: clgraph takes at most {INT32_MAX}")


def build_csr(
    source: npt.NDArray[np.int32],
    target: npt.NDArray[np.int32],
    n: int,
    *,
    weights: npt.NDArray[np.float64] | None = None,
    multiplicity: npt.NDArray[np.int32] | None = None,
    ids: npt.NDArray[Any] | None = None,
    directed: bool,
    duplicates: Duplicates = "merge",
) -> Graph:
    """Sort, merge and mirror edges given by vertex index; `multiplicity` counts what a row stands for.

    Everything rests on sorting packed 64-bit keys, which NumPy does with the processor's vector
    instructions: ten times as fast as an argsort, and without the cache misses of a bucket sort.
    """
    low, high = (source, target) if directed else (np.minimum(source, target), np.maximum(source, target))
    key = _pack(low, high)
    if weights is not None or multiplicity is not None:
        by_high = _stable_argsort(high)
        order = by_high[_stable_argsort(low[by_high])]
        weights = None if weights is None else weights[order]
        multiplicity = None if multiplicity is None else multiplicity[order]
    del low, high
    key.sort()
    if duplicates == "merge" and np.any(key[1:] == key[:-1]):
        start = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
        if multiplicity is None:
            counts = np.diff(start, append=len(key))
        else:
            counts = np.add.reduceat(multiplicity, start)
        multiplicity = counts.astype(np.int32)
        weights = None if weights is None else np.add.reduceat(weights, start)
        key = key[start]
        del counts, start
    if multiplicity is not None and not np.any(multiplicity > 1):
        multiplicity = None
    loops = np.flatnonzero(key >> 32 == key & LOW_HALF)
    if not directed:
        key, weights, multiplicity = _mirror(key, loops, weights, multiplicity)
    col_idx = aligned_empty(len(key), np.int32)
    np.copyto(col_idx, key, casting="unsafe")  # the low half
    key >>= 32
    row_ptr = _row_ptr(np.bincount(key, minlength=n))
    graph = Graph(row_ptr, col_idx, weights=weights, multiplicity=multiplicity, ids=ids, directed=directed)
    graph.__dict__["num_self_loops"] = len(loops)
    return graph


def _pack(high_half: npt.NDArray[Any], low_half: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Keys that sort by `high_half` (int32, >= 0) and then by `low_half` (0 <= x < 2**32)."""
    key = high_half.astype(np.int64)
    key <<= 32
    key |= low_half
    return key


def _row_ptr(degree: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Offsets of rows of these lengths: int32, or int64 from 2**31 arcs on."""
    row_ptr = np.zeros(len(degree) + 1, dtype=np.int64)
    np.cumsum(degree, out=row_ptr[1:])
    return aligned(row_ptr.astype(np.int32) if row_ptr[-1] <= INT32_MAX else row_ptr)


def _stable_argsort(values: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """Stable argsort of non-negative int32 numbers, by sorting keys that hold value and place."""
    if len(values) > LOW_HALF:
        return np.argsort(values, kind="stable")
    key = _pack(values, np.arange(len(values)))
    key.sort()
    key &= LOW_HALF
    return key


def _mirror(
    key: npt.NDArray[np.int64],
    loops: npt.NDArray[np.int64],
    weights: npt.NDArray[Any] | None,
    multiplicity: npt.NDArray[Any] | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any] | None, npt.NDArray[Any] | None]:
    """Sorted keys and values of both arcs of edges (sorted keys low << 32 | high; loops are one arc)."""
    m = len(key)
    arcs = np.empty(2 * m, np.int64)
    arcs[:m] = key
    np.left_shift(key, 32, out=arcs[m:])
    arcs[m:] |= key >> 32
    arcs[m + loops] = 2**63 - 1  # to the end, and off it
    arcs.sort()
    arcs = arcs[: 2 * m - len(loops)]
    if weights is None and multiplicity is None:
        return arcs, None, None
    if weights is None and multiplicity is not None:
        many = np.flatnonzero(multiplicity > 1)
        if len(many) < m // 32:  # a few: looked up one by one
            of_arc = np.ones(len(arcs), np.int32)
            for keys in (key[many], (key[many] << 32) | (key[many] >> 32)):
                of_arc[np.searchsorted(arcs, keys)] = multiplicity[many]
            return arcs, None, of_arc
    # arcs that go up stand in the order of the edges, those that come back in that of the edges' upper ends
    edge = _stable_argsort(key.astype(np.int32))
    if len(loops):
        proper = np.ones(m, bool)
        proper[loops] = False
        edge = edge[proper[edge]]
    comes_back = (arcs >> 32) > (arcs & LOW_HALF)

    def of_arcs(values: npt.NDArray[Any] | None) -> npt.NDArray[Any] | None:
        if values is None:
            return None
        both = np.empty(len(arcs), values.dtype)
        both[comes_back] = values[edge]
        both[~comes_back] = values
        return both

    return arcs, of_arcs(weights), of_arcs(multiplicity)


def component_labels(graph: Graph) -> tuple[int, npt.NDArray[np.int32]]:
    """Number of weakly connected components, and the number of each vertex's (SciPy), shape (n,)."""
    n = graph.num_vertices
    if n == 0:
        return 0, np.zeros(0, np.int32)
    pattern = sp.csr_array((np.ones(graph.num_arcs, np.int8), graph.col_idx, graph.row_ptr), shape=(n, n))
    # for a symmetric pattern both are the same, and "strong" saves SciPy the transpose
    connection: Literal["weak", "strong"] = "weak" if graph.directed else "strong"
    count, labels = csgraph.connected_components(pattern, directed=True, connection=connection)
    return int(count), labels


def largest_component_mask(graph: Graph) -> npt.NDArray[np.bool_]:
    """Which vertices form the largest weakly connected component (SciPy), shape (n,)."""
    if graph.num_vertices == 0:
        return np.zeros(0, dtype=bool)
    _, labels = component_labels(graph)
    sizes = np.bincount(labels)
    # the first vertex of any of the largest components settles a tie
    winner = labels[np.argmax(sizes[labels] == sizes.max())]
    return labels == winner
