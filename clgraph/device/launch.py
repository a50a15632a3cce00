"""Launching kernels with little overhead: a hot loop launches thousands and must not wait for Python."""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyopencl as cl

from clgraph.device.queues import Note
from clgraph.device.signature import Parameter, Signature
from clgraph.errors import BuildError, DeviceError

if TYPE_CHECKING:
    from clgraph.device.queues import Queues

Size = int | tuple[int, ...]


def _is_memory(value: Any) -> bool:
    return isinstance(value, (cl.MemoryObjectHolder, cl.LocalMemory))


# classes of buffers, what picks those that are not None of named arguments, and the list to set them by
Seen = tuple[list[type], Callable[[dict[str, Any]], tuple[Any, ...]], list[Any]]


def _values(of: list[tuple[int, Parameter]]) -> Callable[[dict[str, Any]], tuple[Any, ...]]:
    """Return a function that picks these parameters' values from a dict."""
    if len(of) > 1:
        return itemgetter(*(parameter.name for _, parameter in of))
    return lambda named: tuple(named[parameter.name] for _, parameter in of)


def _pairs(of: list[tuple[int, Parameter]]) -> list[Any]:
    return [x for index, _ in of for x in (index, None)]


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

    Made by `clgraph.device.program.Program`. Arguments are named as in the kernel's source, to whose types
    numbers of Python and NumPy are converted; one that does not fit is an error. They belong to the kernel,
    so a lock keeps other threads away from the first argument set until the launch is enqueued: that is
    enough for one launch. (Launches that belong together are made within `Device.alone`, as every public
    call does.)

    A pipeline (a single-work-item kernel of ``cl/fpga/``) has the same arguments as the kernel of that name
    for ranges. It is always launched with one work-item, whatever size the caller asks for: the arguments
    tell its loops how far to run.

    Parameters
    ----------
    device : Queues
    make : callable
        Makes the ``pyopencl.Kernel``.
    signature : Signature
    program : str
        The kernel file's path within ``cl/``, without ``.cl``.
    pipeline : bool
    make_partner : callable, optional
        Makes the kernel that runs alongside a pipeline, joined to it by a channel.
    """

    def __init__(
        self,
        device: Queues,
        make: Callable[[], Any],
        signature: Signature,
        *,
        program: str = "",
        pipeline: bool = False,
        make_partner: Callable[[], Any] | None = None,
    ) -> None:
        self.signature = signature
        self.name = signature.kernel
        self.program = program
        self.pipeline = pipeline
        self._device = device
        self._launched = device.launched
        self._make, self._make_partner = make, make_partner
        self._bound: dict[str, Any] = {}
        self._own_kernels()
        kernel = self._kernel
        parameters = signature.parameters
        if kernel.num_args != len(parameters):
            raise BuildError(
                f"{device}: {self._place()} has {kernel.num_args} arguments as built, {len(parameters)} in "
                "its source: a fault in clgraph, please report this"
            )
        self._take([each.name for each in parameters])
        ask = cl.kernel_work_group_info
        # NVIDIA reports a limit of 256 for every kernel, even one that requires and gets more
        demanded = prod(kernel.get_work_group_info(ask.COMPILE_WORK_GROUP_SIZE, device.raw))
        self.limit: int = demanded or kernel.get_work_group_info(ask.WORK_GROUP_SIZE, device.raw)
        self.limit = min(self.limit, device.max_work_group)
        self._local = max(1, min(device.tuning.local_size, self.limit))
        in_local = kernel.get_work_group_info(ask.LOCAL_MEM_SIZE, device.raw)
        if in_local > device.local_memory:
            raise DeviceError(
                f"{device}: {self._place()} needs {in_local} bytes of local memory, the device has "
                f"{device.local_memory}"
            )
        self._default = (self._local,)

    def _own_kernels(self) -> None:
        """Make OpenCL's kernels: each has arguments of its own."""
        self._kernel = kernel = self._make()
        self.partner: Any = self._make_partner() if self._make_partner else None
        self._lock = threading.Lock()
        # the public set_arg takes 30 us for a NumPy scalar, what pyopencl's own invoker calls under 1 us
        self._set_scalars = getattr(kernel, "_set_arg_buf_multi", None) or self._set_slowly
        self._set_memory = getattr(kernel, "_set_arg_multi", None) or self._set_slowly
        # and before pyopencl 2026.1.3 set_arg refuses None
        self._set_null = getattr(kernel, "_set_arg_null", None) or (lambda index: kernel.set_arg(index, None))

    def _set_slowly(self, pairs: tuple[Any, ...]) -> None:
        for index, value in zip(pairs[::2], pairs[1::2], strict=True):
            self._kernel.set_arg(index, value)

    def _place(self) -> str:
        signature = self.signature
        return f"kernel {self.name} (cl/{signature.file or self.program + '.cl'}, line {signature.line})"

    def bind(self, **named: Any) -> Kernel:
        """Fix some arguments: a kernel that takes the others, for loops that launch it repeatedly."""
        known = {each.name: None for each in self.signature.parameters}
        if strange := [name for name in named if name not in known]:
            raise TypeError(
                f"{self._place()} has no argument {', '.join(strange)}; it has {', '.join(known)}"
            )
        bound = copy(self)
        bound._own_kernels()
        bound._bound = {**self._bound, **named}
        bound._take(bound._bound)
        bound._set(bound._bound)
        bound._take(known.keys() - bound._bound)
        return bound

    def _take(self, names: Collection[str]) -> None:
        """Take these arguments, and no others, from now on."""
        every = [(i, each) for i, each in enumerate(self.signature.parameters) if each.name in names]
        scalars, memory = ([(i, p) for i, p in every if bool(p.pack) is kind] for kind in (True, False))
        self._free = tuple(each.name for _, each in every)
        self._packs = [each.pack for _, each in scalars if each.pack]
        self._memory = memory
        self._numbers, self._buffers = _values(scalars), _values(memory)
        self._scalar_pairs = _pairs(scalars)
        # of the last buffers, since to look at each takes a microsecond; in one tuple, since an interrupt
        # between two assignments would leave half of a look
        self._seen: Seen | None = None

    def _set(self, named: dict[str, Any]) -> None:
        """Set the arguments that are free, which `named` must name, all and nothing else."""
        if len(named) != len(self._free):
            raise self._wrong(named)
        # fast, as loops launch thousands: values into the copy of a list of index, value, ...
        scalars = self._scalar_pairs.copy()
        try:
            scalars[1::2] = [pack(x) for pack, x in zip(self._packs, self._numbers(named), strict=True)]
            buffers = self._buffers(named)
        except (KeyError, TypeError, struct.error, OverflowError) as error:
            raise self._wrong(named) from error
        seen, classes = self._seen, [*map(type, buffers)]
        if seen is None or classes != seen[0]:
            seen = self._look_at(buffers, classes, named)
        _, present, pairs = seen
        memory = pairs.copy()
        memory[1::2] = buffers if present is self._buffers else present(named)
        if scalars:
            self._set_scalars(tuple(scalars))
        if memory:
            self._set_memory(tuple(memory))
        if self.partner is not None:
            both = scalars + memory
            for index, value in zip(both[::2], both[1::2], strict=True):
                self.partner.set_arg(index, value)

    def _look_at(self, buffers: tuple[Any, ...], classes: list[type], named: dict[str, Any]) -> Seen:
        """Check buffers of other classes than at the last launch, and set null pointers.

        Arguments stay as they were set, so launches with nulls at the same places need not set them.
        """
        for (index, _), value in zip(self._memory, buffers, strict=True):
            if value is not None and not (_is_memory(value) and self._takes(index, value)):
                raise self._wrong(named)
        present = [each for each, value in zip(self._memory, buffers, strict=True) if value is not None]
        for (index, _), value in zip(self._memory, buffers, strict=True):
            if value is None:
                self._set_null(index)
                if self.partner is not None:
                    self.partner.set_arg(index, None)
        whole = len(present) == len(buffers)
        self._seen = seen = classes, self._buffers if whole else _values(present), _pairs(present)
        return seen

    def _takes(self, index: int, value: Any) -> bool:
        """True if a buffer's elements, where its class names them, fit a parameter."""
        dtype = getattr(value, "dtype", None)
        return dtype is None or self.signature.parameters[index].takes(dtype)

    def _wrong(self, named: dict[str, Any]) -> TypeError:
        """Return the error that names the first wrong argument."""
        names, place = self._free, self._place()
        if bound := [name for name in named if name in self._bound and name not in names]:
            return TypeError(f"{place}: {', '.join(bound)} is bound already")
        if missing := [name for name in names if name not in named]:
            return TypeError(f"{place} lacks its argument {', '.join(missing)}")
        if strange := [name for name in named if name not in names]:
            return TypeError(f"{place} has no argument {', '.join(strange)}; it has {', '.join(names)}")
        for index, parameter in enumerate(self.signature.parameters):
            value = named.get(parameter.name)
            where = f"{place}, argument `{parameter}`: {type(value).__name__} {value!r:.40}"
            if parameter.name not in names:
                continue
            if parameter.pack is None:
                if value is not None and not _is_memory(value):
                    return TypeError(f"{where} is neither a buffer nor None")
                if value is not None and not self._takes(index, value):
                    return TypeError(f"{place}, argument `{parameter}`: a buffer of {value.dtype} is given")
                continue
            try:
                parameter.pack(value)
            except (TypeError, struct.error, OverflowError):
                return TypeError(f"{where} does not fit into its type")
        return TypeError(f"{place}: the arguments do not fit")

    def _launch_with_partner(self) -> Any:
        """Launch two pipelines joined by a channel: the second one on the second queue, in step with ours.

        Returns our event, that of the pipeline on the main queue.
        """
        other, queue = self._device.second_queue, self._device.queue
        before = cl.enqueue_marker(queue)
        queue.flush()
        theirs = cl.enqueue_nd_range_kernel(other, self.partner, (1,), (1,), wait_for=[before])
        other.flush()
        event = cl.enqueue_nd_range_kernel(queue, self._kernel, (1,), (1,))
        cl.enqueue_barrier(queue, wait_for=[theirs])
        return event

    def __call__(self, size: Size, /, *, local: Size | None = None, **named: Any) -> None:
        """Enqueue over `size` work-items, padded to whole work-groups (the kernel must check its range).

        Parameters
        ----------
        size : int or tuple of int
            Number of work-items; nothing is launched for 0.
        local : int or tuple of int, optional
            Work-group size; by default that of the launch table, or the kernel's limit if that is smaller.
        **named : pyopencl.Buffer, number, pyopencl.LocalMemory or None
            The kernel's arguments, by their names.

        Raises
        ------
        TypeError
            If an argument is missing, unknown or of the wrong type.
        """
        if local is None and not isinstance(size, tuple):
            self._launch((-(-size // self._local) * self._local,), self._default, named)
            return
        sizes = size if isinstance(size, tuple) else (size,)
        if local is None:
            locals_ = self._default + (1,) * (len(sizes) - 1)
        else:
            locals_ = local if isinstance(local, tuple) else (local,)
        self._launch(tuple([-(-s // w) * w for s, w in zip(sizes, locals_, strict=True)]), locals_, named)

    def arguments_of(self, owner: Any) -> dict[str, Any]:
        """Return those of its arguments that an object has as attributes of the same names."""
        own = vars(owner)
        return {name: own[name] for name in self._free if name in own}

    def launch(self, owner: Any, size: Size, /, *, local: Size | None = None, **named: Any) -> None:
        """Enqueue as a call does, with arguments that are not named here taken from the owner's attributes.

        A run that keeps its buffers under the names that kernels have for them says only what else is new.
        """
        own = vars(owner)
        for name in self._free:
            if name in own:
                named.setdefault(name, own[name])
        self(size, local=local, **named)

    def exact(self, size: Size, /, *, local: Size, **named: Any) -> None:
        """Enqueue over exactly `size` work-items in groups of `local`, which must divide it.

        Raises
        ------
        DeviceError
            If `local` does not divide `size`, or exceeds what the device allows for this kernel.
        TypeError
            If an argument is missing, unknown or of the wrong type.
        """
        sizes = size if isinstance(size, tuple) else (size,)
        locals_ = local if isinstance(local, tuple) else (local,)
        if any(s % w for s, w in zip(sizes, locals_, strict=True)):
            raise DeviceError(
                f"kernel {self.name}: global size {sizes} is not a multiple of local size {locals_}"
            )
        self._launch(sizes, locals_, named)

    def _launch(self, sizes: tuple[int, ...], locals_: tuple[int, ...], named: dict[str, Any]) -> None:
        # the default is within the limits, and a pipeline is launched with one work-item whatever is given
        if locals_ is not self._default and prod(locals_) > self._device.max_work_group and not self.pipeline:
            raise DeviceError(
                f"{self._device}: {self._place()} needs a work-group of {prod(locals_)} work-items, "
                f"the device takes {self._device.max_work_group} at most"
            )
        if 0 in sizes:
            return
        self._launched[self.pipeline] += 1
        if self.pipeline:
            sizes = locals_ = (1,)
        for thread, noted in _recorders:
            if thread == threading.get_ident():
                noted.append(Launch(self.program, self.name, self.pipeline, sizes, locals_))
        try:
            with self._lock:
                self._set(named)
                if self.partner is not None:
                    event = self._launch_with_partner()
                else:
                    event = cl.enqueue_nd_range_kernel(self._device.queue, self._kernel, sizes, locals_)
            if self._device.notes is not None:
                given = (*named.values(), *self._bound.values())
                nbytes = sum(each.size for each in given if isinstance(each, cl.Buffer))
                self._device.notes.append(Note(self.name, f"cl/{self.program}.cl", nbytes, event, sizes))
        except cl.Error as error:
            raise self._failure(error, sizes, locals_, named) from error

    def _failure(
        self, error: Exception, sizes: tuple[int, ...], locals_: tuple[int, ...], named: dict[str, Any]
    ) -> DeviceError:
        shown = [
            f"{name}={value.size} bytes"
            if hasattr(value, "size") and _is_memory(value)
            else f"{name}={value}"
            for name, value in {**self._bound, **named}.items()
        ]
        doing = (
            f"launch of kernel {self.name}, global size {sizes}, local size {locals_} (limit {self.limit}), "
            f"arguments ({', '.join(shown)})"
        )
        return self._device.failure(error, doing)
