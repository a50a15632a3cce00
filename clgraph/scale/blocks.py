"""A graph in memory as shards: its arcs in several buffers, where they exceed a device's largest one."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import Residence
from clgraph.graph import Graph
from clgraph.graph.arrays import Arrays
from clgraph.graph.residency import View
from clgraph.lazy import lazy
from clgraph.scale.manifest import Manifest, Section, Shard
from clgraph.scale.shards import ShardRows, Shards
from clgraph.scale.writing import cuts, row_sums, section_of, summed

if TYPE_CHECKING:
    from clgraph.device import Device


class GraphBlocks(Shards):
    """Shards that are parts of arrays on the host, checked when these were made.

    Attributes
    ----------
    num_blocks : int
        The most shards that a section has: its arcs are in this many buffers.
    """

    def __init__(self, graph: Graph, sections: Sequence[str], values: bool, shard_edges: int) -> None:
        whole = graph._arrays
        self._graph = weakref.ref(graph)  # it holds the graph's arrays, never the graph
        self.folder, self.comm = Path("the graph in memory"), False  # no ranks, whatever started the process
        self._arrays = {name: section_of(graph, name)[0] for name in sections}
        self._ids = whole.ids
        made = {name: _cut(name, arrays, shard_edges) for name, arrays in self._arrays.items()}
        self.manifest = Manifest(
            whole.directed,
            whole.num_vertices,
            values and whole.weights is not None,
            values and whole.multiplicity is not None,
            sections=made,
        )
        if "pairs" not in made:  # the rows have them, too, and need not be gone through on the host
            self.pairs, self.both_ways = ("out", False) if whole.directed else ("rows", True)
        self.num_blocks = max(len(section.shards) for section in made.values())
        self._whole = whole

    @property
    def owner(self) -> Graph | None:
        """The graph whose parts these are."""
        return self._graph()

    @property
    def carried(self) -> list[str]:
        """The columns that it has of weights and multiplicities."""
        return [name for name in ("weights", "multiplicity") if getattr(self.manifest, name)]

    @property
    def num_edges(self) -> int:
        """Number of edges (undirected) or arcs (directed)."""
        loops = self._whole.count_loops()
        return self._whole.num_arcs if self.directed else (self._whole.num_arcs + loops) // 2

    def __repr__(self) -> str:
        return f"<GraphBlocks: {self.num_blocks} parts of {self.owner!r}>"

    @lazy
    def ids(self) -> npt.NDArray[Any]:
        """Original vertex ids in index order, shape (n,)."""
        return np.arange(self.num_vertices, dtype=np.int64) if self._ids is None else self._ids

    def own_ids(self) -> npt.NDArray[Any] | None:
        """Return the ids; None if they are 0 .. n-1."""
        return self._ids

    @lazy
    def leaving(self) -> npt.NDArray[np.float64]:
        """The weight that leaves each vertex (without weights: how many arcs), shape (n,)."""
        whole = self._whole
        carried = whole.multiplicity if whole.weights is None else whole.weights
        return row_sums(whole.row_ptr, carried)

    def block(self, name: str, number: int) -> ShardRows:
        """Return a shard's rows."""
        shard, arrays = self.section(name).shards[number], self._arrays[name]
        row_ptr = arrays.row_ptr[shard.first_row : shard.first_row + shard.rows + 1]
        part = slice(int(row_ptr[0]), int(row_ptr[-1]))
        offset = np.int32 if shard.edges < 2**31 else np.int64
        values = {key: getattr(arrays, key)[part] for key in self.carried}
        return ShardRows(shard.first_row, (row_ptr - row_ptr[0]).astype(offset), arrays.col_idx[part], values)


class _Shelf(Residence):
    """Parts of a graph that a device keeps, which `Graph.free` gives back; it makes no views of them."""

    def view(self, graph: Any, view: View) -> None:
        """The host makes it."""


def shelve(device: Device, graph: Graph) -> None:
    """Let a graph know that a device may hold parts of it."""
    graph._add_residence(device.cached(graph, "shelf", lambda: _Shelf(device)))


def _cut(name: str, arrays: Arrays, shard_edges: int) -> Section:
    """A section's shards; where they are cut makes no difference to any result."""
    row_ptr, made = arrays.row_ptr, []
    for number, (first, last) in enumerate(cuts(row_ptr, shard_edges, 1)):
        edges = int(row_ptr[last] - row_ptr[first])
        made.append(Shard(f"{name}-{number}", first, last - first, edges, 0, 0, 0, 0))
    return summed(made)
