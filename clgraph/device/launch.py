"""Launching kernels with little overhead: a hot loop launches thousands and must not wait for Python."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pyopencl as cl

from clgraph.device.queues import Note
from clgraph.errors import DeviceError

if TYPE_CHECKING:
    from clgraph.device.queues import Queues

Size = int | tuple[int, ...]

# whether an argument of this type is a scalar; filled as types occur (isinstance takes a microsecond each)
_is_scalar: dict[type, bool] = {}


@dataclass(frozen=True)
class Launch:
    """A kernel launch: see `record_launches`."""

    program: str
    kernel: str
    pipeline: bool
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]


# the lists that a thread's launches are appended to, with the thread; normally there are none
_recorders: tuple[tuple[int, list[Launch]], ...] = ()
_recorders_lock = threading.Lock()


@contextmanager
def record_launches() -> Iterator[list[Launch]]:
    """Record every launch of this thread, on any device, while the block runs."""
    global _recorders
    mine = threading.get_ident(), list[Launch]()
    with _recorders_lock:
        _recorders = (*_recorders, mine)
    try:
        yield mine[1]
    finally:
        with _recorders_lock:
            _recorders = tuple(other for other in _recorders if other is not mine)


class Kernel:
    """A kernel, ready to be launched on its device's queue; launches do not wait.

    Made by `clgraph.device.program.Program`. Arguments belong to the kernel, so a lock keeps other threads
    away from the first argument set until the launch is enqueued: that is enough for one launch. (Launches
    that belong together are made within `Device.alone`, as every public call does.)

    A pipeline (a single-work-item kernel of ``cl/fpga/``) has the same arguments as the kernel of that name
    for ranges. It is always launched with one work-item, whatever size the caller asks for: the arguments
    tell its loops how far to run.
    """

    __slots__ = (
        "_default",
        "_kernel",
        "_launched",
        "_local",
        "_lock",
        "_queues",
        "_set_null",
        "_set_scalars",
        "limit",
        "name",
        "num_args",
        "partner",
        "pipeline",
        "program",
    )

    def __init__(
        self,
        queues: Queues,
        kernel: Any,
        name: str,
        *,
        program: str = "",
        pipeline: bool = False,
        partner: Any = None,
    ) -> None:
        hardware = queues.hardware
        self.name = name
        self.program = program
        self.pipeline = pipeline
        self.partner = partner
        self._kernel = kernel
        self._queues = queues
        self._launched = queues.launched
        self._lock = threading.Lock()
        self.num_args: int = kernel.num_args
        ask = cl.kernel_work_group_info
        # NVIDIA reports a limit of 256 for every kernel, even one that requires and gets more
        demanded = prod(kernel.get_work_group_info(ask.COMPILE_WORK_GROUP_SIZE, hardware.raw))
        self.limit: int = demanded or kernel.get_work_group_info(ask.WORK_GROUP_SIZE, hardware.raw)
        self.limit = min(self.limit, hardware.max_work_group)
        self._local = max(1, min(hardware.tuning.local_size, self.limit))
        in_local = kernel.get_work_group_info(ask.LOCAL_MEM_SIZE, hardware.raw)
        if in_local > hardware.local_memory:
            raise DeviceError(
                f"{hardware}: kernel {name} of cl/{program}.cl needs {in_local} bytes of local memory, the "
                f"device has {hardware.local_memory}"
            )
        self._default = (self._local,)
        # the public set_arg takes 30 us for a NumPy scalar, the private call of pyopencl's invoker under 1 us
        self._set_scalars = getattr(kernel, "_set_arg_buf_multi", None) or self._set_slowly
        # and before pyopencl 2026.1.3 set_arg refuses None
        self._set_null = getattr(kernel, "_set_arg_null", None) or (lambda index: kernel.set_arg(index, None))

    def _set_slowly(self, pairs: tuple[Any, ...]) -> None:
        for index, arg in zip(pairs[::2], pairs[1::2], strict=True):
            self._kernel.set_arg(index, arg)

    def _launch_with_partner(self, args: tuple[Any, ...]) -> Any:
        """Launch two pipelines joined by a channel: the second one on the second queue, in step with ours.

        Returns our event, that of the pipeline on the main queue.
        """
        other, queue = self._queues.second, self._queues.main
        for index, arg in enumerate(args):
            self.partner.set_arg(index, arg)
        before = cl.enqueue_marker(queue)
        queue.flush()
        theirs = cl.enqueue_nd_range_kernel(other, self.partner, (1,), (1,), wait_for=[before])
        other.flush()
        event = cl.enqueue_nd_range_kernel(queue, self._kernel, (1,), (1,))
        cl.enqueue_barrier(queue, wait_for=[theirs])
        return event

    def __call__(self, size: Size, *args: Any, local: Size | None = None) -> None:
        """Enqueue over `size` work-items, padded to whole work-groups (the kernel must check its range).

        Parameters
        ----------
        size : int or tuple of int
            Number of work-items; nothing is launched for 0.
        *args : pyopencl.Buffer, NumPy scalar, pyopencl.LocalMemory or None
            In the kernel's order; scalars in the kernel's own types (a bare Python number is a TypeError).
        local : int or tuple of int, optional
            Work-group size; by default that of the launch table, or the kernel's limit if that is smaller.
        """
        if local is None and not isinstance(size, tuple):
            self._launch((-(-size // self._local) * self._local,), self._default, args)
            return
        sizes = size if isinstance(size, tuple) else (size,)
        if local is None:
            locals_ = self._default + (1,) * (len(sizes) - 1)
        else:
            locals_ = local if isinstance(local, tuple) else (local,)
        self._check(locals_)
        self._launch(tuple([-(-s // w) * w for s, w in zip(sizes, locals_, strict=True)]), locals_, args)

    def exact(self, size: Size, *args: Any, local: Size) -> None:
        """Enqueue over exactly `size` work-items in groups of `local`, which must divide it.

        Raises
        ------
        DeviceError
            If `local` does not divide `size`, or exceeds what the device allows for this kernel.
        """
        sizes = size if isinstance(size, tuple) else (size,)
        locals_ = local if isinstance(local, tuple) else (local,)
        if any(s % w for s, w in zip(sizes, locals_, strict=True)):
            raise DeviceError(
                f"kernel {self.name}: global size {sizes} is not a multiple of local size {locals_}"
            )
        self._check(locals_)
        self._launch(sizes, locals_, args)

    def _check(self, locals_: tuple[int, ...]) -> None:
        most = self._queues.hardware.max_work_group
        if prod(locals_) > most and not self.pipeline:
            raise DeviceError(
                f"{self._queues.hardware}: kernel {self.name} of cl/{self.program}.cl needs a work-group of "
                f"{prod(locals_)} work-items, the device takes {most} at most"
            )

    def _launch(self, sizes: tuple[int, ...], locals_: tuple[int, ...], args: tuple[Any, ...]) -> None:
        if len(args) != self.num_args:
            raise TypeError(f"kernel {self.name} takes {self.num_args} arguments, {len(args)} were given")
        if 0 in sizes:
            return
        self._launched[self.pipeline] += 1
        if self.pipeline:
            sizes = locals_ = (1,)
        for thread, noted in _recorders:
            if thread == threading.get_ident():
                noted.append(Launch(self.program, self.name, self.pipeline, sizes, locals_))
        kernel = self._kernel
        scalars: list[Any] = []
        try:
            with self._lock:
                for index, arg in enumerate(args):
                    scalar = _is_scalar.get(type(arg))
                    if scalar is None:
                        scalar = self._learn(index, arg)
                    if scalar:
                        scalars += (index, arg)
                    elif arg is None:
                        self._set_null(index)
                    else:
                        kernel.set_arg(index, arg)
                if scalars:
                    self._set_scalars(tuple(scalars))
                if self.partner is not None:
                    event = self._launch_with_partner(args)
                else:
                    event = cl.enqueue_nd_range_kernel(self._queues.main, kernel, sizes, locals_)
            if self._queues.notes is not None:
                nbytes = sum(arg.size for arg in args if isinstance(arg, cl.Buffer))
                self._queues.notes.append(Note(self.name, f"cl/{self.program}.cl", nbytes, event, sizes))
        except cl.Error as error:
            raise self._failure(error, sizes, locals_, args) from error

    def _learn(self, index: int, arg: Any) -> bool:
        if not isinstance(arg, (np.generic, cl.MemoryObjectHolder, cl.LocalMemory, type(None))):
            raise TypeError(
                f"kernel {self.name}, argument {index}: {type(arg).__name__} {arg!r:.40}; "
                "a buffer, a NumPy scalar (np.int32(...)) or None is needed"
            )
        scalar = _is_scalar[type(arg)] = isinstance(arg, np.generic)
        return scalar

    def _failure(
        self, error: Exception, sizes: tuple[int, ...], locals_: tuple[int, ...], args: tuple[Any, ...]
    ) -> DeviceError:
        shown = [
            str(arg.dtype) if isinstance(arg, np.generic) else "None" if arg is None else f"{arg.size} bytes"
            for arg in args
        ]
        doing = (
            f"launch of kernel {self.name}, global size {sizes}, local size {locals_} (limit {self.limit}), "
            f"arguments ({', '.join(shown)})"
        )
        return self._queues.hardware.failure(error, doing)
