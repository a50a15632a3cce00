"""Launch tables: the launch parameters of a kernel family for each kind of device.

Each family keeps its table, always called ``SHAPES``, beside its host half; ``SHAPES.of(device)`` reads it.
An entry with a method ``within(device)`` is cut to the device's limits by it: some devices have 16 KB of
local memory, or take work-groups of 64 work-items at most, or of one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Generic, Literal, Protocol, Self, TypeVar

Kind = Literal["gpu", "cpu", "fpga", "emulator", "simulator"]
S = TypeVar("S")


class OfKind(Protocol):
    """What a launch table asks of a `Device`."""

    @property
    def kind(self) -> Kind:
        """clgraph's word for what it is."""

    @property
    def max_work_group(self) -> int:
        """The largest work-group that it takes."""

    @property
    def local_memory(self) -> int:
        """Bytes of local memory."""


def fitting(size: int, device: OfKind, each: int = 0) -> int:
    """A work-group's size, halved until the device takes it, `each` bytes of local memory to a work-item."""
    while size > 1 and (size > device.max_work_group or size * each > device.local_memory):
        size //= 2
    return size


def fewer(size: int, nbytes: int, device: OfKind) -> int:
    """A size that takes so many bytes of local memory, halved until the device has them."""
    while size > 1 and nbytes > device.local_memory:
        size, nbytes = size // 2, nbytes // 2
    return size


@dataclass(frozen=True)
class Grouped:
    """A launch shape with work-groups; sub-classes add what else there is to choose.

    Attributes
    ----------
    local : int
        Work-items in a group, a power of two.
    EACH : int
        Bytes of local memory to a work-item.
    """

    local: int
    EACH: ClassVar[int] = 0

    def within(self, device: OfKind) -> Self:
        """Cut to a device's limits."""
        return replace(self, local=fitting(self.local, device, each=self.EACH))


@dataclass(frozen=True)
class GroupPerRun(Grouped):
    """A launch shape in which each of many runs has a work-group.

    Attributes
    ----------
    runs : int
        Runs that are a good start.
    """

    runs: int


@dataclass(frozen=True, kw_only=True)
class Shapes(Generic[S]):
    """A launch table: one entry for each kind of device.

    Attributes
    ----------
    gpu, cpu, simulator : S
        The simulator gets small numbers, so that graphs of 50 vertices go through every branch and span
        several work-groups.
    emulator, fpga : S, optional
        As ``cpu`` where they are not given: few work-items with long serial runs.
    """

    gpu: S
    cpu: S
    simulator: S
    emulator: S | None = None
    fpga: S | None = None

    def of(self, device: OfKind) -> S:
        """The entry for a device, cut to its limits."""
        found: S | None = getattr(self, device.kind)
        if found is None:
            found = self.cpu
        within = getattr(found, "within", None)
        return found if within is None else within(device)

    def __getitem__(self, kind: Kind) -> S:
        found: S | None = getattr(self, kind)
        return self.cpu if found is None else found
