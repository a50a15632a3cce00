"""The deletions between two thresholds, taken one by one on the host (exact mode)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.csr.compact import SomeRows
from clgraph.sampling.merge_tree import MergeTree

TOP = 2**32 - 1  # above all keys: at this threshold nothing is alive

Ints = npt.NDArray[np.int32]


class Bracket:
    """Deletions inside a followed component, in the loop's order.

    Parameters
    ----------
    rows_of : callable
        Gives the rows of some vertices, of an undirected graph without self-loops.
    seed : int
    vertex : int32 array, shape (k,)
        The deleted vertices, or the smaller ends of the deleted edges, in any order.
    arc : int array, shape (k,), or None
        The arcs of the deleted edges in the rows of these ends; None where vertices are deleted.
    has_copies : bool
        Whether there are parallel edges.

    Attributes
    ----------
    count : int
    vertex, arc : as above, sorted by (priority, identity)
    touched : int32 array
        The vertices whose components are joined when the deletions are undone: the neighbours of each deleted
        vertex in turn; or all tails and then all heads of the edges.
    """

    def __init__(
        self,
        rows_of: Callable[[Ints], SomeRows],
        seed: int,
        vertex: Ints,
        arc: npt.NDArray[Any] | None,
        *,
        has_copies: bool = False,
    ) -> None:
        self._rows_of, self._seed, self._has_copies = rows_of, seed, has_copies
        self.count = len(vertex)
        self.arc: npt.NDArray[Any] | None = None
        if arc is None:
            priority = keyed.vertex_priority(seed, vertex) if self.count else np.zeros(0, np.uint64)
            self.vertex = vertex[np.lexsort((vertex, priority))]
            rows = rows_of(self.vertex)
            self._owner = np.repeat(np.arange(self.count), np.diff(rows.begin))
            self.touched = rows.head
        else:
            rows = rows_of(vertex)
            head = rows.head[rows.begin[:-1] + arc - rows.first] if len(arc) else np.zeros(0, np.int32)
            copy = self._copies(rows, arc)
            priority = self._priority(vertex, head, copy)
            order = np.lexsort((arc, priority))
            self.vertex, self.arc = vertex[order], arc[order]
            self._head, self._copy, self._by = head[order], copy[order], priority[order]
            self.touched = np.concatenate((self.vertex, self._head))

    def undo(self, labels: Ints, roots: Ints, sizes: npt.NDArray[np.int64]) -> tuple[MergeTree, int | None]:
        """Undo the deletions: the tree of merges, and its top (None: there is no deletion).

        Parameters
        ----------
        labels : int32 array
            Component of each vertex of `touched` after all deletions, -1 where it is itself deleted.
        roots, sizes : arrays
            The components that occur in `labels`, ascending, and their sizes. They become the leaves.
        """
        tree = MergeTree(sizes.tolist(), roots.tolist())
        leaf = np.searchsorted(roots, labels)
        top = None
        if self.arc is not None:
            for i in range(self.count - 1, -1, -1):
                ends = {tree.top(int(leaf[i])), tree.top(int(leaf[self.count + i]))}
                top = next(iter(ends)) if len(ends) == 1 else tree.merge(i, ends, None)
            return tree, top
        place = {v: i for i, v in enumerate(self.vertex.tolist())}
        parts: list[set[int]] = [set() for _ in range(self.count)]
        for i, u, label, node in zip(
            self._owner.tolist(), self.touched.tolist(), labels.tolist(), leaf.tolist(), strict=True
        ):
            if label >= 0:
                parts[i].add(node)
            elif (j := place.get(u, -1)) > i:
                parts[i].add(-1 - j)  # a neighbour that is deleted later: its node, once it has one
        node_of = [0] * self.count
        for i in range(self.count - 1, -1, -1):
            tops = {tree.top(node_of[-1 - part] if part < 0 else part) for part in parts[i]}
            top = node_of[i] = tree.merge(i, tops, int(self.vertex[i]))
        return tree, top

    def arcs_after(self, last: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
        """Both arcs of every edge deleted after the `last`-th, and their keys (`exact.cl`)."""
        assert self.arc is not None
        later = slice(last + 1, None)
        tail, arc, head = self.vertex[later], self.arc[later].astype(np.int64), self._head[later]
        rows = self._rows_of(head)
        far = np.array([np.searchsorted(rows.of(i), v) for i, v in enumerate(tail.tolist())], np.int64)
        far = far + rows.first + self._copy[later]
        key = np.clip(self._by[later] >> np.uint64(32), 1, TOP - 1).astype(np.uint32)
        return np.concatenate((arc, far)), np.concatenate((key, key))

    def _priority(self, tail: Ints, head: Ints, copy: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        return keyed.edge_priority(self._seed, tail, head, copy) if len(tail) else np.zeros(0, np.uint64)

    def _copies(self, rows: SomeRows, arc: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Rank of each arc among its parallel copies, given its tail's row."""
        rank = np.zeros(len(arc), np.int64)
        if self._has_copies:
            for i, at in enumerate((arc - rows.first).tolist()):
                row = rows.of(i)
                rank[i] = at - np.searchsorted(row, row[at])
        return rank
