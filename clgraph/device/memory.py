"""A device's memory: buffers, transfers, and checks that requests fit.

Buffers are ``pyopencl.Buffer`` objects. Their classes say what their elements are, so that a kernel checks
that once for all buffers of the same classes (`clgraph.device.launch`); those of uint8 are memory for all.
"""

from __future__ import annotations

import gc
import itertools
import mmap
import weakref
from collections import deque
from collections.abc import Callable, Mapping
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from clgraph.device import drivers
from clgraph.device.graph_cache import GraphCache
from clgraph.device.hardware import Without
from clgraph.device.queues import Queues
from clgraph.device.transfers import LARGE, Pinned, Read, Tell, map_whole
from clgraph.errors import CapacityError
from clgraph.system import ahead, cores, watch_forks

if TYPE_CHECKING:
    from clgraph.device.launch import Kernel


_FLAGS = cl.mem_flags
MOST_READERS = 8  # threads that read a file at a time
LARGE_PAGE = 1 << 21  # bytes
_memories: weakref.WeakSet[Memory] = weakref.WeakSet()
_parents: list[Any] = []  # in a forked process: what it has of its parent's drivers


# When an object is freed, only methods of dictionaries and deques run: Python drops what is raised in a
# finalizer or a callback that is written in Python, and that may be a KeyboardInterrupt.


class OwnBuffer(cl.Buffer):
    """A buffer that the device has allocated; its size is counted as long as it lives."""


class _Sized(weakref.ref[OwnBuffer]):
    """A reference to a buffer, with the size that it had."""

    __slots__ = ("size",)
    size: int


class HostBuffer(cl.Buffer):
    """A buffer whose memory is a host array, which `Memory` keeps until the device has finished with it."""

    array: npt.NDArray[Any]


B = TypeVar("B", bound=cl.Buffer)
T = TypeVar("T")


@cache
def _of_elements(kind: type[B], dtype: np.dtype[Any]) -> type[B]:
    """Return the class of buffers whose elements have a type."""
    if dtype == np.uint8:
        return kind
    return type(kind.__name__, (kind,), {"dtype": dtype})


