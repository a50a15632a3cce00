"""The devices that tests run on."""

from dataclasses import replace
from functools import cache

import pytest

# the words of `--device`, by which a device is shown; gpu is one that is not NVIDIA's. Mesa's rusticl shows
# devices only where RUSTICL_ENABLE names a driver (llvmpipe: the CPU)
WORDS = ("nvidia", "gpu", "pocl", "intel", "fpga", "rusticl")
# PoCL with everything hidden that a device may lack: as a CPU, with the launch tables of GPUs, and the same
# with work-groups of one work-item
HIDDEN = "features,local_memory=16K,buffer=128M,memory=1G"
POOR = {
    "poor": f"{HIDDEN},work_group=64",
    "poor-gpu": f"{HIDDEN},work_group=64",
    "poor-one": f"{HIDDEN},work_group=1",
}


_asked = set()


def ask_for(words):
    """What `--devices` and `--require` name: a driver that would have to be tried first is tried for them."""
    _asked.update(words)


@cache
def working_devices():
    """Word -> device, for each device that works; a device under its first word only.

    A driver that nobody has tried runs a selftest when it is asked whether it works, for a minute: one that
    the tests do not ask for is left out instead.
    """
    from clgraph.device.choosing import list_devices, of_word

    found = {}
    for word in WORDS:
        matches = of_word(word, list_devices()) or []
        if word not in _asked and (_asked or found):
            matches = [device for device in matches if not device.is_untried]
        usable = [device for device in matches if device.fault is None]
        usable = usable or [accept_short_loops(d) for d in matches if gives_up_long_loops(d)]
        if usable and usable[0] not in found.values():
            found[word] = usable[0]
    return found


def gives_up_long_loops(device):
    """Whether a device is broken by that alone: small graphs, and so most tests, come out right there."""
    return "gives up long loops" in (device.fault or "")


def accept_short_loops(device):
    """The device, from now on as if it worked if it only gives up long loops."""
    if gives_up_long_loops(device):
        vars(device)["fault"] = None
    return device


def another(device):
    """Another of the devices here; the test is skipped where there is none."""
    other = next((each for each in working_devices().values() if each is not device), None)
    if other is None:
        pytest.skip("needs two devices")
    return other


def needs_float64(device):
    """Skip the test on a device without float64."""
    if "HAVE_FP64" not in device.features:
        pytest.skip("needs float64")


@cache
def poor_device(word):
    """A device of `POOR`, made of PoCL; None if that does not work."""
    from clgraph.device import hardware
    from clgraph.device.device import Device
    from clgraph.device.hardware import Quirks, Setup, Without

    device = working_devices().get("pocl")
    if device is None:
        return None
    setup = replace(Setup.wanted(), force=True, without=Without.wanted(POOR[word]))
    if word == "poor":
        return device.with_setup(setup)
    kept, hardware.quirks = hardware.quirks, lambda raw: Quirks("gpu")
    try:
        return Device(device.raw, device.spec, setup)
    finally:
        hardware.quirks = kept


@cache
def has_oclgrind():
    """Whether Oclgrind is installed; it runs in subprocesses of its own (tests/test_oclgrind.py)."""
    from clgraph.device.drivers import find_oclgrind

    return find_oclgrind() is not None
