"""Selections of runs out of a graph, and samples as graphs.

Host half of ``cl/sampling/marks.cl`` and ``packed.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.csr.compact import arcs_of_view, compact, prepare, those_of
from clgraph.csr.device_csr import DeviceCSR, DeviceGraph, Joined, SelectedIds
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import Residence, device_graph, graph_of, upload_csr
from clgraph.graph import Graph, build_csr
from clgraph.graph.building import INT32_MAX, exclusive_sums, stable_argsort
from clgraph.graph.views import some_vertices
from clgraph.lazy import lazy
from clgraph.sampling.literature.selection import KERNELS, marked
from clgraph.sampling.literature.smallest import Column

if TYPE_CHECKING:
    from clgraph.device import Device

Bits = npt.NDArray[np.uint32]
Mask = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]


class DeviceArray:
    """An array on the device that made it until it is looked at.

    Parameters
    ----------
    device : Device
    buffer : `Device.output` buffer
    shape : tuple of int
    dtype : type
        Bits are uint32 words, marks uint8; groups are int32.
    now : bool
        Whether the host takes a buffer that it shares at once.
    """

    def __init__(
        self,
        device: Device,
        buffer: Any,
        shape: tuple[int, ...],
        dtype: type = np.uint32,
        *,
        now: bool = True,
    ) -> None:
        self._on_device: tuple[Device, Any] | None = (device, buffer)
        self._shape, self.dtype = shape, np.dtype(dtype)
        if now and device.shares_memory:  # the buffer is a host array already
            self.array = device.take(buffer, dtype, prod(shape)).reshape(shape)
            self._on_device = None

    @lazy
    def array(self) -> npt.NDArray[Any]:
        """Array on the host; the device's memory is given back."""
        made = self._on_device
        if made is None:  # another thread was faster
            return self.array
        with made[0].alone():
            if "array" in self.__dict__:
                return self.array
            found = made[0].take(made[1], self.dtype, prod(self._shape)).reshape(self._shape)
        self.__dict__.setdefault("array", found)
        self._on_device = None
        return found

    @classmethod
    def of(cls, array: npt.NDArray[Any]) -> DeviceArray:
        """Return an array that is on the host."""
        made = cls.__new__(cls)
        vars(made).update(array=array, _on_device=None, _shape=array.shape, dtype=array.dtype)
        return made

    def on(self, device: Device) -> Any:
        """Return the array in a buffer on a device."""
        made = self._on_device
        return made[1] if made is not None and made[0] is device else device.upload(self.array)

    def __getstate__(self) -> dict[str, Any]:
        return {"array": self.array, "_on_device": None, "_shape": self._shape, "dtype": self.dtype}


