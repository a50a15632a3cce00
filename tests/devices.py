"""The devices that tests run on."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clgraph.device import Device

# the words of `--device`, by which a device is shown; gpu is one that is not NVIDIA's. Mesa's rusticl shows
# devices only where RUSTICL_ENABLE names a driver (llvmpipe: the CPU)
WORDS = ("nvidia", "gpu", "pocl", "intel", "fpga", "rusticl")


@cache
def working_devices() -> dict[str, Device]:
    """Word -> device, for each device that works; a device under its first word only."""
    from clgraph.device import choose
    from clgraph.errors import DeviceError

    found: dict[str, Device] = {}
    for word in WORDS:
        try:
            device = choose(word)
        except DeviceError:
            continue
        if device not in found.values():
            found[word] = device
    return found


@cache
def has_oclgrind() -> bool:
    """Whether Oclgrind is installed; it runs in subprocesses of its own (tests/test_oclgrind.py)."""
    from clgraph.device.drivers import find_oclgrind

    return find_oclgrind() is not None
