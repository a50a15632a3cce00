"""Runs of one graph under many seeds side by side; exact ones (drv, dre) in two ways.

Host half of ``cl/sampling/replicates.cl`` (a run a work-item) and of ``replicates_probes.cl`` and
``replicates_settle.cl`` (all runs in each launch). `clgraph.sampling.methods` says which serves when, and has
the engines of the other methods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.finder import graph_components
from clgraph.csr.upload import upload_csr
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.sampling.bitsets import Bitsets, Selections, Words
from clgraph.sampling.request import Request

if TYPE_CHECKING:
    from clgraph.device import Device


@dataclass(frozen=True)
class EdgeList:
    """The edges u < v of a graph without loops, on a device: int32 buffers `low` and `high`, ascending."""

    low: Any
    high: Any


def edge_list(device: Device, graph: Graph) -> EdgeList:
    """The edges of a graph, kept with it on the device."""

    def make() -> EdgeList:
        tail, head = graph.tails, graph.col_idx
        upper = tail < head
        return EdgeList(device.upload(tail[upper]), device.upload(head[upper]))

    return device.cached(graph, EdgeList, make)


class Replicates(ABC):
    """An engine for runs of one graph and method under seeds that follow each other, side by side.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops, with at least two edges.
    targets : sequence of int
        Decreasing.
    options : Request

    Attributes
    ----------
    way : str
        For `Sample.way`.
    most, at_first : int
        Runs that a call of `run` can take, and how many are a good start.
    bits : int
        Bytes of a run's samples.
    """

    way: str
    most: int
    at_first: int
    bits: int

    @abstractmethod
    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], options: Request) -> None: ...

    @abstractmethod
    def run(self, first: int, runs: int) -> Selections:
        """The samples of the seeds `first` .. `first` + `runs` - 1."""


class Packing(Replicates):
    """Those whose kernels write bits: the samples of all targets in one go."""

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], options: Request) -> None:
        self._device, self._edges = device, not options.induced
        self._csr = csr = upload_csr(device, graph)
        self._n, self._m = csr.n, csr.arcs // 2
        self._things = self._m if self._edges else self._n
        self._targets = len(targets)
        self._target = device.upload(np.array(targets, np.int32))
        self._words, self._edge_words = -(-self._n // 32), -(-self._m // 32) if self._edges else 0
        self.bits = 4 * self._targets * (self._words + self._edge_words)

    def run(self, first: int, runs: int) -> Bitsets:
        """The samples of the seeds `first` .. `first` + `runs` - 1."""
        device, slots = self._device, runs * self._targets
        sizes = slots * self._words, slots * self._edge_words
        device.reserve({"members": 4 * sizes[0], "edges": 4 * sizes[1]})
        member = device.output(sizes[0], np.uint32)
        kept = device.output(sizes[1], np.uint32) if self._edges else None
        count = device.output(3 * slots + 1, np.int32)
        device.clear(count, 3 * slots + 1, np.int32)
        self._launch(first, runs, member, kept, count)
        counts = device.take(count, np.int32, 3 * slots + 1)  # waits
        shape = (runs, self._targets)
        return Bitsets(
            Words(device, member, (*shape, self._words)),
            None if kept is None else Words(device, kept, (*shape, self._edge_words)),
            counts[:-1].reshape(*shape, 3),
            int(counts[-1]),
        )

    @abstractmethod
    def _launch(self, first: int, runs: int, member: Any, kept: Any, count: Any) -> None: ...


FEW = 256  # deletions that a run takes one by one
ROOM = 4 * FEW + 64  # room for them: there may be more by chance
MOST = 1 << 15  # runs in a launch: the second dimension of a range has limits
RUN_BYTES = 104  # of a run_t


class Lanes(Packing):
    """A run a work-item: each takes the next run when it is done with one."""

    at_first: int
    most = 1 << 30  # areas belong to work-items, not to runs, of which a launch may have any number
    _kernel: Any
    _common: dict[str, Any]

    def _launch(self, first: int, runs: int, member: Any, kept: Any, count: Any) -> None:
        bits = {"member": member, "kept": kept} if self._edges else {"member": member}
        following = self._device.zeros(1, np.int32)
        about = {"seed": first, "runs": runs, "next": following, "count": count}
        self._kernel.exact(self.at_first, local=1, **self._common, **about, **bits)


class Serial(Lanes):
    """A run a work-item: it puts all things in order and builds the whole tree of merges."""

    way = "merge tree"

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], options: Request) -> None:
        super().__init__(device, graph, targets, options)
        n, m, edges = self._n, self._m, self._edges
        area = 4 * m + 12 * n if edges else 6 * n
        self.at_first = max(1, device.compute_units)
        device.reserve({"areas": 4 * area * self.at_first})
        program = device.program("sampling/replicates", **self._csr.defines)
        bits = max(1, self._things.bit_length() - 1)
        # not bound: a call launches it once or twice, and what is bound is an OpenCL kernel of its own
        common = {
            "n": n,
            "shift": 64 - bits,
            "buckets": 1 << bits,
            "targets": self._targets,
            "target": self._target,
            "area": device.empty(area * self.at_first, np.int32),
        }
        if edges:
            listed = edge_list(device, graph)
            self._kernel = program.replicates_edges
            self._common = {**common, "m": m, "low": listed.low, "high": listed.high}
        else:
            self._kernel, self._common = program.replicates_vertices, {**common, **self._csr.buffers}


class Probing(Packing):
    """All runs in each launch: probes of thresholds, and the last deletions one by one."""

    way = "probes"

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], options: Request) -> None:
        super().__init__(device, graph, targets, options)
        n = self._n
        self._largest = graph_components(device, graph).largest()
        self._few = max(1, FEW * self._largest.size // self._things)
        each = {
            "key": 4 * self._things,
            "label": 4 * (n + ROOM),
            "size": 4 * (n + ROOM),
            "inside": n,
            "list": 32 * ROOM,
            "state": RUN_BYTES + 8,
            "result": self.bits,
        }
        room = device.global_memory // 4
        self.most = max(1, min(MOST, room // sum(each.values()), device.max_buffer // max(each.values())))
        self.at_first = self.most
        defines = {"EDGES": int(self._edges), "ROOM": ROOM, "RUN_BYTES": RUN_BYTES}
        self._probe = device.program("sampling/replicates_probes", **defines)
        self._settle = device.program("sampling/replicates_settle", **defines, **self._csr.defines)
        self._list = edge_list(device, graph)
        self._room = 0

    def _make_room(self, runs: int) -> None:
        if runs <= self._room:
            return
        empty, n, self._room = self._device.empty, self._n, runs
        self._key = empty(runs * self._things, np.uint32)
        self._label, self._size = (empty(runs * (n + ROOM), np.int32) for _ in range(2))
        self._inside = empty(runs * n, np.uint8)
        self._names, self._sorted, self._smallest, self._child = (
            empty(runs * ROOM, np.int32) for _ in range(4)
        )
        self._priority, self._sorted_priority = (empty(runs * ROOM, np.uint64) for _ in range(2))
        self._runs = empty(runs * RUN_BYTES, np.uint8)
        self._active, self._next = (empty(runs, np.int32) for _ in range(2))

    def _launch(self, first: int, runs: int, member: Any, kept: Any, count: Any) -> None:
        self._make_room(runs)
        device, probe, settle = self._device, self._probe, self._settle
        n, m, things, targets = self._n, self._m, self._things, self._targets
        label, size, inside, key = self._label, self._size, self._inside, self._key
        draws, ends = {"seed": first, "key": key}, {"low": self._list.low, "high": self._list.high}
        lists = {"name": self._names, "priority": self._priority}
        told = device.zeros(2, np.int32)  # runs left, faults
        fault = device.zeros(1, np.int32)
        active, following = self._active, self._next
        probe.probes_keys((things, runs), things=things, **draws, **ends)
        probe.probes_begin(
            (n, runs),
            n=n,
            whole=self._largest.label,
            root=self._largest.root,
            size=self._largest.size,
            inside=inside,
            runs=self._runs,
            active=active,
            count=count,
            slots=runs * targets,
        )
        left = runs
        while left:
            over = (n, left)
            who: dict[str, Any] = {"n": n, "active": active, "runs": self._runs}
            probe.probes_mask(over, **who, **draws, inside=inside, label=label, size=size)
            probe.probes_link((m, left), **who, m=m, **draws, **ends, label=label)
            probe.probes_compress(over, **who, label=label, size=size)
            probe.probes_biggest(over, **who, label=label, size=size)
            probe.probes_root(over, **who, label=label, size=size)
            settle.settle_collect(
                (things, left), **who, things=things, **draws, **ends, inside=inside, **lists
            )
            settle.settle_order(
                (ROOM, left),
                active=active,
                runs=self._runs,
                **lists,
                sorted=self._sorted,
                sorted_priority=self._sorted_priority,
            )
            settle.settle_follow(
                left,
                local=1,
                **who,
                count=left,
                target=self._target,
                **self._csr.buffers,
                **ends,
                sorted=self._sorted,
                priority=self._sorted_priority,
                label=label,
                sizes=size,
                smallests=self._smallest,
                children=self._child,
                fault=fault,
            )
            device.clear(told, 1, np.int32)
            settle.settle_decide(
                left,
                **who,
                count=left,
                targets=targets,
                few=self._few,
                target=self._target,
                label=label,
                sizes=size,
                next=following,
                left=told,
                fault=fault,
            )
            probe.probes_narrow(over, **who, label=label, inside=inside)
            shown = {**who, "targets": targets, "inside": inside, "count": count}
            probe.probes_emit_members((self._words, left), **shown, member=member)
            probe.probes_emit_edges((-(-m // 32), left), **shown, m=m, **draws, **ends, kept=kept)
            left = int(device.download(told, np.int32, 1)[0])
            active, following = following, active
            if int(device.download(fault, np.int32, 1)[0]):
                raise DeviceError(
                    f"{device.name}: a component of a run came back with another size; please report this"
                )
