"""The levels of the Louvain and Leiden methods: host half of ``cl/communities/multilevel.cl``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from clgraph.csr.scan import flag_positions, running_sums
from clgraph.csr.sort import sort_by_key, sort_by_words
from clgraph.device.launch_config import DeviceLimits, LaunchTable, WorkGroup, fit_group, fit_local

if TYPE_CHECKING:
    from clgraph.csr.device_csr import DeviceCSR
    from clgraph.device import Device

INT_MAX = 2**31 - 1
STEPS = 1024  # the resolution is a multiple of 1 / STEPS
# Vertices of a slice decide at once; where their moves spoil each other there are four times as many slices,
# up to the largest number.
SLICES, MOST_SLICES = 32, 1024
CLASSES = 3  # of rows, by length
# A level ends when a pass gains less than the first share of the largest modularity, and the levels begin
# again while all together gain more; passes over the graph in the end go down to the second share, since
# rounds of moves that share no community take longer.
ENOUGH, FINE = 1000, 100_000_000


@dataclass(frozen=True)
class LaunchConfig(WorkGroup):
    """Launch configuration; `local` work-items share each of the longest rows.

    Attributes
    ----------
    few, many : int
        Arcs of the longest rows of the first two classes, which are counted in local memory.
    shared : tuple of two int
        Work-items that share a row of these classes, powers of two.
    rows : int
        Rows that a work-group takes in turn.
    run : int
        Consecutive arcs of a work-item; 0: whole rows.
    spread : int
        Work-items that add up squares.
    """

    few: int
    many: int
    shared: tuple[int, int]
    rows: int
    run: int
    spread: int
    POWERS: ClassVar[tuple[str, ...]] = ("local", "shared")

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut it to a device's limits: an arc takes 24 bytes of local memory, a work-item 24 more."""
        local, *shared = (fit_group(size, device, each=24) for size in (self.local, *self.shared))
        if local == 1:
            return replace(self, local=1, few=0, many=0)
        sizes = [
            fit_local(arcs, 24 * (arcs + lanes), device)
            for arcs, lanes in zip((self.few, self.many), shared, strict=True)
        ]
        few, many = min(sizes), max(sizes)
        return replace(self, local=local, few=few, many=many, shared=(shared[0], shared[1]))


# a warp takes a row of up to 128 arcs, so that few lanes are idle and many rows are in flight
LAUNCH = LaunchTable(
    gpu=LaunchConfig(local=512, few=128, many=1024, shared=(32, 256), rows=1, run=16, spread=1 << 16),
    cpu=LaunchConfig(local=1, few=0, many=0, shared=(1, 1), rows=64, run=0, spread=64),
    simulator=LaunchConfig(local=4, few=2, many=6, shared=(2, 4), rows=2, run=4, spread=6),
)


@dataclass(frozen=True)
class Level:
    """A graph whose vertices move, on a device.

    Attributes
    ----------
    n, arcs : int
    loops : int
        1: a self-loop is stored once.
    row_ptr, col_idx, weight, strength : device buffers
        See ``cl/communities/multilevel.cl``.
    wide : bool
        The sum of all weights needs 64 bits.
    choosers : list of Kernel
        By class of row.
    program : Program
    """

    n: int
    arcs: int
    loops: int
    row_ptr: Any
    col_idx: Any
    weight: Any
    strength: Any
    wide: bool
    choosers: list[Any]
    program: Any

    @classmethod
    def of(cls, dev: Device, csr: DeviceCSR, values: npt.NDArray[np.int64] | None) -> Level:
        """Return the graph itself."""
        weight = None if values is None else dev.upload(values)
        # self-loops count twice
        wide = 2 * (csr.arcs if values is None else int(values.sum())) >= INT_MAX
        programs = programs_of(dev, csr.defines["OFFSET"], wide)
        strength = dev.zeros(csr.n, np.uint64)
        return cls(csr.n, csr.arcs, 1, csr.row_ptr, csr.col_idx, weight, strength, wide, *programs)


