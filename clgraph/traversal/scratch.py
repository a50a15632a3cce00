"""Scratch areas of the searches of a graph: buffers made once, which one search after another works in.

A search borrows its area from a `clgraph.device.kept.Pool` that is kept with graph and device, so that two
threads may search the same graph. Nothing in the buffers is kept from one search to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.traversal.state import STATE_SIZE

if TYPE_CHECKING:
    from clgraph.csr.upload import DeviceCSR
    from clgraph.device import Device
    from clgraph.traversal.search_task import Shape

PLANES = 4  # bits of a distance to begin with: levels up to 15


@dataclass
class FrontierScratch:
    """For method "frontier": a byte a vertex for this level and the next one."""

    frontier: Any
    next: Any
    state: Any
    queue: None = None  # kernels that both methods share take the other one's buffers as None
    longs: None = None

    @classmethod
    def make(cls, dev: Device, n: int) -> FrontierScratch:
        """For a graph of `n` vertices."""
        sizes = {"frontier": n, "next": n, "state": 4 * STATE_SIZE}
        dev.reserve({"distance": 4 * n, "predecessor": 4 * n, **sizes})
        return cls(**{name: dev.empty(size, np.uint8) for name, size in sizes.items()})


@dataclass
class HybridScratch:
    """For method "hybrid": queues of vertices and of pieces of long rows, bitmaps (cl/traversal/search.h)."""

    queue: Any
    next_queue: Any
    longs: Any
    next_longs: Any
    visited: Any
    front: Any
    next: Any
    rest: Any
    state: Any
    frontier: None = None  # as in FrontierScratch
    moved: Any = None  # the frontier by partition, once an FPGA pulls in partitions

    @classmethod
    def make(cls, dev: Device, csr: DeviceCSR, shape: Shape) -> HybridScratch:
        """For a graph on a device."""
        n, arcs = csr.n, csr.arcs
        # a row of more than long_row arcs takes one piece more than it fills
        pieces = arcs // shape.long_row + arcs // shape.long_piece + 1
        words = -(-n // 32)
        sizes = {
            "queue": 4 * n,
            "next_queue": 4 * n,
            "longs": 8 * pieces,
            "next_longs": 8 * pieces,
            "visited": 4 * words,
            "front": 4 * words,
            "next": 4 * words,
            "rest": 4 * n if shape.team else 4,
            "state": 4 * STATE_SIZE,
        }
        dev.reserve({"distance": 4 * n, "predecessor": 4 * n, **sizes})
        return cls(**{name: dev.empty(size, np.uint8) for name, size in sizes.items()})

    def swap_queues(self) -> None:
        """The next level becomes this one."""
        self.queue, self.next_queue = self.next_queue, self.queue
        self.longs, self.next_longs = self.next_longs, self.longs

    def swap_bitmaps(self) -> None:
        """The same of the bitmaps."""
        self.front, self.next = self.next, self.front


@dataclass
class ManyScratch:
    """For many searches at once: a word of bits a vertex in each array (cl/traversal/many.h).

    `planes` holds distances of `bits` bits; it is widened where they do not fit and stays so.
    """

    seen: Any
    front: Any
    next: Any
    planes: Any
    stamp: Any
    queue: Any
    next_queue: Any
    state: Any
    bits: int = PLANES

    @classmethod
    def make(cls, dev: Device, n: int, lanes: int) -> ManyScratch:
        """For a graph of `n` vertices and batches of `lanes` searches."""
        words = lanes // 8 * n
        sizes = {
            "seen": words,
            "front": words,
            "next": words,
            "planes": PLANES * words,
            "stamp": 4 * n,
            "queue": 4 * n,
            "next_queue": 4 * n,
            "state": 4 * STATE_SIZE,
        }
        dev.reserve({**sizes, "distance": lanes * n})
        # `output` memory is on large pages where it is the host's: gathers from 8 bytes a vertex want them
        return cls(**{name: dev.output(size, np.uint8) for name, size in sizes.items()})

    def swap_fronts(self) -> None:
        """The next frontier's bits become this one's."""
        self.front, self.next = self.next, self.front

    def swap_queues(self) -> None:
        """The same of the queues."""
        self.queue, self.next_queue = self.next_queue, self.queue
