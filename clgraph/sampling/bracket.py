"""The deletions between two thresholds, taken one by one on the host (exact mode)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.graph import Graph
from clgraph.sampling.merge_tree import MergeTree

TOP = 2**32 - 1  # above all keys: at this threshold nothing is alive

Ints = npt.NDArray[np.int32]


class Bracket:
    """Deletions inside a followed component, in the loop's order.

    Parameters
    ----------
    graph : Graph
        Undirected, without self-loops.
    seed : int
    vertex : int32 array, shape (k,)
        The deleted vertices, or the smaller ends of the deleted edges, in any order.
    arc : int array, shape (k,), or None
        The arcs of the deleted edges in the rows of these ends; None where vertices are deleted.

    Attributes
    ----------
    count : int
    vertex, arc : as above, sorted by (priority, identity)
    touched : int32 array
        The vertices whose components are joined when the deletions are undone: the neighbours of each deleted
        vertex in turn; or all tails and then all heads of the edges.
    """

    def __init__(self, graph: Graph, seed: int, vertex: Ints, arc: npt.NDArray[Any] | None) -> None:
        self._graph, self._seed = graph, seed
        self.count = len(vertex)
        self.arc: npt.NDArray[Any] | None = None
        if arc is None:
            priority = keyed.vertex_priority(seed, vertex) if self.count else np.zeros(0, np.uint64)
            self.vertex = vertex[np.lexsort((vertex, priority))]
            start, end = (graph.row_ptr[self.vertex + shift].astype(np.int64) for shift in (0, 1))
            length = end - start
            self._owner = np.repeat(np.arange(self.count), length)
            within = np.arange(len(self._owner)) - (np.cumsum(length) - length)[self._owner]
            self.touched = graph.col_idx[start[self._owner] + within]
        else:
            order = np.lexsort((arc, self._priority(vertex, arc)))
            self.vertex, self.arc = vertex[order], arc[order]
            self.touched = np.concatenate((self.vertex, graph.col_idx[self.arc]))

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
        graph, tail, arc = self._graph, self.vertex[last + 1 :], self.arc[last + 1 :].astype(np.int64)
        copy, far = self._copy(tail, arc), np.empty(len(arc), np.int64)
        for i, (v, u) in enumerate(zip(tail.tolist(), graph.col_idx[arc].tolist(), strict=True)):
            row = graph.col_idx[graph.row_ptr[u] : graph.row_ptr[u + 1]]
            far[i] = graph.row_ptr[u] + np.searchsorted(row, v) + copy[i]
        key = np.clip(self._priority(tail, arc) >> np.uint64(32), 1, TOP - 1).astype(np.uint32)
        return np.concatenate((arc, far)), np.concatenate((key, key))

    def _priority(self, tail: Ints, arc: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
        if len(arc) == 0:
            return np.zeros(0, np.uint64)
        return keyed.edge_priority(self._seed, tail, self._graph.col_idx[arc], self._copy(tail, arc))

    def _copy(self, tail: Ints, arc: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Rank of each arc among its parallel copies."""
        rank = np.zeros(len(arc), np.int64)
        if self._graph.has_copies:
            col_idx, row_ptr = self._graph.col_idx, self._graph.row_ptr
            for i, (v, p) in enumerate(zip(tail.tolist(), arc.tolist(), strict=True)):
                row = col_idx[row_ptr[v] : p]
                rank[i] = len(row) - np.searchsorted(row, col_idx[p])
        return rank
