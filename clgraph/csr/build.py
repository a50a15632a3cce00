"""Compressed sparse rows made on a device from arcs that are there already.

Two ways, the same bytes: `Scatter` for devices of many work-items (``cl/csr/build.cl``, ``cl/csr/build_sort.cl``)
and `Buckets` for CPUs (``cl/csr/build_buckets.cl``). Sums of blocks are scanned on the host by NumPy: they are few,
and the scan of pyopencl needs Mako besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from clgraph.csr.upload import INT32_MAX, DeviceCSR
from clgraph.errors import CapacityError

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Duplicates

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
    """CSR of arcs that stand on a device; loops are dropped, rows ascend.

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
        Whether each arc stands for both directions (an undirected graph).
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
    way = way or _best_way(device)
    reserve_rows(device, n, count, mirror=mirror, way=way)
    maker = Buckets if way == "buckets" else Scatter
    return maker(device, n, mirror, duplicates == "merge").build(tail, head, count)


def reserve_rows(device: Device, n: int, count: int, *, mirror: bool, way: Way | None = None) -> None:
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
    row_ptr = np.dtype(_offset(arcs)).itemsize * (n + 1)
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


def _offset(arcs: int) -> type:
    return np.int32 if arcs <= INT32_MAX else np.int64


def _before(sums: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], int]:
    """Exclusive prefix sums, and the total."""
    up_to = np.zeros(sums.size + 1, np.int64)
    np.cumsum(sums, out=up_to[1:])
    return up_to[:-1], int(up_to[-1])


class _Build:
    """What both ways need."""

    def __init__(self, device: Device, n: int, mirror: bool, merge: bool) -> None:
        self.device, self.n = device, n
        self._mirror, self._merge = np.int32(mirror), merge

    def _program(self, name: str, offset: Any = np.int32, new_offset: Any = np.int32, **more: int) -> Program:
        names = {np.int32: "int", np.int64: "long"}
        return self.device.program(
            name, MERGE=int(self._merge), OFFSET=names[offset], NEW_OFFSET=names[new_offset], **more
        )

    def _rows(self, arcs: int) -> DeviceCSR:
        """Rows for so many arcs, to be filled."""
        offset = _offset(arcs)
        row_ptr = self.device.output(self.n + 1, offset)
        return DeviceCSR(self.n, arcs, row_ptr, self.device.output(arcs, np.int32), offset)

    def _no_arcs(self) -> DeviceCSR:
        rows = self._rows(0)
        self.device.fill(rows.row_ptr, np.int32(0), self.n + 1)
        return rows


# the tunables of cl/csr/build.cl and cl/csr/build_sort.cl; on the simulator 50 vertices go through every kernel
SHORT, CHUNK, BLOCK, SPAN = 32, 1024, 2048, 32
_TINY = 2, 4, 16, 4


