"""Runs of one graph under many seeds side by side: one engine, whose strategies differ in who takes a run.

Host half of ``cl/sampling/replicates.cl`` (a run a work-item) and of ``replicates_probes.cl`` and
``replicates_settle.cl`` (all runs in each launch). `clgraph.sampling.runs` says which serves when. Engines
of breadth-first runs and of drawn batches stand with the kernels that they share with single runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.finder import graph_components
from clgraph.csr.upload import upload_csr
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.sampling.request import Request
from clgraph.sampling.selection import DeviceArray, Selection

if TYPE_CHECKING:
    from clgraph.device import Device


def edge_list(device: Device, graph: Graph) -> tuple[Any, Any]:
    """Return the ends u < v of a loop-free graph's edges, ascending: int32 buffers, cached with the graph."""

    def make() -> tuple[Any, Any]:
        tail, head = graph.tails, graph.col_idx
        upper = tail < head
        return device.upload(tail[upper]), device.upload(head[upper])

    return device.cached(graph, "edge list", make)


class Replicates:
    """Runs side by side of a graph (undirected, without self-loops, two edges), with decreasing targets.

    Kernels write bits; attributes have the names of their parameters.

    Attributes
    ----------
    algorithm : str
        For `Sample.algorithm`.
    most, at_first : int
        Runs that a call of `run` can take, and how many are a good start.
    bytes_each : int
        Bytes of a run's samples.
    """

    algorithm: str
    most = 1 << 30  # areas belong to work-items, not to runs, of which a launch may have any number
    at_first: int
    kernel: Any

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], request: Request) -> None:
        self.device, self.csr, self.edges = device, upload_csr(device, graph), not request.induced
        self.n, self.m = self.csr.n, self.csr.arcs // 2
        self.row_ptr, self.col_idx = self.csr.row_ptr, self.csr.col_idx
        self.things = self.m if self.edges else self.n
        self.targets, self.target = len(targets), device.upload(np.array(targets, np.int32))
        self.words, self.edge_words = -(-self.n // 32), -(-self.m // 32) if self.edges else 0
        self.bytes_each = 4 * self.targets * (self.words + self.edge_words)
        self.member = self.kept = self.count = None
        self.seed = 0

    def run(self, seed: int, runs: int) -> Selection:
        """Return the samples of the seeds `seed` .. `seed` + `runs` - 1, for all targets."""
        device, shape = self.device, (runs, self.targets)
        slots, self.seed = runs * self.targets, seed
        device.reserve({"members": 4 * slots * self.words, "edges": 4 * slots * self.edge_words})
        member = self.member = device.output(slots * self.words, np.uint32)
        kept = self.kept = device.output(slots * self.edge_words, np.uint32) if self.edges else None
        # and, behind them, the size of the largest component
        count = self.count = device.output(3 * slots + 1, np.int32)
        device.clear(count, 3 * slots + 1, np.int32)
        self.launch(runs)
        self.member = self.kept = self.count = None  # they are the samples' from now on
        counts = device.take(count, np.int32, 3 * slots + 1)  # waits
        return Selection(
            DeviceArray(device, member, (*shape, self.words)),
            edges=None if kept is None else DeviceArray(device, kept, (*shape, self.edge_words)),
            counts=counts[:-1].reshape(*shape, 3),
            whole=int(counts[-1]),
        )

    def launch(self, runs: int) -> None:
        """Launch a work-item for each area: it takes the next run when it is done with one."""
        # not bound: a call launches it once or twice, and what is bound is an OpenCL kernel of its own
        self.kernel.launch(self, self.at_first, local=1, runs=runs, next=self.device.zeros(1, np.int32))


class MergeTrees(Replicates):
    """One run per work-item: it sorts all vertices or edges and builds the whole tree of merges."""

    algorithm = "merge tree"

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], request: Request) -> None:
        super().__init__(device, graph, targets, request)
        area = 4 * self.m + 12 * self.n if self.edges else 6 * self.n
        self.at_first = max(1, device.compute_units)
        device.reserve({"areas": 4 * area * self.at_first})
        self.area = device.empty(area * self.at_first, np.int32)
        # keys are sorted into buckets of one thing on average, by their highest bits
        bits = max(1, self.things.bit_length() - 1)
        self.shift, self.buckets = 64 - bits, 1 << bits
        program = device.program("sampling/replicates", **self.csr.defines)
        self.kernel = program.replicates_edges if self.edges else program.replicates_vertices
        if self.edges:
            self.low, self.high = edge_list(device, graph)


