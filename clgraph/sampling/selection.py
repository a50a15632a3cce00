"""Selections of runs out of a graph, and samples as graphs.

Host half of ``cl/sampling/marks.cl`` and ``packed.cl``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.compact import arcs_of_view, compact, prepare, those_of
from clgraph.csr.device_csr import DeviceCSR, Joined, SelectedIds
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import device_graph, graph_of, upload_csr
from clgraph.graph import Graph, build_csr
from clgraph.graph.building import exclusive_sums, stable_argsort
from clgraph.graph.views import some_vertices
from clgraph.lazy import lazy

if TYPE_CHECKING:
    from clgraph.device import Device

Mask = npt.NDArray[np.bool_]


class Selection:
    """Selection of runs out of a graph; it may stay on a device until it is accessed.

    `at` says which of them: a run, or a run and the number of a target. This one chose nothing, and has no
    columns.

    Attributes
    ----------
    request : Request, or None
        Of the samplers of the literature: what was asked for.
    came, cut, arcs, parent, visits, reservoirs, more
        Columns: see `clgraph.sampling.literature.selection.Drawn`.
    dataset : Shards or None
        A sample of a dataset that was written as a dataset.
    counts : int32 array, shape (runs, targets, 3), or None
        Of runs side by side, whose `at` is (run, target's number): vertices, edges, and batches or probes.
    whole : int
        Of the same: vertices of the graph's largest component.
    among_several : bool
        Whether there are several runs of a sampler of the literature.
    """

    request: Any = None
    came: Any = None
    cut: Any = None
    arcs: Any = None
    parent: Any = None
    visits: Any = None
    reservoirs: Any = None
    dataset: Any = None
    more: Mapping[str, Any] = {}
    counts: Any = None
    whole = 0
    among_several = False

    def members(self, graph: Graph, at: Any = 0) -> Mask:
        """Mask of the chosen vertices, shape (n,)."""
        raise NotImplementedError

    def arc_mask(self, graph: Graph, at: Any = 0) -> Mask:
        """Mask of the chosen arcs of ``graph.undirected.without_self_loops``."""
        raise NotImplementedError

    def counts_of(self, at: Any = 0) -> tuple[int, int] | None:
        """Vertices and edges (pairs, of a directed graph) of a sample; None if it has to be looked at."""
        if self.counts is None:
            return None
        vertices, edges, _ = self.counts[at].tolist()
        return vertices, edges

    def groups(self, at: Any = 0) -> Any:
        """Smallest vertex of each vertex's group (contractions); -1 outside the largest component."""
        return None

    def index(self, graph: Graph, at: Any = 0) -> npt.NDArray[np.int64]:
        """The vertices chosen, ascending."""
        return np.flatnonzero(self.members(graph, at))

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
        return extract(graph, self.members(graph, at), self.arc_mask(graph, at))

    def download(self) -> None:
        """Bring it to the host."""

    def leave(self) -> None:
        """Give back what it has of the device's memory."""
        self.download()

    def joined(self, device: Device, graph: Graph, which: list[Any]) -> list[tuple[list[int], Joined]]:
        """Some samples as undirected graphs on a device, where they are cut out together.

        Each part comes with the places in `which` of the samples that it has, in order; some or all may be
        left out.
        """
        return []


class Marked(Selection):
    """The selection of one run: a byte for each vertex, and for each arc where it is not induced.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
        Rows of ``graph.undirected.without_self_loops``.
    vertices : uint8 device buffer, shape (n,), optional
        1 for each vertex chosen. It belongs to this object from now on, as does `live_arcs`.
    arcs : uint8 device buffer, shape (arcs,), optional
        1 for each arc chosen; None: those between vertices chosen.
    """

    def __init__(self, device: Device, csr: DeviceCSR, vertices: Any = None, arcs: Any = None) -> None:
        self.device, self.csr, self.live, self.live_arcs = device, csr, vertices, arcs

    @lazy
    def _members(self) -> Mask:
        return self.device.download(self.live, np.uint8, self.csr.n).view(np.bool_)

    @lazy
    def _kept(self) -> Mask:
        device, csr = self.device, self.csr
        with device.alone():
            marks = self.live_arcs
            if marks is None:
                marks = device.output(csr.arcs, np.uint8)
                marks_program(device, csr).exact_induced_arcs(
                    -(-csr.n // device.tuning.items),
                    n=csr.n,
                    row_ptr=csr.row_ptr,
                    col_idx=csr.col_idx,
                    live_vertices=self.live,
                    live=marks,
                )
            return device.take(marks, np.uint8, csr.arcs).view(np.bool_)

    def members(self, graph: Graph, at: Any = 0) -> Mask:
        return self._members

    def arc_mask(self, graph: Graph, at: Any = 0) -> Mask:
        return self._kept

    def sampled(self, graph: Graph, at: Any = 0, larger: Graph | None = None) -> Graph:
        device, live, live_arcs = self.device, self.live, self.live_arcs
        if not device.has_compiler:
            return super().sampled(graph, at)
        if larger is not None and live_arcs is None:
            parts, whole = device_graph(device, larger), device_graph(device, graph)
            if isinstance(parts.ids, SelectedIds) and not isinstance(
                whole.ids, SelectedIds
            ):  # they name `graph`'s vertices
                live = those_of(device, parts.rows, parts.ids, live)
                return graph_of(device, compact(device, parts, live))
        if not graph.directed:
            return graph_of(
                device, compact(device, device_graph(device, graph.without_self_loops), live, live_arcs)
            )
        rows = upload_csr(device, graph)
        if live_arcs is not None:
            copies = graph.undirected.is_multigraph
            live_arcs = arcs_of_view(device, rows, self.csr, live_arcs, copies=copies)
        return graph_of(device, compact(device, device_graph(device, graph), live, live_arcs, loops=False))


def component_marks(device: Device, csr: DeviceCSR, label: Any, root: int) -> Any:
    """Mark the vertices labelled `root` in an int32 buffer: a new uint8 device buffer, shape (n,)."""
    live = device.empty(csr.n, np.uint8)
    program, over = marks_program(device, csr), -(-csr.n // device.tuning.items)
    program.exact_live_vertices(over, n=csr.n, label=label, root=root, live=live)
    return live


def marks_program(device: Device, csr: DeviceCSR) -> Any:
    """The kernels that mark vertices and arcs."""
    return device.program("sampling/marks", ITEMS=device.tuning.items, **csr.defines)


def prepare_extraction(device: Device, graph: Graph, *, induced: bool) -> None:
    """Build the kernels of `Marked.sampled` before a clock sees it; `induced`: for samples that are."""
    if device.has_compiler:
        rows = upload_csr(device, graph if graph.directed else graph.without_self_loops)
        prepare(device, rows, induced=induced and not (graph.directed and graph.num_self_loops))


# --- What a contraction leaves, and the contracted graph with the weights and ids of the original ---


class Contracted(Selection):
    """Selection of contractions, as the group of each vertex; the host adds up what it makes of them."""

    def members(self, graph: Graph, at: Any = 0) -> Mask:
        return roots_of(self.groups(at))

    def arc_mask(self, graph: Graph, at: Any = 0) -> Mask:
        return joining_arcs(graph.undirected.without_self_loops, self.groups(at))

    def sampled(self, graph: Graph, at: Any = 0, larger: Graph | None = None) -> Graph:
        """A vertex for every group, with the id of the group's smallest vertex.

        Parallel edges are merged: weights and counts are summed. Edges inside a group are gone. Of a directed
        graph, the arcs between groups.
        """
        group = self.groups(at)
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


# --- Samples of several runs as bits: host half of ``cl/sampling/packed.cl`` ---

Bits = npt.NDArray[np.uint32]
# arcs that are cut out together: offsets of 32 bits, and a gigabyte of indices at most
TOGETHER = 1 << 28


class DeviceArray:
    """An array on the device that made it until it is looked at.

    Parameters
    ----------
    device : Device
    buffer : `Device.output` buffer
    shape : tuple of int
    dtype : type
        Bits are uint32 words; groups are int32.
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
        self._shape, self._dtype = shape, dtype
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
            found = made[0].take(made[1], self._dtype, prod(self._shape)).reshape(self._shape)
        self.__dict__.setdefault("array", found)
        self._on_device = None
        return found

    def on(self, device: Device) -> Any:
        """Return the array in a buffer on a device."""
        made = self._on_device
        return made[1] if made is not None and made[0] is device else device.upload(self.array)

    def __getstate__(self) -> dict[str, Any]:
        return {"array": self.array, "_on_device": None, "_shape": self._shape, "_dtype": self._dtype}


@dataclass(frozen=True)
class Bitsets(Selection):
    """Selections of runs as bits.

    Attributes
    ----------
    member : uint32 words, shape (runs, targets, ceil(n / 32))
        A bit for each vertex; targets decrease.
    edges : uint32 words, shape (runs, targets, ceil(m / 32)), or None
        A bit for each edge u < v; None: the edges between members.
    counts, whole
        See `Selection`.
    """

    member: DeviceArray
    edges: DeviceArray | None
    counts: npt.NDArray[np.int32]
    whole: int

    def download(self) -> None:
        for words in (self.member, self.edges):
            if words is not None:
                words.array  # noqa: B018

    def members(self, graph: Graph, at: Any = (0, 0)) -> Mask:
        return unpacked(self.member.array[at], graph.num_vertices)

    def arc_mask(self, graph: Graph, at: Any = (0, 0)) -> Mask:
        simple = graph.undirected.without_self_loops
        if self.edges is not None:
            return both_arcs(simple, unpacked(self.edges.array[at], simple.num_edges))
        members = self.members(graph, at)
        arcs = np.repeat(members, simple.degrees)
        arcs &= members[simple.col_idx]
        return arcs

    def joined(
        self, device: Device, graph: Graph, which: list[tuple[int, int]]
    ) -> list[tuple[list[int], Joined]]:
        simple = graph.undirected.without_self_loops
        if simple.is_multigraph or not device.has_compiler:
            return []
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


def cut_out(device: Device, graph: Graph, chosen: Bitsets, which: list[tuple[int, int]]) -> Joined:
    """Samples as graphs on a device; does not wait.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected and simple.
    chosen : Bitsets
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
    member = chosen.member.on(device)
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
