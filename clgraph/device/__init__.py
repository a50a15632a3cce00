"""OpenCL devices: choosing one, its memory, its programs. Importing this package touches no driver."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clgraph.device.choosing import devices, get_device, list_devices
    from clgraph.device.device import Device
    from clgraph.device.hardware import Setup
    from clgraph.device.profiling import profile

__all__ = ["Device", "Setup", "devices", "get_device", "list_devices", "profile"]
_HOMES = {
    "Device": "clgraph.device.device",
    "Setup": "clgraph.device.hardware",
    "profile": "clgraph.device.profiling",
}


def __getattr__(name: str) -> Any:
    """Import pyopencl when a name is first used, not before."""
    if name not in __all__:
        raise AttributeError(f"module 'clgraph.device' has no attribute {name!r}")
    module = _HOMES.get(name, "clgraph.device.choosing")
    found = globals()[name] = getattr(import_module(module), name)
    return found