class Scatter(_Build):
    """Count, scatter by atomic cursors, sort the rows, squeeze the duplicates out."""

    def __init__(self, device: Device, n: int, mirror: bool, merge: bool) -> None:
        super().__init__(device, n, mirror, merge)
        self._items, self._lanes = device.tuning.items, device.tuning.local_size
        shape = _TINY if device.kind == "simulator" else (SHORT, CHUNK, BLOCK, SPAN)
        self._short, self._chunk, self._block, self._span = shape

    def _building(self, offset: Any = np.int32, new_offset: Any = np.int32) -> Program:
        return self._program(
            "csr/build", offset, new_offset, ITEMS=self._items, BLOCK=self._block, SPAN=self._span
        )

    def _passes(self, count: int) -> int:
        return -(-count // self._items)

    def build(self, tail: Any, head: Any, count: int) -> DeviceCSR:
        """The rows."""
        device, n = self.device, self.n
        program = self._building()
        degree = device.zeros(n, np.uint32)
        arcs_of = np.int64(count), self._mirror, tail, head
        program.rows_count(self._passes(count), *arcs_of, degree)
        runs = -(-n // self._span)
        sums, longest = device.empty(runs, np.int64), device.zeros(1, np.uint32)
        program.rows_sums(runs, np.int32(n), degree, sums, longest)
        before, arcs = _before(device.download(sums, np.int64, runs))
        if not arcs:
            return self._no_arcs()
        rows = self._rows(arcs)
        program = self._building(rows.offset)
        device.write(sums, before)
        program.rows_offsets(runs, np.int32(n), np.int64(arcs), degree, sums, rows.row_ptr)
        program.rows_scatter(self._passes(count), *arcs_of, rows.row_ptr, degree, rows.col_idx)
        del degree, sums
        self._sort(rows, int(device.download(longest, np.uint32, 1)[0]))
        return self._squeeze(rows) if self._merge else rows

    def _sort(self, rows: DeviceCSR, longest: int) -> None:
        """Sort every row and mark its duplicates."""
        device, row_ptr, col, lanes = self.device, rows.row_ptr, rows.col_idx, self._lanes
        program = self._program(
            "csr/build_sort", rows.offset, ITEMS=self._items, SHORT=self._short, CHUNK=self._chunk
        )
        room = rows.arcs // self._short + 1  # a listed row has more than SHORT arcs a chunk
        listed = device.zeros(1, np.int32)
        chunks = device.empty(room, np.int32), device.empty(room, np.int32)
        program.rows_sort_short(self._passes(self.n), np.int32(self.n), row_ptr, col, listed, *chunks)
        if longest <= self._short:
            return
        size = int(device.download(listed, np.int32, 1)[0]) * lanes
        program.rows_sort_chunks.exact(size, row_ptr, col, *chunks, local=lanes)
        if longest <= self._chunk:
            return
        other = device.empty(rows.arcs, np.int32)
        source, target, width = col, other, self._chunk
        # an odd number of passes, so that the rows end in `other` and rows_mark brings them back; a pass
        # over rows that are one run already copies them
        while width < longest or target is not col:
            program.rows_merge.exact(size, np.int64(width), row_ptr, source, target, *chunks, local=lanes)
            source, target, width = target, source, 2 * width
        program.rows_mark.exact(size, row_ptr, other, col, *chunks, local=lanes)

    def _squeeze(self, rows: DeviceCSR) -> DeviceCSR:
        """The rows without what is marked (themselves if nothing is)."""
        device, lanes = self.device, self._lanes
        blocks = -(-rows.arcs // self._block)
        stay = device.empty(blocks, np.int32)
        self._building(rows.offset).rows_stay.exact(
            blocks * lanes, np.int64(rows.arcs), rows.col_idx, stay, local=lanes
        )
        before, arcs = _before(device.download(stay, np.int32, blocks))
        if arcs == rows.arcs:
            return rows
        made = self._rows(arcs)
        self._building(rows.offset, made.offset).rows_squeeze.exact(
            blocks * lanes,
            np.int32(self.n),
            np.int64(rows.arcs),
            rows.row_ptr,
            rows.col_idx,
            device.upload(before),
            made.row_ptr,
            made.col_idx,
            cl.LocalMemory(4 * lanes),
            local=lanes,
        )
        return made


BUCKET_ARCS = 1 << 15  # what a bucket's rows need at once shall fit a core's own cache
MOST_BUCKETS = 1 << 12  # each is a stream of writes, with a cache line and a TLB entry
SLICE_ARCS = 1 << 14  # fewer are not worth a slice of their own


class Buckets(_Build):
    """Deal the arcs out to buckets of rows, and finish each bucket by itself."""

    def build(self, tail: Any, head: Any, count: int) -> DeviceCSR:
        """The rows."""
        device, n = self.device, self.n
        both = 1 + int(self._mirror)
        wanted = min(max(count * both // BUCKET_ARCS, 4 * device.compute_units), MOST_BUCKETS, n)
        shift = (-(-n // wanted) - 1).bit_length()
        buckets = -(-n // (1 << shift))
        slices = max(1, min(8 * device.compute_units, count // SLICE_ARCS))
        program = self._program("csr/build_buckets")
        dealing = (
            np.int64(count),
            self._mirror,
            np.int32(slices),
            np.int32(shift),
            np.int32(buckets),
            tail,
            head,
        )
        table = device.empty(slices * buckets, np.int64)
        program.buckets_count.exact(slices, *dealing, table, local=1)
        counts = device.download(table, np.int64, slices * buckets).reshape(slices, buckets)
        before, arcs = _before(counts.T)
        if not arcs:
            return self._no_arcs()
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
        program.buckets_deal.exact(slices, *dealing, table, dealt, local=1)

        shape = np.int32(n), np.int32(shift), np.int32(buckets)
        heads, degree = device.output(arcs, np.int32), device.empty(n, np.int32)
        stay = device.empty(buckets, np.int64)
        bits = np.int32(max(n - 1, 1).bit_length())
        program.buckets_sort.exact(buckets, *shape, bits, bucket_ptr, dealt, heads, degree, stay, local=1)
        before, kept = _before(device.download(stay, np.int64, buckets))
        del dealt
        offset = _offset(kept)
        row_ptr = device.output(n + 1, offset)
        col = heads if kept == arcs else device.output(kept, np.int32)
        self._program("csr/build_buckets", offset).buckets_rows.exact(
            buckets,
            *shape,
            bucket_ptr,
            device.upload(before),
            heads,
            degree,
            row_ptr,
            None if col is heads else col,
            local=1,
        )
        return DeviceCSR(n, kept, row_ptr, col, offset)
