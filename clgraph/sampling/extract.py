"""A run's sample as a graph on the device, from what the run left there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clgraph.csr.compact import arcs_of_view, compact, prepare, those_of
from clgraph.csr.parts import Chosen
from clgraph.csr.upload import graph_of, parts_of, upload_csr
from clgraph.graph import Graph
from clgraph.sampling.contracted import Contracted, extract_contracted
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
