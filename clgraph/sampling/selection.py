"""What runs chose of a graph, and samples as graphs; host half of ``cl/sampling/marks.cl``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.compact import arcs_of_view, compact, prepare, those_of
from clgraph.csr.parts import Chosen, DeviceCSR, Joined, Parts
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import Place, graph_of, parts_of, upload_csr
from clgraph.graph import Graph, build_csr
from clgraph.graph.building import INT32_MAX
from clgraph.graph.views import some_vertices
from clgraph.lazy import lazy

if TYPE_CHECKING:
    from clgraph.device import Device

Mask = npt.NDArray[np.bool_]


class Selection:
    """What runs chose of a graph; it may stay on a device until it is looked at.

    `at` says which of them: a run, or a run and the number of a target. This one chose nothing, and has no
    columns.

    Attributes
    ----------
    wish : Wish, or None
        Of the samplers of the literature: what was asked for.
    came, cut, arcs, parent, visits, held, more
        Columns: see `clgraph.sampling.literature.selection.Drawn`.
    dataset : Shards or None
        A sample of a dataset that was written as a dataset.
    among_several : bool
        Whether there are several runs of a sampler of the literature.
    needs_device : bool
        Whether samples of it can be made only where its device is.
    """

    wish: Any = None
    came: Any = None
    cut: Any = None
    arcs: Any = None
    parent: Any = None
    visits: Any = None
    held: Any = None
    dataset: Any = None
    more: Mapping[str, Any] = {}
    among_several = False
    needs_device = False

    def members(self, graph: Graph, at: Any = 0) -> Mask:
        """Which vertices of the graph are chosen, shape (n,)."""
        raise NotImplementedError

    def kept(self, graph: Graph, at: Any = 0) -> Mask:
        """Which arcs of ``graph.undirected.without_self_loops`` are chosen."""
        raise NotImplementedError

    def counts_of(self, at: Any = 0) -> tuple[int, int] | None:
        """Vertices and edges (pairs, of a directed graph) of a sample; None if it has to be looked at."""
        return None

    def groups(self, at: Any = 0) -> npt.NDArray[np.int32] | None:
        """Of contractions: the smallest vertex of each vertex's group; -1 outside the largest component."""
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
        return extract(graph, self.members(graph, at), self.kept(graph, at))[0]

    def download(self) -> None:
        """Bring it to the host."""

    def joined(self, device: Device, graph: Graph, which: list[Any]) -> list[tuple[list[int], Joined]]:
        """Some samples as undirected graphs on a device, where they are cut out together.

        Each piece comes with the places in `which` of the samples that it has, in order; some or all may be
        left out.
        """
        return []


