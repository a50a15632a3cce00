"""Listing devices and choosing one: by argument, CLGRAPH_DEVICE, PYOPENCL_CTX, else the best that works."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import pyopencl as cl

from clgraph._version import pip_hint
from clgraph.arguments import shown
from clgraph.device import drivers
from clgraph.device.device import Device
from clgraph.device.hardware import Kernels, Setup
from clgraph.errors import DeviceError

NO_PLATFORM = (
    f"no OpenCL driver was found. For this computer's CPU: {pip_hint('cpu')} (needs no root), or "
    "apt-get install pocl-opencl-icd. For an NVIDIA GPU: its driver's libnvidia-opencl.so.1 must be visible "
    "(in a container: NVIDIA_DRIVER_CAPABILITIES=compute,utility). `clgraph doctor` finds out more"
)

_known: dict[tuple[int, int], Device] = {}
# what was chosen, by the spec and the environment: a process has one list of drivers, and to go through it
# at each call took 40 us
_chosen: dict[tuple[Any, ...], Device] = {}
VARIABLES = (
    "CLGRAPH_DEVICE",
    "PYOPENCL_CTX",
    "PYOPENCL_TEST",
    "CLGRAPH_KERNELS",
    "CLGRAPH_FPGA_BINARY",
    "CLGRAPH_FORCE",
    "CLGRAPH_WITHOUT",
)
_given: WeakValueDictionary[int, Device] = WeakValueDictionary()  # by the number of a context or queue
_lock = threading.Lock()


def devices() -> list[Device]:
    """Return the OpenCL devices of this machine that work, the default one first.

    Each may be given as ``device=``, as may its `spec`. `clgraph doctor` says what is wrong with the others.

    Returns
    -------
    list of Device
        Empty if there is none. Equally good devices are in the loader's order.

    Raises
    ------
    DeviceError
        If the OpenCL loader fails, or in a process forked from one that had used OpenCL.

    Examples
    --------
    >>> import clgraph
    >>> all(device.fault is None for device in clgraph.devices())
    True
    """
    found = list_devices()
    best = of_word("", found) or []
    return [device for device in (*best, *(d for d in found if d not in best)) if device.fault is None]


def list_devices(*, oclgrind: bool = False) -> list[Device]:
    """Return every device of every platform, probed or not, in the loader's order; always the same objects.

    Parameters
    ----------
    oclgrind : bool
        Whether to include Oclgrind (which is also included if CLGRAPH_DEVICE names it).
    """
    found = []
    asked = oclgrind or "oclgrind" in wanted()[0].lower()
    for p, platform in enumerate(drivers.platforms(oclgrind=asked)):
        for d, raw in enumerate(_raw_devices(platform)):
            with _lock:
                if (p, d) not in _known:
                    _known[p, d] = Device(raw, f"{p}:{d}")
            found.append(_known[p, d])
    return found


def _raw_devices(platform: Any) -> list[Any]:
    try:
        return list(platform.get_devices())
    except cl.Error:
        return []  # a platform without devices (Clover) answers with the error DEVICE_NOT_FOUND


def choose(spec: str | None, setup: Setup | None = None) -> Device:
    """Return the device for a spec; candidates are probed in their order only until one works.

    Parameters
    ----------
    spec : str or None
        None: the environment's choice, else the best device that works.
    setup : Setup, optional
        Form of the kernels and binary; by default as the environment says.

    Raises
    ------
    DeviceError
        If no device or several different ones match (the message lists them all), or those that match are
        broken.
    """
    text, origin = wanted() if spec is None else (spec.strip(), "")
    if spec is not None and not text:
        raise DeviceError("the device is an empty text: use gpu, cpu, fpga, 0:1 or part of a name")
    devices = list_devices(oclgrind="oclgrind" in text.lower())
    if not devices:
        raise DeviceError(NO_PLATFORM + drivers.unseen())
    asked = f"{text!r}" + (f" ({origin})" if origin else "")
    matches = of_word(text.lower(), devices)
    if matches is None:
        matches = by_number_or_name(text, asked, devices)
    setup = setup or Setup.wanted()
    devices = [d.with_setup(setup) for d in devices]  # the table below shows their faults
    for device in matches:
        chosen = device.with_setup(setup)
        if chosen.fault is None:
            return chosen
    remedy = "; `clgraph doctor` says what to do"
    if text.lower() == "oclgrind" and not matches:
        remedy = "; install it: apt-get install oclgrind"
    what = f"no working device is {asked}" if text else "no device works that is picked by default"
    raise DeviceError(f"{what}; there are:\n{table(devices)}\n{remedy[2:]}{drivers.unseen()}")


def get_device(
    spec: str | Device | cl.Device | cl.Context | cl.CommandQueue | None = None,
    *,
    kernels: Kernels | None = None,
    fpga_binary: str | Path | None = None,
    force: bool = False,
) -> Device:
    """Return the device to use.

    Parameters
    ----------
    spec : str, Device, pyopencl.Device, pyopencl.Context, pyopencl.CommandQueue or None
        ``"0:1"`` (platform and device number), a word (``gpu cpu intel fpga pocl rusticl nvidia oclgrind``),
        part of a name, or a Device. None: ``CLGRAPH_DEVICE``, else ``PYOPENCL_CTX``, else the best that works
        (gpu, then fpga, then cpu). Your own context or in-order queue is used as it is: what clgraph enqueues
        comes after what you have enqueued there, and its arrays can be given to your kernels.
    kernels : {"ndrange", "pipeline"}, optional
        Which form of the kernels to use where there are two; else ``CLGRAPH_KERNELS`` decides, else pipelines
        on FPGAs and their emulator.
    fpga_binary : path, optional
        On an FPGA: a file made by ``clgraph fpga compile``; else ``CLGRAPH_FPGA_BINARY`` names it.
    force : bool
        Use a binary made from other sources than this clgraph's, and kernels that failed the driver's
        selftest (also ``CLGRAPH_FORCE=1``).

    Raises
    ------
    DeviceError
        If no device or several different ones match (the message lists them all); if the one named is
        broken; if `fpga_binary` is given and the device cannot use it; in a process that was forked from one
        that had used OpenCL.

    Examples
    --------
    >>> get_device("cpu").kind
    'cpu'
    """
    if isinstance(spec, (cl.Device, cl.Context, cl.CommandQueue)):
        spec = _of_users(spec)
    if spec is not None and not isinstance(spec, (str, Device)):
        raise DeviceError(
            f"device is {shown(spec)}: give a spec such as 'gpu' or '0:1', a clgraph Device, a device, "
            "context or queue of pyopencl, or None"
        )
    if drivers.parent:
        raise drivers.forked()
    if kernels is not None or fpga_binary is not None or force is not False:
        setup = Setup.wanted(kernels, fpga_binary, force)
        device = spec.with_setup(setup) if isinstance(spec, Device) else choose(spec, setup)
        if fpga_binary is not None and not device.is_fpga:
            raise DeviceError(
                f"{device} is not an FPGA and uses no binary: leave out {fpga_binary}, or use another device"
            )
        if fpga_binary is not None and device.kernels != "pipeline":
            raise DeviceError(
                f"a binary holds pipelines, and with kernels='ndrange' {device} uses none: leave out "
                f"{fpga_binary}, or kernels"
            )
        return device
    if isinstance(spec, Device):
        return spec
    key = (spec, *map(os.environ.get, VARIABLES))
    found = _chosen.get(key)
    if found is None or found.fault is not None:
        found = _chosen[key] = choose(spec)
    return found


def _of_users(given: Any) -> Device:
    """Return the Device of a device, context or queue of pyopencl, the same object at each call."""
    if isinstance(given, cl.Device):
        for device in list_devices():
            if device.raw == given:
                return device
        raise DeviceError(f"{given.name} is none of the devices that `clgraph devices` lists")
    context, queue = given, None
    if isinstance(given, cl.CommandQueue):
        context, queue = given.context, given
        if given.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE:
            raise DeviceError("this queue is out of order: clgraph needs one that keeps the order")
    raws = [queue.device] if queue else context.devices
    if len(raws) != 1:
        names = ", ".join(raw.name for raw in raws)
        raise DeviceError(f"the context has {len(raws)} devices ({names}): give a queue of one of them")
    base = _of_users(raws[0])
    with _lock:
        # a Device keeps its context and queue alive, so no other one has this number
        made = _given.get(given.int_ptr)
        if made is None:
            made = Device(raws[0], base.spec, base.setup, context=context, queue=queue)
            _given[given.int_ptr] = made
        given.clgraph_device = made  # they live as long as the user's object is used, or what lies there
        return made


# --- what a spec means --------------------------------------------------------------------------------


def wanted() -> tuple[str, str]:
    """Return the device that the environment requests, and the name of the variable."""
    for variable in ("CLGRAPH_DEVICE", "PYOPENCL_CTX", "PYOPENCL_TEST"):
        if text := os.environ.get(variable, "").strip():
            # PYOPENCL_TEST is a list, "0:0,1;intel:i5": its first entry counts, as for pyopencl itself
            return (re.split("[;,]", text)[0], variable) if variable == "PYOPENCL_TEST" else (text, variable)
    return "", ""


def of_word(word: str, devices: list[Device]) -> list[Device] | None:
    """Return the devices that a word selects, best first; None for an unknown word."""

    def of(kind: str) -> list[Device]:
        return [d for d in devices if d.kind == kind]

    pocl = [d for d in of("cpu") if d.platform_name == "Portable Computing Language"]
    # the newest PoCL first: that of PyPI is old, and fails on newer processors
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
        "rusticl": [d for d in devices if d.platform_name == "rusticl"],
        "fpga": of("fpga") + of("emulator"),
        "emulator": of("emulator"),
        "oclgrind": of("simulator"),
    }.get(word)


def _pocl_release(device: Device) -> tuple[int, ...]:
    """(3, 1) of "OpenCL 3.0 PoCL 3.1+debian ..."."""
    found = re.search(r"(?i)pocl (\d+)\.(\d+)", device.platform_version)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def by_number_or_name(text: str, asked: str, devices: list[Device]) -> list[Device]:
    """Find devices by ``platform:device`` (numbers or parts of names, as in PYOPENCL_CTX) or a name.

    Several may match if they are equal (the GPUs of one host): the first that works is used.
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
        raise DeviceError(f"no device is {asked}; there are:\n{table(devices)}{drivers.unseen()}")
    # equal devices, as the GPUs of one host, may stand for each other; different ones give different speeds
    if len({d.identity for d in matches}) > 1:
        raise DeviceError(f"several different devices are {asked}; say which:\n{table(matches)}")
    return matches


def _part_matches(part: str, number: str, name: str) -> bool:
    part = part.strip().lower()
    return not part or (part == number if part.isdigit() else part in name.lower())


def table(devices: Sequence[Device]) -> str:
    """Return the devices as lines of text, with the faults of those that were probed and failed."""
    lines = []
    for d in devices:
        fault = vars(d).get("fault")  # looking must not start a probe
        lines.append(
            f"  {d.spec}  {d.name} ({d.kind}, {d.platform_name})" + (f"  BROKEN: {fault}" if fault else "")
        )
    return "\n".join(lines)
