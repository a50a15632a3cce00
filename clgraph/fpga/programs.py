"""The pipelines of one device: built from source, or taken from the binary that the device was given."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clgraph.device.hardware import FAMILY
from clgraph.device.program import Program, build_source, define_options, read_source
from clgraph.errors import BuildError
from clgraph.fpga import parameters, pipelines
from clgraph.fpga.binary import Binary

if TYPE_CHECKING:
    from clgraph.device.device import Device


class PipelinePrograms:
    """The pipelines of a device, its attribute `pipelines`.

    Parameters
    ----------
    device : Device
    """

    def __init__(self, device: Device) -> None:
        self._device = device

    def has(self, name: str, defines: Mapping[str, Any]) -> bool:
        """True if the kernel file ``cl/NAME.cl`` has a pipeline form for these build options."""
        return name in pipelines.PIPELINES and pipelines.PIPELINES[name].takes(defines)

    def variant(self, name: str, defines: dict[str, Any]) -> dict[str, Any]:
        """Return those of a kernel file's build options that matter to its pipelines."""
        return pipelines.variant(name, defines)

    def parameter(self, name: str) -> int:
        """Return a parameter of ``cl/fpga/parameters.h``: the binary's, or the one used for building."""
        if self._device.fpga_binary:
            return self.binary.sidecar.parameters[name]
        defaults = parameters.defaults(emulator=FAMILY[self._device.kind] == "CPU")
        return self._device.pipeline_parameters.get(name, defaults[name])

    def program(self, name: str, defines: dict[str, Any]) -> Program:
        """Return the pipelines of ``cl/fpga/NAME.cl``.

        Raises
        ------
        BuildError
            If they do not build, or the binary cannot be used or does not hold them.
        """
        device = self._device
        if device.fpga_binary or not device.has_compiler:
            return self.binary.program(name, defines)
        target = ("-DINTEL_PIPELINES",) if device.is_fpga else ()
        settings = define_options({**defines, **device.pipeline_parameters})
        options = (*device.build_options, *target, *settings)
        return build_source(device, name, read_source(f"fpga/{name}"), options, pipeline=True)

    def check(self) -> None:
        """Raise a BuildError if the device's binary cannot be used."""
        _ = self.binary

    @cached_property
    def binary(self) -> Binary:
        """The binary that the device was given, loaded and checked.

        Raises
        ------
        BuildError
            If none was given; if it is missing, incomplete, made from other sources or for another board, or
            lacks a kernel.
        """
        device = self._device
        if not device.fpga_binary:
            raise BuildError(
                f"{device} builds no kernels itself: make a binary with `clgraph fpga compile -o "
                "clgraph.aocx`, and give it with --fpga-binary clgraph.aocx or CLGRAPH_FPGA_BINARY"
            )
        return Binary(device, Path(device.fpga_binary), force=device.setup.force)
