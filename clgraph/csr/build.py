"""Compressed sparse rows made on a device from arcs that are already in its memory.

Two ways, the same bytes: `Scatter` for devices of many work-items (``cl/csr/build.cl``,
``cl/csr/build_sort.cl``) and `Buckets` for CPUs (``cl/csr/build_buckets.cl``). Sums of blocks are scanned on
the host by NumPy: they are few, and pyopencl's scan would need Mako as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyopencl as cl

from clgraph.csr.build_sort import sort_rows
from clgraph.csr.parts import DeviceCSR
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_local
from clgraph.errors import CapacityError
from clgraph.graph.building import INT32_MAX, exclusive_sums

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Duplicates


# --- What both ways of building rows share: scattering arcs at once, and bucket by bucket ---


def offset_type(arcs: int) -> type:
    """The type of offsets into `arcs` arcs: int32, or int64 from 2**31 arcs on."""
    return np.int32 if arcs <= INT32_MAX else np.int64


class Building:
    """What both ways of building share: the program, and room for the rows.

    Parameters
    ----------
    device : Device
    n : int
        Number of vertices.
    mirror : bool
        Whether each arc represents both directions.
    merge : bool
        Whether parallel arcs become one.
    loops : bool
        Whether loops are kept, one arc each.
    counts : bool
        Whether to count how many arcs each merged one stands for.
    heads : int, optional
        Heads are below it, where that is not `n`.

    Attributes
    ----------
    copies : int32 device buffer, shape (arcs,), or None
        These counts; None where each is 1.
    """

    copies: Any = None

    def __init__(
        self,
        device: Device,
        n: int,
        mirror: bool,
        merge: bool,
        loops: bool = False,
        counts: bool = False,
        heads: int | None = None,
    ) -> None:
        self.device, self.n = device, n
        self.heads = n if heads is None else heads
        self.mirror, self.merge = mirror, merge
        self.loops, self.counts = loops, counts and merge

    def program(self, name: str, offset: Any = np.int32, new_offset: Any = np.int32, **more: int) -> Program:
        """A program of ``cl/csr/``, for offsets of these types."""
        names = {np.int32: "int", np.int64: "long"}
        return self.device.program(
            name,
            MERGE=int(self.merge),
            LOOPS=self.loops or None,
            COUNTS=self.counts or None,
            OFFSET=names[offset],
            NEW_OFFSET=names[new_offset],
            **more,
        )

    def rows(self, arcs: int) -> DeviceCSR:
        """Buffers for the rows of so many arcs, not filled yet."""
        offset = offset_type(arcs)
        row_ptr = self.device.output(self.n + 1, offset)
        return DeviceCSR(self.n, arcs, row_ptr, self.device.output(arcs, np.int32), offset)

    def no_arcs(self) -> DeviceCSR:
        """Rows without arcs."""
        rows = self.rows(0)
        self.device.fill(rows.row_ptr, np.int32(0), self.n + 1)
        return rows


Way = Literal["scatter", "buckets"]


def build_rows(
    device: Device,
    n: int,
    tail: Any,
    head: Any,
    count: int,
    *,
    mirror: bool,
    duplicates: Duplicates = "merge",
    way: Way | None = None,
) -> DeviceCSR:
    """CSR of arcs that are on a device already; loops are dropped, rows ascend (see `build_counted`).

    The bytes depend on the set of arcs alone (with "keep": on the multiset), not on their order, the
    device or its timing.

    Parameters
    ----------
    device : Device
    n : int
        Vertices are 0 .. n - 1; nothing checks that the arcs keep to that.
    tail, head : int32 device buffers, shape (count,)
        They stay as they are.
    count : int
        Below 2**32, so that 32-bit counters hold a row.
    mirror : bool
        Whether each arc represents both directions (an undirected graph).
    duplicates : {"merge", "keep"}
        Whether parallel arcs become one.
    way : {"scatter", "buckets"}, optional
        None: buckets on devices that share the host's memory, scatter elsewhere.

    Returns
    -------
    DeviceCSR
        `offset` is int64 from 2**31 arcs on, else int32. The buffers come from `Device.output`, so that
        `Device.take` hands them over.

    Raises
    ------
    CapacityError
        If it does not fit the device.
    """
    return _building(device, n, count, mirror, duplicates == "merge", way).build(tail, head, count)


def build_counted(
    device: Device,
    n: int,
    tail: Any,
    head: Any,
    count: int,
    *,
    mirror: bool,
    duplicates: Duplicates = "merge",
    way: Way | None = None,
) -> tuple[DeviceCSR, Any]:
    """As `build_rows`, but a loop is kept as one arc, and merged arcs are counted.

    Returns
    -------
    rows : DeviceCSR
    multiplicity : int32 device buffer, shape (arcs,), or None
        How many arcs each one stands for; None where that is 1 everywhere.
    """
    building = _building(device, n, count, mirror, duplicates == "merge", way, loops=True, counts=True)
    return building.build(tail, head, count), building.copies


def build_some(device: Device, n: int, tail: Any, head: Any, count: int, *, heads: int) -> DeviceCSR:
    """As `build_rows`, of `n` rows of a larger graph: tails are from 0 to n - 1, heads below `heads`."""
    return _building(device, n, count, False, True, loops=True, heads=heads).build(tail, head, count)


def _building(
    device: Device,
    n: int,
    count: int,
    mirror: bool,
    merge: bool,
    way: Way | None = None,
    *,
    counts: bool = False,
    **more: Any,
) -> Scatter | Buckets:
    """What builds rows of `count` arcs in the way that suits the device, for which there is room."""
    way = way or _best_way(device)
    reserve_rows(device, n, count, mirror=mirror, way=way, counts=counts and merge)
    builder = Buckets if way == "buckets" else Scatter
    return builder(device, n, mirror, merge, counts=counts, **more)


def place_weights(
    device: Device, rows: DeviceCSR, tail: Any, head: Any, weight: Any, count: int, *, mirror: bool
) -> Any:
    """Weights of arcs by their places in the rows that were built of them, none of which are parallel.

    Parameters
    ----------
    device, rows, tail, head, count, mirror
        As `build_counted` took and gave them.
    weight : float64 device buffer, shape (count,)

    Returns
    -------
    float64 device buffer, shape (arcs,)
        From `Device.output`.
    """
    device.reserve({"weights": 8 * rows.arcs})
    placed, items = device.output(rows.arcs, np.float64), device.tuning.items
    device.program("csr/build_weights", ITEMS=items, **rows.defines).weights_place(
        -(-count // items),
        count=count,
        mirror=mirror,
        tail=tail,
        head=head,
        weight=weight,
        row_ptr=rows.row_ptr,
        col_idx=rows.col_idx,
        placed=placed,
    )
    return placed


def reserve_rows(
    device: Device, n: int, count: int, *, mirror: bool, way: Way | None = None, counts: bool = False
) -> None:
    """Raise the CapacityError that `build_rows` would raise, before the arcs are made."""
    if count >= 2**32:
        raise CapacityError(
            f"{count} arcs: a list of at most {2**32 - 1} can become rows on a device; take fewer edges"
        )
    arcs = count * (1 + mirror)
    if (way or _best_way(device)) == "buckets":
        scratch = {"dealt arcs": 8 * arcs, "unfinished rows": 4 * arcs}
    else:
        scratch = {"unsorted rows": 4 * arcs}
    if counts:
        scratch["multiplicities"] = 4 * arcs
    row_ptr = np.dtype(offset_type(arcs)).itemsize * (n + 1)
    device.reserve(
        {
            "tails": 4 * count,
            "heads": 4 * count,
            "row_ptr": row_ptr,
            "col_idx": 4 * arcs,
            "degrees": 4 * n,
            **scratch,
        }
    )


def _best_way(device: Device) -> Way:
    return "buckets" if device.shares_memory else "scatter"


@dataclass(frozen=True)
class LaunchConfig:
    """Tunables of ``cl/csr/build.cl``.

    Attributes
    ----------
    block : int
        Arcs that a work-group looks through for duplicates.
    span : int
        Rows whose degrees one work-item sums.
    """

    block: int
    span: int

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut to a device's limits: a block has four bytes of local memory to an arc."""
        return replace(self, block=fit_local(self.block, 6 * self.block, device))


