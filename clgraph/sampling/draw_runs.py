"""Batches of drawn edges, many seeds side by side (drve, dhyb): host half of ``cl/sampling/draw_runs.cl``."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.kept import graph_components
from clgraph.device.shapes import GroupPerRun, Shapes
from clgraph.graph import Graph
from clgraph.sampling.options import Options
from clgraph.sampling.packed import edge_numbers
from clgraph.sampling.several import Replicates, edge_list

if TYPE_CHECKING:
    from clgraph.device import Device


class Shape(GroupPerRun):
    """Launch shape."""

    EACH = 12


SHAPES = Shapes(gpu=Shape(local=256, runs=128), cpu=Shape(local=1, runs=2), simulator=Shape(local=4, runs=2))
FINEST = 1 << 15  # a larger denominator of the probability would not fit the kernel's integers


def takes(graph: Graph, options: Options) -> bool:
    """Whether runs of a graph with these options can be made so."""
    return (
        options.method in ("drve", "dhyb")
        and options.connection == "weak"
        and not graph.undirected.simple.has_copies
        and options.chance.denominator <= FINEST
    )


class DrawRuns(Replicates):
    """A run a work-group: the whole loop of batches."""

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], options: Options) -> None:
        super().__init__(device, graph, targets, edges=True)
        n, m, shape = self._n, self._m, SHAPES.of(device)
        self._local, weight = shape.local, options.chance
        self._area = 2 * n + m + m // 8 + 1
        room = min(device.global_memory // 4, device.max_buffer) // (4 * self._area + self.bits)
        self.most = max(1, room)
        self.at_first = min(shape.runs, self.most)
        device.reserve({"areas": 4 * self._area * self.at_first})
        defines = {"LOCAL": shape.local, "HYBRID": int(weight != 1), **self._csr.defines}

        tolerance = options.tolerance
        least = [ceil(size - (Fraction(size, 1000) if tolerance is None else tolerance)) for size in targets]

        listed, largest = edge_list(device, graph), graph_components(device, graph).largest()
        self._kernel = device.program("sampling/draw_runs", **defines).draw_runs.bind(
            n=n,
            m=m,
            room=m // 8 + 1,
            p=weight.numerator,
            q=weight.denominator,
            row_ptr=self._csr.row_ptr,
            edge=edge_numbers(device, graph),
            low=listed.low,
            high=listed.high,
            inside=largest.label,
            root=largest.root,
            whole=largest.size,
            targets=self._targets,
            target=self._target,
            least=device.upload(np.array(least, np.int32)),
        )

    def _launch(self, first: int, runs: int, member: Any, kept: Any, count: Any) -> None:
        area = self._device.empty(self._area * runs, np.int32)
        self._kernel.exact(
            runs * self._local,
            local=self._local,
            first_seed=first,
            area=area,
            member=member,
            kept=kept,
            count=count,
        )
