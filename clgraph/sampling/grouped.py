"""Contractions of several runs, as the group of each vertex."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.parts import DeviceCSR, Joined
from clgraph.graph import Graph
from clgraph.sampling.contract import regrouped
from clgraph.sampling.contracted import extract_contracted
from clgraph.sampling.packed import SamplesOfRuns, Words
from clgraph.sampling.result import SomeLeft
from clgraph.sampling.sequence import Made

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class Groups:
    """What contractions left of a graph.

    Attributes
    ----------
    device : Device
    group : tuple of int32 words, shape (runs, n)
        For each target, decreasing: the smallest vertex of each vertex's group, -1 outside.
    rows : list of DeviceCSR
        For each target, the rows of all runs, one behind the other; empty once `leave` was called.
    begin : tuple of int64 array, shape (runs + 1,)
        For each target, where the arcs of each run begin.
    counts : int32 array, shape (runs, targets, 3)
        Vertices, edges, and batches.
    whole : int
        Vertices of the graph's largest component.
    """

    device: Device
    group: tuple[Words, ...]
    rows: list[DeviceCSR]
    begin: tuple[npt.NDArray[np.int64], ...]
    counts: npt.NDArray[np.int32]
    whole: int

    def download(self) -> None:
        """Bring the groups to the host."""
        for words in self.group:
            words.array  # noqa: B018

    def leave(self) -> None:
        """Leave the device: the groups come to the host, the rows go."""
        self.download()
        self.rows.clear()


class GroupedSamples(SamplesOfRuns[Groups]):
    """The contractions of some runs: each is made when it is first asked for."""

    def __reduce__(self) -> Any:
        return Made, (list(self),)

    def joined(self, device: Device, which: list[int]) -> list[tuple[list[int], Joined]]:
        packed, pieces = self._packed, []
        runs = len(packed.counts)
        if device is not packed.device:
            return []
        for slot, rows in enumerate(packed.rows):
            some = [i for i in which if self._place(i)[1] == slot]
            if [self._place(i)[0] for i in some] == list(range(runs)):
                begin = np.arange(runs + 1, dtype=np.int64) * (rows.n // runs)
                pieces.append((some, Joined(rows, begin, packed.begin[slot])))
        return pieces

    def _group(self, i: int) -> npt.NDArray[np.int32]:
        run, slot = self._place(i)
        found: npt.NDArray[np.int32] = self._packed.group[slot].array[run]
        return found

    def _members(self, i: int) -> npt.NDArray[np.bool_]:
        group = self._group(i)
        members: npt.NDArray[np.bool_] = group == np.arange(len(group), dtype=np.int32)
        return members

    def _cut(self, i: int) -> tuple[Graph, SomeLeft]:
        device = self._packed.device
        with device.alone():
            group = device.upload(self._group(i), writable=True)
            left = regrouped(device, self._graph.undirected.simple, group)
            return extract_contracted(device, self._graph, left), left
