"""Compressed sparse rows made on a device from arcs that are already in its memory.

Two algorithms give the same bytes: one scatters all arcs at once, for devices of many work-items
(``cl/csr/build.cl``, ``cl/csr/build_sort.cl``), the other deals them out to buckets, for CPUs
(``cl/csr/build_buckets.cl``). Sums of blocks are scanned on the host by NumPy: they are few, and pyopencl's
scan would need Mako as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
import pyopencl as cl

from clgraph.csr.device_csr import DeviceCSR, given
from clgraph.csr.scan import running_sums
from clgraph.device.launch_config import DeviceLimits, LaunchTable, fit_local
from clgraph.errors import CapacityError
from clgraph.graph.building import INT32_MAX, exclusive_sums

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Duplicates


Algorithm = Literal["scatter", "buckets"]


def offset_type(arcs: int) -> type:
    """Return the type of offsets into `arcs` arcs: int32, or int64 from 2**31 arcs on."""
    return np.int32 if arcs <= INT32_MAX else np.int64


def build_rows(
    device: Device,
    n: int,
    tail: Any,
    head: Any,
    count: int,
    *,
    mirror: bool,
    duplicates: Duplicates = "merge",
    loops: bool = False,
    counts: bool = False,
    heads: int | None = None,
    algorithm: Algorithm | None = None,
) -> DeviceCSR:
    """Build ascending rows of arcs that are on a device already.

    The bytes depend on the set of arcs alone (with "keep": on the multiset), not on their order, the
    device or its timing.

    Parameters
    ----------
    device : Device
    n : int
        Tails are 0 .. n - 1; nothing checks that the arcs keep to that.
    tail, head : int32 device buffers, shape (count,)
        They stay as they are.
    count : int
        Below 2**32, so that 32-bit counters hold a row.
    mirror : bool
        Whether each arc represents both directions (an undirected graph).
    duplicates : {"merge", "keep"}
        Whether parallel arcs become one.
    loops : bool
        Whether an arc from a vertex to itself stays, as one arc.
    counts : bool
        Whether merged arcs are counted.
    heads : int, optional
        Heads are below it, where that is not `n`: some rows of a larger graph.
    algorithm : {"scatter", "buckets"}, optional
        None: buckets on devices that share the host's memory, scatter elsewhere.

    Returns
    -------
    DeviceCSR
        `offset` is int64 from 2**31 arcs on, else int32. The value `multiplicity` is how many arcs each one
        stands for, unless that is 1 everywhere. The buffers come from `Device.output`, so that `Device.take`
        hands them over.

    Raises
    ------
    CapacityError
        If it does not fit the device.
    """
    merge = duplicates == "merge"
    counts = counts and merge
    algorithm = algorithm or _best_algorithm(device)
    reserve_rows(device, n, count, mirror=mirror, algorithm=algorithm, counts=counts)
    making = _Rows(device, n, n if heads is None else heads, mirror, merge, loops, counts)
    return (making.buckets if algorithm == "buckets" else making.scatter)(tail, head, count)


def place_weights(
    device: Device, rows: DeviceCSR, tail: Any, head: Any, weight: Any, count: int, *, mirror: bool
) -> Any:
    """Weights of arcs by their places in the rows that were built of them, none of which are parallel.

    Parameters
    ----------
    device, rows, tail, head, count, mirror
        As `build_rows` took and gave them.
    weight : float64 device buffer, shape (count,)

    Returns
    -------
    float64 device buffer, shape (arcs,)
        From `Device.output`.
    """
    device.reserve({"weights": 8 * rows.arcs})
    placed, items = device.output(rows.arcs, np.float64), device.tuning.items
    arcs = {"count": count, "mirror": mirror, "tail": tail, "head": head, "weight": weight}
    kernel = device.program("csr/build_weights", ITEMS=items, **rows.defines).weights_place
    kernel.launch(rows, -(-count // items), **arcs, placed=placed)
    return placed


def place_lightest(
    device: Device, rows: DeviceCSR, tail: Any, head: Any, weight: Any, count: int, *, mirror: bool
) -> Any:
    """Weights of arcs by their places in rows without loops, of parallel arcs the least.

    Parameters
    ----------
    device, rows, tail, head, count, mirror
        As `build_rows` took and gave them, with ``duplicates="merge"``.
    weight : float32 device buffer, shape (count,)
        Each 0 or from 1e-37 on, finite.

    Returns
    -------
    float64 device buffer, shape (arcs,)
        From `Device.output`.
    """
    device.reserve({"least weights": 4 * rows.arcs, "weights": 8 * rows.arcs})
    items = device.tuning.items
    program = device.program("csr/build_weights", ITEMS=items, **rows.defines)
    least, placed = device.empty(rows.arcs, np.uint32), device.output(rows.arcs, np.float64)
    device.fill(least, np.uint32(0xFFFFFFFF), rows.arcs)
    arcs = {"count": count, "mirror": mirror, "tail": tail, "head": head, "weight": weight}
    program.weights_lightest.launch(rows, -(-count // items), **arcs, least=least)
    program.weights_widen(-(-rows.arcs // items), arcs=rows.arcs, least=least, placed=placed)
    return placed


def reserve_rows(
    device: Device,
    n: int,
    count: int,
    *,
    mirror: bool,
    algorithm: Algorithm | None = None,
    counts: bool = False,
) -> None:
    """Raise the CapacityError that `build_rows` would raise, before the arcs are made."""
    if count >= 2**32:
        raise CapacityError(
            f"{count} arcs: a list of at most {2**32 - 1} can become rows on a device; take fewer edges"
        )
    arcs = count * (1 + mirror)
    if (algorithm or _best_algorithm(device)) == "buckets":
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


def _best_algorithm(device: Device) -> Algorithm:
    return "buckets" if device.shares_memory else "scatter"


@dataclass(frozen=True)
class LaunchConfig:
    """Tunables of ``cl/csr/build.cl`` and ``cl/csr/build_sort.cl``.

    Attributes
    ----------
    block : int
        Arcs that a work-group looks through for duplicates.
    span : int
        Rows whose degrees one work-item sums.
    short : int
        Arcs of a row that one work-item sorts, at most.
    chunk : int
        Arcs that a work-group sorts in local memory.
    """

    block: int
    span: int
    short: int
    chunk: int
    POWERS: ClassVar[tuple[str, ...]] = ("chunk",)

    def within(self, device: DeviceLimits) -> LaunchConfig:
        """Cut it to a device's limits: heads of a block have four bytes of local memory, of a chunk eight."""
        block = fit_local(self.block, 6 * self.block, device)
        return replace(self, block=block, chunk=fit_local(self.chunk, 8 * self.chunk, device))


