"""Vertices numbered by ascending id on a device: host half of ``cl/files/number.cl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.parts import Chosen
from clgraph.device.shapes import Shapes
from clgraph.errors import CapacityError
from clgraph.files.parse import Columns, NotTaken
from clgraph.graph.building import check_count, exclusive_sums
from clgraph.graph.io.common import counted

if TYPE_CHECKING:
    from clgraph.device import Device

BITS_PER_ROW = 64  # a bitmap may have so many bits for each row ...
BITS_FLOOR = 1 << 20  # ... or this many, before ids are sorted instead


@dataclass(frozen=True)
class Shape:
    """Tunables of ``cl/files/number.cl`` and ``cl/files/number_sort.cl``.

    Attributes
    ----------
    span : int
        Words of the bitmap that one work-item takes.
    slices : int
        Most slices of a sort.
    least : int
        Entries that a slice has at least.
    """

    span: int
    slices: int
    least: int


SHAPES = Shapes(
    gpu=Shape(span=64, slices=1 << 14, least=256),
    cpu=Shape(span=1 << 12, slices=64, least=1 << 14),
    simulator=Shape(span=2, slices=3, least=8),
)


@dataclass(frozen=True)
class Numbered:
    """Rows by vertex number, on a device.

    Attributes
    ----------
    n : int
        Number of vertices.
    ids : Chosen, or int64 array on the host, or None
        None where they are 0 .. n - 1.
    tail, head : int32 device buffers
    """

    n: int
    ids: npt.NDArray[np.int64] | Chosen | None
    tail: Any
    head: Any


def number_vertices(device: Device, columns: Columns) -> Numbered:
    """Number the ids that occur, in ascending order; the columns are used up.

    Raises
    ------
    InputError
        If they are more than clgraph numbers.
    """
    few = max(BITS_PER_ROW * columns.count, BITS_FLOOR)
    if columns.id_type is np.int32 and columns.highest < few:
        return _by_bitmap(device, columns)
    return _by_sorting(device, columns)


def number_from_one(device: Device, columns: Columns, n: int) -> tuple[Numbered, int]:
    """Count ids that are the numbers 1 .. n from 0 on, in place.

    Returns
    -------
    numbered : Numbered
        Its `tail` and `head` are the columns.
    upper : int
        Rows whose source is below the target.

    Raises
    ------
    NotTaken
        If an id is not among 1 .. n.
    """
    items, count = device.tuning.items, columns.count
    told = device.zeros(2, np.uint32)
    device.program("files/number", ITEMS=items, SPAN=SHAPES.of(device).span).number_shift(
        -(-count // items), count=count, n=n, source=columns.source, target=columns.target, told=told
    )
    outside, upper = device.download(told, np.uint32, 2).tolist()
    if outside:
        raise NotTaken(f"{counted(outside, 'row')} with a number that is not among 1 .. {n}")
    return Numbered(n, from_one(device, n), columns.source, columns.target), upper


def from_one(device: Device, n: int) -> Chosen:
    """The ids 1 .. n."""
    items = device.tuning.items
    ids = device.output(n, np.int32)
    program = device.program("files/number", ITEMS=items, SPAN=SHAPES.of(device).span)
    program.number_listed(-(-n // items), n=n, ids=ids)
    return Chosen(None, ids, n)


def _by_bitmap(device: Device, columns: Columns) -> Numbered:
    shape, items, count = SHAPES.of(device), device.tuning.items, columns.count
    program = device.program("files/number", ITEMS=items, SPAN=shape.span)
    words = columns.highest // 32 + 1
    passes, runs = -(-count // items), -(-words // shape.span)
    ends = {"source": columns.source, "target": columns.target}
    bits = device.zeros(words, np.uint32)
    program.number_mark(passes, count=count, **ends, bits=bits)
    sums = device.empty(runs, np.uint32)
    program.number_sums(runs, words=words, bits=bits, sums=sums)
    before, n = exclusive_sums(device.download(sums, np.uint32, runs))
    check_count(n)
    if n == columns.highest + 1:
        return Numbered(n, None, columns.source, columns.target)
    device.write(sums, before.astype(np.uint32))
    ranks, ids = device.empty(words, np.uint32), device.output(n, np.int32)
    program.number_ids(runs, words=words, bits=bits, sums=sums, before=ranks, ids=ids)
    program.number_ends(passes, count=count, bits=bits, before=ranks, **ends)
    return Numbered(n, Chosen(None, ids, n), columns.source, columns.target)


def _by_sorting(device: Device, columns: Columns) -> Numbered:
    shape, rows = SHAPES.of(device), columns.count
    program = device.program(
        "files/number_sort", ITEMS=device.tuning.items, ID="int" if columns.id_type is np.int32 else "long"
    )
    count = 2 * rows
    if count >= 2**32:
        raise CapacityError(f"{device.hardware}: {rows} rows are too many to sort their ids")
    device.reserve({"ids": 16 * count, "places": 8 * count})
    slices = max(1, min(shape.slices, count // shape.least))
    sized = {"count": count, "slices": slices}
    key, place = device.empty(count, np.int64), device.empty(count, np.uint32)
    program.sort_begin(
        -(-rows // device.tuning.items),
        rows=rows,
        source=columns.source,
        target=columns.target,
        key=key,
        place=place,
    )
    other = device.empty(count, np.int64), device.empty(count, np.uint32)
    table = device.empty(256 * slices, np.uint32)
    for shift in range(0, columns.highest.bit_length(), 8):
        program.sort_count(slices, **sized, shift=shift, key=key, table=table)
        before, _ = exclusive_sums(device.download(table, np.uint32, 256 * slices))
        device.write(table, before.astype(np.uint32))
        program.sort_deal(
            slices,
            **sized,
            shift=shift,
            key=key,
            place=place,
            table=table,
            to_key=other[0],
            to_place=other[1],
        )
        (key, place), other = other, (key, place)
    del other
    fresh = device.empty(slices, np.uint32)
    program.sort_fresh(slices, **sized, key=key, fresh=fresh)
    before, n = exclusive_sums(device.download(fresh, np.uint32, slices))
    check_count(n)
    device.write(fresh, before.astype(np.uint32))
    ids = device.output(n, np.int64)
    tail, head = device.empty(rows, np.int32), device.empty(rows, np.int32)
    program.sort_number(slices, **sized, key=key, place=place, fresh=fresh, ids=ids, tail=tail, head=head)
    return Numbered(n, device.take(ids, np.int64, n), tail, head)
