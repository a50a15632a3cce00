"""What `clgraph.sample` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.graph import Graph


@dataclass(frozen=True)
class Sample:
    """A sample of a graph and how it came about.

    Attributes
    ----------
    graph : Graph
        The sample; weights, multiplicities and original ids come along. Self-loops play no part in sampling
        and are left out.
    vertices : array, shape (k,)
        Original ids of the sample's vertices, in index order.
    edges : int64 array
        Ranks in the original's list of edges u <= v in index order (its undirected view, loops counted).
    method, mode : str
    size : float, int or str
        As asked for.
    target : int
        n*, the count of vertices that `size` came to.
    seed : int
    device : str
        Name of the device.
    iterations : int
        Batches; in exact mode, probes of a threshold. 0 where there was nothing to delete.
    seconds : dict of str to float
        By phase: device, build (views on the host), upload, compile, sample, result (the sample's graph).
    way : str
        How it came about. Exact mode: "probes" (of a threshold, and a merge tree for the last deletions) or
        "merge tree" (all deletions); batched mode: how the largest component was found, "afforest" or "bfs".
    notes : tuple of str
        What its user should know: loops left out, nothing to delete, ...
    """

    graph: Graph
    vertices: npt.NDArray[Any]
    edges: npt.NDArray[np.int64]
    method: str
    mode: str
    size: float | int | str
    target: int
    seed: int
    device: str
    iterations: int
    seconds: dict[str, float]
    way: str
    notes: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """The scalars (vertices and edges as counts), ready for JSON."""
        return {
            "method": self.method,
            "mode": self.mode,
            "seed": self.seed,
            "size": self.size,
            "target": self.target,
            "vertices": len(self.vertices),
            "edges": len(self.edges),
            "iterations": self.iterations,
            "device": self.device,
            "way": self.way,
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        return (
            f"<Sample: {self.method} ({self.mode}), {len(self.vertices)} vertices, {len(self.edges)} edges, "
            f"target {self.target}, seed {self.seed}>"
        )


def extract(
    graph: Graph, live_vertices: npt.NDArray[np.bool_], live_arcs: npt.NDArray[np.bool_] | None
) -> tuple[Graph, npt.NDArray[Any], npt.NDArray[np.int64]]:
    """(graph, vertices, edges) of a sample.

    Parameters
    ----------
    graph : Graph
        The original.
    live_vertices : bool array, shape (n,)
    live_arcs : bool array or None
        Which arcs of ``graph.undirected.simple`` are left; None where they are all those between live vertices.
    """
    view = graph.undirected
    tail, head = view.rows, view.col_idx
    kept = tail != head
    if live_arcs is None:
        kept &= live_vertices[tail]
        kept &= live_vertices[head]
    else:
        kept[kept] = live_arcs
    upper = tail <= head
    edges = np.flatnonzero(kept[upper])
    if graph is view:
        arcs = kept
    else:
        pair = _pairs(tail, head)
        tail, head = graph.rows, graph.col_idx
        arcs = kept[np.searchsorted(pair, _pairs(tail, head))] & (tail != head)
    return graph.subgraph(live_vertices, arcs), graph.ids[live_vertices], edges


def _pairs(tail: npt.NDArray[np.int32], head: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """One ascending number for each arc of an ascending CSR."""
    return (tail.astype(np.int64) << 32) | head
