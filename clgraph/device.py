"""A Device: what it can do, its queue, its programs (its memory: `clgraph.memory`).

`get_device` picks one (`clgraph.choosing` has the rule). Nothing here queries a driver at import.
All vendor quirks stand in one function, `quirks`; launch choices by kind of device in one table, `TUNING`.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pyopencl as cl

from clgraph.errors import DeviceError
from clgraph.memory import Memory
from clgraph.program import Program, build, build_pipeline, load_binary

Kind = Literal["gpu", "cpu", "fpga", "emulator", "simulator"]
Kernels = Literal["ndrange", "pipeline"]


@dataclass(frozen=True)
class Tuning:
    """A row of the launch table.

    Attributes
    ----------
    items : int
        Consecutive vertices per work-item where each is cheap.
    local_size : int
        Work-items per work-group where the kernel does not ask for a size of its own.
    """

    items: int
    local_size: int


# GPUs want one work-item per vertex. CPUs want long serial runs, and Intel's vectoriser ruins gathers when
# one work-item takes one vertex or a group has 16 and more: few work-items with many vertices each.
# The simulator gets small numbers, so that graphs of 50 vertices still span several work-groups.
TUNING: dict[Kind, Tuning] = {
    "gpu": Tuning(items=1, local_size=256),
    "cpu": Tuning(items=512, local_size=4),
    "emulator": Tuning(items=512, local_size=4),
    "fpga": Tuning(items=512, local_size=1),
    "simulator": Tuning(items=4, local_size=8),
}


@dataclass(frozen=True)
class Quirks:
    """What is peculiar to a driver; made by `quirks` alone.

    Attributes
    ----------
    kind : Kind
    shares_memory : bool
        Host arrays can be used where they are.
    fills_by_kernel : bool
        clEnqueueFillBuffer will not do.
    never_frees : bool
        Buffers stay allocated until the process ends.
    keeps_binaries : bool
        Built programs are worth keeping on disk.
    asks_all_standards : bool
        The newest OpenCL C is in the list of all versions only.
    build_options : tuple of str
        For every program.
    """

    kind: Kind
    shares_memory: bool = False
    fills_by_kernel: bool = False
    never_frees: bool = False
    keeps_binaries: bool = True
    asks_all_standards: bool = False
    build_options: tuple[str, ...] = ()


def quirks(raw: Any) -> Quirks:
    """All vendor quirks, each with its reason, and the kind of a device.

    Parameters
    ----------
    raw : pyopencl.Device
    """
    platform = raw.platform.name
    if "Oclgrind" in platform:
        return Quirks(
            "simulator",  # it calls itself CPU, GPU and accelerator at once
            # it takes what clEnqueueFillBuffer wrote, and host-pointer buffers, as uninitialised
            fills_by_kernel=True,
            # it takes a buffer in a freed one's place as uninitialised, whatever kernels wrote there
            never_frees=True,
            # its builds take milliseconds, and its binaries lose the source's line numbers
            keeps_binaries=False,
            build_options=("-DCHECK_RACES",),  # its race detector knows atomics but not volatile
        )
    if "Emulat" in f"{platform} {raw.name}":
        # Intel's FPGA emulator calls itself an accelerator as the boards do, but is the host's CPU and memory
        return Quirks("emulator", shares_memory=True)
    if raw.type & cl.device_type.GPU:
        # a GPU that says it shares the host's memory may still cache or copy host pointers: it gets copies
        # NVIDIA's old query says OpenCL C 1.2; it knows more (work-group functions) if 3.0 is asked for
        return Quirks("gpu", asks_all_standards="NVIDIA" in platform)
    if raw.type & cl.device_type.CPU:
        # host and device are one memory
        return Quirks("cpu", shares_memory=True)
    return Quirks("fpga")


_FAMILY: dict[Kind, str] = {"gpu": "GPU", "cpu": "CPU", "emulator": "CPU", "simulator": "CPU", "fpga": "FPGA"}


@dataclass(frozen=True)
class Setup:
    """What may be chosen of a device's kernels.

    Attributes
    ----------
    kernels : {"ndrange", "pipeline"} or None
        None: by the kind of the device.
    binary : str or None
        A file that ``clgraph fpga compile`` made (on FPGAs).
    force : bool
        Take it though it was made of other sources than ours.
    """

    kernels: Kernels | None = None
    binary: str | None = None
    force: bool = False

    @staticmethod
    def wanted(kernels: str | None = None, binary: str | Path | None = None, force: bool = False) -> Setup:
        """From arguments, else from CLGRAPH_KERNELS, CLGRAPH_FPGA_BINARY and CLGRAPH_FPGA_FORCE."""
        chosen = kernels or os.environ.get("CLGRAPH_KERNELS") or None
        if chosen not in (None, "ndrange", "pipeline"):
            where = "kernels" if kernels else "CLGRAPH_KERNELS"
            raise DeviceError(f"{where} is {chosen!r}: use 'ndrange' or 'pipeline'")
        path = binary or os.environ.get("CLGRAPH_FPGA_BINARY") or None
        forced = force or os.environ.get("CLGRAPH_FPGA_FORCE", "") not in ("", "0")
        return Setup(chosen, None if path is None else str(path), forced)  # type: ignore[arg-type]


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
        self._quirks = quirks(raw)
        self.kind: Kind = self._quirks.kind
        self.shares_memory: bool = self._quirks.shares_memory
        self.fills_by_kernel: bool = self._quirks.fills_by_kernel
        self.never_frees: bool = self._quirks.never_frees
        self.keeps_binaries: bool = self._quirks.keeps_binaries
        self.tuning = TUNING[self.kind]
        self.is_fpga = self.kind in ("fpga", "emulator")
        self.setup = setup
        self.kernels: Kernels = setup.kernels or ("pipeline" if self.is_fpga else "ndrange")
        self.fpga_binary = setup.binary if self.is_fpga else None
        self.pipeline_parameters: dict[str, int] = {}
        self._programs: dict[Any, Program] = {}
        self._others: dict[Setup, Device] = {}

    def __repr__(self) -> str:
        return f"<Device {self.spec}: {self.name} ({self.kind}, {self.platform_name})>"

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a Device belongs to its process: pass its spec ({self.spec!r}) instead of pickling it"
        )

    @property
    def identity(self) -> tuple[str, ...]:
        """What a binary or a probe's result is bound to."""
        return (self.platform_name, self.platform_version, self.name, self.driver_version)

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
        from clgraph.probe import probe

        return probe(self)

    @cached_property
    def _probed(self) -> tuple[str, frozenset[str]]:
        from clgraph.probe import probe_features

        if self.fpga_binary:
            return "", frozenset()  # what its programs use was settled when the binary was built
        return probe_features(self)

    @property
    def features(self) -> frozenset[str]:
        """Names ``HAVE_...`` of what works beyond OpenCL C 1.2, by build probes (kept on disk)."""
        return self._probed[1]

    @property
    def newest_standard(self) -> str:
        """The build option for the newest OpenCL C that the compiler says it knows; "" for 1.2."""
        texts = [self.raw.opencl_c_version]
        if self._quirks.asks_all_standards:
            # a driver before 3.0, or an old pyopencl, has no such query: then the older one's answer counts
            with contextlib.suppress(cl.Error, AttributeError):
                versions = [v.version for v in self.raw.opencl_c_all_versions]
                texts += [
                    f"{v >> 22}.{v >> 12 & 1023}" for v in versions
                ]  # cl_version packs 10, 10 and 12 bits
        found = [(int(m[1]), int(m[2])) for text in texts if (m := re.search(r"(\d+)\.(\d+)", text))]
        major, minor = max(found, default=(1, 0))
        return f"-cl-std=CL{major}.{minor}" if major >= 2 else ""

    @property
    def base_options(self) -> tuple[str, ...]:
        """Build options of every program, before standard and features."""
        return (f"-DKIND_{_FAMILY[self.kind]}", *self._quirks.build_options)

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

    def _make_program(self, name: str, defines: dict[str, Any], pipeline: bool) -> Program:
        if pipeline and (self.fpga_binary or not self.has_compiler):
            return self.offline.program(name, defines)
        return build_pipeline(self, name, defines) if pipeline else build(self, name, defines)

    @cached_property
    def offline(self) -> Any:
        """The binary with the pipelines (`clgraph.fpga.binary.Binary`)."""
        from clgraph.fpga.binary import load

        return load(self)

    def built_files(self) -> tuple[str, ...]:
        """The kernel files that this device has built or loaded so far in this process, and its binary."""
        files = {f"cl/fpga/{p.name}.cl" if p.pipeline else f"cl/{p.name}.cl" for p in self._programs.values()}
        return (*([str(self.fpga_binary)] if self.fpga_binary else []), *sorted(files))

    def how(self) -> dict[str, Any]:
        """`kernels` and `built` of a result (`clgraph.runs_on.RunsOn`)."""
        return {"kernels": self.kernels, "built": self.built_files()}

    def load_binary(self, path: str | Path) -> Program:
        """A program built offline (``.aocx`` of an FPGA board) or saved by `Program.save`.

        Raises
        ------
        BuildError
            If the file cannot be read, or was not built for this device and driver.
        """
        return load_binary(self, path)


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
        If none or several different ones match (it lists what there is), or the one named is broken.

    Examples
    --------
    >>> get_device("cpu").kind
    'cpu'
    """
    if isinstance(spec, Device):
        if kernels is None and fpga_binary is None and not force:
            return spec
        return spec.with_setup(Setup.wanted(kernels, fpga_binary, force))
    if spec is not None and not isinstance(spec, str):
        raise DeviceError(
            f"device is {spec!r}: give a spec such as 'gpu' or '0:1', a clgraph Device, or None"
        )
    from clgraph.choosing import choose

    return choose(spec, Setup.wanted(kernels, fpga_binary, force))
