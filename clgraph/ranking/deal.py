"""Slices of a graph made on a device with few, strong cores.

Host half of ``cl/ranking/deal.cl`` and ``cl/ranking/deal_place.cl``, which do without sorting the arcs what
`clgraph.ranking.layout.make_slices` and ``cl/ranking/slices_place.cl`` do together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.device.shapes import Shapes
from clgraph.ranking.layout import Slices, class_bounds, cut_long_rows, starts
from clgraph.ranking.slices import Begins, empty_slices, slice_begins

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

WINDOW_BITS = 15  # of a position within its window: 17 bits are left for a source within its slice
WINDOWS = 1 << 7  # approximately, if their sizes allow it
SLICE_ARCS = 1 << 14  # fewer are not worth a slice of their own


@dataclass(frozen=True)
class Shape:
    """Sizes of what is dealt.

    Attributes
    ----------
    least_window, most_window : int
        Positions of a window, powers of two: enough rows for equal lengths to meet, few enough for a core's
        cache.
    chunk : int
        Arcs of a stream that are stored together, a power of two.
    """

    least_window: int
    most_window: int
    chunk: int


_CORES = Shape(least_window=1 << 10, most_window=1 << WINDOW_BITS, chunk=1 << 8)
SHAPES = Shapes(gpu=_CORES, cpu=_CORES, simulator=Shape(least_window=16, most_window=16, chunk=4))


def class_numbers(out: npt.NDArray[Any], bounds: list[int]) -> npt.NDArray[np.uint8]:
    """The class of each vertex, shape (n,): how many of the bounds its rank by descending out-degree reaches.

    Among equal degrees the smaller index comes first. (A full sort would take ten times as long.)
    """
    most = int(out.max(initial=0))
    at_least = np.cumsum(np.bincount(out, minlength=most + 1)[::-1])[::-1]  # vertices of degree d and more
    reached = np.zeros(len(out), np.uint8)
    for bound in bounds:
        if bound == 0:
            reached += 1
            continue
        degree = int(np.count_nonzero(at_least >= bound)) - 1  # of the last one before the bound
        reached += out < degree
        more = int(at_least[degree + 1]) if degree < most else 0
        reached[np.flatnonzero(out == degree)[bound - more :]] += 1
    return reached


def window_bounds(class_sizes: npt.NDArray[Any], size: int) -> npt.NDArray[np.int32]:
    """First position of each window, then the number of positions; no window spans two classes.

    Sources of the first class are the hottest, and mostly have the longest rows: their windows are smaller.
    """
    bounds = [0]
    for number, length in enumerate(class_sizes.tolist()):
        step = max(size // 8, 8) if number == 0 else size
        first = bounds[-1]
        bounds += [*range(first + step, first + length, step), first + length] if length else []
    return np.array(bounds, np.int32)


def slice_bounds(row_ptr: npt.NDArray[Any], most: int) -> npt.NDArray[np.int32]:
    """First source of each slice, then n: at most `most` slices of about equally many arcs.

    There are more slices where one would have more sources than a dealt arc has bits for.
    """
    n, arcs = len(row_ptr) - 1, int(row_ptr[-1])
    slices = max(1, min(most, arcs // SLICE_ARCS))
    cuts = np.searchsorted(row_ptr, np.linspace(0, arcs, slices + 1)[1:-1])
    room = 1 << (32 - WINDOW_BITS)
    return np.unique(np.concatenate((cuts, np.arange(0, n, room), [n]))).astype(np.int32)


def deal_slices(
    device: Device,
    graph: Graph,
    shares: npt.NDArray[np.float64] | None,
    real: type[np.floating[Any]],
    *,
    width: int,
    hot: int,
    long_row: int,
    classes: tuple[int, ...],
) -> tuple[Slices, dict[str, Any]]:
    """Lay out a graph's arcs in slices on a device.

    Parameters
    ----------
    shares : float64 array, shape (arcs,), or None
        w(u, v) / W(u) in the order of the graph's arcs; arcs of share 0 are kept.
    width, hot, long_row, classes
        As for `make_slices`.

    Returns
    -------
    Slices
    filled : dict of buffers
        begin, index and share of hot rows, cold rows, hot pieces and cold pieces on the device.
    """
    n, arcs = graph.num_vertices, graph.num_arcs
    out = np.diff(graph.row_ptr)
    sources = int(np.count_nonzero(out))
    hot = max(1, min(hot, sources))
    bounds = class_bounds(classes, hot, sources)
    reached = class_numbers(out, bounds)
    class_sizes = np.bincount(reached, minlength=len(bounds) + 1)
    by_position = np.concatenate([np.flatnonzero(reached == c) for c in range(len(bounds) + 1)]).astype(
        np.int32
    )
    shape = SHAPES.of(device)
    size = min(max(shape.least_window, 1 << max(0, (n // WINDOWS).bit_length() - 1)), shape.most_window)
    window_begin = window_bounds(class_sizes, size)
    windows = len(window_begin) - 1
    hot_windows = int(np.searchsorted(window_begin, min(hot, sources)))
    place = np.empty(n, np.uint32)
    of_window = np.arange(windows, dtype=np.uint32) << np.uint32(WINDOW_BITS)
    sizes = np.diff(window_begin)
    place[by_position] = np.repeat(of_window - window_begin[:-1].astype(np.uint32), sizes) + np.arange(
        n, dtype=np.uint32
    )

    weighted = shares is not None
    chunk = shape.chunk
    defines: dict[str, Any] = {
        "REAL": "float" if real is np.float32 else "double",
        "WEIGHTED": weighted,
        "WIDTH": width,
        "LONG_ROW": long_row,
        "WINDOW_BITS": WINDOW_BITS,
        "CHUNK": chunk,
    }
    offset = "int" if graph.row_ptr.dtype == np.int32 else "long"
    program = device.program("ranking/deal", **defines, OFFSET=offset)
    # the arcs dealt out to streams, in chunks
    bound = slice_bounds(graph.row_ptr, 8 * device.compute_units)
    slices = len(bound) - 1
    of_slice = np.diff(graph.row_ptr[bound].astype(np.int64))
    region = starts(of_slice // chunk + np.minimum(of_slice, 2 * windows)).astype(np.int32)
    chunks = int(region[-1])
    item = np.dtype(real).itemsize * weighted
    device.reserve(
        {
            "col_idx": 4 * arcs,
            "dealt arcs": 4 * chunk * chunks,
            "dealt shares": item * chunk * chunks,
            "slices": (4 + item) * arcs,
            "rows": 40 * n,
        }
    )
    dealt = device.output(chunk * chunks, np.uint32)
    dealt_share = device.output(chunk * chunks, real) if weighted else None
    owner, chunk_source, chunk_length = (device.empty(chunks, np.int32) for _ in range(3))
    program.pagerank_deal.exact(
        slices,
        slices=slices,
        windows=windows,
        hot_windows=hot_windows,
        bound=device.upload(bound),
        region=device.upload(region),
        row_ptr=device.upload(graph.row_ptr),
        col_idx=device.upload(graph.col_idx),
        share=None if shares is None else device.upload(shares.astype(real)),
        place=device.upload(place),
        next=device.empty(slices * 2 * windows, np.int64),
        dealt=dealt,
        dealt_share=dealt_share,
        owner=owner,
        chunk_source=chunk_source,
        chunk_length=chunk_length,
        local=1,
    )
    owners = device.download(owner, np.int32, chunks)
    listed = device.upload(np.argsort(owners, kind="stable").astype(np.int32))
    of_stream = np.bincount(owners, minlength=2 * windows)[: 2 * windows]
    begins = device.upload(window_begin)
    streams = {
        "windows": windows,
        "window_begin": begins,
        "stream_ptr": device.upload(starts(of_stream).astype(np.int32)),
        "listed": listed,
        "chunk_length": chunk_length,
        "dealt": dealt,
    }

    names = ("hot_count", "cold_count", "half_sorted", "sorted")
    scratch = {name: device.empty(n, np.int32) for name in names}
    number, hot_length, cold_length, order, source_number = (device.output(n, np.int32) for _ in range(5))
    program.pagerank_deal_rows.exact(
        windows,
        **streams,
        by_position=device.upload(by_position),
        **scratch,
        number=number,
        hot_length=hot_length,
        cold_length=cold_length,
        order=order,
        source_number=source_number,
        local=1,
    )
    count = -(-n // width)
    row_begins = slice_begins(device, n, hot_length, cold_length, width=width, long_row=long_row)
    lengths = [device.take(buffer, np.int32, n) for buffer in (hot_length, cold_length)]
    long_rows = np.flatnonzero(lengths[0] + lengths[1] > long_row)
    cells = np.column_stack([length[long_rows] for length in lengths]).astype(np.int64)
    cut = cut_long_rows(long_rows, cells, n, width=width, long_row=long_row)
    hot_rows, cold_rows = (device.download(begin, np.int32, count + 1) for begin in row_begins)
    made = Slices(
        width=width,
        hot=hot,
        long_row=long_row,
        segments=1,
        order=device.take(order, np.int32, n),
        sources=sources,
        arcs=arcs,
        hot_rows=hot_rows,
        cold_rows=cold_rows,
        **vars(cut),
        hot_arcs=int(lengths[0].sum(dtype=np.int64)),
    )
    filled = empty_slices(device, Begins.of(device, made), real if weighted else None)
    device.program("ranking/deal_place", **defines).pagerank_deal_place.exact(
        windows,
        **streams,
        chunk_source=chunk_source,
        dealt_share=dealt_share,
        number=number,
        source_number=source_number,
        long_number=device.upload(made.long_number),
        cell_piece=device.upload(made.cell_piece),
        piece_at=device.upload(made.piece_at),
        next=device.empty(n, np.int64),
        **filled,
        local=1,
    )
    device.finish()
    return made, filled
