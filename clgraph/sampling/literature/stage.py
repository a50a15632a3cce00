"""Searches that spread: host half of ``cl/sampling/literature/stage.cl`` and ``stage_chain.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from clgraph.csr.upload import upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import gathered, marked_arcs, smallest
from clgraph.sampling.literature.starts import Given, Queue, died_out, queue_room

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request

NUMBER = {"snowball": 0, "ff": 1, "rds": 2, "spikyball": 3}
WANTING = 1
UNSEEN = 2**32 - 1
NOBODY = 2**31 - 1


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape.

    Attributes
    ----------
    acts : int
        Vertices that act in one launch of a chain, each after the other.
    small : int
        Vertices of a stage that are one run's chain; of several runs as many times more.
    """

    acts: int
    small: int


LAUNCH = LaunchTable(
    gpu=LaunchConfig(acts=8192, small=32),
    cpu=LaunchConfig(acts=1 << 16, small=512),
    simulator=LaunchConfig(acts=3, small=2),
)


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return Stages(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    arcs = 4 * view.rows.num_arcs if wish.keep == "visited" else 0
    return 24 * view.n + arcs


def thresholds(p: Fraction) -> list[int]:
    """floor(2^64 p^j), j = 1, 2, ..., as long as it is not 0."""
    made, top, bottom = [], p.numerator, p.denominator
    while (limit := (top << 64) // bottom) > 0:
        made.append(limit)
        top, bottom = top * p.numerator, bottom * p.denominator
    return made


class Stages:
    """Runs side by side; parameters as `draw`."""

    def __init__(self, device: Device, view: View, wish: Request, seed: int, runs: int) -> None:
        self.device, self.view, self.wish, self.seed, self.runs = device, view, wish, seed, runs
        self.n, self.csr, self.exact = view.n, view.csr(device), wish.mode == "exact"
        n = self.n
        device.reserve({"runs": runs * bytes_per_run(view, wish)})
        self.claim = device.empty(runs * n, np.uint32)
        device.fill(self.claim, np.uint32(UNSEEN), runs * n)
        self.parent = None
        if wish.keep == "tree" or wish.method == "rds":
            self.parent = device.empty(runs * n, np.int32)
            device.fill(self.parent, np.int32(NOBODY), runs * n)
        visited = wish.keep == "visited"
        self.named = device.zeros(runs * self.csr.arcs, np.int32) if visited else None
        self.order = device.empty(runs * n, np.int32)
        zeros = [device.zeros(runs, np.int32) for _ in range(4)]
        self.seen, self.tries, self.begin, self.end = zeros
        self.round, self.last = (device.zeros(runs, np.uint32) for _ in range(2))
        self.status = device.empty(runs, np.int32)
        device.fill(self.status, np.int32(WANTING), runs)
        self.wanted = n if wish.target is None else min(wish.target, n)
        self.target = device.empty(runs, np.int32)
        device.fill(self.target, np.int32(NOBODY if wish.target is None else self.wanted), runs)
        self.counts = device.empty(4, np.int32)
        self.initial = min(wish.starts or 1, n)
        self.queue = Queue(device, self.csr, runs, queue_room(n, self.initial, runs))
        self.given = Given.of(device, wish)
        self.build()

    @property
    def small(self) -> int:
        """Vertices of a stage that are a chain's."""
        return min(self.n, LAUNCH.of(self.device).small * self.runs)

    def build(self) -> None:
        device, wish, csr = self.device, self.wish, self.csr
        variant = {"METHOD": NUMBER[wish.method], **csr.defines}
        self.program = device.program("sampling/literature/stage", ITEMS=device.tuning.items, **variant)
        self.chain = device.program("sampling/literature/stage_chain", QUEUED=int(self.exact), **variant)
        forward, back = thresholds(wish.p), thresholds(wish.p * wish.r)
        limit = device.upload(np.array([*forward, *back, 0], np.uint64), writable=True)
        back_ptr = back_idx = None
        if back and wish.direction != "both" and self.view.original.directed:
            reverse = upload_csr(device, self.view.rows.reverse, wide=csr.offset is np.int64)
            back_ptr, back_idx = reverse.row_ptr, reverse.col_idx
        self.rules = {
            "most": wish.k,
            "limits": len(forward),
            "back_limits": len(back),
            "limit": limit,
            **csr.buffers,
            "back_ptr": back_ptr,
            "back_idx": back_idx,
        }
        self.rounds = UNSEEN if wish.stages is None else wish.stages
        self.head = {"n": self.n, "seed": self.seed}
        self.state = {
            "status": self.status,
            "from_": self.begin,
            "to": self.end,
            "round": self.round,
            "claim": self.claim,
            "parent": self.parent,
            "order": self.order,
            "seen": self.seen,
            "named": self.named,
        }

    # --- stages -----------------------------------------------------------------------------------

    def run(self) -> Drawn:
        """All stages of all runs, and what came of them."""
        going = [1]
        while any(going):
            going = self.go_on()
            if going[0]:
                self.queue.refill(self.seed, self.claim, self.status, WANTING)
        return self.pack()

    def go_on(self) -> list[int]:
        """Small stages, and then a large one of the runs that have it; how many wait, go on, had one."""
        device = self.device
        device.clear(self.counts, 4, np.int32)
        self.chain.stage_chain(
            self.runs,
            local=min(device.tuning.local_size, 4),
            **self.head,
            runs=self.runs,
            acts=LAUNCH.of(device).acts,
            small=self.small,
            rounds=self.rounds,
            **self.rules,
            initial=self.initial,
            **self.given.args,
            **self.queue.args,
            target=self.target,
            tries=self.tries,
            last=self.last,
            **self.state,
            counts=self.counts,
        )
        counts: list[int] = device.download(self.counts, np.int32, 4).tolist()
        if counts[2]:
            self.large(counts[3])
            self.program.stage_judge(
                -(-self.runs // device.tuning.items),
                runs=self.runs,
                rounds=self.rounds,
                target=self.target,
                seen=self.seen,
                from_=self.begin,
                to=self.end,
                round=self.round,
                last=self.last,
                status=self.status,
            )
        return counts[:3]

    def large(self, longest: int) -> None:
        """A stage of all runs that have a large one."""
        self.program.stage_act((longest, self.runs), **self.head, **self.rules, **self.state)

    # --- after ------------------------------------------------------------------------------------

    def pack(self) -> Drawn:
        """The sample of each run."""
        device, n, runs = self.device, self.n, self.runs
        key = device.empty(runs * n, np.uint64)
        passes = -(-n // device.tuning.items), runs
        self.program.stage_keys(
            passes, **self.head, claim=self.claim, last=self.last, queued=self.exact, key=key
        )
        vertices, _ = smallest(device, runs, n, key, self.wanted, keys=False)
        tries = device.download(self.tries, np.int32, runs).astype(np.int64)
        return Drawn(
            vertices,
            gathered(vertices, n, self.claim),
            None,
            None if self.named is None else marked_arcs(device, runs, self.csr.arcs, self.named),
            None if self.parent is None else gathered(vertices, n, self.parent),
            notes=died_out((tries - 1).tolist()),
            rounds=tries,
        )
