"""Energy of a workload, from counters that measure it; never an estimate.

The sources: for an NVIDIA board its total-energy counter, read by NVML (nvidia-ml-py, extra ``energy``; the
board is found by the OpenCL device's PCI address); for a CPU the RAPL counters in ``/sys/class/powercap``; or
an average power that the user read off a wall meter, and the result then says so. Otherwise energy
is not available, and the result says why.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clgraph.arguments import shown
from clgraph.energy.counters import Counter, GivenPower, Unavailable, find_counter
from clgraph.errors import InputError

if TYPE_CHECKING:
    from clgraph.device import Device

# seconds; NVML's counter changes about ten times a second, so a shorter time is mostly rounding
AT_LEAST = 2.0
BY_HAND = 0.3  # seconds if the power is given and only a mean time is needed
IDLE = 1.0  # seconds over which idle power is measured


@dataclass
class Energy:
    """A measurement; filled in when the measured region ends.

    Attributes
    ----------
    seconds : float
        Wall-clock time of the region.
    runs : int
        Number of times that the work ran in it.
    joules : float or None
        Energy of the region; None if not available.
    idle_watts : float or None
        Power of the idle device, measured beforehand; None if it was not measured (a power given by hand).
    source : str
        The counter, or "given by hand"; "" if not available.
    reason : str
        The reason why it is not available; "" if it is.
    region : str
        A description of what was measured; filled in by the caller.
    """

    seconds: float = 0.0
    runs: int = 1
    joules: float | None = None
    idle_watts: float | None = None
    source: str = ""
    reason: str = ""
    region: str = ""

    @property
    def available(self) -> bool:
        """True if energy was measured."""
        return self.joules is not None

    @property
    def watts(self) -> float | None:
        """Average power over the region."""
        return None if self.joules is None or self.seconds <= 0 else self.joules / self.seconds

    def per_joule(self, items: int) -> float | None:
        """Return `things` (vertices, arcs) per run over joules per run: things per second per watt."""
        return items * self.runs / self.joules if self.joules else None

    def to_dict(self, vertices: int | None = None) -> dict[str, Any]:
        """Return the measurement as plain values for JSON; joules and seconds are per run.

        Parameters
        ----------
        vertices : int, optional
            Number of vertices of the input: adds vertices per second per watt.
        """
        if self.joules is None:
            return {"available": False, "reason": self.reason}
        facts: dict[str, Any] = {
            "available": True,
            "source": self.source,
            "joules": self.joules / self.runs,
            "seconds": self.seconds / self.runs,
            "watts": self.watts,
            "idle_watts": self.idle_watts,
            "runs": self.runs,
        }
        if vertices is not None:
            facts["vertices_per_second_per_watt"] = self.per_joule(vertices)
        return facts

    def __str__(self) -> str:
        if self.joules is None:
            return f"energy: not available: {self.reason}"
        idle = "" if self.idle_watts is None else f", idle {self.idle_watts:.1f} W"
        runs = "1 run" if self.runs == 1 else f"{self.runs} runs"
        return (
            f"energy: {self.joules / self.runs:.4g} J per run ({runs} in {self.seconds:.2f} s, "
            f"{self.watts or 0:.1f} W{idle}; {self.source})"
        )


_idle: dict[str, float] = {}  # by counter and device: measured once per process


class Meter:
    """Energy meter of one device, for any number of measurements.

    Parameters
    ----------
    device : Device or str
    watts : float, optional
        Average power by a wall meter; if given, only time is measured.

    Raises
    ------
    InputError
        If `watts` is not a positive number.
    """

    def __init__(self, device: Device | str | None, watts: float | None = None) -> None:
        from clgraph.device import get_device

        self.watts = check_watts(watts)
        self.device = get_device(device)
        self.reason = ""
        self._counter: Counter | None = None
        try:
            if self.watts is not None:
                self._counter = GivenPower(self.watts)
            else:
                self._counter = find_counter(self.device)
        except Unavailable as error:
            self.reason = str(error)

    @property
    def available(self) -> bool:
        """True if it can measure energy."""
        return not self.reason

    @property
    def source(self) -> str:
        """The counter, "given by hand", or "" if there is none."""
        return "" if self._counter is None else self._counter.source

    def idle_watts(self) -> float | None:
        """Return the power of the idle device, measured in the first call; None if there is no counter."""
        if self._counter is None or self.watts is not None:
            return None
        key = f"{self.device.spec} {self._counter.source}"
        if key not in _idle:
            with self._measured() as idle:
                time.sleep(IDLE)
            if idle.watts is None:
                self.reason, self._counter = idle.reason, None
                return None
            _idle[key] = idle.watts
        return _idle[key]

    @contextmanager
    def region(self) -> Iterator[Energy]:
        """Measure the work inside a block; waits for the device's queue at its start and end."""
        idle = self.idle_watts()
        with self._measured() as energy:
            energy.idle_watts = idle
            yield energy

    @contextmanager
    def _measured(self) -> Iterator[Energy]:
        energy, counter = Energy(reason=self.reason), self._counter
        self.device.finish()
        try:
            if counter is not None:
                counter.start()
        except Unavailable as error:
            energy.reason, counter = str(error), None
        begun = time.perf_counter()
        try:
            yield energy
            self.device.finish()
        finally:
            energy.seconds = time.perf_counter() - begun
            try:
                if counter is not None:
                    energy.joules, energy.source = counter.stop(energy.seconds), counter.source
            except Unavailable as error:
                energy.reason = str(error)

    def repeat(self, work: Callable[[], Any], at_least: float = AT_LEAST) -> Energy:
        """Run `work` repeatedly for at least `at_least` seconds (less if the power is given by hand).

        If energy is not available, `work` does not run at all.
        """
        if not self.available:
            return Energy(reason=self.reason, runs=0)
        if self.watts is not None:
            at_least = min(at_least, BY_HAND)
        with self.region() as energy:
            begun = time.perf_counter()
            work()
            while time.perf_counter() - begun < at_least:
                work()
                energy.runs += 1
        return energy


def check_watts(watts: float | None) -> float | None:
    """Validate a power given by hand.

    Raises
    ------
    InputError
        If it is not a positive number.
    """
    if watts is None:
        return None
    if isinstance(watts, bool) or not isinstance(watts, (int, float)) or not 0 < watts < math.inf:
        raise InputError(f"watts is {shown(watts)}: give the average power in watts, a number above 0")
    return float(watts)


@contextmanager
def measure(device: Device | str | None = None, watts: float | None = None) -> Iterator[Energy]:
    """Measure the energy of the work inside a ``with`` block on a device.

    Idle power is measured first (for one second, once per process and device). NVML's counter changes about
    ten times a second: let the block take at least two seconds (as `Meter.repeat` does).

    Parameters
    ----------
    device : Device or str, optional
        As in `clgraph.get_device`.
    watts : float, optional
        Average power by a wall meter; the result says that it was given by hand.

    Yields
    ------
    Energy
        Filled in when the block ends. If nothing can be measured, its `joules` is None and `reason` says why.

    Raises
    ------
    InputError
        If `watts` is not a positive number.
    DeviceError
        If there is no such device.

    Examples
    --------
    >>> from clgraph import bfs, powerlaw_graph
    >>> graph = powerlaw_graph(1000, seed=1)
    >>> with measure("cpu", watts=70) as energy:
    ...     _ = bfs(graph, 0, device="cpu")
    >>> energy.watts, energy.source
    (70.0, 'given by hand: 70 W')
    """
    with Meter(device, watts).region() as energy:
        yield energy
