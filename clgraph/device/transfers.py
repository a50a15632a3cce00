"""Transfers between host and device: large ones in pieces through pinned memory, and staging areas.

A driver copies from and to ordinary memory through pinned memory of its own, one piece after the other: 6 to
10 GB/s were measured where pinned memory takes 54. Here several pieces are on their way at once, and threads
move those that have arrived to where they belong, or read those that are to leave.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from clgraph.system import thread_pool

if TYPE_CHECKING:
    from clgraph.device.queues import Queues

Read = Callable[[memoryview, int], None]  # fills a view with the bytes from a place on
Tell = Callable[[int], None] | None  # called with the number of bytes done
PIECE = 4 << 20  # bytes
SLOTS = 12  # pieces on their way at once
LARGE = 4 << 20  # bytes from which it pays


class Pinned:
    """Pinned memory of a device's context, made when it is first used.

    Parameters
    ----------
    queues : Queues
    piece : int
        Bytes of a piece.
    """

    def __init__(self, queues: Queues, piece: int = PIECE) -> None:
        self._queues, self._piece = queues, piece
        self._lock = Lock()
        self._slots: list[npt.NDArray[np.uint8]] = []
        self._buffer: Any = None
        self._movers: ThreadPoolExecutor | None = None

    def _prepare(self) -> ThreadPoolExecutor:
        if self._movers is None:
            size, flags = self._piece * SLOTS, cl.mem_flags
            self._buffer = cl.Buffer(self._queues.context, flags.READ_WRITE | flags.ALLOC_HOST_PTR, size)
            access: Any = cl.map_flags.READ | cl.map_flags.WRITE
            kind: Any = np.uint8
            mapped: Any = cl.enqueue_map_buffer(
                self._queues.queue, self._buffer, access, 0, (size,), kind, is_blocking=True
            )[0]
            self._slots = [mapped[i * self._piece : (i + 1) * self._piece] for i in range(SLOTS)]
            self._movers = thread_pool(SLOTS, "clgraph-pinned")
        return self._movers

    def download(self, buffer: Any, array: npt.NDArray[Any], start: int) -> bool:
        """Fill an array with a buffer's bytes from `start` on; waits. False if another thread is at it."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            movers, target = self._prepare(), array.reshape(-1).view(np.uint8)
            moving: list[Future[None]] = []
            try:
                for number, begin in enumerate(range(0, len(target), self._piece)):
                    if number >= SLOTS:
                        moving[number - SLOTS].result()
                    there = target[begin : begin + self._piece]
                    here = self._slots[number % SLOTS][: len(there)]
                    event = cl.enqueue_copy(
                        self._queues.queue, here, buffer, src_offset=start + begin, is_blocking=False
                    )
                    self._queues.queue.flush()
                    self._queues.note("download", len(there), event)
                    moving.append(movers.submit(_move, event, here, there))
            finally:
                faults = [each.exception() for each in moving]  # waits: nobody writes to the array any more
            for fault in faults:
                if fault is not None:
                    raise fault
        finally:
            self._lock.release()
        return True

    def upload(self, buffer: Any, nbytes: int, read: Read, progress: Tell = None, *, start: int = 0) -> bool:
        """Fill a buffer from `start` on with what `read(view, offset)` gives; waits.

        False if another thread is at it.
        """
        if not self._lock.acquire(blocking=False):
            return False
        try:
            readers, queue = self._prepare(), self._queues.queue
            filling: list[Future[None]] = []
            copies: list[Any] = []

            def fill(number: int) -> None:
                if number >= SLOTS:
                    copies[number - SLOTS].wait()
                begin = number * self._piece
                here = self._slots[number % SLOTS][: nbytes - begin]
                filling.append(readers.submit(read, here.data, begin))

            pieces = -(-nbytes // self._piece)
            try:
                for number in range(min(SLOTS, pieces)):
                    fill(number)
                for number in range(pieces):
                    filling[number].result()
                    begin = number * self._piece
                    here = self._slots[number % SLOTS][: nbytes - begin]
                    event = cl.enqueue_copy(queue, buffer, here, dst_offset=start + begin, is_blocking=False)
                    copies.append(self._queues.note("upload", len(here), event))
                    queue.flush()
                    if progress is not None:
                        progress(begin + len(here))
                    if number + SLOTS < pieces:
                        fill(number + SLOTS)
            finally:
                for each in filling:
                    each.exception()  # waits: nobody writes to the slots any more
                queue.finish()
        finally:
            self._lock.release()
        return True


def _move(event: Any, here: npt.NDArray[np.uint8], there: npt.NDArray[np.uint8]) -> None:
    event.wait()
    there[:] = here
