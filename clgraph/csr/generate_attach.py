"""Graphs that grow by preferential attachment: host half of ``cl/csr/generate_attach.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clgraph import keyed
from clgraph.arguments import hints, whole
from clgraph.csr.generate import finish_graph, on_device
from clgraph.csr.generate_distinct import MOST_VERTICES, check_edges
from clgraph.errors import InputError
from clgraph.progress import Tell

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph


@hints
def barabasi_albert_graph(
    num_vertices: int,
    edges_each: int,
    *,
    seed: int | None = None,
    device: Device | str | None = None,
    progress: Tell | None = None,
) -> Graph:
    """A graph that grows (Barabasi and Albert, 1999): new vertices prefer those that have many edges.

    The first ``k + 1`` vertices are all joined to each other, k being `edges_each`. Each further one is
    joined to k different vertices of those before it, in proportion to their degrees: to what stands at
    random places in the list of all edges' ends. A place that leads to the same vertex again is drawn again,
    but counts in that list, which is what lets all vertices be worked on at once (Sanders and Schulz, 2016).

    Parameters
    ----------
    num_vertices : int
        At least ``edges_each + 1``.
    edges_each : int
        At least 1. The time for a vertex grows with its square.
    seed, device, progress
        As in `clgraph.erdos_renyi_graph`.

    Returns
    -------
    Graph
        On vertices 0 .. num_vertices - 1, connected, with ``k (k + 1) / 2 + (num_vertices - k - 1) k`` edges.

    Raises
    ------
    InputError
        If a parameter is out of its range.
    DeviceError, BuildError, CapacityError
        If the device fails, or the graph does not fit on it.

    Examples
    --------
    >>> from clgraph import barabasi_albert_graph
    >>> barabasi_albert_graph(1000, 3, seed=1)
    <Graph: undirected, 1000 vertices, 2994 edges>
    """
    n = whole(num_vertices, "number of vertices", 1, MOST_VERTICES)
    k = whole(edges_each, "number of edges of each new vertex", 1, MOST_VERTICES)
    if n <= k:
        raise InputError(
            f"{n} vertices: a vertex with {k} edges needs {k} others; give at least {k + 1} vertices"
        )
    count = check_edges(k * (k + 1) // 2 + (n - k - 1) * k)
    seed = keyed.check_seed(seed)

    def make(dev: Device) -> Graph:
        dev.reserve({"tails": 4 * count, "heads": 4 * count})
        tail, head = dev.output(count, np.int32), dev.output(count, np.int32)
        items = dev.tuning.items
        program = dev.program("csr/generate_attach", ITEMS=items)
        program.attach_edges(-(-n // items), n=n, seed=seed, k=k, tail=tail, head=head)
        made = finish_graph(dev, n, tail, head, count)
        if progress:
            progress(count, count)
        return made

    return on_device(device, make)
