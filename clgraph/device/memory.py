"""A device's memory: buffers, uploads that are kept, and holding what is needed against what there is.

The half of `clgraph.device.Device` that deals with bytes. Buffers are plain ``pyopencl.Buffer`` objects.
"""

from __future__ import annotations

import mmap
import weakref
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from clgraph.device.hardware import Hardware
from clgraph.errors import CapacityError, DeviceError

if TYPE_CHECKING:
    from clgraph.device.program import Program

T = TypeVar("T")
_FLAGS = cl.mem_flags
_LARGE_PAGE = 1 << 21


class HostBuffer(cl.Buffer):
    """A buffer that is a host array; keeps the array until the device has finished with it."""

    array: npt.NDArray[Any]
    retire: Callable[[Any], None]

    def __del__(self) -> None:
        # launched kernels may still be reading: the device lets go of the array when it has next waited
        if hasattr(self, "retire"):
            self.retire(self.array)


def _on_large_pages(count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """An uninitialised array that begins on a 2 MiB boundary, if it is large.

    NumPy asks the kernel for large pages from 4 MiB on, and they begin at such boundaries only. Kernels that
    write here and there all over a result then miss the TLB much less, and there are 512 times fewer page
    faults.
    """
    nbytes = count * dtype.itemsize
    if nbytes < _LARGE_PAGE // 2:
        return np.empty(count, dtype)
    block = np.empty(nbytes + 2 * _LARGE_PAGE, np.uint8)  # what is not touched takes no memory
    skip = -block.ctypes.data % _LARGE_PAGE
    return block[skip : skip + nbytes].view(dtype)


def _is_mapped_file(array: npt.NDArray[Any]) -> bool:
    """Whether an array lies in a file's pages."""
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, mmap.mmap)


