"""What all results share: which kernels made them, and where their arrays are. Knows nothing of OpenCL."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from clgraph.errors import InputError

# where a result's arrays shall be: on the host, or left on the device for kernels of the user's own
Arrays = Literal["host", "device"]


@dataclass(frozen=True, kw_only=True)
class RunsOn:
    """What every result says of the kernels that made it.

    Attributes
    ----------
    kernels : {"ndrange", "pipeline", "mixed"}
        What ran: kernels over ranges of work-items, single-work-item pipelines, or both, where pipelines
        were asked for and a part of the work has none.
    built : tuple of str
        The kernel files that the device had built or loaded by then, and the binary they came from.
    """

    kernels: str = field(default="ndrange", compare=False)
    built: tuple[str, ...] = field(default=(), compare=False)

    def how(self) -> dict[str, Any]:
        """For JSON."""
        return {"kernels": self.kernels, "built": list(self.built)}


def on_device(arrays: Any) -> bool:
    """Whether `arrays` asks for arrays on the device; anything but the two words is an InputError."""
    if arrays not in get_args(Arrays):
        raise InputError(f"arrays is {arrays!r}: use 'host' or 'device'")
    return bool(arrays == "device")
