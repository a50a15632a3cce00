"""A device's OpenCL context and its command queues, each made when it is first used, and what ran on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyopencl as cl

from clgraph.errors import DeviceError
from clgraph.lazy import lazy

if TYPE_CHECKING:
    from clgraph.device.hardware import Hardware


@dataclass(frozen=True)
class Note:
    """A kernel or copy that was enqueued: see `clgraph.device.profiling.Activity`."""

    name: str
    where: str
    nbytes: int
    event: Any
    size: tuple[int, ...] = ()


class Queues:
    """The context and the queues of one device.

    Parameters
    ----------
    hardware : Hardware
    context : pyopencl.Context, optional
        The user's own.
    main : pyopencl.CommandQueue, optional
        The user's own, of that context.

    Attributes
    ----------
    hardware : Hardware
    launched : list of two int
        How many kernels over ranges, and how many pipelines, were launched so far.
    notes : list of Note, or None
        What was enqueued, while `timed` measures it.
    """

    def __init__(self, hardware: Hardware, context: Any = None, main: Any = None) -> None:
        self.hardware = hardware
        self.launched = [0, 0]
        self.notes: list[Note] | None = None
        if context is not None:
            self.context = context
        if main is not None:
            self.main = main

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

    @contextmanager
    def timed(self) -> Iterator[list[Note]]:
        """For a with-block: everything goes to a queue that measures it, and is noted.

        Raises
        ------
        DeviceError
            If it is measured already.
        """
        if self.notes is not None:
            raise DeviceError(f"{self.hardware}: it is measured already; one profile at a time")
        before = self.main
        before.finish()
        notes: list[Note] = []
        self.main = self._make(cl.command_queue_properties.PROFILING_ENABLE)
        self.notes = notes
        try:
            yield notes
        finally:
            self.notes = None
            self.main.finish()
            self.main = before

    def note(self, name: str, nbytes: int, event: Any) -> Any:
        """Note a copy, if copies are noted; gives the event back."""
        if self.notes is not None:
            self.notes.append(Note(name, "", nbytes, event))
        return event

    def _make(self, properties: Any = 0) -> Any:
        try:
            return cl.CommandQueue(self.context, properties=properties)
        except cl.Error as error:
            raise self.hardware.failure(error, "making a queue") from error
