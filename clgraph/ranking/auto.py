"""The plans of variant "auto" that take rows in slices: `RunRows` (CPUs) and `BinRows` (GPUs)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clgraph.ranking.deal import deal_slices, empty_slices
from clgraph.ranking.rows import Numbers, Rows
from clgraph.ranking.slices import Slices, SortedSlices, balanced, make_slices

if TYPE_CHECKING:
    from clgraph.device import Device, Kind
    from clgraph.graph import Graph
    from clgraph.ranking.problem import Problem

RUNS = 256  # of slices: enough for balance on any number of cores
SETTLE = 3  # what the end of a row costs, in arcs


@dataclass
class PartBuffers:
    """A pair of parts (hot, cold) on the device, as SLICE_ARGS of ``cl/ranking/slices.h``."""

    args: tuple[Any, ...]
    steps: int


@dataclass
class SliceBuffers:
    """All slices on a device; `about` is what a plan tells of them."""

    order: npt.NDArray[np.int32]
    rows: PartBuffers
    pieces: PartBuffers
    piece_place: Any
    first_piece: Any
    num_pieces: int
    longest_join: int
    about: str
    extra: dict[str, Any]


def shares_of(graph: Graph, problem: Problem) -> npt.NDArray[np.float64] | None:
    """w(u, v) / W(u) of each arc of the graph; None where all weigh the same."""
    if problem.weights is None:
        return None
    whole = np.repeat(problem.out, np.diff(graph.row_ptr))
    return np.divide(problem.weights, whole, out=np.zeros_like(whole), where=whole > 0)


def slices_of(graph: Graph, problem: Problem, **options: Any) -> SortedSlices:
    """Slices of a graph, with the arcs' shares where it is weighted."""
    return make_slices(graph.row_ptr, graph.col_idx, shares_of(graph, problem), **options)


