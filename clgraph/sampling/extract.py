"""A run's sample as a graph on the device, from what the run left there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.compact import arcs_of_view, compact, prepare, those_of
from clgraph.csr.parts import Chosen, DeviceCSR, Parts
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import Place, graph_of, parts_of, upload_csr
from clgraph.graph import Graph, build_csr
from clgraph.graph.building import INT32_MAX
from clgraph.lazy import lazy
from clgraph.sampling.marks import LeftThere
from clgraph.sampling.result import SomeLeft, extract

if TYPE_CHECKING:
    from clgraph.device import Device


def extract_sample(device: Device, graph: Graph, left: SomeLeft, larger: Graph | None = None) -> Graph:
    """The sample of a graph.

    On devices that build no kernels it is made on the host; the arrays are the same.

    Parameters
    ----------
    device : Device
    graph : Graph
    left : SomeLeft
    larger : Graph, optional
        A larger sample of the same run: a smaller one with all edges among its vertices comes out of it.
    """
    if isinstance(left, Contracted):
        return extract_contracted(device, graph, left)
    if not isinstance(left, LeftThere) or not device.has_compiler:
        return extract(graph, left.vertices, left.arcs)[0]
    if larger is not None and left.live_arcs is None:
        parts, whole = parts_of(device, larger), parts_of(device, graph)
        if isinstance(parts.ids, Chosen) and not isinstance(
            whole.ids, Chosen
        ):  # they name `graph`'s vertices
            live = those_of(device, parts.rows, parts.ids, left.live)
            return graph_of(device, compact(device, parts, live))
    if not graph.directed:
        simple = graph.simple
        return graph_of(device, compact(device, parts_of(device, simple), left.live, left.live_arcs))
    arcs: Any = None
    rows = upload_csr(device, graph)
    if left.live_arcs is not None:
        arcs = arcs_of_view(device, rows, left.csr, left.live_arcs, copies=graph.undirected.has_copies)
    return graph_of(device, compact(device, parts_of(device, graph), left.live, arcs, loops=False))


def prepare_extraction(device: Device, graph: Graph, *, induced: bool) -> None:
    """Build the kernels of `extract_sample` before a clock sees it; `induced`: for samples that are."""
    if device.has_compiler:
        rows = upload_csr(device, graph if graph.directed else graph.simple)
        prepare(device, rows, induced=induced and not (graph.directed and graph.num_self_loops))


# --- What a contraction leaves, and the contracted graph with the weights and ids of the original ---


class Contracted(LeftThere):
    """What a contraction leaves; `arcs` has both arcs of the smallest edge between each pair of groups.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
        Rows of ``graph.undirected.simple``.
    live_arcs : uint8 device buffer, shape (arcs,)
    group_of : int32 device buffer, shape (n,)
    parts : Parts
        The contracted graph without weights; its vertices are named by indices, its multiplicities are those
        of the contracted view.
    """

    def __init__(self, device: Device, csr: DeviceCSR, live_arcs: Any, group_of: Any, parts: Parts) -> None:
        super().__init__(device, csr, None, live_arcs)
        self._group_of, self.parts = group_of, parts

    @lazy
    def group(self) -> npt.NDArray[np.int32]:
        """The smallest vertex of each vertex's group, -1 outside the largest component."""
        return self._device.take(self._group_of, np.int32, self.csr.n)

    @lazy
    def vertices(self) -> npt.NDArray[np.bool_]:
        """Which vertices are the smallest of their group."""
        return self.group == np.arange(self.csr.n, dtype=np.int32)


def extract_contracted(device: Device, graph: Graph, left: Contracted) -> Graph:
    """The sample of a contraction as a graph.

    A vertex for every group, with the id of the group's smallest vertex. Parallel edges are merged: weights
    and counts are summed. Edges inside a group are gone. Of a directed graph, the arcs between groups. Where
    there are weights or directions, the host adds up.
    """
    chosen = left.parts.ids
    assert isinstance(chosen, Chosen)
    if graph is graph.undirected and not graph.is_weighted and _counts_fit(device, graph):
        ids = parts_of(device, graph).ids
        of = ids.ids(device) if isinstance(ids, Chosen) else ids  # names of names
        chosen = replace(chosen, of=of)
        return graph_of(device, replace(left.parts, ids=chosen))
    group, vertices = left.group, left.vertices
    roots = np.flatnonzero(vertices)
    number = np.cumsum(vertices, dtype=np.int32) - np.int32(1)
    tail, head = graph.rows, graph.col_idx
    there = (group[tail] != group[head]) & (group[tail] >= 0)  # no arc leaves the component
    if not graph.directed:
        there &= tail < head
    return build_csr(
        number[group[tail[there]]],
        number[group[head[there]]],
        len(roots),
        weights=None if graph.weights is None else graph.weights[there],
        multiplicity=None if graph.multiplicity is None else graph.multiplicity[there],
        ids=roots if graph.has_identity_ids else graph.ids[roots],
        directed=graph.directed,
    )


def _counts_fit(device: Device, graph: Graph) -> bool:
    """Whether no sum of the graph's counts can exceed what the device adds up in 32 bits."""
    counts = Place.of(device, graph).column(graph, "multiplicity")
    if counts is None:
        return True
    total = device.download(running_sums(device, counts, graph.num_arcs), np.int64, 1, offset=graph.num_arcs)
    return int(total[0]) <= INT32_MAX