def on_large_pages(count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """An uninitialised array, which starts on a 2 MiB boundary if it is large.

    NumPy asks the operating system for large pages from 4 MiB on, and these start at such boundaries only.
    Kernels that scatter their writes over a result then miss the TLB far less often, and there are 512 times
    fewer page faults.
    """
    nbytes = count * dtype.itemsize
    if nbytes < LARGE_PAGE // 2:
        return np.empty(count, dtype)
    block = np.empty(nbytes + 2 * LARGE_PAGE, np.uint8)  # untouched pages take no memory
    skip = -block.ctypes.data % LARGE_PAGE
    return block[skip : skip + nbytes].view(dtype)


def is_mapped_file(array: npt.NDArray[Any]) -> bool:
    """True if an array is a view of a memory-mapped file."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, mmap.mmap)


class Memory(Queues):
    """A device with its memory.

    Parameters
    ----------
    raw, spec, without, context, queue
        See `Queues`.

    Attributes
    ----------
    graph_cache : clgraph.device.graph_cache.GraphCache
        What is cached for graphs, and dropped when memory is short.
    """

    def __init__(self, raw: Any, spec: str, without: Without, context: Any = None, queue: Any = None) -> None:
        super().__init__(raw, spec, without, context, queue)
        self.graph_cache = GraphCache(self.finish)
        self._counting, self._mapping = Lock(), Lock()
        self._pinned = Pinned(self)
        self._used = 0
        self.peak = 0  # the most that `allocated` has been; whoever measures sets it back
        self._own: dict[int, _Sized] = {}  # of the buffers in the device's own memory
        self._gone: deque[Any] = deque()  # of those that are freed, in whichever thread that happened
        # arrays that are a buffer's memory, by a number: kernels may read them after the buffer is freed
        self._lent: dict[int, tuple[weakref.ref[HostBuffer], npt.NDArray[Any]]] = {}
        self._numbers = itertools.count()
        self._unfreed: list[Any] = []
        _memories.add(self)

    def _fill_kernel(self, itemsize: int) -> Kernel:
        """The kernel ``fill_N`` of ``cl/device/memory_fill.cl``, for devices that fill by kernel."""
        raise NotImplementedError

    def _too_large(self, nbytes: int, what: str) -> CapacityError:
        return CapacityError(
            f"{self}: {what} needs a buffer of {nbytes} bytes, the largest possible is "
            f"{self.max_buffer} bytes"
        )

    def _no_room(self, nbytes: int, error: BaseException) -> CapacityError:
        return CapacityError(
            f"{self}: no room for a buffer of {nbytes} bytes (the device has "
            f"{self.global_memory} in all): {error}{self.graph_cache.summary()}"
        )

    def _on_array(self, array: npt.NDArray[Any], access: int) -> HostBuffer:
        """A buffer whose memory is a host array."""
        if array.nbytes > self.max_buffer:
            raise self._too_large(array.nbytes, f"an array of {array.size} {array.dtype}")
        try:
            kind = _of_elements(HostBuffer, array.dtype)
            buffer = kind(self.context, access | _FLAGS.USE_HOST_PTR, hostbuf=array)
        except cl.Error as error:
            raise self._no_room(array.nbytes, error) from error
        buffer.array = array
        self._lent[next(self._numbers)] = weakref.ref(buffer), array
        return buffer

    # --- buffers ----------------------------------------------------------------------------------

    def empty(self, count: int, dtype: npt.DTypeLike) -> Any:
        """A buffer of `count` values, uninitialised."""
        kind = np.dtype(dtype)
        nbytes = max(count * kind.itemsize, 16)  # OpenCL has no empty buffers
        if nbytes > self.max_buffer:
            raise self._too_large(nbytes, f"an array of {count} {kind}")
        if self.shares_memory and nbytes >= LARGE_PAGE:
            return self.output(count, dtype)
        self._make_room(nbytes)
        of_kind = _of_elements(OwnBuffer, kind)
        while True:
            try:
                buffer = of_kind(self.context, _FLAGS.READ_WRITE, nbytes)
                break
            except cl.Error as error:
                if not self.graph_cache.drop_one():
                    raise self._no_room(nbytes, error) from error
        known = _Sized(buffer, self._gone.append)
        known.size = buffer.size
        with self._counting:
            self._used += known.size
            self._own[id(known)] = known
        self.peak = max(self.peak, self.allocated)
        if self.quirks.never_frees:
            self._unfreed.append(buffer)
        return buffer

    @property
    def allocated(self) -> int:
        """Bytes in buffers of the device's own memory."""
        with self._counting:
            while self._gone:
                known = self._gone.popleft()
                if self._own.pop(id(known), None) is not None:  # else an interrupt came before it was counted
                    self._used -= known.size
            return self._used

    @staticmethod
    def bits(buffer: Any) -> Any:
        """Return the same memory for a kernel that reads words of another size than the elements."""
        return cl.Buffer.from_int_ptr(buffer.int_ptr, retain=True)

    def zeros(self, count: int, dtype: npt.DTypeLike) -> Any:
        """A buffer of `count` zeros."""
        buffer = self.empty(count, dtype)
        self.fill(buffer, np.dtype(dtype).type(0), count)
        return buffer

    def clear(self, buffer: Any, count: int, dtype: npt.DTypeLike) -> None:
        """Set the first `count` values of a buffer to zero; does not wait."""
        self.fill(buffer, np.dtype(dtype).type(0), count)

    def fill(self, buffer: Any, value: np.generic, count: int) -> None:
        """Set the first `count` values of a buffer to a NumPy scalar, whose type is theirs; does not wait."""
        if not isinstance(value, np.generic):
            raise TypeError(
                f"fill: a NumPy scalar (np.int32(...)) is needed, not {type(value).__name__} {value!r}"
            )
        if count == 0:
            return
        if self.quirks.fills_by_kernel:
            bits = np.frombuffer(value.tobytes(), f"u{value.itemsize}")[0]
            self._fill_kernel(value.itemsize)(count, buffer=buffer, count=count, value=bits)
        else:
            try:
                cl.enqueue_fill_buffer(self.queue, buffer, np.asarray(value), 0, count * value.itemsize)
            except cl.Error as error:
                raise self.failure(error, f"fill of {count} {value.dtype}") from error

    def upload(self, array: npt.NDArray[Any], *, writable: bool = False) -> Any:
        """A buffer with an array's content.

        Parameters
        ----------
        array : array of any shape
        writable : bool
            Whether kernels may write to it. If so it is a copy on every device. Otherwise devices that share
            the host's memory use the array itself, which must not change while the buffer lives. (Two kinds
            of array are still copied once: those that do not start at a multiple of 128 bytes, by Intel's
            runtimes, see `clgraph.graph.arrays`; and large ones in a mapped file, to get larger pages.)

        Raises
        ------
        CapacityError
            If it does not fit; the message has both sizes.
        """
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        array = np.ascontiguousarray(array)
        shared = self.shares_memory
        if shared and array.nbytes >= LARGE_PAGE and is_mapped_file(array):
            # a mapped file has small pages, on which kernels with scattered reads take half as long again
            mapped, array = array, on_large_pages(array.size, array.dtype).reshape(array.shape)
            array[...] = mapped
        if shared and not writable and array.nbytes and array.flags.aligned:
            return self._on_array(array, _FLAGS.READ_ONLY)
        buffer = self.empty(array.size, array.dtype)
        self.write(buffer, array)
        return buffer

    def load(self, count: int, dtype: npt.DTypeLike, read: Read, progress: Tell = None) -> Any:
        """A buffer of `count` values for kernels to read, of bytes that `read` fills in; waits.

        Parameters
        ----------
        count : int
        dtype : dtype
        read : callable
            Called in several threads with a view and the offset of its first byte.
        progress : callable, optional
            Called with the bytes done, in this thread.
        """
        kind = np.dtype(dtype)
        nbytes = count * kind.itemsize
        if nbytes > self.max_buffer:
            raise self._too_large(nbytes, f"an array of {count} {kind}")
        if nbytes >= LARGE and not self.shares_memory:
            buffer = self.empty(count, kind)
            if self.wait(lambda: self._pinned.upload(buffer, nbytes, read, progress)):
                return buffer
        array = on_large_pages(count, kind)
        view = array.view(np.uint8).data
        begins = range(0, nbytes, LARGE)
        parts = ((view[begin : begin + LARGE], begin) for begin in begins)
        for begin, _ in zip(begins, ahead(read, parts, min(cores(), MOST_READERS)), strict=True):
            if progress is not None:
                progress(min(begin + LARGE, nbytes))
        return self.upload(array)

    def download(self, buffer: Any, dtype: npt.DTypeLike, count: int, offset: int = 0) -> npt.NDArray[Any]:
        """`count` values of a buffer, from its `offset`-th value on, as an array; waits."""
        array = on_large_pages(count, np.dtype(dtype))
        self.fetch(buffer, array, offset)
        return array

    def fetch(self, buffer: Any, array: npt.NDArray[Any], offset: int = 0) -> None:
        """Fill a contiguous array with values of a buffer, from its `offset`-th value on; waits."""
        start, nbytes = offset * array.itemsize, array.nbytes
        if not nbytes:
            return
        large = nbytes >= LARGE and not self.shares_memory
        if large and self.wait(partial(self._pinned.download, buffer, array, start)):
            return
        event = self.wait(
            partial(cl.enqueue_copy, self.queue, array, buffer, src_offset=start, is_blocking=True)
        )
        if self.notes is not None:
            self.note("download", nbytes, event)

    def output(self, count: int, dtype: npt.DTypeLike) -> Any:
        """A buffer for a result that `take` hands over; where memory is shared, it uses a new host array."""
        if not self.shares_memory or not count:
            return self.empty(count, dtype)
        return self._on_array(on_large_pages(count, np.dtype(dtype)), _FLAGS.READ_WRITE)

    def take(self, buffer: Any, dtype: npt.DTypeLike, count: int) -> npt.NDArray[Any]:
        """The whole content of an `output` buffer; waits, and copies only where memory is not shared.

        The array may be the buffer's own memory, so nothing may write to the buffer afterwards.
        """
        if not isinstance(buffer, HostBuffer):
            return self.download(buffer, dtype, count)

        if drivers.parent:  # before the lock, which a thread of the parent may have held at the fork
            raise drivers.forked()
        # OpenCL requires that an array is mapped before the host reads it
        mapped = (self.queue, buffer, cl.map_flags.READ, 0, (count,), np.dtype(dtype))
        with self._mapping:  # PoCL finds what is mapped by its address: twice at once, and it may not
            seen, _ = self.wait(partial(cl.enqueue_map_buffer, *mapped, is_blocking=True))
            seen.base.release(self.queue)
        return buffer.array

    def array(self, buffer: Any, dtype: npt.DTypeLike, count: int) -> Any:
        """The first `count` values of a buffer as a ``pyopencl.array.Array`` on this device's queue; no copy.

        The array keeps the buffer alive; nothing else may write to the buffer afterwards.
        """
        from pyopencl.array import Array

        return Array(self.queue, (count,), dtype, data=buffer)

    def write(self, buffer: Any, array: npt.NDArray[Any], offset: int = 0) -> None:
        """Copy an array into a buffer, from its `offset`-th value (of the array's dtype) on; waits."""
        array = np.ascontiguousarray(array)
        start = offset * array.itemsize
        data = array.reshape(-1).view(np.uint8)

        def read(view: memoryview, begin: int) -> None:
            # NumPy releases the GIL, a memoryview does not
            np.frombuffer(view, np.uint8)[:] = data[begin : begin + len(view)]

        if not array.nbytes:
            return
        large = array.nbytes >= LARGE and not self.shares_memory
        if large and self.wait(partial(self._pinned.upload, buffer, array.nbytes, read, start=start)):
            return
        event = self.wait(
            partial(cl.enqueue_copy, self.queue, buffer, array, dst_offset=start, is_blocking=True)
        )
        self.note("upload", array.nbytes, event)

    def copy(self, dst: Any, src: Any, nbytes: int, *, offset: int = 0) -> None:
        """Copy the first `nbytes` bytes of a buffer to another, from its `offset` on; does not wait."""
        if nbytes:
            try:
                event = cl.enqueue_copy(self.queue, dst, src, byte_count=nbytes, dst_offset=offset)
                self.note("copy", nbytes, event)
            except cl.Error as error:
                raise self.failure(error, f"copy of {nbytes} bytes") from error

    def finish(self) -> None:
        """Wait until everything enqueued has finished."""
        self.wait(self.queue.finish)

    def wait(self, blocking: Callable[[], T]) -> T:
        """Call a function that waits for the queue, then release the host arrays of freed buffers.

        Raises
        ------
        DeviceError
            If the driver reports a fault, and in a process that was forked from one that had used OpenCL:
            results that are still on the device come this way, wherever they are looked at.
        """
        if drivers.parent:
            raise drivers.forked()
        # only those whose buffers are freed already: other threads may launch and free more meanwhile
        over = [number for number, (buffer, _) in list(self._lent.items()) if buffer() is None]
        try:
            value = blocking()
            if over:
                # Intel's runtimes write to a new buffer while earlier kernels are still running
                self.queue.finish()
        except cl.Error as error:
            # NVIDIA reports a kernel's fault at the next call that waits
            reason = "the fault may lie in any kernel launched since the last wait"
            raise self.failure(error, reason) from error
        for number in over:  # the queue is in order: everything launched before has finished
            self._lent.pop(number, None)
        return value

    def live_buffers(self) -> list[Any]:
        """The buffers that have not been freed."""
        known: list[Any] = [*self._own.values(), *(buffer for buffer, _ in self._lent.values())]
        return [buffer for buffer in (each() for each in known) if buffer is not None]

    # --- room ------------------------------------------------------------------------------------------

    def _make_room(self, nbytes: int) -> None:
        """Drop cached values, least recently used first, until an allocation of `nbytes` fits."""
        room = self.global_memory - nbytes
        while self.allocated > room and self.graph_cache.drop_one():
            pass

    def reserve(self, needed: Mapping[str, int]) -> None:
        """Check that planned allocations fit into the device's memory and largest buffer.

        Parameters
        ----------
        needed : mapping of name to bytes

        Raises
        ------
        CapacityError
            If it does not fit; the message has both sizes.
        """
        for name, nbytes in needed.items():
            if nbytes > self.max_buffer:
                raise self._too_large(nbytes, name)
        total, available = sum(needed.values()), self.global_memory
        if total > available:
            parts = ", ".join(f"{name} {nbytes}" for name, nbytes in needed.items())
            raise CapacityError(
                f"{self}: {total} bytes are needed ({parts}), the device has {available} bytes: "
                f"use a smaller graph or a larger device{self.graph_cache.summary()}"
            )
        self._make_room(total)


def _keep_parents() -> None:
    # to free a buffer, a kernel or an event is to call its driver, where a thread that this process lacks may
    # have held a lock
    for memory in _memories:
        _parents.extend(memory.live_buffers())
        _parents.extend(dict(cache.values) for cache in memory.graph_cache.owners.values())
    # a program and its kernels are a circle, which a collection would free
    if drivers.parent:
        gc.freeze()


watch_forks(_keep_parents)


class Staging:
    """Memory for repeated transfers between host and device, in either direction.

    Where memory is shared they are one and the same; elsewhere they are copied from memory that the driver
    has pinned, at the full speed of the bus.

    Attributes
    ----------
    buffer : device buffer, uint8
    array : uint8 array
        Belongs to the host from `take_back` or `fetch` (or the beginning) to `give`.
    """

    def __init__(self, memory: Memory, nbytes: int) -> None:
        self._memory, self._shared = memory, memory.shares_memory
        self.array: npt.NDArray[np.uint8] = np.empty(0, np.uint8)
        self.buffer = memory.output(nbytes, np.uint8)
        # what is mapped: the buffer, or memory that the driver has pinned for the host's side
        self._seen: Any = self.buffer if self._shared else None
        try:
            if memory.kind == "gpu":
                self._seen = cl.Buffer(memory.context, _FLAGS.READ_WRITE | _FLAGS.ALLOC_HOST_PTR, nbytes)
            self._map_memory(nbytes)
        except cl.Error as error:
            raise memory.failure(error, f"{nbytes} bytes to pass data in") from error

    def part(self, begin: int, nbytes: int) -> Any:
        """A buffer of some of the bytes, for kernels."""
        try:
            return self.buffer.get_sub_region(begin, nbytes)
        except cl.Error as error:
            raise self._memory.failure(error, f"a part of {nbytes} bytes") from error

    def _map_memory(self, nbytes: int) -> None:
        if self._seen is None:
            self.array = np.empty(nbytes, np.uint8)
            return
        self.array = map_whole(self._memory, self._seen, nbytes)

    def give(self, begin: int, end: int) -> None:
        """Let the device have the bytes from `begin` to `end`; does not wait if the memory is pinned."""
        if self._shared:
            base: Any = self.array.base
            base.release(self._memory.queue)
        elif self._seen is None:
            # from the beginning on: Oclgrind regards what is written at an offset as uninitialised
            self._memory.write(self.buffer, self.array[:end])
        else:
            self.give_array(self.array[begin:end], begin)

    def fetch(self, nbytes: int) -> npt.NDArray[np.uint8]:
        """The first bytes, as the device has written them; waits."""
        if self._shared:
            self.take_back()
        elif nbytes:
            queue, array = self._memory.queue, self.array[:nbytes]
            event = self._memory.wait(lambda: cl.enqueue_copy(queue, array, self.buffer, is_blocking=True))
            self._memory.note("download", nbytes, event)
        return self.array[:nbytes]

    def start_fetch(self, nbytes: int) -> Callable[[], npt.NDArray[np.uint8]]:
        """Start a `fetch`; the function returned waits. With pinned memory the device works meanwhile."""
        if self._shared or self._seen is None or not nbytes:
            found = self.fetch(nbytes)
            return lambda: found
        queue, array = self._memory.queue, self.array[:nbytes]
        try:
            event = cl.enqueue_copy(queue, array, self.buffer, is_blocking=False)
            queue.flush()
        except cl.Error as error:
            raise self._memory.failure(error, f"download of {nbytes} bytes") from error
        self._memory.note("download", nbytes, event)

        def wait() -> npt.NDArray[np.uint8]:
            self._memory.wait(event.wait)
            return array

        return wait

    def give_array(self, array: npt.NDArray[np.uint8], begin: int) -> None:
        """Let the device have the bytes of another array from place `begin` on; on GPUs.

        Does not wait: whoever calls keeps the array as it is until the queue has been waited for. Where it
        is pinned, by this context or another one, the host does not copy it.
        """
        memory, nbytes = self._memory, len(array)
        if nbytes:
            try:
                event = cl.enqueue_copy(memory.queue, self.buffer, array, dst_offset=begin, is_blocking=False)
            except cl.Error as error:
                raise memory.failure(error, f"upload of {nbytes} bytes") from error
            memory.note("upload", nbytes, event)

    def take_back(self) -> None:
        """Let the host write again; waits until the device has finished with the bytes given."""
        if self._shared:
            self._memory.wait(lambda: self._map_memory(len(self.array)))
        else:
            self._memory.finish()
