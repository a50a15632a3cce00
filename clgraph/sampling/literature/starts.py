"""Where walks and searches start: ids given, a vertex of the largest component, then by start priority."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.kept import graph_components
from clgraph.sampling.literature.smallest import Smallest
from clgraph.sampling.members import Members

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

QUEUE = 256  # starts that a run keeps in readiness


def pool_of(device: Device, graph: Graph) -> tuple[Any, int]:
    """The vertices of the largest component (of the undirected view), ascending, on a device; how many."""
    simple = graph.undirected.simple

    def make() -> tuple[Any, int]:
        largest = graph_components(device, simple).largest()
        n = simple.num_vertices
        number = device.empty(n, np.int32)
        found: tuple[Any, int] = Members(device).number(n, largest.label, largest.root, None, number)
        return found

    return device.cached(simple, "largest component's vertices", make)


@dataclass
class Queue:
    """The next starts of each run, ascending by (start priority, index).

    Attributes
    ----------
    room : int
        Entries of a run.
    vertices : int32 device buffer, shape (runs * room,)
    length : int32 device buffer, shape (runs,)
        -1: not asked for yet.
    next : int32 device buffer, shape (runs,)
        The first entry that was not looked at.
    """

    device: Device
    n: int
    runs: int
    room: int

    def __post_init__(self) -> None:
        self.vertices = self.device.zeros(1, np.int32)
        self.length = self.device.empty(self.runs, np.int32)
        self.device.fill(self.length, np.int32(-1), self.runs)
        self.next = self.device.zeros(self.runs, np.int32)
        self._filled = False

    def fill(self, key: Any, wanting: npt.NDArray[np.bool_]) -> None:
        """Fill the queues of some runs anew, from the keys of all vertices.

        Parameters
        ----------
        key : uint64 device buffer, shape (runs * n,)
            Start priorities; NONE: no start.
        wanting : bool array, shape (runs,)
        """
        device, runs, room = self.device, self.runs, self.room
        if not self._filled:
            self.vertices = device.zeros(runs * room, np.int32)
            self._filled = True
        smallest = Smallest(device, runs, self.n)
        cut = smallest.cut(key, np.where(wanting, room, -1))
        taken = smallest.take(key, cut, equal=True, keys=True)
        many = int(taken.offset[-1])
        vertex = device.download(taken.items, np.int32, many)
        keys = device.download(taken.keys, np.uint64, many)
        run = np.repeat(np.arange(runs), taken.total)
        order = np.lexsort((vertex, keys, run))
        queue = device.download(self.vertices, np.int32, runs * room).reshape(runs, room)
        length = device.download(self.length, np.int32, runs)
        following = device.download(self.next, np.int32, runs)
        queue[run, np.arange(many) - taken.offset[run]] = vertex[order]
        length[wanting] = taken.total[wanting]
        following[wanting] = 0
        device.write(self.vertices, queue)
        device.write(self.length, length)
        device.write(self.next, following)


def queue_room(n: int, walkers: int) -> int:
    """Entries of a queue: enough for one leg, and some more."""
    return min(n, max(walkers, QUEUE))
