"""What `clgraph.sample` returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from clgraph._version import __version__
from clgraph.graph import Graph
from clgraph.graph.views import some_vertices
from clgraph.lazy import lazy
from clgraph.results import RunsOn


@dataclass(frozen=True)
class Left:
    """What a run leaves of ``graph.undirected.simple``, as masks on the host.

    Attributes
    ----------
    vertices : bool array, shape (n,)
    arcs : bool array
    group : int32 array, shape (n,), or None
        Of contractions: the smallest vertex of each vertex's group; -1 outside the largest component.
    """

    vertices: npt.NDArray[np.bool_]
    arcs: npt.NDArray[np.bool_]
    group: npt.NDArray[np.int32] | None = None


class SomeLeft(Protocol):
    """`Left`, or what fetches the same arrays at the first look (`clgraph.sampling.marks.LeftThere`)."""

    @property
    def vertices(self) -> npt.NDArray[np.bool_]:
        """Which vertices are left."""

    @property
    def arcs(self) -> npt.NDArray[np.bool_]:
        """Which arcs are left."""

    @property
    def group(self) -> npt.NDArray[np.int32] | None:
        """Of contractions: the smallest vertex of each vertex's group."""


@dataclass(frozen=True)
class Sample(RunsOn):
    """A sample of a graph and how it was made.

    Attributes
    ----------
    graph : Graph
        The sample, with weights, multiplicities and original ids. Self-loops play no part in sampling and are
        left out.
        Made on a device, it stays there until an array is looked at.
    vertices : array, shape (k,)
        Original ids of the sample's vertices, in index order: ``graph.ids``. (With ``arrays="device"`` a
        ``pyopencl.array.Array``.)
    edges : int64 array
        Ranks in the original's list of edges u <= v in index order (its undirected view, loops counted).
        Like `vertices`, `kept_arcs` and `group`, it is made at the first look.
    num_edges : int
        Number of edges (of a directed graph: of connected pairs).
    method, mode : str
    size : float, int or str
        As asked for.
    target : int
        n*, the number of vertices that `size` amounts to.
    seed : int
    device : str
        Name of the device.
    iterations : int
        Batches; in exact mode, probes of a threshold. 0 where there was nothing to delete.
    seconds : dict of str to float
        By phase: device, build (views on the host), upload, compile, sample, download, result (the sample's
        graph).
    way : str
        How the sample was found. Exact mode: "probes" (of thresholds, and a merge tree for the last
        deletions), "merge tree" (all deletions) or "forest" (the priority forest: arcs that exceed the
        device's largest buffer). Batched mode: how the largest component was
        found, "afforest", "bfs" or "strong". "contraction", "breadth-first", "depth-first" ("depth-first on
        NAME" where the walk, which is serial, ran on the host's CPU device instead of a GPU); or "untouched".
    notes : tuple of str
        What the user should know: loops left out, nothing to delete, ...
    original : Graph
    options : dict
        What was asked for besides method, size and seed.
    kept_arcs : bool array
        Which arcs of ``original.undirected`` are in the sample. (Of a contraction: for each pair of its
        vertices the smallest edge that joins their groups.)
    group : int32 array, shape (n,), or None
        Of a contraction: the index of the original vertex that each original vertex became, the smallest of
        its group; -1 outside the largest component.
    """

    there = None  # with arrays="device" the Device that `vertices` are on

    graph: Graph
    method: str
    mode: str
    size: float | int | str
    target: int
    seed: int
    device: str
    iterations: int
    seconds: dict[str, float]
    way: str
    notes: tuple[str, ...] = ()
    original: Graph | None = field(default=None, repr=False)
    left: SomeLeft | None = field(default=None, repr=False, compare=False)
    options: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.original is not None and self.original.attributes is not None:
            self.graph.attributes = self.original.attributes

    @property
    def vertices(self) -> npt.NDArray[Any]:
        """Original ids of the sample's vertices, in index order."""
        return self.graph.ids if self.there is None else self._ids_there()

    def _ids_there(self) -> Any:
        from clgraph.csr.upload import ids_on

        assert self.there is not None
        with self.there.alone():
            return ids_on(self.there, self.graph)

    @lazy
    def kept_arcs(self) -> npt.NDArray[np.bool_]:
        """Which arcs of ``original.undirected`` are in the sample."""
        assert self.original is not None
        assert self.left is not None
        return with_loops(self.original.undirected, self.left.arcs)

    @lazy
    def group(self) -> npt.NDArray[np.int32] | None:
        """Of a contraction: the original vertex that each original vertex became."""
        return None if self.left is None else self.left.group

    @lazy
    def edges(self) -> npt.NDArray[np.int64]:
        """Ranks in the original's list of edges u <= v in index order."""
        assert self.original is not None
        view = self.original.undirected
        return np.flatnonzero(self.kept_arcs[view.rows <= view.col_idx])

    def __getstate__(self) -> dict[str, Any]:
        looked_at = {name: getattr(self, name) for name in ("kept_arcs", "group", "num_edges")}
        return {**vars(self), **looked_at, "left": None, "there": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    def members(self, vertex: Any) -> npt.NDArray[Any]:
        """Original ids of the vertices that a vertex of the sample (given by id) represents, in index order.

        Unless the method contracts, only the vertex itself.
        """
        assert self.original is not None
        self.graph.index([vertex])  # an id that is not in the sample: InputError
        place = self.original.index([vertex])
        if self.group is not None:
            place = np.flatnonzero(self.group == place[0])
        return self.original.ids[place]

    @lazy
    def num_edges(self) -> int:
        """Number of edges (pairs, of a directed graph) in the sample."""
        if not self.graph.directed:
            return self.graph.num_edges
        return int(np.count_nonzero(self.kept_arcs)) // 2

    def to_dict(self, *, hashes: bool = True) -> dict[str, Any]:
        """The scalars (vertices and edges as counts), ready for JSON.

        Parameters
        ----------
        hashes : bool
            Whether to add the hashes of the original and of the sample (`clgraph.graph.digest.digest`), by
            which `clgraph replay` compares. They bring both graphs to the host.
        """
        found = {}
        if hashes:
            from clgraph.graph.digest import digest

            assert self.original is not None
            found = {"input_sha256": digest(self.original), "sha256": digest(self.graph)}
        return {
            "clgraph": __version__,
            "options": self.options,
            **found,
            "method": self.method,
            "mode": self.mode,
            "seed": self.seed,
            "size": self.size,
            "target": self.target,
            "vertices": self.graph.num_vertices,
            "edges": self.num_edges,
            "iterations": self.iterations,
            "device": self.device,
            **self.how(),
            "way": self.way,
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        return (
            f"<Sample: {with_mode(self.method, self.mode)}, {self.graph.num_vertices} vertices, "
            f"{self.num_edges} {self._counts}, "
            + (f"target {self.target}, " if self.target else "")
            + f"seed {self.seed}>"
        )

    def plot(self, axes: Any = None) -> Any:
        """Draw the degree distributions of the sample and its original (matplotlib, the extra `plot`).

        Parameters
        ----------
        axes : matplotlib Axes, optional
            To draw on; by default those of a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from clgraph.sampling.figures import draw_degrees

        return draw_degrees(self, axes)

    @property
    def _counts(self) -> str:
        """What `num_edges` counts."""
        return "pairs" if self.graph.directed else "edges"

    def _facts(self) -> dict[str, Any]:
        whole = None if self.original is None else self.original.num_vertices
        return {
            "method": with_mode(self.method, self.mode),
            "vertices": self.graph.num_vertices if whole is None else f"{self.graph.num_vertices} of {whole}",
            self._counts: self.num_edges,
            **({"target": self.target} if self.target else {}),
            "seed": self.seed,
            "device": self.device,
        }

    def _bars(self) -> tuple[str, Sequence[float]] | None:
        return self.graph._bars()


def with_mode(method: str, mode: str | None) -> str:
    """A method, and its mode if it has several."""
    return method if mode in (None, "auto") else f"{method} ({mode})"


def with_loops(view: Graph, arcs: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The arcs of a graph that a mask of the arcs of ``graph.simple`` stands for."""
    if not view.num_self_loops:
        return arcs
    kept = view.rows != view.col_idx
    kept[kept] = arcs
    return kept


def extract(
    graph: Graph, live_vertices: npt.NDArray[np.bool_], live_arcs: npt.NDArray[np.bool_]
) -> tuple[Graph, npt.NDArray[np.bool_]]:
    """The sample as a graph, and which arcs of ``graph.undirected`` are in it; by NumPy, from masks.

    For devices that build no kernels, and for samples kept as bits; `clgraph.sampling.extract` does it on the
    device.

    Parameters
    ----------
    graph : Graph
        The original.
    live_vertices : bool array, shape (n,)
    live_arcs : bool array
        Which arcs of ``graph.undirected.simple`` are left.
    """
    view = graph.undirected
    kept = with_loops(view, live_arcs)
    if graph is view:
        return Graph.of(some_vertices(graph.arrays, live_vertices, kept)), kept
    arcs = kept[_place_in_view(graph, view)] & (graph.rows != graph.col_idx)
    return Graph.of(some_vertices(graph.arrays, live_vertices, arcs)), kept


def _place_in_view(graph: Graph, view: Graph) -> npt.NDArray[np.int64]:
    """The arc of the undirected view, in the same tail's row, that each arc of a directed graph became."""
    tail, head = graph.rows, graph.col_idx
    own = _pairs(tail, head)
    place = np.searchsorted(_pairs(view.rows, view.col_idx), own)
    if view.has_copies:
        # each arc is a separate edge; of the copies those from the smaller to the larger end come first
        back = _pairs(head, tail)
        before = np.searchsorted(own, back, side="right") - np.searchsorted(own, back)
        place += np.arange(len(own)) - np.searchsorted(own, own) + np.where(tail > head, before, 0)
    return place


def _pairs(tail: npt.NDArray[np.int32], head: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """One ascending number for each arc of an ascending CSR."""
    return (tail.astype(np.int64) << 32) | head
