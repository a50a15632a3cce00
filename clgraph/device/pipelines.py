"""The one hook between devices and `clgraph.fpga`: pipelines, the single-work-item form of kernels.

A device whose `kernels` are "pipeline" asks `clgraph.hooks` for its pipelines when it first needs them; only
then is `clgraph.fpga` imported, which stands above this folder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from clgraph.device.program import Program


class Pipelines(Protocol):
    """What a device asks of its pipelines."""

    def has(self, name: str, defines: Mapping[str, Any]) -> bool:
        """Whether the kernel file ``cl/NAME.cl`` has a pipeline form for these build options."""

    def variant(self, name: str, defines: dict[str, Any]) -> dict[str, Any]:
        """Those of a kernel file's build options that matter to its pipelines."""

    def parameter(self, name: str) -> int:
        """The value of a parameter that the pipelines are built with."""

    def program(self, name: str, defines: dict[str, Any]) -> Program:
        """The pipelines of a kernel file, built or loaded; a BuildError if that fails."""

    def check(self) -> None:
        """Of a device without a compiler: raise a DeviceError if its binary cannot be used."""
