"""A device's memory: buffers, transfers, cached values, and checks that what is needed fits.

Buffers are plain ``pyopencl.Buffer`` objects.
"""

from __future__ import annotations

import mmap
import weakref
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from clgraph.errors import CapacityError

if TYPE_CHECKING:
    from clgraph.device.hardware import Hardware
    from clgraph.device.launch import Kernel
    from clgraph.device.queues import Queues

T = TypeVar("T")
_FLAGS = cl.mem_flags
_LARGE_PAGE = 1 << 21


class HostBuffer(cl.Buffer):
    """A buffer whose memory is a host array; the array lives until the device has finished with it."""

    array: npt.NDArray[Any]
    retire: Callable[[Any], None]

    def __del__(self) -> None:
        # launched kernels may still read the array: `Memory` drops it after its next wait
        if hasattr(self, "retire"):
            self.retire(self.array)


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

    def __init__(self, memory: Memory, nbytes: int) -> None:
        self._memory, self._shared = memory, memory.shares
        self.buffer = memory.output(nbytes, np.uint8) if self._shared else memory.empty(nbytes, np.uint8)
        self._pinned = self.buffer
        self._map: Any = None
        if memory.pins:
            flags = _FLAGS.READ_WRITE | _FLAGS.ALLOC_HOST_PTR
            self._pinned = cl.Buffer(self.buffer.context, flags, nbytes)
        self.array = self._mapped(nbytes) if self._shared or memory.pins else np.empty(nbytes, np.uint8)
        self.array.fill(0)

    def _mapped(self, nbytes: int) -> npt.NDArray[np.uint8]:
        flags: Any = cl.map_flags.READ | cl.map_flags.WRITE
        array: Any
        array, _ = cl.enqueue_map_buffer(
            self._memory.queue, self._pinned, flags, 0, (nbytes,), np.dtype(np.uint8)
        )
        self._map = array.base
        kept: npt.NDArray[np.uint8] = array
        return kept

    def give(self, begin: int, end: int) -> None:
        """Let the device have the bytes from `begin` to `end`; does not wait if the memory is pinned."""
        part = self.array[begin:end]
        if self._shared:
            self._map.release(self._memory.queue)
        elif begin == end:
            return
        elif self._map is None:
            # from the beginning on: Oclgrind regards what is written at an offset as uninitialised
            self._memory.write(self.buffer, self.array[:end])
        else:
            cl.enqueue_copy(self._memory.queue, self.buffer, part, dst_offset=begin, is_blocking=False)

    def fetch(self, nbytes: int) -> npt.NDArray[np.uint8]:
        """The first bytes, as the device has written them; waits."""
        if self._shared:
            self.take_back()
        else:
            queue, array = self._memory.queue, self.array[:nbytes]
            self._memory.wait(lambda: cl.enqueue_copy(queue, array, self.buffer, is_blocking=True))
        return self.array[:nbytes]

    def take_back(self) -> None:
        """Let the host write again; waits until the device has finished with what was given."""
        if self._shared:
            self.array = self._mapped(len(self.array))
        else:
            self._memory.finish()