# a short row fits in one work-item's private array, a chunk in the local memory of a group
_LARGE = LaunchConfig(block=2048, span=32, short=32, chunk=1024)
LAUNCH = LaunchTable(gpu=_LARGE, cpu=_LARGE, simulator=LaunchConfig(block=16, span=4, short=2, chunk=4))


def sort_rows(device: Device, rows: DeviceCSR, longest: int, *, merge: bool, head: Any = np.int32) -> None:
    """Sort every row in place.

    Parameters
    ----------
    device : Device
    rows : DeviceCSR
        Its `col_idx` holds heads of type `head`, not negative.
    longest : int
        Arcs of the longest row, or more.
    merge : bool
        Mark parallel arcs (``MARKED`` of ``cl/csr/build.h``); for heads of 32 bits.
    head : {np.int32, np.int64}
    """
    shape, items, lanes = LAUNCH.of(device), device.tuning.items, device.tuning.local_size
    col, head_name = rows.col_idx, "int" if head is np.int32 else "long"
    options = {"MERGE": int(merge), "HEAD": head_name, "SHORT": shape.short, "CHUNK": shape.chunk}
    program = device.program("csr/build_sort", **rows.defines, ITEMS=items, **options)
    room = rows.arcs // shape.short + 1  # a listed row has more than SHORT arcs per chunk
    listed = device.zeros(2, np.int32)
    chunks = {"list_row": device.empty(room, np.int32), "list_chunk": device.empty(room, np.int32)}
    long_room = 2 * (rows.arcs // shape.chunk) + 1  # and one of several chunks more than CHUNK / 2
    long_chunks = {name: device.empty(long_room, np.int32) for name in ("long_row", "long_chunk")}
    passes = -(-rows.n // items)
    program.rows_sort_short.launch(rows, passes, col=col, listed=listed, **chunks, **long_chunks)
    if longest <= shape.short:
        return
    count, long_count = device.download(listed, np.int32, 2).tolist()
    program.rows_sort_chunks.launch(rows, count * lanes, local=lanes, col=col, **chunks)
    if longest <= shape.chunk:
        return
    size = long_count * lanes
    other = device.empty(rows.arcs, head)
    source, target, width = col, other, shape.chunk
    # an odd number of passes, so that the rows end in `other` and rows_mark brings them back; a pass
    # over rows that are one run already copies them
    while width < longest or target is not col:
        ends = {"from_col": source, "to_col": target}
        program.rows_merge.launch(rows, size, local=lanes, width=width, **ends, **long_chunks)
        source, target, width = target, source, 2 * width
    program.rows_mark.launch(rows, size, local=lanes, merged=other, col=col, **long_chunks)


BUCKET_ARCS = 1 << 15  # so that a bucket's rows fit in a core's own cache
MOST_BUCKETS = 1 << 12  # each is a stream of writes, with a cache line and a TLB entry
SLICE_ARCS = 1 << 14  # fewer arcs are not worth a slice, which has a counter for each bucket


@dataclass(frozen=True)
class _Rows:
    """Rows to build: see `build_rows`."""

    device: Device
    n: int
    heads: int
    mirror: bool
    merge: bool
    loops: bool
    counts: bool

    def _program(self, name: str, offset: Any = np.int32, new_offset: Any = np.int32) -> Program:
        """Return a program of ``cl/csr/``, for offsets of these types."""
        names, shape = {np.int32: "int", np.int64: "long"}, LAUNCH.of(self.device)
        sizes = {"ITEMS": self.device.tuning.items, "BLOCK": shape.block, "SPAN": shape.span}
        return self.device.program(
            name,
            MERGE=int(self.merge),
            LOOPS=self.loops or None,
            COUNTS=self.counts or None,
            OFFSET=names[offset],
            NEW_OFFSET=names[new_offset],
            **(sizes if name == "csr/build" else {}),
        )

    def _rows(self, arcs: int) -> DeviceCSR:
        """Return buffers for the rows of so many arcs, not filled yet."""
        offset = offset_type(arcs)
        row_ptr = self.device.output(self.n + 1, offset)
        return DeviceCSR(self.n, arcs, row_ptr, self.device.output(arcs, np.int32), offset)

    def _no_arcs(self) -> DeviceCSR:
        """Return rows without arcs."""
        rows = self._rows(0)
        self.device.fill(rows.row_ptr, np.int32(0), self.n + 1)
        return rows

    def scatter(self, tail: Any, head: Any, count: int) -> DeviceCSR:
        """Count, scatter by atomic cursors, sort the rows, squeeze out duplicates."""
        device, n, span = self.device, self.n, LAUNCH.of(self.device).span
        passes = -(-count // device.tuning.items)
        program = self._program("csr/build")
        degree = device.zeros(n, np.uint32)
        arcs_of = {"count": count, "mirror": self.mirror, "tail": tail, "head": head, "degree": degree}
        program.rows_count(passes, **arcs_of)
        runs = -(-n // span)
        sums, longest = device.empty(runs, np.int64), device.zeros(1, np.uint32)
        program.rows_sums(runs, n=n, degree=degree, sums=sums, longest=longest)
        before = running_sums(device, sums, runs, of=np.int64)
        arcs = int(device.download(before, np.int64, 1, offset=runs)[0])
        if not arcs:
            return self._no_arcs()
        rows = self._rows(arcs)
        program = self._program("csr/build", rows.offset)
        program.rows_offsets(runs, n=n, arcs=arcs, degree=degree, before=before, row_ptr=rows.row_ptr)
        program.rows_scatter(passes, **arcs_of, row_ptr=rows.row_ptr, col=rows.col_idx)
        del degree, sums, before, arcs_of
        longest_row = int(device.download(longest, np.uint32, 1)[0])
        sort_rows(device, rows, longest_row, merge=self.merge)
        return self._squeeze(rows) if self.merge else rows

    def _squeeze(self, rows: DeviceCSR) -> DeviceCSR:
        """The rows without what is marked (themselves if nothing is)."""
        device, lanes = self.device, self.device.tuning.local_size
        blocks = -(-rows.arcs // LAUNCH.of(device).block)
        stay = device.empty(blocks, np.int32)
        kernel = self._program("csr/build", rows.offset).rows_stay
        kernel.exact(blocks * lanes, arcs=rows.arcs, col=rows.col_idx, stay=stay, local=lanes)
        before, arcs = exclusive_sums(device.download(stay, np.int32, blocks))
        if arcs == rows.arcs:
            return rows
        made = self._rows(arcs)
        copies = device.output(arcs, np.int32) if self.counts else None
        made.values.update(given(multiplicity=copies))
        new = {"new_row_ptr": made.row_ptr, "new_col": made.col_idx, "copies": copies}
        new |= {"before": device.upload(before), "sums": cl.LocalMemory(4 * lanes)}
        kernel = self._program("csr/build", rows.offset, made.offset).rows_squeeze
        kernel.launch(rows, blocks * lanes, col=rows.col_idx, **new, local=lanes)
        return made

    def buckets(self, tail: Any, head: Any, count: int) -> DeviceCSR:
        """Deal the arcs out to buckets of rows, and finish each bucket separately."""
        device, n = self.device, self.n
        both = 1 + int(self.mirror)
        # several buckets to a core, as they differ in length
        wanted = min(max(count * both // BUCKET_ARCS, 4 * device.compute_units), MOST_BUCKETS, n)
        shift = (-(-n // wanted) - 1).bit_length()
        buckets = -(-n // (1 << shift))
        # several slices to a core, as cores may be taken by others meanwhile
        slices = max(1, min(8 * device.compute_units, count // SLICE_ARCS))
        program = self._program("csr/build_buckets")
        table = device.empty(slices * buckets, np.int64)
        # what the kernels share, by their names
        own = SimpleNamespace(
            n=n, mirror=self.mirror, shift=shift, buckets=buckets, slices=slices, table=table
        )
        dealing = {"count": count, "tail": tail, "head": head}
        program.buckets_count.launch(own, slices, local=1, **dealing)
        counts = device.download(table, np.int64, slices * buckets).reshape(slices, buckets)
        before, arcs = exclusive_sums(counts.T)
        if not arcs:
            return self._no_arcs()
        most = int(counts.sum(axis=0).max())
        if most > INT32_MAX:
            raise CapacityError(
                f"{device.spec} ({device.name}): {most} arcs leave {1 << shift} neighbouring vertices, at "
                f"most {INT32_MAX} can be sorted together; a GPU takes them (algorithm='scatter')"
            )
        begin = before.reshape(buckets, slices)
        device.write(table, np.ascontiguousarray(begin.T))
        own.bucket_ptr = device.upload(np.append(begin[:, 0], arcs))
        own.dealt = device.output(2 * arcs, np.int32)
        program.buckets_deal.launch(own, slices, local=1, **dealing)

        own.heads, own.degree = device.output(arcs, np.int32), device.empty(n, np.int32)
        stay = device.empty(buckets, np.int64)
        bits = max(self.heads - 1, 1).bit_length()
        program.buckets_sort.launch(own, buckets, local=1, bits=bits, stay=stay)
        before, left = exclusive_sums(device.download(stay, np.int64, buckets))
        offset = offset_type(left)
        row_ptr = device.output(n + 1, offset)
        col = own.heads if left == arcs else device.output(left, np.int32)
        copies = device.output(left, np.int32) if self.counts and left < arcs else None
        if copies is None:
            own.dealt = None  # its memory is free for what comes
        squeezed = {"col": None if left == arcs else col, "counts": copies, "row_ptr": row_ptr}
        kernel = self._program("csr/build_buckets", offset).buckets_rows
        kernel.launch(own, buckets, local=1, before=device.upload(before), **squeezed)
        return DeviceCSR(n, left, row_ptr, col, offset, values=given(multiplicity=copies))
