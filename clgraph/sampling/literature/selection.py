"""Selections of the literature's samplers, in flat columns that stay on the device until they are read.

Host half of ``cl/sampling/literature/listed.cl`` and ``listed_edges.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.csr.upload import upload_csr
from clgraph.graph import Graph
from clgraph.sampling.literature.reservoir import Reservoir
from clgraph.sampling.literature.smallest import LAUNCH, Column, Cut, Smallest
from clgraph.sampling.literature.view import NONE
from clgraph.sampling.selection import Marked, Mask, Selection, extract

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program

UInts = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]
KERNELS = "sampling/literature/listed"


@dataclass(frozen=True)
class Drawn(Selection):
    """Selection of several runs of one sampler; vertices by index, ascending in each run.

    Attributes
    ----------
    vertices : Column of int32
        Empty where only arcs are listed: the sample's vertices are then the ends of its arcs.
    came : Column of unsigned integers, or None
        When each vertex came; ties go by index, and within a stage by priority.
    cut : uint64 array, shape (runs,), or None
        Only of races: the key of the first item left out, NONE where none was.
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
        Legs of walks, starts of searches.
    reservoirs : list of Reservoir, or None
        Only of streams: one per run, its edges in the order of `arcs`.
    walking : float
        Only of walks: seconds of the steps alone.
    request : Request
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
    reservoirs: list[Reservoir] | None = None
    walking: float = 0.0
    request: Any = None

    @property
    def among_several(self) -> bool:  # type: ignore[override]
        """True if it has several runs."""
        return len(self.vertices.offset) > 2

    @property
    def _by_ends(self) -> bool:
        """True if the vertices are the ends of the edges."""
        return self.request.kind == "edges" and self.request.target is None

    def index(self, graph: Graph, at: int = 0) -> Places:
        if self._by_ends:
            tails, heads, _ = self.ends(at)
            return np.unique(np.concatenate((tails, heads)))
        return self.vertices.of(at).astype(np.int64)

    def members(self, graph: Graph, at: int = 0) -> Mask:
        inside = np.zeros(graph.num_vertices, bool)
        inside[self.index(graph, at)] = True
        return inside

    def arc_mask(self, graph: Graph, at: int = 0) -> Mask:
        resident = self.on_device(at)
        return self.arc_mask_on_host(graph, at) if resident is None else resident.arc_mask(graph)

    def sampled(self, graph: Graph, at: int = 0, larger: Graph | None = None) -> Graph:
        resident = self.on_device(at)
        if resident is None:
            return extract(graph, self.members(graph, at), self.arc_mask_on_host(graph, at))
        with resident.device.alone():
            return resident.sampled(graph)

    def on_device(self, at: int) -> Marked | None:
        """Return a run as marks; None if it is no longer on the device, or that builds no kernels."""
        request, listed = self.request, self.vertices.device_column
        simple, whole = request.view.original.undirected.without_self_loops, request.kind == "chordal"
        induced, tree = request.keep == "induced", request.keep == "tree"
        walked = self.parent if tree else self.arcs
        # places of arcs, one or both of each edge; of a tree the parent of each vertex listed
        edges = None if walked is None else walked.device_column
        source = edges if listed is None else listed
        if source is None or not source.device.has_compiler:
            return None
        device = source.device
        with device.alone():
            if induced and listed is not None:
                return Marked(device, upload_csr(device, simple), marked(listed, simple.num_vertices, at))
            if edges is None or (listed is None and not whole and not self._by_ends):
                return None
            csr, items = upload_csr(device, simple), device.tuning.items
            device.reserve({"live": csr.n + csr.arcs})
            item = "long" if np.dtype(edges.dtype).itemsize == 8 else "int"
            kernels = device.program(f"{KERNELS}_edges", ITEMS=items, ITEM=item, **csr.defines)
            mark = device.zeros(-(-csr.arcs // 4) * 4, np.uint8)
            first, end = edges.offset[at : at + 2].tolist()
            passes, part = -(-(end - first) // items), {"first": first, "many": end - first, **csr.buffers}
            if listed is not None:
                live = marked(listed, csr.n, at)
            else:
                live = device.zeros(-(-csr.n // 4) * 4, np.uint8)
                if whole:
                    device.fill(live, np.uint8(1), csr.n)
                else:
                    kernels.listed_ends(passes, n=csr.n, **part, list=edges.buffer, live=live)
            part |= {"live": live, "mark": mark}
            if tree:
                assert listed is not None
                kernels.listed_tree(passes, list=listed.buffer, parent=edges.buffer, **part)
            else:
                kernels.listed_arcs(passes, n=csr.n, list=edges.buffer, **part)
            return Marked(device, csr, live, None if induced else mark)

    def arc_mask_on_host(self, graph: Graph, at: int) -> Mask:
        """Compute `kept` by NumPy."""
        simple = graph.undirected.without_self_loops
        if self.request.keep == "induced":
            inside = self.members(graph, at)
            return np.repeat(inside, np.diff(simple.row_ptr)) & inside[simple.col_idx]
        arcs = self._edge_arcs(graph, at)
        pairs = (simple.tails.astype(np.int64) << 32) | simple.col_idx
        own = pairs[arcs]
        live = np.zeros(simple.num_arcs, bool)
        live[arcs] = True
        # the reverse of each, of copies that of the same rank
        copy = arcs - np.searchsorted(pairs, own)
        live[np.searchsorted(pairs, (own & 0xFFFFFFFF) << 32 | own >> 32) + copy] = True
        return live

    def ends(self, at: int) -> tuple[Places, Places, Places]:
        """Return the ends of the edges drawn, the smaller first, and their places in the rows."""
        assert self.arcs is not None
        rows, arcs = self.request.view.rows, self.arcs.of(at).astype(np.int64)
        tails = np.searchsorted(rows.row_ptr, arcs, side="right") - 1
        return tails.astype(np.int64), rows.col_idx[arcs].astype(np.int64), arcs

    def _edge_arcs(self, graph: Graph, at: int) -> Places:
        """Places of the sample's edges in the rows of the undirected view, where not all are taken."""
        index = self.index(graph, at)
        # the arc to each vertex's parent, of parallel ones the first
        if self.request.keep == "tree":
            assert self.parent is not None
            parent = self.parent.of(at).astype(np.int64)
            some = (parent >= 0) & (parent != index) & np.isin(parent, index)
            simple = graph.undirected.without_self_loops
            pairs = (simple.tails.astype(np.int64) << 32) | simple.col_idx
            made: Places = np.searchsorted(pairs, (index[some] << 32) | parent[some])
            return made
        tails, heads, arcs = self.ends(at)
        if self.request.kind == "edges":
            return arcs
        return arcs[np.isin(tails, index) & np.isin(heads, index)]


# --- Vertices, and arcs, that runs have taken ---


def given(device: Device, vertices: Column) -> Column:
    """Return vertices that are on the host as a column that is on the device, too."""
    items = device.upload(np.append(vertices.values, 0).astype(np.int32), writable=True)
    return Column(vertices.offset, vertices.values, Column.on(device, vertices.offset, items, np.int32))


def first_seen(device: Device, runs: int, n: int, first: Any) -> tuple[Column, Column]:
    """List the vertices with a first visit; and its number, which is their key."""
    cut = Cut(device.upload(np.full(runs, NONE, np.uint64), writable=True), device.zeros(runs, np.int32))
    return Smallest(device, runs, n).take(first, cut, equal=False, keys=True)


def visited(device: Device, runs: int, n: int, parts: int, visits: Any) -> Column:
    """List the vertices with a visit in some part of the walk."""
    blocks = -(-n // LAUNCH.of(device).met)
    count = device.empty(runs * blocks, np.int32)
    local = min(device.tuning.local_size, 64), 1
    head = {"n": n, "blocks": blocks, "parts": parts, "visits": visits}
    program(device).listed_met((blocks, runs), local=local, **head, count=count)
    before = running_sums(device, count, runs * blocks)
    if runs == 1:
        offset = np.array([0, device.download(before, np.int64, 1, offset=blocks)[0]])
    else:
        offset = device.download(before, np.int64, runs * blocks + 1)[::blocks].copy()
    listed = device.empty(max(int(offset[-1]), 1), np.int32)
    program(device).listed_list((blocks, runs), local=local, **head, before=before, list=listed)
    return Column.on(device, offset, listed, np.int32)


def marked(vertices: Column, n: int, run: int) -> Any:
    """Return a byte for each of `n` vertices, 1 where this run has taken it: uint8 device buffer."""
    device, (first, end) = vertices.device, vertices.offset[run : run + 2].tolist()
    mark = device.zeros(n, np.uint8)
    passes = -(-(end - first) // device.tuning.items)
    program(device).listed_mark(passes, many=end - first, first=first, list=vertices.buffer, mark=mark)
    return mark


def gathered(vertices: Column, n: int, value: Any, parts: int = 1) -> Column:
    """Gather an int32 value of each vertex; of several parts one part after the other, as of one run."""
    device, offset = vertices.device, vertices.offset
    many, longest = int(offset[-1]), int(np.diff(offset).max(initial=0))
    out = device.empty(max(parts * many, 1), np.int32)
    sizes = {"n": n, "parts": parts, "longest": longest, "many": many}
    program(device).listed_gather(
        (-(-longest // device.tuning.items), len(offset) - 1),
        **sizes,
        offset=device.upload(offset, writable=True),
        list=vertices.buffer,
        value=value,
        out=out,
    )
    return Column.on(device, offset if parts == 1 else np.array([0, parts * many]), out, np.int32)


def marked_arcs(device: Device, runs: int, arcs: int, marks: Any) -> Column:
    """List the places of the arcs that have a mark (int32, shape (runs * arcs,)), of each run."""
    # the kernel's blocks of an arc's place are int
    if arcs < 1 << 30:
        return visited(device, runs, arcs, 1, marks)
    found = device.download(marks, np.int32, runs * arcs).reshape(runs, -1)
    return Column.of_parts([np.flatnonzero(row) for row in found])


def picked(device: Device, n: int, weight: Any, vertices: Column) -> Column:
    """Return the integer weights (uint64 device buffer, shape (n,)) of some vertices, fetched when needed."""

    def fetch() -> npt.NDArray[np.uint64]:
        with device.alone():
            values: npt.NDArray[np.uint64] = device.download(weight, np.uint64, n)
        return values[vertices.values]

    return Column(vertices.offset, fetch)


def program(device: Device) -> Program:
    """Return the kernels that list."""
    met = LAUNCH.of(device).met
    return device.program(KERNELS, ITEMS=device.tuning.items, BLOCK=met)