def fill_slices(
    device: Device, made: SortedSlices, real: type[np.floating[Any]]
) -> tuple[PartBuffers, PartBuffers]:
    """The slices of rows and those of pieces on a device: host half of ``cl/ranking/slices_place.cl``."""
    args = empty_slices(device, made, None if made.share is None else real)
    share = None if made.share is None else device.upload(made.share.astype(real))
    items = device.tuning.items
    offset = "int" if made.start.dtype == np.int32 else "long"
    program = device.program(
        "ranking/slices_place",
        OFFSET=offset,
        REAL="float" if real is np.float32 else "double",
        WEIGHTED=made.share is not None,
        WIDTH=made.width,
        ITEMS=items,
    )
    n = len(made.order)
    program.pagerank_place(
        -(-n // items),
        np.int32(n),
        np.int32(made.hot),
        np.int32(made.segments),
        np.int32(made.long_row),
        device.upload(made.start),
        device.upload(made.source),
        share,
        device.upload(made.long_number),
        device.upload(made.cell_piece),
        device.upload(made.piece_at),
        *args,
    )
    device.finish()
    return parts_of(made, args)


def parts_of(made: Slices, args: tuple[Any, ...]) -> tuple[PartBuffers, PartBuffers]:
    """The rows' buffers and the pieces'."""
    rows, pieces = (
        PartBuffers(tuple(part), int(hot[-1]) + int(cold[-1]))
        for part, hot, cold in ((args[:6], *made.begins[:2]), (args[6:], *made.begins[2:]))
    )
    return rows, pieces


class SliceRows(Rows):
    """Rows in slices; built once per graph, and kept on the device."""

    shift = 1
    width: int
    hot: int
    long_row: int
    classes: tuple[int, ...]
    segments = 1

    def __init__(
        self, device: Device, graph: Graph, problem: Problem, numbers: Numbers, weight: bool
    ) -> None:
        super().__init__(device, graph, problem, numbers, weight)
        self.set_shape()
        key: tuple[Any, ...] = (
            "pagerank-slices",
            self.width,
            self.hot,
            self.long_row,
            self.segments,
            self.classes,
            weight,
            numbers.dtype,
        )
        if problem.weights is None:
            key = key[:6]
        self.kept: SliceBuffers = device.cached(graph, key, lambda: self._make(graph))
        self.order = self.kept.order
        self.chain = 2 * self.long_row + self.kept.longest_join
        self.parts = self.count_parts()

    def count_parts(self) -> int:
        """Work-groups that tally."""
        raise NotImplementedError

    def set_shape(self) -> None:
        """Set width, hot, long_row and classes."""
        raise NotImplementedError

    def _make(self, graph: Graph) -> SliceBuffers:
        made, rows, pieces = self.fill(graph)
        upload = self.device.upload
        share = made.hot_arcs / max(1, made.arcs)
        return SliceBuffers(
            order=made.order,
            rows=rows,
            pieces=pieces,
            piece_place=upload(made.piece_place),
            first_piece=upload(made.first_piece),
            num_pieces=made.pieces,
            longest_join=int(np.diff(made.first_piece).max(initial=0)),
            about=(
                f"vertices renumbered by out-degree and row length; the {made.hot} hottest sources bring "
                f"{share:.0%} of the arcs, with 16-bit indices; {made.pieces} pieces of rows of more than "
                f"{self.long_row} arcs; {made.padding:.3f} entries an arc"
            ),
            extra=self.extra(made),
        )

    def fill(self, graph: Graph) -> tuple[Slices, PartBuffers, PartBuffers]:
        """The slices, on the device."""
        made = slices_of(
            graph,
            self.problem,
            width=self.width,
            hot=self.hot,
            long_row=self.long_row,
            classes=self.classes,
            segments=self.segments,
        )
        return made, *fill_slices(self.device, made, self.numbers.real)

    def extra(self, made: Slices) -> dict[str, Any]:
        """What a sub-class keeps besides."""
        return {}

    def upload(self) -> None:
        self._piece_sum = self.device.empty(self.kept.num_pieces, np.float64)

    @property
    def offset(self) -> dict[str, str]:
        """Build option: the type of a place among the entries."""
        steps = max(self.kept.rows.steps, self.kept.pieces.steps)
        return {"OFFSET": "int" if steps * self.width < 2**31 else "long"}


class RunRows(SliceRows):
    """One work-item takes a run of slices (CPUs): host half of ``cl/ranking/runs.cl``."""

    variant = "runs"

    def set_shape(self) -> None:
        # 65535 values are 256 KB: a core's own cache holds them
        self.width, self.hot, self.long_row = 8, 65535, 1024
        self.classes = (8192, 65535, 262144)
        if self.device.kind == "simulator":
            self.width, self.hot, self.long_row, self.classes = 4, 8, 6, (4, 16)

    def fill(self, graph: Graph) -> tuple[Slices, PartBuffers, PartBuffers]:
        made, args = deal_slices(
            self.device,
            graph,
            shares_of(graph, self.problem),
            self.numbers.real,
            width=self.width,
            hot=self.hot,
            long_row=self.long_row,
            classes=self.classes,
        )
        return made, *parts_of(made, args)

    def extra(self, made: Slices) -> dict[str, Any]:
        bounds = {}
        for name, hot, cold in (
            ("rows", made.hot_rows, made.cold_rows),
            ("pieces", made.hot_pieces, made.cold_pieces),
        ):
            cost = hot.astype(np.int64) + cold + SETTLE * np.arange(len(hot))
            bound = balanced(cost, RUNS)
            bounds[name] = (len(bound) - 1, self.device.upload(bound))
        return bounds

    def count_parts(self) -> int:
        return int(self.kept.extra["rows"][0])

    def explain(self) -> list[str]:
        runs, _ = self.kept.extra["rows"]
        return [
            f"a CPU: one work-item takes a run of slices of {self.width} rows, {runs} runs of equal work",
            self.kept.about,
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        self._program = self.device.program(
            "ranking/runs", **defines, **self.offset, WIDTH=self.width, PLAIN=self.plain
        )

    def enqueue(self, travel: Any, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        kept = self.kept
        if kept.num_pieces:
            runs, bound = kept.extra["pieces"]
            self._program.pagerank_run_pieces.exact(
                runs, bound, *kept.pieces.args, kept.piece_place, travel, state, self._piece_sum, local=1
            )
        runs, bound = kept.extra["rows"]
        self._program.pagerank_runs.exact(
            runs,
            np.int32(self.n),
            bound,
            *kept.rows.args,
            kept.first_piece,
            self._piece_sum,
            travel,
            parts,
            state,
            *vertex,
            local=1,
        )


@dataclass(frozen=True)
class BinShape:
    """Launch shape of `BinRows`.

    Attributes
    ----------
    local : int
        Work-items in a group; cut to what the device can.
    width : int
        Rows of a slice.
    groups : int
        Work-groups for each compute unit.
    long_row : int
        Longer rows are cut into pieces.
    hot : int
        Sources in local memory at most; cut to what fits.
    segments : int
        How many times so many sources come from local memory in pieces of long rows.
    classes : tuple of int
        Bounds between classes of sources.
    piece_groups : int
        Work-groups for each compute unit that sum pieces.
    """

    local: int
    width: int
    groups: int
    long_row: int
    hot: int
    segments: int
    classes: tuple[int, ...]
    piece_groups: int


BIN_SHAPE = BinShape(
    local=1024,
    width=32,
    groups=1,
    long_row=256,
    hot=65535,
    segments=7,
    classes=(65536, 262144),
    piece_groups=4,
)
# other devices run this plan too, if asked by name: small groups, of which they run any number
BIN_SHAPES: dict[Kind, BinShape] = {
    "gpu": BIN_SHAPE,
    "simulator": BinShape(
        local=8, width=4, groups=3, long_row=6, hot=8, segments=3, classes=(4, 16), piece_groups=6
    ),
}
OTHER_BINS = BinShape(
    local=32, width=8, groups=8, long_row=128, hot=511, segments=3, classes=(4096,), piece_groups=16
)
BLOCK = 32  # pieces that are added up together
COLD_COST = 3  # what an arc from a cold source costs, in arcs from hot ones


class BinRows(SliceRows):
    """A warp takes a slice (GPUs), hot sources in local memory: host half of ``cl/ranking/bins.cl``."""

    variant = "bins"

    def set_shape(self) -> None:
        shape = BIN_SHAPES.get(self.device.kind, OTHER_BINS)
        self.width, self.long_row, self.classes = shape.width, shape.long_row, shape.classes
        self.local = min(shape.local, 1 << (self.device.max_work_group.bit_length() - 1))
        self.groups = shape.groups * self.device.compute_units
        # the group's box: a sum for each work-item, or for each warp
        box = 8 * (33 if "HAVE_PTX" in self.device.features else self.local) + 64
        size = np.dtype(self.numbers.real).itemsize
        self.hot = min(shape.hot, (self.device.local_memory - box) // size - 1)
        self.segments = shape.segments
        self.piece_groups = shape.piece_groups * self.device.compute_units

    def extra(self, made: Slices) -> dict[str, Any]:
        # blocks of pieces, so that no work-item has to add up hundreds
        pieces = np.diff(made.first_piece)
        blocks = -(-pieces // BLOCK)
        first_block = np.zeros(self.n + 1, np.int32)
        np.cumsum(blocks, out=first_block[1:])
        row = np.repeat(np.arange(self.n), blocks)
        turn = np.arange(len(row)) - first_block[row]
        block_piece = np.append(made.first_piece[row] + BLOCK * turn, made.first_piece[-1]).astype(np.int32)
        shares = self._shares(made)
        upload = self.device.upload
        return {
            "blocks": len(row),
            "first_block": upload(first_block),
            "block_piece": upload(block_piece),
            "shares": upload(shares),
            "groups": len(shares),
        }

    def _shares(self, made: Slices) -> npt.NDArray[np.int32]:
        """Which slices of pieces each work-group takes: all of one kind, about as much work for each."""
        steps = made.hot_pieces.astype(np.int64) + COLD_COST * made.cold_pieces.astype(np.int64)
        if steps[-1] == 0:
            return np.zeros((0, 3), np.int32)
        shares, when = [], []
        for kind, (first, last) in enumerate(pairwise(made.kinds)):
            if first == last:
                continue
            part = steps[first : last + 1] - steps[first]
            bounds = first + balanced(part, max(1, round(self.piece_groups * int(part[-1]) / int(steps[-1]))))
            base = kind * made.hot if kind < self.segments else -1
            shares += [(int(a), int(b), base) for a, b in pairwise(bounds)]
            when += [(turn + 0.5) / (len(bounds) - 1) for turn in range(len(bounds) - 1)]
        # kinds in turns: those that wait for memory run beside those that do not
        return np.array(shares, np.int32)[np.argsort(when, kind="stable")]

    def count_parts(self) -> int:
        return self.groups

    def upload(self) -> None:
        super().upload()
        self._block_sum = self.device.empty(self.kept.extra["blocks"], np.float64)

    def explain(self) -> list[str]:
        return [
            f"a GPU: {self.width} work-items take a slice of {self.width} rows, {self.groups} work-groups of "
            f"{self.local}; the values of up to {self.hot} hottest sources stand in local memory",
            self.kept.about,
        ]

    def compile(self, defines: dict[str, Any]) -> None:
        options = {**defines, **self.offset, "WIDTH": self.width, "HOT": self.hot}
        self._program = self.device.program("ranking/bins", **options, LOCAL=self.local)

    def enqueue(self, travel: Any, parts: Any, state: Any, vertex: tuple[Any, ...]) -> None:
        kept, n, extra = self.kept, np.int32(self.n), self.kept.extra
        if kept.num_pieces:
            self._program.pagerank_bin_pieces.exact(
                extra["groups"] * self.local,
                n,
                extra["shares"],
                *kept.pieces.args,
                kept.piece_place,
                travel,
                state,
                self._piece_sum,
                local=self.local,
            )
            self._program.pagerank_bin_blocks(
                extra["blocks"],
                np.int32(extra["blocks"]),
                extra["block_piece"],
                self._piece_sum,
                state,
                self._block_sum,
            )
        self._program.pagerank_bins.exact(
            self.groups * self.local,
            n,
            *kept.rows.args,
            extra["first_block"],
            self._block_sum,
            travel,
            parts,
            state,
            *vertex,
            local=self.local,
        )
