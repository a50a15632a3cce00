"""Memory that the host and a device pass to each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

if TYPE_CHECKING:
    from clgraph.device.device import Device


class Staging:
    """Bytes that pass between the host and a device, again and again, in either direction.

    Where memory is shared they are one and the same; elsewhere they are copied from memory that the driver
    has pinned, at the full speed of the bus.

    Attributes
    ----------
    buffer : device buffer, uint8
    array : uint8 array
        Belongs to the host from `take_back` or `fetch` (or the beginning) to `give`.
    """

    def __init__(self, device: Device, nbytes: int) -> None:
        self._device, self._shared = device, device.shares_memory
        self._map: Any = None
        self.array: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
        try:
            if self._shared:
                self.buffer = self._seen = device.output(nbytes, np.uint8)
            else:
                self.buffer = device.empty(nbytes, np.uint8)
                flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
                self._seen = cl.Buffer(device.context, flags, nbytes) if device.kind == "gpu" else None
            self._map_memory(nbytes)
        except cl.Error as error:
            raise device.hardware.failure(error, f"{nbytes} bytes to pass data in") from error

    def _map_memory(self, nbytes: int) -> None:
        if self._seen is None:
            self.array = np.empty(nbytes, np.uint8)
            return
        flags: Any = cl.map_flags.READ | cl.map_flags.WRITE
        seen: Any = cl.enqueue_map_buffer(
            self._device.queue, self._seen, flags, 0, (nbytes,), np.dtype(np.uint8)
        )
        self.array = seen[0]
        self._map = self.array.base

    def give(self, begin: int, end: int) -> None:
        """Let the device have the bytes from `begin` to `end`; does not wait if the memory is pinned."""
        if self._shared:
            self._map.release(self._device.queue)
        elif self._map is None:
            # from the beginning on: Oclgrind regards what is written at an offset as uninitialised
            self._device.write(self.buffer, self.array[:end])
        elif begin < end:
            part = self.array[begin:end]
            cl.enqueue_copy(self._device.queue, self.buffer, part, dst_offset=begin, is_blocking=False)

    def fetch(self, nbytes: int) -> npt.NDArray[np.uint8]:
        """The first bytes, as the device has written them; waits."""
        if self._shared:
            self.take_back()
        elif nbytes:
            queue, array = self._device.queue, self.array[:nbytes]
            self._device.memory.wait(lambda: cl.enqueue_copy(queue, array, self.buffer, is_blocking=True))
        return self.array[:nbytes]

    def start_fetch(self, nbytes: int) -> Callable[[], npt.NDArray[np.uint8]]:
        """`fetch`, but the function returned waits, if the memory is pinned: the device goes on meanwhile."""
        if self._shared or self._map is None or not nbytes:
            found = self.fetch(nbytes)
            return lambda: found
        queue, array = self._device.queue, self.array[:nbytes]
        event = cl.enqueue_copy(queue, array, self.buffer, is_blocking=False)
        queue.flush()

        def wait() -> npt.NDArray[np.uint8]:
            self._device.memory.wait(event.wait)
            return array

        return wait

    def give_array(self, array: npt.NDArray[np.uint8], begin: int) -> None:
        """Let the device have the bytes of another array from place `begin` on; on GPUs.

        Does not wait: whoever calls keeps the array as it is until the queue has been waited for. Where it
        is pinned, by this context or another one, the host does not copy it.
        """
        if len(array):
            cl.enqueue_copy(self._device.queue, self.buffer, array, dst_offset=begin, is_blocking=False)

    def take_back(self) -> None:
        """Let the host write again; waits until the device has finished with what was given."""
        if self._shared:
            self._device.memory.wait(lambda: self._map_memory(len(self.array)))
        else:
            self._device.finish()
