"""A Device: what it can do, its queue, its programs (its memory: `clgraph.device.memory`); listing and choosing.

`get_device` picks one (`clgraph.device.choosing` has the rule). Nothing here queries a driver at import.
Vendors' quirks and the launch choices by kind of device stand in `clgraph.device.hardware`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyopencl as cl

from clgraph.device import choosing, drivers
from clgraph.device.hardware import FAMILY, TUNING, Kernels, Kind, Quirks, Setup, Tuning, quirks
from clgraph.device.memory import Memory
from clgraph.device.probe import probe, probe_features
from clgraph.device.program import Program, build, build_pipeline, load_binary
from clgraph.errors import DeviceError

__all__ = [
    "TUNING",
    "Device",
    "Kernels",
    "Kind",
    "Quirks",
    "Setup",
    "Tuning",
    "choose",
    "get_device",
    "list_devices",
    "quirks",
]


class Device(Memory):
    """An OpenCL device. Made by `get_device`; one object per device and process.

    Attributes
    ----------
    spec : str
        ``"platform:device"``, by which ``--device`` finds it again.
    name, vendor, platform_name, platform_vendor, platform_version, driver_version : str
    kind : {"gpu", "cpu", "fpga", "emulator", "simulator"}
        clgraph's own word: an emulator calls itself an accelerator, Oclgrind everything at once.
    compute_units, max_work_group : int
    global_memory, max_buffer, local_memory : int
        In bytes.
    shares_memory : bool
        Whether host arrays are used where they are.
    has_compiler : bool
        Whether it builds from source; real FPGA boards do not.
    tuning : Tuning
    kernels : {"ndrange", "pipeline"}
        Which form of the kernels is taken where there are two: over a range of work-items, or (by itself on
        kinds "fpga" and "emulator") as single-work-item pipelines, ``cl/fpga``.
    fpga_binary : str or None
        The file that the pipelines are loaded from instead of being built.
    pipeline_parameters : dict of str to int
        What differs from the defaults of ``cl/fpga/parameters.h`` where pipelines are built from source.
    raw : pyopencl.Device
    """

    def __init__(self, raw: Any, spec: str, setup: Setup | None = None) -> None:
        super().__init__()
        setup = setup or Setup.wanted()
        self.raw = raw
        self.spec = spec
        self.name: str = raw.name.strip()
        self.vendor: str = raw.vendor.strip()
        self.platform_name: str = raw.platform.name.strip()
        self.platform_vendor: str = raw.platform.vendor.strip()
        self.platform_version: str = raw.platform.version.strip()
        self.driver_version: str = raw.driver_version.strip()
        self.compute_units: int = raw.max_compute_units
        self.global_memory: int = raw.global_mem_size
        self.max_buffer: int = raw.max_mem_alloc_size
        self.local_memory: int = raw.local_mem_size
        self.max_work_group: int = raw.max_work_group_size
        # as on a board: nothing is built at run time
        no_compile = os.environ.get("CLGRAPH_NO_COMPILE", "") not in ("", "0")
        self.has_compiler = bool(raw.compiler_available) and not no_compile
        # what a binary or a probe's result is bound to
        self.identity = (self.platform_name, self.platform_version, self.name, self.driver_version)
        peculiar = quirks(raw)
        self.kind: Kind = peculiar.kind
        self.shares_memory: bool = peculiar.shares_memory
        self.fills_by_kernel: bool = peculiar.fills_by_kernel
        self.never_frees: bool = peculiar.never_frees
        self.keeps_binaries: bool = peculiar.keeps_binaries
        self.asks_all_standards: bool = peculiar.asks_all_standards
        # build options of every program, before standard and features
        self.base_options = (f"-DKIND_{FAMILY[self.kind]}", *peculiar.build_options)
        self.tuning = TUNING[self.kind]
        self.is_fpga = self.kind in ("fpga", "emulator")
        self.setup = setup
        self.kernels: Kernels = setup.kernels or ("pipeline" if self.is_fpga else "ndrange")
        self.fpga_binary = setup.binary if self.is_fpga else None
        self.pipeline_parameters: dict[str, int] = {}
        self.launched = [0, 0]  # kernels over ranges, pipelines
        self._programs: dict[Any, Program] = {}
        self._others: dict[Setup, Device] = {}

    def __repr__(self) -> str:
        return f"<Device {self.spec}: {self.name} ({self.kind}, {self.platform_name})>"

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a Device belongs to its process: pass its spec ({self.spec!r}) instead of pickling it"
        )

    @cached_property
    def context(self) -> Any:
        """The OpenCL context: of this device alone (NVIDIA takes no other way)."""
        try:
            return cl.Context([self.raw])
        except cl.Error as error:
            raise self.failure(error, "making a context") from error

    @cached_property
    def queue(self) -> Any:
        """The one in-order queue."""
        try:
            return cl.CommandQueue(self.context)
        except cl.Error as error:
            raise self.failure(error, "making a queue") from error

    @cached_property
    def second_queue(self) -> Any:
        """A queue for the other one of two pipelines that run side by side."""
        try:
            return cl.CommandQueue(self.context)
        except cl.Error as error:
            raise self.failure(error, "making a queue") from error

    def with_setup(self, setup: Setup) -> Device:
        """This device with another form of kernels or another binary; itself if it is so already."""
        if setup == self.setup:
            return self
        if setup not in self._others:
            self._others[setup] = Device(self.raw, self.spec, setup)
        return self._others[setup]

    # --- what it can do ---------------------------------------------------------------------------

    @cached_property
    def fault(self) -> str | None:
        """None if the probe kernel was built, run and gave the right result; else the reason why not."""
        return probe(self) if self.has_compiler else self._binary_fault()

    def _binary_fault(self) -> str | None:
        """The same of a device that builds nothing itself: it works if it takes its binary."""
        if self.kernels != "pipeline":
            return f"it builds no kernels itself, and kernels={self.kernels!r} come from no binary"
        try:
            self.offline.check()
        except DeviceError as error:
            return str(error).split("\n")[0]
        return None

    @cached_property
    def _probed(self) -> tuple[str, frozenset[str]]:
        if self.fpga_binary:
            return "", frozenset()  # what its programs use was settled when the binary was built
        return probe_features(self)

    @property
    def features(self) -> frozenset[str]:
        """Names ``HAVE_...`` of what works beyond OpenCL C 1.2, by build probes (kept on disk)."""
        return self._probed[1]

    @cached_property
    def build_options(self) -> tuple[str, ...]:
        """Build options of every program: OpenCL C standard, kind, quirks, features."""
        standard, features = self._probed
        return (
            *([standard] if standard else []),
            *self.base_options,
            *(f"-D{name}" for name in sorted(features)),
        )

    # --- programs ---------------------------------------------------------------------------------

    def program(self, name: str, **defines: Any) -> Program:
        """Build ``cl/NAME.cl`` (once per process and set of options).

        Parameters
        ----------
        name : str
            File name without ``.cl``; a sub-folder is written ``"fpga/bfs"``.
        **defines
            Become ``-DKEY=value`` (True: ``-DKEY``; None or False: nothing).

        Raises
        ------
        BuildError
            With device, options, log, the saved source and a hint.
        """
        pipeline = self.has_pipeline(name)
        if pipeline:
            from clgraph.fpga.pipelines import variant

            defines = variant(name, defines)
        key = (name, tuple(sorted(defines.items())))
        if key not in self._programs:
            self._programs[key] = self._make_program(name, defines, pipeline)
        return self._programs[key]

    def has_pipeline(self, name: str) -> bool:
        """Whether `program` gives single-work-item kernels for a name."""
        if self.kernels != "pipeline":
            return False
        from clgraph.fpga.pipelines import PIPELINES

        return name in PIPELINES

    def pipeline_parameter(self, name: str) -> int:
        """A value of ``cl/fpga/parameters.h`` as this device's pipelines have it."""
        from clgraph.fpga.parameters import defaults

        if self.fpga_binary:
            value: int = self.offline.sidecar.parameters[name]
            return value
        return self.pipeline_parameters.get(name, defaults(emulator=FAMILY[self.kind] == "CPU")[name])

    def _make_program(self, name: str, defines: dict[str, Any], pipeline: bool) -> Program:
        if pipeline and (self.fpga_binary or not self.has_compiler):
            return self.offline.program(name, defines)
        maker = build_pipeline if pipeline else build
        return maker(self, name, defines, self.build_options)

    @cached_property
    def offline(self) -> Any:
        """The binary with the pipelines (`clgraph.fpga.binary.Binary`)."""
        from clgraph.fpga.binary import load

        return load(self)

    def built_files(self) -> tuple[str, ...]:
        """The kernel files that this device has built or loaded so far in this process, and its binary."""
        files = {f"cl/fpga/{p.name}.cl" if p.pipeline else f"cl/{p.name}.cl" for p in self._programs.values()}
        return (*([str(self.fpga_binary)] if self.fpga_binary else []), *sorted(files))

    def watch(self) -> Callable[[], dict[str, Any]]:
        """What gives `kernels` and `built` (`clgraph.results.RunsOn`) of all that runs until it is called."""
        return partial(self._ran_since, list(self.launched))

    def _ran_since(self, before: list[int]) -> dict[str, Any]:
        ranges, pipelines = (now > then for now, then in zip(self.launched, before, strict=True))
        ran = "mixed" if ranges and pipelines else "ndrange" if ranges else "pipeline"
        return {"kernels": ran if ranges or pipelines else self.kernels, "built": self.built_files()}

    def load_binary(self, path: str | Path) -> Program:
        """A program built offline (``.aocx`` of an FPGA board) or saved by `Program.save`.

        Raises
        ------
        BuildError
            If the file cannot be read, or was not built for this device and driver.
        """
        return load_binary(self, path)


