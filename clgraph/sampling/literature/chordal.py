"""Chordal subgraphs: host half of ``cl/sampling/literature/chordal.cl`` and ``chordal_exact.cl``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.finder import graph_components
from clgraph.csr.build import sort_rows
from clgraph.csr.device_csr import DeviceCSR
from clgraph.csr.scan import running_sums
from clgraph.device.launch_config import LaunchTable
from clgraph.sampling.literature.engine import DEGREE, GIVEN, NOBODY, PRIORITY, RUN, Engine
from clgraph.sampling.literature.smallest import Column, Cut, Smallest
from clgraph.sampling.selection import Selection

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request

NOT_MAXIMAL = "an ordered chordal subgraph is not always maximal: mode='exact' makes one that is"
# vertices that a launch takes of a part, so that no watchdog ends it
LAUNCH = LaunchTable(gpu=1 << 10, cpu=1 << 17, simulator=3)


class Chordal(Engine):
    """Chordal subgraphs by an order of the vertices, or maximal ones of a whole graph or its parts."""

    vertex_bytes, arc_bytes = 60, 17

    def __init__(self, device: Device, view: View, request: Request, seed: int, runs: int) -> None:
        super().__init__(device, view, request, seed, runs)
        self.reserve()
        self.parts, self.part = request.parts, None

    def draw(self) -> Selection:
        """Draw all runs."""
        ordered = self.request.method == "chordal" and self.request.mode != "exact"
        return self.ordered() if ordered else self.exact()

    # --- mode "ordered" ---------------------------------------------------------------------------

    def ordered(self) -> Selection:
        """Grow cliques in rounds: a vertex goes on where those before it are complete."""
        device, program, many = self.device, self.program("chordal"), self.all
        self.item = self.sorted(*PRIORITY, DEGREE, RUN)
        self.rank = self.ranks(self.item, of_all=True)
        counts = device.empty(many, np.int32)
        earlier = program.chordal_earlier
        earlier.launch(self, self.flat(many), count=many, many=counts, start=None, earlier=None)
        self.start = running_sums(device, counts, many)
        total = int(device.download(self.start, np.int64, 1, many)[0])
        self.earlier, self.clique = (device.empty(max(total, 1), np.int32) for _ in range(2))
        earlier.launch(self, self.flat(many), count=many, many=None)
        longest = int(self.view.degrees.max(initial=0))
        sort_rows(device, DeviceCSR(many, total, self.start, self.earlier, np.int64), longest, merge=False)
        self.size, self.at, self.stamp = (device.zeros(many, np.int32) for _ in range(3))
        lists = device.empty(many, np.int32), device.empty(many, np.int32)
        one_round = program.chordal_round.bind(**program.chordal_round.arguments_of(self))
        active, count, number = None, many, 0
        while count:
            number += 1
            some = {"count": count, "round": number, "active": active, "next": lists[0]}
            count = self.counting(one_round, self.flat(count), **some)
            active, lists = lists[0], lists[::-1]
        key = device.empty(max(self.runs * self.arcs, 1), np.uint64)
        program.chordal_listed.launch(self, self.passes, key=key)
        order = device.download(self.rank, np.int32, many).reshape(self.runs, self.n)
        came = (order - np.arange(self.runs)[:, None] * self.n).astype(np.uint64)
        return self.packed(key, came, (NOT_MAXIMAL,), rounds=number)

    # --- mode "exact", and parts ------------------------------------------------------------------

    def exact(self) -> Selection:
        """Grow a maximal chordal subgraph of each part, by a work-item."""
        device, runs, many, arcs = self.device, self.runs, self.all, self.runs * self.arcs
        self.item = self.sorted(*PRIORITY, RUN)
        self.order = self.ranks(self.item, of_all=True)
        if self.request.method == "quasi-chordal":
            slot = self.find_parts()
            self.item = self.sorted(GIVEN, place=self.item, given=slot, most=runs * self.parts - 1)
        first = np.concatenate(([0], np.cumsum(np.tile(self.part_sizes(), runs)))).astype(np.int64)
        self.first = device.upload(first, writable=True)
        self.heap, self.place, self.came = (device.empty(many, np.int32) for _ in range(3))
        self.left = device.empty(runs * self.parts, np.int32)
        self.clique = device.empty(max(arcs, 1), np.int32)
        self.size, self.mark = device.zeros(many, np.int32), device.zeros(max(arcs, 1), np.uint8)
        launch, serial = runs * self.parts, self.program("chordal_exact", serial=True)
        serial.chordal_begin.launch(self, launch, parts=launch)
        named = {"all": launch, "acts": LAUNCH.of(device)}
        take = serial.chordal_take.bind(**serial.chordal_take.arguments_of(self) | named)
        while self.counting(take, launch):
            pass
        key = device.empty(max(arcs, 1), np.uint64)
        self.program("chordal_exact").chordal_marked.launch(self, self.passes, key=key)
        if self.part is None:
            return self.packed(key, device.download(self.came, np.int32, many).astype(np.uint64))
        values = device.download(self.part, np.int32, many)
        parts = Column(np.arange(runs + 1, dtype=np.int64) * self.n, values)
        return self.packed(key, None, more={"part": parts})

    def find_parts(self) -> Any:
        """Find the part of each item; return its number among all runs' parts."""
        device, labels = self.device, self.request.labels
        self.part, slot = device.empty(self.all, np.int32), device.empty(self.all, np.int32)
        item = given = None
        if labels is not None:
            given = device.upload(labels, writable=True)
        else:
            item = self.breadth_first()
        self.program("chordal_exact").parts_number.launch(
            self, self.flat(self.all), count=self.all, item=item, given=given, slot=slot
        )
        return slot

    def part_sizes(self) -> npt.NDArray[np.int64]:
        """Return the vertices of each part of a run."""
        n, parts = self.n, self.parts
        if self.request.labels is not None:
            return np.bincount(self.request.labels, minlength=parts)
        return np.diff(-(-np.arange(parts + 1, dtype=np.int64) * n // parts))

    def breadth_first(self) -> Any:
        """Sort items by run, component, level and index."""
        device, many, cut = self.device, self.all, self.program("chordal_exact")
        self.label = graph_components(device, self.view.rows).largest().label
        self.least, self.level = self.filled(NOBODY), device.empty(many, np.int32)
        component = device.empty(many, np.int32)
        cut.parts_least.launch(self, self.passes)
        lists = [device.empty(many, np.int32) for _ in range(2)]
        count = self.counting(cut.parts_begin, self.passes, component=component, next=lists[0])
        depth = 0
        while count:
            depth += 1
            some = {"count": count, "depth": depth, "active": lists[0], "next": lists[1]}
            count = self.counting(cut.parts_level, self.flat(count), **some)
            lists = lists[::-1]
        place = self.sorted(GIVEN, given=self.level, most=depth)
        return self.sorted(GIVEN, place=place, given=component, most=many - 1)

    # --- after ------------------------------------------------------------------------------------

    def packed(
        self,
        key: Any,
        came: npt.NDArray[np.uint64] | None,
        notes: tuple[str, ...] = (),
        *,
        rounds: int = 1,
        more: dict[str, Column] | None = None,
    ) -> Selection:
        """Return all vertices, and the edges whose key is 0."""
        device, runs, n = self.device, self.runs, self.n
        one = device.upload(np.ones(runs, np.uint64), writable=True)
        cut = Cut(one, device.zeros(runs, np.int32))
        arcs, _ = Smallest(device, runs, self.arcs).take(key, cut, equal=False)
        offset = np.arange(runs + 1, dtype=np.int64) * n
        return Selection(
            Column(offset, np.tile(np.arange(n, dtype=np.int32), runs)),
            None if came is None else Column(offset, came.ravel()),
            None,
            arcs,
            more=more or {},
            notes=[notes] * runs,
            rounds=np.full(runs, rounds),
        )
