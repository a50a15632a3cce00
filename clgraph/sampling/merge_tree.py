"""A tree of merges, built backwards: it shows which component the loop follows through a few deletions.

A node is one deletion; its children are the components that it leaves, any number of them where a vertex is
deleted. The node's size counts the deleted vertex, which is not among its children. (Splitting a vertex's
children into binary nodes would give wrong answers.) `whole_tree` is the host half of
``cl/sampling/merge_tree.cl``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.csr.compact import SomeRows
from clgraph.csr.upload import upload_csr
from clgraph.graph import Graph
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device


STEPS = 1 << 20  # deletions, or nodes, per launch: below a second on CPUs, so that Ctrl-C is noticed

Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]


@dataclass
class MergeTree:
    """Nodes 0 .. leaves - 1 are components that survive all deletions; the other nodes are deletions.

    Parameters
    ----------
    size : list of int
        Vertices of each leaf.
    smallest : list of int
        Smallest vertex of each leaf.
    """

    size: list[int]
    smallest: list[int]
    children: dict[int, list[int]] = field(default_factory=dict)
    deletion: dict[int, int] = field(default_factory=dict)
    _up: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._up = list(range(len(self.size)))

    def top(self, node: int) -> int:
        """The topmost node of this one's component so far."""
        up = self._up
        while up[node] != node:
            up[node] = up[up[node]]
            node = up[node]
        return node

    def merge(self, deletion: int, parts: set[int], vertex: int | None) -> int:
        """Undo a deletion: the components with these tops become one, with the deleted vertex, if any."""
        node = len(self._up)
        self._up.append(node)
        self.children[node] = sorted(parts)
        self.deletion[node] = deletion
        size, smallest = (0, []) if vertex is None else (1, [vertex])
        for part in parts:
            self._up[part] = node
            size += self.size[part]
            smallest.append(self.smallest[part])
        self.size.append(size)
        self.smallest.append(min(smallest))
        return node

    def follow(self, root: int, target: int) -> tuple[int, int | None]:
        """Go down from `root` until a component has at most `target` vertices or is a leaf.

        At each deletion the loop keeps the child with the most vertices; a tie goes to the one with the
        smallest vertex.

        Returns
        -------
        node, last : int, int or None
            Where it ends, and the last deletion on the way.
        """
        node, last = root, None
        while self.size[node] > target and node in self.children:
            last = self.deletion[node]
            node = min(self.children[node], key=lambda child: (-self.size[child], self.smallest[child]))
        return node, last


def _tell(device: Device, progress: Tell | None, done: int, of: int) -> None:
    device.finish()
    if progress:
        progress(done, of)


