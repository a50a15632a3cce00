"""What a device is: its kind, the facts that its driver states, and the peculiarities of drivers.

All vendor quirks are in one function, `quirks`; the launch table that every kernel starts from is `TUNING`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pyopencl as cl

from clgraph.arguments import flag, shown
from clgraph.device import unknown_cpu
from clgraph.device.feature_mask import Without
from clgraph.device.launch_config import Kind, LaunchTable
from clgraph.errors import CapacityError, DeviceError

Kernels = Literal["ndrange", "pipeline"]


@dataclass(frozen=True)
class Tuning:
    """A row of the launch table.

    Attributes
    ----------
    items : int
        Consecutive vertices per work-item where each is cheap.
    local_size : int
        Work-items per work-group where the kernel does not ask for another size.
    """

    items: int
    local_size: int


# GPUs want one work-item per vertex. CPUs want few work-items with long serial runs: Intel's vectoriser makes
# gathers slow if a work-item takes a single vertex or a work-group has 16 work-items or more.
# The simulator gets small numbers, so that graphs of 50 vertices still span several work-groups.
TUNING = LaunchTable(
    gpu=Tuning(items=1, local_size=256),
    cpu=Tuning(items=512, local_size=4),
    fpga=Tuning(items=512, local_size=1),
    simulator=Tuning(items=4, local_size=8),
)


@dataclass(frozen=True)
class Quirks:
    """The peculiarities of a driver; only `quirks` makes these.

    Attributes
    ----------
    kind : Kind
    shares_memory : bool
        Host arrays are used in place, without a copy.
    fills_by_kernel : bool
        Buffers are filled by a kernel, because clEnqueueFillBuffer does not serve.
    never_frees : bool
        Buffers stay allocated until the process ends.
    binaries : {"at once", "later", "never"}
        When built programs are kept on disk (see `clgraph.device.background_build`).
    asks_all_standards : bool
        The newest OpenCL C version appears only in the driver's list of all versions.
    build_options : tuple of str
        Options for every program.
    advice : str
        What is known of the driver where its probe fails.
    """

    kind: Kind
    shares_memory: bool = False
    fills_by_kernel: bool = False
    never_frees: bool = False
    binaries: Literal["at once", "later", "never"] = "at once"
    asks_all_standards: bool = False
    build_options: tuple[str, ...] = ()
    advice: str = ""


def quirks(raw: Any) -> Quirks:
    """The kind of a device and all its driver's quirks, each with its reason.

    Parameters
    ----------
    raw : pyopencl.Device
    """
    platform = raw.platform.name
    if "Oclgrind" in platform:
        return Quirks(
            "simulator",  # it calls itself CPU, GPU and accelerator at once
            # it regards what clEnqueueFillBuffer wrote, and host-pointer buffers, as uninitialised
            fills_by_kernel=True,
            # it regards a buffer that reuses freed memory as uninitialised, whatever kernels wrote there
            never_frees=True,
            # its builds take milliseconds, and its binaries lose the source's line numbers
            binaries="never",
            build_options=("-DCHECK_RACES",),  # its race detector understands atomics but not volatile
        )
    if "Emulat" in f"{platform} {raw.name}":
        # Intel's FPGA emulator calls itself an accelerator, as boards do, but is the host's CPU and memory
        return Quirks("emulator", shares_memory=True)
    if raw.type & cl.device_type.GPU:
        # a GPU that claims to share the host's memory may still cache or copy host pointers: it gets copies
        # NVIDIA's older query answers OpenCL C 1.2; work-group functions need 3.0, which the list has
        return Quirks("gpu", asks_all_standards="NVIDIA" in platform)
    if platform == "rusticl" and "llvmpipe" in raw.name:
        return Quirks(
            "cpu",
            shares_memory=True,
            # 22.3 ends the process that loads a damaged binary, and Mesa keeps what it compiles by itself
            binaries="never",
            # tests/drivers/loop_limit.cl
            advice="Mesa's llvmpipe leaves every loop of a kernel after 65535 steps in all, at least in "
            "release 22.3; 25.0 does not. Use PoCL, Intel's runtime or a newer Mesa",
        )
    pocl = platform == "Portable Computing Language"
    # PoCL 3.0 ends the process, or hangs, at vectors of 512 bits (tests/drivers/vectors_512.cl)
    narrow = pocl and raw.driver_version.startswith("3.0")
    if raw.type & cl.device_type.CPU:
        # host and device are one memory; PoCL makes binaries slowly, and keeps kernels by itself
        options = ("-DWITHOUT_WIDE_VECTORS",) if narrow else ()
        return Quirks(
            "cpu", shares_memory=True, binaries="later" if pocl else "at once", build_options=options
        )
    return Quirks("fpga")


# the build option for each kind: -DKIND_GPU and so on
FAMILY: dict[Kind, str] = {"gpu": "GPU", "cpu": "CPU", "emulator": "CPU", "simulator": "CPU", "fpga": "FPGA"}


@dataclass(frozen=True)
class Setup:
    """The user's choice of kernels for a device.

    Attributes
    ----------
    kernels : {"ndrange", "pipeline"} or None
        None: the device's kind decides.
    binary : str or None
        On FPGAs: a file made by ``clgraph fpga compile``.
    force : bool
        Use what is refused: a binary made from other sources than this clgraph's, and kernel families that
        failed the driver's selftest.
    without : Without
        What is hidden of the device: as CLGRAPH_WITHOUT says.
    """

    kernels: Kernels | None = None
    binary: str | None = None
    force: bool = False
    without: Without = field(default_factory=Without.wanted)

    @staticmethod
    def wanted(kernels: str | None = None, binary: str | Path | None = None, force: bool = False) -> Setup:
        """By arguments, else by CLGRAPH_KERNELS, CLGRAPH_FPGA_BINARY and CLGRAPH_FORCE."""
        for name, value in (("kernels", kernels), ("fpga_binary", binary)):
            if not (value is None or isinstance(value, str) or (value is binary and isinstance(value, Path))):
                raise DeviceError(f"{name} is {shown(value)}: a string is needed")
        chosen = kernels or os.environ.get("CLGRAPH_KERNELS") or None
        if chosen not in (None, "ndrange", "pipeline"):
            where = "kernels" if kernels else "CLGRAPH_KERNELS"
            raise DeviceError(f"{where} is {shown(chosen)}: use 'ndrange' or 'pipeline'")
        path = binary or os.environ.get("CLGRAPH_FPGA_BINARY") or None
        forced = flag(force, "force") or os.environ.get("CLGRAPH_FORCE", "") not in ("", "0")
        return Setup(chosen, None if path is None else str(path), forced)  # type: ignore[arg-type]


# how drivers answer once a device is gone
LOST = (
    cl.status_code.DEVICE_NOT_AVAILABLE,
    cl.status_code.INVALID_COMMAND_QUEUE,
    cl.status_code.INVALID_CONTEXT,
)


@dataclass(frozen=True)
class Hardware:
    """The facts of a device as its driver states them; they never change.

    Attributes
    ----------
    raw : pyopencl.Device
    spec : str
        ``"platform:device"``, the numbers by which ``--device`` finds it again.
    name, vendor, platform_name, platform_vendor, platform_version, driver_version : str
    compute_units, max_work_group : int
    global_memory, max_buffer, local_memory : int
        In bytes.
    has_compiler : bool
        Whether it builds from source; real FPGA boards do not.
    quirks : Quirks
    without : Without
        What of it is hidden: limits and compiler are stated as if it had no more.
    """

    raw: Any
    spec: str
    name: str
    vendor: str
    platform_name: str
    platform_vendor: str
    platform_version: str
    driver_version: str
    compute_units: int
    global_memory: int
    max_buffer: int
    local_memory: int
    max_work_group: int
    has_compiler: bool
    quirks: Quirks
    without: Without

    @staticmethod
    def of(raw: Any, spec: str, without: Without) -> Hardware:
        """Ask the driver for a device's facts, less what is hidden."""
        limits = {
            "global_memory": raw.global_mem_size,
            "max_buffer": raw.max_mem_alloc_size,
            "local_memory": raw.local_mem_size,
            "max_work_group": raw.max_work_group_size,
        }
        return Hardware(
            raw=raw,
            spec=spec,
            name=raw.name.strip(),
            vendor=raw.vendor.strip(),
            platform_name=raw.platform.name.strip(),
            platform_vendor=raw.platform.vendor.strip(),
            platform_version=raw.platform.version.strip(),
            driver_version=raw.driver_version.strip(),
            compute_units=raw.max_compute_units,
            has_compiler=bool(raw.compiler_available) and not without.compiler,
            quirks=quirks(raw),
            without=without,
            **without.lowered(limits),
        )

    def __str__(self) -> str:
        return f"{self.spec} ({self.name})"

    @property
    def kind(self) -> Kind:
        """The word that clgraph has for what it is."""
        return self.quirks.kind

    @property
    def is_fpga(self) -> bool:
        """Whether it is an FPGA board or the emulator of one."""
        return self.kind in ("fpga", "emulator")

    @property
    def tuning(self) -> Tuning:
        """Its row of the launch table, cut to its largest work-group."""
        row = TUNING[self.kind]
        fits = row.local_size <= self.max_work_group
        return row if fits else replace(row, local_size=self.max_work_group)

    @property
    def identity(self) -> tuple[str, ...]:
        """What a program's binary or a probe's result is valid for."""
        # Intel's runtimes build for the processor that this variable names: binaries for one fail on another
        target = os.environ.get(unknown_cpu.VARIABLE) if self.platform_name.startswith("Intel") else None
        known = (self.platform_name, self.platform_version, self.name, self.driver_version)
        return (*known, target) if target else known

    @property
    def base_options(self) -> tuple[str, ...]:
        """Build options of every program, before OpenCL C standard and features."""
        return (f"-DKIND_{FAMILY[self.kind]}", *self.quirks.build_options)

    def failure(self, error: Exception, doing: str) -> DeviceError:
        """An OpenCL error as one of clgraph's, with the device named."""
        text = f"{self}: {error} ({doing})"
        if getattr(error, "code", None) in LOST:
            text += "; the device seems to be lost: graphs that are also on the host go on on another one"
        return CapacityError(text) if isinstance(error, cl.MemoryError) else DeviceError(text)
