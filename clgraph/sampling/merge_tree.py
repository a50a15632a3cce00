"""Which component the loop follows through a few deletions: a tree of merges, built backwards.

A node is one deletion; its children are the components that it leaves, any number of them where a vertex is
deleted. The node's size counts the deleted vertex, which is not among its children. (Splitting a vertex's
children into binary nodes would give wrong answers.) `whole_tree` is the host half of
``cl/sampling/merge_tree.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import DeviceCSR, upload_csr
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
    return _follow(device, program, csr, tree, fresh, state, by_edges=edges is not None)


def _tell(device: Device, progress: Tell | None, done: int, of: int) -> None:
    device.finish()
    if progress:
        progress(done, of)


def _follow(
    device: Device,
    program: Any,
    csr: DeviceCSR,
    tree: dict[str, Any],
    fresh: Any,
    state: Any,
    *,
    by_edges: bool,
) -> Rows:
    """Go down from the input's largest component, at each deletion to the component that the loop keeps."""
    size, arcs = tree["size"], tree["arcs"]
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
    there = device.empty(count, np.int32)
    done = 0
    while True:
        program.merge_tree_follow(
            1,
            count=count,
            by_edges=by_edges,
            size=size,
            arcs=arcs,
            fresh=fresh,
            child=tree["child"],
            deletions=gone,
            vertices=there,
            left=left,
            state=state,
        )
        steps = int(device.download(state, np.int32, 1, offset=2)[0])
        deletions = device.download(gone, csr.offset, steps).astype(np.int64) + done
        parts.append(
            (deletions, device.download(there, np.int32, steps), device.download(left, csr.offset, steps))
        )
        if steps < count:
            break
        done = int(deletions[-1])
    deletions, vertices, both = (
        np.concatenate(column).astype(np.int64) for column in zip(*parts, strict=True)
    )
    return deletions, vertices, both // 2