# --- listing and choosing -----------------------------------------------------------------------------

_known: dict[tuple[int, int], Device] = {}
_lock = threading.Lock()


def list_devices(*, oclgrind: bool = False) -> list[Device]:
    """Every device of every platform, probed or not, in the loader's order; the same objects at each call.

    Parameters
    ----------
    oclgrind : bool
        Whether Oclgrind must be among them (so it is also if CLGRAPH_DEVICE names it).
    """
    found = []
    asked = oclgrind or "oclgrind" in choosing.wanted()[0].lower()
    for p, platform in enumerate(drivers.platforms(oclgrind=asked)):
        for d, raw in enumerate(_raw_devices(platform)):
            with _lock:
                if (p, d) not in _known:
                    _known[p, d] = Device(raw, f"{p}:{d}")
            found.append(_known[p, d])
    return found


def _raw_devices(platform: Any) -> list[Any]:
    try:
        return list(platform.get_devices())
    except cl.Error:
        return []  # DEVICE_NOT_FOUND is how a platform without devices (Clover) says so


def choose(spec: str | None, setup: Setup | None = None) -> Device:
    """The device for a spec (None: what the environment says, else the best that works).

    `setup` says which form of kernels and which binary it shall have (None: as the environment says).

    Only what is needed is probed: the candidates in their order, until one works.

    Raises
    ------
    DeviceError
        If none or several different ones match (it lists what there is), or those that match are broken.
    """
    text, origin = choosing.wanted() if spec is None else (spec.strip(), "")
    if spec is not None and not text:
        raise DeviceError("the device asked for is an empty text: give gpu, cpu, fpga, 0:1 or part of a name")
    devices = list_devices(oclgrind="oclgrind" in text.lower())
    if not devices:
        raise DeviceError(choosing.NO_PLATFORM)
    asked = f"{text!r}" + (f" ({origin})" if origin else "")
    matches = choosing.of_word(text.lower(), devices)
    if matches is None:
        matches = choosing.by_number_or_name(text, asked, devices)
    setup = setup or Setup.wanted()
    devices = [d.with_setup(setup) for d in devices]  # so that the table tells what is wrong with these
    for device in matches:
        chosen = device.with_setup(setup)
        if chosen.fault is None:
            return chosen
    remedy = "; `clgraph doctor` says what to do"
    if text.lower() == "oclgrind" and not matches:
        remedy = "; install it: apt-get install oclgrind"
    what = f"no working device is {asked}" if text else "no device works that may be picked unasked"
    raise DeviceError(f"{what}; there are:\n{choosing.table(devices)}\n{remedy[2:]}")


