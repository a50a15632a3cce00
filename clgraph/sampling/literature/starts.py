"""Where walks and searches start: ids given, a vertex of the largest component, then by start priority.

Host half of ``cl/sampling/literature/starts.cl``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.finder import graph_components
from clgraph.csr.sort import sort_by_key
from clgraph.sampling.literature.smallest import Smallest
from clgraph.sampling.members import Members

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.graph import Graph
    from clgraph.sampling.request import Request

QUEUE, QUEUES = 256, 1 << 18  # starts that a run keeps in readiness at least; and up to so many of all runs
RANKED = 2048  # so many entries of all runs are compared with each other; more are sorted
MARKS = {np.uint32: "uint", np.uint64: "ulong"}


def pool_of(device: Device, graph: Graph) -> tuple[Any, int]:
    """The vertices of the largest component (of the undirected view), ascending, on a device; how many."""
    simple = graph.undirected.without_self_loops

    def make() -> tuple[Any, int]:
        largest = graph_components(device, simple).largest()
        n = simple.num_vertices
        number = device.empty(n, np.int32)
        found: tuple[Any, int] = Members(device).number(n, largest.label, largest.root, None, number)
        return found

    return device.cached(simple, "largest component's vertices", make)


class Queue:
    """The next starts of each run, ascending by (start priority, index); and those that are given.

    Parameters
    ----------
    device : Device
    csr : DeviceCSR
        The rows.
    runs : int
    room : int
        Entries of a run.
    mark : {np.uint32, np.uint64}
        The type of what tells the vertices seen.

    Attributes
    ----------
    vertices : int32 device buffer, shape (runs * room,)
    length : int32 device buffer, shape (runs,)
        -1: not asked for yet.
    next : int32 device buffer, shape (runs,)
        The first entry that was not looked at.
    """

    def __init__(self, device: Device, csr: DeviceCSR, runs: int, room: int, mark: Any = np.uint32) -> None:
        self.device, self.csr, self.runs, self.room = device, csr, runs, room
        self.vertices = device.zeros(1, np.int32)
        self.length = device.empty(runs, np.int32)
        device.fill(self.length, np.int32(-1), runs)
        self.next = device.zeros(runs, np.int32)
        self._filled = False
        items = device.tuning.items
        name = "sampling/literature/starts"
        self._program = device.program(name, ITEMS=items, MARK=MARKS[mark], **csr.defines)

    @property
    def args(self) -> dict[str, Any]:
        """room, vertices, length, next: as kernels take them."""
        return {"room": self.room, "queue": self.vertices, "length": self.length, "next": self.next}

    def refill(self, seed: int, mark: Any, status: Any, wanting: int, *, lonely: bool = True) -> None:
        """Fill the queues of the runs that want it with vertices not seen; `lonely`: those without edges too.

        Parameters
        ----------
        seed : int
        mark : device buffer, shape (runs * n,), or None
            All bits set where a vertex is not seen. None: none is seen.
        status : int32 device buffer, shape (runs,)
        wanting : int
            The status of the runs that want it.
        """
        device, n = self.device, self.csr.n
        row_ptr = None if lonely else self.csr.row_ptr
        wants = device.download(status, np.int32, self.runs) == wanting
        if self.few(seed, mark, row_ptr, status, wants, wanting):
            return
        key = device.empty(self.runs * n, np.uint64)
        self._program.starts_keys(
            (-(-n // device.tuning.items), self.runs),
            n=n,
            seed=seed,
            mark=mark,
            row_ptr=row_ptr,
            status=status,
            wanting=wanting,
            key=key,
        )
        self.fill(key, wants)

    def few(
        self, seed: int, mark: Any, row_ptr: Any, status: Any, wants: npt.NDArray[np.bool_], wanting: int
    ) -> bool:
        """Fill the queues with vertices of small priority, if there are enough of these."""
        device, n, runs = self.device, self.csr.n, self.runs
        some = self.room + 8 * isqrt(self.room)  # as many are below the limit on average, if none is seen
        most = 2 * some * int(np.count_nonzero(wants))
        if 4 * some > n or most >= 2**31:
            return False
        count = device.zeros(runs + 1, np.int32)
        kinds = {"key": np.uint64, "vertex": np.int32, "owner": np.int32}
        entries = {name: device.empty(most, kind) for name, kind in kinds.items()}
        self._program.starts_few(
            (-(-n // device.tuning.items), runs),
            n=n,
            runs=runs,
            seed=seed,
            limit=(some << 64) // n,
            most=most,
            mark=mark,
            row_ptr=row_ptr,
            status=status,
            wanting=wanting,
            count=count,
            **entries,
        )
        found = device.download(count, np.int32, runs + 1)
        if found[runs] > most or np.any(found[:runs][wants] < self.room):
            return False
        offset = np.concatenate(([0], np.cumsum(found[:runs], dtype=np.int64)))
        self.place(offset, **entries, wanting=wants)
        return True

    def fill(self, key: Any, wanting: npt.NDArray[np.bool_]) -> None:
        """Fill the queues of some runs anew, from the keys of all vertices.

        Parameters
        ----------
        key : uint64 device buffer, shape (runs * n,)
            Start priorities; all bits set: no start.
        wanting : bool array, shape (runs,)
        """
        device, runs, room = self.device, self.runs, self.room
        smallest = Smallest(device, runs, self.csr.n)
        cut = smallest.cut(key, np.where(wanting, room, -1))
        taken = smallest.take(key, cut, equal=True, keys=True)
        self.place(taken.offset, taken.keys, taken.items, None, wanting)

    def place(
        self, offset: npt.NDArray[np.int64], key: Any, vertex: Any, owner: Any, wanting: npt.NDArray[np.bool_]
    ) -> None:
        """Put entries into the queues of their runs, in order.

        Parameters
        ----------
        offset : int64 array, shape (runs + 1,)
            Where each run's entries begin, once they are sorted by runs.
        key : uint64 device buffer
        vertex : int32 device buffer
        owner : int32 device buffer, or None
            The run of each entry; None: they are in order, by runs and indices.
        wanting : bool array, shape (runs,)
        """
        device, runs, room = self.device, self.runs, self.room
        if not self._filled:
            self.vertices = device.zeros(runs * room, np.int32)
            self._filled = True
        many = int(offset[-1])
        if owner is not None and many <= RANKED:
            self._program.starts_rank(
                many, many=many, room=room, owner=owner, vertex=vertex, key=key, queue=self.vertices
            )
        else:
            self._sort(many, device.upload(offset, writable=True), key, vertex, owner)
        length = device.download(self.length, np.int32, runs)
        following = device.download(self.next, np.int32, runs)
        length[wanting] = np.minimum(np.diff(offset), room)[wanting]
        following[wanting] = 0
        device.write(self.length, length)
        device.write(self.next, following)

    def _sort(self, many: int, start: Any, key: Any, vertex: Any, owner: Any) -> None:
        """The vertices of the queues by a radix sort of keys, then runs."""
        device, runs, room = self.device, self.runs, self.room
        passes, place = -(-many // device.tuning.items), None
        for shift, bits in (
            (96, 0 if owner is None else (self.csr.n - 1).bit_length()),
            (0, 32),
            (32, 32),
            (64, (runs - 1).bit_length()),
        ):
            if bits and many:
                word = device.empty(many, np.uint32)
                self._program.starts_words(
                    passes,
                    many=many,
                    shift=shift,
                    runs=runs,
                    offset=start,
                    owner=owner,
                    vertex=vertex,
                    key=key,
                    place=place,
                    word=word,
                )
                _, place = sort_by_key(device, word, many, bits, place)
        self._program.starts_place(
            passes,
            many=many,
            runs=runs,
            room=room,
            offset=start,
            vertex=vertex,
            place=place,
            queue=self.vertices,
        )


@dataclass(frozen=True)
class Given:
    """Where runs begin.

    Attributes
    ----------
    count : int
        Starts that the user gave; 0: none.
    vertices : int32 device buffer, shape (count,), or None
    pool_size : int
    pool : int32 device buffer, or None
        Of which the first start is drawn, where none is given.
    """

    count: int
    vertices: Any
    pool_size: int
    pool: Any

    @staticmethod
    def of(device: Device, wish: Request, *, pooled: bool = True) -> Given:
        """Those of a wish; `pooled`: without any, a vertex of the largest component is the first."""
        if wish.start is not None:
            made = device.upload(np.array(wish.start, np.int32), writable=True)
            return Given(len(wish.start), made, 0, None)
        pool, size = pool_of(device, wish.view.original) if pooled else (None, 0)
        return Given(0, None, size, pool)

    @property
    def args(self) -> dict[str, Any]:
        """As kernels take them."""
        return {"given": self.count, "starts": self.vertices, "pool_size": self.pool_size, "pool": self.pool}


def died_out(further: list[int]) -> list[tuple[str, ...]]:
    """A note for each run that made so many further starts; none for 0."""
    return [(f"it died out, and {each} further starts were made",) if each > 0 else () for each in further]


def queue_room(n: int, walkers: int, runs: int) -> int:
    """Entries of a queue: enough for one leg, and some more."""
    return min(n, max(walkers, QUEUE, min(16 * QUEUE, QUEUES // runs)))
