"""OpenCL devices: choosing one, its memory, its programs. Importing this package touches no driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clgraph.device.device import (
        TUNING,
        Device,
        Kernels,
        Kind,
        Quirks,
        Setup,
        Tuning,
        choose,
        get_device,
        list_devices,
        quirks,
    )

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


def __getattr__(name: str) -> Any:
    """Import pyopencl when a name is first used, not before."""
    if name in __all__:
        from clgraph.device import device

        return getattr(device, name)
    raise AttributeError(f"module 'clgraph.device' has no attribute {name!r}")
