"""What kinds of device there are, what is peculiar to drivers, and what the device floor knows of a device.

All vendor quirks stand in one function, `quirks`; the launch table that every kernel starts from is `TUNING`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyopencl as cl

from clgraph.device.shapes import Kind, Shapes
from clgraph.errors import DeviceError

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
TUNING = Shapes(
    gpu=Tuning(items=1, local_size=256),
    cpu=Tuning(items=512, local_size=4),
    fpga=Tuning(items=512, local_size=1),
    simulator=Tuning(items=4, local_size=8),
)


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


# the build option of a kind: -DKIND_GPU and so on
FAMILY: dict[Kind, str] = {"gpu": "GPU", "cpu": "CPU", "emulator": "CPU", "simulator": "CPU", "fpga": "FPGA"}


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


class Hardware:
    """What memory, programs and launches know of their device; `clgraph.device.Device` sets it."""

    raw: Any
    spec: str
    name: str
    vendor: str
    platform_name: str
    platform_vendor: str
    platform_version: str
    driver_version: str
    identity: tuple[str, ...]
    kind: Kind
    tuning: Tuning
    setup: Setup
    is_fpga: bool
    fpga_binary: str | None
    pipeline_parameters: dict[str, int]
    launched: list[int]
    global_memory: int
    max_buffer: int
    has_compiler: bool
    asks_all_standards: bool
    base_options: tuple[str, ...]
    shares_memory: bool
    fills_by_kernel: bool
    never_frees: bool
    keeps_binaries: bool
    context: Any
    queue: Any
    second_queue: Any