def get_device(
    spec: str | Device | None = None,
    *,
    kernels: Kernels | None = None,
    fpga_binary: str | Path | None = None,
    force: bool = False,
) -> Device:
    """The device to use.

    Parameters
    ----------
    spec : str, Device or None
        ``"0:1"`` (platform and device number), a word (``gpu cpu intel fpga pocl nvidia oclgrind``), part of
        a name, or a Device. None: ``CLGRAPH_DEVICE``, else ``PYOPENCL_CTX``, else the best that works (gpu,
        then fpga, then cpu).
    kernels : {"ndrange", "pipeline"}, optional
        Which form of the kernels to take where there are two; ``CLGRAPH_KERNELS`` says so too. By default
        pipelines on FPGAs and their emulator.
    fpga_binary : path, optional
        On an FPGA: the file that ``clgraph fpga compile`` made; ``CLGRAPH_FPGA_BINARY`` says so too.
    force : bool
        Take a binary that was made of other sources than this clgraph's (``CLGRAPH_FPGA_FORCE=1``).

    Raises
    ------
    DeviceError
        If none or several different ones match (it lists what there is), or the one named is broken; if
        `fpga_binary` is given, and the device has no use for it.

    Examples
    --------
    >>> get_device("cpu").kind
    'cpu'
    """
    if isinstance(spec, Device):
        if kernels is None and fpga_binary is None and not force:
            return spec
        return _taking(spec.with_setup(Setup.wanted(kernels, fpga_binary, force)), fpga_binary)
    if spec is not None and not isinstance(spec, str):
        raise DeviceError(
            f"device is {spec!r}: give a spec such as 'gpu' or '0:1', a clgraph Device, or None"
        )
    return _taking(choose(spec, Setup.wanted(kernels, fpga_binary, force)), fpga_binary)


def _taking(device: Device, fpga_binary: str | Path | None) -> Device:
    """A device, unless it has no use for the binary that the caller names."""
    if fpga_binary is not None and not device.is_fpga:
        raise DeviceError(
            f"{device.spec} ({device.name}) is no FPGA and takes no binary: leave out {fpga_binary}, or take "
            "another device"
        )
    if fpga_binary is not None and device.kernels != "pipeline":
        raise DeviceError(
            f"a binary holds pipelines, and with kernels='ndrange' {device.spec} ({device.name}) takes none: "
            f"leave out {fpga_binary}, or kernels"
        )
    return device
