"""OpenCL devices: choosing one, its memory, its programs. Importing this package touches no driver."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clgraph.device.choosing import choose, devices, get_device, list_devices
    from clgraph.device.device import Device
    from clgraph.device.hardware import TUNING, Kernels, Kind, Quirks, Setup, Tuning, quirks
    from clgraph.device.profiling import profile

__all__ = [
    "TUNING",
    "Device",
    "Kernels",
    "Kind",
    "Quirks",
    "Setup",
    "Tuning",
    "choose",
    "devices",
    "get_device",
    "list_devices",
    "profile",
    "quirks",
]

_ELSEWHERE = {
    "Device": "clgraph.device.device",
    "choose": "clgraph.device.choosing",
    "devices": "clgraph.device.choosing",
    "get_device": "clgraph.device.choosing",
    "list_devices": "clgraph.device.choosing",
    "profile": "clgraph.device.profiling",
}


def __getattr__(name: str) -> Any:
    """Import pyopencl when a name is first used, not before."""
    if name not in __all__:
        raise AttributeError(f"module 'clgraph.device' has no attribute {name!r}")
    module = _ELSEWHERE.get(name, "clgraph.device.hardware")
    found = globals()[name] = getattr(import_module(module), name)
    return found
