"""A graph's rows in sliced ELL form, vertices renumbered: host half of ``cl/ranking/sell.cl``.

Vertices are renumbered: sources with many out-arcs come first, because their values are wanted most often;
within a class of such vertices, rows of similar length are adjacent. A slice is `width` rows side by side,
padded to the longest: entry j of its row r is at ``(begin + j) * width + r``, so that `width` lanes read
in step.

A row's arcs from the `hot` hottest sources have 16-bit indices; the rest have 32-bit ones. An index is the
source's new number + 1: index 0 is the padding and reads a zero. Rows of more than `long_row` arcs are cut
into pieces of at most `long_row` arcs, which are rows of slices of their own; a row's sum is then the sum of
its pieces.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.csr.build import sort_rows
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.ranking.rows import Rows
from clgraph.ranking.transition_weights import upload_shares

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Begin = npt.NDArray[np.int32]


@dataclass(frozen=True)
class LaunchConfig:
    """Launch shape.

    Attributes
    ----------
    run, rows : int
        Consecutive arcs of a work-item, and rows where it reads their arcs.
    least_window, most_window : int
        Positions of a window: enough rows for equal lengths to meet, few enough for a core's cache.
    """

    run: int
    rows: int
    least_window: int
    most_window: int


# the simulator's are small, so that graphs of 50 vertices have several
LAUNCH = LaunchTable(
    gpu=LaunchConfig(run=16, rows=1, least_window=1 << 10, most_window=1 << 15),
    cpu=LaunchConfig(run=4096, rows=64, least_window=1 << 10, most_window=1 << 15),
    simulator=LaunchConfig(run=8, rows=2, least_window=16, most_window=16),
)
WINDOWS = 1 << 7  # approximately, if their sizes allow it
# what the end of a row costs beside its arcs, in arcs: for `balanced`
SETTLE = 3
# pieces of a cell are ordered by their turn, in so many bits, and then by length: an iteration of R-MAT 22
# takes 0.267 ms on an H200, and 0.277 ms by length alone
TURN_BITS = 8
PARTS = ("hot_row", "cold_row", "hot_piece", "cold_piece")


@dataclass(frozen=True)
class Layout:
    """What is laid out how.

    Attributes
    ----------
    width : int
        Rows of a slice.
    hot : int
        Sources with 16-bit indices, at most.
    long_row : int
        Longer rows are cut into pieces.
    classes : tuple of int
        Bounds between classes of sources, by descending out-degree.
    segments : int
        How many segments of `hot` sources there are: in pieces, arcs from any of them have 16-bit indices,
        counted from the segment's first source.
    block : int
        Pieces of a row that are added up together.
    windows : bool
        Rows are sorted within windows, and their arcs not at all: neighbours in the graph stay neighbours, as
        the caches of a core want it (of one segment only).
    """

    width: int
    hot: int
    long_row: int
    classes: tuple[int, ...] = ()
    segments: int = 1
    block: int = 32
    windows: bool = False


@dataclass(frozen=True)
class Sell:
    """All slices of a graph on a device.

    Attributes
    ----------
    layout : Layout
        `hot` is how many sources are.
    n, arcs, sources, hot_arcs : int
        Vertices, arcs, vertices that have out-arcs, and arcs from hot ones.
    order, number : int32 buffers, shape (n,)
        The vertex of each number, and the number of each vertex.
    begins : tuple of int32 buffers
        Steps before each slice, and of all: of hot rows, cold rows, hot pieces and cold pieces.
    steps : tuple of int
        The last value of each.
    index, share : tuples of buffers
        Of the same; `share` None where all arcs weigh the same.
    pieces, longest_join : int
        Pieces of long rows, and the most that a row has.
    kinds : tuple of int
        Where the slices of pieces from each segment begin, then those of cold pieces, and where these end.
    piece_place, first_piece : buffers
        Which piece each row of the slices of pieces is, -1 in padding; row v's pieces are
        ``first_piece[v]:first_piece[v + 1]``.
    blocks, first_block, block_piece : int, buffers
        Row v has the blocks ``first_block[v]:first_block[v + 1]``, block b the pieces
        ``block_piece[b]:block_piece[b + 1]``.
    """

    layout: Layout
    n: int
    arcs: int
    sources: int
    hot_arcs: int
    order: Any
    number: Any
    begins: tuple[Any, ...]
    steps: tuple[int, ...]
    index: tuple[Any, ...]
    share: tuple[Any, ...]
    pieces: int
    longest_join: int
    kinds: tuple[int, ...]
    piece_place: Any
    first_piece: Any
    blocks: int
    first_block: Any
    block_piece: Any

    @property
    def padding(self) -> float:
        """Stored entries for each arc."""
        return sum(self.steps) * self.layout.width / self.arcs if self.arcs else 1.0

    def steps_before(self, device: Device, part: str) -> Begin:
        """The begins of a part, on the host."""
        i = PARTS.index(part)
        slices = self.kinds[-1] if i > 1 else -(-self.n // self.layout.width)
        return device.download(self.begins[i], np.int32, slices + 1)

    def arguments(self, part: str) -> dict[str, Any]:
        """SLICE_ARGS of ``cl/ranking/sell.h`` of "row" or "piece"."""
        args: dict[str, Any] = {}
        for kind in ("hot", "cold"):
            i = PARTS.index(f"{kind}_{part}")
            args |= {
                f"{kind}_begin": self.begins[i],
                f"{kind}_index": self.index[i],
                f"{kind}_share": self.share[i],
            }
        return args


class SellBuilder:
    """Makes a graph's slices; its buffers are named as in ``cl/ranking/sell.cl``.

    Parameters
    ----------
    device : Device
    graph : Graph
    share : buffer of `real`, or None
        Beside the arcs of ``graph.reverse``.
    real : type
    layout : Layout
    """

    def __init__(self, device: Device, graph: Graph, share: Any, real: type[Any], layout: Layout) -> None:
        self.device, self.graph, self.share, self.real, self.layout = device, graph, share, real, layout
        # first of all, so that the device reverses the graph
        self.own = upload_csr(device, graph)
        self.rows = rows = upload_csr(device, graph.reverse)
        self.n, self.arcs = rows.n, rows.arcs
        self.shape, self.items = LAUNCH.of(device), device.tuning.items
        weighted = share is not None
        self.head = np.int64 if weighted and not layout.windows else np.int32
        self.program = device.program(
            "ranking/sell",
            **rows.defines,
            HEAD="int" if self.head is np.int32 else "long",
            REAL="double" if weighted and real is np.float64 else "float",
            WEIGHTED=weighted,
            WIDTH=layout.width,
            LONG_ROW=layout.long_row,
            ITEMS=self.items,
            RUN=self.shape.run,
            ROWS=self.shape.rows,
            TURN_BITS=TURN_BITS,
        )

    def build(self) -> Sell:
        """All steps, in order."""
        device, layout = self.device, self.layout
        self.number_rows()
        source, arc_share = (None, self.share) if layout.windows else self.sort_arcs()
        self.cut_long_rows(source)
        begins = *self.begins(self.n, self.hot_length, self.cold_length), *self.begins(*self.piece_lengths)
        slices = (-(-self.n // layout.width),) * 2 + (self.kinds[-1],) * 2
        steps = tuple(
            int(device.download(begin, np.int32, 1, offset=count)[0])
            for begin, count in zip(begins, slices, strict=True)
        )
        index, share = self._room(steps)
        self._place(source, arc_share, begins, index, share)
        hot_before = running_sums(device, self.hot_length, self.n, into=self.rows.offset)
        return Sell(
            layout=replace(layout, hot=self.hot),
            n=self.n,
            arcs=self.arcs,
            sources=self.sources,
            hot_arcs=int(device.download(hot_before, self.rows.offset, 1, offset=self.n)[0]),
            order=self.order,
            number=self.number,
            begins=begins,
            steps=steps,
            index=index,
            share=share,
            pieces=self.pieces,
            longest_join=self.longest_join,
            kinds=self.kinds,
            piece_place=self.piece_place,
            first_piece=self.first_piece,
            blocks=self.blocks,
            first_block=self.first_block,
            block_piece=self.block_piece,
        )

    # --- numbers --------------------------------------------------------------------------------------

    def number_rows(self) -> None:
        """Number the vertices: by class, perhaps window, and length of their rows."""
        device, rows, layout, program, n = self.device, self.rows, self.layout, self.program, self.n
        by_item, long_row = -(-n // self.items), layout.long_row
        device.reserve({"rows": 40 * n, "sources": 4 * self.arcs, "unsorted sources": 4 * self.arcs})
        own = self.own
        most, self.sources = self._survey(own)
        self.longest = longest = most if own is rows else self._survey(rows)[0]
        self.hot = hot = max(1, min(layout.hot, self.sources))
        bounds = sorted({b for b in (*layout.classes, hot) if b < self.sources} | {self.sources})
        key = device.empty(n, np.uint32)
        program.sell_degree_keys(by_item, n=n, most=most, row_ptr=own.row_ptr, key=key)
        _, by_degree = sort_by_key(device, key, n, most.bit_length())
        degree_class = device.empty(n, np.uint8)
        limits = device.upload(np.array(bounds, np.int32))
        program.sell_classes(
            by_item, n=n, bounds=len(bounds), bound=limits, by_degree=by_degree, degree_class=degree_class
        )
        del by_degree

        hot_by_index = device.zeros(n, np.int32)
        program.sell_hot(
            -(-self.arcs // self.shape.run),
            n=n,
            arcs=self.arcs,
            hot_classes=bounds.index(hot) + 1 if self.sources else 0,
            row_ptr=rows.row_ptr,
            col=rows.col_idx,
            degree_class=degree_class,
            hot_length=hot_by_index,
        )
        program.sell_length_keys(
            by_item,
            n=n,
            long_row=long_row,
            longest=longest,
            row_ptr=rows.row_ptr,
            hot_length=hot_by_index,
            key=key,
        )
        largest = max(longest - long_row, 0) + (long_row + 1) ** 2
        key, by_length = sort_by_key(device, key, n, largest.bit_length())
        window, groups = self._windows(bounds, degree_class) if layout.windows else (None, len(bounds))
        grouping = {"degree_class": degree_class, "window": window, "key": key}
        program.sell_group_keys(by_item, n=n, by_length=by_length, **grouping)
        _, self.order = sort_by_key(device, key, n, groups.bit_length(), by_length)
        del key, by_length, degree_class, grouping

        length, *made = (device.empty(n, np.int32) for _ in range(5))
        self.number, self.hot_length, self.cold_length, self.is_long = made
        program.sell_rows(
            by_item,
            n=n,
            long_row=long_row,
            order=self.order,
            row_ptr=rows.row_ptr,
            hot_by_index=hot_by_index,
            number=self.number,
            length=length,
            hot_length=self.hot_length,
            cold_length=self.cold_length,
            is_long=self.is_long,
        )
        self.start = running_sums(device, length, n, into=rows.offset)

    def _survey(self, rows: DeviceCSR) -> tuple[int, int]:
        """The longest row, and how many have arcs."""
        figures = self.device.zeros(2, np.uint32)
        self.program.sell_survey(-(-rows.n // self.items), n=rows.n, row_ptr=rows.row_ptr, figures=figures)
        longest, filled = self.device.download(figures, np.uint32, 2).tolist()
        return longest, filled

    def _windows(self, bounds: list[int], degree_class: Any) -> tuple[Any, int]:
        """The window of each vertex, and how many there are; none spans two classes."""
        device, n = self.device, self.n
        least, most = self.shape.least_window, self.shape.most_window
        size = min(max(least, 1 << max(0, (n // WINDOWS).bit_length() - 1)), most)
        begin = np.array([0, *bounds], np.int32)
        step = np.full(len(begin), size, np.int32)
        # the hottest sources mostly have the longest rows: their windows are smaller
        step[0] = max(size // 8, 8)
        count = -(-np.diff(begin, append=n) // step)
        base = (np.cumsum(count) - count).astype(np.int32)
        key = device.empty(n, np.uint32)
        by_item, window = -(-n // self.items), device.empty(n, np.int32)
        grouping = {"n": n, "degree_class": degree_class, "window": None}
        self.program.sell_group_keys(by_item, **grouping, by_length=None, key=key)
        _, by_class = sort_by_key(device, key, n, len(bounds).bit_length())
        self.program.sell_windows(
            by_item,
            **{**grouping, "window": window},
            begin=device.upload(begin),
            step=device.upload(step),
            base=device.upload(base),
            by_class=by_class,
        )
        return window, int(count.sum())

    def sort_arcs(self) -> tuple[Any, Any]:
        """The sources of each row, ascending, each its number + 1; and their shares."""
        device, rows, n, arcs = self.device, self.rows, self.n, self.arcs
        by_run = -(-arcs // self.shape.run)
        source = device.empty(arcs, self.head)
        common = {"n": n, "arcs": arcs, "order": self.order, "start": self.start, "row_ptr": rows.row_ptr}
        self.program.sell_arcs(by_run, **common, col=rows.col_idx, number=self.number, source=source)
        csr = DeviceCSR(n, arcs, self.start, source, rows.offset)
        sort_rows(device, csr, self.longest, merge=False, head=self.head)
        if self.share is None:
            return source, None
        both, source, share = source, device.empty(arcs, np.int32), device.empty(arcs, self.real)
        self.program.sell_shares(
            by_run, **common, sorted=both, share=self.share, source=source, arc_share=share
        )
        return source, share

    # --- long rows ------------------------------------------------------------------------------------

    def cut_long_rows(self, source: Any) -> None:
        """Cut them into pieces of at most `long_row` arcs, in blocks of at most `block` pieces.

        `source` as of `sort_arcs`; None: rows are not sorted.
        """
        device, program, layout, n, offset = self.device, self.program, self.layout, self.n, self.rows.offset
        long_row, block, kinds = layout.long_row, layout.block, layout.segments + 1

        def passes(count: int) -> int:
            return -(-count // self.items)

        if self.longest <= long_row:  # on small graphs the launches below take a third of the build
            none = device.zeros(n + 1, np.int32)
            self.long_number = device.empty(n, np.int32)
            device.fill(self.long_number, np.int32(-1), n)
            self.cell_piece = self.piece_at = self.piece_place = none
            self.first_piece = self.first_block = self.block_piece = none
            self.cell_begin, self.piece_lengths = device.empty(1, offset), (0, none, none)
            self.pieces = self.blocks = self.longest_join = 0
            self.kinds = (0,) * (kinds + 1)
            return
        long_before = running_sums(device, self.is_long, n, into=np.int32)
        long_count = int(device.download(long_before, np.int32, 1, offset=n)[0])
        self.long_number, long_rows = device.empty(n, np.int32), device.empty(long_count, np.int32)
        program.sell_long_rows(
            passes(n), n=n, long_before=long_before, long_number=self.long_number, long_rows=long_rows
        )

        cells = long_count * kinds
        self.cell_begin = device.empty(cells, offset)
        cell_length, in_cell = (device.empty(cells, np.int32) for _ in range(2))
        shape = {"cells": cells, "kinds": kinds, "long_row": long_row, "cell_length": cell_length}
        program.sell_cells(
            passes(cells),
            **shape,
            hot=self.hot,
            long_rows=long_rows,
            start=self.start,
            source=source,
            hot_length=self.hot_length,
            cell_begin=self.cell_begin,
            pieces=in_cell,
        )
        self.cell_piece = cell_piece = running_sums(device, in_cell, cells, into=np.int32)
        in_row, most = device.empty(long_count, np.int32), device.zeros(1, np.int32)
        row_shape = {"long_count": long_count, "kinds": kinds, "block": block, "cell_piece": cell_piece}
        program.sell_blocks(passes(long_count), **row_shape, blocks=in_row, most=most)
        blocks_before = running_sums(device, in_row, long_count, into=np.int32)
        self.pieces = count = int(device.download(cell_piece, np.int32, 1, offset=cells)[0])
        self.blocks = int(device.download(blocks_before, np.int32, 1, offset=long_count)[0])

        self.first_piece, self.first_block = (device.empty(n + 1, np.int32) for _ in range(2))
        program.sell_firsts(
            passes(n + 1),
            n=n,
            kinds=kinds,
            long_before=long_before,
            cell_piece=cell_piece,
            blocks_before=blocks_before,
            first_piece=self.first_piece,
            first_block=self.first_block,
        )
        self.block_piece = device.zeros(self.blocks + 1, np.int32)
        program.sell_block_pieces(
            passes(long_count), **row_shape, blocks_before=blocks_before, block_piece=self.block_piece
        )

        bits = (long_row - 1).bit_length()
        key = device.empty(count, np.uint32)
        program.sell_piece_keys(passes(cells), **shape, bits=bits, cell_piece=cell_piece, key=key)
        key, piece = sort_by_key(device, key, count, bits + TURN_BITS + layout.segments.bit_length())
        first = device.empty(kinds + 1, np.int32)
        program.sell_kinds(passes(kinds + 1), kinds=kinds, count=count, bits=bits, key=key, first=first)
        of_kind = np.diff(device.download(first, np.int32, kinds + 1))
        slices = -(-of_kind // layout.width)  # a slice has pieces of one kind
        self.kinds = 0, *np.cumsum(slices).tolist()
        at, places = np.array(self.kinds, np.int32) * layout.width, layout.width * self.kinds[-1]
        self.piece_at, self.piece_place = device.empty(count, np.int32), device.empty(places, np.int32)
        device.fill(self.piece_place, np.int32(-1), places)
        hot_length, cold_length = (device.zeros(places, np.int32) for _ in range(2))
        program.sell_pieces(
            passes(count),
            count=count,
            kinds=kinds,
            long_row=long_row,
            bits=bits,
            key=key,
            piece=piece,
            first=first,
            at=device.upload(at),
            piece_at=self.piece_at,
            piece_place=self.piece_place,
            hot_length=hot_length,
            cold_length=cold_length,
        )
        self.piece_lengths = places, hot_length, cold_length
        self.longest_join = int(device.download(most, np.int32, 1)[0]) if long_count else 0

    # --- slices ---------------------------------------------------------------------------------------

    def begins(self, count: int, hot_length: Any, cold_length: Any) -> tuple[Any, Any]:
        """Steps before each slice of rows of these lengths, hot and cold; long rows count as empty."""
        device, slices = self.device, -(-count // self.layout.width)
        hot, cold = (device.empty(slices, np.int32) for _ in range(2))
        self.program.sell_steps(
            -(-slices // self.items),
            n=count,
            count=slices,
            long_row=self.layout.long_row,
            hot_length=hot_length,
            cold_length=cold_length,
            hot_steps=hot,
            cold_steps=cold,
        )
        return tuple(running_sums(device, each, slices, into=np.int32) for each in (hot, cold))

    def _room(self, steps: tuple[int, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Indices and shares of each part: all padding."""
        device = self.device
        types: list[np.dtype[Any]] = [np.dtype(np.uint16), np.dtype(np.int32)] * 2
        size = 0 if self.share is None else np.dtype(self.real).itemsize
        entries = [each * self.layout.width for each in steps]
        device.reserve(
            {
                name: count * (dtype.itemsize + size)
                for name, count, dtype in zip(PARTS, entries, types, strict=True)
            }
        )

        def zeros(nbytes: int) -> Any:
            # `output` has large pages on CPUs; in bytes, since the simulator has no fill of 16 bits
            buffer = device.output(nbytes, np.uint8)
            device.fill(buffer, np.uint8(0), nbytes)
            return buffer

        index = tuple(zeros(count * dtype.itemsize) for count, dtype in zip(entries, types, strict=True))
        return index, tuple(zeros(count * size) if size else None for count in entries)

    def _place(self, source: Any, arc_share: Any, begins: Any, index: Any, share: Any) -> None:
        """Put the arcs into the slices."""
        common: dict[str, Any] = {
            "n": self.n,
            "hot": self.hot,
            "arc_share": arc_share,
            "long_number": self.long_number,
            "cell_piece": self.cell_piece,
            "piece_at": self.piece_at,
        }
        for i, part in enumerate(PARTS):
            common |= {f"{part}_begin": begins[i], f"{part}_index": index[i], f"{part}_share": share[i]}
        if source is None:
            rows = self.rows
            self.program.sell_place_rows(
                -(-self.n // self.shape.rows),
                order=self.order,
                row_ptr=rows.row_ptr,
                col=rows.col_idx,
                number=self.number,
                local=1,
                **common,
            )
            return
        self.program.sell_place(
            -(-self.arcs // self.shape.run),
            arcs=self.arcs,
            segments=self.layout.segments,
            long_row=self.layout.long_row,
            start=self.start,
            source=source,
            hot_length=self.hot_length,
            cell_begin=self.cell_begin,
            **common,
        )


def balanced(begin: npt.NDArray[Any], runs: int) -> npt.NDArray[np.int32]:
    """Bounds of at most `runs` runs of slices of about the same cost, given the cost before each slice."""
    slices = len(begin) - 1
    runs = max(1, min(runs, slices))
    bounds = np.searchsorted(begin, np.linspace(0, begin[-1], runs + 1)[1:-1])
    return np.concatenate(([0], bounds, [slices])).astype(np.int32)


def group_sum_bytes(device: Device, local: int) -> int:
    """Local memory of a group's sums (``cl/ranking/group.h``): one for each work-item, or for each warp."""
    return 8 * (33 if "HAVE_PTX" in device.features else local) + 64


class SellRows(Rows):
    """Rows in slices; laid out once per graph, and kept on the device.

    Attributes
    ----------
    layout : Layout
        `prepare` of a sub-class sets it.
    """

    shift = 1
    layout: Layout

    def prepare(self) -> None:
        self.plan = (self.variant, self.layout)
        key: Hashable = (*self.plan, self.weight, self.numbers.dtype) if self.weighted else self.plan
        self.sell, self.balance = self.device.cached(self.graph, ("sell", key), self._make)
        self.order, self.number = self.sell.order, self.sell.number
        self.chain = 2 * self.layout.long_row + self.sell.longest_join

    def _make(self) -> tuple[Sell, Any]:
        dev, graph, real = self.device, self.graph, self.numbers.real
        share = None
        if self.weighted:
            share = upload_shares(dev, graph, self.problem, real, self.weight)
        sell = SellBuilder(dev, graph, share, real, self.layout).build()
        return sell, self.make_balance(sell)

    def make_balance(self, sell: Sell) -> Any:
        """Which slices each work-item or work-group takes."""
        raise NotImplementedError

    def upload(self) -> None:
        """Nothing: the slices are on the device."""
