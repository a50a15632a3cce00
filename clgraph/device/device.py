"""A Device: one OpenCL device with its facts, its memory, its queue and its programs."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from clgraph import hooks
from clgraph._version import __version__
from clgraph.device import drivers
from clgraph.device.driver_selftest import WORKS, Driver, Verdict, cached_verdict, verdict_of
from clgraph.device.hardware import Kernels, Setup
from clgraph.device.launch import Kernel
from clgraph.device.memory import Memory
from clgraph.device.probe import probe, probe_features
from clgraph.device.program import Program, build, first_line
from clgraph.errors import DeviceError
from clgraph.lazy import lazy

T = TypeVar("T")


class once(lazy[T]):
    """A value of a Device, computed by one thread, alone on the device; others wait for it."""

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """The value; Python asks only until the device has it in its ``__dict__``."""
        if instance is None:
            return self
        with instance.alone():
            made = vars(instance)
            return made[self.attrname] if self.attrname in made else super().__get__(instance, owner)


class Device(Memory):
    """An OpenCL device. Made by `get_device`; one object per device and process.

    Attributes
    ----------
    tuning : Tuning
    kernels : {"ndrange", "pipeline"}
        Which form of the kernels is used where there are two: over a range of work-items, or single-work-item
        pipelines, ``cl/fpga`` (the default on kinds "fpga" and "emulator").
    fpga_binary : str or None
        The file that the pipelines are loaded from instead of being built.
    pipeline_parameters : dict of str to int
        What differs from the defaults of ``cl/fpga/parameters.h`` where pipelines are built from source.
    context : pyopencl.Context
    queue : pyopencl.CommandQueue
        The one in-order queue.

    raw : pyopencl.Device
    spec, name, kind, platform_name, driver_version : str
        How a call names it, as "0:1"; of kind "gpu", "cpu", "fpga" or "emulator".
    global_memory, max_buffer : int
        Bytes of its memory, and of the largest buffer.
    features : frozenset of str
        What a build probe found, as "HAVE_FP64".

    The package itself uses more of it: see `clgraph.device.hardware.Hardware` and
    `clgraph.device.memory.Memory`.
    """

    def __init__(
        self,
        raw: Any,
        spec: str,
        setup: Setup | None = None,
        lock: Any = None,
        *,
        context: Any = None,
        queue: Any = None,
    ) -> None:
        self.setup = setup or Setup.wanted()
        super().__init__(raw, spec, self.setup.without, context, queue)
        self.kernels: Kernels = self.setup.kernels or ("pipeline" if self.is_fpga else "ndrange")
        self.fpga_binary = self.setup.binary if self.is_fpga else None
        self.pipeline_parameters: dict[str, int] = {}
        # one lock for all setups of a device: they share its cores and its memory
        self._lock = lock or new_lock()
        self._given = {"context": context, "queue": queue}
        self._programs: dict[Any, Program] = {}
        # the kernel files built or loaded so far, and the binary: not gathered from hundreds of programs for
        # each result
        self.built_files: tuple[str, ...] = (self.fpga_binary,) if self.fpga_binary else ()
        self._others: dict[Setup, Device] = {}

    def __repr__(self) -> str:
        return f"<Device {self.spec}: {self.name} ({self.kind}, {self.platform_name})>"

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a Device belongs to its process: pass its spec ({self.spec!r}) instead of pickling it"
        )

    def with_setup(self, setup: Setup) -> Device:
        """Return this device with other kernels or another binary; itself if it already has that setup."""
        if setup == self.setup:
            return self
        if setup not in self._others:
            made = Device(self.raw, self.spec, setup, self._lock, **self._given)
            self._others.setdefault(setup, made)
        return self._others[setup]

    def alone(self) -> AbstractContextManager[Any]:
        """Lock the device in all its setups for a with-block; other threads wait until it ends.

        Every public call holds the lock from the first use of the device to the last download. Kernels'
        arguments, scratch areas, what is cached for a graph and the counters in `launched` then belong to one
        thread at a time. A thread that has the lock already may take it again.

        Raises
        ------
        DeviceError
            In a process that was forked from one that had used OpenCL; if this thread has locked another
            device, and the owner of this one waits, perhaps through others, for that one.
        """
        if drivers.parent:
            raise drivers.forked()
        lock, owned = self._lock, _owned_locks()
        # the lock itself: between `acquire` and a block of Python an interrupt would leave it locked
        return lock if not owned or lock in owned else SecondLock(lock, owned, self.spec)

    @property
    def is_second(self) -> bool:
        """True if this thread has locked another device and not this one, so that `alone` may be refused."""
        owned = _owned_locks()
        return bool(owned) and self._lock not in owned

    # --- what it can do ---------------------------------------------------------------------------

    @once
    def fault(self) -> str | None:
        """None if the probe kernel was built, ran and was right; otherwise the reason.

        A driver that nobody has tried is also broken if no kernel family passes clgraph's selftest. A device
        without a compiler works if its binary can be used.
        """
        if self.has_compiler:
            return probe(self) or self.verdict.fault
        if self.kernels != "pipeline":
            return f"it builds no kernels itself, and kernels={self.kernels!r} come from no binary"
        try:
            self.pipelines.check()
        except DeviceError as error:
            return first_line(error)
        return None

    @once
    def verdict(self) -> Verdict:
        """Failures of the driver by kernel family; an unknown driver is first tested in a child process."""
        return verdict_of(self.driver) if self._wants_verdict else WORKS

    @property
    def is_untried(self) -> bool:
        """True if `verdict` would run a self-test, which takes a minute or so."""
        return self._wants_verdict and not self.driver.known and cached_verdict(self.driver) is None

    @property
    def _wants_verdict(self) -> bool:
        return self.has_compiler and not self.setup.force

    @property
    def driver(self) -> Driver:
        """Identity of the driver that a verdict applies to."""
        return Driver(self.spec, self.identity, self.kind, self.kernels, str(self.setup.without))

    @once
    def _probed(self) -> tuple[str, frozenset[str]]:
        if self.fpga_binary:
            return "", frozenset()  # what its programs use was settled when the binary was built
        standard, found = probe_features(self)
        return standard, found - {f"HAVE_{name}" for name in self.setup.without.features}

    @property
    def features(self) -> frozenset[str]:
        """Names ``HAVE_...`` of features beyond OpenCL C 1.2, found by build probes (cached on disk)."""
        return self._probed[1]

    @once
    def build_options(self) -> tuple[str, ...]:
        """Build options common to all programs: OpenCL C standard, kind, quirks, features."""
        standard, features = self._probed
        return (
            *([standard] if standard else []),
            *self.base_options,
            *(f"-D{name}" for name in sorted(features)),
            *(f"-DWITHOUT_{name}" for name in sorted(self.setup.without.features)),
        )

    # --- programs ---------------------------------------------------------------------------------

    def program(self, name: str, **defines: Any) -> Program:
        """Build ``cl/NAME.cl`` (once per process and set of options).

        Parameters
        ----------
        name : str
            The file's path within ``cl/``, without ``.cl``: ``"traversal/search"``.
        **defines
            Become ``-DKEY=value`` (True: ``-DKEY``; None or False: nothing).

        Raises
        ------
        BuildError
            With device, options, log, the saved source and a hint.
        """
        pipeline = self.kernels == "pipeline" and self.pipelines.has(name, defines)
        if pipeline:
            defines = self.pipelines.variant(name, defines)
        key = (name, tuple(sorted(defines.items())))
        made = self._programs.get(key)
        if made is None:
            with self.alone():
                made = self._programs.get(key) or self._make_program(name, defines, pipeline)
                self._programs[key] = made
                files = {each for each in (*self.built_files, made.file) if each != self.fpga_binary}
                self.built_files = (*([self.fpga_binary] if self.fpga_binary else []), *sorted(files))
        return made

    def _make_program(self, name: str, defines: dict[str, Any], pipeline: bool) -> Program:
        self.verdict.refuse(self.driver, name)
        if pipeline:
            return self.pipelines.program(name, defines)
        return build(self, name, defines, self.build_options)

    @once
    def pipelines(self) -> Any:
        """The device's single-work-item kernels, a `clgraph.fpga.programs.PipelinePrograms`.

        That stands above this folder, and is imported only where a device's `kernels` are "pipeline".
        """
        return hooks.pipelines_of(self)

    def has_pipeline(self, name: str, **defines: Any) -> bool:
        """True if `program` returns single-work-item kernels for a name and build options."""
        return self.kernels == "pipeline" and self.pipelines.has(name, defines)

    def pipeline_parameter(self, name: str) -> int:
        """Return the value of a ``cl/fpga/parameters.h`` parameter in this device's pipelines."""
        return self.pipelines.parameter(name)

    def provenance(self, before: list[int]) -> dict[str, Any]:
        """Return the provenance of a result whose work began when `launched` was `before`."""
        ranges, pipelines = (now > then for now, then in zip(self.launched, before, strict=True))
        ran = "mixed" if ranges and pipelines else "ndrange" if ranges else "pipeline"
        return {
            "device": self.name,
            "driver": self.driver_version,
            "version": __version__,
            "kernels": ran if ranges or pipelines else self.kernels,
            "built": self.built_files,
        }

    # --- memory -----------------------------------------------------------------------------------

    def _fill_kernel(self, itemsize: int) -> Kernel:
        kernel: Kernel = getattr(self.program("device/memory_fill"), f"fill_{itemsize}")
        return kernel

    def cached(self, owner: Any, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of ``make()``, cached while `owner` lives or until `release`."""
        return self.graph_cache.cached(owner, key, make)

    def release(self) -> None:
        """Free every value that `cached` has stored."""
        with self.alone():
            self.graph_cache.release()


# --- Locks of devices ---
#
# A thread that has locked one device may ask for another, in a ``progress=`` callback for instance. Two that
# do so crosswise would wait for each other for ever: the one that would close the circle gets an error.


_locks: list[weakref.ref[Any]] = []
_guard = threading.Lock()
# of each thread that has locked a device and waits for another: what it waits for, and what it owns
_waits: dict[int, tuple[Any, list[Any]]] = {}


def new_lock() -> Any:
    """Return the lock of one more device."""
    lock = threading.RLock()
    _locks.append(weakref.ref(lock, _locks.remove))
    return lock


def _owned_locks() -> list[Any]:
    known = [lock() for lock in list(_locks)]
    return [lock for lock in known if lock is not None and lock._is_owned()]


class SecondLock:
    """A further device's lock, for a thread that owns some; detects deadlocks."""

    def __init__(self, lock: Any, owned: list[Any], spec: str) -> None:
        self._lock, self._owned, self._spec = lock, owned, spec

    def __enter__(self) -> None:
        me = threading.get_ident()
        try:
            with _guard:
                _waits[me] = (self._lock, self._owned)
                if _would_deadlock(self._lock, me):
                    raise DeviceError(
                        f"device {self._spec}: its thread waits for one that this thread has, and neither "
                        "would go on. Let all threads take devices in one order, or use no second device "
                        "while the first is in use (in a callback such as progress=)"
                    )
            self._lock.acquire()
            del _waits[me]
        except BaseException:  # an interrupt, perhaps just after it was acquired
            _waits.pop(me, None)
            if self._lock._is_owned():
                self._lock.release()
            raise

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def _would_deadlock(wanted: Any, me: int) -> bool:
    """True if the owner of `wanted` waits, perhaps through others, for this thread."""
    while True:
        found = next(((who, wants) for who, (wants, owned) in _waits.items() if wanted in owned), None)
        if found is None or found[0] == me:
            return found is not None
        wanted = found[1]
