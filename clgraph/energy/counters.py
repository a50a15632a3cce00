"""Energy counters: NVML's of NVIDIA boards, RAPL's of CPUs. `clgraph.energy` uses them."""

from __future__ import annotations

import contextlib
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph._version import pip_hint
from clgraph.errors import ClgraphError
from clgraph.system import starting_threads

if TYPE_CHECKING:
    from clgraph.device import Device

POWERCAP = Path("/sys/class/powercap")
MOST_WATTS = 2000.0  # no package or board draws more: a higher value means that the counter was reset


class Unavailable(ClgraphError):
    """No counter can be read; the message says why and what to do."""


class GivenPower:
    """An average power read off a wall meter: only time is measured.

    Parameters
    ----------
    watts : float
    """

    def __init__(self, watts: float) -> None:
        self._watts = watts
        self.source = f"given by hand: {watts:g} W"

    def start(self) -> None:
        """Start counting."""

    def stop(self, seconds: float) -> float:
        """Return the joules since `start`, which was `seconds` seconds ago."""
        return self._watts * seconds


# --- NVIDIA boards -------------------------------------------------------------------------------------


class NVMLCounter:
    """The total-energy counter of an NVIDIA board, in millijoules since its driver was loaded.

    Parameters
    ----------
    address : tuple of int
        PCI domain, bus, and slot as given by CL_DEVICE_PCI_SLOT_ID_NV.
    nvml : module, optional
        By default ``pynvml`` of nvidia-ml-py.

    Raises
    ------
    Unavailable
        If there is no library, no permission, no such board, no counter, or the board is shared (MIG).
    """

    def __init__(self, address: tuple[int, int, int], nvml: Any = None) -> None:
        try:
            self._nvml = nvml = import_module("pynvml") if nvml is None else nvml
        except ImportError as error:
            raise Unavailable(f"nvidia-ml-py is not installed: {pip_hint('energy')}") from error
        try:
            nvml.nvmlInit()
        except nvml.NVMLError as error:
            raise Unavailable(
                f"NVML does not start ({error}): the driver's libnvidia-ml.so.1 must be visible (in a "
                "container: NVIDIA_DRIVER_CAPABILITIES=compute,utility)"
            ) from error
        try:
            self._handle = _board(nvml, address)
            shared = False
            with contextlib.suppress(nvml.NVMLError):  # boards without MIG answer "not supported"
                shared, _ = nvml.nvmlDeviceGetMigMode(self._handle)
            if shared:
                raise Unavailable(
                    "the board is split (MIG): its energy counter includes the work of other users"
                )
            name = nvml.nvmlDeviceGetName(self._handle)
            name = name.decode() if isinstance(name, bytes) else name
            self.source = f"NVML, total-energy counter of {name}"
            nvml.nvmlDeviceGetTotalEnergyConsumption(self._handle)
        except nvml.NVMLError as error:
            raise Unavailable(
                f"NVML refuses the energy counter of this board ({error}): it needs a GPU from Volta on and "
                "permission to read it; a wall meter's reading can be given by --watts"
            ) from error

    def _read(self) -> float:
        try:
            return float(self._nvml.nvmlDeviceGetTotalEnergyConsumption(self._handle)) / 1e3
        except self._nvml.NVMLError as error:
            raise Unavailable(f"NVML's energy counter stopped answering ({error})") from error

    def start(self) -> None:
        """Start counting."""
        self._begin = self._read()

    def stop(self, seconds: float) -> float:
        """Joules since `start`."""
        joules = self._read() - self._begin
        if joules < 0:
            raise Unavailable(
                f"NVML's energy counter went backwards by {-joules:.3f} J: the driver was reloaded "
                "meanwhile; measure again"
            )
        if joules == 0:
            raise Unavailable(f"NVML's energy counter did not change in {seconds:.3f} s: measure longer work")
        return joules


def _board(nvml: Any, address: tuple[int, int, int]) -> Any:
    """Return the board at a PCI address."""
    domain, bus, slot = address
    found: dict[tuple[int, int, int], Any] = {}
    for index in range(nvml.nvmlDeviceGetCount()):
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        pci = nvml.nvmlDeviceGetPciInfo(handle)
        found[pci.domain, pci.bus, pci.device] = handle
    # the slot is device number and function in one byte; some drivers give the device number alone
    for device in (slot >> 3, slot):
        if (domain, bus, device) in found:
            return found[domain, bus, device]
    raise Unavailable(
        f"NVML lists no board at PCI {domain:04x}:{bus:02x}:{slot >> 3:02x}; it has "
        + (", ".join(f"{d:04x}:{b:02x}:{s:02x}" for d, b, s in found) or "none")
    )


