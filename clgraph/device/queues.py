"""A device's OpenCL context and its command queues, each made when it is first used, and what ran on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyopencl as cl

from clgraph.device.hardware import Hardware, Without
from clgraph.errors import DeviceError
from clgraph.lazy import lazy


@dataclass(frozen=True)
class Note:
    """A kernel or copy that was enqueued: see `clgraph.device.profiling.Activity`."""

    name: str
    where: str
    nbytes: int
    event: Any
    size: tuple[int, ...] = ()


class Queues(Hardware):
    """A device with its context and command queues.

    Parameters
    ----------
    raw, spec, without
        See `Hardware`.
    context : pyopencl.Context, optional
        The user's own.
    queue : pyopencl.CommandQueue, optional
        The user's own, of that context.

    Attributes
    ----------
    launched : list of two int
        How many kernels over ranges, and how many pipelines, were launched so far.
    notes : list of Note, or None
        What was enqueued, while `timed` measures it.
    """

    def __init__(self, raw: Any, spec: str, without: Without, context: Any = None, queue: Any = None) -> None:
        super().__init__(raw, spec, without)
        self.launched = [0, 0]
        self.notes: list[Note] | None = None
        if context is not None:
            self.context = context
        if queue is not None:
            self.queue = queue

    @lazy
    def context(self) -> Any:
        """The OpenCL context, of this device alone (NVIDIA's driver accepts no other)."""
        try:
            return cl.Context([self.raw])
        except cl.Error as error:
            raise self.failure(error, "making a context") from error

    @lazy
    def queue(self) -> Any:
        """The in-order queue for everything."""
        return self._make()

    @lazy
    def second_queue(self) -> Any:
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
            raise DeviceError(f"{self}: it is measured already; one profile at a time")
        before = self.queue
        before.finish()
        notes: list[Note] = []
        self.queue = self._make(cl.command_queue_properties.PROFILING_ENABLE)
        self.notes = notes
        try:
            yield notes
        finally:
            self.notes = None
            self.queue.finish()
            self.queue = before

    def note(self, name: str, nbytes: int, event: Any) -> Any:
        """Note a copy, if copies are noted; gives the event back."""
        if self.notes is not None:
            self.notes.append(Note(name, "", nbytes, event))
        return event

    def _make(self, properties: Any = 0) -> Any:
        try:
            return cl.CommandQueue(self.context, properties=properties)
        except cl.Error as error:
            raise self.failure(error, "making a queue") from error
