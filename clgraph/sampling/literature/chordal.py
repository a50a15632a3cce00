"""Chordal subgraphs: host half of ``cl/sampling/literature/chordal.cl`` and its ``_exact``, ``_parts``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.components.finder import graph_components
from clgraph.csr.build_sort import sort_rows
from clgraph.csr.parts import DeviceCSR
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.device.launch_config import LaunchTable
from clgraph.sampling.literature.drawn import Drawn
from clgraph.sampling.literature.listed import Column
from clgraph.sampling.literature.smallest import Cut, Smallest

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.sampling.literature.view import View
    from clgraph.sampling.request import Request

LOW, HIGH, DEGREE, RUN, GIVEN = range(5)  # what chordal_key makes keys of
NOT_MAXIMAL = "an ordered chordal subgraph is not always maximal: mode='exact' makes one that is"


LAUNCH = LaunchTable(gpu=1 << 10, cpu=1 << 17, simulator=3)  # vertices that a launch takes of a part


def draw(device: Device, view: View, wish: Request, seed: int, runs: int) -> Drawn:
    """Runs with the seeds `seed`, `seed` + 1, ..."""
    made = _Chordal(device, view, wish, seed, runs)
    if wish.method == "chordal" and wish.mode != "exact":
        return made.ordered()
    return made.exact()


def bytes_per_run(view: View, wish: Request) -> int:
    """Device memory that one run takes, roughly."""
    return 60 * view.n + 17 * view.rows.num_arcs


class _Chordal:
    def __init__(self, device: Device, view: View, wish: Request, seed: int, runs: int) -> None:
        self.device, self.view, self.wish, self.seed, self.runs = device, view, wish, seed, runs
        self.n, self.csr, self.many = view.n, view.csr(device), runs * view.n
        device.reserve({"runs": runs * bytes_per_run(view, wish)})
        options = {"ITEMS": device.tuning.items, **self.csr.defines}
        self.program = device.program("sampling/literature/chordal", **options)
        self.marks = device.program("sampling/literature/chordal_exact", **options)
        self.one_by_one = device.program("sampling/literature/chordal_exact", **self.csr.defines)
        self.cut = device.program("sampling/literature/chordal_parts", **options)
        self.longest = int(view.degrees.max(initial=0))

    def flat(self, kernel: Any, **arguments: Any) -> None:
        """Launch over items."""
        kernel(-(-self.many // self.device.tuning.items), count=self.many, **arguments)

    def by_run(self, kernel: Any, **arguments: Any) -> None:
        """Launch over vertices, by runs."""
        kernel((-(-self.n // self.device.tuning.items), self.runs), n=self.n, **arguments)

    # --- orders -----------------------------------------------------------------------------------

    def sorted(self, item: Any, which: int, most: int, given: Any = None) -> Any:
        """Items by a further key, at most `most`; those of equal keys stay in order."""
        key = self.device.empty(self.many, np.uint32)
        self.flat(
            self.program.chordal_key,
            n=self.n,
            seed=self.seed,
            which=which,
            most=self.longest,
            row_ptr=self.csr.row_ptr,
            item=item,
            given=given,
            key=key,
        )
        return sort_by_key(self.device, key, self.many, most.bit_length(), item)[1]

    def by_priority(self) -> Any:
        """Items by vertex priority, ties by index."""
        return self.sorted(self.sorted(None, LOW, 2**32 - 1), HIGH, 2**32 - 1)

    def ranks(self, item: Any) -> Any:
        """The place of each item in an order."""
        rank = self.device.empty(self.many, np.int32)
        self.flat(self.program.chordal_rank, item=item, rank=rank)
        return rank

    # --- mode "ordered" ---------------------------------------------------------------------------

    def ordered(self) -> Drawn:
        """Cliques grown in rounds."""
        device, csr, program, many = self.device, self.csr, self.program, self.many
        item = self.sorted(self.by_priority(), DEGREE, self.longest)
        item = self.sorted(item, RUN, self.runs - 1)
        rank = self.ranks(item)
        rows = {"n": self.n, **csr.buffers, "item": item, "rank": rank}
        counts = device.empty(many, np.int32)
        self.flat(program.chordal_earlier, **rows, many=counts, start=None, earlier=None)
        start = running_sums(device, counts, many)
        total = int(device.download(start, np.int64, 1, many)[0])
        earlier = device.empty(max(total, 1), np.int32)
        self.flat(program.chordal_earlier, **rows, many=None, start=start, earlier=earlier)
        sort_rows(device, DeviceCSR(many, total, start, earlier, np.int64), self.longest, merge=False)
        clique = device.empty(max(total, 1), np.int32)
        size, at, stamp = (device.zeros(many, np.int32) for _ in range(3))
        lists = device.empty(many, np.int32), device.empty(many, np.int32)
        waiting = device.empty(1, np.int32)
        next_round = program.chordal_round.bind(
            start=start, earlier=earlier, clique=clique, size=size, at=at, stamp=stamp, waiting=waiting
        )
        active, count, number = None, many, 0
        while count:
            number += 1
            device.clear(waiting, 1, np.int32)
            next_round(
                -(-count // device.tuning.items), count=count, round=number, active=active, next=lists[0]
            )
            count = int(device.download(waiting, np.int32, 1)[0])
            active, lists = lists[0], lists[::-1]
        key = device.empty(max(self.runs * csr.arcs, 1), np.uint64)
        self.by_run(
            program.chordal_listed,
            arcs=csr.arcs,
            **csr.buffers,
            rank=rank,
            start=start,
            clique=clique,
            size=size,
            key=key,
        )
        order = device.download(rank, np.int32, many).reshape(self.runs, self.n)
        came = (order - np.arange(self.runs)[:, None] * self.n).astype(np.uint64)
        return self.packed(key, came, (NOT_MAXIMAL,), rounds=number)

    # --- mode "exact", and parts ------------------------------------------------------------------

    def exact(self) -> Drawn:
        """A maximal chordal subgraph of each part, by a work-item."""
        device, csr, wish = self.device, self.csr, self.wish
        runs, n, many, parts = self.runs, self.n, self.many, wish.parts
        item = self.sorted(self.by_priority(), RUN, runs - 1)
        order, part = self.ranks(item), None
        if wish.method == "quasi-chordal":
            part, slot = self.parts(order)
            item = self.sorted(item, GIVEN, runs * parts - 1, slot)
        sizes = self.part_sizes()
        first = np.concatenate(([0], np.cumsum(np.tile(sizes, runs)))).astype(np.int64)
        begins = device.upload(first, writable=True)
        heap, place = device.empty(many, np.int32), device.empty(many, np.int32)
        left, came = device.empty(runs * parts, np.int32), device.empty(many, np.int32)
        clique = device.empty(max(runs * csr.arcs, 1), np.int32)
        size, mark = device.zeros(many, np.int32), device.zeros(max(runs * csr.arcs, 1), np.uint8)
        launch = runs * parts
        program, waiting = self.one_by_one, device.empty(1, np.int32)
        program.chordal_begin(
            launch, parts=launch, first=begins, item=item, n=n, heap=heap, place=place, left=left
        )
        take = program.chordal_take.bind(
            all=launch,
            n=n,
            parts=parts,
            acts=LAUNCH.of(device),
            **csr.buffers,
            part=part,
            order=order,
            first=begins,
            left=left,
            heap=heap,
            place=place,
            clique=clique,
            size=size,
            came=came,
            mark=mark,
            waiting=waiting,
        )
        open_ = True
        while open_:
            device.clear(waiting, 1, np.int32)
            take(launch)
            open_ = bool(device.download(waiting, np.int32, 1)[0])
        key = device.empty(max(runs * csr.arcs, 1), np.uint64)
        self.by_run(self.marks.chordal_marked, arcs=csr.arcs, **csr.buffers, part=part, mark=mark, key=key)
        if part is None:
            return self.packed(key, device.download(came, np.int32, many).astype(np.uint64))
        told = device.download(part, np.int32, many)
        return self.packed(key, None, more={"part": Column(np.arange(runs + 1, dtype=np.int64) * n, told)})

    def parts(self, order: Any) -> tuple[Any, Any]:
        """The part of each item, and its number among all runs' parts."""
        device, wish, many = self.device, self.wish, self.many
        part, slot = device.empty(many, np.int32), device.empty(many, np.int32)
        item = given = None
        if wish.labels is not None:
            given = device.upload(wish.labels, writable=True)
        else:
            item = self.breadth_first(order)
        self.flat(
            self.cut.parts_number, n=self.n, parts=wish.parts, item=item, given=given, part=part, slot=slot
        )
        return part, slot

    def part_sizes(self) -> npt.NDArray[np.int64]:
        """Vertices of each part of a run."""
        n, parts = self.n, self.wish.parts
        if self.wish.labels is not None:
            return np.bincount(self.wish.labels, minlength=parts)
        return np.diff(-(-np.arange(parts + 1, dtype=np.int64) * n // parts))

    def breadth_first(self, order: Any) -> Any:
        """Items by run, component, level and index."""
        device, csr, n, many = self.device, self.csr, self.n, self.many
        label = graph_components(device, self.view.rows).largest().label
        least, component, level = (device.empty(many, np.int32) for _ in range(3))
        device.fill(least, np.int32(2**31 - 1), many)
        self.by_run(self.cut.parts_least, label=label, order=order, least=least)
        lists, waiting = [device.empty(many, np.int32) for _ in range(2)], device.zeros(1, np.int32)
        self.by_run(
            self.cut.parts_begin,
            label=label,
            order=order,
            least=least,
            component=component,
            level=level,
            next=lists[0],
            many=waiting,
        )
        depth = 0
        while count := int(device.download(waiting, np.int32, 1)[0]):
            depth += 1
            device.clear(waiting, 1, np.int32)
            self.cut.parts_level(
                -(-count // device.tuning.items),
                count=count,
                n=n,
                depth=depth,
                **csr.buffers,
                active=lists[0],
                level=level,
                next=lists[1],
                many=waiting,
            )
            lists = lists[::-1]
        return self.sorted(self.sorted(None, GIVEN, depth, level), GIVEN, many - 1, component)

    # --- after ------------------------------------------------------------------------------------

    def packed(
        self,
        key: Any,
        came: npt.NDArray[np.uint64] | None,
        notes: tuple[str, ...] = (),
        *,
        rounds: int = 1,
        more: dict[str, Column] | None = None,
    ) -> Drawn:
        """All vertices, and the edges whose key is 0."""
        device, runs, n = self.device, self.runs, self.n
        selected = Smallest(device, runs, self.csr.arcs)
        one = device.upload(np.ones(runs, np.uint64), writable=True)
        taken = selected.take(key, Cut(one, device.zeros(runs, np.int32)), equal=False)
        arcs = Column.on(device, taken.offset, taken.items, selected.item)
        offset = np.arange(runs + 1, dtype=np.int64) * n
        vertices = Column(offset, np.tile(np.arange(n, dtype=np.int32), runs))
        order = None if came is None else Column(offset, came.ravel())
        told = [notes] * runs
        return Drawn(vertices, order, None, arcs, more=more or {}, notes=told, rounds=np.full(runs, rounds))