_LARGE = LaunchConfig(block=2048, span=32)
LAUNCH = LaunchTable(gpu=_LARGE, cpu=_LARGE, simulator=LaunchConfig(block=16, span=4))


class Scatter(Building):
    """Count, scatter by atomic cursors, sort the rows, squeeze out duplicates."""

    def __init__(self, device: Device, n: int, mirror: bool, merge: bool, **more: Any) -> None:
        super().__init__(device, n, mirror, merge, **more)
        self._items, self._lanes = device.tuning.items, device.tuning.local_size
        self._shape = LAUNCH.of(device)

    def _build_program(self, offset: Any = np.int32, new_offset: Any = np.int32) -> Program:
        return self.program(
            "csr/build", offset, new_offset, ITEMS=self._items, BLOCK=self._shape.block, SPAN=self._shape.span
        )

    def _passes(self, count: int) -> int:
        return -(-count // self._items)

    def build(self, tail: Any, head: Any, count: int) -> DeviceCSR:
        """The rows."""
        device, n = self.device, self.n
        program = self._build_program()
        degree = device.zeros(n, np.uint32)
        arcs_of = {"count": count, "mirror": self.mirror, "tail": tail, "head": head, "degree": degree}
        program.rows_count(self._passes(count), **arcs_of)
        runs = -(-n // self._shape.span)
        sums, longest = device.empty(runs, np.int64), device.zeros(1, np.uint32)
        program.rows_sums(runs, n=n, degree=degree, sums=sums, longest=longest)
        before, arcs = exclusive_sums(device.download(sums, np.int64, runs))
        if not arcs:
            return self.no_arcs()
        rows = self.rows(arcs)
        program = self._build_program(rows.offset)
        device.write(sums, before)
        program.rows_offsets(runs, n=n, arcs=arcs, degree=degree, before=sums, row_ptr=rows.row_ptr)
        program.rows_scatter(self._passes(count), **arcs_of, row_ptr=rows.row_ptr, col=rows.col_idx)
        del degree, sums, arcs_of
        longest_row = int(device.download(longest, np.uint32, 1)[0])
        sort_rows(device, rows, longest_row, merge=self.merge)
        return self._squeeze(rows) if self.merge else rows

    def _squeeze(self, rows: DeviceCSR) -> DeviceCSR:
        """The rows without what is marked (themselves if nothing is)."""
        device, lanes = self.device, self._lanes
        blocks = -(-rows.arcs // self._shape.block)
        stay = device.empty(blocks, np.int32)
        self._build_program(rows.offset).rows_stay.exact(
            blocks * lanes, arcs=rows.arcs, col=rows.col_idx, stay=stay, local=lanes
        )
        before, arcs = exclusive_sums(device.download(stay, np.int32, blocks))
        if arcs == rows.arcs:
            return rows
        made = self.rows(arcs)
        self.copies = device.output(arcs, np.int32) if self.counts else None
        self._build_program(rows.offset, made.offset).rows_squeeze.exact(
            blocks * lanes,
            n=self.n,
            arcs=rows.arcs,
            row_ptr=rows.row_ptr,
            col=rows.col_idx,
            before=device.upload(before),
            new_row_ptr=made.row_ptr,
            new_col=made.col_idx,
            copies=self.copies,
            sums=cl.LocalMemory(4 * lanes),
            local=lanes,
        )
        return made


# --- Rows built by buckets: host half of ``cl/csr/build_buckets.cl`` ---


BUCKET_ARCS = 1 << 15  # so that a bucket's rows fit in a core's own cache
MOST_BUCKETS = 1 << 12  # each is a stream of writes, with a cache line and a TLB entry
SLICE_ARCS = 1 << 14  # fewer arcs are not worth a slice, which has a counter for each bucket


class Buckets(Building):
    """Deal the arcs out to buckets of rows, and finish each bucket separately."""

    def build(self, tail: Any, head: Any, count: int) -> DeviceCSR:
        """The rows."""
        device, n = self.device, self.n
        both = 1 + int(self.mirror)
        wanted = min(max(count * both // BUCKET_ARCS, 4 * device.compute_units), MOST_BUCKETS, n)
        shift = (-(-n // wanted) - 1).bit_length()
        buckets = -(-n // (1 << shift))
        slices = max(1, min(8 * device.compute_units, count // SLICE_ARCS))
        program = self.program("csr/build_buckets")
        table = device.empty(slices * buckets, np.int64)
        dealing = {
            "count": count,
            "mirror": self.mirror,
            "slices": slices,
            "shift": shift,
            "buckets": buckets,
            "tail": tail,
            "head": head,
            "table": table,
        }
        program.buckets_count.exact(slices, local=1, **dealing)
        counts = device.download(table, np.int64, slices * buckets).reshape(slices, buckets)
        before, arcs = exclusive_sums(counts.T)
        if not arcs:
            return self.no_arcs()
        most = int(counts.sum(axis=0).max())
        if most > INT32_MAX:
            raise CapacityError(
                f"{device.spec} ({device.name}): {most} arcs leave {1 << shift} neighbouring vertices, at "
                f"most {INT32_MAX} can be sorted together; a GPU takes them (way='scatter')"
            )
        begin = before.reshape(buckets, slices)
        device.write(table, np.ascontiguousarray(begin.T))
        bucket_ptr = device.upload(np.append(begin[:, 0], arcs))
        dealt = device.output(2 * arcs, np.int32)
        program.buckets_deal.exact(slices, local=1, **dealing, dealt=dealt)

        common = {"n": n, "shift": shift, "buckets": buckets, "bucket_ptr": bucket_ptr, "dealt": dealt}
        heads, degree = device.output(arcs, np.int32), device.empty(n, np.int32)
        stay = device.empty(buckets, np.int64)
        common |= {"heads": heads, "degree": degree}
        bits = max(self.heads - 1, 1).bit_length()
        program.buckets_sort.exact(buckets, local=1, **common, bits=bits, stay=stay)
        before, kept = exclusive_sums(device.download(stay, np.int64, buckets))
        offset = offset_type(kept)
        row_ptr = device.output(n + 1, offset)
        col = heads if kept == arcs else device.output(kept, np.int32)
        if not (self.counts and kept < arcs):
            common["dealt"] = dealt = None
        counted = device.output(kept, np.int32) if self.counts and kept < arcs else None
        self.program("csr/build_buckets", offset).buckets_rows.exact(
            buckets,
            local=1,
            **common,
            before=device.upload(before),
            row_ptr=row_ptr,
            col=None if col is heads else col,
            counts=counted,
        )
        self.copies = counted
        return DeviceCSR(n, kept, row_ptr, col, offset)
