"""Shortest paths between random pairs (sp): host half of ``cl/sampling/literature/paths.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.sort import sort_by_key
from clgraph.errors import CapacityError
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import Column, taken_of
from clgraph.sampling.literature.race import arc_tails
from clgraph.sampling.literature.smallest import Smallest

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request

LANES = 32  # pairs at a time
MOST = 100  # pairs for each vertex wanted


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Paths(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    return (24 + 4 * LANES) * view.n + 28 * view.rows.num_arcs


class _Paths:
    def __init__(self, device: Device, view: View, wish: Request, seed: int, runs: int) -> None:
        self.device, self.view, self.wish, self.runs = device, view, wish, runs
        self.n, self.csr = view.n, view.csr(device)
        self.all_arcs, items = runs * self.csr.arcs, device.tuning.items
        if self.all_arcs >= 2**31:
            raise CapacityError(f"{self.all_arcs} arcs of {runs} runs: sp sorts 2**31 - 1 at most")
        device.reserve({"runs": runs * bytes_per_run(view, wish)})
        assert wish.target is not None
        self.target = min(wish.target, view.num_nonisolated)
        self.head = {"n": self.n, "seed": seed}
        self.passes = -(-self.n // items), runs

        self.program = device.program("sampling/literature/paths", ITEMS=items, **self.csr.defines)
        self.seen, self.front, self.next = (device.empty(runs * self.n, np.uint32) for _ in range(3))
        self.far = device.empty(runs * self.n * LANES, np.int32)
        self.use, self.mark = device.zeros(self.all_arcs, np.int32), device.zeros(runs * self.n, np.int32)
        self.touched, self.any = device.zeros(runs, np.int32), device.empty(1, np.int32)

    def run(self) -> Drawn:
        """As many pairs as it takes, and the edges that most paths use."""
        device, runs, target = self.device, self.runs, self.target
        pairs = np.zeros(runs, np.int64)
        going = np.ones(runs, bool)
        first, end = 0, target
        while going.any():
            pairs[going] = end
            live = device.upload(going.astype(np.int32), writable=True)
            for at in range(first, end, LANES):
                self.search(at, end, live)
            touched = device.download(self.touched, np.int32, runs)
            first, end = end, min(2 * end, MOST * target)
            going &= (touched < target) & (first < end)
        return self.pack(pairs, touched)

    def search(self, first: int, end: int, going: Any) -> None:
        """The paths of up to 32 pairs of each run."""
        device, program, runs = self.device, self.program, self.runs
        for buffer in (self.seen, self.front):
            device.clear(buffer, runs * self.n, np.uint32)
        some = {**self.head, "first": first, "end": end}
        state = {"going": going, "seen": self.seen, "far": self.far}
        program.paths_begin((LANES, runs), **some, **state, front=self.front)
        advance = program.paths_level.bind(n=self.n, **self.csr.buffers, **state, any=self.any)
        level, found = 0, 1
        while found:
            level += 1
            device.clear(self.any, 1, np.int32)
            advance(self.passes, level=level, front=self.front, next=self.next)
            self.front, self.next = self.next, self.front
            found = int(device.download(self.any, np.int32, 1)[0])
        program.paths_walk(
            (LANES, runs),
            **some,
            **self.csr.buffers,
            **state,
            use=self.use,
            mark=self.mark,
            touched=self.touched,
        )

    def ranked(self) -> Any:
        """The rank of each edge used, as a key."""
        device, flat, place = self.device, -(-self.all_arcs // self.device.tuning.items), None
        used = {"many": self.all_arcs, "arcs": self.csr.arcs, "use": self.use}
        tail, _ = arc_tails(device, self.view)
        for which, bits in enumerate((32, 32, 32, (self.runs - 1).bit_length())):
            if bits:
                word = device.empty(self.all_arcs, np.uint32)
                self.program.paths_words(
                    flat,
                    **used,
                    **self.head,
                    which=which,
                    **self.csr.buffers,
                    tail=tail,
                    place=place,
                    word=word,
                )
                _, place = sort_by_key(device, word, self.all_arcs, bits, place)
        rank = device.empty(self.all_arcs, np.uint64)
        self.program.paths_rank(flat, **used, place=place, rank=rank)
        return rank

    def pack(self, pairs: npt.NDArray[np.int64], touched: npt.NDArray[np.int32]) -> Drawn:
        """The longest prefix of the edges that has at most so many vertices."""
        device, runs, n = self.device, self.runs, self.n
        rank = self.ranked()
        first = device.empty(runs * n, np.uint64)
        self.program.paths_first(self.passes, n=n, **self.csr.buffers, rank=rank, first=first)
        vertices = Smallest(device, runs, n)
        cut = vertices.cut(first, np.full(runs, self.target, np.int64))
        chosen, came = taken_of(device, vertices.take(first, cut, equal=False, keys=True))
        edges = Smallest(device, runs, self.csr.arcs)
        taken = edges.take(rank, cut, equal=False)
        notes = [self.told(*each) for each in zip(pairs.tolist(), touched.tolist(), strict=True)]
        arcs = Column.on(device, taken.offset, taken.items, edges.item)
        return Drawn(chosen, came, arcs=arcs, notes=notes)

    def told(self, pairs: int, touched: int) -> tuple[str, ...]:
        """What a run has to say of its pairs."""
        if touched < self.target:
            return (f"the paths of {pairs} pairs touch only {touched} vertices: all of these are taken",)
        return (f"{pairs} pairs were drawn, more than vertices",) if pairs > self.target else ()
