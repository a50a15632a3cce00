"""A graph as a stream, in order of edge priority: host half of ``cl/sampling/literature/stream_order.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.held import Held
from clgraph.sampling.literature.listed import Column, given
from clgraph.sampling.literature.stream import LAUNCH, Rule, StreamRun

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request

LOW, HIGH, RUN = range(3)  # what order_key makes keys of


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    order = _Order(device, view, seed, runs)
    run = StreamRun(device, rule_of(wish), seed, runs, order.m)
    if order.m:
        run.feed(*order.ends(), order.m, stride=order.m)
    held = run.result()
    arcs, made = order.places(held)
    vertices = given(device, Column.of_parts([each.vertices.astype(np.int32) for each in made]))
    notes: list[tuple[str, ...]] = [told_of(wish, each) for each in made]
    return Drawn(vertices, arcs=arcs, notes=notes, held=made)


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    room = wish.target or wish.target_edges or min(view.rows.num_arcs, LAUNCH.cpu.room)
    return 20 * view.rows.num_arcs + 170 * (room + min(wish.block, view.rows.num_arcs))


def rule_of(wish: Request) -> Rule:
    """What a wish says of a stream."""
    target = wish.target if wish.method == "pies" else wish.target_edges
    rest = wish.p, wish.q, wish.closing, wish.triangles, wish.view is not None and wish.view.weighted
    return Rule(wish.method, target or 0, *rest, wish.block)


def told_of(wish: Request, held: Held) -> tuple[str, ...]:
    """What a user should know: that there is less than was asked for."""
    if wish.method == "pies":
        what, there = f"{wish.target} vertices", len(held.vertices)
    else:
        what, there = f"{wish.target_edges} edges", len(held.source)
    if not held.complete:
        return (f"the stream ended after {held.arrivals} edges, with {there} of {what}: all are taken",)
    if wish.method == "pies" and there < (wish.target or 0):
        return (f"{there} vertices: the next edge would have brought two",)
    return ()


class _Order:
    """The edges of a graph, and the order in which they come in each run."""

    def __init__(self, device: Device, view: View, seed: int, runs: int) -> None:
        self.device, self.view, self.seed, self.runs = device, view, seed, runs
        self.csr = csr = view.csr(device)
        self.program = device.program(
            "sampling/literature/stream_order", ITEMS=device.tuning.items, **csr.defines
        )
        self.m = csr.arcs // 2
        made = device.cached(view.rows, "edge ends", self._edges)
        self.edge = {"low": made["low"], "high": made["high"]}
        self.copy, self.place = made["copy"], made["place"]
        self.all = runs * self.m
        device.reserve({"order of edges": 28 * self.all})
        if self.m:
            self.item = self._sorted(self._sorted(None, LOW, 32), HIGH, 32)
            self.item = self._sorted(self.item, RUN, (runs - 1).bit_length())

    def _edges(self) -> dict[str, Any]:
        device, csr, n, m = self.device, self.csr, self.view.n, max(self.m, 1)
        size, rows = -(-n // device.tuning.items), {"n": n, **csr.buffers}
        kinds = {"low": np.int32, "high": np.int32, "copy": np.uint32, "place": np.int64}
        many = device.empty(n, np.int32)
        self.program.order_edges(size, **rows, many=many, begin=None, **dict.fromkeys(kinds))
        begin = running_sums(device, many, n)
        made = {name: device.empty(m, kind) for name, kind in kinds.items()}
        self.program.order_edges(size, **rows, many=None, begin=begin, **made)
        return made

    def _flat(self, kernel: Any, count: int, **arguments: Any) -> None:
        kernel(-(-count // self.device.tuning.items), count=count, m=self.m, **arguments)

    def _sorted(self, item: Any, which: int, bits: int) -> Any:
        key = self.device.empty(self.all, np.uint32)
        self._flat(
            self.program.order_key,
            self.all,
            seed=self.seed,
            which=which,
            **self.edge,
            copy=self.copy,
            item=item,
            key=key,
        )
        return sort_by_key(self.device, key, self.all, bits, item)[1]

    def ends(self) -> tuple[Any, Any, Any]:
        """Ends and weights (None: there are none) in the order in which they come, run after run."""
        device, view = self.device, self.view
        tail, head = (device.empty(self.all, np.uint64) for _ in range(2))
        given = weight = None
        if view.weighted:
            weight = view.kept(device, "integers", lambda: view.integers)
            given = device.empty(self.all, np.uint64)
        self._flat(
            self.program.order_ends,
            self.all,
            **self.edge,
            place=self.place,
            weight=weight,
            item=self.item,
            tail=tail,
            head=head,
            given=given,
        )
        return tail, head, given

    def places(self, held: list[Held]) -> tuple[Column, list[Held]]:
        """The arcs of the edges held, ascending in each run, and the edges in that order."""
        device = self.device
        lengths = [len(each.arrival) for each in held]
        many = sum(lengths)
        if many == 0:
            return Column.of_parts([np.zeros(0, np.int64) for _ in held]), held
        run = device.upload(np.repeat(np.arange(len(held), dtype=np.int32), lengths), writable=True)
        time = device.upload(np.concatenate([each.arrival for each in held]), writable=True)
        out = device.empty(many, np.int64)
        self._flat(
            self.program.order_places, many, item=self.item, place=self.place, run=run, time=time, out=out
        )
        offset = np.concatenate(([0], np.cumsum(lengths)))
        arcs = device.download(out, np.int64, many)
        made, parts = [], []
        for each, first, last in zip(held, offset, offset[1:], strict=False):
            order = np.argsort(arcs[first:last])
            parts.append(arcs[first:last][order])
            made.append(each.taken(order))
        packed = Column.of_parts(parts)
        packed.there = Column.on(device, offset, out, np.int64)
        return packed, made
