"""A graph's rows by new numbers, made on a device: host half of ``cl/ranking/renumber.cl``.

The same as `clgraph.ranking.layout.make_slices` makes on the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clgraph.csr.build_sort import sort_rows
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.ranking.layout import class_bounds
from clgraph.ranking.slices import SHAPES

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.device.program import Program
    from clgraph.graph import Graph


@dataclass(frozen=True)
class Renumbered:
    """Rows on a device.

    Attributes
    ----------
    csr : DeviceCSR
        Row v's sources, ascending, each its number + 1.
    share : buffer or None
        Beside the sources.
    order, number : int32 buffers, shape (n,)
        The vertex of each number, and the number of each vertex.
    sources : int
        Vertices that have out-arcs.
    hot : int
        How many of them are hot.
    hot_length, cold_length : int32 buffers, shape (n,)
        Arcs of each row from hot sources, and from others.
    is_long : int32 buffer, shape (n,)
        1 for rows that are cut into pieces.
    """

    csr: DeviceCSR
    share: Any
    order: Any
    number: Any
    sources: int
    hot: int
    hot_length: Any
    cold_length: Any
    is_long: Any


def renumber(
    device: Device,
    graph: Graph,
    share: Any,
    real: type[np.floating[Any]],
    *,
    hot: int,
    long_row: int,
    classes: tuple[int, ...],
) -> Renumbered:
    """Number the vertices, and put the rows of the reversed graph into that order.

    Parameters
    ----------
    device : Device
    graph : Graph
    share : buffer of `real`, or None
        Beside the arcs of ``graph.reverse``.
    hot, long_row, classes
        As for `clgraph.ranking.layout.make_slices`.
    """
    rows = upload_csr(device, graph.reverse)
    n, arcs = rows.n, rows.arcs
    items, run = device.tuning.items, SHAPES.of(device)
    weighted, head = share is not None, np.int32 if share is None else np.int64
    program = device.program(
        "ranking/renumber",
        **rows.defines,
        HEAD="long" if weighted else "int",
        REAL="double" if weighted and real is np.float64 else "float",
        WEIGHTED=weighted,
        ITEMS=items,
        RUN=run,
    )
    by_item, by_run, count = -(-n // items), -(-arcs // run), n
    device.reserve({"rows": 40 * n, "sources": 4 * arcs, "unsorted sources": 4 * arcs})

    own = upload_csr(device, graph)
    most, sources = _survey(device, program, own, by_item)
    longest = most if own is rows else _survey(device, program, rows, by_item)[0]
    hot = max(1, min(hot, sources))
    bounds = class_bounds(classes, hot, sources)
    key = device.empty(n, np.uint32)
    program.renumber_degree_keys(by_item, n=count, most=most, row_ptr=own.row_ptr, key=key)
    _, by_degree = sort_by_key(device, key, n, most.bit_length())
    degree_class = device.empty(n, np.uint8)
    limits = device.upload(np.array(bounds, np.int32))
    program.renumber_classes(
        by_item, n=count, bounds=len(bounds), bound=limits, by_degree=by_degree, degree_class=degree_class
    )
    del by_degree

    hot_by_index = device.zeros(n, np.int32)
    hot_classes = bounds.index(hot) + 1 if sources else 0
    program.renumber_hot(
        by_run,
        n=count,
        arcs=arcs,
        hot_classes=hot_classes,
        row_ptr=rows.row_ptr,
        col=rows.col_idx,
        degree_class=degree_class,
        hot_length=hot_by_index,
    )
    program.renumber_length_keys(
        by_item,
        n=count,
        long_row=long_row,
        longest=longest,
        row_ptr=rows.row_ptr,
        hot_length=hot_by_index,
        key=key,
    )
    largest = max(longest - long_row, 0) + (long_row + 1) ** 2
    key, by_length = sort_by_key(device, key, n, largest.bit_length())
    program.renumber_class_keys(by_item, n=count, by_length=by_length, degree_class=degree_class, key=key)
    _, order = sort_by_key(device, key, n, len(bounds).bit_length(), by_length)
    del key, by_length, degree_class

    number, length, hot_length, cold_length, is_long = (device.empty(n, np.int32) for _ in range(5))
    program.renumber_rows(
        by_item,
        n=count,
        long_row=long_row,
        order=order,
        row_ptr=rows.row_ptr,
        hot_by_index=hot_by_index,
        number=number,
        length=length,
        hot_length=hot_length,
        cold_length=cold_length,
        is_long=is_long,
    )
    start = running_sums(device, length, n, into=rows.offset)
    del hot_by_index, length

    source = device.empty(arcs, head)
    common = {"n": n, "arcs": arcs, "order": order, "start": start, "row_ptr": rows.row_ptr}
    program.renumber_arcs(by_run, **common, col=rows.col_idx, number=number, source=source)
    sort_rows(device, DeviceCSR(n, arcs, start, source, rows.offset), longest, merge=False, head=head)
    arc_share = None
    if share is not None:
        both, source, arc_share = source, device.empty(arcs, np.int32), device.empty(arcs, real)
        program.renumber_shares(
            by_run, **common, sorted=both, share=share, source=source, arc_share=arc_share
        )
    return Renumbered(
        csr=DeviceCSR(n, arcs, start, source, rows.offset),
        share=arc_share,
        order=order,
        number=number,
        sources=sources,
        hot=hot,
        hot_length=hot_length,
        cold_length=cold_length,
        is_long=is_long,
    )


def _survey(device: Device, program: Program, rows: DeviceCSR, by_item: int) -> tuple[int, int]:
    """The longest row, and how many have arcs."""
    figures = device.zeros(2, np.uint32)
    program.renumber_survey(by_item, n=rows.n, row_ptr=rows.row_ptr, figures=figures)
    longest, filled = device.download(figures, np.uint32, 2).tolist()
    return longest, filled
