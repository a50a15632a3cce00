"""Kinds of device, the properties that drivers report, and drivers' peculiarities.

All vendor quirks are in one function, `quirks`; the launch table that every kernel starts from is `TUNING`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pyopencl as cl

from clgraph.arguments import flag, shown
from clgraph.device import drivers
from clgraph.device.cache import bytes_of
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
        Advice on the driver for when its probe fails.
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
    """Return the kind of a device and all its driver's quirks, each with its reason.

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


# --- CLGRAPH_WITHOUT: features that are not to be used though a device has them, and lower limits ---
#
# With it any device stands in for a poorer one: `Hardware` states the lower limits, `Device.features` lacks
# the hidden ones, and launches, local memory and buffers beyond the limits are refused as on such a device.


#: every feature beyond the baseline that kernels ask for, as ``HAVE_...`` without its beginning
FEATURES = (
    "FP64",
    "INT64_ATOMICS",
    "SUBGROUPS",
    "WORKGROUP_FUNCTIONS",
    "C11_ATOMICS",
    "FLOAT_ATOMICS",
    "PTX",
    "PREFETCH",
)
#: the limits that can be lowered
LIMITS = ("memory", "local_memory", "buffer", "work_group")
WITHOUT = "CLGRAPH_WITHOUT"


@dataclass(frozen=True)
class Without:
    """Features and limits hidden from a device; by default none.

    Attributes
    ----------
    features : frozenset of str
        Of `FEATURES`.
    compiler : bool
        Whether its compiler is hidden, as on a real FPGA board.
    limits : tuple of (str, int)
        Of `LIMITS`, each with the most that it may be.
    """

    features: frozenset[str] = frozenset()
    compiler: bool = False
    limits: tuple[tuple[str, int], ...] = field(default=())

    @staticmethod
    def wanted(text: str | None = None) -> Without:
        """Parse a text such as ``fp64,work_group=64,buffer=128M``; by default that of the environment.

        Raises
        ------
        DeviceError
            If it names an unknown feature or limit.
        """
        given = os.environ.get(WITHOUT, "") if text is None else text
        features: set[str] = set()
        compiler, limits = False, dict[str, int]()
        for word in filter(None, map(str.strip, given.split(","))):
            name, equals, value = (part.strip() for part in word.upper().partition("="))
            if equals and name.lower() in LIMITS:
                limits[name.lower()] = most = bytes_of(value, "KMG") or 0
                if most < 1:
                    raise DeviceError(
                        f"{WITHOUT}: {word!r} is no limit: give a whole number from 1 on, or one with K, M "
                        "or G"
                    )
            elif word.upper() == "FEATURES":
                features |= set(FEATURES)
            elif word.upper() in FEATURES:
                features.add(name)
            elif word.upper() == "COMPILER":
                compiler = True
            else:
                known = f"{', '.join(FEATURES).lower()}, features (all of these), compiler"
                raise DeviceError(
                    f"{WITHOUT}: {word!r} is no feature and no limit: use {known}, "
                    f"{', '.join(f'{each}=N' for each in LIMITS)}, separated by commas"
                )
        return Without(
            frozenset(features), compiler, tuple((name, limits[name]) for name in LIMITS if name in limits)
        )

    def lowered(self, limit: str, value: int) -> int:
        """Return a limit of the device, or the lower value set for it."""
        return min(value, dict(self.limits).get(limit, value))

    def __str__(self) -> str:
        """As `wanted` reads it; empty if nothing is hidden."""
        words = sorted(feature.lower() for feature in self.features)
        words += ["compiler"] if self.compiler else []
        return ",".join(words + [f"{name}={most}" for name, most in self.limits])


# --- devices ---


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
        Use refused kernels: a binary made from other sources than this clgraph's, and kernel families that
        failed the driver's selftest.
    without : Without
        Hidden features and limits, by default those of CLGRAPH_WITHOUT.
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


class Hardware:
    """Properties of a device as its driver reports them, less those hidden; they never change.

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
    kind : {"gpu", "cpu", "fpga", "emulator", "simulator"}
        clgraph's own word: an emulator calls itself an accelerator, Oclgrind everything at once.
    shares_memory : bool
        Whether host arrays are used in place, without a copy.
    """

    def __init__(self, raw: Any, spec: str, without: Without) -> None:
        platform = raw.platform
        self.raw, self.spec, self.name = raw, spec, raw.name.strip()
        self.vendor, self.driver_version = raw.vendor.strip(), raw.driver_version.strip()
        self.platform_name, self.platform_vendor = platform.name.strip(), platform.vendor.strip()
        self.platform_version = platform.version.strip()
        self.compute_units: int = raw.max_compute_units
        self.global_memory: int = without.lowered("memory", raw.global_mem_size)
        self.max_buffer: int = without.lowered("buffer", raw.max_mem_alloc_size)
        self.local_memory: int = without.lowered("local_memory", raw.local_mem_size)
        self.max_work_group: int = without.lowered("work_group", raw.max_work_group_size)
        self.has_compiler = bool(raw.compiler_available) and not without.compiler
        self.quirks = quirks(raw)
        # attributes of their own: launches and transfers ask for them
        self.kind, self.shares_memory = self.quirks.kind, self.quirks.shares_memory

    def __str__(self) -> str:
        return f"{self.spec} ({self.name})"

    @property
    def is_fpga(self) -> bool:
        """True for an FPGA board and the emulator."""
        return self.kind in ("fpga", "emulator")

    @property
    def tuning(self) -> Tuning:
        """Its row of the launch table, cut to its largest work-group."""
        row = TUNING[self.kind]
        fits = row.local_size <= self.max_work_group
        return row if fits else replace(row, local_size=self.max_work_group)

    @property
    def identity(self) -> tuple[str, ...]:
        """Key of the driver and device for which a binary or a probe's result is valid."""
        # Intel's runtimes build for the processor that this variable names: binaries for one fail on another
        target = os.environ.get(drivers.CPU_TARGET) if self.platform_name.startswith("Intel") else None
        known = (self.platform_name, self.platform_version, self.name, self.driver_version)
        return (*known, target) if target else known

    @property
    def base_options(self) -> tuple[str, ...]:
        """Build options of every program, before OpenCL C standard and features."""
        return (f"-DKIND_{FAMILY[self.kind]}", *self.quirks.build_options)

    def failure(self, error: Exception, doing: str) -> DeviceError:
        """Return the DeviceError for an OpenCL error, with the device named."""
        text = f"{self}: {error} ({doing})"
        if getattr(error, "code", None) in LOST:
            text += (
                "; the device seems to be lost: graphs that are also on the host can be used on another one"
            )
        return CapacityError(text) if isinstance(error, cl.MemoryError) else DeviceError(text)