class Memory(Hardware):
    """What a Device does with bytes."""

    def __init__(self) -> None:
        self._kept: dict[int, dict[Hashable, Any]] = {}
        self._retired: list[Any] = []
        self._unfreed: list[Any] = []

    def _check_buffer(self, name: str, nbytes: int) -> None:
        if nbytes > self.max_buffer:
            raise CapacityError(
                f"{self.spec} ({self.name}): {name} needs a buffer of {nbytes} bytes, "
                f"the largest possible is {self.max_buffer} bytes"
            )

    def _no_room(self, nbytes: int, error: BaseException) -> CapacityError:
        return CapacityError(
            f"{self.spec} ({self.name}): no room for a buffer of {nbytes} bytes "
            f"(the device has {self.global_memory} in all): {error}"
        )

    # --- buffers ----------------------------------------------------------------------------------

    def empty(self, count: int, dtype: npt.DTypeLike) -> Any:
        """A buffer of `count` values, uninitialised."""
        nbytes = count * np.dtype(dtype).itemsize
        self._check_buffer(f"an array of {count} {np.dtype(dtype)}", nbytes)
        if self.shares_memory and nbytes >= _LARGE_PAGE:
            return self.output(count, dtype)
        try:
            # OpenCL knows no empty buffer
            buffer = cl.Buffer(self.context, _FLAGS.READ_WRITE, max(nbytes, 16))
        except cl.Error as error:
            raise self._no_room(nbytes, error) from error
        if self.never_frees:
            self._unfreed.append(buffer)
        return buffer

    def zeros(self, count: int, dtype: npt.DTypeLike) -> Any:
        """A buffer of `count` zeros."""
        buffer = self.empty(count, dtype)
        self.fill(buffer, np.dtype(dtype).type(0), count)
        return buffer

    def fill(self, buffer: Any, value: np.generic, count: int) -> None:
        """Set the first `count` values of a buffer to a NumPy scalar, which says their type; no wait."""
        if not isinstance(value, np.generic):
            raise TypeError(
                f"fill: a NumPy scalar (np.int32(...)) is needed, not {type(value).__name__} {value!r}"
            )
        if count == 0:
            return
        if self.fills_by_kernel:
            bits = np.frombuffer(value.tobytes(), f"u{value.itemsize}")[0]
            self._fill_kernel(value.itemsize)(count, buffer, np.int64(count), bits)
        else:
            try:
                cl.enqueue_fill_buffer(self.queue, buffer, np.asarray(value), 0, count * value.itemsize)
            except cl.Error as error:
                raise self.failure(error, f"fill of {count} {value.dtype}") from error

    def _fill_kernel(self, itemsize: int) -> Any:
        return getattr(self.program("device/memory_fill"), f"fill_{itemsize}")

    def program(self, name: str, **defines: Any) -> Program:
        """Build a kernel file (see `Device.program`)."""
        raise NotImplementedError

    def upload(self, array: npt.NDArray[Any], *, writable: bool = False) -> Any:
        """A buffer with an array's content.

        Parameters
        ----------
        array : array of any shape
        writable : bool
            Whether kernels may write it: then it is a copy on every device. Read-only buffers of devices
            that share the host's memory are the array itself, which must not change while the buffer lives.
            (Two are copied once: what is not at a multiple of 128 bytes, by Intel's runtimes, see
            `clgraph.graph.aligned`; and a large one in a mapped file, onto larger pages.)

        Raises
        ------
        CapacityError
            If it does not fit; with both figures.
        """
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        array = np.ascontiguousarray(array)
        if self.shares_memory and array.nbytes >= _LARGE_PAGE and _is_mapped_file(array):
            # a file's pages are small ones: kernels that read here and there take half as long again on them
            mapped, array = array, _on_large_pages(array.size, array.dtype).reshape(array.shape)
            array[...] = mapped
        if self.shares_memory and not writable and array.nbytes and array.flags.aligned:
            self._check_buffer("an array", array.nbytes)
            try:
                shared = HostBuffer(self.context, _FLAGS.READ_ONLY | _FLAGS.USE_HOST_PTR, hostbuf=array)
            except cl.Error as error:
                raise self._no_room(array.nbytes, error) from error
            shared.array, shared.retire = array, self._retired.append
            return shared
        buffer = self.empty(array.size, array.dtype)
        self.write(buffer, array)
        return buffer

    def download(self, buffer: Any, dtype: npt.DTypeLike, count: int, offset: int = 0) -> npt.NDArray[Any]:
        """`count` values of a buffer from the `offset`-th value on, as an array; waits."""
        array = np.empty(count, dtype)
        if count:
            start = offset * array.itemsize
            self._wait(lambda: cl.enqueue_copy(self.queue, array, buffer, src_offset=start, is_blocking=True))
        return array

    def output(self, count: int, dtype: npt.DTypeLike) -> Any:
        """A buffer for a result that `take` hands over: a host array of its own where memory is shared."""
        if not self.shares_memory or not count:
            return self.empty(count, dtype)
        array = _on_large_pages(count, np.dtype(dtype))
        self._check_buffer(f"an array of {count} {array.dtype}", array.nbytes)
        try:
            shared = HostBuffer(self.context, _FLAGS.READ_WRITE | _FLAGS.USE_HOST_PTR, hostbuf=array)
        except cl.Error as error:
            raise self._no_room(array.nbytes, error) from error
        shared.array, shared.retire = array, self._retired.append
        return shared

    def take(self, buffer: Any, dtype: npt.DTypeLike, count: int) -> npt.NDArray[Any]:
        """The content of an `output` buffer, whole; waits, and copies only where memory is not shared.

        The array may be the buffer itself: nothing may write to the buffer any more.
        """
        if not isinstance(buffer, HostBuffer):
            return self.download(buffer, dtype, count)

        def map_once() -> None:  # what OpenCL asks for before the host looks at such an array
            seen, _ = cl.enqueue_map_buffer(
                self.queue, buffer, cl.map_flags.READ, 0, (count,), np.dtype(dtype), is_blocking=True
            )
            seen.base.release(self.queue)

        self._wait(map_once)
        return buffer.array

    def array(self, buffer: Any, dtype: npt.DTypeLike, count: int) -> Any:
        """The first `count` values of a buffer as a ``pyopencl.array.Array`` on this device's queue; no copy.

        The array keeps the buffer; nothing else may write to it any more.
        """
        from pyopencl.array import Array

        return Array(self.queue, (count,), dtype, data=buffer)

    def write(self, buffer: Any, array: npt.NDArray[Any], offset: int = 0) -> None:
        """Put an array into a buffer from its `offset`-th value (of the array's dtype) on; waits."""
        array = np.ascontiguousarray(array)
        if array.nbytes:
            start = offset * array.itemsize
            self._wait(lambda: cl.enqueue_copy(self.queue, buffer, array, dst_offset=start, is_blocking=True))

    def copy(self, dst: Any, src: Any, nbytes: int) -> None:
        """Copy the first `nbytes` bytes of a buffer to another; does not wait."""
        if nbytes:
            try:
                cl.enqueue_copy(self.queue, dst, src, byte_count=nbytes)
            except cl.Error as error:
                raise self.failure(error, f"copy of {nbytes} bytes") from error

    def finish(self) -> None:
        """Wait for everything enqueued."""
        self._wait(self.queue.finish)

    def _wait(self, blocking: Callable[[], Any]) -> None:
        try:
            blocking()
        except cl.Error as error:
            # NVIDIA reports a kernel's fault at the next call that waits
            raise self.failure(
                error, "the fault may be of any kernel launched since the last wait"
            ) from error
        self._retired.clear()  # the queue is in order: whatever was launched before has finished

    def failure(self, error: Exception, doing: str) -> DeviceError:
        """An OpenCL error as one of ours, with the device named."""
        text = f"{self.spec} ({self.name}): {error} ({doing})"
        return CapacityError(text) if isinstance(error, cl.MemoryError) else DeviceError(text)

    # --- kept uploads -----------------------------------------------------------------------------

    def cached(self, owner: Any, key: Hashable, make: Callable[[], T]) -> T:
        """The value of ``make()``, kept as long as `owner` lives or until `release`.

        Parameters
        ----------
        owner : object that can be weakly referenced
            A Graph, say. The value must not refer to it (to its arrays it may), or both would live for ever.
        key : hashable
            What the value is, among those kept for this owner.
        make : callable
            Called at the first time.
        """
        kept = self._kept.get(id(owner))
        if kept is None:
            kept = self._kept.setdefault(id(owner), {})  # two threads get the same one
            weakref.finalize(owner, self._kept.pop, id(owner), None).atexit = False
        if key not in kept:
            kept.setdefault(key, make())
        value: T = kept[key]
        return value

    def reserve(self, needed: Mapping[str, int]) -> None:
        """Hold what is about to be allocated against the device's memory and largest buffer.

        Parameters
        ----------
        needed : mapping of name to bytes

        Raises
        ------
        CapacityError
            With both figures.
        """
        for name, nbytes in needed.items():
            self._check_buffer(name, nbytes)
        total = sum(needed.values())
        if total > self.global_memory:
            parts = ", ".join(f"{name} {nbytes}" for name, nbytes in needed.items())
            raise CapacityError(
                f"{self.spec} ({self.name}): {total} bytes are needed ({parts}), "
                f"the device has {self.global_memory} bytes; a smaller graph or a larger device will do"
            )

    def release(self) -> None:
        """Free everything that `cached` keeps."""
        for kept in self._kept.values():
            kept.clear()
        self.finish()
