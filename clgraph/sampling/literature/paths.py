"""Shortest paths between random pairs (sp): host half of ``cl/sampling/literature/paths.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.sort import sort_by_words
from clgraph.errors import CapacityError
from clgraph.sampling.literature.engine import Engine
from clgraph.sampling.literature.smallest import Smallest
from clgraph.sampling.literature.weighted_draw import arc_tails
from clgraph.sampling.selection import Selection

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request

# pairs that are searched together, a bit of a word each
LANES = 32
# pairs for each vertex wanted, at most: in a graph of small components they may never be there
MOST = 100


class Paths(Engine):
    """Edges of shortest paths between random pairs, those that most paths use first."""

    vertex_bytes, arc_bytes = 24 + 4 * LANES, 28

    def __init__(self, device: Device, view: View, request: Request, seed: int, runs: int) -> None:
        super().__init__(device, view, request, seed, runs)
        self.many = runs * self.arcs
        if self.many >= 2**31:
            raise CapacityError(f"{self.many} arcs of {runs} runs: sp sorts 2**31 - 1 at most")
        self.reserve()
        assert request.target is not None
        self.target = min(request.target, view.num_nonisolated)
        self.kernels = self.program("paths")
        self.seen, self.front, self.next = (device.empty(self.all, np.uint32) for _ in range(3))
        self.far = device.empty(self.all * LANES, np.int32)
        self.use, self.mark = device.zeros(self.many, np.int32), device.zeros(self.all, np.int32)
        self.touched = device.zeros(runs, np.int32)

    def draw(self) -> Selection:
        """Draw as many pairs as it takes, and the edges that most paths use."""
        device, runs, target = self.device, self.runs, self.target
        pairs = np.zeros(runs, np.int64)
        going = np.ones(runs, bool)
        first, end = 0, target
        while going.any():
            pairs[going] = end
            self.live = device.upload(going.astype(np.int32), writable=True)
            for at in range(first, end, LANES):
                self.search(at, end)
            touched = device.download(self.touched, np.int32, runs)
            first, end = end, min(2 * end, MOST * target)
            going &= (touched < target) & (first < end)
        return self.pack(pairs, touched)

    def search(self, first: int, end: int) -> None:
        """Find the paths of up to 32 pairs of each run."""
        device, kernels, some = self.device, self.kernels, {"first": first, "end": end}
        for buffer in (self.seen, self.front):
            device.clear(buffer, self.all, np.uint32)
        kernels.paths_begin.launch(self, (LANES, self.runs), **some)
        level, found = 0, 1
        while found:
            level += 1
            found = self.counting(kernels.paths_level, self.passes, level=level)
            self.front, self.next = self.next, self.front
        kernels.paths_walk.launch(self, (LANES, self.runs), **some)

    def ranked(self) -> Any:
        """Return the rank of each edge used, as a key."""
        device, kernels = self.device, self.kernels
        self.tail, _ = arc_tails(device, self.view)
        words = kernels.paths_words
        widths = [*enumerate((32, 32, 32, (self.runs - 1).bit_length()))]
        place = sort_by_words(device, words, self.many, widths, words.arguments_of(self))
        rank = device.empty(self.many, np.uint64)
        kernels.paths_rank.launch(self, self.flat(self.many), place=place, rank=rank)
        return rank

    def pack(self, pairs: npt.NDArray[np.int64], touched: npt.NDArray[np.int32]) -> Selection:
        """Take the longest prefix of the edges that has at most `target` vertices."""
        device, runs, rank = self.device, self.runs, self.ranked()
        first = device.empty(self.all, np.uint64)
        self.kernels.paths_first.launch(self, self.passes, rank=rank, first=first)
        vertices = Smallest(device, runs, self.n)
        cut = vertices.cut(first, self.target)
        chosen, came = vertices.take(first, cut, equal=False, keys=True)
        arcs, _ = Smallest(device, runs, self.arcs).take(rank, cut, equal=False)
        notes = [self.note(*each) for each in zip(pairs.tolist(), touched.tolist(), strict=True)]
        return Selection(chosen, came, arcs=arcs, notes=notes)

    def note(self, pairs: int, touched: int) -> tuple[str, ...]:
        """Return a note about the pairs of a run."""
        if touched < self.target:
            return (f"the paths of {pairs} pairs touch only {touched} vertices: all of these are taken",)
        return (f"{pairs} pairs were drawn, more than vertices",) if pairs > self.target else ()
