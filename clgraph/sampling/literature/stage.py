"""Searches that spread: host half of ``cl/sampling/literature/stage.cl`` and ``stage_exact.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.upload import upload_csr
from clgraph.device.shapes import Shapes
from clgraph.sampling.literature.drawn import Drawn, Packed
from clgraph.sampling.literature.smallest import Smallest
from clgraph.sampling.literature.starts import Queue, pool_of, queue_room

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.arguments import Wish
    from clgraph.sampling.literature.view import View

NUMBER = {"snowball": 0, "ff": 1, "rds": 2}
WANTING = 1
UNSEEN = 2**32 - 1
NOBODY = 2**31 - 1


@dataclass(frozen=True)
class Shape:
    """Launch shape.

    Attributes
    ----------
    acts : int
        Vertices that act in one launch of a queue, each after the other.
    """

    acts: int


SHAPES = Shapes(gpu=Shape(acts=512), cpu=Shape(acts=1 << 16), simulator=Shape(acts=3))


def draw(device: Device, view: View, wish: Wish, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    return _Stages(device, view, wish, seed, runs).run()


def bytes_per_run(view: View, wish: Wish) -> int:
    """Device memory that one run takes, roughly."""
    arcs = 4 * view.rows.num_arcs if wish.keep == "visited" else 0
    return 28 * view.n + arcs


def thresholds(p: Fraction) -> list[int]:
    """floor(2^64 p^j), j = 1, 2, ..., as long as it is not 0."""
    made, top, bottom = [], p.numerator, p.denominator
    while (limit := (top << 64) // bottom) > 0:
        made.append(limit)
        top, bottom = top * p.numerator, bottom * p.denominator
    return made


class _Stages:
    def __init__(self, device: Device, view: View, wish: Wish, seed: int, runs: int) -> None:
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
        self.lists = [device.empty(runs * n, np.uint32) for _ in range(1 if self.exact else 2)]
        self.seen, self.fresh, self.tries, self.head = (device.zeros(runs, np.int32) for _ in range(4))
        self.last = device.zeros(runs, np.uint32)
        self.status = device.empty(runs, np.int32)
        device.fill(self.status, np.int32(WANTING), runs)
        self.target = device.empty(runs, np.int32)
        device.fill(self.target, np.int32(NOBODY if wish.target is None else min(wish.target, n)), runs)
        self.counts = device.empty(3, np.int32)
        self.queue = Queue(device, n, runs, queue_room(n, max(1, wish.starts or 1)))
        given = wish.start
        self.given = 0 if given is None else len(given)
        self.starts = None if given is None else device.upload(np.array(given, np.int32), writable=True)
        self.pool, self.pool_size = (None, 0)
        if given is None:
            self.pool, self.pool_size = pool_of(device, view.original)
        self.build()

    def build(self) -> None:
        device, wish, csr = self.device, self.wish, self.csr
        variant = {"METHOD": NUMBER[wish.method], **csr.defines}
        self.program = device.program("sampling/literature/stage", **variant)
        self.note = device.program("sampling/literature/walk_note", **csr.defines)
        forward, back = thresholds(wish.p), thresholds(wish.p * wish.r)
        self.limit = device.upload(np.array([*forward, *back, 0], np.uint64), writable=True)
        self.back_ptr = self.back_idx = None
        if back and wish.direction != "both" and self.view.original.directed:
            reverse = upload_csr(device, self.view.rows.reverse, wide=csr.offset is np.int64)
            self.back_ptr, self.back_idx = reverse.row_ptr, reverse.col_idx
        most = wish.k
        self.sizes = np.int32(most), np.int32(len(forward)), np.int32(len(back)), self.limit
        self.rows = csr.row_ptr, csr.col_idx, self.back_ptr, self.back_idx
        if self.exact:
            self.chain = device.program("sampling/literature/stage_exact", **variant)

    def tally(self) -> list[int]:
        made: list[int] = self.device.download(self.counts, np.int32, 3).tolist()
        return made

    # --- stages -----------------------------------------------------------------------------------

    def run(self) -> Drawn:
        """All stages of all runs, and what came of them."""
        self.device.fill(self.counts, np.int32(0), 3)
        self.begin(0)
        if self.exact:
            self.one_by_one()
        else:
            self.by_stages()
        return self.pack()

    def by_stages(self) -> None:
        device, rounds = self.device, self.wish.stages
        number = 0
        going = self.tally()
        while going[2] and (going[0] or going[1]):
            number += 1
            active, self.lists = self.lists[0], self.lists[::-1]
            device.fill(self.counts, np.int32(0), 3)
            self.program.stage_act(
                going[0],
                np.int32(self.n),
                np.uint64(self.seed),
                np.int32(going[0]),
                np.uint32(number),
                *self.sizes,
                *self.rows,
                active,
                self.status,
                self.claim,
                self.parent,
                self.lists[0],
                self.counts,
                self.seen,
                self.fresh,
                self.named,
            )
            self.program.stage_judge(
                self.runs,
                np.int32(self.runs),
                np.uint32(number),
                np.uint32(UNSEEN if rounds is None else rounds),
                self.target,
                self.seen,
                self.fresh,
                self.status,
                self.last,
                self.counts,
            )
            if self.tally()[1]:
                self.begin(number)
            going = self.tally()

    def one_by_one(self) -> None:
        device = self.device
        going = self.tally()
        while going[2]:
            device.fill(self.counts, np.int32(0), 3)
            self.chain.stage_queue(
                self.runs,
                np.int32(self.n),
                np.int32(self.runs),
                np.uint64(self.seed),
                np.int32(SHAPES.of(device).acts),
                *self.sizes,
                *self.rows,
                self.target,
                self.head,
                self.seen,
                self.status,
                self.claim,
                self.parent,
                self.lists[0],
                self.named,
                self.counts,
            )
            if self.tally()[1]:
                self.begin(0)
            going = self.tally()

    def begin(self, number: int) -> None:
        """Starts for the runs that want some."""
        device, queue = self.device, self.queue
        while True:
            counts = self.tally()
            device.write(self.counts, np.array([counts[0], 0, counts[2]], np.int32))
            self.program.stage_begin(
                self.runs,
                np.int32(self.n),
                np.int32(self.runs),
                np.uint64(self.seed),
                np.uint32(number),
                np.int32(min(self.wish.starts or 1, self.n)),
                np.int32(self.given),
                self.starts,
                np.int32(self.pool_size),
                self.pool,
                np.int32(queue.room),
                queue.vertices,
                queue.length,
                queue.next,
                self.target,
                self.seen,
                self.tries,
                self.status,
                self.last,
                self.claim,
                self.parent,
                self.lists[0],
                self.lists[0] if self.exact else None,
                self.counts,
            )
            if not self.tally()[1]:
                return
            key = device.empty(self.runs * self.n, np.uint64)
            self.program.stage_start_keys((self.n, self.runs), *self.head_of(), self.claim, key)
            queue.fill(key, device.download(self.status, np.int32, self.runs) == WANTING)

    def head_of(self) -> tuple[Any, Any]:
        return np.int32(self.n), np.uint64(self.seed)

    # --- after ------------------------------------------------------------------------------------

    def pack(self) -> Drawn:
        """The sample of each run."""
        device, wish, n, runs = self.device, self.wish, self.n, self.runs
        key = device.empty(runs * n, np.uint64)
        self.program.stage_keys((n, runs), *self.head_of(), self.claim, self.last, np.int32(self.exact), key)
        smallest = Smallest(device, runs, n)
        target = n if wish.target is None else min(wish.target, n)
        taken = smallest.take(key, smallest.cut(key, np.full(runs, target, np.int64)), equal=True)
        many, longest = int(taken.offset[-1]), int(taken.total.max(initial=0))
        vertices = device.download(taken.items, np.int32, many)
        offset = device.upload(taken.offset, writable=True)
        when, priority = device.empty(max(many, 1), np.uint32), device.empty(max(many, 1), np.uint64)
        listed = offset, taken.items
        self.program.stage_came((longest, runs), *self.head_of(), *listed, self.claim, when, priority)
        came = self.ranks(
            taken.offset,
            vertices,
            device.download(when, np.uint32, many),
            device.download(priority, np.uint64, many),
        )
        parent = None
        if self.parent is not None:
            out = device.empty(max(many, 1), np.int32)
            self.note.walk_gather((longest, runs), np.int32(n), np.int64(0), *listed, self.parent, out)
            parent = Packed(taken.offset, device.download(out, np.int32, many))
        arcs = None
        if self.named is not None:
            named = device.download(self.named, np.int32, runs * self.csr.arcs).reshape(runs, -1)
            arcs = Packed.of_parts([np.flatnonzero(row) for row in named])
        tries = device.download(self.tries, np.int32, runs).astype(np.int64)
        notes: list[tuple[str, ...]] = [
            (f"it died out, and {each - 1} further starts were made",) if each > 1 else () for each in tries
        ]
        packed = Packed(taken.offset, vertices)
        return Drawn(packed, Packed(taken.offset, came), None, arcs, parent, None, {}, notes, tries)

    def ranks(
        self,
        offset: npt.NDArray[np.int64],
        vertices: npt.NDArray[np.int32],
        when: npt.NDArray[np.uint32],
        priority: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.uint64]:
        """Ranks of arrival: by stage, then by (priority, index); of a queue as they are in it."""
        if self.exact:
            return when.astype(np.uint64)
        run = np.repeat(np.arange(self.runs), np.diff(offset))
        order = np.lexsort((vertices, priority, when, run))
        rank = np.empty(len(order), np.uint64)
        rank[order] = np.arange(len(order), dtype=np.uint64)
        return rank
