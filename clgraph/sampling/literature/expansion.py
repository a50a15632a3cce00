"""Expansion snowball sampling (xsn): host half of ``cl/sampling/literature/expansion.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clgraph.device.launch_config import LaunchTable
from clgraph.sampling.literature.clock import NONE
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import gathered, smallest
from clgraph.sampling.literature.roots import PRIORITY, Roots
from clgraph.sampling.literature.starts import Given, died_out

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request


LAUNCH = LaunchTable(gpu=512, cpu=1 << 16, simulator=3)  # vertices that a run takes in one launch


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    ranks = Roots(device, wish, seed, runs)
    csr, n, items = view.csr(device), view.n, device.tuning.items
    device.reserve({"runs": runs * bytes_per_run(view, wish)})
    program = device.program("sampling/literature/expansion", ITEMS=items, **csr.defines)
    serial = device.program("sampling/literature/expansion", **csr.defines)
    rank = ranks.ranked(*PRIORITY)
    by_rank, gain, heap, held = (device.empty(runs * n, np.int32) for _ in range(4))
    state, came = ranks.filled(0), ranks.filled(NONE, np.uint64)
    parent = device.empty(runs * n, np.int32) if wish.keep == "tree" else None
    order = {**csr.buffers, "rank": rank, "by_rank": by_rank, "gain": gain}
    program.expansion_begin(ranks.passes, n=n, **order)
    size, seen, following, tries = (device.zeros(runs, np.int32) for _ in range(4))
    target = min(wish.target or n, n)
    grow = serial.expansion_grow.bind(
        n=n,
        runs=runs,
        seed=seed,
        acts=LAUNCH.of(device),
        **Given.of(device, wish).args,
        target=target,
        **order,
        state=state,
        heap=heap,
        held=held,
        size=size,
        seen=seen,
        next=following,
        tries=tries,
        came=came,
        parent=parent,
        going=ranks.count,
    )
    while ranks.counted(grow, runs):
        pass
    vertices, reached = smallest(device, runs, n, came, target)
    begun = device.download(tries, np.int32, runs).astype(np.int64)
    more = np.maximum(begun - max(1, len(wish.start or ())), 0)
    return Drawn(
        vertices,
        reached,
        parent=None if parent is None else gathered(vertices, n, parent),
        notes=died_out(more.tolist()),
        rounds=more + 1,
    )


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    return 56 * view.n