def _on_large_pages(count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """An uninitialised array, which starts on a 2 MiB boundary if it is large.

    NumPy asks the operating system for large pages from 4 MiB on, and these start at such boundaries only.
    Kernels that scatter their writes over a result then miss the TLB far less often, and there are 512 times
    fewer page faults.
    """
    nbytes = count * dtype.itemsize
    if nbytes < _LARGE_PAGE // 2:
        return np.empty(count, dtype)
    block = np.empty(nbytes + 2 * _LARGE_PAGE, np.uint8)  # untouched pages take no memory
    skip = -block.ctypes.data % _LARGE_PAGE
    return block[skip : skip + nbytes].view(dtype)


def _is_mapped_file(array: npt.NDArray[Any]) -> bool:
    """Whether an array is a view of a memory-mapped file."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, mmap.mmap)


class Memory:
    """The memory of one device.

    Parameters
    ----------
    hardware : Hardware
    queues : Queues
    fill_kernel : callable
        Gives the kernel ``fill_N`` of ``cl/device/memory_fill.cl`` for values of N bytes, for devices that
        fill by kernel.
    """

    def __init__(self, hardware: Hardware, queues: Queues, fill_kernel: Callable[[int], Kernel]) -> None:
        self._hardware = hardware
        self._queues = queues
        self._fill_kernel = fill_kernel
        self._quirks = hardware.quirks
        self._cached: dict[int, dict[Hashable, Any]] = {}
        self._retired: list[Any] = []
        self._unfreed: list[Any] = []

    def _check_buffer(self, name: str, nbytes: int) -> None:
        largest = self._hardware.max_buffer
        if nbytes > largest:
            raise CapacityError(
                f"{self._hardware}: {name} needs a buffer of {nbytes} bytes, the largest possible is "
                f"{largest} bytes"
            )

    def _no_room(self, nbytes: int, error: BaseException) -> CapacityError:
        return CapacityError(
            f"{self._hardware}: no room for a buffer of {nbytes} bytes (the device has "
            f"{self._hardware.global_memory} in all): {error}"
        )

    def _on_array(self, array: npt.NDArray[Any], access: int) -> HostBuffer:
        """A buffer whose memory is a host array."""
        try:
            buffer = HostBuffer(self._queues.context, access | _FLAGS.USE_HOST_PTR, hostbuf=array)
        except cl.Error as error:
            raise self._no_room(array.nbytes, error) from error
        buffer.array, buffer.retire = array, self._retire
        return buffer

    @property
    def queue(self) -> Any:
        """The device's main queue."""
        return self._queues.main

    @property
    def shares(self) -> bool:
        """Whether host and device are one memory."""
        return self._quirks.shares_memory

    @property
    def pins(self) -> bool:
        """Whether copies are faster from host memory that the driver has allocated."""
        return self._hardware.kind == "gpu"

    # --- buffers ----------------------------------------------------------------------------------

    def staging(self, nbytes: int) -> Staging:
        """Bytes for the host to write and the device to read."""
        try:
            return Staging(self, nbytes)
        except cl.Error as error:
            raise self._no_room(nbytes, error) from error

    def empty(self, count: int, dtype: npt.DTypeLike) -> Any:
        """A buffer of `count` values, uninitialised."""
        nbytes = count * np.dtype(dtype).itemsize
        self._check_buffer(f"an array of {count} {np.dtype(dtype)}", nbytes)
        if self._quirks.shares_memory and nbytes >= _LARGE_PAGE:
            return self.output(count, dtype)
        try:
            # OpenCL has no empty buffers
            buffer = cl.Buffer(self._queues.context, _FLAGS.READ_WRITE, max(nbytes, 16))
        except cl.Error as error:
            raise self._no_room(nbytes, error) from error
        if self._quirks.never_frees:
            self._unfreed.append(buffer)
        return buffer

    def zeros(self, count: int, dtype: npt.DTypeLike) -> Any:
        """A buffer of `count` zeros."""
        buffer = self.empty(count, dtype)
        self.fill(buffer, np.dtype(dtype).type(0), count)
        return buffer

    def fill(self, buffer: Any, value: np.generic, count: int) -> None:
        """Set the first `count` values of a buffer to a NumPy scalar, whose type is theirs; does not wait."""
        if not isinstance(value, np.generic):
            raise TypeError(
                f"fill: a NumPy scalar (np.int32(...)) is needed, not {type(value).__name__} {value!r}"
            )
        if count == 0:
            return
        if self._quirks.fills_by_kernel:
            bits = np.frombuffer(value.tobytes(), f"u{value.itemsize}")[0]
            self._fill_kernel(value.itemsize)(count, buffer, np.int64(count), bits)
        else:
            try:
                cl.enqueue_fill_buffer(
                    self._queues.main, buffer, np.asarray(value), 0, count * value.itemsize
                )
            except cl.Error as error:
                raise self._hardware.failure(error, f"fill of {count} {value.dtype}") from error

    def upload(self, array: npt.NDArray[Any], *, writable: bool = False) -> Any:
        """A buffer with an array's content.

        Parameters
        ----------
        array : array of any shape
        writable : bool
            Whether kernels may write to it. If so it is a copy on every device. Otherwise devices that share
            the host's memory use the array itself, which must not change while the buffer lives. (Two kinds
            of array are still copied once: those that do not start at a multiple of 128 bytes, by Intel's
            runtimes, see `clgraph.graph.aligned`; and large ones in a mapped file, to get larger pages.)

        Raises
        ------
        CapacityError
            If it does not fit; the message has both sizes.
        """
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        array = np.ascontiguousarray(array)
        shared = self._quirks.shares_memory
        if shared and array.nbytes >= _LARGE_PAGE and _is_mapped_file(array):
            # a mapped file has small pages, on which kernels with scattered reads take half as long again
            mapped, array = array, _on_large_pages(array.size, array.dtype).reshape(array.shape)
            array[...] = mapped
        if shared and not writable and array.nbytes and array.flags.aligned:
            self._check_buffer("an array", array.nbytes)
            return self._on_array(array, _FLAGS.READ_ONLY)
        buffer = self.empty(array.size, array.dtype)
        self.write(buffer, array)
        return buffer

    def download(self, buffer: Any, dtype: npt.DTypeLike, count: int, offset: int = 0) -> npt.NDArray[Any]:
        """`count` values of a buffer, from its `offset`-th value on, as an array; waits."""
        array = np.empty(count, dtype)
        if count:
            start = offset * array.itemsize
            self.wait(
                lambda: cl.enqueue_copy(self._queues.main, array, buffer, src_offset=start, is_blocking=True)
            )
        return array

    def output(self, count: int, dtype: npt.DTypeLike) -> Any:
        """A buffer for a result that `take` hands over; where memory is shared, it uses a new host array."""
        if not self._quirks.shares_memory or not count:
            return self.empty(count, dtype)
        array = _on_large_pages(count, np.dtype(dtype))
        self._check_buffer(f"an array of {count} {array.dtype}", array.nbytes)
        return self._on_array(array, _FLAGS.READ_WRITE)

    def take(self, buffer: Any, dtype: npt.DTypeLike, count: int) -> npt.NDArray[Any]:
        """The whole content of an `output` buffer; waits, and copies only where memory is not shared.

        The array may be the buffer's own memory, so nothing may write to the buffer afterwards.
        """
        if not isinstance(buffer, HostBuffer):
            return self.download(buffer, dtype, count)

        def map_once() -> None:  # OpenCL requires this before the host reads such an array
            seen, _ = cl.enqueue_map_buffer(
                self._queues.main, buffer, cl.map_flags.READ, 0, (count,), np.dtype(dtype), is_blocking=True
            )
            seen.base.release(self._queues.main)

        self.wait(map_once)
        return buffer.array

    def array(self, buffer: Any, dtype: npt.DTypeLike, count: int) -> Any:
        """The first `count` values of a buffer as a ``pyopencl.array.Array`` on this device's queue; no copy.

        The array keeps the buffer alive; nothing else may write to the buffer afterwards.
        """
        from pyopencl.array import Array

        return Array(self._queues.main, (count,), dtype, data=buffer)

    def write(self, buffer: Any, array: npt.NDArray[Any], offset: int = 0) -> None:
        """Copy an array into a buffer, from its `offset`-th value (of the array's dtype) on; waits."""
        array = np.ascontiguousarray(array)
        if array.nbytes:
            start = offset * array.itemsize
            self.wait(
                lambda: cl.enqueue_copy(self._queues.main, buffer, array, dst_offset=start, is_blocking=True)
            )

    def copy(self, dst: Any, src: Any, nbytes: int) -> None:
        """Copy the first `nbytes` bytes of a buffer to another; does not wait."""
        if nbytes:
            try:
                cl.enqueue_copy(self._queues.main, dst, src, byte_count=nbytes)
            except cl.Error as error:
                raise self._hardware.failure(error, f"copy of {nbytes} bytes") from error

    def finish(self) -> None:
        """Wait until everything enqueued has finished."""
        self.wait(self._queues.main.finish)

    def _retire(self, array: Any) -> None:
        self._retired.append(array)  # in whichever thread a buffer happens to be freed

    def wait(self, blocking: Callable[[], Any]) -> None:
        """Call what waits for the queue; what was retired before is then dropped."""
        # only what was retired before: other threads may launch and retire more while this one waits
        over, self._retired = self._retired, []
        try:
            blocking()
        except BaseException as error:
            self._retired += over
            if not isinstance(error, cl.Error):
                raise
            # NVIDIA reports a kernel's fault at the next call that waits
            reason = "the fault may lie in any kernel launched since the last wait"
            raise self._hardware.failure(error, reason) from error
        over.clear()  # the queue is in order: everything launched before has finished

    # --- cached values ----------------------------------------------------------------------------

    def cached(self, owner: Any, key: Hashable, make: Callable[[], T]) -> T:
        """The value of ``make()``, kept as long as `owner` lives or until `release`.

        Parameters
        ----------
        owner : object that can be weakly referenced
            For instance a Graph. The value must not refer to it (its arrays are fine), or neither would ever
            be freed.
        key : hashable
            Names the value among those of this owner.
        make : callable
            Called the first time only. (Two threads that are not within `Device.alone` may both call theirs;
            both get the same value.)
        """
        kept = self._cached.get(id(owner))
        if kept is None:
            kept = self._cached.setdefault(id(owner), {})  # two threads get the same one
            weakref.finalize(owner, self._cached.pop, id(owner), None).atexit = False
        try:
            value: T = kept[key]
        except KeyError:
            value = kept.setdefault(key, make())
        return value

    def reserve(self, needed: Mapping[str, int]) -> None:
        """Check that what is about to be allocated fits into the device's memory and largest buffer.

        Parameters
        ----------
        needed : mapping of name to bytes

        Raises
        ------
        CapacityError
            If it does not fit; the message has both sizes.
        """
        for name, nbytes in needed.items():
            self._check_buffer(name, nbytes)
        total, available = sum(needed.values()), self._hardware.global_memory
        if total > available:
            parts = ", ".join(f"{name} {nbytes}" for name, nbytes in needed.items())
            raise CapacityError(
                f"{self._hardware}: {total} bytes are needed ({parts}), the device has {available} bytes: "
                "use a smaller graph or a larger device"
            )

    def release(self) -> None:
        """Free every value that `cached` keeps."""
        for kept in list(self._cached.values()):  # graphs may be freed meanwhile
            kept.clear()
        self.finish()
