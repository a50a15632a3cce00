"""Many samples by dre of a graph in memory, from its forest: host half of ``cl/scale/several.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph import keyed
from clgraph.csr.upload import upload_csr
from clgraph.sampling.marks import LeftThere
from clgraph.scale.curve import followed
from clgraph.scale.forest import SHAPES, Forest
from clgraph.scale.loading import Loaded
from clgraph.scale.manifest import Shard

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.progress import Tell

TARGETS = 6  # sizes from which on the forest is found sooner than the samples one after the other (CPUs)
EDGES = 1 << 18


def pays(device: Device, graph: Graph, targets: int) -> bool:
    """Whether `ForestRun` is to make so many samples of a graph without directions and loops."""
    if device.kind != "cpu" or not device.has_compiler or graph.num_edges < EDGES:
        return False
    if not TARGETS <= targets < 256:  # a byte says how many samples have an edge
        return False
    taken = sum(Forest.memory(graph.num_vertices, graph.num_arcs, SHAPES.of(device)).values())
    largest = 8 * (graph.num_vertices + graph.num_arcs)
    return not graph.has_copies and taken < device.global_memory // 4 and largest < device.max_buffer


class ForestRun:
    """Exact mode of dre for many targets: as `clgraph.sampling.threshold_search.ExactRun`, the same samples.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops and copies.
    seed : int
    targets : set of int

    Attributes
    ----------
    iterations : int
        Rounds in which the forest was found.
    """

    notes: tuple[str, ...] = ()
    way = "forest"

    def __init__(self, device: Device, graph: Graph, seed: int, targets: set[int]) -> None:
        self._device, self._seed, self._targets = device, seed, targets
        self._csr = upload_csr(device, graph)
        self._forest = Forest(device, self._csr.n, seed, edges=True, room=self._csr.arcs)
        self._items = device.tuning.items
        self._program = device.program("scale/several", ITEMS=self._items, **self._csr.defines)
        self._place: dict[int, int] = {}  # of each target's row among those wanted
        self._now = 0
        self.iterations = 0

    def start(self) -> int:
        """Find the forest and what it says of all targets; returns the size of the largest component."""
        device, csr, forest = self._device, self._csr, self._forest
        shard = Shard("", 0, csr.n, csr.arcs, 0, 0, 0, 0)
        forest.add(Loaded(shard, csr.offset, csr.row_ptr, csr.col_idx), both_ways=True)
        path = followed(device, forest.take(), csr.n, "dre", self._seed, min(self._targets))
        self.iterations = forest.rounds
        sizes = path.vertices
        row_of = {
            target: min(int(np.searchsorted(-sizes, -target)), len(sizes) - 1) for target in self._targets
        }
        rows = np.array(sorted(set(row_of.values())), np.int32)
        self._place = {target: int(np.searchsorted(rows, row)) for target, row in row_of.items()}
        word = np.concatenate((np.zeros(1, np.uint64), path.cuts))[rows]
        ends = (word >> np.uint64(32)).astype(np.uint32), word.astype(np.uint32)
        time = np.where(rows > 0, keyed.edge_priority(self._seed, *ends), 0).astype(np.uint64)
        self._level, self._arc_level = device.empty(csr.n, np.uint8), device.output(csr.arcs, np.uint8)
        over = -(-csr.n // self._items)
        self._program.several_levels(
            over,
            n=csr.n,
            count=len(rows),
            row=device.upload(rows),
            last=device.upload(path.last),
            level=self._level,
        )
        self._program.several_arcs(
            over,
            n=csr.n,
            seed=self._seed,
            time=device.upload(time),
            word=device.upload(word),
            row_ptr=csr.row_ptr,
            col_idx=csr.col_idx,
            level=self._level,
            arc_level=self._arc_level,
        )
        device.finish()
        return int(sizes[0])

    def shrink_to(self, target: int, progress: Tell | None = None) -> None:
        """Go to one of the targets."""
        self._now = self._place[target]
        if progress:
            progress(self._now + 1, max(self._place.values()) + 1)

    def download(self) -> LeftThere:
        """What is left there, on the device."""
        csr = self._csr
        live, live_arcs = (
            self._marks(level, count) for level, count in ((self._level, csr.n), (self._arc_level, csr.arcs))
        )
        return LeftThere(self._device, csr, live, live_arcs)

    def _marks(self, level: Any, count: int) -> Any:
        marks = self._device.output(count, np.uint8)
        over = -(-count // self._items)
        self._program.several_marks(over, count=count, above=self._now, level=level, marks=marks)
        return marks
