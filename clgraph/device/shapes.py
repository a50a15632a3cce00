"""Launch tables: the launch parameters of a kernel family for each kind of device.

Each family keeps its table, always called ``SHAPES``, beside its host half; ``SHAPES.of(device)`` reads it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

Kind = Literal["gpu", "cpu", "fpga", "emulator", "simulator"]
S = TypeVar("S")


class OfKind(Protocol):
    """What a launch table asks of a `Device`."""

    @property
    def kind(self) -> Kind:
        """clgraph's word for what it is."""


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
        """The entry for a device."""
        return self[device.kind]

    def __getitem__(self, kind: Kind) -> S:
        found: S | None = getattr(self, kind)
        return self.cpu if found is None else found
