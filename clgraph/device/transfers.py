"""Transfers between host and device: large ones in chunks through pinned memory, and staging areas.

A driver copies from and to ordinary memory through pinned memory of its own, one chunk after the other: 6 to
10 GB/s were measured where pinned memory takes 54. Here several chunks are on their way at once, and threads
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
CHUNK = 4 << 20  # bytes
SLOTS = 12  # chunks on their way at once
LARGE = 4 << 20  # bytes from which it pays


def map_whole(queues: Queues, buffer: Any, nbytes: int) -> npt.NDArray[np.uint8]:
    """Return a buffer's memory as an array of the host's, to read and to write; waits."""
    # NumPy's arrays hide what they are based on from the garbage collector: here the map, with its queue. A
    # user's queue leads back to the device, which would then never be freed, so the map has one of its own.
    queue = cl.CommandQueue.from_int_ptr(queues.queue.int_ptr, retain=True)
    access: Any = cl.map_flags.READ | cl.map_flags.WRITE
    kind: Any = np.uint8
    mapped: Any = cl.enqueue_map_buffer(queue, buffer, access, 0, (nbytes,), kind, is_blocking=True)
    found: npt.NDArray[np.uint8] = mapped[0]
    return found


class Pinned:
    """Pinned memory of a device's context, made when it is first used.

    Parameters
    ----------
    queues : Queues
    chunk : int
        Bytes of a chunk.
    """

    def __init__(self, queues: Queues, chunk: int = CHUNK) -> None:
        self._queues, self._chunk = queues, chunk
        self._lock = Lock()
        self._slots: list[npt.NDArray[np.uint8]] = []
        self._buffer: Any = None
        self._movers: ThreadPoolExecutor | None = None

    def _prepare(self) -> ThreadPoolExecutor:
        if self._movers is None:
            size, flags = self._chunk * SLOTS, cl.mem_flags
            self._buffer = cl.Buffer(self._queues.context, flags.READ_WRITE | flags.ALLOC_HOST_PTR, size)
            mapped = map_whole(self._queues, self._buffer, size)
            self._slots = [mapped[i * self._chunk : (i + 1) * self._chunk] for i in range(SLOTS)]
            self._movers = thread_pool(SLOTS, "clgraph-pinned")
        return self._movers

    def download(self, buffer: Any, array: npt.NDArray[Any], start: int) -> bool:
        """Fill an array with a buffer's bytes from `start` on; waits. False if another thread is at it."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            movers, whole = self._prepare(), array.reshape(-1).view(np.uint8)
            moving: list[Future[None]] = []
            try:
                for number, begin in enumerate(range(0, len(whole), self._chunk)):
                    if number >= SLOTS:
                        moving[number - SLOTS].result()
                    target = whole[begin : begin + self._chunk]
                    slot = self._slots[number % SLOTS][: len(target)]
                    event = cl.enqueue_copy(
                        self._queues.queue, slot, buffer, src_offset=start + begin, is_blocking=False
                    )
                    self._queues.queue.flush()
                    self._queues.note("download", len(target), event)
                    moving.append(movers.submit(_move, event, slot, target))
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
                begin = number * self._chunk
                slot = self._slots[number % SLOTS][: nbytes - begin]
                filling.append(readers.submit(read, slot.data, begin))

            chunks = -(-nbytes // self._chunk)
            try:
                for number in range(min(SLOTS, chunks)):
                    fill(number)
                for number in range(chunks):
                    filling[number].result()
                    begin = number * self._chunk
                    slot = self._slots[number % SLOTS][: nbytes - begin]
                    event = cl.enqueue_copy(queue, buffer, slot, dst_offset=start + begin, is_blocking=False)
                    copies.append(self._queues.note("upload", len(slot), event))
                    queue.flush()
                    if progress is not None:
                        progress(begin + len(slot))
                    if number + SLOTS < chunks:
                        fill(number + SLOTS)
            finally:
                for each in filling:
                    each.exception()  # waits: nobody writes to the slots any more
                queue.finish()
        finally:
            self._lock.release()
        return True


def _move(event: Any, slot: npt.NDArray[np.uint8], target: npt.NDArray[np.uint8]) -> None:
    event.wait()
    target[:] = slot
