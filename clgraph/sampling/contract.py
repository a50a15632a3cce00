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

from clgraph.components.finder import graph_components
from clgraph.csr.build import build_rows
from clgraph.csr.device_csr import Joined
from clgraph.csr.upload import DeviceCSR, DeviceGraph, Residence, SelectedIds, upload_csr
from clgraph.device.launch_config import LaunchTable, WorkGroupPerRun
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.graph.building import INT32_MAX
from clgraph.progress import Tell
from clgraph.sampling.batched import batch_size
from clgraph.sampling.members import ROOTS, Members
from clgraph.sampling.request import Request
from clgraph.sampling.selection import DeviceArray, Selection

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
    begin : Contraction, optional
        One run that has only begun (`begun`): runs side by side begin with its graph.

    Attributes
    ----------
    iterations : int
        Batches.
    algorithm : str
        "contraction".
    history : list of (int, int, int)
        Contractions so far, vertices and edges left: at the start and after every batch, if `keep_history`
        is set.
    """

    algorithm = "contraction"
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
        begin: Contraction | None = None,
    ) -> None:
        self.device, self.graph, self.seed, self.runs = device, graph, seed, runs
        self.by_vertex, self.begin = method == "crve", begin
        self.rows: DeviceCSR = upload_csr(device, graph)
        self.whole = graph.num_vertices  # of the original
        count = runs * self.whole
        self.config = LAUNCH.of(device)
        device.reserve({"place, label, number": 12 * count, "arcs": 8 * runs * graph.num_arcs})
        self.program = _kernels(device, self.rows, by_vertex=self.by_vertex)
        self.members = Members(device)
        self.components = graph_components(device, graph)
        self.place, self.label, self.number = (device.empty(count, np.int32) for _ in range(3))
        self.merges = device.empty(1, np.int32)
        self.name: Any = None
        self.tail: Any = None
        self.room = 0
        self.stale = False  # whether `number` holds new numbers that the rows do not have yet
        self.iterations = self.size = self.largest = 0
        self.history: list[tuple[int, int, int]] = []

    def over(self, count: int) -> int:
        """Work-items of a pass over `count` entries."""
        return -(-count // self.device.tuning.items)

    def start(self) -> int:
        """Find the input's largest component and number its vertices; returns its size."""
        if self.begin is not None:
            self._repeat(self.begin)
        else:
            largest = self.components.largest()
            self.size = largest.size
            self.name, _ = self.members.number(self.whole, largest.label, largest.root, None, self.place)
            self.device.copy(self.number, self.place, 4 * self.whole)
            self.stale = self.size < self.whole or self.graph.is_multigraph
        self.largest = self.size
        self._record()
        return self.size

    def begun(self) -> Contraction:
        """Begin, for runs side by side that begin with the same graph."""
        self.start()
        self._made_rows()
        return self

    def _repeat(self, one: Contraction) -> None:
        """Begin with a graph once for each run."""
        device, runs, arcs = self.device, self.runs, one.rows.arcs
        n = runs * one.size
        row_ptr, col_idx = device.output(n + 1, np.int32), device.output(runs * arcs, np.int32)
        self.name, self.size = device.empty(n, np.int32), one.size
        device.clear(row_ptr, 1, np.int32)
        given = {"n": one.size, "arcs": arcs, "place": one.place, "name": one.name, **one.rows.buffers}
        into = {"into_ptr": row_ptr, "into_idx": col_idx, "into_place": self.place, "into_name": self.name}
        kernel = _kernels(device, one.rows, by_vertex=self.by_vertex).contract_repeat
        kernel.launch(self, (self.over(max(arcs, self.whole)), runs), **given, **into)
        self.rows = DeviceCSR(n, runs * arcs, row_ptr, col_idx, np.int32)

    def _record(self) -> None:
        if self.keep_history:
            self.history.append((self.largest - self.size, self.size, self._made_rows().arcs // 2))

    def shrink_to(self, target: int, progress: Tell | None = None) -> None:
        """Contract until `target` vertices are left; the schedule of batches starts again.

        The numbers of the batches, which key the draws, continue: no draw is used twice.
        """
        before, excess, step = self.size, self.size - target, 0
        while self.size > target:
            if progress:
                progress(before - self.size, excess)
            wanted, rows = batch_size(step, excess, self.size - target), self._made_rows()
            self.program = _kernels(self.device, rows, by_vertex=self.by_vertex)
            self.row_ptr, self.col_idx, self.step = rows.row_ptr, rows.col_idx, self.iterations
            if self.begin is None:
                self._spread_batch(rows, wanted)
            else:
                kernel, local, old = self.program.contract_runs, self.config.local, self.name
                self.name = self.device.empty(self.runs * (self.size - wanted), np.int32)
                named = {"n": self.size, "wanted": wanted, "name": old, "new_name": self.name}
                kernel.exact(self.runs * local, local=local, **(kernel.arguments_of(self) | named))
            self.size, self.stale = self.size - wanted, True
            self.iterations += 1
            step += 1
            self._record()
        if progress and excess > 0:
            progress(excess, excess)

    def _made_rows(self) -> DeviceCSR:
        """Return the rows of the contracted graphs, built from the old ones and the numbers in `number`."""
        rows, device = self.rows, self.device
        if not self.stale:
            return rows
        if self.tail is None:  # the first time is the largest
            self.tail, self.head = (device.empty(rows.arcs, np.int32) for _ in range(2))
        _kernels(device, rows, by_vertex=self.by_vertex).contract_arcs.launch(
            self, -(-rows.arcs // self.config.run), n=rows.n, arcs=rows.arcs, **rows.buffers
        )
        self.rows = build_rows(device, self.runs * self.size, self.tail, self.head, rows.arcs, mirror=False)
        self.stale = False
        return self.rows

    # --- one batch of one run, over the whole device ----------------------------------------------

    def _spread_batch(self, rows: DeviceCSR, wanted: int) -> None:
        """Contract drawn edges, in the order of the draws, until `wanted` merges are done."""
        n, program, passes = rows.n, self.program, self.over(rows.n)
        program.contract_init.launch(self, passes, n=n)
        self._merge(rows, wanted)
        self.name, count = self.members.number(n, self.label, ROOTS, self.name, self.number)
        if count != n - wanted:
            raise DeviceError(
                f"{self.device.name}: {count} groups are left instead of {n - wanted}; please report this"
            )
        program.contract_renumber.launch(self, passes, n=n)
        program.contract_follow.launch(self, self.over(self.whole), n=self.whole)

    def _merge(self, rows: DeviceCSR, wanted: int) -> None:
        """Draw edges and join their ends, until `wanted` merges are done."""
        device, program = self.device, self.program
        device.clear(self.merges, 1, np.int32)
        done = first = last = drawn = 0
        rate = 1.0
        while done < wanted:
            if first == last:
                # a fifth more than expected, so that few further rounds are needed
                first, last = 0, self._draw(rows, drawn, int((wanted - done) / rate * 1.2) + 4 * BLOCK)
                drawn += last
            if done == 0 and drawn == last:
                end = min(wanted, last)  # no two ends have met yet
            else:
                end, rate = self._useful(first, last, wanted - done)
            program.contract_link.launch(self, self.over(end - first), first=first, last=end)
            if done == 0:  # this was the bulk of the merges: shorten the paths for what follows
                program.contract_compress.launch(self, self.over(rows.n), n=rows.n)
            first, done = end, int(device.download(self.merges, np.int32, 1)[0])

    def _draw(self, rows: DeviceCSR, begin: int, count: int) -> int:
        """Draw edges `begin`, `begin` + 1, ... of this batch; returns how many."""
        device = self.device
        count = min(count, self.config.chunk)
        if begin + count > 2**32 - 1:
            raise DeviceError(
                "a batch of contractions would need more than 2**32 draws: a few vertices are attached to a "
                "graph of far too many edges; ask for a larger sample"
            )
        if count > self.room:
            self.drawn_tail, self.drawn_head = (device.empty(count, np.int32) for _ in range(2))
            self.useful, self.block_useful = (
                device.empty(count, np.uint8),
                device.empty(-(-count // BLOCK), np.int32),
            )
            self.room = count
        named = {"begin": begin, "count": count, "n": rows.n, "arcs": rows.arcs}
        self.program.contract_draw.launch(self, self.over(count), **named)
        return count

    def _useful(self, first: int, last: int, missing: int) -> tuple[int, float]:
        """Return where to stop so that at most `missing` draws from `first` on join groups, and the share."""
        blocks = -(-(last - first) // BLOCK)
        self.program.contract_useful.launch(self, blocks, first=first, last=last)
        up_to = np.cumsum(self.device.download(self.block_useful, np.int32, blocks), dtype=np.int64)
        rate = max(int(up_to[-1]), 1) / (last - first)
        if up_to[-1] <= missing:
            return last, rate
        block = int(np.searchsorted(up_to, missing))
        begin = first + block * BLOCK
        flags = self.device.download(self.useful, np.uint8, min(BLOCK, last - begin), offset=begin)
        inside = missing - (int(up_to[block - 1]) if block else 0)
        return begin + int(np.flatnonzero(flags)[inside - 1]) + 1, rate

    # --- what is left -----------------------------------------------------------------------------

    def download(self) -> Selection:
        """Return the selection of the last `shrink_to`, of one run, and which edges of the graph that is."""
        device, graph, small = self.device, self.graph, self._made_rows()
        original, n = upload_csr(device, graph), graph.num_vertices
        arcs, run, group_of = original.arcs, self.config.run, device.output(n, np.int32)
        program = _kernels(device, original)
        program.contract_groups.launch(self, self.over(n), n=n, group=group_of)
        pairs = device.program(
            "sampling/contract_pairs", RUN=run, SMALL_OFFSET=small.defines["OFFSET"], **original.defines
        )
        count, first = device.zeros(small.arcs, np.int32), device.empty(small.arcs, np.uint32)
        device.fill(first, np.uint32(2**32 - 1), small.arcs)
        into = {"small_ptr": small.row_ptr, "small_col": small.col_idx, "count": count, "first": first}
        counts = Residence.of(device, graph).column(graph, "multiplicity")
        pairs.pairs_count(
            -(-arcs // run), n=n, arcs=arcs, **original.buffers, multiplicity=counts, place=self.place, **into
        )
        many, kept = device.output(small.arcs, np.int32), device.output(arcs, np.uint8)
        device.clear(kept, arcs, np.uint8)
        several = device.zeros(1, np.uint32)
        sizes = {"n": n, "small_n": small.n, "small_arcs": small.arcs}
        marks = {"many": many, "kept": kept, "several": several}
        pairs.pairs_mark(-(-small.arcs // run), **sizes, **original.buffers, **into, **marks)
        if device.download(several, np.uint32, 1)[0]:
            small.values["multiplicity"] = many
        ids = SelectedIds(None, self.name, small.n)
        parts = DeviceGraph(small, directed=False, ids=ids, num_self_loops=0, is_multigraph=False)
        group = DeviceArray(device, group_of, (1, n), np.int32, now=False)
        edges = DeviceArray(device, kept, (1, arcs), np.uint8, now=False)
        return Selection(device=device, group=(group,), edges=edges, parts=parts)

    def groups(self) -> tuple[DeviceArray, Joined]:
        """Return the groups of runs side by side, and their graphs."""
        device, rows, runs, count = self.device, self._made_rows(), self.runs, self.runs * self.whole
        group, at = device.output(count, np.int32), device.empty(runs + 1, np.int32)
        program = _kernels(device, rows, by_vertex=self.by_vertex)
        program.contract_groups.launch(self, self.over(count), n=count, group=group)
        program.contract_begins(runs + 1, n=self.size, runs=runs, row_ptr=rows.row_ptr, at=at)
        begin = device.download(at, np.int32, runs + 1).astype(np.int64)
        graphs = Joined(rows, np.arange(runs + 1, dtype=np.int64) * self.size, begin)
        return DeviceArray(device, group, (runs, self.whole), np.int32), graphs


# --- Contractions of several runs ---


class ContractRuns:
    """All runs in each launch: they take the same batches, each as many merges."""

    algorithm = "contraction"

    def __init__(self, device: Device, graph: Graph, targets: Sequence[int], request: Request) -> None:
        self.device, self.graph, self.targets, self.method = device, graph, targets, request.method
        self.begin = Contraction(device, graph, 0, method=request.method).begun()
        n, arcs = graph.num_vertices, self.begin.rows.arcs
        self.bytes_each = len(targets) * (8 * n + 4 * arcs)
        each = 32 * n + 32 * arcs + self.bytes_each
        # a quarter of the memory: the graph, and the samples that stay on the device, need the rest
        self.most = max(1, min(MOST, device.global_memory // 4 // each, INT32_MAX // max(arcs, n, 1)))
        self.at_first = min(LAUNCH.of(device).runs, self.most)
        device.reserve({"runs": each})

    def run(self, seed: int, runs: int) -> Selection:
        """Return the samples of the seeds `seed` .. `seed` + `runs` - 1."""
        run = Contraction(self.device, self.graph, seed, method=self.method, runs=runs, begin=self.begin)
        whole, left = run.start(), []
        counts = np.empty((runs, len(self.targets), 3), np.int32)
        for k, target in enumerate(self.targets):
            run.shrink_to(target)
            group, joined = run.groups()
            left.append((group, joined))
            counts[:, k] = run.size, 0, run.iterations
            counts[:, k, 1] = np.diff(joined.arc_begin) // 2
        groups, graphs = zip(*left, strict=True)
        return Selection(device=self.device, group=groups, graphs=list(graphs), counts=counts, whole=whole)
