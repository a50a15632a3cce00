"""Launch configurations: a kernel family's work-group size and tunables for each kind of device.

Each family has a class `LaunchConfig` and a table ``LAUNCH`` in its host half, which only
`LaunchTable.of` reads. A configuration with a method ``within(device)`` is cut to the device's limits: some
devices have 16 KB of local memory, or work-groups of at most 64 work-items, or of one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar, Final, Generic, Literal, Protocol, Self, TypeVar

Kind = Literal["gpu", "cpu", "fpga", "emulator", "simulator"]
C = TypeVar("C")


class DeviceLimits(Protocol):
    """The part of `Device` that a launch table reads."""

    @property
    def kind(self) -> Kind:
        """clgraph's word for what it is."""

    @property
    def max_work_group(self) -> int:
        """The largest work-group that it takes."""

    @property
    def local_memory(self) -> int:
        """Bytes of local memory."""


def fit_group(size: int, device: DeviceLimits, each: int = 0) -> int:
    """Halve a work-group until the device takes it, with `each` bytes of local memory per work-item."""
    while size > 1 and (size > device.max_work_group or size * each > device.local_memory):
        size //= 2
    return size


def fit_local(size: int, nbytes: int, device: DeviceLimits) -> int:
    """Halve a size that takes `nbytes` of local memory until the device has them."""
    while size > 1 and nbytes > device.local_memory:
        size, nbytes = size // 2, nbytes // 2
    return size


@dataclass(frozen=True)
class WorkGroup:
    """A launch configuration with a work-group; sub-classes add further tunables.

    Attributes
    ----------
    local : int
        Work-items in a group, a power of two.
    EACH : int
        Bytes of local memory per work-item.
    """

    local: int
    EACH: ClassVar[int] = 0

    def within(self, device: DeviceLimits) -> Self:
        """Cut it to a device's limits."""
        return replace(self, local=fit_group(self.local, device, each=self.EACH))


@dataclass(frozen=True)
class WorkGroupPerRun(WorkGroup):
    """A launch configuration in which each of many runs has a work-group.

    Attributes
    ----------
    runs : int
        A good number of runs to start with.
    """

    runs: int


class AsCPU(Enum):
    """The type of `AS_CPU`."""

    AS_CPU = "as on a CPU"


#: an entry of its own rather than None: in a table of optional values None means what it says
AS_CPU: Final = AsCPU.AS_CPU


@dataclass(frozen=True, kw_only=True)
class LaunchTable(Generic[C]):
    """The launch configurations of a kernel family, one for each kind of device.

    Attributes
    ----------
    gpu, cpu, simulator : C
        The simulator gets small numbers, so that graphs of 50 vertices go through every branch and span
        several work-groups.
    emulator, fpga : C, optional
        By default as on a CPU: few work-items with long serial runs.
    """

    gpu: C
    cpu: C
    simulator: C
    emulator: C | AsCPU = AS_CPU
    fpga: C | AsCPU = AS_CPU

    def __getitem__(self, kind: Kind) -> C:
        found: C | AsCPU = getattr(self, kind)
        return self.cpu if isinstance(found, AsCPU) else found

    def of(self, device: DeviceLimits) -> C:
        """Return a device's configuration, cut to its limits."""
        found: C | AsCPU = getattr(self, device.kind)
        found = self.cpu if isinstance(found, AsCPU) else found
        within = getattr(found, "within", None)
        return found if within is None else within(device)
