"""Diffusion as first passage: host half of ``cl/sampling/literature/diffusion.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.sampling.literature.clock import device_tables
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import gathered, smallest
from clgraph.sampling.literature.roots import COMPONENT, VALUE, Roots
from clgraph.sampling.literature.starts import died_out

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Passages(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    return 64 * view.n + 4 * view.rows.num_arcs


class _Passages(Roots):
    def __init__(self, device: Device, view: View, wish: Request, seed: int, runs: int) -> None:
        super().__init__(device, wish, seed, runs)
        csr, items = view.csr(device), device.tuning.items
        device.reserve({"runs": runs * bytes_per_run(view, wish)})
        self.passing = device.program("sampling/literature/diffusion", ITEMS=items, **csr.defines)
        self.rows = {**csr.buffers, "wait": device.empty(runs * csr.arcs, np.uint32)}

    def run(self) -> Drawn:
        """The vertices in order of their distances, component after component."""
        device, passing, n = self.device, self.passing, self.n
        wanted = min(self.wish.target or n, n)
        alone = self.one_is_enough(wanted)
        self.find(further=not alone)
        passing.diffusion_waits(self.passes, **self.head, table=device_tables(device), **self.rows)
        key = time = self.distances()
        if not alone:
            rank = self.ranked(*VALUE, *COMPONENT, value=time)
            key = device.empty(self.all, np.uint64)
            passing.diffusion_keys(self.passes, n=self.n, rank=rank, key=key)
        vertices, came = smallest(device, self.runs, n, key, wanted)
        parent = None
        if self.wish.keep == "tree":
            parent = device.empty(self.all, np.int32)
            passing.diffusion_parents(
                self.passes, n=self.n, **self.rows, root=self.chosen, time=time, parent=parent
            )
            parent = gathered(vertices, n, parent)
        roots = gathered(vertices, n, self.chosen)
        starts = np.array([roots.of(run).sum() for run in range(self.runs)], np.int64)
        given = 1 if self.wish.start is None else len(set(self.wish.start))
        return Drawn(
            vertices,
            came,
            parent=parent,
            notes=died_out((starts - given).tolist()),
            rounds=np.maximum(starts - given, 0) + 1,
        )

    def distances(self) -> Any:
        """The distance of each vertex from the root nearest to it."""
        device, passing = self.device, self.passing
        time, later = device.empty(self.all, np.uint64), device.empty(self.all, np.uint64)
        passing.diffusion_begin(self.passes, n=self.n, root=self.chosen, time=time)
        one_pass = passing.diffusion_pass.bind(n=self.n, **self.rows, going=self.count)
        while self.counted(one_pass, self.passes, time=time, later=later):
            time, later = later, time
        return time
