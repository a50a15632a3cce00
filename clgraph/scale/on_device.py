"""A whole graph on a device, from its shards: made there, without a copy on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clgraph.csr.build import build_rows
from clgraph.csr.parts import Parts
from clgraph.csr.upload import graph_of
from clgraph.errors import CapacityError
from clgraph.scale.cut import join_shards
from clgraph.scale.loading import SHAPES, Loading

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.scale.shards import Shards


def join_on(device: Device, shards: Shards) -> Graph:
    """The graph that `clgraph.join_shards` gives; on the device where that can make it.

    The host makes graphs with weights, counts of merged edges, or self-loops, and what does not fit the
    device while it is made.
    """
    manifest = shards.manifest
    name = "pairs" if not shards.directed else "out" if "out" in manifest.sections else "in"
    section = shards.section(name)
    if manifest.weights or manifest.multiplicity or section.loops or not section.edges:
        return join_shards(shards)
    try:
        return _made(device, shards, name, section.edges) or join_shards(shards)
    except CapacityError:
        return join_shards(shards)


def _made(device: Device, shards: Shards, name: str, edges: int) -> Graph | None:
    """The graph of the rows of a section; None if some of them hold a head twice."""
    n, run = shards.num_vertices, SHAPES.of(device)
    with device.alone():
        device.reserve({"tails": 4 * edges, "heads": 4 * edges})
        tail, head = device.empty(edges, np.int32), device.empty(edges, np.int32)
    at = 0
    for rows in Loading(device, shards).rows(name, range(len(shards.section(name).shards))):
        shard = rows.shard
        with device.alone():
            program = device.program("scale/loading", RUN=run, PAIRS=int(name == "pairs"), **rows.defines)
            program.loading_ends(-(-shard.edges // run), **rows.arguments, at=at, tail=tail, head=head)
            device.finish()  # the shard's buffers are free
        at += shard.edges
    if name == "in":
        tail, head = head, tail
    with device.alone():
        made = build_rows(device, n, tail, head, edges, mirror=not shards.directed)
        if made.arcs != edges * (1 if shards.directed else 2):
            return None
        ids = None if shards.manifest.ids is None else shards.ids
        parts = Parts(made, directed=shards.directed, ids=ids, num_self_loops=0, has_copies=False)
        return graph_of(device, parts)
