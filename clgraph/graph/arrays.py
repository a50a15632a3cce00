"""What a `clgraph.Graph` is made of: plain arrays, as builders, readers and other libraries pass them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Edges(NamedTuple):
    """Edges as arrays of one length: what `Graph.to_edges` gives and `Graph.from_edges` takes."""

    source: npt.NDArray[Any]
    target: npt.NDArray[Any]
    weights: npt.NDArray[np.float64] | None
    multiplicity: npt.NDArray[np.int32] | None


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
        return np.repeat(np.arange(self.num_vertices, dtype=np.int32), np.diff(self.row_ptr))

    def all_ids(self) -> npt.NDArray[Any]:
        """Original vertex ids in index order, shape (n,), also where they are 0 .. n-1."""
        return np.arange(self.num_vertices, dtype=np.int64) if self.ids is None else self.ids

    def edges(self) -> Edges:
        """The edges by vertex index, each once, in index order (the smaller index first if undirected)."""
        tail, head = self.tails(), self.col_idx
        if self.directed:
            return Edges(tail, head, self.weights, self.multiplicity)
        once = tail <= head
        return Edges(
            tail[once],
            head[once],
            None if self.weights is None else self.weights[once],
            None if self.multiplicity is None else self.multiplicity[once],
        )
