"""Exploration from a random vertex, breadth-first or depth-first (ebfs, edfs).

Host half of ``cl/sampling/explore.cl``, and of ``explore_walk.cl`` and ``explore_order.cl`` (depth-first).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph import keyed
from clgraph.components.finder import Largest, graph_components
from clgraph.csr.scan import running_sums
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_group
from clgraph.errors import CapacityError, DeviceError, InputError
from clgraph.graph import Graph
from clgraph.progress import Tell
from clgraph.run import host_cpu
from clgraph.sampling.members import Members
from clgraph.sampling.replicates import MOST, Replicates
from clgraph.sampling.request import Request
from clgraph.sampling.selection import Selection, component_marks, marked_bytes, marks_program
from clgraph.traversal.search import Search

if TYPE_CHECKING:
    from clgraph.device import Device


TOP = 1 << 64
CAPACITY = 1 << 16  # vertices that the host sorts
LEVELS_OF = 1 << 12  # vertices of a work-group that counts levels
BINS = 64  # as in the kernel


class ExploreRun:
    """Samples of one graph, method and seed, from one start; they are nested.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops.
    seed : int
    start : int or None
        Index of the vertex to start from; None draws one of the largest component.

    Attributes
    ----------
    iterations : int
        Levels of a breadth-first sample; 1 of a depth-first one.
    algorithm : str
        "breadth-first", "depth-first", or "depth-first on NAME" if another device walked.
    begin : int
        Index of the start, once `start` has been called.
    """

    algorithm: str
    notes: tuple[str, ...] = ()

    def __init__(self, device: Device, graph: Graph, seed: int, *, start: int | None = None) -> None:
        self.device, self.graph, self.seed, self.given = device, graph, seed, start
        self.csr = csr = upload_csr(device, graph)
        self.n, self.passes = csr.n, -(-csr.n // device.tuning.items)
        self.program = device.program("sampling/explore", ITEMS=device.tuning.items)
        self.components, self.members = graph_components(device, graph), Members(device)
        device.reserve({"live": csr.n + csr.arcs})
        marks_program(device, csr)  # built before a clock sees it
        self.live: Any = None  # the marks of the last sample
        self.iterations, self.begin, self.whole = 0, -1, 0

    def start(self) -> int:
        """Find the input's largest component and the vertex to start from; returns the component's size.

        Raises
        ------
        InputError
            If the start that was given is outside the largest component.
        """
        largest = self.components.largest()
        self.whole = largest.size
        if self.given is None:
            bits, _ = keyed.draw(self.seed, 0, 0)
            rank = int(keyed.below(bits, largest.size)[0])
            self.begin = self.members.nth(self.n, largest.label, largest.root, rank)
        else:
            self.begin = self.given
            check_start(self.device, self.graph, largest, self.begin)
        return largest.size

    def shrink_to(self, target: int, progress: Tell | None = None) -> None:
        """Explore until `target` vertices are seen; `download` returns them."""
        if target < self.whole:
            self.live = self.device.empty(self.n, np.uint8)
            self.iterations = self.mark(target, progress)
        else:
            largest = self.components.largest()
            self.live = component_marks(self.device, self.csr, largest.label, largest.root)

    def mark(self, target: int, progress: Tell | None) -> int:
        """Mark the first `target` vertices in `live`; returns the iterations that they took."""
        raise NotImplementedError

    def download(self) -> Selection:
        """Return the selection of the last `shrink_to`."""
        return marked_bytes(self.device, self.csr, self.live)


def check_start(device: Device, graph: Graph, largest: Largest, start: int) -> None:
    """Raise an InputError unless a vertex is in the largest component."""
    if int(device.download(largest.label, np.int32, 1, offset=start)[0]) != largest.root:
        raise InputError(
            f"start {graph.ids[start]} is outside the largest component ({largest.size} vertices): "
            "give one of its vertices, or none for a random one"
        )


class BreadthFirst(ExploreRun):
    """Whole levels, the last one cut to the smallest priorities."""

    algorithm = "breadth-first"

    def __init__(self, device: Device, graph: Graph, seed: int, *, start: int | None = None) -> None:
        super().__init__(device, graph, seed, start=start)
        self.search = Search(device, graph, "hybrid", False, False)
        self.counter = device.empty(2, np.int32)
        self.allocate(CAPACITY)
        self.up_to: npt.NDArray[np.int64] = np.zeros(0, np.int64)  # vertices up to each level

    def allocate(self, capacity: int) -> None:
        """Make room for the vertices that the host sorts."""
        self.capacity = capacity
        self.priority = self.device.empty(capacity, np.uint64)
        self.vertex = self.device.empty(capacity, np.int32)

    def mark(self, target: int, progress: Tell | None) -> int:
        """Mark the first `target` vertices; returns the number of levels that they span."""
        if not len(self.up_to):
            levels, _ = self.search.run(np.array([self.begin], np.int32))
            self.distance = self.search.distance
            self.up_to = np.cumsum(self._sizes(levels + 1), dtype=np.int64)
        self.level = int(np.searchsorted(self.up_to, target))
        before = int(self.up_to[self.level - 1]) if self.level else 0
        cutoff, last = self._cutoff(target - before, int(self.up_to[self.level]) - before)
        self.program.explore_cut.launch(self, self.passes, cutoff=cutoff, last=last)
        if progress:
            progress(target, target)
        return self.level + 1

    def _sizes(self, levels: int) -> npt.NDArray[np.int32]:
        """Return the number of vertices in each of at most `levels` levels."""
        count, kernel = self.device.zeros(max(levels, BINS), np.int32), self.program.explore_levels
        local = min(self.device.tuning.local_size, kernel.limit)
        named = {"n": self.n, "each": LEVELS_OF, "distance": self.distance, "count": count}
        kernel.exact(-(-self.n // LEVELS_OF) * local, local=local, **named)
        return self.device.download(count, np.int32, levels)

    def _cutoff(self, wanted: int, size: int) -> tuple[int, int]:
        """(priority, vertex) of the last of the `wanted` first of `size` vertices in the level."""
        if wanted == size:
            return TOP - 1, self.n
        device = self.device
        # the expected position, give or take six standard deviations of how many come before
        width = 6 * isqrt(size) + 16
        while True:
            low = max(0, TOP * (wanted - width) // size)
            high = min(TOP - 1, TOP * (wanted + width) // size)
            device.clear(self.counter, 2, np.int32)
            self.program.explore_window.launch(self, self.passes, low=low, high=high)
            below, inside = (int(x) for x in device.download(self.counter, np.int32, 2))
            if inside > self.capacity:  # make room and try again
                self.allocate(inside)
            elif below < wanted <= below + inside:
                break
            elif low == 0 and high == TOP - 1:
                raise DeviceError(
                    f"{device.name}: {below + inside} vertices in level {self.level} instead of {size}; "
                    "please report this"
                )
            else:
                width *= 4
        priority = device.download(self.priority, np.uint64, inside)
        vertex = device.download(self.vertex, np.int32, inside)
        nth = np.lexsort((vertex, priority))[wanted - below - 1]
        return int(priority[nth]), int(vertex[nth])


class Runs(Replicates):
    """Runs from random vertices of the largest component, or from a given one.

    Attributes
    ----------
    inside : int32 buffer, shape (whole,)
        The component's vertices, ascending.
    given : int
        The vertex to start from; -1: a random one.
    """

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], request: Request) -> None:
        super().__init__(device, graph, targets, request)
        largest, start = graph_components(device, graph).largest(), request.root
        if start is not None:
            check_start(device, graph, largest, start)
        number = device.empty(self.n, np.int32)
        self.inside, self.whole = Members(device).number(self.n, largest.label, largest.root, None, number)
        self.given = -1 if start is None else start
        self.program = device.program("sampling/explore", RUNS=1, **self.csr.defines)


class BreadthRuns(Runs):
    """One run per work-item, breadth-first."""

    algorithm = "breadth-first"

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], request: Request) -> None:
        super().__init__(device, graph, targets, request)
        lanes, area = LAUNCH.of(device).runs or device.compute_units, 24 * self.n
        room = min(device.global_memory // 4, device.max_buffer)
        self.at_first = max(1, min(lanes, room // area))
        device.reserve({"areas": area * self.at_first})
        self.area = device.empty(6 * self.n * self.at_first, np.int32)
        self.kernel = self.program.explore_runs


class DepthRuns(Runs):
    """All runs in each launch, depth-first."""

    algorithm = "depth-first"

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], request: Request) -> None:
        super().__init__(device, graph, targets, request)
        self.wanted, csr = min(max(targets), self.whole), self.csr
        size = np.dtype(csr.offset).itemsize
        steps, buckets = 2 * csr.arcs * size, csr.arcs // SPREAD + csr.n
        each = steps + 8 * csr.arcs + (4 + size) * buckets + sum(_needs(csr, self.wanted).values())
        room = min(device.global_memory // 4 // each, device.max_buffer // steps)
        # positions among all runs' neighbours have 32 bits, and the second dimension of a range has limits
        self.most = max(1, min(room, (1 << 30) // (csr.arcs + csr.n), MOST // self.targets))
        self.at_first = max(1, min(self.most, LAUNCH.of(device).runs or device.compute_units))

    def launch(self, runs: int) -> None:
        device, csr = self.device, self.csr
        if self.given >= 0:
            start = np.full(runs, self.given)
        else:
            bits = np.concatenate([keyed.draw(self.seed + i, 0, 0)[0] for i in range(runs)])
            start = device.download(self.inside, np.int32, self.whole)[keyed.below(bits, self.whole)]
        row_ptr = device.download(csr.row_ptr, csr.offset, csr.n)
        begin: Starts = start.astype(np.int32), row_ptr[start]
        visit = _walk(device, csr, order_steps(device, csr, self.seed, runs), begin, self.wanted)
        slots = runs * self.targets
        device.clear(self.member, slots * self.words, np.uint32)
        self.program.explore_members.launch(self, (self.wanted, runs), visit=visit)
        self.program.explore_counts.launch(self, (self.n, slots))


# --- A depth-first walk, on the device or, since it is serial, on the host's CPU where that is faster ---


SPREAD = 4  # neighbours of a bucket, about


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape of the walk, and of breadth-first runs.

    Attributes
    ----------
    lanes : int
        Neighbours that a walk looks at side by side.
    steps : int
        Steps in one launch: some tenths of a second, so that no driver's watchdog ends it and Ctrl-C is
        noticed.
    run : int
        Consecutive arcs or buckets of a work-item that orders rows.
    own : int or None
        Visits up to which a device walks itself, although the host has a CPU device; None: always.
    runs : int or None
        Runs side by side, breadth-first ones each a work-item; None: one for each compute unit.
    """

    lanes: int
    steps: int
    run: int
    own: int | None = None
    runs: int | None = None
    POWERS: ClassVar[tuple[str, ...]] = ("lanes",)

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits."""
        return replace(self, lanes=fit_group(self.lanes, device, each=16))


LAUNCH = LaunchTable(
    gpu=LaunchConfig(lanes=32, steps=1 << 17, run=16, own=1 << 17, runs=1 << 11),
    cpu=LaunchConfig(lanes=1, steps=1 << 21, run=4096),
    simulator=LaunchConfig(lanes=4, steps=64, run=8),
)


class DepthFirst(ExploreRun):
    """The order of first visits of a depth-first walk, which tries neighbours in an order of the seed."""

    algorithm = "depth-first"

    def __init__(self, device: Device, graph: Graph, seed: int, *, start: int | None = None) -> None:
        super().__init__(device, graph, seed, start=start)
        self.own = LAUNCH.of(device).own
        order_program(device, self.csr)  # built before a clock sees it
        self.visit: Any = None

    def mark(self, target: int, progress: Tell | None) -> int:
        """Mark the first `target` vertices that the walk reaches; later targets are not larger."""
        if self.visit is None:
            self.visit = self._visits(self.begin, target, progress)
        self.device.clear(self.live, self.n, np.uint8)
        self.program.explore_first.launch(self, -(-target // self.device.tuning.items), wanted=target)
        return 1

    def _visits(self, begin: int, count: int, progress: Tell | None) -> Any:
        """Walk from a vertex to the `count`-th visited one: the vertices in the order of their first visits.

        A long walk runs on the host's CPU; where it cannot, a note says why.
        """
        device, csr = self.device, self.csr
        start = np.array([begin], np.int32), device.download(csr.row_ptr, csr.offset, 1, offset=begin)
        steps = order_steps(device, csr, self.seed)
        if self.own is not None and count > self.own and (walker := host_cpu()) is not device:
            note = f"the walk, which is serial, ran on {device.name}: "
            if walker is None:
                self.notes = (note + "the host has no CPU device that works",)
            else:
                try:
                    found = self._elsewhere(walker, steps, start, count, progress)
                    self.algorithm = f"depth-first on {walker.name}"
                    return device.upload(found)
                except (CapacityError, MemoryError) as error:
                    self.notes = (note + f"the memory of {walker.name} does not hold it ({error})",)
        return _walk(device, csr, steps, start, count, progress)

    def _elsewhere(
        self, walker: Device, steps: Any, start: Starts, count: int, progress: Tell | None
    ) -> npt.NDArray[np.int32]:
        """The visits of a walk on another device."""
        device, csr = self.device, self.csr
        with walker.alone():
            walker.reserve({"steps": 2 * csr.arcs * np.dtype(csr.offset).itemsize, **_needs(csr, count)})
            host = device.download(steps, csr.offset, 2 * csr.arcs)
            found = _walk(walker, csr, walker.upload(host), start, count, progress)
            return walker.download(found, np.int32, count)


# the vertex where each run begins, and where its row does
Starts = tuple[npt.NDArray[np.int32], npt.NDArray[np.integer]]


def order_program(device: Device, csr: DeviceCSR) -> Any:
    """Build the kernels that order the neighbours in rows."""
    run = LAUNCH.of(device).run
    return device.program("sampling/explore_order", RUN=run, SPREAD=SPREAD, **csr.defines)


def order_steps(device: Device, csr: DeviceCSR, seed: int, runs: int = 1) -> Any:
    """Build the steps of walks: each row's neighbours by number(seed, v, u), with their rows; of each run."""
    program, run = order_program(device, csr), LAUNCH.of(device).run
    arcs, buckets, size = runs * csr.arcs, csr.arcs // SPREAD + csr.n, np.dtype(csr.offset).itemsize
    device.reserve({"order": 4 * arcs, "key": 4 * arcs, "buckets": (4 + size) * runs * buckets})
    rows = {"n": csr.n, "arcs": csr.arcs, "buckets": buckets, "seed": seed, **csr.buffers}
    over = -(-csr.arcs // run), runs
    count = device.zeros(runs * buckets, np.uint32)
    program.order_count(over, **rows, count=count)
    begin = running_sums(device, count, runs * buckets, of=np.uint32, into=csr.offset)
    order, key = device.empty(arcs, np.int32), device.empty(arcs, np.uint32)
    program.order_deal(over, **rows, count=count, begin=begin, order=order, key=key)
    sort = {"n": csr.n, "seed": seed, "row_ptr": csr.row_ptr, "begin": begin}
    program.order_sort((-(-buckets // run), runs), **sort, buckets=buckets, order=order, key=key)
    step = device.empty(2 * arcs, csr.offset)
    program.order_steps(over, n=csr.n, arcs=csr.arcs, row_ptr=csr.row_ptr, order=order, step=step)
    return step


def _needs(csr: DeviceCSR, wanted: int) -> dict[str, int]:
    """Bytes that a walk takes beside its steps."""
    return {"walk": 4 * wanted + csr.n // 8 + np.dtype(csr.offset).itemsize * csr.n}


def _walk(
    device: Device, csr: DeviceCSR, steps: Any, begin: Starts, wanted: int, progress: Tell | None = None
) -> Any:
    """The first `wanted` vertices that each walk visits; its steps are on this device."""
    shape, runs = LAUNCH.of(device), len(begin[0])
    program = device.program("sampling/explore_walk", LANES=shape.lanes, **csr.defines)
    device.reserve({name: runs * nbytes for name, nbytes in _needs(csr, wanted).items()})
    visited = device.zeros(runs * (csr.n // 32 + 1), np.uint32)
    visit, state = device.output(runs * wanted, np.int32), device.empty(2 * runs, np.int32)
    memory = {"visited": visited, "visit": visit, "state": state, "n": csr.n, "wanted": wanted}
    memory["stack"] = device.empty(runs * csr.n, csr.offset)
    start, row = map(device.upload, begin)
    program.explore_start(runs, runs=runs, start=start, row=row, **memory)
    walk = program.explore_walk.bind(steps=shape.steps, arcs=csr.arcs, step=steps, **memory)
    count = 1
    while count < wanted:
        walk.exact(runs * shape.lanes, local=shape.lanes)
        depths, counts = device.download(state, np.int32, 2 * runs).reshape(runs, 2).T
        if np.any((depths == 0) & (counts < wanted)):
            raise DeviceError(
                f"{device.name}: a walk ended after {counts.min()} of {wanted} vertices; please report this"
            )
        count = int(counts.min())
        if progress:
            progress(count, wanted)
    return visit
