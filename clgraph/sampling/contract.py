"""Contraction of drawn edges (cre, crve): host half of ``cl/sampling/contract.cl`` and ``contract_pairs.cl``.

The first k merges of a batch are found without looking at one draw after the other. The first r draws make at
most r merges, so draws are taken r at a time, r being the number of merges still missing; draws whose ends
already belong together do not count. The last draw taken is then the k-th merge itself.

A batch draws from the graph at its start, where edges that become parallel during the batch still count one
by one. So heavy groups grow faster than they would by one contraction at a time: a power-law graph of 100 000
vertices, halved by cre, keeps about an eighth fewer edges; for crve the difference is negligible.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.components.finder import graph_components
from clgraph.csr.upload import Chosen, DeviceCSR, Parts, Place, upload_csr
from clgraph.device.shapes import Shapes
from clgraph.errors import DeviceError
from clgraph.graph import Graph
from clgraph.progress import Tell
from clgraph.sampling.batched import batch_size
from clgraph.sampling.extract import Contracted
from clgraph.sampling.members import ROOTS, Members

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program

BLOCK = 64  # draws that a work-item counts


@dataclass(frozen=True)
class Shape:
    """Launch shape of the contraction kernels.

    Attributes
    ----------
    run : int
        Consecutive arcs of a work-item.
    chunk : int
        Draws that are kept at a time.
    """

    run: int
    chunk: int = 1 << 22


SHAPES = Shapes(gpu=Shape(run=16), cpu=Shape(run=4096), simulator=Shape(run=8, chunk=64))


@dataclass(frozen=True)
class Component:
    """The largest component of a graph.

    Attributes
    ----------
    size : int
    rows : DeviceCSR
        Simple.
    place : int32 device buffer, shape (n,)
        The number of each vertex of the graph, -1 outside.
    name : int32 device buffer, shape (size,)
        The vertex of each number.
    """

    size: int
    rows: DeviceCSR
    place: Any
    name: Any


class ContractRun:
    """Samples of one graph, method and seed; for targets in decreasing order they are nested.

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops. Parallel edges count once.
    seed : int
    method : {"cre", "crve"}
        Whether an edge is drawn, or a vertex and one of its neighbours.

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

    def __init__(self, device: Device, graph: Graph, seed: int, *, method: str) -> None:
        self._device, self._graph, self._seed = device, graph, seed
        self._by_vertex = int(method == "crve")
        self._rows: DeviceCSR = upload_csr(device, graph)
        self._n = n = graph.num_vertices
        self._items = device.tuning.items
        shape = SHAPES.of(device)
        self._run, self._chunk = shape.run, shape.chunk
        device.reserve({"place, label, number": 12 * n, "arcs": 8 * graph.num_arcs})
        self._kernels(self._rows)
        self._members = Members(device)
        self._components = graph_components(device, graph)
        self._place = device.empty(n, np.int32)
        self._label = device.empty(n, np.int32)
        self._number = device.empty(n, np.int32)
        self._merges = device.empty(1, np.int32)
        self._name: Any = None
        self._ends: list[Any] = []
        self._drawn: dict[str, Any] = {}
        self._room = 0
        self._stale = False  # whether `_label` holds new numbers that the rows do not have yet
        self.iterations = self._size = self._whole = 0
        self.history: list[tuple[int, int, int]] = []

    def _kernels(self, rows: DeviceCSR) -> Program:
        return self._device.program(
            "sampling/contract",
            ITEMS=self._items,
            RUN=self._run,
            BLOCK=BLOCK,
            BY_VERTEX=self._by_vertex,
            **rows.defines,
        )

    def _over(self, count: int) -> int:
        return -(-count // self._items)

    def start(self) -> int:
        """Find the input's largest component and number its vertices; returns its size."""
        largest = self._components.largest()
        self._size = largest.size
        self._name, _ = self._members.number(self._n, largest.label, largest.root, None, self._place)
        self._device.copy(self._label, self._place, 4 * self._n)
        self._stale = self._size < self._n or self._graph.has_copies
        self._whole = self._size
        self._record()
        return self._size

    def component(self) -> Component:
        """The input's largest component, for runs that begin with it."""
        size = self.start()
        if self._stale:
            self._rebuild()
        return Component(size, self._rows, self._place, self._name)

    def _record(self) -> None:
        if self.keep_history:
            if self._stale:
                self._rebuild()
            self.history.append((self._whole - self._size, self._size, self._rows.arcs // 2))

    def shrink_to(self, target: int, progress: Tell | None = None) -> None:
        """Contract until `target` vertices are left; the schedule of batches starts again.

        The numbers of the batches, which key the draws, continue: no draw is used twice.
        """
        before, excess, step = self._size, self._size - target, 0
        while self._size > target:
            if progress:
                progress(before - self._size, excess)
            if self._stale:
                self._rebuild()
            self._batch(batch_size(step, excess, self._size - target))
            self.iterations += 1
            step += 1
            self._record()
        if progress and excess > 0:
            progress(excess, excess)

    def _rebuild(self) -> None:
        """Make the rows of the contracted graph from the old ones and the new numbers in `_label`."""
        from clgraph.csr.build import build_rows

        rows, device = self._rows, self._device
        if not self._ends:  # the first time is the largest
            self._ends = [device.empty(rows.arcs, np.int32) for _ in range(2)]
        tail, head = self._ends
        self._kernels(rows).contract_arcs(
            -(-rows.arcs // self._run),
            n=rows.n,
            arcs=rows.arcs,
            **rows.buffers,
            label=self._label,
            tail=tail,
            head=head,
        )
        self._rows = build_rows(device, self._size, tail, head, rows.arcs, mirror=False)
        self._stale = False

    # --- one batch --------------------------------------------------------------------------------

    def _batch(self, wanted: int) -> None:
        """Contract drawn edges, in the order of the draws, until `wanted` merges are done."""
        device, size, program = self._device, self._size, self._kernels(self._rows)
        program.contract_init(self._over(size), n=size, label=self._label)
        device.clear(self._merges, 1, np.int32)
        done = first = last = drawn = 0
        rate = 1.0
        while done < wanted:
            if first == last:
                first, last = 0, self._draw(drawn, int((wanted - done) / rate * 1.2) + 4 * BLOCK)
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
                program.contract_compress(self._over(size), n=size, label=self._label)
            first, done = end, int(device.download(self._merges, np.int32, 1)[0])
        self._finish_batch(size - wanted)

    def _draw(self, begin: int, count: int) -> int:
        """Draw edges `begin`, `begin` + 1, ... of this batch; returns how many."""
        device, rows = self._device, self._rows
        count = min(count, self._chunk)
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

    def _finish_batch(self, size: int) -> None:
        """Number the new groups, and note the number for every original vertex."""
        program, old = self._kernels(self._rows), self._size
        passes = self._over(self._size)
        program.contract_compress(passes, n=old, label=self._label)
        self._name, count = self._members.number(self._size, self._label, ROOTS, self._name, self._number)
        if count != size:
            raise DeviceError(
                f"{self._device.name}: {count} groups are left instead of {size}; please report this"
            )
        program.contract_renumber(passes, n=old, number=self._number, label=self._label)
        program.contract_follow(self._over(self._n), n=self._n, label=self._label, place=self._place)
        self._size, self._stale = size, True

    # --- what is left -----------------------------------------------------------------------------

    def download(self) -> Contracted:
        """What `shrink_to` left last."""
        if self._stale:
            self._rebuild()
        return left_of(self._device, self._graph, self._rows, self._place, self._name)


def regrouped(device: Device, graph: Graph, group: Any) -> Contracted:
    """What a contraction left of a graph, from the smallest vertex of each vertex's group (-1 outside).

    Parameters
    ----------
    device : Device
    graph : Graph
        Undirected, without self-loops.
    group : int32 device buffer, shape (n,)
        It is changed.
    """
    from clgraph.csr.build import build_rows

    original, n, items, run = upload_csr(device, graph), graph.num_vertices, device.tuning.items, _run(device)
    number = device.empty(n, np.int32)
    name, count = Members(device).number(n, group, ROOTS, None, number)
    program = device.program("sampling/contract", ITEMS=items, RUN=run, **original.defines)
    program.contract_renumber(-(-n // items), n=n, number=number, label=group)
    tail, head = (device.empty(original.arcs, np.int32) for _ in range(2))
    program.contract_arcs(
        -(-original.arcs // run),
        n=n,
        arcs=original.arcs,
        **original.buffers,
        label=group,
        tail=tail,
        head=head,
    )
    rows = build_rows(device, count, tail, head, original.arcs, mirror=False)
    return left_of(device, graph, rows, group, name)


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
    original, n, items, run = upload_csr(device, graph), graph.num_vertices, device.tuning.items, _run(device)
    arcs, passes = original.arcs, -(-n // items)
    group_of = device.output(n, np.int32)
    program = device.program("sampling/contract", ITEMS=items, RUN=run, **original.defines)
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
            has_copies=False,
        ),
    )


def _run(device: Device) -> int:
    return SHAPES.of(device).run
