"""Which device is used: an argument, else CLGRAPH_DEVICE, else PYOPENCL_CTX, else the best that works."""

from __future__ import annotations

import os
import re
import threading
from typing import Any

from clgraph import drivers
from clgraph.device import Device
from clgraph.errors import DeviceError

WORDS = ("gpu", "cpu", "fpga", "intel", "pocl", "nvidia", "emulator", "oclgrind")
_known: dict[tuple[int, int], Device] = {}
_lock = threading.Lock()

NO_PLATFORM = (
    "no OpenCL driver was found. For this CPU: pip install 'clgraph[cpu]' (no root needed), or "
    "apt-get install pocl-opencl-icd. For an NVIDIA GPU: its driver's libnvidia-opencl.so.1 must be visible. "
    "`clgraph doctor` looks closer"
)


def list_devices(*, oclgrind: bool = False) -> list[Device]:
    """Every device of every platform, probed or not, in the loader's order; the same objects at each call."""
    found = []
    for p, platform in enumerate(drivers.platforms(oclgrind=oclgrind)):
        for d, raw in enumerate(_raw_devices(platform)):
            with _lock:
                if (p, d) not in _known:
                    _known[p, d] = Device(raw, f"{p}:{d}")
            found.append(_known[p, d])
    return found


def _raw_devices(platform: Any) -> list[Any]:
    import pyopencl as cl

    try:
        return list(platform.get_devices())
    except cl.Error:
        return []  # DEVICE_NOT_FOUND is how a platform without devices (Clover) says so


def _newest(device: Device) -> tuple[int, ...]:
    return tuple(int(x) for x in re.findall(r"\d+", device.platform_version))[2:] or (0,)


def is_pocl(device: Device) -> bool:
    """Whether the device is one of PoCL's."""
    return device.platform_name == "Portable Computing Language"


def candidates(word: str, devices: list[Device]) -> list[Device] | None:
    """The devices that a word stands for, best first; None if it is no such word."""
    kinds = {kind: [d for d in devices if d.kind == kind] for kind in ("gpu", "cpu", "fpga", "emulator", "simulator")}
    pocl = sorted((d for d in kinds["cpu"] if is_pocl(d)), key=_newest, reverse=True)
    intel = [d for d in kinds["cpu"] if "Intel(R) OpenCL" in d.platform_name]
    others = [d for d in kinds["cpu"] if d not in pocl and d not in intel]
    return {
        "gpu": kinds["gpu"],
        "cpu": pocl + intel + others,
        "pocl": pocl,
        "intel": intel,
        "fpga": kinds["fpga"] + kinds["emulator"],
        "emulator": kinds["emulator"],
        "nvidia": [d for d in kinds["gpu"] if "NVIDIA" in d.platform_name],
        "oclgrind": kinds["simulator"],
        "": kinds["gpu"] + kinds["fpga"] + pocl + intel + others,
    }.get(word)


def wanted() -> tuple[str, str]:
    """What the environment asks for, and which variable says so."""
    for variable in ("CLGRAPH_DEVICE", "PYOPENCL_CTX"):
        if text := os.environ.get(variable, "").strip():
            return text, variable
    return "", ""


def choose(spec: str | None) -> Device:
    """The device for a spec (None: what the environment says, else the best that works)."""
    text, origin = (spec.strip(), "--device / device=") if spec is not None else wanted()
    word = text.lower()
    devices = list_devices(oclgrind=word == "oclgrind")
    if not devices:
        raise DeviceError(NO_PLATFORM)
    matches = candidates(word, devices)
    if matches is None:
        matches = [_by_number_or_name(text, origin, devices)]
    for device in matches:
        if device.fault is None:
            return device
    raise DeviceError(_no_match(text, origin, matches, devices))


def _by_number_or_name(text: str, origin: str, devices: list[Device]) -> Device:
    number = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    if number:
        spec = f"{number[1]}:{number[2] or 0}"
        same = [d for d in devices if d.spec == spec]
    else:
        same = [d for d in devices if text.lower() in f"{d.platform_name} {d.name}".lower()]
    if len(same) == 1:
        return same[0]
    problem = "several devices match" if same else "no device matches"
    raise DeviceError(f"{problem} {text!r} ({origin}); there are:\n{table(same or devices)}")


def _no_match(text: str, origin: str, matches: list[Device], devices: list[Device]) -> str:
    asked = f"for {text!r} ({origin})" if text else "to pick unasked"
    return f"no working device {asked}; there are:\n{table(devices)}\n`clgraph doctor` says what to do"


def table(devices: list[Device]) -> str:
    """The devices as lines of text, with what is wrong with those that were probed."""
    lines = []
    for d in devices:
        state = f" BROKEN: {d.fault}" if d.__dict__.get("fault") else ""
        lines.append(f"  {d.spec}  {d.name} ({d.kind}, {d.platform_name}){state}")
    return "\n".join(lines)
