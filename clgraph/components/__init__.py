"""Connected components on a device: the public calls and their result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt

from clgraph.arguments import hints, word
from clgraph.components.finder import Connection, GiantFinder, all_sizes, graph_components
from clgraph.csr.upload import upload_csr
from clgraph.graph import Graph, as_graph
from clgraph.graph.frames import Labelled
from clgraph.lazy import lazy
from clgraph.results import Arrays
from clgraph.run import not_offered, opened, run_on

if TYPE_CHECKING:
    from clgraph.device import Device

__all__ = ["Components", "connected_components", "largest_component"]


@dataclass(frozen=True, repr=False)
class Components(Labelled):
    """The connected components of a graph, numbered by decreasing size.

    Attributes
    ----------
    labels : int32 array, shape (n,)
        Component of each vertex: 0 is the largest; among equally large ones the one with the smallest
        vertex comes first. (With ``arrays="device"`` a ``pyopencl.array.Array``.)
    larger : int64 array
        Sizes of the components of two vertices or more, descending.
    connection : {"weak", "strong"}
    seconds : dict of float
        Time by phase: "upload" (if the graph is not on the device yet), "build" (kernels, at the first call),
        "components" (first launch to last kernel finished), "ranking", "download", and "total".
    device : str
        Name of the device.
    """

    labels: npt.NDArray[np.int32]
    larger: npt.NDArray[np.int64]
    connection: Connection = "weak"
    seconds: dict[str, float] = field(default_factory=dict)
    device: str = ""
    GROUP = "component"

    @property
    def count(self) -> int:
        """Number of components."""
        return len(self.larger) + len(self.labels) - int(self.larger.sum())

    @lazy
    def sizes(self) -> npt.NDArray[np.int64]:
        """Vertices of each component, descending, shape (count,)."""
        return all_sizes(self.larger, len(self.labels))

    @lazy
    def largest(self) -> npt.NDArray[np.bool_]:
        """Mask of the vertices of the largest component, shape (n,)."""
        if not isinstance(self.labels, np.ndarray):  # on the device
            from clgraph.device import drivers

            if drivers.parent:
                raise drivers.forked()
        return self.labels == 0

    def _facts(self) -> dict[str, Any]:
        return {
            "components": self.count,
            "connection": self.connection,
            "vertices": len(self.labels),
            "largest": self._largest(),
            "device": self.device,
        }


@hints
def connected_components(
    graph: Graph | Any,
    *,
    connection: Connection = "weak",
    arrays: Arrays = "host",
    device: Device | str | None = None,
) -> Components:
    """Find the connected components of a graph.

    Weak components (of an undirected graph: its components) come from linking and compressing, "Afforest"
    [1]_; strong ones from trimming, one forward-backward search from a pivot, and coloring with random
    priorities (`clgraph.components.strong`).

    Parameters
    ----------
    graph : Graph, symmetric SciPy array, NetworkX or igraph graph, pandas or Arrow edge table, or Shards
        Of `Shards` weak components, in one pass over their pairs.
    connection : {"weak", "strong"}
        What connects two vertices of a directed graph: a path that may use arcs in either direction, or a
        directed path each way.
    arrays : {"host", "device"}
        "device" leaves the labels on the device, as ``pyopencl.array.Array`` on the device's own queue
        (``get_device(...).queue``), for use in your own kernels; nothing is downloaded.
    device : Device or str, optional
        As in `clgraph.get_device`; of `Shards` also several, which share the work.

    Returns
    -------
    Components

    Raises
    ------
    InputError
        If `connection` is neither of the two words.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    References
    ----------
    .. [1] M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph
       Sampling", IPDPS 2018.

    Examples
    --------
    >>> from clgraph import Graph, connected_components
    >>> found = connected_components(Graph.from_edges([0, 1, 3], [1, 2, 4]))
    >>> found.labels, found.sizes
    (array([0, 0, 0, 1, 1], dtype=int32), array([3, 2]))
    """
    word(connection, "connection", get_args(Connection))
    graph, stays = opened(graph, arrays)
    weak = connection == "weak" or not graph.directed
    if not weak and not isinstance(graph, Graph):
        why = "strong components take a search of the whole graph for each few of them"
        raise not_offered("connection", connection, why)
    run = run_on(device, graph, *(("pairs",) if weak and not stays else ()))
    with run.lock, run:
        dev, n = run.device, graph.num_vertices
        if run.blocks is not None:
            from clgraph.components.shards import join_components

            found = Components(*join_components(run.blocks, device=dev))
            return run.stamped(found, connection=connection)
        if n:
            label, finder = _labels(run, graph, connection)
            larger = finder.rank(label)
            dev.finish()
            run.lap("ranking")
        else:  # engines want a vertex
            label, larger = dev.empty(0, np.int32), np.empty(0, np.int64)
        labels = dev.array(label, np.int32, n) if stays else dev.download(label, np.int32, n)
        run.lap("download")
        return Components(labels, larger, connection, run.seconds, dev.name, provenance=run.provenance)


def largest_component(
    graph: Graph, *, connection: Connection = "weak", device: Device | str | None = None
) -> Graph:
    """Return the largest connected component, found on a device, as a graph of its own.

    It stays on the device until its arrays are looked at. A tie goes to the component with the smallest
    vertex index. The vertices and edges that remain keep their ids, weights and multiplicities. Parameters
    and errors are those of `connected_components`.

    Examples
    --------
    >>> from clgraph import Graph, largest_component
    >>> largest_component(Graph.from_edges([0, 1, 3], [1, 2, 4])).ids
    array([0, 1, 2])
    """
    graph = as_graph(graph)
    word(connection, "connection", get_args(Connection))
    if graph.num_vertices == 0:
        return graph
    from clgraph.csr.compact import compact, labelled
    from clgraph.csr.upload import device_graph, graph_of

    run = run_on(device)
    with run.lock, run:
        dev = run.device
        label, finder = _labels(run, graph, connection)
        root, size, _ = finder.largest_label(label)
        if size == graph.num_vertices:
            return graph
        if not dev.has_compiler:
            return graph.subgraph(dev.download(label, np.int32, graph.num_vertices) == root)
        live = labelled(dev, upload_csr(dev, graph), label, root)
        made = graph_of(dev, compact(dev, device_graph(dev, graph), live))
        made.attributes = graph.attributes
        dev.finish()
        return made


def _labels(run: run_on, graph: Graph, connection: Connection) -> tuple[Any, GiantFinder]:
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
        back = upload_csr(device, graph.reverse, wide=csr.offset is np.int64)
    device.finish()
    run.lap("upload")
    label = device.empty(csr.n, np.int32)
    finder = graph_components(device, graph)
    if strong:
        from clgraph.components.strong import StrongFinder

        strong_finder = StrongFinder(device, csr, back)
    run.lap("build")
    if strong:
        strong_finder.labels_into(label)
        finder.sample(label)
    else:
        finder.labels_into(csr.row_ptr, csr.row_ptr, csr.col_idx, label, one_way=graph.directed)
    device.finish()
    run.lap("components")
    return label, finder
