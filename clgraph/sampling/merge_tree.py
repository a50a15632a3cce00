"""Which component the loop follows through a few deletions: a tree of merges, built backwards.

A node is one deletion; its children are the components that it leaves, any number of them when a vertex goes.
Its size counts the deleted vertex, which is no child of it. (Pairing the children of a vertex up into binary
nodes gives wrong answers.)
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class MergeTree:
    """Nodes 0 .. leaves-1 are components that live through all of the deletions; later nodes are deletions.

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
        """The node that stands above all others of this one's component now."""
        up = self._up
        while up[node] != node:
            up[node] = up[up[node]]
            node = up[node]
        return node

    def merge(self, deletion: int, parts: set[int], vertex: int | None) -> int:
        """Undo a deletion: the components `parts` (tops) become one, with the deleted vertex, if any."""
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

        At each deletion the child with most vertices is the one that the loop keeps; a tie goes to the one
        with the smallest vertex.

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
