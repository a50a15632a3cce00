"""Contractions of many seeds side by side (cre, crve): host half of ``cl/sampling/contract_runs.cl``.

A batch merges as many vertices in each run, whatever its seed, so that all runs take the same batches: their
graphs are the rows of one, and nothing is looked at before the last batch but how many arcs are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.parts import DeviceCSR, Joined
from clgraph.device.shapes import GroupPerRun, Shapes
from clgraph.graph import Graph
from clgraph.graph.building import INT32_MAX
from clgraph.sampling.batched import batch_size
from clgraph.sampling.bitsets import Slot, Words
from clgraph.sampling.contract import SHAPES as ARC_SHAPES
from clgraph.sampling.contract import ContractRun, regrouped
from clgraph.sampling.selection import Contracted, Mask, Selection, roots_of

if TYPE_CHECKING:
    from clgraph.device import Device


# --- Contractions of several runs, as the group of each vertex ---


@dataclass(frozen=True)
class Groups(Selection):
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
    needs_device = True

    def download(self) -> None:
        for words in self.group:
            words.array  # noqa: B018

    def leave(self) -> None:
        """Leave the device: the groups come to the host, the rows go."""
        self.download()
        self.rows.clear()

    def groups(self, at: Any = (0, 0)) -> npt.NDArray[np.int32]:
        run, slot = at
        found: npt.NDArray[np.int32] = self.group[slot].array[run]
        return found

    def members(self, graph: Graph, at: Any = (0, 0)) -> Mask:
        return roots_of(self.groups(at))

    def kept(self, graph: Graph, at: Any = (0, 0)) -> Mask:
        with self.device.alone():
            return self._contracted(graph, at).kept(graph)

    def sampled(self, graph: Graph, at: Any = (0, 0), larger: Graph | None = None) -> Graph:
        with self.device.alone():
            return self._contracted(graph, at).sampled(graph)

    def _contracted(self, graph: Graph, at: Slot) -> Contracted:
        group = self.device.upload(self.groups(at), writable=True)
        return regrouped(self.device, graph.undirected.simple, group)

    def joined(self, device: Device, graph: Graph, which: list[Slot]) -> list[tuple[list[int], Joined]]:
        pieces, runs = [], len(self.counts)
        for slot, rows in enumerate(self.rows if device is self.device else []):
            some = [k for k, at in enumerate(which) if at[1] == slot]
            if [which[k][0] for k in some] == list(range(runs)):  # all of a target's, as they lie in the rows
                begin = np.arange(runs + 1, dtype=np.int64) * (rows.n // runs)
                pieces.append((some, Joined(rows, begin, self.begin[slot])))
        return pieces


class Shape(GroupPerRun):
    """Launch shape."""

    EACH = 4


SHAPES = Shapes(gpu=Shape(local=256, runs=64), cpu=Shape(local=1, runs=16), simulator=Shape(local=4, runs=2))
MOST = 1 << 15  # runs in a launch: the second dimension of a range has limits


@dataclass(frozen=True)
class State:
    """The graphs of all runs, on their way.

    Attributes
    ----------
    size : int
        Vertices of each.
    rows : DeviceCSR
        Of all, run after run.
    place : int32 device buffer, shape (runs * n,)
        Where each original vertex is among all vertices, -1 outside.
    name : int32 device buffer, shape (runs * size,)
        The smallest original vertex of each.
    """

    size: int
    rows: DeviceCSR
    place: Any
    name: Any


class ContractRuns:
    """Runs of one graph and method under seeds that follow each other.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops.
    targets : sequence of int
        Decreasing.
    method : {"cre", "crve"}

    Attributes
    ----------
    most, at_first : int
        Runs that a call of `run` can take, and how many are a good start.
    bits : int
        Bytes of a run's samples.
    """

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], *, method: str) -> None:
        self._device, self._n, self._targets = device, graph.num_vertices, targets
        self._shape, self._items = SHAPES.of(device), device.tuning.items
        self._run = ARC_SHAPES.of(device).run
        self._one = ContractRun(device, graph, 0, method=method).component()
        n, arcs = self._n, self._one.rows.arcs
        self.bits = len(targets) * (8 * n + 4 * arcs)
        each = 32 * n + 32 * arcs + self.bits
        room = device.global_memory // 4
        self.most = max(1, min(MOST, room // each, INT32_MAX // max(arcs, n, 1)))
        self.at_first = min(self._shape.runs, self.most)
        self._options = {"ITEMS": self._items, "LOCAL": self._shape.local, "BY_VERTEX": int(method == "crve")}
        self._program = device.program("sampling/contract_runs", **self._options, OFFSET="int")
        self._arcs = device.program("sampling/contract", ITEMS=self._items, RUN=self._run, OFFSET="int")
        device.reserve({"runs": each})

    def run(self, first: int, runs: int) -> Groups:
        """The samples of the seeds `first` .. `first` + `runs` - 1."""
        state, step = self._repeated(runs), 0
        whole = state.size
        groups, rows, begins, iterations = [], [], [], []
        for target in self._targets:
            excess, batch = state.size - target, 0
            while state.size > target:
                wanted = batch_size(batch, excess, state.size - target)
                state = self._batched(state, first, runs, step, wanted)
                step, batch = step + 1, batch + 1
            groups.append(self._groups(state, runs))
            rows.append(state.rows)
            begins.append(self._begins(state, runs))
            iterations.append(step)
        counts = np.empty((runs, len(rows), 3), np.int32)
        for k, (these, begin) in enumerate(zip(rows, begins, strict=True)):
            counts[:, k, 0], counts[:, k, 1], counts[:, k, 2] = (
                these.n // runs,
                np.diff(begin) // 2,
                iterations[k],
            )
        return Groups(self._device, tuple(groups), rows, tuple(begins), counts, whole)

    def _repeated(self, runs: int) -> State:
        device, one, n = self._device, self._one, self._n
        arcs, size = one.rows.arcs, one.size
        row_ptr, col_idx = device.output(runs * size + 1, np.int32), device.output(runs * arcs, np.int32)
        place, name = device.empty(runs * n, np.int32), device.empty(runs * size, np.int32)
        device.clear(row_ptr, 1, np.int32)
        device.program("sampling/contract_runs", **self._options, **one.rows.defines).runs_repeat(
            (-(-max(arcs, n) // self._items), runs),
            n=size,
            arcs=arcs,
            whole=n,
            **one.rows.buffers,
            place=one.place,
            name=one.name,
            into_ptr=row_ptr,
            into_idx=col_idx,
            into_place=place,
            into_name=name,
        )
        return State(size, DeviceCSR(runs * size, runs * arcs, row_ptr, col_idx, np.int32), place, name)

    def _batched(self, state: State, first: int, runs: int, step: int, wanted: int) -> State:
        """A batch: draws and merges, numbers, and the rows of what is left."""
        from clgraph.csr.build import build_rows

        device, rows, local = self._device, state.rows, self._shape.local
        size, left = state.size, state.size - wanted
        label, number = (device.empty(rows.n, np.int32) for _ in range(2))
        name = device.empty(runs * left, np.int32)
        self._program.runs_join.exact(
            runs * local,
            local=local,
            n=size,
            seed=first,
            step=step,
            wanted=wanted,
            **rows.buffers,
            label=label,
        )
        self._program.runs_number.exact(
            runs * local,
            local=local,
            n=size,
            left=left,
            whole=self._n,
            label=label,
            name=state.name,
            number=number,
            new_name=name,
            place=state.place,
        )
        tail, head = (device.empty(rows.arcs, np.int32) for _ in range(2))
        self._arcs.contract_arcs(
            -(-rows.arcs // self._run),
            n=rows.n,
            arcs=rows.arcs,
            **rows.buffers,
            label=number,
            tail=tail,
            head=head,
        )
        made = build_rows(device, runs * left, tail, head, rows.arcs, mirror=False)
        return State(left, made, state.place, name)

    def _groups(self, state: State, runs: int) -> Words:
        device, count = self._device, runs * self._n
        group = device.output(count, np.int32)
        self._arcs.contract_groups(
            -(-count // self._items), n=count, place=state.place, name=state.name, group=group
        )
        return Words(device, group, (runs, self._n), np.int32)

    def _begins(self, state: State, runs: int) -> npt.NDArray[np.int64]:
        at = self._device.empty(runs + 1, np.int32)
        self._program.runs_ends(runs + 1, n=state.size, runs=runs, row_ptr=state.rows.row_ptr, at=at)
        return self._device.download(at, np.int32, runs + 1).astype(np.int64)
