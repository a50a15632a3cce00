"""Contractions of several runs, as the group of each vertex."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

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
    counts : int32 array, shape (runs, targets, 3)
        Vertices, edges, and batches.
    whole : int
        Vertices of the graph's largest component.
    """

    device: Device
    group: tuple[Words, ...]
    counts: npt.NDArray[np.int32]
    whole: int

    def download(self) -> None:
        """Bring the groups to the host."""
        for words in self.group:
            words.array  # noqa: B018


class GroupedSamples(SamplesOfRuns[Groups]):
    """The contractions of some runs: each is made when it is first asked for."""

    def __reduce__(self) -> Any:
        return Made, (list(self),)

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