# --- CPUs ----------------------------------------------------------------------------------------------


class RAPLCounter:
    """The energy counters of a machine's CPU packages and their memory (running average power limit).

    They count microjoules and wrap around at `max_energy_range_uj`; a thread reads them often enough not to
    miss a wrap-around.

    Parameters
    ----------
    folder : path
        `POWERCAP`.

    Raises
    ------
    Unavailable
        If there are no counters (virtual machines rarely have them), or no permission to read them.
    """

    def __init__(self, folder: Path) -> None:
        zones = [zone for zone in sorted(folder.glob("intel-rapl:*")) if _counts(_word(zone / "name"))]
        if not zones:
            raise Unavailable(
                f"no RAPL counters of CPU packages below {folder} (virtual machines rarely show any); a wall "
                "meter's reading can be given by --watts"
            )
        self._files = [zone / "energy_uj" for zone in zones]
        self._ranges = [_number(zone / "max_energy_range_uj") for zone in zones]
        self.source = f"RAPL: {', '.join(_word(zone / 'name') for zone in zones)}"
        self._now()
        # no counter can wrap around twice within half of this
        self._period = min(60.0, min(self._ranges) / 1e6 / MOST_WATTS / 2)

    def _now(self) -> list[int]:
        return [_number(file) for file in self._files]

    def start(self) -> None:
        """Start counting."""
        self._last, self._read_at, self._sum = self._now(), time.perf_counter(), 0
        self._fault: Unavailable | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="clgraph energy", daemon=True)
        with starting_threads():
            self._thread.start()

    def _watch(self) -> None:
        while not self._over.wait(self._period):
            try:
                self._accumulate()
            except Unavailable as fault:  # raised by stop(): a thread has no caller
                self._fault = fault
                return

    def _accumulate(self) -> None:
        now, when = self._now(), time.perf_counter()
        most = MOST_WATTS * max(when - self._read_at, 0.01) * 1e6
        for before, after, whole, file in zip(self._last, now, self._ranges, self._files, strict=True):
            used = after - before if after >= before else after - before + whole
            if not 0 <= used <= most:
                raise Unavailable(
                    f"{file} went from {before} to {after} uJ: it was reset meanwhile; measure again"
                )
            self._sum += used
        self._last, self._read_at = now, when

    def stop(self, seconds: float) -> float:
        """Joules since `start`."""
        self._over.set()
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        self._accumulate()
        if self._sum == 0:
            raise Unavailable(f"the RAPL counters did not change in {seconds:.3f} s: measure longer work")
        return self._sum / 1e6


def _counts(name: str) -> bool:
    """True for zones that count: packages and their memory, but not their parts (core, uncore) nor psys."""
    return name.startswith("package") or name == "dram"


def _word(file: Path) -> str:
    try:
        return file.read_text().strip()
    except PermissionError as error:
        raise Unavailable(
            f"no permission to read {file}: as root, or after `chmod a+r` on it by root (since CVE-2020-8694 "
            "Linux lets only root read the counters)"
        ) from error
    except OSError as error:
        raise Unavailable(f"cannot read {file}: {error.strerror or error}") from error


def _number(file: Path) -> int:
    text = _word(file)
    if not text.isdigit():
        raise Unavailable(f"{file} contains {text!r}, which is not a count of microjoules")
    return int(text)


Counter = NVMLCounter | RAPLCounter | GivenPower


# --- which counter -------------------------------------------------------------------------------------


def find_counter(device: Device) -> Counter:
    """Return the counter for a device.

    Raises
    ------
    Unavailable
        If there is none, or it cannot be read.
    """
    if device.kind in ("cpu", "emulator", "simulator"):
        return RAPLCounter(POWERCAP)
    if device.kind == "gpu" and "NVIDIA" in f"{device.platform_name} {device.vendor}":
        return NVMLCounter(pci_address(device))
    raise Unavailable(
        f"no energy counter is known for {device.name} ({device.kind}, {device.platform_name}); a wall "
        "meter's reading can be given by --watts"
    )


def pci_address(device: Device) -> tuple[int, int, int]:
    """Return PCI domain, bus and slot of an NVIDIA device (cl_nv_device_attribute_query)."""
    import pyopencl as cl

    try:
        address = int(device.raw.pci_bus_id_nv), int(device.raw.pci_slot_id_nv)
    except (cl.Error, AttributeError) as error:
        raise Unavailable(f"{device.name} does not report its PCI address ({error})") from error
    domain = 0
    # older drivers and releases of pyopencl lack this query: then assume one domain
    with contextlib.suppress(cl.Error, AttributeError):
        domain = int(device.raw.pci_domain_id_nv)
    return domain, *address