@dataclass(frozen=True, eq=False)
class Selection:
    """Selection of runs out of a graph; it stays on a device until it is looked at.

    A method has the parts that it needs. `at` says which sample is meant: a run, or a run and the number of
    a target. Vertices are listed, or marked by bits or bytes; the edges of a sample are those among its
    vertices unless `arcs`, `edges`, `cut_off` or `group` say otherwise.

    Attributes
    ----------
    vertices : Column of int32, or DeviceArray
        By index, ascending in each run; empty where only arcs are listed: the sample's vertices are then
        the ends of its arcs. Or uint32 words, shape (runs, targets, ceil(n / 32)), a bit for each vertex;
        targets decrease. Or uint8, shape (1, n): 1 for each vertex chosen.
    came : Column of unsigned integers, or None
        When each vertex came; ties go by index, and within a stage by priority.
    cut : uint64 array, shape (runs,), or None
        Only of races: the key of the first item left out, NONE where none was.
    arcs : Column, or None
        Places of the edges drawn in the rows of the request's view, at the smaller end.
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
    request : Request, or None
        Of the samplers of the literature: what was asked for.
    device : Device, or None
        Where marks and groups were made.
    edges : DeviceArray, or None
        uint32 words, shape (runs, targets, ceil(m / 32)): a bit for each edge u < v. Or uint8, shape
        (1, arcs): 1 for each arc chosen.
    cut_off : (int, int, int), or None
        dre, from the forest: the seed, and time and word of the last deletion; only later edges are chosen.
    group : tuple of DeviceArray, each of int32, shape (runs, n)
        Contractions, for each target, decreasing: the smallest vertex of each vertex's group; -1 outside the
        largest component.
    graphs : list of Joined
        Contracted graphs of runs side by side, for each target; empty once `leave` was called.
    parts : DeviceGraph, or None
        The contracted graph of a single run without weights; its vertices are named by indices, its
        multiplicities are those of the contracted view.
    counts : integer array, shape (runs, targets, 3) or (runs, 3), or None
        Vertices, edges (pairs, of a directed graph), and batches or probes of each sample.
    whole : int
        Of runs side by side: vertices of the graph's largest component.
    dataset : Shards or None
        A sample of a dataset that was written as a dataset.
    """

    vertices: Any = None
    came: Column | None = None
    cut: npt.NDArray[np.uint64] | None = None
    arcs: Column | None = None
    parent: Column | None = None
    visits: Column | None = None
    more: dict[str, Column] = field(default_factory=dict)
    notes: list[tuple[str, ...]] = field(default_factory=list)
    rounds: Places | None = None
    reservoirs: list[Any] | None = None
    walking: float = 0.0
    request: Any = None
    device: Any = None
    edges: DeviceArray | None = None
    cut_off: tuple[int, int, int] | None = None
    group: tuple[DeviceArray, ...] = ()
    graphs: list[Joined] = field(default_factory=list)
    parts: DeviceGraph | None = None
    counts: Any = None
    whole: int = 0
    dataset: Any = None

    def __getstate__(self) -> dict[str, Any]:
        # graphs are for measures on their device, and there may be none where it is unpickled
        return {**vars(self), "device": None, "graphs": [], "parts": None}

    @property
    def among_several(self) -> bool:
        """True if it has several runs of a sampler of the literature."""
        return isinstance(self.vertices, Column) and len(self.vertices.offset) > 2

    @property
    def _by_ends(self) -> bool:
        """True if the vertices are the ends of the edges."""
        return self.request is not None and self.request.kind == "edges" and self.request.target is None

    def counts_of(self, at: Any = 0) -> tuple[int, int] | None:
        """Vertices and edges (pairs, of a directed graph) of a sample; None if it has to be looked at."""
        if self.counts is None:
            return None
        vertices, edges, _ = self.counts[at].tolist()
        return vertices, edges

    # --- on the host ------------------------------------------------------------------------------

    def groups(self, at: Any = 0) -> npt.NDArray[np.int32] | None:
        """Smallest vertex of each vertex's group (contractions); -1 outside the largest component."""
        if not self.group:
            return None
        run, slot = at if isinstance(at, tuple) else (at, 0)
        found: npt.NDArray[np.int32] = self.group[slot].array[run]
        return found

    def index(self, graph: Graph, at: Any = 0) -> Places:
        """The vertices chosen, ascending."""
        if self._by_ends:
            tails, heads, _ = self.ends(at)
            return np.unique(np.concatenate((tails, heads)))
        if isinstance(self.vertices, Column):
            return self.vertices.of(at).astype(np.int64)
        return np.flatnonzero(self.members(graph, at))

    def members(self, graph: Graph, at: Any = 0) -> Mask:
        """Mask of the chosen vertices, shape (n,)."""
        group, n = self.groups(at), graph.num_vertices
        if group is not None:
            return roots_of(group)
        if isinstance(self.vertices, DeviceArray):
            return as_mask(self.vertices.array[at], n)
        inside = np.zeros(n, bool)
        inside[self.index(graph, at)] = True
        return inside

    def arc_mask(self, graph: Graph, at: Any = 0) -> Mask:
        """Mask of the chosen arcs of ``graph.undirected.without_self_loops``."""
        simple, group = graph.undirected.without_self_loops, self.groups(at)
        if self.edges is not None:
            found = self.edges.array[at]
            bytes_, edges = found.dtype == np.uint8, as_mask(found, simple.num_edges)
            return edges if bytes_ else both_arcs(simple, edges)
        if group is not None:
            return joining_arcs(simple, group)
        marks = self.marks(graph, at)
        if marks is None:
            return self.arc_mask_on_host(graph, at)
        device, live, arcs = marks
        with device.alone():
            if arcs is None:
                csr = upload_csr(device, simple)
                arcs = device.output(csr.arcs, np.uint8)
                over, rows = -(-csr.n // device.tuning.items), csr.buffers
                marks_program(device, csr).exact_induced_arcs(
                    over, n=csr.n, **rows, live_vertices=live, live=arcs
                )
            # a buffer of marks may have up to three bytes more, which kernels that set words need
            mask: Mask = device.take(arcs, np.uint8, simple.num_arcs)[: simple.num_arcs].view(np.bool_)
        return mask

    def arc_mask_on_host(self, graph: Graph, at: Any) -> Mask:
        """Compute `arc_mask` by NumPy."""
        simple = graph.undirected.without_self_loops
        if self.request is None or self.request.keep == "induced":
            inside = self.members(graph, at)
            live: Mask = np.repeat(inside, np.diff(simple.row_ptr))
            live &= inside[simple.col_idx]
            if self.cut_off is not None:
                some = np.flatnonzero(live)
                live[some] = later(simple.tails[some], simple.col_idx[some], *self.cut_off)
            return live
        arcs = self._edge_arcs(graph, at)
        pairs = _pairs(simple.tails, simple.col_idx)
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
            made: Places = np.searchsorted(
                _pairs(simple.tails, simple.col_idx), (index[some] << 32) | parent[some]
            )
            return made
        tails, heads, arcs = self.ends(at)
        if self.request.kind == "edges":
            return arcs
        return arcs[np.isin(tails, index) & np.isin(heads, index)]

    # --- on the device ----------------------------------------------------------------------------

    def download(self) -> None:
        """Bring runs side by side to the host."""
        if self.counts is not None:
            for each in (self.vertices, self.edges, *self.group):
                if isinstance(each, DeviceArray):
                    each.array  # noqa: B018

    def leave(self) -> None:
        """Give back what it has of the device's memory."""
        self.download()
        self.graphs.clear()

    def marks(self, graph: Graph, at: Any) -> tuple[Device, Any, Any] | None:
        """Return a run as marks on its device: bytes for vertices, and for arcs (None: the induced ones).

        None if it is bits, or no longer on the device, or that builds no kernels.
        """
        if self.request is None:
            device, live = self.device, self.vertices
            if not isinstance(live, DeviceArray) or live.dtype != np.uint8 or device is None:
                return None
            return device, live.on(device), None if self.edges is None else self.edges.on(device)
        request, listed = self.request, self.vertices.device_column
        simple, whole = graph.undirected.without_self_loops, request.kind == "chordal"
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
                return device, marked(listed, simple.num_vertices, at), None
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
            return device, live, None if induced else mark

    def joined(self, device: Device, graph: Graph, which: list[Any]) -> list[tuple[list[int], Joined]]:
        """Some samples as undirected graphs on a device, where they are cut out together.

        Each part comes with the places in `which` of the samples that it has, in order; some or all may be
        left out.
        """
        made = []
        if self.group:
            for slot, each in enumerate(self.graphs if device is self.device else []):
                some = [k for k, at in enumerate(which) if at[1] == slot]
                # all of a target's, as they lie in the rows
                if [which[k][0] for k in some] == list(range(len(self.counts))):
                    made.append((some, each))
            return made
        simple = graph.undirected.without_self_loops
        if not self.whole or simple.is_multigraph or not device.has_compiler:
            return made
        parts: list[list[int]] = []
        room = 0
        for k, at in enumerate(which):
            arcs = 2 * int(self.counts[at][1])
            room -= arcs
            if room < 0 or not parts:
                parts.append([])
                room = TOGETHER - arcs
            parts[-1].append(k)
        return [(some, cut_out(device, simple, self, [which[k] for k in some])) for some in parts]

    # --- as a graph -------------------------------------------------------------------------------

    def sampled(self, graph: Graph, at: Any = 0, larger: Graph | None = None) -> Graph:
        """The sample as a graph.

        Parameters
        ----------
        graph : Graph
            The original.
        at
        larger : Graph, optional
            A larger sample of the same run: one with all edges among its vertices may come out of it.
        """
        if self.group:
            return self._contracted(graph, at)
        marks = self.marks(graph, at)
        if marks is None or not marks[0].has_compiler:
            return extract(graph, self.members(graph, at), self.arc_mask(graph, at))
        device, live, live_arcs = marks
        with device.alone():
            if larger is not None and live_arcs is None:
                parts, whole = device_graph(device, larger), device_graph(device, graph)
                if isinstance(parts.ids, SelectedIds) and not isinstance(
                    whole.ids, SelectedIds
                ):  # they name `graph`'s vertices
                    live = those_of(device, parts.rows, parts.ids, live)
                    return graph_of(device, compact(device, parts, live))
            if not graph.directed:
                original = device_graph(device, graph.without_self_loops)
                return graph_of(device, compact(device, original, live, live_arcs))
            rows = upload_csr(device, graph)
            if live_arcs is not None:
                view = graph.undirected
                of_view = upload_csr(device, view.without_self_loops)
                live_arcs = arcs_of_view(device, rows, of_view, live_arcs, copies=view.is_multigraph)
            return graph_of(
                device, compact(device, device_graph(device, graph), live, live_arcs, loops=False)
            )

    def _contracted(self, graph: Graph, at: Any) -> Graph:
        """A vertex for every group, with the id of the group's smallest vertex.

        Parallel edges are merged: weights and counts are summed. Edges inside a group are gone. Of a directed
        graph, the arcs between groups.
        """
        device, parts = self.device, self.parts
        if (
            parts is not None
            and graph is graph.undirected
            and not graph.is_weighted
            and counts_fit(device, graph)
        ):
            ids = device_graph(device, graph).ids
            of = ids.ids(device) if isinstance(ids, SelectedIds) else ids  # names of names
            assert isinstance(parts.ids, SelectedIds)
            return graph_of(device, replace(parts, ids=replace(parts.ids, of=of)))
        group = self.groups(at)
        assert group is not None
        vertices = roots_of(group)
        roots = np.flatnonzero(vertices)
        number = np.cumsum(vertices, dtype=np.int32) - np.int32(1)
        tail, head = graph.tails, graph.col_idx
        between = (group[tail] != group[head]) & (group[tail] >= 0)  # no arc leaves the component
        if not graph.directed:
            between &= tail < head
        return build_csr(
            number[group[tail[between]]],
            number[group[head[between]]],
            len(roots),
            weights=None if graph.weights is None else graph.weights[between],
            multiplicity=None if graph.multiplicity is None else graph.multiplicity[between],
            ids=roots if graph._has_identity_ids else graph.ids[roots],
            directed=graph.directed,
        )


def component_marks(device: Device, csr: DeviceCSR, label: Any, root: int) -> Any:
    """Mark the vertices labelled `root` in an int32 buffer: a new uint8 device buffer, shape (n,)."""
    live = device.empty(csr.n, np.uint8)
    program, over = marks_program(device, csr), -(-csr.n // device.tuning.items)
    program.exact_live_vertices(over, n=csr.n, label=label, root=root, live=live)
    return live


def marked_bytes(device: Device, csr: DeviceCSR, vertices: Any, arcs: Any = None) -> Selection:
    """Return the selection of one run, marked by bytes.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
        Rows of ``graph.undirected.without_self_loops``.
    vertices : uint8 device buffer, shape (n,)
        1 for each vertex chosen. It belongs to the selection from now on, as does `arcs`.
    arcs : uint8 device buffer, shape (arcs,), optional
        1 for each arc chosen; None: those between vertices chosen.
    """
    members = DeviceArray(device, vertices, (1, csr.n), np.uint8, now=False)
    edges = None if arcs is None else DeviceArray(device, arcs, (1, csr.arcs), np.uint8, now=False)
    return Selection(members, device=device, edges=edges)


def marks_program(device: Device, csr: DeviceCSR) -> Any:
    """The kernels that mark vertices and arcs."""
    return device.program("sampling/marks", ITEMS=device.tuning.items, **csr.defines)


def prepare_extraction(device: Device, graph: Graph, *, induced: bool) -> None:
    """Build the kernels of `Selection.sampled` before a clock sees it; `induced`: for samples that are."""
    if device.has_compiler:
        rows = upload_csr(device, graph if graph.directed else graph.without_self_loops)
        prepare(device, rows, induced=induced and not (graph.directed and graph.num_self_loops))


# --- What a contraction leaves, and the contracted graph with the weights and ids of the original ---


def joining_arcs(graph: Graph, group: npt.NDArray[np.int32]) -> Mask:
    """Return both arcs of the smallest edge between each pair of groups, of an undirected graph."""
    low, high = graph.tails, graph.col_idx
    edges = np.flatnonzero(low < high)
    pairs = np.sort(np.stack((group[low[edges]], group[high[edges]])), axis=0)
    apart = np.flatnonzero((pairs[0] != pairs[1]) & (pairs[0] >= 0))
    first = np.unique(_pairs(pairs[0, apart], pairs[1, apart]), return_index=True)[1]
    chosen = np.zeros(len(edges), bool)
    chosen[apart[first]] = True
    return both_arcs(graph, chosen)


def roots_of(group: npt.NDArray[np.int32]) -> Mask:
    """Return which vertices are the smallest of their group."""
    found: Mask = group == np.arange(len(group), dtype=np.int32)
    return found


def counts_fit(device: Device, graph: Graph) -> bool:
    """True if no sum of the graph's counts can exceed what the device adds up in 32 bits."""
    counts = Residence.of(device, graph).column(graph, "multiplicity")
    if counts is None:
        return True
    total = device.download(running_sums(device, counts, graph.num_arcs), np.int64, 1, offset=graph.num_arcs)
    return int(total[0]) <= INT32_MAX


# --- Samples of several runs as bits: host half of ``cl/sampling/packed.cl`` ---

# arcs that are cut out together: offsets of 32 bits, and a gigabyte of indices at most
TOGETHER = 1 << 28


def cut_out(device: Device, graph: Graph, chosen: Selection, which: list[tuple[int, int]]) -> Joined:
    """Samples as graphs on a device; does not wait.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected and simple.
    chosen : Selection
        As bits.
    which : list of (run, target's number)
    """
    csr, items = upload_csr(device, graph), device.tuning.items
    targets, samples = chosen.counts.shape[1], len(which)
    words, edge_words = -(-csr.n // 32), -(-csr.arcs // 2 // 32)
    sizes = chosen.counts[tuple(np.array(which, np.intp).reshape(-1, 2).T)].astype(np.int64)
    begin = np.append(*exclusive_sums(sizes[:, 0]))
    arcs = np.append(*exclusive_sums(2 * sizes[:, 1]))
    n, total = int(begin[-1]), int(arcs[-1])
    device.reserve({"samples": 8 * samples * words + 8 * n + 4 * total})
    member = chosen.vertices.on(device)
    kept = None if chosen.edges is None else chosen.edges.on(device)
    of = device.upload(np.array([run * targets + slot for run, slot in which], np.int32))
    edge = None if kept is None else edge_numbers(device, graph)
    program = device.program("sampling/packed", ITEMS=items, **csr.defines)
    count = device.empty(samples * words, np.int32)
    program.packed_count((-(-words // items), samples), words=words, of=of, member=member, count=count)
    before = running_sums(device, count, samples * words, into=np.int32)
    length = device.empty(n, np.int32)
    passes = (-(-csr.n // items), samples)
    sizes_of = {"n": csr.n, "words": words, "edge_words": edge_words, "of": of}
    bits = {"edge": edge, "member": member, "kept": kept, "before": before}
    program.packed_lengths(passes, **sizes_of, **csr.buffers, **bits, length=length)
    row_ptr, col_idx = running_sums(device, length, n, into=np.int32), device.output(total, np.int32)
    program.packed_fill(passes, **sizes_of, **csr.buffers, **bits, into_ptr=row_ptr, into_idx=col_idx)
    return Joined(DeviceCSR(n, total, row_ptr, col_idx, np.int32), begin, arcs)


def edge_numbers(device: Device, graph: Graph) -> Any:
    """Return the number of each arc's edge u < v in index order, of a simple graph; cached on the device."""

    def make() -> Any:
        return device.upload(both_arcs(graph, np.arange(graph.num_edges, dtype=np.int32)))

    return device.cached(graph, "edge numbers", make)


def as_mask(marks: npt.NDArray[Any], count: int) -> Mask:
    """Return the first `count` of one sample's bits or bytes."""
    return marks.view(np.bool_) if marks.dtype == np.uint8 else unpacked(marks, count)


def unpacked(words: Bits, count: int) -> Mask:
    """Return the first `count` bits, each word's lowest one first."""
    little = words.astype("<u4", copy=False).view(np.uint8)
    return np.unpackbits(little, bitorder="little", count=count).view(np.bool_)


def both_arcs(graph: Graph, edges: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Spread values of the edges u < v (in index order) to each arc of a graph without loops."""
    tail, head = graph.tails, graph.col_idx
    upper = tail < head
    arcs = np.empty(len(head), edges.dtype)
    arcs[upper] = edges
    lower = np.flatnonzero(~upper)
    arcs[lower[stable_argsort(head[lower])]] = edges
    return arcs


# --- By NumPy: on devices that build no kernels, and of samples that are kept as bits ---


def with_loops(view: Graph, arcs: Mask) -> Mask:
    """Extend a mask of the arcs of ``graph.without_self_loops`` to the graph's own arcs."""
    if not view.num_self_loops:
        return arcs
    kept = view.tails != view.col_idx
    kept[kept] = arcs
    return kept


def extract(graph: Graph, live_vertices: Mask, live_arcs: Mask) -> Graph:
    """Return the sample as a graph, by NumPy.

    Parameters
    ----------
    graph : Graph
        The original.
    live_vertices : bool array, shape (n,)
    live_arcs : bool array
        Which arcs of ``graph.undirected.without_self_loops`` are left.
    """
    view = graph.undirected
    kept = with_loops(view, live_arcs)
    if graph is view:
        return Graph._from_arrays(some_vertices(graph._arrays, live_vertices, kept))
    arcs = kept[_place_in_view(graph, view)] & (graph.tails != graph.col_idx)
    return Graph._from_arrays(some_vertices(graph._arrays, live_vertices, arcs))


def later(
    tails: npt.NDArray[np.int32], heads: npt.NDArray[np.int32], seed: int, time: int, word: int
) -> Mask:
    """Return which edges dre deletes after the one with a time and a word."""
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    times = keyed.edge_priority(seed, low, high)
    words = low.astype(np.uint64) << np.uint64(32) | high.astype(np.uint64)
    found: Mask = (times > time) | ((times == time) & (words > word))
    return found


def _place_in_view(graph: Graph, view: Graph) -> npt.NDArray[np.int64]:
    """Return the arc of the undirected view, in the same tail's row, for each arc of a directed graph."""
    tail, head = graph.tails, graph.col_idx
    own = _pairs(tail, head)
    place = np.searchsorted(_pairs(view.tails, view.col_idx), own)
    if view.is_multigraph:
        # each arc is a separate edge; of the copies those from the smaller to the larger end come first
        back = _pairs(head, tail)
        before = np.searchsorted(own, back, side="right") - np.searchsorted(own, back)
        place += np.arange(len(own)) - np.searchsorted(own, own) + np.where(tail > head, before, 0)
    return place


def _pairs(tail: npt.NDArray[np.int32], head: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """One ascending number for each arc of an ascending CSR."""
    return (tail.astype(np.int64) << 32) | head