class Marked(Selection):
    """What one run chose: a byte for each vertex on the device, and one for each arc where it is not induced.

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

    def kept(self, graph: Graph, at: Any = 0) -> Mask:
        return self._kept

    def sampled(self, graph: Graph, at: Any = 0, larger: Graph | None = None) -> Graph:
        device, live, live_arcs = self.device, self.live, self.live_arcs
        if not device.has_compiler:
            return super().sampled(graph, at)
        if larger is not None and live_arcs is None:
            parts, whole = parts_of(device, larger), parts_of(device, graph)
            if isinstance(parts.ids, Chosen) and not isinstance(
                whole.ids, Chosen
            ):  # they name `graph`'s vertices
                live = those_of(device, parts.rows, parts.ids, live)
                return graph_of(device, compact(device, parts, live))
        if not graph.directed:
            return graph_of(
                device, compact(device, parts_of(device, graph.without_self_loops), live, live_arcs)
            )
        rows = upload_csr(device, graph)
        if live_arcs is not None:
            copies = graph.undirected.is_multigraph
            live_arcs = arcs_of_view(device, rows, self.csr, live_arcs, copies=copies)
        return graph_of(device, compact(device, parts_of(device, graph), live, live_arcs, loops=False))


class Marks:
    """Marks what a run chooses, in buffers that the next `Marked` takes over.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
        Rows of an undirected graph.
    """

    def __init__(self, device: Device, csr: DeviceCSR) -> None:
        self._device, self._csr = device, csr
        device.reserve({"live": csr.n + csr.arcs})
        marks_program(device, csr)
        self._vertices: Any = None
        self._arcs: Any = None

    @property
    def vertices(self) -> Any:
        """The marks of vertices: uint8 device buffer, shape (n,)."""
        if self._vertices is None:
            self._vertices = self._device.empty(self._csr.n, np.uint8)
        return self._vertices

    @property
    def arcs(self) -> Any:
        """The marks of arcs, to be filled: uint8 device buffer, shape (arcs,)."""
        if self._arcs is None:
            self._arcs = self._device.output(self._csr.arcs, np.uint8)
        return self._arcs

    def component(self, label: Any, root: int) -> None:
        """Mark the vertices labelled `root` in an int32 buffer."""
        n, items = self._csr.n, self._device.tuning.items
        program = marks_program(self._device, self._csr)
        program.exact_live_vertices(-(-n // items), n=n, label=label, root=root, live=self.vertices)

    def induced(self) -> None:
        """Take the arcs between marked vertices."""
        self._arcs = None

    def download(self) -> Marked:
        """What is marked; the next marks will be in other buffers."""
        if self._vertices is None:
            raise AssertionError("nothing has been marked since the last download")
        made = Marked(self._device, self._csr, self._vertices, self._arcs)
        self._vertices = self._arcs = None
        return made


def marks_program(device: Device, csr: DeviceCSR) -> Any:
    """The kernels that mark vertices and arcs."""
    return device.program("sampling/marks", ITEMS=device.tuning.items, **csr.defines)


def prepare_extraction(device: Device, graph: Graph, *, induced: bool) -> None:
    """Build the kernels of `Marked.sampled` before a clock sees it; `induced`: for samples that are."""
    if device.has_compiler:
        rows = upload_csr(device, graph if graph.directed else graph.without_self_loops)
        prepare(device, rows, induced=induced and not (graph.directed and graph.num_self_loops))


# --- What a contraction leaves, and the contracted graph with the weights and ids of the original ---


class Contracted(Marked):
    """What a contraction chose; the arcs are both of the smallest edge between each pair of groups.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
        Rows of ``graph.undirected.without_self_loops``.
    arcs : uint8 device buffer, shape (arcs,)
    group_of : int32 device buffer, shape (n,)
    parts : Parts
        The contracted graph without weights; its vertices are named by indices, its multiplicities are those
        of the contracted view.
    """

    def __init__(self, device: Device, csr: DeviceCSR, arcs: Any, group_of: Any, parts: Parts) -> None:
        super().__init__(device, csr, None, arcs)
        self._group_of, self._parts = group_of, parts

    @lazy
    def _groups(self) -> npt.NDArray[np.int32]:
        return self.device.take(self._group_of, np.int32, self.csr.n)

    def counts_of(self, at: Any = 0) -> tuple[int, int] | None:
        """Vertices and edges (pairs, of a directed graph) of a sample; None if it has to be looked at."""
        return None

    def groups(self, at: Any = 0) -> npt.NDArray[np.int32]:
        return self._groups

    def members(self, graph: Graph, at: Any = 0) -> Mask:
        return roots_of(self._groups)

    def sampled(self, graph: Graph, at: Any = 0, larger: Graph | None = None) -> Graph:
        """A vertex for every group, with the id of the group's smallest vertex.

        Parallel edges are merged: weights and counts are summed. Edges inside a group are gone. Of a directed
        graph, the arcs between groups. Where there are weights or directions, the host adds up.
        """
        device, chosen = self.device, self._parts.ids
        assert isinstance(chosen, Chosen)
        if graph is graph.undirected and not graph.is_weighted and _counts_fit(device, graph):
            ids = parts_of(device, graph).ids
            of = ids.ids(device) if isinstance(ids, Chosen) else ids  # names of names
            return graph_of(device, replace(self._parts, ids=replace(chosen, of=of)))
        group, vertices = self._groups, roots_of(self._groups)
        roots = np.flatnonzero(vertices)
        number = np.cumsum(vertices, dtype=np.int32) - np.int32(1)
        tail, head = graph.tails, graph.col_idx
        there = (group[tail] != group[head]) & (group[tail] >= 0)  # no arc leaves the component
        if not graph.directed:
            there &= tail < head
        return build_csr(
            number[group[tail[there]]],
            number[group[head[there]]],
            len(roots),
            weights=None if graph.weights is None else graph.weights[there],
            multiplicity=None if graph.multiplicity is None else graph.multiplicity[there],
            ids=roots if graph._has_identity_ids else graph.ids[roots],
            directed=graph.directed,
        )


def roots_of(group: npt.NDArray[np.int32]) -> Mask:
    """Which vertices are the smallest of their group."""
    found: Mask = group == np.arange(len(group), dtype=np.int32)
    return found


def _counts_fit(device: Device, graph: Graph) -> bool:
    """Whether no sum of the graph's counts can exceed what the device adds up in 32 bits."""
    counts = Place.of(device, graph).column(graph, "multiplicity")
    if counts is None:
        return True
    total = device.download(running_sums(device, counts, graph.num_arcs), np.int64, 1, offset=graph.num_arcs)
    return int(total[0]) <= INT32_MAX


# --- By NumPy: on devices that build no kernels, and of samples that are kept as bits ---


def with_loops(view: Graph, arcs: Mask) -> Mask:
    """The arcs of a graph that a mask of the arcs of ``graph.without_self_loops`` stands for."""
    if not view.num_self_loops:
        return arcs
    kept = view.tails != view.col_idx
    kept[kept] = arcs
    return kept


def extract(graph: Graph, live_vertices: Mask, live_arcs: Mask) -> tuple[Graph, Mask]:
    """The sample as a graph, and which arcs of ``graph.undirected`` are in it; by NumPy, from masks.

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
        return Graph._from_arrays(some_vertices(graph._arrays, live_vertices, kept)), kept
    arcs = kept[_place_in_view(graph, view)] & (graph.tails != graph.col_idx)
    return Graph._from_arrays(some_vertices(graph._arrays, live_vertices, arcs)), kept


def _place_in_view(graph: Graph, view: Graph) -> npt.NDArray[np.int64]:
    """The arc of the undirected view, in the same tail's row, that each arc of a directed graph became."""
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
