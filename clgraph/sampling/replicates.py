"""Exact samples of one graph under many seeds, side by side: host half of ``cl/sampling/replicates.cl``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.kept import graph_components
from clgraph.csr.upload import upload_csr
from clgraph.device.shapes import Shapes
from clgraph.graph import Graph
from clgraph.sampling.options import Options, Size
from clgraph.sampling.packed import Packed, PackedSamples
from clgraph.sampling.result import Progress

if TYPE_CHECKING:
    from clgraph.device import Device

# arcs up to which a run a core beats all cores on one run after the other
SHAPES = Shapes(gpu=0, cpu=1 << 19, fpga=0, emulator=0, simulator=1 << 19)
BRIEF = 0.2  # seconds that a launch should take, so that Ctrl-C is noticed


def side_by_side(device: Device, graph: Graph, options: Options, runs: int) -> bool:
    """Whether runs are made side by side on a device, not one after the other."""
    simple = graph.undirected.simple
    return (
        runs > 1
        and options.exact
        and device.kernels == "ndrange"
        and 4 <= simple.num_arcs <= SHAPES.of(device)
    )


@dataclass(frozen=True)
class EdgeList:
    """The edges u < v of a graph without loops, on a device: int32 buffers `low` and `high`, ascending."""

    low: Any
    high: Any


def edge_list(device: Device, graph: Graph) -> EdgeList:
    """The edges of a graph, kept with it on the device."""

    def make() -> EdgeList:
        tail, head = graph.rows, graph.col_idx
        upper = tail < head
        return EdgeList(device.upload(tail[upper]), device.upload(head[upper]))

    return device.cached(graph, EdgeList, make)


class Replicates:
    """Runs of one graph and method under seeds that follow each other.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops, with at least two edges.
    targets : list of int
        Decreasing.
    edges : bool
        Delete edges (dre) instead of vertices (drv).
    """

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], *, edges: bool) -> None:
        self._device, self._edges = device, edges
        self._csr = csr = upload_csr(device, graph)
        self._n, self._m = csr.n, csr.arcs // 2
        self._targets = len(targets)
        self._target = device.upload(np.array(targets, np.int32))
        area = 4 * self._m + 12 * csr.n if edges else 6 * csr.n
        self.lanes = max(1, device.compute_units)
        device.reserve({"areas": 4 * area * self.lanes})
        self._program = device.program("sampling/replicates")
        self._list = edge_list(device, graph) if edges else None
        self._largest = graph_components(device, graph).largest()
        self._area = device.empty(area * self.lanes, np.int32)
        bits = max(1, (self._m if edges else csr.n).bit_length() - 1)
        self._shift, self._buckets = np.int32(64 - bits), np.int32(1 << bits)

    @property
    def whole(self) -> int:
        """Vertices of the input's largest component."""
        return self._largest.size

    def run(self, first: int, runs: int) -> Packed:
        """The samples of the seeds `first` .. `first` + `runs` - 1."""
        device, csr = self._device, self._csr
        slots = runs * self._targets
        words, edge_words = -(-self._n // 32), -(-self._m // 32) if self._edges else 0
        device.reserve({"members": 4 * slots * words, "edges": 4 * slots * edge_words})
        member = device.output(slots * words, np.uint32)
        kept = device.output(slots * edge_words, np.uint32) if self._edges else None
        count = device.output(2 * slots, np.int32)
        after = device.zeros(1, np.int32)
        ends: tuple[Any, ...] = (csr.row_ptr, csr.col_idx)
        if self._list is not None:
            ends = (self._list.low, self._list.high)
        kernel = self._program.replicates_edges if self._edges else self._program.replicates_vertices
        kernel.exact(
            self.lanes,
            np.int32(self._n),
            *([np.int32(self._m)] if self._edges else []),
            np.uint64(first),
            np.int32(runs),
            self._shift,
            self._buckets,
            *ends,
            self._largest.label,
            np.int32(self._largest.root),
            np.int32(self._targets),
            self._target,
            self._area,
            after,
            member,
            *([kept] if self._edges else []),
            count,
            local=1,
        )
        shape = (runs, self._targets)
        return Packed(
            device.take(member, np.uint32, slots * words).reshape(*shape, words),
            device.take(kept, np.uint32, slots * edge_words).reshape(*shape, edge_words)
            if self._edges
            else None,
            device.take(count, np.int32, 2 * slots).reshape(*shape, 2),
        )


def run_replicates(
    graph: Graph,
    device: Device,
    options: Options,
    first: int,
    runs: int,
    wanted: list[tuple[Size, int]],
    seconds: dict[str, float],
    progress: Progress | None,
) -> list[PackedSamples]:
    """The samples of `runs` runs, in portions that take a moment each."""
    how = device.watch()
    targets = sorted({target for _, target in wanted}, reverse=True)
    started = perf_counter()
    several = Replicates(device, graph.undirected.simple, targets, edges=options.method == "dre")
    seconds = {**seconds, "compile": perf_counter() - started}
    excess = max(0, several.whole - targets[-1])
    made: list[PackedSamples] = []
    done, at_once = 0, several.lanes
    while done < runs:
        if progress:
            progress(done * excess, runs * excess)
        count = min(at_once, runs - done)
        started = perf_counter()
        packed = several.run(first + done, count)
        took = perf_counter() - started
        about = {"device": device.name, "seconds": {**seconds, "sample": took / count}, **how()}
        made.append(PackedSamples(graph, options, first + done, wanted, packed, several.whole, about))
        done += count
        if took < BRIEF / 2:
            at_once *= 2
        elif took > 2 * BRIEF:
            at_once = max(several.lanes, at_once // 2)
    return made
