"""Contraction of drawn edges (cre, crve): host half of ``cl/sampling/contract.cl`` and ``contract_pairs.cl``.

The first k merges of a batch are found without looking at one draw after the other. The first r draws make at
most r merges, so draws are taken r at a time, r being the number of merges still missing; draws whose ends
already belong together do not count. The last draw taken is then the k-th merge itself.

A batch draws from the graph at its start, where edges that become parallel during the batch still count one
by one. So heavy groups grow faster than they would by one contraction at a time: a power-law graph of 100 000
vertices, halved by cre, keeps about an eighth fewer edges; for crve the difference is negligible.

A batch merges as many vertices in each run, whatever its seed. So runs of many seeds take the same batches
side by side: their graphs are the rows of one, and only the draws of many runs have a kernel of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.finder import graph_components
from clgraph.csr.build import build_rows
from clgraph.csr.parts import Joined
from clgraph.csr.upload import Chosen, DeviceCSR, Parts, Place, upload_csr
from clgraph.device.launch_config import LaunchTable, WorkGroupPerRun
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.graph.building import INT32_MAX
from clgraph.progress import Tell
from clgraph.sampling.batched import batch_size
from clgraph.sampling.bitsets import Selections, Slot, Words
from clgraph.sampling.members import ROOTS, Members
from clgraph.sampling.replicates import Replicates
from clgraph.sampling.request import Request
from clgraph.sampling.selection import Contracted, Mask, roots_of

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program

BLOCK = 64  # draws that a work-item counts
MOST = 1 << 15  # runs in a launch: the second dimension of a range has limits


@dataclass(frozen=True)
class LaunchConfig(WorkGroupPerRun):
    """Launch shape of the contraction kernels; `local` and `runs` are of runs side by side.

    Attributes
    ----------
    run : int
        Consecutive arcs of a work-item.
    chunk : int
        Draws of one run that are kept at a time.
    """

    EACH = 4
    run: int
    chunk: int = 1 << 22


LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=256, runs=64, run=16),
    cpu=LaunchConfig(local=1, runs=16, run=4096),
    simulator=LaunchConfig(local=4, runs=2, run=8, chunk=64),
)


def _kernels(device: Device, rows: DeviceCSR, *, by_vertex: bool = False) -> Program:
    shape = LAUNCH.of(device)
    return device.program(
        "sampling/contract",
        ITEMS=device.tuning.items,
        RUN=shape.run,
        BLOCK=BLOCK,
        LOCAL=shape.local,
        BY_VERTEX=int(by_vertex),
        **rows.defines,
    )


@dataclass(frozen=True)
class State:
    """The graphs of runs side by side.

    Attributes
    ----------
    size : int
        Vertices of each.
    rows : DeviceCSR
        Of all, run after run; simple.
    place : int32 device buffer, shape (runs * n,)
        Where each vertex of the original is among all vertices, -1 outside.
    name : int32 device buffer, shape (runs * size,)
        The smallest original vertex of each.
    """

    size: int
    rows: DeviceCSR
    place: Any
    name: Any


class Contraction:
    """Samples of one graph and method under seeds that follow each other; nested for decreasing targets.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops. Parallel edges count once.
    seed : int
        Of the first run.
    method : {"cre", "crve"}
        Whether an edge is drawn, or a vertex and one of its neighbours.
    runs : int
    begin : State, optional
        Of one run: the largest component (`component`), where it is known; runs side by side need it.

    Attributes
    ----------
    iterations : int
        Batches.
    way : str
        "contraction".
    history : list of (int, int, int)
        Contractions so far, vertices and edges left: at the start and after every batch, if `keep_history`
        is set.
    """

    way = "contraction"
    keep_history = False

    notes: tuple[str, ...] = ()

    def __init__(
        self,
        device: Device,
        graph: Graph,
        seed: int,
        *,
        method: str,
        runs: int = 1,
        begin: State | None = None,
    ) -> None:
        self._device, self._graph, self._seed, self._runs = device, graph, seed, runs
        self._by_vertex, self._begin = method == "crve", begin
        self._rows: DeviceCSR = upload_csr(device, graph)
        self._n = graph.num_vertices  # of the original
        count = runs * self._n
        self._shape = LAUNCH.of(device)
        device.reserve({"place, label, number": 12 * count, "arcs": 8 * runs * graph.num_arcs})
        self._kernels(self._rows)
        self._members = Members(device)
        self._components = graph_components(device, graph)
        self._place, self._label, self._number = (device.empty(count, np.int32) for _ in range(3))
        self._merges = device.empty(1, np.int32)
        self._name: Any = None
        self._ends: list[Any] = []
        self._drawn: dict[str, Any] = {}
        self._room = 0
        self._stale = False  # whether `_number` holds new numbers that the rows do not have yet
        self.iterations = self._size = self._whole = 0
        self.history: list[tuple[int, int, int]] = []

    def _kernels(self, rows: DeviceCSR) -> Program:
        return _kernels(self._device, rows, by_vertex=self._by_vertex)

    def _over(self, count: int) -> int:
        return -(-count // self._device.tuning.items)

    def start(self) -> int:
        """Find the input's largest component and number its vertices; returns its size."""
        if self._begin is not None:
            self._repeat(self._begin)
        else:
            largest = self._components.largest()
            self._size = largest.size
            self._name, _ = self._members.number(self._n, largest.label, largest.root, None, self._place)
            self._device.copy(self._number, self._place, 4 * self._n)
            self._stale = self._size < self._n or self._graph.is_multigraph
        self._whole = self._size
        self._record()
        return self._size

    def component(self) -> State:
        """The input's largest component, for runs that begin with it."""
        self.start()
        return State(self._size, self._made_rows(), self._place, self._name)

    def _repeat(self, one: State) -> None:
        """Begin with a graph once for each run."""
        device, runs, arcs = self._device, self._runs, one.rows.arcs
        n = runs * one.size
        row_ptr, col_idx = device.output(n + 1, np.int32), device.output(runs * arcs, np.int32)
        self._name, self._size = device.empty(n, np.int32), one.size
        device.clear(row_ptr, 1, np.int32)
        self._kernels(one.rows).contract_repeat(
            (self._over(max(arcs, self._n)), runs),
            n=one.size,
            arcs=arcs,
            whole=self._n,
            **one.rows.buffers,
            place=one.place,
            name=one.name,
            into_ptr=row_ptr,
            into_idx=col_idx,
            into_place=self._place,
            into_name=self._name,
        )
        self._rows = DeviceCSR(n, runs * arcs, row_ptr, col_idx, np.int32)

    def _record(self) -> None:
        if self.keep_history:
            self.history.append((self._whole - self._size, self._size, self._made_rows().arcs // 2))

    def shrink_to(self, target: int, progress: Tell | None = None) -> None:
        """Contract until `target` vertices are left; the schedule of batches starts again.

        The numbers of the batches, which key the draws, continue: no draw is used twice.
        """
        before, excess, step = self._size, self._size - target, 0
        while self._size > target:
            if progress:
                progress(before - self._size, excess)
            self._batch(self._made_rows(), batch_size(step, excess, self._size - target))
            self.iterations += 1
            step += 1
            self._record()
        if progress and excess > 0:
            progress(excess, excess)

    def _made_rows(self) -> DeviceCSR:
        """The rows of the contracted graphs; made from the old ones and the numbers in `_number`."""
        rows, device = self._rows, self._device
        if not self._stale:
            return rows
        if not self._ends:  # the first time is the largest
            self._ends = [device.empty(rows.arcs, np.int32) for _ in range(2)]
        tail, head = self._ends
        self._kernels(rows).contract_arcs(
            -(-rows.arcs // self._shape.run),
            n=rows.n,
            arcs=rows.arcs,
            **rows.buffers,
            number=self._number,
            tail=tail,
            head=head,
        )
        self._rows = build_rows(device, self._runs * self._size, tail, head, rows.arcs, mirror=False)
        self._stale = False
        return self._rows

    # --- one batch --------------------------------------------------------------------------------

    def _batch(self, rows: DeviceCSR, wanted: int) -> None:
        """Contract drawn edges, in the order of the draws, until `wanted` merges are done in each run."""
        if self._begin is None:
            self._spread_batch(rows, wanted)
        else:
            local, old = self._shape.local, self._name
            self._name = self._device.empty(self._runs * (self._size - wanted), np.int32)
            self._kernels(rows).contract_runs.exact(
                self._runs * local,
                local=local,
                n=self._size,
                seed=self._seed,
                step=self.iterations,
                wanted=wanted,
                whole=self._n,
                **rows.buffers,
                label=self._label,
                name=old,
                number=self._number,
                new_name=self._name,
                place=self._place,
            )
        self._size, self._stale = self._size - wanted, True

    def _spread_batch(self, rows: DeviceCSR, wanted: int) -> None:
        """A batch of one run, over the whole device."""
        n, program, passes = rows.n, self._kernels(rows), self._over(rows.n)
        program.contract_init(passes, n=n, label=self._label)
        self._merge(program, rows, wanted)
        self._name, count = self._members.number(n, self._label, ROOTS, self._name, self._number)
        if count != n - wanted:
            raise DeviceError(
                f"{self._device.name}: {count} groups are left instead of {n - wanted}; please report this"
            )
        program.contract_renumber(passes, n=n, label=self._label, number=self._number)
        program.contract_follow(self._over(self._n), n=self._n, number=self._number, place=self._place)

    def _merge(self, program: Program, rows: DeviceCSR, wanted: int) -> None:
        """Draw edges and join their ends, until `wanted` merges are done."""
        device = self._device
        device.clear(self._merges, 1, np.int32)
        done = first = last = drawn = 0
        rate = 1.0
        while done < wanted:
            if first == last:
                first, last = 0, self._draw(rows, drawn, int((wanted - done) / rate * 1.2) + 4 * BLOCK)
                drawn += last
            if done == 0 and drawn == last:
                end = min(wanted, last)  # no two ends have met yet
            else:
                end, rate = self._useful(first, last, wanted - done)
            program.contract_link(
                self._over(end - first),
                first=first,
                last=end,
                **self._drawn,
                label=self._label,
                merges=self._merges,
            )
            if done == 0:  # this was the bulk of the merges: shorten the paths for what follows
                program.contract_compress(self._over(rows.n), n=rows.n, label=self._label)
            first, done = end, int(device.download(self._merges, np.int32, 1)[0])

    def _draw(self, rows: DeviceCSR, begin: int, count: int) -> int:
        """Draw edges `begin`, `begin` + 1, ... of this batch; returns how many."""
        device = self._device
        count = min(count, self._shape.chunk)
        if begin + count > 2**32 - 1:
            raise DeviceError(
                "a batch of contractions would need more than 2**32 draws: a few vertices are attached to a "
                "graph of far too many edges; ask for a larger sample"
            )
        if count > self._room:
            self._drawn = {name: device.empty(count, np.int32) for name in ("drawn_tail", "drawn_head")}
            self._flags = device.empty(count, np.uint8)
            self._counts = device.empty(-(-count // BLOCK), np.int32)
            self._room = count
        self._kernels(rows).contract_draw(
            self._over(count),
            begin=begin,
            count=count,
            seed=self._seed,
            step=self.iterations,
            n=rows.n,
            arcs=rows.arcs,
            **rows.buffers,
            **self._drawn,
        )
        return count

    def _useful(self, first: int, last: int, missing: int) -> tuple[int, float]:
        """Where to stop so that at most `missing` draws from `first` on join groups; the share of those."""
        blocks = -(-(last - first) // BLOCK)
        self._kernels(self._rows).contract_useful(
            blocks,
            first=first,
            last=last,
            **self._drawn,
            label=self._label,
            useful=self._flags,
            block_useful=self._counts,
        )
        up_to = np.cumsum(self._device.download(self._counts, np.int32, blocks), dtype=np.int64)
        rate = max(int(up_to[-1]), 1) / (last - first)
        if up_to[-1] <= missing:
            return last, rate
        block = int(np.searchsorted(up_to, missing))
        begin = first + block * BLOCK
        flags = self._device.download(self._flags, np.uint8, min(BLOCK, last - begin), offset=begin)
        inside = missing - (int(up_to[block - 1]) if block else 0)
        return begin + int(np.flatnonzero(flags)[inside - 1]) + 1, rate

    # --- what is left -----------------------------------------------------------------------------

    def download(self) -> Contracted:
        """What `shrink_to` left last, of one run."""
        return left_of(self._device, self._graph, self._made_rows(), self._place, self._name)

    def groups(self) -> tuple[Words, DeviceCSR, npt.NDArray[np.int64]]:
        """The same of runs side by side: groups of vertices, rows, and where each run's arcs begin."""
        device, rows, runs, count = self._device, self._made_rows(), self._runs, self._runs * self._n
        group, at = device.output(count, np.int32), device.empty(runs + 1, np.int32)
        program = self._kernels(rows)
        program.contract_groups(self._over(count), n=count, place=self._place, name=self._name, group=group)
        program.contract_begins(runs + 1, n=self._size, runs=runs, row_ptr=rows.row_ptr, at=at)
        begin = device.download(at, np.int32, runs + 1).astype(np.int64)
        return Words(device, group, (runs, self._n), np.int32), rows, begin


def regrouped(device: Device, graph: Graph, group: Any) -> Contracted:
    """What a contraction left of a graph, from the smallest vertex of each vertex's group (-1 outside).

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops.
    group : int32 device buffer, shape (n,)
    """
    original, n = upload_csr(device, graph), graph.num_vertices
    items, run = device.tuning.items, LAUNCH.of(device).run
    number = device.empty(n, np.int32)
    name, count = Members(device).number(n, group, ROOTS, None, number)
    program = _kernels(device, original)
    program.contract_renumber(-(-n // items), n=n, label=group, number=number)
    tail, head = (device.empty(original.arcs, np.int32) for _ in range(2))
    program.contract_arcs(
        -(-original.arcs // run),
        n=n,
        arcs=original.arcs,
        **original.buffers,
        number=number,
        tail=tail,
        head=head,
    )
    rows = build_rows(device, count, tail, head, original.arcs, mirror=False)
    return left_of(device, graph, rows, number, name)


def left_of(device: Device, graph: Graph, small: DeviceCSR, place: Any, name: Any) -> Contracted:
    """What a contraction left of a graph, and which edges of the graph that is.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops.
    small : DeviceCSR
        The contracted graph's rows.
    place : int32 device buffer, shape (n,)
        The number of each vertex's group, -1 outside.
    name : int32 device buffer, shape (groups,)
        The smallest vertex of each.
    """
    original, n = upload_csr(device, graph), graph.num_vertices
    items, run = device.tuning.items, LAUNCH.of(device).run
    arcs, passes = original.arcs, -(-n // items)
    group_of = device.output(n, np.int32)
    program = _kernels(device, original)
    program.contract_groups(passes, n=n, place=place, name=name, group=group_of)
    pairs = device.program(
        "sampling/contract_pairs", RUN=run, SMALL_OFFSET=small.defines["OFFSET"], **original.defines
    )
    count, first = device.zeros(small.arcs, np.int32), device.empty(small.arcs, np.uint32)
    device.fill(first, np.uint32(2**32 - 1), small.arcs)
    into = {"small_ptr": small.row_ptr, "small_col": small.col_idx, "count": count, "first": first}
    counts = Place.of(device, graph).column(graph, "multiplicity")
    pairs.pairs_count(
        -(-arcs // run), n=n, arcs=arcs, **original.buffers, multiplicity=counts, place=place, **into
    )
    many, kept = device.output(small.arcs, np.int32), device.output(arcs, np.uint8)
    device.clear(kept, arcs, np.uint8)
    several = device.zeros(1, np.uint32)
    pairs.pairs_mark(
        -(-small.arcs // run),
        n=n,
        small_n=small.n,
        small_arcs=small.arcs,
        **original.buffers,
        **into,
        many=many,
        kept=kept,
        several=several,
    )
    return Contracted(
        device,
        original,
        kept,
        group_of,
        Parts(
            small,
            directed=False,
            multiplicity=many if device.download(several, np.uint32, 1)[0] else None,
            ids=Chosen(None, name, small.n),
            num_self_loops=0,
            is_multigraph=False,
        ),
    )


# --- Contractions of several runs, as the group of each vertex ---


@dataclass(frozen=True)
class Groups(Selections):
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
        group = self.device.upload(self.groups(at))
        return regrouped(self.device, graph.undirected.without_self_loops, group)

    def joined(self, device: Device, graph: Graph, which: list[Slot]) -> list[tuple[list[int], Joined]]:
        pieces, runs = [], len(self.counts)
        for slot, rows in enumerate(self.rows if device is self.device else []):
            some = [k for k, at in enumerate(which) if at[1] == slot]
            if [which[k][0] for k in some] == list(range(runs)):  # all of a target's, as they lie in the rows
                begin = np.arange(runs + 1, dtype=np.int64) * (rows.n // runs)
                pieces.append((some, Joined(rows, begin, self.begin[slot])))
        return pieces


class ContractRuns(Replicates):
    """Runs of one graph and method side by side."""

    way = "contraction"

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], options: Request) -> None:
        self._device, self._graph, self._targets, self._method = device, graph, targets, options.method
        self._begin = Contraction(device, graph, 0, method=options.method).component()
        n, arcs = graph.num_vertices, self._begin.rows.arcs
        self.bits = len(targets) * (8 * n + 4 * arcs)
        each = 32 * n + 32 * arcs + self.bits
        room = device.global_memory // 4
        self.most = max(1, min(MOST, room // each, INT32_MAX // max(arcs, n, 1)))
        self.at_first = min(LAUNCH.of(device).runs, self.most)
        device.reserve({"runs": each})

    def run(self, first: int, runs: int) -> Groups:
        """The samples of the seeds `first` .. `first` + `runs` - 1."""
        all_ = Contraction(
            self._device, self._graph, first, method=self._method, runs=runs, begin=self._begin
        )
        whole, left = all_.start(), []
        counts = np.empty((runs, len(self._targets), 3), np.int32)
        for k, target in enumerate(self._targets):
            all_.shrink_to(target)
            words, rows, begin = all_.groups()
            left.append((words, rows, begin))
            counts[:, k] = rows.n // runs, 0, all_.iterations
            counts[:, k, 1] = np.diff(begin) // 2
        groups, of_all, begins = zip(*left, strict=True)
        return Groups(self._device, groups, list(of_all), begins, counts, whole)
