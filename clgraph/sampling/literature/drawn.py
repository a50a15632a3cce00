"""What a sampler of the literature draws: many runs in flat columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import upload_csr
from clgraph.graph import Graph
from clgraph.sampling.literature.held import Held
from clgraph.sampling.literature.listed import Column, left_of, marked
from clgraph.sampling.selection import Marked, Mask, Selection, extract

UInts = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Drawn(Selection):
    """What some runs of one sampler drew; vertices by index, ascending in each run.

    Attributes
    ----------
    vertices : Column of int32
        Empty where only arcs are listed: the sample's vertices are then the ends of its arcs.
    came : Column of unsigned integers, or None
        When each vertex came; of equal ones the smaller index comes first, of a stage the smaller priority.
    cut : uint64 array, shape (runs,), or None
        Of races: the key of the first item left out, NONE where none was.
    arcs : Column, or None
        Places of the edges drawn in the rows of the view, at the smaller end. None: all edges among the
        vertices.
    parent : Column of int32, or None
        The vertex from which each vertex was first reached, -1 for starts.
    visits : Column of integers, or None
    more : dict
        Further Column values of a method, by name.
    notes : list of tuple of str
        Of each run.
    rounds : int64 array, shape (runs,), or None
        Of walks: legs; of searches: starts.
    held : list of Held, or None
        Of streams: what each run holds, in the order of `arcs`.
    walking : float
        Of walks: seconds of the steps alone.
    wish : Wish
        What was asked for.
    """

    vertices: Column
    came: Column | None = None
    cut: UInts | None = None
    arcs: Column | None = None
    parent: Column | None = None
    visits: Column | None = None
    more: dict[str, Column] = field(default_factory=dict)
    notes: list[tuple[str, ...]] = field(default_factory=list)
    rounds: npt.NDArray[np.int64] | None = None
    held: list[Held] | None = None
    walking: float = 0.0
    wish: Any = None

    @property
    def among_several(self) -> bool:  # type: ignore[override]
        """Whether it has several runs."""
        return len(self.vertices.offset) > 2

    @property
    def _by_ends(self) -> bool:
        """Whether the vertices are the ends of the edges."""
        return self.wish.kind == "edges" and self.wish.target is None

    def index(self, graph: Graph, at: int = 0) -> Places:
        if self._by_ends:
            tails, heads, _ = self.ends(at)
            return np.unique(np.concatenate((tails, heads)))
        return self.vertices.of(at).astype(np.int64)

    def members(self, graph: Graph, at: int = 0) -> Mask:
        inside = np.zeros(graph.num_vertices, bool)
        inside[self.index(graph, at)] = True
        return inside

    def kept(self, graph: Graph, at: int = 0) -> Mask:
        there = self.on_device(at)
        return self.kept_on_host(graph, at) if there is None else there.kept(graph)

    def sampled(self, graph: Graph, at: int = 0, larger: Graph | None = None) -> Graph:
        there = self.on_device(at)
        if there is None:
            return extract(graph, self.members(graph, at), self.kept_on_host(graph, at))[0]
        with there.device.alone():
            return there.sampled(graph)

    def on_device(self, at: int) -> Marked | None:
        """A run as marks; None if it is no longer on the device, or the device builds no kernels."""
        wish, listed = self.wish, self.vertices.there
        simple, whole = wish.view.original.undirected.without_self_loops, wish.kind == "chordal"
        walked = self.parent if wish.keep == "tree" else self.arcs
        there = None if walked is None else walked.there
        source = there if listed is None else listed
        if source is None or not source.device.has_compiler:
            return None
        device, induced = source.device, wish.keep == "induced"
        with device.alone():
            if induced and listed is not None:
                return Marked(device, upload_csr(device, simple), marked(listed, simple.num_vertices, at))
            if there is None or (listed is None and not whole and not self._by_ends):
                return None
            ways = (None, there) if wish.keep == "tree" else (there, None)
            left = left_of(simple, at, listed, *ways, whole=whole)
            return Marked(device, left.csr, left.live) if induced else left

    def kept_on_host(self, graph: Graph, at: int) -> Mask:
        """As `kept`, by NumPy."""
        simple = graph.undirected.without_self_loops
        if self.wish.keep == "induced":
            inside = self.members(graph, at)
            return np.repeat(inside, np.diff(simple.row_ptr)) & inside[simple.col_idx]
        arcs = self._edge_arcs(graph, at)
        live = np.zeros(simple.num_arcs, bool)
        live[arcs] = True
        live[twins(simple, arcs)] = True
        return live

    def ends(self, at: int) -> tuple[Places, Places, Places]:
        """Ends of the edges drawn, the smaller first, and their places in the rows."""
        assert self.arcs is not None
        rows, arcs = self.wish.view.rows, self.arcs.of(at).astype(np.int64)
        tails = np.searchsorted(rows.row_ptr, arcs, side="right") - 1
        return tails.astype(np.int64), rows.col_idx[arcs].astype(np.int64), arcs

    def _edge_arcs(self, graph: Graph, at: int) -> Places:
        """Places of the sample's edges in the rows of the undirected view, where not all are taken."""
        index = self.index(graph, at)
        if self.wish.keep == "tree":  # the arc to each vertex's parent, of parallel ones the first
            assert self.parent is not None
            parent = self.parent.of(at).astype(np.int64)
            some = (parent >= 0) & (parent != index) & np.isin(parent, index)
            simple = graph.undirected.without_self_loops
            pairs = (simple.tails.astype(np.int64) << 32) | simple.col_idx
            made: Places = np.searchsorted(pairs, (index[some] << 32) | parent[some])
            return made
        tails, heads, arcs = self.ends(at)
        if self.wish.kind == "edges":
            return arcs
        return arcs[np.isin(tails, index) & np.isin(heads, index)]


def twins(rows: Graph, arcs: Places) -> Places:
    """The place of each arc's reverse in the rows of an undirected graph; of copies that of the same rank."""
    pairs = (rows.tails.astype(np.int64) << 32) | rows.col_idx
    own = pairs[arcs]
    copy = arcs - np.searchsorted(pairs, own)
    back = (own & 0xFFFFFFFF) << 32 | own >> 32
    made: Places = np.searchsorted(pairs, back) + copy
    return made
