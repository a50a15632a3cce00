"""A device's OpenCL context and its command queues, each made when it is first used, and what ran on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyopencl as cl

from clgraph.lazy import lazy

if TYPE_CHECKING:
    from clgraph.device.hardware import Hardware


class Queues:
    """The context and the queues of one device.

    Parameters
    ----------
    hardware : Hardware

    Attributes
    ----------
    hardware : Hardware
    launched : list of two int
        How many kernels over ranges, and how many pipelines, were launched so far.
    """

    def __init__(self, hardware: Hardware) -> None:
        self.hardware = hardware
        self.launched = [0, 0]

    @lazy
    def context(self) -> Any:
        """The OpenCL context, of this device alone (NVIDIA's driver accepts no other)."""
        try:
            return cl.Context([self.hardware.raw])
        except cl.Error as error:
            raise self.hardware.failure(error, "making a context") from error

    @lazy
    def main(self) -> Any:
        """The in-order queue for everything."""
        return self._make()

    @lazy
    def second(self) -> Any:
        """A queue for the second of two pipelines that run side by side."""
        return self._make()

    def _make(self) -> Any:
        try:
            return cl.CommandQueue(self.context)
        except cl.Error as error:
            raise self.hardware.failure(error, "making a queue") from error
