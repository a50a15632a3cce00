"""Which device is used: an argument, else CLGRAPH_DEVICE, else PYOPENCL_CTX, else the best that works."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TypeVar

from clgraph.device.hardware import Hardware
from clgraph.errors import DeviceError

D = TypeVar("D", bound=Hardware)

NO_PLATFORM = (
    "no OpenCL driver was found. For this computer's CPU: pip install 'clgraph[cpu]' (needs no root), or "
    "apt-get install pocl-opencl-icd. For an NVIDIA GPU: its driver's libnvidia-opencl.so.1 must be visible "
    "(in a container: NVIDIA_DRIVER_CAPABILITIES=compute,utility). `clgraph doctor` looks closer"
)


def wanted() -> tuple[str, str]:
    """What the environment asks for, and the variable that says so."""
    for variable in ("CLGRAPH_DEVICE", "PYOPENCL_CTX", "PYOPENCL_TEST"):
        if text := os.environ.get(variable, "").strip():
            # PYOPENCL_TEST is a list, "0:0,1;intel:i5": its first entry counts, as for pyopencl itself
            return (re.split("[;,]", text)[0], variable) if variable == "PYOPENCL_TEST" else (text, variable)
    return "", ""


def of_word(word: str, devices: list[D]) -> list[D] | None:
    """The devices that a word stands for, best first; None if it is no such word."""

    def of(kind: str) -> list[D]:
        return [d for d in devices if d.kind == kind]

    pocl = [d for d in of("cpu") if d.platform_name == "Portable Computing Language"]
    pocl.sort(key=_pocl_release, reverse=True)
    intel = [d for d in of("cpu") if d.platform_name.startswith("Intel(R) OpenCL")]
    cpus = pocl + intel + [d for d in of("cpu") if d not in pocl and d not in intel]
    return {
        "": of("gpu") + of("fpga") + cpus,
        "gpu": of("gpu"),
        "nvidia": [d for d in of("gpu") if "NVIDIA" in d.platform_name],
        "cpu": cpus,
        "pocl": pocl,
        "intel": intel,
        "fpga": of("fpga") + of("emulator"),
        "emulator": of("emulator"),
        "oclgrind": of("simulator"),
    }.get(word)


def _pocl_release(device: Hardware) -> tuple[int, ...]:
    """(3, 1) of "OpenCL 3.0 PoCL 3.1+debian ..."."""
    found = re.search(r"(?i)pocl (\d+)\.(\d+)", device.platform_version)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def by_number_or_name(text: str, asked: str, devices: list[D]) -> list[D]:
    """Devices that ``platform:device`` (numbers or parts of names, as in PYOPENCL_CTX) or a bare name means.

    Several are fine if they are equal (the GPUs of one host): the first that works is taken.
    """
    exact = [d for d in devices if text.lower() == d.name.lower()]
    matches = exact or [
        d for d in devices if text.lower() in f"{d.platform_name} {d.vendor} {d.name}".lower()
    ]
    if not exact and (parts := re.fullmatch(r"(\d+)|([^:]*):([^:]*)", text)):
        platform, number = (parts[1], "") if parts[1] is not None else (parts[2], parts[3])
        matches = [
            d
            for d in devices
            if _part_matches(platform, d.spec.split(":")[0], f"{d.platform_name} {d.platform_vendor}")
            and _part_matches(number, d.spec.split(":")[1], d.name)
        ]
    if not matches:
        raise DeviceError(f"no device is {asked}; there are:\n{table(devices)}")
    if len({d.identity for d in matches}) > 1:
        raise DeviceError(f"several different devices are {asked}; say which:\n{table(matches)}")
    return matches


def _part_matches(part: str, number: str, name: str) -> bool:
    part = part.strip().lower()
    return not part or (part == number if part.isdigit() else part in name.lower())


def table(devices: Sequence[Hardware]) -> str:
    """The devices as lines of text, with what is wrong with those that were probed and failed."""
    lines = []
    for d in devices:
        fault = d.__dict__.get("fault")  # looking must not start a probe
        lines.append(
            f"  {d.spec}  {d.name} ({d.kind}, {d.platform_name})" + (f"  BROKEN: {fault}" if fault else "")
        )
    return "\n".join(lines)
