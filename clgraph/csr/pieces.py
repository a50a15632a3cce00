"""Graphs whose arcs exceed a device's largest buffer: they lie in several, as shards in memory."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph


def in_pieces(device: Device, graph: Graph, *sections: str, values: bool = False, once: bool = False) -> Any:
    """The graph as shards in memory (`clgraph.scale.held.HeldShards`); None if its arcs fit one buffer.

    The floors above hand their calls on to it. What it does not offer goes the usual way, which says what
    does not fit.

    Parameters
    ----------
    device : Device
    graph : Graph
    *sections : {"pairs", "rows", "in", "out"}
        What the call needs of it (`clgraph.scale.manifest.Manifest`). As pairs the rows will do.
    values : bool
        Whether it needs weights and multiplicities, too.
    once : bool
        Whether pairs that two arcs of a directed graph join are needed once.
    """
    values = values and (graph.weights is not None or graph.multiplicity is not None)
    widest = 4 if graph.weights is None else 8  # bytes of an entry; shards are cut alike for all calls
    width = widest if values else 4
    views = 2 if graph.directed and "pairs" in sections else 1  # the undirected view has up to twice the arcs
    fits = width * views * graph.num_arcs <= device.max_buffer
    if fits or not device.has_compiler or graph.has_copies:  # shards hold each edge once
        return None
    held = import_module("clgraph.scale.held")  # above this floor: it knows the shards

    rows = "out" if graph.directed else "rows"
    if not (once and graph.directed):
        sections = tuple(sorted({rows if name == "pairs" else name for name in sections}))

    def make() -> Any:
        return held.HeldShards.of(graph, sections, values, device.max_buffer // 2 // widest)

    held.shelve(device, graph)
    return device.cached(graph, ("pieces", sections, values), make)