FEW = 256  # deletions that a run takes one by one
ROOM = 4 * FEW + 64  # room for them: there may be more by chance
MOST = 1 << 15  # runs in a launch: the second dimension of a range has limits
RUN_BYTES = 104  # of a run_t


class Probes(Replicates):
    """All runs in each launch: probes of thresholds, and the last deletions one by one."""

    algorithm = "probes"

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], request: Request) -> None:
        super().__init__(device, graph, targets, request)
        n, things = self.n, self.things
        self.largest = graph_components(device, graph).largest()
        self.few = max(1, FEW * self.largest.size // things)
        largest_buffers = 4 * things, 4 * (n + ROOM), 32 * ROOM, self.bytes_each
        each = 4 * things + 8 * (n + ROOM) + n + 32 * ROOM + RUN_BYTES + 8 + self.bytes_each
        # a quarter of the memory: the graph, and the samples that stay on the device, need the rest
        room = device.global_memory // 4
        self.most = max(1, min(MOST, room // each, device.max_buffer // max(largest_buffers)))
        self.at_first = self.most
        defines = {"EDGES": int(self.edges), "ROOM": ROOM, "RUN_BYTES": RUN_BYTES}
        self.probe = device.program("sampling/replicates_probes", **defines)
        self.settle = device.program("sampling/replicates_settle", **defines, **self.csr.defines)
        self.low, self.high = edge_list(device, graph)
        self.allocated = 0  # runs that there are buffers for

    def make_room(self, count: int) -> None:
        """Allocate what runs need, once for a call's largest launch."""
        if count <= self.allocated:
            return
        empty, n, self.allocated = self.device.empty, self.n, count
        self.key = empty(count * self.things, np.uint32)
        self.label, self.size = (empty(count * (n + ROOM), np.int32) for _ in range(2))
        self.inside = empty(count * n, np.uint8)
        self.name, self.sorted, self.smallests, self.children = (
            empty(count * ROOM, np.int32) for _ in range(4)
        )
        self.priority, self.sorted_priority = (empty(count * ROOM, np.uint64) for _ in range(2))
        self.runs = empty(count * RUN_BYTES, np.uint8)
        self.active, self.next = (empty(count, np.int32) for _ in range(2))
        self.sizes = self.size

    def launch(self, runs: int) -> None:
        self.make_room(runs)
        device, probe, settle, n, m = self.device, self.probe, self.settle, self.n, self.m
        self.left, self.fault = device.zeros(1, np.int32), device.zeros(1, np.int32)
        probe.probes_keys.launch(self, (self.things, runs))
        probe.probes_begin.launch(
            self,
            (n, runs),
            whole=self.largest.label,
            root=self.largest.root,
            size=self.largest.size,
            slots=runs * self.targets,
        )
        left = runs
        while left:
            over = n, left
            probe.probes_mask.launch(self, over)
            probe.probes_link.launch(self, (m, left))
            probe.probes_compress.launch(self, over)
            probe.probes_biggest.launch(self, over)
            probe.probes_root.launch(self, over)
            settle.settle_collect.launch(self, (self.things, left))
            settle.settle_order.launch(self, (ROOM, left))
            settle.settle_follow.launch(self, left, local=1, count=left, priority=self.sorted_priority)
            device.clear(self.left, 1, np.int32)
            settle.settle_decide.launch(self, left, count=left)
            probe.probes_narrow.launch(self, over)
            probe.probes_emit_members.launch(self, (self.words, left))
            probe.probes_emit_edges.launch(self, (-(-m // 32), left))
            left = int(device.download(self.left, np.int32, 1)[0])
            self.active, self.next = self.next, self.active
            if int(device.download(self.fault, np.int32, 1)[0]):
                raise DeviceError(
                    f"{device.name}: a component of a run came back with another size; please report this"
                )