def programs_of(dev: Device, offset: str, wide: bool) -> tuple[list[Any], Any]:
    """Return kernels that choose, by class of row, and a program with all others, for offsets of a type."""
    config = LAUNCH.of(dev)

    def build(local: int, arcs: int) -> Any:
        return dev.program(
            "communities/multilevel",
            LOCAL=local,
            ROWS=config.rows,
            RUN=config.run,
            FEW=config.few,
            MANY=config.many,
            TABLE=2 * arcs,
            SUM="ulong" if wide else "uint",
            ITEMS=dev.tuning.items,
            OFFSET=offset,
        )

    program = build(config.local, 0)
    if config.local == 1:  # all rows are of the last class
        return [program.multilevel_choose] * 3, program
    sizes = zip(config.shared, (config.few, config.many), strict=True)
    return [*(build(*each).multilevel_choose for each in sizes), program.multilevel_choose], program


class Search:
    """A search for communities.

    Parameters
    ----------
    dev : Device
    steps : int
        The resolution in units of 1 / STEPS.
    seed : int
    bottom : Level
        The graph, with at least one vertex.
    refines : bool
        Leiden: what becomes a vertex of the next level is refined before, and communities are connected.
    """

    def __init__(self, dev: Device, steps: int, seed: int, bottom: Level, refines: bool) -> None:
        self.dev, self.resolution, self.seed, self.bottom = dev, steps, seed, bottom
        self.refines = refines
        self.config, self.items = LAUNCH.of(dev), dev.tuning.items
        n, arcs = bottom.n, bottom.arcs
        dev.reserve({"tables": 12 * max(2 * arcs, n + 1), "arcs": 36 * arcs, "vertices": 64 * n})
        # those of the graph serve all levels, which are no larger
        room = max(2 * arcs, n + 1)
        # work-items alone, each with an array: more than there are cores, since rows are of different length,
        # and not many more, since the arrays share the caches
        self.alone = min(room // (n + 1), 2 * dev.compute_units)
        if self.config.local == 1:
            room = self.alone * (n + 1)
            self.lists = {"head": dev.empty(arcs, np.int32), "value": dev.empty(arcs, np.int64)}
        self.keys = dev.empty(room, np.int32)
        self.sums = dev.zeros(room, np.uint64 if bottom.wide else np.uint32)
        self.target, self.claim = dev.empty(n, np.int32), dev.empty(n, np.int32)
        self.total, self.old_total = dev.empty(n, np.uint64), dev.empty(n, np.uint64)
        self.old_label, self.key = dev.empty(n, np.int32), dev.empty(n, np.uint32)
        self.awake, self.inside = dev.empty(n, np.int32), 0
        self.moved, self.sum = dev.empty(1, np.int32), dev.empty(4, np.uint64)
        self.members, self.busy = dev.empty(n, np.int32), dev.empty(n, np.int32)
        self.stage = 0
        self.label = self._numbers(n)

    def _passes(self, count: int) -> int:
        return -(-count // self.items)

    def _over_arcs(self, level: Level) -> int:
        """Work-items that take all arcs."""
        run = self.config.run
        return -(-level.arcs // run) if run else self._passes(level.n)

    def _numbers(self, n: int) -> Any:
        """Each vertex alone in the community of its own number."""
        label = self.dev.empty(n, np.int32)
        self.bottom.program.multilevel_alone(self._passes(n), n=n, label=label)
        return label

    def run(self) -> tuple[float, int]:
        """Find communities; returns modularity and number of levels."""
        dev, bottom = self.dev, self.bottom
        bottom.program.multilevel_strength.launch(bottom, self._over_arcs(bottom))
        one = dev.zeros(bottom.n, np.int32)  # with all vertices in one community all weight is inside
        weight = self._weight_inside(bottom, one)
        self.whole = STEPS * weight
        if not weight:
            return float("nan"), 0
        self.most = self.whole * weight  # qualities are numerators of modularity over this
        self.inside = self._weight_inside(bottom, self.label)
        best, levels = self._climb(self.refines)
        while True:
            found, climbed = self._climb(True)
            levels = max(levels, climbed)
            gain, best = found - best, found
            if gain * ENOUGH < self.most:
                break
        awake = self._move(bottom, self.label, FINE)[1]
        while True:
            best, awake = self._finish(bottom, self.label, awake), None
            # both raise modularity, so that there is an end
            if not (self.refines and self._split(bottom, self.label)):
                return best / self.most, levels
            self._add_up(bottom, self.label)

    def _climb(self, refines: bool) -> tuple[int, int]:
        """Move the vertices of the graph, then those of graphs of communities, until none are joined.

        With `refines` what becomes a vertex of the next graph is a part of a community.
        """
        dev, bottom, level, label, levels = self.dev, self.bottom, self.bottom, self.label, 0
        node = None  # where each vertex of the graph is in the level
        while True:
            found = self._move(level, label, ENOUGH)[0]
            levels += 1
            root, flags = first = self.roots(level, label)
            if refines:
                first = self.roots(level, self._refined(level, label))
            number, count = self._numbered(level, *first)
            if count == level.n:
                number, _ = self._numbered(level, root, flags)
                if node is None:
                    dev.copy(self.label, number, 4 * bottom.n)
                else:
                    self._gather(bottom.n, number, node, self.label)
                return found, levels
            above, label = self._contracted(level, number, count), self._numbers(count)
            if refines:
                level.program.multilevel_inherit(
                    self._passes(level.n), n=level.n, flag=first[1], number=number, root=root, label=label
                )
            if node is None:
                node = number
            else:
                self._gather(bottom.n, number, node, node)
            level = above

    def _gather(self, n: int, of: Any, at: Any, out: Any) -> None:
        self.bottom.program.multilevel_gather(self._passes(n), n=n, of=of, at=at, out=out)

    def _numbered(self, level: Level, root: Any, flags: Any) -> tuple[Any, int]:
        """Number communities by their first vertices: each vertex's number, and how many there are."""
        place, count = flag_positions(self.dev, flags, level.n)
        number = self.dev.empty(level.n, np.int32)
        self._gather(level.n, place, root, number)
        return number, count

    def _refined(self, level: Level, within: Any) -> Any:
        """Join vertices alone, where that gains, inside communities; returns their new communities."""
        dev, n = self.dev, level.n
        self.stage += 1
        label, slices = self._numbers(n), min(n, SLICES)
        self._add_up(level, label)
        dev.fill(self.members, np.int32(1), n)
        dev.clear(self.busy, n, np.int32)
        order, begins = self._ordered(level, 0, slices, None)
        for each in range(slices):
            begin, end, stamp = begins[CLASSES * each], begins[CLASSES * (each + 1)], each + 1
            if begin == end:
                continue
            given = {"stamp": stamp, "order": order, "label": label}
            level.program.multilevel_stamp(
                self._passes(end - begin), begin=begin, end=end, members=self.members, busy=self.busy, **given
            )
            self._choose(level, label, order, begins[CLASSES * each :], within, stamp)
            self._go(level, label, begin, end, order, None, self.members)
        return label

    def _split(self, level: Level, label: Any) -> bool:
        """Make each connected part of a community a community of its own; returns whether there were any."""
        dev, n = self.dev, level.n
        part, other = self._numbers(n), dev.empty(n, np.int32)
        while True:
            dev.clear(self.moved, 1, np.int32)
            dev.copy(other, part, 4 * n)
            level.program.multilevel_parts.launch(
                level, self._over_arcs(level), label=label, part=part, next=other, moved=self.moved
            )
            part, other = other, part
            if not dev.download(self.moved, np.int32, 1)[0]:
                break
        before = flag_positions(dev, self.roots(level, label)[1], n)[1]
        after = flag_positions(dev, self.roots(level, part)[1], n)[1]
        dev.copy(label, part, 4 * n)
        return after > before

    def _move(self, level: Level, label: Any, enough: int) -> tuple[int, Any]:
        """Move vertices, slice by slice of an order for each pass; returns the quality, and who is awake.

        In all but the first pass only vertices decide that have a neighbour which left for another community
        in the pass before. A pass that does not raise the quality is undone, and all decide again, in more
        slices from then on.
        """
        dev, n, moved, awake = self.dev, level.n, self.moved, None
        self.stage += 1
        self._add_up(level, label)
        best, slices, number = self._quality(level), min(n, SLICES), 0
        while True:
            dev.copy(self.old_label, label, 4 * n)
            dev.copy(self.old_total, self.total, 8 * n)
            order, begins = self._ordered(level, number, slices, awake)
            dev.clear(moved, 1, np.int32)
            for each in range(slices):
                begin, end = begins[CLASSES * each], begins[CLASSES * (each + 1)]
                if begin < end:
                    self._choose(level, label, order, begins[CLASSES * each :])
                    self._go(level, label, begin, end, order, None)
            number += 1
            if not dev.download(moved, np.int32, 1)[0]:
                return best, None
            inside = self.inside
            dev.clear(self.awake, n, np.int32)
            awake = self._wake(level, label)
            found = self._quality(level)
            if found > best:
                gain, best = found - best, found
                if gain * enough < self.most:
                    return best, awake
                continue
            self.inside, awake = inside, None
            dev.copy(label, self.old_label, 4 * n)
            dev.copy(self.total, self.old_total, 8 * n)
            slices *= 4
            if slices > min(n, MOST_SLICES):
                return best, None

    def _wake(self, level: Level, label: Any) -> Any:
        """Wake the neighbours of vertices that have moved, and add up the weight inside communities."""
        dev = self.dev
        dev.clear(self.sum, 4, np.uint64)
        level.program.multilevel_wake.launch(
            level,
            self._over_arcs(level),
            label=label,
            old_label=self.old_label,
            awake=self.awake,
            sum=self.sum,
        )
        self.inside = (self.inside + int(dev.download(self.sum, np.uint64, 1)[0])) % 2**64
        return self.awake

    def _ordered(self, level: Level, number: int, slices: int, awake: Any) -> tuple[Any, list[int]]:
        """Return the vertices that decide in a pass, in its order, and where each class of a slice begins."""
        dev, n, bins = self.dev, level.n, CLASSES * slices
        level.program.multilevel_keys(
            self._passes(n),
            n=n,
            seed=self.seed,
            stage=self.stage,
            number=number,
            slices=slices,
            row_ptr=level.row_ptr,
            awake=awake,
            key=self.key,
        )
        key, order = sort_by_key(dev, self.key, n, bins.bit_length())
        return order, dev.download(self._begins(level, key, bins), np.int32, bins + 1).tolist()

    def _begins(self, level: Level, key: Any, bins: int) -> Any:
        """Return where each key begins among the sorted ones of a level's vertices."""
        begins = self.dev.empty(bins + 1, np.int32)
        passes = self._passes(level.n + 1)
        level.program.multilevel_begins(passes, n=level.n, bins=bins, key=key, begins=begins)
        return begins

    def _finish(self, level: Level, label: Any, awake: Any) -> int:
        """Make moves that gain and share no community, until there are none; returns the quality.

        The gains of such moves add up exactly, and the first vertex that wants to move always may. After a
        round only those decide that wanted to move and might not, and neighbours of those that moved, in the
        first round those that are awake; when they have come to rest all decide once more. Many want to leave
        one large community, or to enter it, and only one may: so those of a round decide slice by slice, by
        the state before the slice. Where all decide nearly none wants to move: they are one slice.
        """
        dev, n, number = self.dev, level.n, 0
        self.stage += 1
        while True:
            slices = 1 if awake is None else min(n, SLICES)
            order, begins = self._ordered(level, number, slices, awake)
            number += 1
            dev.copy(self.old_label, label, 4 * n)
            dev.clear(self.moved, 1, np.int32)
            dev.clear(self.awake, n, np.int32)
            for each in range(slices):
                begin, end = begins[CLASSES * each], begins[CLASSES * (each + 1)]
                if begin == end:
                    continue
                self._choose(level, label, order, begins[CLASSES * each :])
                # late rounds have few to decide, most of them alone in their slices: nobody else claims
                claim = None if end - begin == 1 else self.claim
                if claim is not None:
                    dev.fill(claim, np.int32(INT_MAX), n)
                    given = {"order": order, "label": label, "target": self.target, "claim": claim}
                    level.program.multilevel_claim(self._passes(end - begin), begin=begin, end=end, **given)
                self._go(level, label, begin, end, order, claim)
            if dev.download(self.moved, np.int32, 1)[0]:
                awake = self._wake(level, label)
            elif awake is None:
                return self._quality(level)
            else:
                awake = None

    def _choose(
        self, level: Level, label: Any, order: Any, begins: list[int], within: Any = None, stamp: int = 0
    ) -> None:
        """Find the community that each vertex of a slice wants."""
        config = self.config
        lanes = (*config.shared, config.local)
        for kernel, local, begin, end in zip(level.choosers, lanes, begins, begins[1:], strict=False):
            groups = -(-(end - begin) // config.rows)
            if config.local == 1:
                groups = min(groups, self.alone)
            if not groups:
                continue
            kernel.exact(
                groups * local,
                local=local,
                area=self.bottom.n + 1,
                begin=begin,
                end=end,
                whole=self.whole,
                resolution=self.resolution,
                order=order,
                row_ptr=level.row_ptr,
                col_idx=level.col_idx,
                weight=level.weight,
                label=label,
                within=within,
                busy=None if within is None else self.busy,
                stamp=stamp,
                strength=level.strength,
                total=self.total,
                keys=self.keys,
                sums=self.sums,
                target=self.target,
            )

    def _go(
        self, level: Level, label: Any, begin: int, end: int, order: Any, claim: Any, members: Any = None
    ) -> None:
        """Move the vertices of a slice; with claims only those that have theirs."""
        given = {
            "awake": self.awake,
            "members": members,
            "target": self.target,
            "strength": level.strength,
            "total": self.total,
            "moved": self.moved,
        }
        level.program.multilevel_move(
            self._passes(end - begin), begin=begin, end=end, order=order, claim=claim, label=label, **given
        )

    def _add_up(self, level: Level, label: Any) -> None:
        """Sum up the strength of each community."""
        self.dev.clear(self.total, level.n, np.uint64)
        level.program.multilevel_totals.launch(level, self._passes(level.n), label=label, total=self.total)

    def _weight_inside(self, level: Level, label: Any) -> int:
        """Return the weight inside communities."""
        dev = self.dev
        dev.clear(self.sum, 4, np.uint64)
        level.program.multilevel_inside.launch(level, self._over_arcs(level), label=label, sum=self.sum)
        return int(dev.download(self.sum, np.uint64, 1)[0])

    def _quality(self, level: Level) -> int:
        """Return the quality of communities with these strengths and this weight inside."""
        dev, run = self.dev, -(-level.n // self.config.spread)
        dev.clear(self.sum, 4, np.uint64)
        level.program.multilevel_squares(
            -(-level.n // run), n=level.n, run=run, total=self.total, sum=self.sum
        )
        _, upper, mixed, lower = dev.download(self.sum, np.uint64, 4).tolist()
        return self.whole * self.inside - self.resolution * ((upper << 40) + (mixed << 21) + lower)

    def roots(self, level: Level, label: Any) -> tuple[Any, Any]:
        """Return the first vertex of each one's community, and flags at those that are first."""
        dev, n, passes = self.dev, level.n, self._passes(level.n)
        root, flags = dev.empty(n, np.int32), dev.empty(n, np.uint8)
        dev.fill(self.claim, np.int32(INT_MAX), n)
        level.program.multilevel_least(passes, n=n, label=label, least=self.claim)
        level.program.multilevel_roots(passes, n=n, label=label, least=self.claim, root=root, flag=flags)
        return root, flags

    def _contracted(self, level: Level, number: Any, count: int) -> Level:
        """Return the graph of communities, numbered for each vertex."""
        dev = self.dev
        programs = programs_of(dev, "int", level.wide)
        make = self._joined if self.config.local == 1 else self._sorted
        arrays = make(level, programs[1], number, count)
        strength = dev.zeros(count, np.uint64)
        level.program.multilevel_totals.launch(level, self._passes(level.n), label=number, total=strength)
        return Level(count, arrays[0], 0, *arrays[1:], strength, level.wide, *programs)

    def _joined(self, level: Level, program: Any, number: Any, count: int) -> tuple[int, Any, Any, Any]:
        """Return number of arcs, rows, heads and weights: work-items alone add up a community's arcs."""
        dev, n = self.dev, level.n
        program.multilevel_word(
            self._passes(n), count=n, which=0, tail=number, head=number, place=None, word=self.key
        )
        key, order = sort_by_key(dev, self.key, n, max(count - 1, 1).bit_length())
        begins, degree = self._begins(level, key, count), dev.empty(n, np.int32)
        level.program.multilevel_degrees(
            self._passes(n), n=n, order=order, row_ptr=level.row_ptr, degree=degree
        )
        before = running_sums(dev, degree, n, into=np.int32)
        groups = min(-(-count // self.config.rows), self.alone)
        level.program.multilevel_join.exact(
            groups,
            local=1,
            count=count,
            loops=level.loops,
            area=self.bottom.n + 1,
            order=order,
            begins=begins,
            before=before,
            row_ptr=level.row_ptr,
            col_idx=level.col_idx,
            weight=level.weight,
            number=number,
            keys=self.keys,
            sums=self.sums,
            degree=degree,
            **self.lists,
        )
        row_ptr = running_sums(dev, degree, count, into=np.int32)
        left = int(dev.download(row_ptr, np.int32, 1, offset=count)[0])
        col_idx, weight = dev.empty(left, np.int32), dev.empty(left, np.int64)
        rows = {"row_ptr": row_ptr, "col_idx": col_idx, "weight": weight}
        program.multilevel_compact(
            self._passes(count), count=count, begins=begins, before=before, **self.lists, **rows
        )
        return left, row_ptr, col_idx, weight

    def _sorted(self, level: Level, program: Any, number: Any, count: int) -> tuple[int, Any, Any, Any]:
        """Return the same, by sorting all arcs."""
        dev, arcs, bits = self.dev, level.arcs, max(count - 1, 1).bit_length()
        tail, head = dev.empty(arcs, np.int32), dev.empty(arcs, np.int32)
        value, ordered = dev.empty(arcs, np.int64), dev.empty(arcs, np.int64)
        level.program.multilevel_ends.launch(
            level, self._over_arcs(level), number=number, tail=tail, head=head, value=value
        )
        ends = {"tail": tail, "head": head, "count": arcs}
        place = sort_by_words(dev, program.multilevel_word, arcs, ((0, bits), (1, bits)), ends)
        flags, passes = dev.empty(arcs, np.uint8), self._passes(arcs)
        sort = {**ends, "place": place, "flag": flags}
        program.multilevel_first(passes, **sort, value=value, sorted=ordered)
        where, left = flag_positions(dev, flags, arcs)
        row_ptr, col_idx = dev.empty(count + 1, np.int32), dev.empty(left, np.int32)
        begins = dev.empty(left + 1, np.int32)
        rows = {"row_ptr": row_ptr, "col_idx": col_idx, "begins": begins}
        program.multilevel_rows(self._passes(arcs + 1), n=count, **sort, where=where, **rows)
        before, weight = running_sums(dev, ordered, arcs, of=np.int64), dev.empty(left, np.int64)
        program.multilevel_weights(
            self._passes(left), count=left, begins=begins, before=before, weight=weight
        )
        return left, row_ptr, col_idx, weight
