"""A graph's rows in sliced ELL form, vertices renumbered: host half of ``cl/ranking/sell.cl``.

Vertices are renumbered: sources with many out-arcs come first, because their values are read most often;
within a class of such vertices, rows of similar length are adjacent. A slice is `width` rows side by side,
padded to the longest: entry j of its row r is at ``(begin + j) * width + r``, so that `width` lanes read
in step.

A row's arcs from the `hot` hottest sources have 16-bit indices; the rest have 32-bit ones. An index is the
source's new number + 1: index 0 is the padding and reads a zero. Rows of more than `long_row` arcs are cut
into pieces of at most `long_row` arcs, which are rows of slices of their own; a row's sum is then the sum of
its pieces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from clgraph.csr.build import sort_rows
from clgraph.csr.scan import running_sums
from clgraph.csr.sort import sort_by_key
from clgraph.csr.upload import DeviceCSR, upload_csr
from clgraph.device.launch_config import LaunchTable
from clgraph.ranking.solver import Solver
from clgraph.ranking.transition_weights import RUN, upload_shares

if TYPE_CHECKING:
    from clgraph.device import Device
    from clgraph.graph import Graph

Begin = npt.NDArray[np.int32]


# consecutive rows of a work-item where it reads their arcs; the simulator's are few, so that graphs of 50
# vertices have several work-items
ROWS = LaunchTable(gpu=1, cpu=64, simulator=2)
WINDOWS = 1 << 7  # approximately, if their sizes allow it
# what the end of a row costs beside its arcs, in arcs: for `balanced`
SETTLE = 3
# pieces of a cell are ordered by number (in this many bits), then by length: an iteration of R-MAT 22
# takes 0.267 ms on an H200, and 0.277 ms by length alone
TURN_BITS = 8
PARTS = ("hot_row", "cold_row", "hot_piece", "cold_piece")


@dataclass(frozen=True)
class Layout:
    """Parameters of a layout.

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
    joined : int
        In "bins", rows of more pieces are hubs, whose pieces a work-group adds up.
    windows : pair of int, or None
        Positions of a window at least and at most: enough rows for equal lengths to meet, few enough for a
        core's cache. Rows are sorted within windows, and their arcs not at all: neighbours in the graph stay
        neighbours, as the caches of a core prefer (of one segment only). None: all are sorted.
    """

    width: int
    hot: int
    long_row: int
    classes: tuple[int, ...] = ()
    segments: int = 1
    joined: int = 512
    windows: tuple[int, int] | None = None
    POWERS: ClassVar[tuple[str, ...]] = ("width",)
    LARGEST: ClassVar[dict[str, int]] = {"hot": 2**16 - 1}


class Sell:
    """All slices of a graph on a device; buffers are named as in ``cl/ranking/sell.cl``.

    Parameters
    ----------
    device : Device
    graph : Graph
    share : buffer of `real`, or None
        Beside the arcs of ``graph.reverse``.
    real : type
    layout : Layout

    Attributes
    ----------
    layout : Layout
        Its `hot` is cut to the number of sources.
    n, arcs, sources, hot_arcs : int
        Vertices, arcs, vertices that have out-arcs, and arcs from hot ones.
    order, number : int32 buffers, shape (n,)
        The vertex of each number, and the number of each vertex.
    steps : dict of str to int
        Steps of all slices of each of `PARTS`.
    parts : dict of str to buffer
        Of each of `PARTS` the steps before each slice ("hot_row_begin"), indices ("hot_row_index") and
        transition weights ("hot_row_share"; None where all arcs weigh the same).
    padding : float
        Stored entries for each arc.
    pieces, longest_join : int
        Pieces of long rows, and the most that a row has.
    hubs, hub : int, buffer
        How many rows have more than `joined` pieces, and which, in any order.
    kinds : tuple of int
        Where the slices of pieces from each segment begin, then those of cold pieces, and where these end.
    piece_place, first_piece : buffers
        Which piece each row of the slices of pieces is, -1 in padding; row v's pieces are
        ``first_piece[v]:first_piece[v + 1]``.
    """

    LASTING = (
        *("layout", "n", "arcs", "sources", "hot_arcs", "order", "number", "steps", "parts", "padding"),
        *("pieces", "longest_join", "kinds", "piece_place", "first_piece", "hubs", "hub"),
    )

    def __init__(self, device: Device, graph: Graph, share: Any, real: type[Any], layout: Layout) -> None:
        self.device, self.share, self.real, self.layout = device, share, real, layout
        # first of all, so that the device reverses the graph
        self.own = upload_csr(device, graph)
        self.rows = rows = upload_csr(device, graph.reverse)
        self.n, self.arcs, self.row_ptr, self.col_idx = rows.n, rows.arcs, rows.row_ptr, rows.col_idx
        self.run, self.items, self.long_row = RUN.of(device), device.tuning.items, layout.long_row
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
            RUN=self.run,
            ROWS=ROWS.of(device),
            TURN_BITS=TURN_BITS,
        )

    def steps_before(self, device: Device, part: str) -> Begin:
        """Download the begins of a part."""
        slices = self.kinds[-1] if part.endswith("piece") else -(-self.n // self.layout.width)
        return device.download(self.parts[f"{part}_begin"], np.int32, slices + 1)

    def arguments(self, part: str) -> dict[str, Any]:
        """Return the SLICE_ARGS of ``cl/ranking/sell.h`` for "row" or "piece"."""
        return {name.replace(f"_{part}", ""): each for name, each in self.parts.items() if part in name}

    def _launch(self, kernel: str, count: int, /, *, run: int = 0, **named: Any) -> None:
        """Launch over `count` rows, arcs or whatever a kernel takes; a work-item takes `run`, or ITEMS."""
        getattr(self.program, f"sell_{kernel}").launch(self, -(-count // (run or self.items)), **named)

    def build(self) -> Self:
        """Run all steps in order, and free what only these need."""
        device, layout = self.device, self.layout
        self.number_rows()
        source, arc_share = (None, self.share) if layout.windows else self.sort_arcs()
        self.cut_long_rows(source)
        begins = *self.begins(self.n, self.hot_length, self.cold_length), *self.begins(*self.piece_lengths)
        slices = (-(-self.n // layout.width),) * 2 + (self.kinds[-1],) * 2
        self.parts: dict[str, Any] = {}
        self.steps: dict[str, int] = {}
        for part, begin, count in zip(PARTS, begins, slices, strict=True):
            self.parts[f"{part}_begin"] = begin
            self.steps[part] = int(device.download(begin, np.int32, 1, offset=count)[0])
        self._make_room()
        self._place(source, arc_share)
        # only for the plan's text, and the least of the work
        before = running_sums(device, self.hot_length, self.n, into=self.rows.offset)
        self.hot_arcs = int(device.download(before, self.rows.offset, 1, offset=self.n)[0])
        self.layout = replace(layout, hot=self.hot)
        self.padding = sum(self.steps.values()) * layout.width / self.arcs if self.arcs else 1.0
        lasting = {name: vars(self)[name] for name in self.LASTING}
        vars(self).clear()
        vars(self).update(lasting)
        return self

    # --- numbers --------------------------------------------------------------------------------------

    def number_rows(self) -> None:
        """Number the vertices: by class, perhaps window, and length of their rows."""
        device, rows, layout, n = self.device, self.rows, self.layout, self.n
        device.reserve({"rows": 40 * n, "sources": 4 * self.arcs, "unsorted sources": 4 * self.arcs})
        most, self.sources = self._survey(self.own)
        self.longest = longest = most if self.own is rows else self._survey(rows)[0]
        self.hot = hot = max(1, min(layout.hot, self.sources))
        # the hot sources are a class of their own, so that their numbers come first
        bounds = sorted({b for b in (*layout.classes, hot) if b < self.sources} | {self.sources})
        key = device.empty(n, np.uint32)
        self._launch("degree_keys", n, most=most, row_ptr=self.own.row_ptr, key=key)
        _, by_degree = sort_by_key(device, key, n, most.bit_length())
        degree_class, hot_by_index = device.empty(n, np.uint8), device.zeros(n, np.int32)
        bound = device.upload(np.array(bounds, np.int32))
        classes = {"bounds": len(bounds), "bound": bound, "degree_class": degree_class}
        self._launch("classes", n, **classes, by_degree=by_degree)
        del by_degree

        hot_classes = bounds.index(hot) + 1 if self.sources else 0
        own = {"degree_class": degree_class, "hot_by_index": hot_by_index}
        self._launch("hot", self.arcs, run=self.run, hot_classes=hot_classes, **own)
        self._launch("length_keys", n, hot_by_index=hot_by_index, key=key)
        # the radix sort makes no more passes than the largest key has digits
        largest = max(longest - self.long_row, 0) + (self.long_row + 1) ** 2
        key, by_length = sort_by_key(device, key, n, largest.bit_length())
        window, groups = None, len(bounds)
        if layout.windows:
            window, groups = self._windows(*layout.windows, bounds, degree_class)
        # the sort is stable: within a group rows stay ordered by length
        self._launch("group_keys", n, by_length=by_length, degree_class=degree_class, window=window, key=key)
        _, self.order = sort_by_key(device, key, n, groups.bit_length(), by_length)
        del key, by_length, degree_class, own, classes

        # lengths by number, for the prefix sums that follow
        length, *made = (device.empty(n, np.int32) for _ in range(5))
        self.number, self.hot_length, self.cold_length, self.is_long = made
        self._launch("rows", n, hot_by_index=hot_by_index, length=length)
        self.start = running_sums(device, length, n, into=rows.offset)

    def _survey(self, rows: DeviceCSR) -> tuple[int, int]:
        """Find the longest row, and how many have arcs."""
        figures = self.device.zeros(2, np.uint32)
        self._launch("survey", rows.n, row_ptr=rows.row_ptr, figures=figures)
        longest, filled = self.device.download(figures, np.uint32, 2).tolist()
        return longest, filled

    def _windows(self, least: int, most: int, bounds: list[int], degree_class: Any) -> tuple[Any, int]:
        """Return the window of each vertex, and their number; none spans two classes."""
        device, n = self.device, self.n
        size = min(max(least, 1 << max(0, (n // WINDOWS).bit_length() - 1)), most)
        begin = np.array([0, *bounds], np.int32)
        step = np.full(len(begin), size, np.int32)
        # the hottest sources mostly have the longest rows: their windows are smaller
        step[0] = max(size // 8, 8)
        count = -(-np.diff(begin, append=n) // step)
        base = (np.cumsum(count) - count).astype(np.int32)
        key, window = device.empty(n, np.uint32), device.empty(n, np.int32)
        self._launch("group_keys", n, by_length=None, degree_class=degree_class, window=None, key=key)
        _, by_class = sort_by_key(device, key, n, len(bounds).bit_length())
        tables = {"begin": begin, "step": step, "base": base}
        given = {name: device.upload(each) for name, each in tables.items()}
        self._launch("windows", n, **given, by_class=by_class, degree_class=degree_class, window=window)
        return window, int(count.sum())

    def sort_arcs(self) -> tuple[Any, Any]:
        """Sort the sources of each row, each its number + 1; return them, and their transition weights."""
        device, arcs = self.device, self.arcs
        source = device.empty(arcs, self.head)
        # weighted arcs carry their position in the lower half of a 64-bit key through the sort
        self._launch("arcs", arcs, run=self.run, source=source)
        csr = DeviceCSR(self.n, arcs, self.start, source, self.rows.offset)
        sort_rows(device, csr, self.longest, merge=False, head=self.head)
        if self.share is None:
            return source, None
        both, source, share = source, device.empty(arcs, np.int32), device.empty(arcs, self.real)
        self._launch("shares", arcs, run=self.run, sorted=both, source=source, arc_share=share)
        return source, share

    # --- long rows ------------------------------------------------------------------------------------

    def cut_long_rows(self, source: Any) -> None:
        """Cut them into pieces of at most `long_row` arcs.

        `source` as of `sort_arcs`; None: rows are not sorted.
        """
        device, layout, n, offset = self.device, self.layout, self.n, self.rows.offset
        kinds = layout.segments + 1
        self.long_number = device.empty(n, np.int32)
        if self.longest <= self.long_row:  # on small graphs the launches below take a third of the build
            none = device.zeros(n + 1, np.int32)
            device.fill(self.long_number, np.int32(-1), n)
            self.cell_piece = self.piece_at = self.piece_place = self.first_piece = self.hub = none
            self.cell_begin, self.piece_lengths = device.empty(1, offset), (0, none, none)
            self.pieces = self.longest_join = self.hubs = 0
            self.kinds = (0,) * (kinds + 1)
            return
        self.long_before = running_sums(device, self.is_long, n, into=np.int32)
        self.long_count = count = int(device.download(self.long_before, np.int32, 1, offset=n)[0])
        self.long_rows = device.empty(count, np.int32)
        self._launch("long_rows", n)

        self.cells = cells = count * kinds
        self.cell_begin = device.empty(cells, offset)
        self.cell_length, in_cell = (device.empty(cells, np.int32) for _ in range(2))
        self._launch("cells", cells, kinds=kinds, source=source, pieces=in_cell)
        # pieces are numbered by cell, and so by row and kind
        self.cell_piece = running_sums(device, in_cell, cells, into=np.int32)
        self.pieces = int(device.download(self.cell_piece, np.int32, 1, offset=cells)[0])
        self.first_piece, counts = device.empty(n + 1, np.int32), device.zeros(2, np.int32)
        self.hub = device.empty(self.pieces // (layout.joined + 1), np.int32)
        self._launch("firsts", n + 1, kinds=kinds, joined=layout.joined, counts=counts)
        self.longest_join, self.hubs = device.download(counts, np.int32, 2).tolist()
        self._order_pieces(kinds)

    def _order_pieces(self, kinds: int) -> None:
        """Put the pieces of each kind into slices of their own: by number, then by length."""
        device, width, count = self.device, self.layout.width, self.pieces
        bits = (self.long_row - 1).bit_length()
        key, first = device.empty(count, np.uint32), device.empty(kinds + 1, np.int32)
        self._launch("piece_keys", self.cells, kinds=kinds, bits=bits, key=key)
        key, piece = sort_by_key(device, key, count, bits + TURN_BITS + (kinds - 1).bit_length())
        self._launch("kinds", kinds + 1, kinds=kinds, count=count, bits=bits, key=key, first=first)
        of_kind = np.diff(device.download(first, np.int32, kinds + 1))
        self.kinds = 0, *np.cumsum(-(-of_kind // width)).tolist()  # a slice has pieces of one kind
        at, places = device.upload(np.array(self.kinds, np.int32) * width), width * self.kinds[-1]
        self.piece_at, self.piece_place = device.empty(count, np.int32), device.empty(places, np.int32)
        # padding belongs to no piece
        device.fill(self.piece_place, np.int32(-1), places)
        hot, cold = (device.zeros(places, np.int32) for _ in range(2))
        sorted_ = {"kinds": kinds, "count": count, "bits": bits, "key": key, "piece": piece, "first": first}
        self._launch("pieces", count, **sorted_, at=at, hot_length=hot, cold_length=cold)
        self.piece_lengths = places, hot, cold

    # --- slices ---------------------------------------------------------------------------------------

    def begins(self, count: int, hot_length: Any, cold_length: Any) -> tuple[Any, Any]:
        """Return the steps before each slice of rows of these lengths, hot and cold; long rows are empty."""
        device, slices = self.device, -(-count // self.layout.width)
        hot, cold = (device.empty(slices, np.int32) for _ in range(2))
        lengths = {"hot_length": hot_length, "cold_length": cold_length}
        self._launch("steps", slices, n=count, count=slices, **lengths, hot_steps=hot, cold_steps=cold)
        return tuple(running_sums(device, each, slices, into=np.int32) for each in (hot, cold))

    def _make_room(self) -> None:
        """Allocate the indices and transition weights of each part, filled with padding."""
        device, share_size = self.device, 0 if self.share is None else np.dtype(self.real).itemsize
        entries = {part: steps * self.layout.width for part, steps in self.steps.items()}
        size = {part: 2 if part.startswith("hot") else 4 for part in PARTS}
        device.reserve({part: count * (size[part] + share_size) for part, count in entries.items()})

        def zeros(nbytes: int) -> Any:
            # `output` has large pages on CPUs; in bytes, since the simulator has no fill of 16 bits
            buffer = device.output(nbytes, np.uint8)
            device.fill(buffer, np.uint8(0), nbytes)
            return buffer

        for part, count in entries.items():
            self.parts[f"{part}_index"] = zeros(count * size[part])
            self.parts[f"{part}_share"] = zeros(count * share_size) if share_size else None

    def _place(self, source: Any, arc_share: Any) -> None:
        """Put the arcs into the slices."""
        if source is None:
            self._launch(
                "place_rows", self.n, run=ROWS.of(self.device), local=1, arc_share=arc_share, **self.parts
            )
            return
        given = {"segments": self.layout.segments, "source": source, "arc_share": arc_share}
        self._launch("place", self.arcs, run=self.run, **given, **self.parts)


def balanced(begin: npt.NDArray[Any], runs: int) -> npt.NDArray[np.int32]:
    """Bounds of at most `runs` runs of slices of about equal cost, given the cost before each slice."""
    slices = len(begin) - 1
    runs = max(1, min(runs, slices))
    bounds = np.searchsorted(begin, np.linspace(0, begin[-1], runs + 1)[1:-1])
    return np.concatenate(([0], bounds, [slices])).astype(np.int32)


def group_sum_bytes(device: Device, local: int) -> int:
    """Local memory of a group's sums (``cl/ranking/group.h``): one for each work-item, or for each warp."""
    return 8 * (33 if "HAVE_PTX" in device.features else local) + 64


class SellSolver(Solver):
    """Base of solvers over rows in slices, which are laid out once per graph and cached on the device."""

    shift = 1
    sell: Sell

    def lay_out(self, layout: Layout) -> Sell:
        """Make the slices."""
        share = upload_shares(self.device, self.graph, self.problem, self.real, self.weight)
        return Sell(self.device, self.graph, share, self.real, layout).build()
