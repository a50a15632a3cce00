"""Queues of starts of walks and searches: host half of ``cl/sampling/literature/starts.cl``."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import running_sums
from clgraph.sampling.literature.smallest import Smallest

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device

# entries of a run's queue at least, and about the most of all runs' queues together
QUEUE, QUEUES = 256, 1 << 18
# up to this many entries of all runs are ranked by comparing each pair; more are dealt to buckets
RANKED = 2048
MARKS = {np.uint32: "uint", np.uint64: "ulong"}


class Queue:
    """The next `room` starts of each run, ascending by (start priority, index).

    `mark` is the type of what marks the vertices seen.

    Attributes
    ----------
    queue : int32 device buffer, shape (runs * room,)
    length : int32 device buffer, shape (runs,)
        -1: not asked for yet.
    next : int32 device buffer, shape (runs,)
        The first entry that was not looked at.
    """

    def __init__(self, device: Device, csr: DeviceCSR, runs: int, room: int, mark: Any = np.uint32) -> None:
        self.device, self.csr, self.n, self.runs, self.room = device, csr, csr.n, runs, room
        # most runs never need more than one start
        self.queue, self._filled = device.zeros(1, np.int32), False
        self.length, self.next = device.empty(runs, np.int32), device.zeros(runs, np.int32)
        device.fill(self.length, np.int32(-1), runs)
        self.items = device.tuning.items
        self._program = device.program(
            "sampling/literature/starts", ITEMS=self.items, MARK=MARKS[mark], **csr.defines
        )

    @property
    def args(self) -> dict[str, Any]:
        """room, queue, length, next: as kernels take them."""
        return {"room": self.room, "queue": self.queue, "length": self.length, "next": self.next}

    def refill(self, seed: int, mark: Any, status: Any, wanting: int, *, lonely: bool = True) -> None:
        """Fill the queues of the runs with the status `wanting` with vertices not seen.

        All bits of `mark` are set where a vertex is not seen (None: nowhere). `lonely`: also vertices without
        edges.
        """
        about = {"seed": seed, "mark": mark, "row_ptr": None if lonely else self.csr.row_ptr}
        about |= {"status": status, "wanting": wanting}
        wants = self.device.download(status, np.int32, self.runs) == wanting
        if self.few(wants, **about):
            return
        key = self.device.empty(self.runs * self.n, np.uint64)
        self._program.starts_keys.launch(self, (-(-self.n // self.items), self.runs), **about, key=key)
        self.fill(key, wants)

    def few(self, wants: npt.NDArray[np.bool_], **about: Any) -> bool:
        """Fill the queues with vertices of small priority, if there are enough of these."""
        device, n, runs = self.device, self.n, self.runs
        # as many are below the limit on average, if none is seen
        some = self.room + 8 * isqrt(self.room)
        most = 2 * some * int(np.count_nonzero(wants))
        # a list of candidates pays off only where it is much shorter than the keys of all vertices
        if 4 * some > n or most >= 2**31:
            return False
        count = device.zeros(runs + 1, np.int32)
        kinds = {"key": np.uint64, "vertex": np.int32, "owner": np.int32}
        entries = {name: device.empty(most, kind) for name, kind in kinds.items()}
        limits = {"limit": (some << 64) // n, "most": most}
        few, size = self._program.starts_few, (-(-n // self.items), runs)
        few.launch(self, size, **about, **limits, count=count, **entries)
        found = device.download(count, np.int32, runs + 1)
        if runs == 1:
            found[0] = found[1]
        if found[runs] > most or np.any(found[:runs][wants] < self.room):
            return False
        offset = np.concatenate(([0], np.cumsum(found[:runs], dtype=np.int64)))
        cut = device.empty(runs, np.uint64)
        device.fill(cut, np.uint64(limits["limit"]), runs)
        self.put(offset, **entries, cut=cut, wanting=wants)
        return True

    def fill(self, key: Any, wanting: npt.NDArray[np.bool_]) -> None:
        """Fill the queues of some runs anew, from the start priorities of all vertices (NONE: no start)."""
        smallest = Smallest(self.device, self.runs, self.n)
        cut = smallest.cut(key, np.where(wanting, self.room, -1))
        vertices, keys = smallest.take(key, cut, equal=True, keys=True)
        self.put(vertices.offset, keys.buffer, cut.key, vertices.buffer, None, wanting)

    def put(
        self,
        offset: npt.NDArray[np.int64],
        key: Any,
        cut: Any,
        vertex: Any,
        owner: Any,
        wanting: npt.NDArray[np.bool_],
    ) -> None:
        """Put entries into the queues of their runs, in order.

        `offset` says where each run's entries begin, once they are sorted by runs; `cut` has for each run a
        bound that none of its keys is above; `owner` has the run of each entry, or is None where they are
        sorted by runs.
        """
        device, runs, room, program = self.device, self.runs, self.room, self._program
        if not self._filled:
            self.queue, self._filled = device.zeros(runs * room, np.int32), True
        many = int(offset[-1])
        entries = {"many": many, "vertex": vertex, "key": key}
        if owner is not None and many <= RANKED:
            program.starts_rank.launch(self, many, **entries, owner=owner)
        elif many:
            passes, named = -(-many // self.items), {"many": many, "key": key, "cut": cut}
            named["offset"] = device.upload(offset, writable=True)
            count = device.zeros(many, np.int32)
            place, entry = device.empty(many, np.int32), device.empty(many, np.int32)
            program.starts_count.launch(self, passes, **named, owner=owner, count=count, place=place)
            before = running_sums(device, count, many, into=np.int32)
            named |= {"before": before, "entry": entry}
            program.starts_deal.launch(self, passes, **named, owner=owner, place=place)
            program.starts_place.launch(self, passes, **named, vertex=vertex)
        length, following = (device.download(each, np.int32, runs) for each in (self.length, self.next))
        length[wanting] = np.minimum(np.diff(offset), room)[wanting]
        following[wanting] = 0
        device.write(self.length, length)
        device.write(self.next, following)


def queue_room(n: int, walkers: int, runs: int) -> int:
    """Return the entries of a queue: enough for one leg, and some more."""
    return min(n, max(walkers, QUEUE, min(16 * QUEUE, QUEUES // runs)))