def whole_tree(
    device: Device,
    graph: Graph,
    *,
    vertices: npt.NDArray[np.int32] | None = None,
    edges: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None = None,
    progress: Tell | None = None,
) -> Rows:
    """All sizes of a reduction at once.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops.
    vertices : int32 array, shape (n,)
        Order in which vertices are deleted; or
    edges : two int32 arrays, shape (m,)
        Smaller and larger ends of the edges in the order in which they are deleted.

    Returns
    -------
    deletions, vertices, edges : int64 arrays
        At the start and whenever the number of vertices has changed.
    """
    csr, n = upload_csr(device, graph), graph.num_vertices
    nodes = n if edges is None else 2 * n
    wide = np.dtype(csr.offset).itemsize
    device.reserve({"tree": nodes * (16 + 2 * wide), "order": 8 * (n if edges is None else csr.arcs // 2)})
    program = device.program("sampling/merge_tree", ITEMS=device.tuning.items, **csr.defines)
    up, size, smallest, child = (device.empty(nodes, np.int32) for _ in range(4))
    arcs, fresh = device.empty(nodes, csr.offset), device.empty(nodes, csr.offset)
    state = device.upload(np.array([n, -1, 0], np.int32), writable=True)
    tree = {"up": up, "size": size, "arcs": arcs, "smallest": smallest, "child": child}
    if vertices is not None:
        rank = np.empty(n, np.int32)
        rank[vertices] = np.arange(n, dtype=np.int32)
        order, place = device.upload(vertices), device.upload(rank)
        for end in range(n, 0, -STEPS):
            begin = max(0, end - STEPS)
            program.merge_tree_vertices(
                1, begin=begin, end=end, order=order, rank=place, **csr.buffers, **tree
            )
            _tell(device, progress, n - begin, n)
    else:
        assert edges is not None
        program.merge_tree_leaves(-(-n // device.tuning.items), n=n, **tree)
        low, high = (device.upload(end) for end in edges)
        count = len(edges[0])
        for end in range(count, 0, -STEPS):
            begin = max(0, end - STEPS)
            program.merge_tree_edges(
                1, begin=begin, end=end, low=low, high=high, **tree, fresh=fresh, state=state
            )
            _tell(device, progress, count - begin, count)
        nodes = int(device.download(state, np.int32, 1)[0])
    program.merge_tree_root(1, nodes=nodes, up=up, size=size, smallest=smallest, state=state)
    # down from the input's largest component, at each deletion to the component that the loop keeps
    root = int(device.download(state, np.int32, 1, offset=1)[0])
    parts: list[tuple[npt.NDArray[Any], ...]] = [
        (
            np.zeros(1, np.int64),
            device.download(size, np.int32, 1, offset=root),
            device.download(arcs, csr.offset, 1, offset=root),
        )
    ]
    count = min(STEPS, csr.n)
    gone, left = device.empty(count, csr.offset), device.empty(count, csr.offset)
    remaining = device.empty(count, np.int32)
    done = 0
    nodes_of = {"size": size, "arcs": arcs, "fresh": fresh, "child": child}
    into = {"deletions": gone, "vertices": remaining, "left": left, "state": state}
    while True:
        program.merge_tree_follow(1, count=count, by_edges=edges is not None, **nodes_of, **into)
        steps = int(device.download(state, np.int32, 1, offset=2)[0])
        deletions = device.download(gone, csr.offset, steps).astype(np.int64) + done
        parts.append(
            (deletions, device.download(remaining, np.int32, steps), device.download(left, csr.offset, steps))
        )
        if steps < count:
            break
        done = int(deletions[-1])
    deletions, sizes, both = (np.concatenate(column).astype(np.int64) for column in zip(*parts, strict=True))
    return deletions, sizes, both // 2


# --- The deletions between two thresholds, taken one by one on the host (exact mode) ---


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
    is_multigraph : bool
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
        is_multigraph: bool = False,
    ) -> None:
        self._rows_of, self._seed, self._is_multigraph = rows_of, seed, is_multigraph
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
        if not self.count:
            return tree, None
        # neighbours that are deleted later count by their nodes, once they have one; those of a hub are in
        # few components, of which each is taken once
        by_name = np.argsort(self.vertex)
        at = by_name[np.searchsorted(self.vertex, self.touched, sorter=by_name) % self.count]
        alive = labels >= 0
        taken = alive | ((self.vertex[at] == self.touched) & (at > self._owner))
        part = np.where(alive, leaf, -1 - at)[taken]
        pairs = np.unique(self._owner[taken] << 32 | part & 0xFFFFFFFF)
        nodes = pairs.astype(np.uint32).view(np.int32).tolist()
        begin = np.searchsorted(pairs >> 32, np.arange(self.count + 1)).tolist()
        node_of = [0] * self.count
        for i in range(self.count - 1, -1, -1):
            parts = nodes[begin[i] : begin[i + 1]]
            tops = {tree.top(node_of[-1 - part] if part < 0 else part) for part in parts}
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
        if self._is_multigraph:
            for i, at in enumerate((arc - rows.first).tolist()):
                row = rows.of(i)
                rank[i] = at - np.searchsorted(row, row[at])
        return rank
