"""What all results have in common: the kernels that made them, and where their arrays are. No OpenCL here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from clgraph.arguments import word

# where to put a result's arrays: on the host, or on the device, for the user's own kernels
Arrays = Literal["host", "device"]


@dataclass(frozen=True, kw_only=True)
class RunsOn:
    """Which kernels made a result.

    Attributes
    ----------
    kernels : {"ndrange", "pipeline", "mixed"}
        What ran: kernels over ranges of work-items, single-work-item pipelines, or both (pipelines were
        requested, and a part of the work has none).
    built : tuple of str
        The kernel files that the device had built or loaded by then, and the binary that it uses.
    """

    kernels: str = field(default="ndrange", compare=False)
    built: tuple[str, ...] = field(default=(), compare=False)

    def how(self) -> dict[str, Any]:
        """The attributes as plain values, for JSON."""
        return {"kernels": self.kernels, "built": list(self.built)}


def on_device(arrays: Any) -> bool:
    """Whether `arrays` requests arrays on the device; an InputError if it is neither of the two words."""
    return bool(word(arrays, "arrays", get_args(Arrays)) == "device")
