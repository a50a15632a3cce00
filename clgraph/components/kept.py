"""The components of a graph on a device: its one finder, kept for it, labels, the largest component."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clgraph.components.finder import GiantFinder
from clgraph.csr.upload import DeviceCSR, upload_csr

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.run import run_on


Connection = Literal["weak", "strong"]


@dataclass(frozen=True)
class Largest:
    """The largest component of a graph.

    Attributes
    ----------
    label : int32 device buffer, shape (n,)
        The smallest vertex of each vertex's component. It belongs to the graph: read only.
    root : int
        The label of the largest component.
    size : int
        Number of its vertices.
    """

    label: Any
    root: int
    size: int


@dataclass
class GraphComponents:
    """The components finder of a graph's rows; get it from `graph_components`.

    Attributes
    ----------
    device : Device
    csr : DeviceCSR
    finder : GiantFinder
        Of these rows.
    found : Largest or None
        What `largest` found, once it was asked.
    """

    device: Device
    csr: DeviceCSR
    finder: GiantFinder
    found: Largest | None = None

    def largest(self) -> Largest:
        """The largest component (of an undirected graph); searched for at the first call only."""
        if self.found is None:
            device, csr = self.device, self.csr
            device.reserve({"labels of the graph": 4 * csr.n})
            label = device.empty(csr.n, np.int32)
            self.finder.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label)
            root, size, _ = self.finder.largest_label(label)
            self.found = Largest(label, root, size)
        return self.found

    def masked(self, arc_key: Literal["uint", "ulong"] | None = None) -> GiantFinder:
        """A finder of these rows that passes over vertices, and arcs by their keys; shares the buffers."""
        return GiantFinder(
            self.device,
            self.csr.n,
            self.csr.arcs,
            masked=True,
            arc_key=arc_key,
            wide=self.csr.offset is np.int64,
            shared=self.finder.buffers,
        )

    def copra(self, slots: int, *, wide: bool) -> GiantFinder:
        """A finder of the graph's COPRA arrays, which have `slots` slots; shares the buffers."""
        return GiantFinder(self.device, self.csr.n, slots, copra=True, wide=wide, shared=self.finder.buffers)


def graph_components(device: Device, graph: Graph) -> GraphComponents:
    """The one finder of a graph's components on a device, made at the first call and kept with the graph.

    Parameters
    ----------
    device : Device
    graph : Graph
        With at least one vertex. Its rows are uploaded if they are not there yet.
    """

    def make() -> GraphComponents:
        csr = upload_csr(device, graph)
        finder = GiantFinder(device, csr.n, csr.arcs, wide=csr.offset is np.int64)
        return GraphComponents(device, csr, finder)

    return device.cached(graph, "components", make)


def find_labels(run: run_on, graph: Graph, connection: Connection) -> tuple[Any, GiantFinder]:
    """Label every vertex with the smallest vertex of its component, on the device.

    Parameters
    ----------
    run : run_on
        Notes the seconds of "upload", "build" and "components".
    graph : Graph
        With at least one vertex.
    connection : {"weak", "strong"}

    Returns
    -------
    label : int32 device buffer, shape (n,)
    finder : GiantFinder
        Ready to rank these labels.
    """
    device, strong = run.device, connection == "strong" and graph.directed
    run.lap()
    csr = upload_csr(device, graph)
    if strong:
        upload_csr(device, graph.reverse, wide=csr.offset is np.int64)
    device.finish()
    run.lap("upload")
    label = device.empty(csr.n, np.int32)
    finder = graph_components(device, graph).finder
    if strong:
        from clgraph.components.strong import StrongFinder

        strong_finder = StrongFinder(device, graph)
    run.lap("build")
    if strong:
        strong_finder.labels_into(label)
        finder.sample(label)
    else:
        finder.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label, one_way=graph.directed)
    device.finish()
    run.lap("components")
    return label, finder
