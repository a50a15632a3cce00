"""Pulling where the frontier's bitmap is too large for an FPGA's chip (``cl/fpga/traversal``)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from clgraph.csr.partitions import Cut, upload_layout

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.traversal.scratch import HybridScratch
    from clgraph.traversal.search_task import Task


def cut_for(dev: Device, graph: Graph) -> Cut | None:
    """The partitions in which a device with pipelines pulls; None if it needs none."""
    if not dev.has_pipeline("traversal/search_partitions") or not dev.pipeline_parameter("PULL_PARTITIONS"):
        return None
    words, unroll = dev.pipeline_parameter("LOCAL_WORDS"), dev.pipeline_parameter("UNROLL")
    return Cut.of(graph, size=32 * words, room=unroll * words, burst=unroll * unroll)


def pull_in_partitions(task: Task, scratch: HybridScratch, cut: Cut, level: int, arriving: DeviceCSR) -> None:
    """One level: the frontier's bits are moved to where the partitions' arcs want them, and collected."""
    dev, graph, n = task.dev, task.graph, task.n
    start = time.perf_counter()
    layout = upload_layout(dev, graph.reverse if graph.directed else graph, cut)
    task.seconds["upload"] += time.perf_counter() - start
    unroll = dev.pipeline_parameter("UNROLL")
    if scratch.moved is None:
        dev.reserve({"moved": 4 * (layout.moved // unroll)})
        scratch.moved = dev.empty(max(1, layout.moved // unroll), np.uint32)
    prog, partitions = task.program("traversal/search_partitions"), cut.partitions
    prog.bfs_move(
        1,
        n=n,
        partitions=partitions,
        begin=layout.begin,
        source=layout.source,
        front=scratch.front,
        moved=scratch.moved,
    )
    prog.bfs_pull_placed(
        1,
        n=n,
        level=level,
        partitions=partitions,
        blocks=cut.blocks,
        each=cut.each,
        tile=layout.tile,
        ended=layout.ended,
        **arriving.buffers,
        place=layout.place,
        moved=scratch.moved,
        next=scratch.next,
        visited=scratch.visited,
        distance=task.distance,
        predecessor=task.predecessor,
        owner=task.owner,
        state=scratch.state,
    )
