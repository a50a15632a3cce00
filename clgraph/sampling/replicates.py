"""Samples of one graph under many seeds, side by side.

Host half of ``cl/sampling/replicates.cl`` (drv, dre: a run a work-item, for CPUs), of
``replicates_probes.cl`` and ``replicates_settle.cl`` (the same for GPUs: all runs in each launch), and of
``replicates_explore.cl`` (ebfs: a run a work-item) and ``draw_runs.cl`` (drve, dhyb: a run a work-group).
Contractions are in `clgraph.sampling.contract_runs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clgraph.components.kept import graph_components
from clgraph.csr.upload import upload_csr
from clgraph.device.shapes import GroupPerRun, Shapes
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.methods import CONTRACTING
from clgraph.progress import Tell
from clgraph.sampling.contract_runs import ContractRuns
from clgraph.sampling.members import Members
from clgraph.sampling.options import Size
from clgraph.sampling.packed import Packed, Runs, SamplesOfRuns, Words, edge_numbers
from clgraph.sampling.request import Request
from clgraph.sampling.sequence import Portion

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.run import run_on


@dataclass(frozen=True)
class EdgeList:
    """The edges u < v of a graph without loops, on a device: int32 buffers `low` and `high`, ascending."""

    low: Any
    high: Any


def edge_list(device: Device, graph: Graph) -> EdgeList:
    """The edges of a graph, kept with it on the device."""

    def make() -> EdgeList:
        tail, head = graph.rows, graph.col_idx
        upper = tail < head
        return EdgeList(device.upload(tail[upper]), device.upload(head[upper]))

    return device.cached(graph, EdgeList, make)


class Replicates:
    """Runs of one graph and method under seeds that follow each other.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops, with at least two edges.
    targets : sequence of int
        Decreasing.
    edges : bool
        Delete edges (dre) instead of vertices (drv).

    Attributes
    ----------
    most, at_first : int
        Runs that a call of `run` can take, and how many are a good start.
    bits : int
        Bytes of a run's samples.
    """

    most: int
    at_first: int

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], *, edges: bool) -> None:
        self._device, self._edges = device, edges
        self._csr = csr = upload_csr(device, graph)
        self._n, self._m = csr.n, csr.arcs // 2
        self._things = self._m if edges else self._n
        self._targets = len(targets)
        self._target = device.upload(np.array(targets, np.int32))
        self._words, self._edge_words = -(-self._n // 32), -(-self._m // 32) if edges else 0
        self.bits = 4 * self._targets * (self._words + self._edge_words)

    def run(self, first: int, runs: int) -> Packed:
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
        return Packed(
            Words(device, member, (*shape, self._words)),
            None if kept is None else Words(device, kept, (*shape, self._edge_words)),
            counts[:-1].reshape(*shape, 3),
            int(counts[-1]),
        )

    def _launch(self, first: int, runs: int, member: Any, kept: Any, count: Any) -> None:
        raise NotImplementedError


@dataclass(frozen=True)
class Form:
    """How a kind of device makes runs side by side.

    Attributes
    ----------
    way : {"merge tree", "probes"}
        A run a work-item, or all runs in each launch.
    arcs : int
        Graphs up to this size; for larger ones a run alone fills the device.
    alone : int
        Graphs up to this size also for a single run.
    breadth : int
        Graphs up to this size for breadth-first samples, a run a work-item.
    contraction : int
        Graphs up to this size for contractions, a run a work-group.
    batches : int
        Graphs up to this size for batches of drawn edges, a run a work-group.
    lanes : int
        Work-items where a run is one; 0: the device's compute units.
    """

    way: Literal["merge tree", "probes"]
    arcs: int
    alone: int = 0
    breadth: int = 0
    contraction: int = 0
    batches: int = 0
    lanes: int = 0


# Up to these sizes runs pay side by side: 1000 by drv took the H200 25 ms instead of 4.1 s at 23 000
# vertices, 0.63 s instead of 8.2 s at 400 000 (docs/performance.md); a larger graph fills it with one run.
SHAPES = Shapes(
    gpu=Form("probes", 1 << 23, breadth=1 << 19, contraction=1 << 21, batches=1 << 19, lanes=1 << 11),
    cpu=Form("merge tree", 1 << 19, alone=1 << 18, breadth=1 << 19, contraction=1 << 21, batches=1 << 19),
    fpga=Form("merge tree", 0),
    emulator=Form("merge tree", 0),
    simulator=Form("merge tree", 1 << 19, breadth=1 << 19, contraction=1 << 19, batches=1 << 19),
)
BRIEF = 0.2  # seconds that a launch should take, so that Ctrl-C is noticed
FEW = 256  # deletions that a run takes one by one
ROOM = 4 * FEW + 64  # room for them: there may be more by chance
MOST = 1 << 15  # runs in a launch: the second dimension of a range has limits
RUN_BYTES = 104  # of a run_t


def side_by_side(device: Device, graph: Graph, options: Request, runs: int) -> bool:
    """Whether runs are made side by side on a device, not one after the other by probes."""
    form = SHAPES.of(device)
    most = 0
    if options.exact:
        most = form.arcs if runs > 1 else form.alone
    elif options.method == "ebfs" and runs > 1:
        most = form.breadth
    elif options.method in CONTRACTING and runs > 1:
        most = form.contraction
    elif runs > 1 and drawn_together(graph, options):
        most = form.batches
    return device.kernels == "ndrange" and 4 <= graph.undirected.simple.num_arcs <= most


class Lanes(Replicates):
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

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], *, edges: bool) -> None:
        super().__init__(device, graph, targets, edges=edges)
        n, m = self._n, self._m
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


class Breadth(Lanes):
    """A run a work-item: breadth-first from a random vertex, or from a given one."""

    def __init__(
        self, device: Device, graph: Graph, targets: Sequence[int], *, start: int | None = None
    ) -> None:
        super().__init__(device, graph, targets, edges=False)
        largest = graph_components(device, graph).largest()
        if start is not None:
            from clgraph.sampling.explore import check_start

            check_start(device, graph, largest, start)
        lanes, area = SHAPES.of(device).lanes or device.compute_units, 24 * self._n
        room = min(device.global_memory // 4, device.max_buffer)
        self.at_first = max(1, min(lanes, room // area))
        device.reserve({"areas": area * self.at_first})
        number = device.empty(self._n, np.int32)
        inside, whole = Members(device).number(self._n, largest.label, largest.root, None, number)
        program = device.program("sampling/replicates_explore", **self._csr.defines)
        self._kernel = program.replicates_breadth
        self._common = {
            "n": self._n,
            **self._csr.buffers,
            "inside": inside,
            "whole": whole,
            "given": -1 if start is None else start,
            "targets": self._targets,
            "target": self._target,
            "area": device.empty(6 * self._n * self.at_first, np.int32),
        }


class Probing(Replicates):
    """All runs in each launch: probes of thresholds, and the last deletions one by one."""

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], *, edges: bool) -> None:
        super().__init__(device, graph, targets, edges=edges)
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
        options = {"EDGES": int(edges), "ROOM": ROOM, "RUN_BYTES": RUN_BYTES}
        self._probe = device.program("sampling/replicates_probes", **options)
        self._settle = device.program("sampling/replicates_settle", **options, **self._csr.defines)
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


class DrawShape(GroupPerRun):
    """Launch shape."""

    EACH = 12


DRAW_SHAPES = Shapes(
    gpu=DrawShape(local=256, runs=128), cpu=DrawShape(local=1, runs=2), simulator=DrawShape(local=4, runs=2)
)
FINEST = 1 << 15  # a larger denominator of the probability would not fit the kernel's integers


def drawn_together(graph: Graph, options: Request) -> bool:
    """Whether runs of a graph with these options can be made so."""
    return (
        options.method in ("drve", "dhyb")
        and options.connection == "weak"
        and not graph.undirected.simple.has_copies
        and options.chance.denominator <= FINEST
    )


class DrawRuns(Replicates):
    """A run a work-group: the whole loop of batches."""

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], options: Request) -> None:
        super().__init__(device, graph, targets, edges=True)
        n, m, shape = self._n, self._m, DRAW_SHAPES.of(device)
        self._local, weight = shape.local, options.chance
        self._area = 2 * n + m + m // 8 + 1
        room = min(device.global_memory // 4, device.max_buffer) // (4 * self._area + self.bits)
        self.most = max(1, room)
        self.at_first = min(shape.runs, self.most)
        device.reserve({"areas": 4 * self._area * self.at_first})
        defines = {"LOCAL": shape.local, "HYBRID": int(weight != 1), **self._csr.defines}

        tolerance = options.tolerance
        least = [ceil(size - (Fraction(size, 1000) if tolerance is None else tolerance)) for size in targets]

        listed, largest = edge_list(device, graph), graph_components(device, graph).largest()
        self._kernel = device.program("sampling/draw_runs", **defines).draw_runs.bind(
            n=n,
            m=m,
            room=m // 8 + 1,
            p=weight.numerator,
            q=weight.denominator,
            row_ptr=self._csr.row_ptr,
            edge=edge_numbers(device, graph),
            low=listed.low,
            high=listed.high,
            inside=largest.label,
            root=largest.root,
            whole=largest.size,
            targets=self._targets,
            target=self._target,
            least=device.upload(np.array(least, np.int32)),
        )

    def _launch(self, first: int, runs: int, member: Any, kept: Any, count: Any) -> None:
        area = self._device.empty(self._area * runs, np.int32)
        self._kernel.exact(
            runs * self._local,
            local=self._local,
            first_seed=first,
            area=area,
            member=member,
            kept=kept,
            count=count,
        )


def run_replicates(
    graph: Graph,
    call: run_on,
    options: Request,
    first: int,
    runs: int,
    wanted: list[tuple[Size, int]],
    progress: Tell | None,
) -> list[Portion]:
    """The samples of `runs` runs, in portions that take a moment each."""
    device = call.device
    how = device.watch()
    way: str = SHAPES.of(device).way
    targets = sorted({target for _, target in wanted}, reverse=True)
    started = perf_counter()
    several: Replicates | ContractRuns
    simple, edges = graph.undirected.simple, options.method == "dre"
    if options.method in CONTRACTING:
        several, way = ContractRuns(device, simple, targets, method=options.method), "contraction"
    elif options.method in ("drve", "dhyb"):
        several, way = DrawRuns(device, simple, targets, options), options.components or "afforest"
    elif options.method == "ebfs":
        several, way = Breadth(device, simple, targets, start=options.root), "breadth-first"
    elif way == "merge tree":
        several = Serial(device, simple, targets, edges=edges)
    else:
        several = Probing(device, simple, targets, edges=edges)
    seconds = {**call.seconds, "compile": perf_counter() - started}
    made: list[Portion] = []
    done, held, at_once = 0, 0, several.at_first
    while done < runs:
        count = min(at_once, several.most, runs - done)
        started = perf_counter()
        packed: Runs = several.run(first + done, count)
        held += several.bits * count
        if held > device.global_memory // 8:  # too much to stay on the device
            packed.leave()
        took = perf_counter() - started
        about = {
            "options": options.given,
            "device": device.name,
            "seconds": {**seconds, "sample": took / count},
            "provenance": how(),
        }
        made.append(SamplesOfRuns(graph, options, first + done, wanted, targets, packed, way, about))
        done += count
        if progress:
            excess = max(0, packed.whole - targets[-1])
            progress(done * excess, runs * excess)
        if took < BRIEF / 2:  # twice as many runs take twice as long: still within BRIEF
            at_once *= 2
        elif took > 2 * BRIEF:
            at_once = max(1, at_once // 2)
    return made
