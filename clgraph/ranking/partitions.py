"""PageRank in partitions that fit an FPGA's chip: host half of ``cl/fpga/ranking/partitions.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.partitions import Cut, upload_layout
from clgraph.ranking.rows import FLAT, PlainRows

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem
    from clgraph.ranking.rows import Numbers


def cut_for(device: Device, graph: Graph) -> Cut | None:
    """The partitions of a graph on a device with pipelines; None if it needs none."""
    size = device.pipeline_parameter("LOCAL_RANKS")
    return Cut.of(graph, size=size, room=size, burst=device.pipeline_parameter("UNROLL"))


class PartitionRows(PlainRows):
    """Contributions move from the partition of their vertex to the blocks of arcs that need them."""

    variant = "partitions"

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool
    ) -> None:
        super().__init__(device, graph, problem, numbers, weight)
        self.chain = self.flat_chain()
        cut = cut_for(device, graph)
        if cut is None:
            raise ValueError("this graph needs no partitions (see `cut_for`)")
        self.cut = cut

    def _upload_more(self) -> None:
        dev = self.device
        self._layout = upload_layout(dev, self.reverse, self.cut)
        moved = self._layout.moved
        dev.reserve({"moved": moved * np.dtype(self.numbers.real).itemsize})
        self._moved = dev.empty(moved, self.numbers.real)

    def explain(self) -> list[str]:
        cut = self.cut
        return [
            f"{FLAT}; {cut.partitions} partitions of {cut.size} vertices and {cut.blocks} blocks of "
            f"{cut.each} arcs are on chip in turn"
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        program = self.device.program("ranking/partitions", **defines, **self.csr.defines)
        self._move, self._sum = program.pagerank_move, program.pagerank_sum

    def enqueue(self, contribution: Any, parts: Any, state: Any, vectors: dict[str, Any]) -> None:
        layout = self._layout
        common = {"n": self.n, "partitions": self.cut.partitions, "moved": self._moved, "state": state}
        self._move(1, **common, begin=layout.begin, source=layout.source, contribution=contribution)
        self._sum(
            1,
            **common,
            blocks=self.cut.blocks,
            each=self.cut.each,
            tile=layout.tile,
            ended=layout.ended,
            row_ptr=self.csr.row_ptr,
            place=layout.place,
            share=self.share,
            parts=parts,
            **vectors,
        )
