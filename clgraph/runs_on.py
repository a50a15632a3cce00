"""What every result says of the kernels that made it; knows nothing of OpenCL."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
